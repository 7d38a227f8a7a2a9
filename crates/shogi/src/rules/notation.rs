//! Moves as USI writes them: `7g7f`, `8h2b+`, `P*5e`. Western notation is read as well.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use crate::rules::western;
use kaeshi_core::game::GameError;
use kaeshi_core::game::end_words::{NO_PASSES_IN_SHOGI, is_pass};
use kaeshi_core::game::facts::Recognition;

/// Reads a legal move.
///
/// # Errors
/// The text is no move, or the move breaks a rule, which the error names.
pub fn parse_move(position: &ShogiPosition, text: &str) -> Result<Move, GameError> {
    if western::is_move(text) {
        return western::parse_move(position, text);
    }
    let mv = read_move(text).ok_or_else(|| {
        if is_pass(text) {
            return GameError::turn(NO_PASSES_IN_SHOGI);
        }
        GameError::turn(format!("'{}' is not a move: write 7g7f, 8h2b+ or P*5e", text.escape_default()))
    })?;
    position.check(mv).map_err(|reason| GameError::turn(format!("{text} is illegal: {reason}")))?;
    Ok(mv)
}

/// Whether `text` is written as a move, legal or not.
pub fn is_move(text: &str) -> bool {
    western::is_move(text) || read_move(text).is_some()
}

fn read_move(text: &str) -> Option<Move> {
    let bytes = text.as_bytes();
    match *bytes {
        [kind, b'*', file, rank] if kind.is_ascii_uppercase() => {
            let kind = PieceKind::from_letter(char::from(kind)).filter(|&kind| kind != PieceKind::KING)?;
            Some(Move::drop(kind, read_square(file, rank)?))
        }
        [file, rank, to_file, to_rank] => {
            Some(Move::step(read_square(file, rank)?, read_square(to_file, to_rank)?, false))
        }
        [file, rank, to_file, to_rank, b'+'] => {
            Some(Move::step(read_square(file, rank)?, read_square(to_file, to_rank)?, true))
        }
        _ => None,
    }
}

fn read_square(file: u8, rank: u8) -> Option<Square> {
    if file.wrapping_sub(b'1') < 9 && rank.wrapping_sub(b'a') < 9 {
        Some(Square::new(file - b'1', rank - b'a'))
    } else {
        None
    }
}

/// Whether these words are an SFEN: they begin so, or are nine rows, a side, hands and perhaps a number.
pub fn owns_position(words: &[&str]) -> bool {
    match words {
        ["sfen", ..] => true,
        [rows, "w" | "b", _] | [rows, "w" | "b", _, _] => rows.matches('/').count() == 8,
        _ => false,
    }
}

/// All words must begin with a digit, drop a piece, or be Western notation.
pub fn recognise_turns(turns: &[&str]) -> Recognition {
    let shaped = |turn: &&str| {
        let drop = turn.chars().nth(1) == Some('*');
        drop || turn.starts_with(|c: char| c.is_ascii_digit()) && turn.len() >= 4 || western::is_move(turn)
    };
    if !turns.is_empty() && turns.iter().all(shaped) { Recognition::Sure } else { Recognition::No }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    #[track_caller]
    fn refused(sfen: &str, text: &str, reason: &str) {
        let said = parse_move(&parse(sfen).unwrap(), text).unwrap_err().to_string();
        assert!(said.contains(reason), "'{said}' does not say '{reason}'");
    }

    #[test]
    fn every_legal_move_is_read_back() {
        let position = parse("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1").unwrap();
        for mv in position.legal_moves() {
            assert_eq!(parse_move(&position, &mv.to_string()), Ok(mv));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let start = crate::rules::handicap::START;
        for text in ["", "7g7", "7g7f=", "0g7f", "7j7f", "K*5e", "p*5e", "\u{6b69}", "7g7f++", "none", "win"]
        {
            refused(start, text, "is not a move");
        }
        for text in ["pass", "0000", "null", "\u{30d1}\u{30b9}"] {
            refused(start, text, "passes are not supported in shogi");
        }
        refused(start, "5e5d", "no piece on 5e");
        refused(start, "3c3d", "belongs to the opponent");
        refused(start, "2h7h+", "promotion zone");
        refused(start, "2h8h", "own piece");
        refused(start, "7g7e", "the pawn does not reach 7e");
        refused(start, "8h2b", "the bishop does not reach 2b");
        refused(start, "P*5e", "no pawn in hand");
        refused("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", "nifu");
        refused("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5g", "not empty");
        refused("4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "P*1a", "never move again");
        refused("4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "N*1b", "never move again");
        refused("4k4/9/8N/9/9/9/9/9/4K4 b - 1", "1c2a", "never move again");
        refused("4k4/9/9/4G4/9/9/9/9/4K4 b - 1", "5d5c+", "a gold cannot promote");
        refused("4k4/9/9/4r4/9/9/4G4/9/4K4 b - 1", "5g6g", "leaves the king in check");
        refused("4k4/9/9/4r4/9/9/9/9/4K4 b - 1", "5i5h", "leaves the king in check");
        refused("8k/7rr/6N2/9/9/9/9/9/4K4 b P 1", "P*1b", "not empty");
        refused("7lk/9/7GG/9/9/9/9/9/4K4 b P 1", "P*1b", "uchifuzume");
    }
}
