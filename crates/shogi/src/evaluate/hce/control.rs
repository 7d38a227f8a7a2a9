//! Who attacks what: which squares each side attacks at least once, and at least twice.

use crate::rules::attacks::{bishop_attacks, lance_attacks, rook_attacks, step_attacks};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::Position;
use crate::rules::types::Kind;
use kaeshi_core::game::Side;

/// The squares one side controls.
#[derive(Clone, Copy, Default)]
pub(super) struct Control {
    /// Attacked at least once.
    pub(super) once: Bitboard,
    /// Attacked at least twice.
    pub(super) twice: Bitboard,
    /// Attacked by other pieces than the king.
    pub(super) by_others: Bitboard,
    /// Lances, bishops, rooks, the promoted ones among them.
    pub(super) mobile: [Mobile; 3],
}

/// How far the sliders of a kind get.
#[derive(Clone, Copy, Default)]
pub(super) struct Mobile {
    /// Squares that they can go to.
    pub(super) squares: i32,
    /// How many of them have two or less.
    pub(super) locked: i32,
}

impl Mobile {
    #[inline(always)]
    fn add(&mut self, free: Bitboard) {
        let squares = free.count() as i32;
        self.squares += squares;
        self.locked += i32::from(squares <= 2);
    }
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
            let attacked = lance_attacks(side, square, occupied);
            control.add(attacked);
            control.mobile[0].add(attacked.without(own));
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
            let attacked = bishop_attacks(square, occupied);
            control.add(attacked);
            control.mobile[1].add(attacked.without(own));
        }
        for square in (position.kind(Kind::ROOK) | position.kind(Kind::DRAGON)) & own {
            let attacked = rook_attacks(square, occupied);
            control.add(attacked);
            control.mobile[2].add(attacked.without(own));
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
