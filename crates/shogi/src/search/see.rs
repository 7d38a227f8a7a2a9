//! Static exchange evaluation: what a move gains if all that follows are captures on its square.
//!
//! Asked for a threshold instead of a value, it may stop early, as in Stockfish.
//! A drop gains nothing and risks the piece; a captured piece counts by its value on the board;
//! pinned pieces do not take part unless the square lies on their line; promotions are ignored.

use crate::rules::attacks::{bishop_attacks, bishop_rays, lance_attacks, line, rook_attacks, rook_rays};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;

/// Values of the pieces in an exchange, in centipawns.
pub(crate) const VALUES: [i32; 16] =
    [90, 300, 380, 540, 850, 1000, 600, 20_000, 300, 350, 420, 600, 1000, 1250, 0, 0];

/// Kinds from the cheapest to the dearest.
const RISING: [PieceKind; 14] = [
    PieceKind::PAWN,
    PieceKind::LANCE,
    PieceKind::TOKIN,
    PieceKind::PRO_LANCE,
    PieceKind::KNIGHT,
    PieceKind::PRO_KNIGHT,
    PieceKind::SILVER,
    PieceKind::PRO_SILVER,
    PieceKind::GOLD,
    PieceKind::BISHOP,
    PieceKind::HORSE,
    PieceKind::ROOK,
    PieceKind::DRAGON,
    PieceKind::KING,
];

impl ShogiPosition {
    /// Whether the static exchange evaluation of `mv` is at least `threshold`, in centipawns.
    pub(crate) fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let to = mv.to();
        let us = self.side_to_move();
        let captured = self.piece_on(to);
        let gain = if captured.is_some() { VALUES[captured.kind().index()] } else { 0 };
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        let mut occupied = self.occupied() | Bitboard::of(to);
        let moved = if mv.is_drop() {
            mv.dropped()
        } else {
            occupied ^= Bitboard::of(mv.from());
            self.piece_on(mv.from()).kind()
        };
        balance -= VALUES[moved.index()];
        if balance >= 0 {
            return true;
        }

        let mut attackers =
            self.attackers(Side::First, to, occupied) | self.attackers(Side::Second, to, occupied);
        if !attackers.meets(self.of(us.other())) {
            return true;
        }
        // Computed lazily: it is often needed for one side only.
        let mut known = [None; 2];
        let mut allowed = |side: Side| match known[side.index()] {
            Some(allowed) => allowed,
            None => {
                let allowed = self.may_take(side, to);
                known[side.index()] = Some(allowed);
                allowed
            }
        };
        let mut side = us;
        let mut wins = true;
        loop {
            side = side.other();
            attackers &= occupied;
            let own = attackers & self.of(side) & allowed(side);
            if own.is_empty() {
                return wins;
            }
            wins = !wins;
            let (kind, from) = self.cheapest(own);
            if kind == PieceKind::KING {
                // The king takes only if the opponent cannot take back.
                let back = attackers & self.of(side.other()) & allowed(side.other());
                return if back.any() { !wins } else { wins };
            }
            balance = -balance - 1 - VALUES[kind.index()];
            if balance >= 0 {
                return wins;
            }
            occupied ^= Bitboard::of(from);
            attackers |= self.uncovered(to, from, occupied);
        }
    }

    /// The pieces of `side` that may go to `to` without uncovering their king.
    #[inline(always)]
    fn may_take(&self, side: Side, to: Square) -> Bitboard {
        let king = self.king(side);
        let mut allowed = Bitboard::ALL;
        let pinned =
            if side == self.side_to_move() { self.pinned() } else { self.shields(side) & self.of(side) };
        for square in pinned {
            if !line(king, square).has(to) {
                allowed = allowed.without(Bitboard::of(square));
            }
        }
        allowed
    }

    #[inline(always)]
    fn cheapest(&self, among: Bitboard) -> (PieceKind, Square) {
        for kind in RISING {
            let found = self.kind(kind) & among;
            if found.any() {
                return (kind, found.first());
            }
        }
        (PieceKind::KING, among.first())
    }

    /// Sliders that reach `to` once the piece on `from` is gone.
    #[inline(always)]
    fn uncovered(&self, to: Square, from: Square, occupied: Bitboard) -> Bitboard {
        if bishop_rays(to).has(from) {
            bishop_attacks(to, occupied) & (self.kind(PieceKind::BISHOP) | self.kind(PieceKind::HORSE))
        } else if rook_rays(to).has(from) {
            let lances = (lance_attacks(Side::Second, to, occupied) & self.of(Side::First))
                | (lance_attacks(Side::First, to, occupied) & self.of(Side::Second));
            (rook_attacks(to, occupied) & (self.kind(PieceKind::ROOK) | self.kind(PieceKind::DRAGON)))
                | (lances & self.kind(PieceKind::LANCE))
        } else {
            Bitboard::EMPTY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_move;
    use crate::rules::sfen::parse;

    #[track_caller]
    fn gains(sfen: &str, text: &str, value: i32) {
        let position = parse(sfen).unwrap();
        let mv = parse_move(&position, text).unwrap();
        assert!(position.see_ge(mv, value), "{text} gains less than {value}");
        assert!(!position.see_ge(mv, value + 1), "{text} gains more than {value}");
    }

    #[test]
    fn exchanges() {
        let value = |kind: PieceKind| VALUES[kind.index()];
        gains("4k4/9/9/4p4/9/4L4/9/9/4K4 b - 1", "5f5d", value(PieceKind::PAWN));
        gains("4k4/9/4s4/4p4/9/4L4/9/9/4K4 b - 1", "5f5d", value(PieceKind::PAWN) - value(PieceKind::LANCE));
        // The second lance takes back through the first.
        gains("4k4/9/4g4/4p4/9/4L4/4L4/9/4K4 b - 1", "5f5d", value(PieceKind::PAWN));
        // A drop gains nothing and can be lost.
        gains("4k4/9/4p4/9/9/9/9/9/4K4 b G 1", "G*5d", -value(PieceKind::GOLD));
        gains("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5d", 0);
        // The defender is pinned.
        gains("4k4/4g4/3p5/9/1B2R4/9/9/9/4K4 b - 1", "8e6c", value(PieceKind::PAWN));
        gains("4k4/4g4/3p5/9/1B7/9/9/9/4K4 b - 1", "8e6c", value(PieceKind::PAWN) - value(PieceKind::BISHOP));
        // A promoted piece counts with its value on the board, not as the pawn in hand.
        gains("4k4/9/9/4+p4/9/4L4/9/9/4K4 b - 1", "5f5d", value(PieceKind::TOKIN));
        gains(
            "4k4/9/4s4/4+p4/9/4L4/9/9/4K4 b - 1",
            "5f5d",
            value(PieceKind::TOKIN) - value(PieceKind::LANCE),
        );
        // A king does not take a protected piece.
        gains("9/4k4/4g4/4R4/9/4L4/9/9/4K4 b - 1", "5d5c", value(PieceKind::GOLD));
        gains("9/4k4/4g4/4R4/9/9/9/9/4K4 b - 1", "5d5c", value(PieceKind::GOLD) - value(PieceKind::ROOK));
    }
}
