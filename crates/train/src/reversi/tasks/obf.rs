//! Othello board files as Edax reads and writes them: a position a line, fields that end with `;`, behind the board
//! moves with their scores or one score, and a comment behind `%`.

use std::fmt;

use kaeshi_engine::games::GameName;
use kaeshi_records::{lines, transcript};
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};

/// A line of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObfLine {
    /// The position, or that after the last turn of a game.
    pub(super) position: ReversiPosition,
    /// The moves that the line names, with their scores for the side to move.
    pub(super) moves: Vec<(ReversiTurn, i32)>,
    /// The score of the position, where the line has one without a move.
    pub(super) score: Option<i32>,
    /// The text behind `%`.
    pub(super) comment: Option<String>,
}

/// The comment of a line that has nothing else.
pub(super) fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('%')
}

impl ObfLine {
    /// Reads a line. Instead of a board there may be a game: a transcript, from a board or the usual start, or a
    /// position line with moves.
    ///
    /// # Errors
    /// An invalid position, an illegal move, or an invalid score.
    pub(super) fn parse(line: &str) -> Result<ObfLine, String> {
        let (fields, comment) = match line.split_once('%') {
            Some((fields, comment)) => (fields, Some(comment.trim().to_owned())),
            None => (line, None),
        };
        let mut fields = fields.split(';').map(str::trim);
        let position = position(fields.next().unwrap_or_default())?;
        let mut found = ObfLine { position, moves: Vec::new(), score: None, comment };
        let score_of = |text: &str| {
            let score = text.parse::<i32>().ok().filter(|score| (-64..=64).contains(score));
            score.ok_or_else(|| format!("'{text}' is no score: a whole number from -64 to 64"))
        };
        for field in fields.filter(|field| !field.is_empty()) {
            match field.split_once(':') {
                Some((turn, score)) => {
                    let turn = notation::read_turn(turn.trim()).map_err(String::from)?;
                    if !position.is_legal(turn) {
                        return Err(format!("{field}: the move is not legal"));
                    }
                    found.moves.push((turn, score_of(score.trim())?));
                }
                None => found.score = Some(score_of(field)?),
            }
        }
        Ok(found)
    }

    /// The score of the position, if the line says it.
    pub(super) fn best_score(&self) -> Option<i32> {
        self.moves.iter().map(|(_, score)| *score).chain(self.score).max()
    }
}

impl fmt::Display for ObfLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", notation::format_position(&self.position))?;
        for (turn, score) in &self.moves {
            let turn = match turn {
                ReversiTurn::Pass => "PA".to_owned(),
                turn => notation::format_turn(*turn).to_ascii_uppercase(),
            };
            write!(f, " {turn}:{score:+};")?;
        }
        if let Some(score) = self.score.filter(|_| self.moves.is_empty()) {
            write!(f, " {score:+};")?;
        }
        self.comment.as_ref().map_or(Ok(()), |comment| write!(f, " % {comment}"))
    }
}

/// The position that a field describes.
fn position(text: &str) -> Result<ReversiPosition, String> {
    let refusal = match notation::parse_position(text) {
        Ok(position) => return Ok(position),
        Err(reason) => reason.into(),
    };
    let mut records = lines::read(text, Some(GameName::Reversi));
    let record = match records.pop() {
        Some(Ok(record)) if record.game == GameName::Reversi && !record.plies.is_empty() => record,
        _ => return Err(refusal),
    };
    if let Some(fault) = record.fault {
        return Err(fault.reason);
    }
    let mut end = notation::parse_position(&record.start).map_err(String::from)?;
    transcript::walk(&record, |_, before, turn| {
        end = *before;
        end.play(turn);
    })
    .map_err(String::from)?;
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";
    const LINE: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; C7:+36; % FFO 40: easy; +9";

    #[test]
    fn a_line_is_read_as_edax_reads_it_and_written_as_it_was() {
        let line = ObfLine::parse(LINE).unwrap();
        assert_eq!((line.best_score(), line.comment.as_deref()), (Some(38), Some("FFO 40: easy; +9")));
        assert_eq!(line.moves.len(), 2);
        assert_eq!(line.to_string(), LINE);
        let alone = ObfLine::parse(&format!("{} +4;", &LINE[..67])).unwrap();
        assert_eq!((alone.best_score(), alone.moves.len()), (Some(4), 0));
        assert!(alone.to_string().ends_with(" X; +4;"));
        for text in [&LINE[..66], &LINE[..67], &format!("{} % a comment: with colons; and +3", &LINE[..66])] {
            let bare = ObfLine::parse(text).unwrap();
            assert_eq!((bare.position, bare.best_score()), (line.position, None), "{text}");
        }
        assert_eq!(comment("  % FFO test"), Some(" FFO test"));
        assert_eq!(comment(LINE), None);
    }

    #[test]
    fn games_stand_for_their_last_position() {
        let wanted = ObfLine::parse("F5D6C3").unwrap().position;
        for text in
            ["f5 d6 c3", &format!("{START} f5d6c3"), "position startpos moves f5 d6 c3", "F5d6C3; % tiger"]
        {
            assert_eq!(ObfLine::parse(text).unwrap().position, wanted, "{text}");
        }
        assert_eq!(ObfLine::parse(START).unwrap().position, ReversiPosition::START);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, reason) in [
            ("XOXO", "side to move is missing"),
            (&format!("{START}; D3:many;"), "'many' is no score"),
            (&format!("{START}; many;"), "'many' is no score"),
            (&format!("{START}; +65;"), "'+65' is no score: a whole number from -64 to 64"),
            (&format!("{START}; A1:+2;"), "not legal"),
            (&format!("{START}; A9:+2;"), "a9"),
            ("f5f5", "f5"),
        ] {
            let refusal = ObfLine::parse(text).unwrap_err();
            assert!(refusal.to_ascii_lowercase().contains(reason), "{text}: {refusal}");
        }
    }
}
