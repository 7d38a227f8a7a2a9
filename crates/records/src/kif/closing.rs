//! How a game of KIF or KI2 ended: the word behind the last move, and the closing sentence.

use super::{SIDES, end_words, read_time};
use crate::referee::ending::{EndCause, Ending};
use crate::text::DAMAGE;
use crate::text::is_blank;
use kaeshi_core::game::Side;
use kaeshi_shogi::rules::japanese;

/// Words that end a game without saying who won.
const WITHOUT_RESULT: [&str; 6] = ["中断", "封じ手", "不詰", "不戦勝", "不戦敗", "時間切れ"];

/// The first word of a row if it is a Japanese word and no part of a move: how the game ended.
pub fn bare_word(text: &str) -> Option<&str> {
    let word = first_word(text);
    let first = word.chars().next()?;
    let plain = word.chars().all(|sign| !sign.is_ascii() && sign.is_alphabetic());
    let of_piece = |rest: &str| rest.chars().all(|sign| "成不打左右上直引寄".contains(sign));
    let piece = japanese::take_man(word).is_some_and(|(_, rest)| of_piece(rest));
    (plain && first != '同' && japanese::digit(first).is_none() && !piece).then_some(word)
}

/// The word that ends the game in a numbered row or behind a move: [`bare_word`], or any other word (`Resign`, `？？`)
/// with nothing but a time behind it and no sign that moves are written with.
pub fn end_word(text: &str) -> Option<&str> {
    bare_word(text).or_else(|| {
        let word = first_word(text);
        let behind = text.get(word.len()..)?.trim_matches(is_blank);
        let of_move = |sign: char| {
            sign.is_numeric()
                || matches!(sign, '同' | '*' | DAMAGE)
                || japanese::man(&sign.to_string()).is_some()
        };
        let alone = behind.is_empty() || read_time(behind).is_some();
        (alone && !word.is_empty() && !word.contains(of_move)).then_some(word)
    })
}

fn first_word(text: &str) -> &str {
    // Two signs are spaced to the width of a move.
    if text.starts_with("投　了") {
        return "投　了";
    }
    let end = text.find(|sign| is_blank(sign) || matches!(sign, '(' | '（')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Whether a word is known to end a game.
pub fn is_known_end(word: &str) -> bool {
    WITHOUT_RESULT.contains(&word) || ending(word, Side::First).is_some()
}

/// The end of a game by its word, whose subject is the side to move.
pub fn ending(word: &str, to_move: Side) -> Option<Ending> {
    let (winner, cause) = match word {
        "投了" | "投　了" => (Some(to_move.other()), EndCause::Resign),
        "詰み" | "詰" => (Some(to_move.other()), EndCause::Mate),
        "切れ負け" => (Some(to_move.other()), EndCause::Time),
        "反則負け" | "反則手" | "反則" => (Some(to_move.other()), EndCause::Illegal),
        "反則勝ち" => (Some(to_move), EndCause::Illegal),
        "入玉勝ち" => (Some(to_move), EndCause::Declare),
        "千日手" => (None, EndCause::Repetition),
        "持将棋" => (None, EndCause::Impasse),
        "引き分け" | "引分け" | "引分" => return Some(Ending::default()),
        _ => return None,
    };
    Some(Ending::new(winner, cause))
}

/// The end of a game by its closing sentence without まで, `5手で先手の勝ち`. One that fits several causes means the
/// usual one.
pub fn closing(sentence: &str, to_move: Side) -> Option<Ending> {
    use EndCause::{Declare, Illegal, Impasse, Mate, Repetition, Resign, Time};
    let said = said(sentence).replace("下手の", "先手の").replace("上手の", "後手の");
    // `1手詰` of a tsume, `5手で詰み`.
    if said.ends_with("手詰") || matches!(&*said, "詰" | "詰み") {
        return Some(Ending::new(Some(to_move.other()), Mate));
    }
    if said.starts_with("引き分け") {
        return Some(Ending::default());
    }
    if said.contains("反則") {
        return foul(&said, to_move);
    }
    let draws = [Repetition, Impasse].map(|cause| Ending::new(None, cause));
    let wins = [Illegal, Resign, Time, Declare].into_iter();
    let wins = wins.flat_map(|cause| [Side::First, Side::Second].map(|side| Ending::new(Some(side), cause)));
    draws.into_iter().chain(wins).find(|end| end_words(end, to_move, SIDES).1 == said)
}

/// A closing sentence without the number of moves.
pub fn said(sentence: &str) -> &str {
    let said = sentence.split_once("手で").map_or(sentence, |(_, said)| said);
    said.trim_matches(|sign| is_blank(sign) || sign == '。')
}

/// `先手の反則勝ち`, `後手の反則負け`, `反則により先手の勝ち`, `後手の反則`. Without a side it is said of the side to move.
fn foul(said: &str, to_move: Side) -> Option<Ending> {
    let place = |name: &str| said.rfind(name);
    let named = match (place("先手の"), place("後手の")) {
        (None, None) => None,
        (black, white) => Some(if black > white { Side::First } else { Side::Second }),
    };
    let side = named.unwrap_or(to_move);
    let winner = match said {
        _ if said.ends_with("勝ち") || said.ends_with('勝') => side,
        _ if said.ends_with("負け") || said.ends_with('負') || said.ends_with("反則") => side.other(),
        _ => return None,
    };
    Some(Ending::new(Some(winner), EndCause::Illegal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{First, Second};

    #[test]
    fn sentences_name_the_winner_of_a_foul() {
        for (sentence, winner) in [
            ("2手で先手の反則勝ち", First),
            ("2手で後手の反則負け", First),
            ("2手で後手の反則により先手の勝ち", First),
            ("2手で反則により後手の勝ち", Second),
            ("先手の反則", Second),
            ("2手で下手の反則負け。", Second),
            ("反則勝ち", First),
            ("反則負け", Second),
        ] {
            let end = Ending::new(Some(winner), EndCause::Illegal);
            assert_eq!(closing(sentence, First), Some(end), "{sentence}");
        }
        assert_eq!(closing("2手で反則について", First), None);
        assert_eq!(closing("3手で下手の勝ち", Second), Some(Ending::new(Some(First), EndCause::Resign)));
    }

    #[test]
    fn a_word_ends_the_game_unless_it_may_be_a_move() {
        for word in ["投了", "Resign", "time_up", "？？", "?", "…", "トライ"] {
            assert_eq!(end_word(&format!("{word}   ( 0:07/00:00:07)")), Some(word));
            assert_eq!(end_word(word), Some(word));
        }
        for text in [
            "",
            "７六歩",
            "？六歩(77)",
            "？歩",
            "7g7f",
            "P*5e",
            "P-7f",
            "\u{fffd}",
            "？？(77)",
            "Resign now",
            "同？",
        ] {
            assert_eq!(end_word(text), None, "{text}");
        }
    }
}
