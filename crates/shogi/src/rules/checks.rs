//! Which moves give check.

use crate::rules::attacks::{bishop_attacks, lance_attacks, line, rook_attacks, step_attacks};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};

/// The squares from which each kind of the side to move would check, and those of its pieces that shield the enemy king
/// from its sliders (discovered checks).
#[derive(Clone, Copy)]
pub(crate) struct CheckMap {
    king: Square,
    squares: [Bitboard; 16],
    shields: Bitboard,
}

impl CheckMap {
    pub fn of(position: &ShogiPosition) -> CheckMap {
        let us = position.side_to_move();
        let them = us.other();
        let king = position.king(them);
        let mut squares = [Bitboard::EMPTY; 16];
        if !king.is_some() {
            return CheckMap { king, squares, shields: Bitboard::EMPTY };
        }
        let occupied = position.occupied();
        let gold = step_attacks(them, PieceKind::GOLD, king);
        let around = step_attacks(them, PieceKind::KING, king);
        let bishop = bishop_attacks(king, occupied);
        let rook = rook_attacks(king, occupied);
        for kind in [PieceKind::PAWN, PieceKind::KNIGHT, PieceKind::SILVER] {
            squares[kind.index()] = step_attacks(them, kind, king);
        }
        squares[PieceKind::LANCE.index()] = lance_attacks(them, king, occupied);
        for kind in [
            PieceKind::GOLD,
            PieceKind::TOKIN,
            PieceKind::PRO_LANCE,
            PieceKind::PRO_KNIGHT,
            PieceKind::PRO_SILVER,
        ] {
            squares[kind.index()] = gold;
        }
        squares[PieceKind::BISHOP.index()] = bishop;
        squares[PieceKind::ROOK.index()] = rook;
        squares[PieceKind::HORSE.index()] = bishop | around;
        squares[PieceKind::DRAGON.index()] = rook | around;
        CheckMap { king, squares, shields: position.shields(them) & position.of(us) }
    }

    /// The squares from which `kind` would attack the king.
    #[inline(always)]
    pub(crate) fn direct(&self, kind: PieceKind) -> Bitboard {
        self.squares[kind.index()]
    }

    /// Pieces of the side to move that uncover an own slider by leaving its line.
    #[inline(always)]
    pub(crate) fn screens(&self) -> Bitboard {
        self.shields
    }

    /// Whether the legal move `mv` gives check.
    #[inline(always)]
    pub(crate) fn gives_check(&self, position: &ShogiPosition, mv: Move) -> bool {
        let to = mv.to();
        if mv.is_drop() {
            return self.squares[mv.dropped().index()].has(to);
        }
        let from = mv.from();
        let kind = position.piece_on(from).kind();
        let kind = if mv.is_promotion() { kind.promoted() } else { kind };
        self.squares[kind.index()].has(to) || (self.shields.has(from) && !line(self.king, from).has(to))
    }
}
