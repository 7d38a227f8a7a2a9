//! Several games in one text of KIF or KI2.

use crate::text::TextLine;
use crate::text::is_blank;

/// The role of a line in the division into games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KifLineRole {
    /// A move, or an end of the game.
    Moves,
    /// A move that can only be the first one of a game.
    FirstMove,
    /// A header line.
    Header,
    /// Anything else: it belongs to what comes before it.
    Other,
}

/// The games of a text, each with all its lines. A game begins with the headers before its first move.
pub fn divide<'a>(lines: &[(TextLine<'a>, KifLineRole)]) -> Vec<Vec<TextLine<'a>>> {
    let mut games = vec![Vec::new()];
    let mut moves = false;
    // Headers that have come behind the moves of a game, and what stands between them.
    let mut waiting: Vec<TextLine<'a>> = Vec::new();
    for (line, part) in lines {
        let begins = match part {
            KifLineRole::FirstMove => moves,
            KifLineRole::Header => moves && begins_game(line.text),
            KifLineRole::Moves | KifLineRole::Other => false,
        };
        match part {
            _ if begins => {
                games.push(std::mem::take(&mut waiting));
                moves = false;
            }
            // The list goes on: what stood between was no head.
            KifLineRole::Moves => {
                if let Some(game) = games.last_mut() {
                    game.append(&mut waiting);
                }
            }
            KifLineRole::Header if moves => {
                waiting.push(*line);
                continue;
            }
            _ if !waiting.is_empty() => {
                waiting.push(*line);
                continue;
            }
            _ => {}
        }
        moves |= matches!(part, KifLineRole::Moves | KifLineRole::FirstMove);
        if let Some(game) = games.last_mut() {
            game.push(*line);
        }
    }
    if let Some(game) = games.last_mut() {
        game.append(&mut waiting);
    }
    games
}

/// Whether a header line behind the moves of a game can only belong to the next one.
fn begins_game(text: &str) -> bool {
    let text = text.trim_start_matches(is_blank);
    const WORDS: [&str; 8] =
        ["手合割：", "手合割:", "開始日時：", "開始日時:", "#KIF", "# ----", "後手の持駒：", "上手の持駒："];
    WORDS.iter().any(|word| text.starts_with(word)) || super::is_head_line(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines;

    /// `m` is a move, `1` a first one, `h` a header, `手合割：` one that begins a game.
    fn games(text: &str) -> Vec<String> {
        let part = |text: &str| match text {
            "m" => KifLineRole::Moves,
            "1" => KifLineRole::FirstMove,
            "h" | "手合割：" => KifLineRole::Header,
            _ => KifLineRole::Other,
        };
        let all: Vec<(TextLine<'_>, KifLineRole)> = lines(text).map(|line| (line, part(line.text))).collect();
        let texts = |game: &Vec<TextLine<'_>>| game.iter().map(|line| line.text).collect::<String>();
        divide(&all).iter().map(texts).collect()
    }

    #[test]
    fn headers_belong_to_the_moves_behind_them() {
        assert_eq!(games("h\n1\nm\nx\nh\nh\n1\nm\n"), ["h1mx", "hh1m"]);
        assert_eq!(games("1\nm\n1\nm\n"), ["1m", "1m"]);
        assert_eq!(games("1\nh\nm\n"), ["1hm"]);
        assert_eq!(games("1\nm\nh\n手合割：\nx\n"), ["1m", "h手合割：x"]);
        assert_eq!(games("h\n手合割：\n"), ["h手合割："]);
        assert_eq!(games("1\nh\nx\n"), ["1hx"]);
    }
}
