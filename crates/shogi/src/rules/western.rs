//! Shogi as it is written in Europe and America: `P-7f`, `Bx2b+`, `S*5e`, `G6i-5h`.
//!
//! A letter for the piece, `+` before it if it is promoted; the square it comes from where another piece of its
//! kind could go there as well; `-` for a move, `x` for a capture, `*` for a drop; the square it goes to; `+` if
//! it promotes, `=` if it could and does not. Hodges' notation (*Shogi* magazine, 1976 to 1987).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::rules::japanese::{may_promote, mover, rivals};
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use kaeshi_core::game::GameError;

/// A legal move.
pub fn format_move(position: &ShogiPosition, mv: Move) -> String {
    let kind = mover(position, mv);
    if mv.is_drop() {
        return format!("{}*{}", kind.letter(), mv.to());
    }
    let mut text = kind_text(position, mv);
    if rivals(position, kind, mv.to()).len() > 1 {
        text += &mv.from().to_string();
    }
    text.push(if position.piece_on(mv.to()).is_some() { 'x' } else { '-' });
    text += &mv.to().to_string();
    if mv.is_promotion() {
        text.push('+');
    } else if may_promote(position.side_to_move(), kind, mv) {
        text.push('=');
    }
    text
}

fn kind_text(position: &ShogiPosition, mv: Move) -> String {
    let kind = mover(position, mv);
    format!("{}{}", if kind.is_promoted() { "+" } else { "" }, kind.plain().letter())
}

/// Whether a word has the shape of a move on the board; drops are written as in USI.
pub fn is_move(word: &str) -> bool {
    take_apart(word).is_some()
}

/// Piece, origin (if it is named), whether it says that it takes, target, and what stands behind it.
fn take_apart(word: &str) -> Option<(&str, &str, bool, &str, &str)> {
    let letter = word.strip_prefix('+').unwrap_or(word);
    if !word.is_ascii() || !letter.starts_with(['K', 'R', 'B', 'G', 'S', 'N', 'L', 'P']) {
        return None;
    }
    let (piece, rest) = word.split_at(word.len() - letter.len() + 1);
    let (from, to) = rest.split_once(['-', 'x'])?;
    let takes = rest.get(from.len()..)?.starts_with('x');
    let (to, end) = to.split_at_checked(2)?;
    let square = |text: &str| matches!(*text.as_bytes(), [b'1'..=b'9', b'a'..=b'i']);
    let shaped = (from.is_empty() || square(from)) && square(to) && ["", "+", "="].contains(&end);
    shaped.then_some((piece, from, takes, to, end))
}

/// Reads a legal move on the board. An origin may be named though it is clear, and `=` may be left out.
///
/// # Errors
/// If no legal move is written so, or several are.
pub fn parse_move(position: &ShogiPosition, word: &str) -> Result<Move, GameError> {
    let meant = |mv: &Move| {
        take_apart(word).is_some_and(|(piece, from, takes, to, end)| {
            !mv.is_drop()
                && mv.to().to_string() == to
                && mv.is_promotion() == (end == "+")
                && (from.is_empty() || mv.from().to_string() == from)
                && position.piece_on(mv.to()).is_some() == takes
                && kind_text(position, *mv) == piece
        })
    };
    let mut found = position.legal_moves().into_iter().filter(meant);
    match (found.next(), found.next()) {
        (Some(mv), None) => Ok(mv),
        (Some(one), Some(other)) => {
            let [one, other] = [one, other].map(|mv| format_move(position, mv));
            Err(GameError::turn(format!("{word} may be {one} or {other}")))
        }
        (None, _) => Err(GameError::turn(format!("{word} is illegal: no such move is legal here"))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::notation;
    use crate::rules::sfen::parse;

    #[test]
    fn moves_are_written_as_books_do() {
        let start = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
        let taken = "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4";
        for (sfen, usi, western) in [
            (start, "2g2f", "P-2f"),
            (start, "8h2b+", "Bx2b+"),
            (start, "8h2b", "Bx2b="),
            (start, "6i5h", "G6i-5h"),
            (taken, "3a2b", "Sx2b"),
            ("4k4/9/9/9/9/9/9/9/4K4 b S 1", "S*5e", "S*5e"),
            ("4k4/9/9/+R8/9/9/9/9/4K4 b - 1", "9d5d", "+R-5d"),
        ] {
            let position = parse(sfen).unwrap();
            let mv = notation::parse_move(&position, usi).unwrap();
            assert_eq!(format_move(&position, mv), western);
            assert_eq!(notation::parse_move(&position, western).unwrap(), mv);
        }
    }

    #[test]
    fn every_legal_move_is_read_back() {
        for sfen in [
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ] {
            let position = parse(sfen).unwrap();
            for mv in position.legal_moves() {
                let text = format_move(&position, mv);
                assert_eq!(notation::parse_move(&position, &text).unwrap(), mv, "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_one_legal_move_is_refused() {
        let start = parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").unwrap();
        let said = |word: &str| notation::parse_move(&start, word).unwrap_err().to_string();
        assert_eq!(said("G-5h"), "G-5h may be G4i-5h or G6i-5h");
        assert_eq!(said("P-7e"), "P-7e is illegal: no such move is legal here");
        assert_eq!(said("Px7f"), "Px7f is illegal: no such move is legal here");
        for strange in ["P-7", "P-", "Q-7f", "P-7f!", "+", "P-7ж", "７-P"] {
            assert!(said(strange).contains("is not a move"), "{strange}");
        }
    }
}
