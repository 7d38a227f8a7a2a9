//! Who attacks what: which squares each side attacks at least once, and at least twice.

use crate::game::Side;
use crate::shogi::attacks::{bishop_attacks, lance_attacks, rook_attacks, step_attacks};
use crate::shogi::bitboard::Bitboard;
use crate::shogi::position::Position;
use crate::shogi::types::Kind;

/// The squares one side controls.
#[derive(Clone, Copy, Default)]
pub(super) struct Control {
    /// Attacked at least once.
    pub(super) once: Bitboard,
    /// Attacked at least twice.
    pub(super) twice: Bitboard,
    /// Attacked by other pieces than the king.
    pub(super) by_others: Bitboard,
}

impl Control {
    #[inline(always)]
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.once & attacked;
        self.once |= attacked;
    }

    #[inline(always)]
    pub(super) fn of(position: &Position, side: Side) -> Control {
        let own = position.of(side);
        let occupied = position.occupied();
        let mut control = Control::default();
        control.add((position.kind(Kind::PAWN) & own).ahead(side));
        for square in position.kind(Kind::LANCE) & own {
            control.add(lance_attacks(side, square, occupied));
        }
        for square in position.kind(Kind::KNIGHT) & own {
            control.add(step_attacks(side, Kind::KNIGHT, square));
        }
        for square in position.kind(Kind::SILVER) & own {
            control.add(step_attacks(side, Kind::SILVER, square));
        }
        for square in position.goldlike() & own {
            control.add(step_attacks(side, Kind::GOLD, square));
        }
        for square in (position.kind(Kind::BISHOP) | position.kind(Kind::HORSE)) & own {
            control.add(bishop_attacks(square, occupied));
        }
        for square in (position.kind(Kind::ROOK) | position.kind(Kind::DRAGON)) & own {
            control.add(rook_attacks(square, occupied));
        }
        for square in position.kind(Kind::HORSE) & own {
            control.add(step_attacks(side, Kind::HORSE, square));
        }
        for square in position.kind(Kind::DRAGON) & own {
            control.add(step_attacks(side, Kind::DRAGON, square));
        }
        control.by_others = control.once;
        control.add(step_attacks(side, Kind::KING, position.king(side)));
        control
    }
}
