//! Castles by name: where the king sits, and which pieces around it make the castle.
//!
//! Named as players name them, with the king where a player of the ranging (files 1 to 5) or static
//! rook (6 to 9) puts it; each also counts mirrored, so that `mino` is the left mino, too.

use std::sync::LazyLock;

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;

/// A piece at (file, rank), counted from 1 as people do, for Black.
type CastlePiece = (PieceKind, u8, u8);

struct Castle {
    name: &'static str,
    king: (u8, u8),
    parts: &'static [CastlePiece],
    /// Moves from the usual start, as the rules of thumb have it.
    tempi: Option<u8>,
}

const G: PieceKind = PieceKind::GOLD;
const S: PieceKind = PieceKind::SILVER;
const L: PieceKind = PieceKind::LANCE;

#[rustfmt::skip]
const CASTLES: [Castle; 10] = [
    Castle { name: "yagura", king: (8, 8), parts: &[(S, 7, 7), (G, 6, 7), (G, 7, 8)], tempi: Some(13) },
    Castle { name: "mino", king: (2, 8), parts: &[(S, 3, 8), (G, 4, 9), (G, 5, 8)], tempi: Some(6) },
    Castle { name: "high mino", king: (2, 8), parts: &[(S, 3, 8), (G, 4, 9), (G, 4, 7)], tempi: None },
    Castle { name: "silver crown", king: (2, 8), parts: &[(S, 2, 7), (G, 3, 8), (G, 4, 7)], tempi: None },
    Castle { name: "anaguma", king: (1, 9), parts: &[(L, 1, 8), (S, 2, 8), (G, 3, 9), (G, 3, 8)], tempi: Some(11) },
    Castle { name: "boat", king: (7, 8), parts: &[(S, 7, 9), (G, 6, 9), (G, 5, 8)], tempi: None },
    Castle { name: "elmo", king: (7, 8), parts: &[(S, 6, 8), (G, 7, 9), (G, 5, 9)], tempi: None },
    Castle { name: "crab", king: (6, 9), parts: &[(S, 6, 8), (G, 7, 8), (G, 5, 8)], tempi: None },
    Castle { name: "gold fence", king: (3, 8), parts: &[(S, 2, 8), (G, 4, 8), (G, 5, 8)], tempi: None },
    Castle { name: "central house", king: (5, 8), parts: &[(S, 4, 8), (G, 7, 8), (G, 3, 8)], tempi: None },
];

/// Bonus of a complete castle, in pieces.
const COMPLETE: i32 = 2;

/// A castle on one wing, for Black: squares by their index.
struct CastleShape {
    name: &'static str,
    parts: Vec<(PieceKind, Square)>,
    tempi: Option<u8>,
}

/// The castles of a king on each square.
static FORMS: LazyLock<Vec<Vec<CastleShape>>> = LazyLock::new(|| {
    let mut forms: Vec<Vec<CastleShape>> = Square::all().map(|_| Vec::new()).collect();
    for castle in &CASTLES {
        for mirrored in [false, true] {
            let place =
                |file: u8, rank: u8| Square::new(if mirrored { 9 - file } else { file - 1 }, rank - 1);
            let parts = castle.parts.iter().map(|&(kind, file, rank)| (kind, place(file, rank))).collect();
            forms[place(castle.king.0, castle.king.1).index()].push(CastleShape {
                name: castle.name,
                parts,
                tempi: castle.tempi,
            });
        }
    }
    forms
});

/// A castle as far as it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Built {
    pub(super) name: &'static str,
    /// Pieces in place besides the king,
    pub(super) pieces: usize,
    /// of this many.
    pub(super) of: usize,
    /// Moves that the whole castle takes from the usual start, where there is a rule of thumb.
    pub(super) tempi: Option<u8>,
}

impl Built {
    /// Units of the castle: its pieces, plus [`COMPLETE`] if all are there.
    pub(super) fn units(self) -> i32 {
        self.pieces as i32 + if self.pieces == self.of { COMPLETE } else { 0 }
    }
}

/// The castle of `side` that is built farthest, if at least half of one stands.
#[inline]
pub(super) fn castle(position: &ShogiPosition, side: Side) -> Option<Built> {
    let king = position.king(side);
    if !king.is_some() {
        return None;
    }
    let built = FORMS[king.seen_by(side).index()].iter().map(|form| {
        let stands = |&&(kind, square): &&(PieceKind, Square)| {
            position.piece_on(square.seen_by(side)) == Piece::new(side, kind)
        };
        let pieces = form.parts.iter().filter(stands).count();
        Built { name: form.name, pieces, of: form.parts.len(), tempi: form.tempi }
    });
    // Of equals the first, which has fewer pieces.
    let best = built.reduce(|best, other| if other.units() > best.units() { other } else { best });
    best.filter(|built| 2 * built.pieces >= built.of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn of(board: &str, side: Side) -> Option<(&'static str, usize, usize)> {
        let position = parse(&format!("{board} b - 1")).unwrap();
        castle(&position, side).map(|built| (built.name, built.pieces, built.of))
    }

    #[test]
    fn castles_are_known_on_both_wings_and_for_both_sides() {
        let black = Side::First;
        assert_eq!(of("4k4/9/9/9/9/9/2SG5/1KG6/9", black), Some(("yagura", 3, 3)));
        assert_eq!(of("4k4/9/9/9/9/9/9/4G1SK1/5G3", black), Some(("mino", 3, 3)));
        assert_eq!(of("4k4/9/9/9/9/9/9/1KS1G4/3G5", black), Some(("mino", 3, 3)));
        assert_eq!(of("4k4/9/9/9/9/9/5G3/6SK1/5G3", black), Some(("high mino", 3, 3)));
        assert_eq!(of("4k4/9/9/9/9/9/9/LSG6/K1G6", black), Some(("anaguma", 4, 4)));
        assert_eq!(of("k1g6/lsg6/9/9/9/9/9/9/4K4", Side::Second), Some(("anaguma", 4, 4)));
        assert_eq!(of("4k4/9/9/9/9/9/9/6SK1/5G3", black), Some(("mino", 2, 3)));
    }

    #[test]
    fn a_king_alone_or_elsewhere_has_no_castle() {
        assert_eq!(of("4k4/9/9/9/9/9/9/7K1/5G3", Side::First), None);
        assert_eq!(of("4k4/9/9/9/4K4/9/9/4G1S2/5G3", Side::First), None);
        assert_eq!(of("4k4/9/9/9/9/9/9/9/9", Side::First), None);
    }

    #[test]
    fn no_two_pieces_share_a_square() {
        for castle in &CASTLES {
            let mut places: Vec<(u8, u8)> =
                castle.parts.iter().map(|&(_, file, rank)| (file, rank)).collect();
            places.push(castle.king);
            places.sort();
            places.dedup();
            assert_eq!(places.len(), castle.parts.len() + 1, "{}", castle.name);
        }
    }
}
