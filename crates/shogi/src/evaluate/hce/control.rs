//! Attack maps: the squares that each side attacks at least once, and at least twice.

use crate::rules::attacks::{bishop_attacks, lance_attacks, rook_attacks, step_attacks};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::PieceKind;
use kaeshi_core::game::Side;

/// The squares one side controls.
#[derive(Clone, Copy, Default)]
pub(super) struct SquareControl {
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

impl SquareControl {
    #[inline(always)]
    fn add(&mut self, attacked: Bitboard) {
        self.twice |= self.once & attacked;
        self.once |= attacked;
    }

    #[inline(always)]
    pub(super) fn of(position: &ShogiPosition, side: Side) -> SquareControl {
        let own = position.of(side);
        let occupied = position.occupied();
        let mut control = SquareControl::default();
        control.add((position.kind(PieceKind::PAWN) & own).ahead(side));
        for square in position.kind(PieceKind::LANCE) & own {
            let attacked = lance_attacks(side, square, occupied);
            control.add(attacked);
            control.mobile[0].add(attacked.without(own));
        }
        for square in position.kind(PieceKind::KNIGHT) & own {
            control.add(step_attacks(side, PieceKind::KNIGHT, square));
        }
        for square in position.kind(PieceKind::SILVER) & own {
            control.add(step_attacks(side, PieceKind::SILVER, square));
        }
        for square in position.goldlike() & own {
            control.add(step_attacks(side, PieceKind::GOLD, square));
        }
        for square in (position.kind(PieceKind::BISHOP) | position.kind(PieceKind::HORSE)) & own {
            let attacked = bishop_attacks(square, occupied);
            control.add(attacked);
            control.mobile[1].add(attacked.without(own));
        }
        for square in (position.kind(PieceKind::ROOK) | position.kind(PieceKind::DRAGON)) & own {
            let attacked = rook_attacks(square, occupied);
            control.add(attacked);
            control.mobile[2].add(attacked.without(own));
        }
        for square in position.kind(PieceKind::HORSE) & own {
            control.add(step_attacks(side, PieceKind::HORSE, square));
        }
        for square in position.kind(PieceKind::DRAGON) & own {
            control.add(step_attacks(side, PieceKind::DRAGON, square));
        }
        control.by_others = control.once;
        control.add(step_attacks(side, PieceKind::KING, position.king(side)));
        control
    }
}
