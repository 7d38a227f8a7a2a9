//! Reversi games as bare squares (`f5d6c3d3…`), and the passes that such forms leave out.

use super::text::shown;
use super::{GameRecord, Item, RecordFault, RecordFormat, RecordPly, position_line};
use kaeshi_core::game::GameError;
use kaeshi_engine::games::GameName;
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};

/// The only game of this form.
pub const GAME: GameName = GameName::Reversi;

/// Whether a line is a transcript: squares and passes with or without blanks, and nothing else.
pub fn is_transcript(line: &str) -> bool {
    words(line)
        .is_some_and(|words| words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())))
}

/// The squares and passes of a line.
fn words(line: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for mut word in line.split_whitespace() {
        while !word.is_empty() {
            let length =
                if word.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("pass")) { 4 } else { 2 };
            let (head, tail) = word.split_at_checked(length)?;
            notation::read_turn(head).ok()?;
            found.push(head);
            word = tail;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Reads a transcript from the usual start; `line` is where it stands.
///
/// # Errors
/// If it is no transcript.
pub fn read(text: &str, line: usize) -> Item {
    read_from("startpos", text, line)
}

/// Reads a transcript from the position that `start` describes.
///
/// # Errors
/// If it is no transcript, or `start` no position.
pub fn read_from(start: &str, text: &str, line: usize) -> Item {
    let words =
        words(text).ok_or_else(|| RecordFault::new(line, format!("'{}' is no transcript", shown(text))))?;
    let mut record = GameRecord::new(GAME, RecordFormat::Transcript, line, start);
    let position = notation::parse_position(start).map_err(|reason| RecordFault::new(line, reason))?;
    let mut game = Passing::new(position);
    for word in words {
        let Ok(turn) = notation::read_turn(word) else { continue };
        if let Err(fault) = game.push(&mut record, turn, line) {
            record.fault = Some(fault);
            break;
        }
    }
    Ok(record)
}

/// Plays a record: `each` gets every turn with the position before it.
///
/// # Errors
/// A start that is no position, or an illegal turn; names its number.
pub fn walk(
    record: &GameRecord,
    mut each: impl FnMut(&RecordPly, &ReversiPosition, ReversiTurn),
) -> Result<(), GameError> {
    let mut position = notation::parse_position(&record.start)?;
    for (ply, number) in record.plies.iter().zip(1..) {
        let turn = notation::read_turn(&ply.turn)?;
        if !position.is_legal(turn) {
            return Err(GameError::turn(format!("turn {number}: {} is not legal", ply.turn)));
        }
        each(ply, &position, turn);
        position.play(turn);
    }
    Ok(())
}

/// `f5d6c3…`, a tab, and how it ended. Passes are left out, as usual; another start than the usual
/// one stands before the moves.
///
/// # Errors
/// A record that is not legal Reversi.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let start = notation::parse_position(&record.start)?;
    let mut text = String::new();
    if start != ReversiPosition::START {
        text += &(notation::format_position(&start) + " ");
    }
    walk(record, |_, _, turn| {
        if turn != ReversiTurn::Pass {
            text += &notation::format_turn(turn);
        }
    })?;
    Ok(text + &position_line::tail(record))
}

/// Follows a game and puts the passes in that its form leaves out.
pub struct Passing {
    position: ReversiPosition,
}

impl Passing {
    /// Begins at this position.
    pub fn new(position: ReversiPosition) -> Passing {
        Passing { position }
    }

    /// The board as it stands.
    pub fn position(&self) -> &ReversiPosition {
        &self.position
    }

    /// Adds `turn` to `record`, before it a pass where the mover has nothing else.
    ///
    /// # Errors
    /// If the turn is not legal.
    pub fn push(
        &mut self,
        record: &mut GameRecord,
        turn: ReversiTurn,
        line: usize,
    ) -> Result<(), RecordFault> {
        if turn != ReversiTurn::Pass && self.position.is_legal(ReversiTurn::Pass) {
            self.play(record, ReversiTurn::Pass, line)?;
        }
        if self.position.is_legal(turn) {
            return self.play(record, turn, line);
        }
        let reason = format!("turn {}: {} is not legal", record.plies.len() + 1, notation::format_turn(turn));
        Err(RecordFault::new(line, reason))
    }

    fn play(&mut self, record: &mut GameRecord, turn: ReversiTurn, line: usize) -> Result<(), RecordFault> {
        record.push(notation::format_turn(turn), line, 0)?;
        self.position.play(turn);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_may_stand_together_or_apart() {
        for text in ["f5d6c3d3", "F5 D6 C3 D3", "f5d6 c3d3"] {
            assert!(is_transcript(text));
            let record = read(text, 7).unwrap();
            let turns: Vec<_> = record.plies.iter().map(|ply| &*ply.turn).collect();
            assert_eq!(turns, ["f5", "d6", "c3", "d3"]);
        }
        for text in ["", "f5d6c", "f5d6c9", "position startpos", "--"] {
            assert!(!is_transcript(text), "{text}");
        }
    }

    #[test]
    fn passes_are_put_in_and_taken_as_they_are() {
        let mut game = Passing::new(ReversiPosition::START);
        let mut record = GameRecord::new(GAME, RecordFormat::Transcript, 1, "startpos");
        // Play the first legal turn until a pass is due.
        let mut squares = Vec::new();
        while !game.position().is_legal(ReversiTurn::Pass) {
            let turn = game.position().turns()[0];
            squares.push(turn);
            game.push(&mut record, turn, 1).unwrap();
        }
        let mut passed = *game.position();
        passed.play(ReversiTurn::Pass);
        let next = passed.turns()[0];
        let text =
            |turns: &[ReversiTurn]| turns.iter().map(|&turn| notation::format_turn(turn)).collect::<String>();
        let without = read(&(text(&squares) + &text(&[next])), 1).unwrap();
        let with = read(&(text(&squares) + "pa" + &text(&[next])), 1).unwrap();
        assert_eq!(without, with);
        assert_eq!(without.fault, None);
        assert_eq!(without.plies[squares.len()].turn, "pass");
    }

    #[test]
    fn an_illegal_square_ends_it() {
        let record = read("f5f5", 3).unwrap();
        assert_eq!((record.plies.len(), record.fault.map(|fault| fault.line)), (1, Some(3)));
    }

    #[test]
    fn passes_may_be_spelled_out_and_one_square_is_enough() {
        for text in ["f5", "pass", "PASSf5", "f5 pa d6"] {
            assert!(is_transcript(text), "{text}");
        }
        assert_eq!(words("f5pass d6"), Some(vec!["f5", "pass", "d6"]));
        assert!(read("nothing", 3).is_err_and(|fault| fault.line == 3));
    }

    #[test]
    fn an_illegal_turn_is_not_written() {
        let mut record = read("f5d6c3", 1).unwrap();
        assert_eq!(write(&record).unwrap(), "f5d6c3\n");
        record.plies.swap(0, 1);
        assert_eq!(write(&record).unwrap_err().reason(), "turn 1: d6 is not legal");
        let start = format!("{}XXXXXXO- O", "-".repeat(56));
        record = GameRecord::new(GAME, RecordFormat::Transcript, 1, &start);
        record.plies = ["pass", "h8"].into_iter().map(RecordPly::new).collect();
        assert_eq!(write(&record).unwrap(), format!("{start} h8\n"));
    }
}
