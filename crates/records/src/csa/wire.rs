//! Single moves as CSA servers exchange them, by the position before them.

use super::{black_score, move_text, value};
use crate::shogi_line;
use crate::text::shown;
use kaeshi_core::game::GameError;
use kaeshi_core::game::score::Score;
use kaeshi_shogi::rules::notation::parse_move;

/// The legal move that a server writes as `text`, in the words of USI. `position` is an SFEN.
///
/// # Errors
/// There is no such move.
pub fn read_move(position: &str, text: &str) -> Result<String, GameError> {
    let position = shogi_line::position(position)?;
    let moves = position.legal_moves();
    let found = moves.iter().find(|&&mv| move_text(&position, mv) == text);
    found
        .map(ToString::to_string)
        .ok_or_else(|| GameError::turn(format!("'{}' is no legal move", shown(text))))
}

/// A legal move of USI as servers write it: `+7776FU`. `position` is an SFEN.
///
/// # Errors
/// The reason why the move is invalid.
pub fn write_move(position: &str, turn: &str) -> Result<String, GameError> {
    let position = shogi_line::position(position)?;
    Ok(move_text(&position, parse_move(&position, turn)?))
}

/// The comment that floodgate takes behind a move: `'* 30 -3334FU +2726FU`, the value from Black's side and the
/// moves that are expected next. `score` is the mover's, `line` begins with its move; `position` is an SFEN.
///
/// # Errors
/// The reason why the position is invalid.
pub fn comment(position: &str, score: Score, line: &[String]) -> Result<String, GameError> {
    let position = shogi_line::position(position)?;
    let text = value(black_score(&position, score), &position, line, 1, None);
    Ok(text.replacen("'**", "'*", 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    const AFTER: &str = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";

    #[test]
    fn moves_are_read_and_written_by_the_rules() {
        for (position, turn, text) in
            [(START, "7g7f", "+7776FU"), (AFTER, "8h2b+", "+8822UM"), (AFTER, "8h2b", "+8822KA")]
        {
            assert_eq!(read_move(position, text).as_deref(), Ok(turn));
            assert_eq!(write_move(position, turn).as_deref(), Ok(text));
        }
        for wrong in ["", "+", "-7776FU", "+7775FU", "+7776TO", "+7776", "7776FU", "+7776FU,T1", "+００FU"]
        {
            assert!(read_move(START, wrong).is_err(), "{wrong}");
        }
        assert!(write_move(START, "7g7e").is_err() && write_move("nonsense", "7g7f").is_err());
    }

    #[test]
    fn a_comment_has_black_s_value_and_the_moves_to_come() {
        let line = ["7g7f", "3c3d", "2g2f"].map(String::from);
        assert_eq!(comment(START, Score::Cp(30), &line).as_deref(), Ok("'* 30 -3334FU +2726FU"));
        let white = START.replace(" b ", " w ");
        let line = ["3c3d", "7g7f"].map(String::from);
        assert_eq!(comment(&white, Score::Cp(30), &line).as_deref(), Ok("'* -30 +7776FU"));
        assert_eq!(comment(START, Score::mate(-5), &[]).as_deref(), Ok("'* -30000"));
    }
}
