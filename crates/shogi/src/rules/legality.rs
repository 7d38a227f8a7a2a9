//! Whether a single move is legal, and if not, which rule it breaks.
//!
//! Written apart from the generator, so that each can be tested against the other.

use thiserror::Error;

use crate::rules::attacks::{attacks, file_rays, line, step_attacks};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum IllegalShogiMove {
    #[error("these bits are not a move")]
    NoMove,
    #[error("there is no piece on {0}")]
    NoPiece(Square),
    #[error("the piece on {0} belongs to the opponent")]
    NotYours(Square),
    #[error("{0} is held by an own piece")]
    OwnPiece(Square),
    #[error("the {0:?} does not reach {1}")]
    OutOfReach(PieceKind, Square),
    #[error("a {0:?} cannot promote")]
    NeverPromotes(PieceKind),
    #[error("the move does not touch the promotion zone")]
    NoPromotionHere,
    #[error("a {0:?} could never move again from {1}")]
    DeadSquare(PieceKind, Square),
    #[error("there is no {0:?} in hand")]
    NotInHand(PieceKind),
    #[error("{0} is not empty")]
    Occupied(Square),
    #[error("there already is an unpromoted pawn on that file (nifu)")]
    Nifu,
    #[error("it leaves the king in check")]
    LeavesKingInCheck,
    #[error("a pawn drop must not mate (uchifuzume)")]
    PawnDropMate,
}

/// Whether `kind` could never move again from `square`.
pub(crate) fn is_dead(side: kaeshi_core::game::Side, kind: PieceKind, square: Square) -> bool {
    let rank = square.seen_by(side).rank();
    match kind {
        PieceKind::PAWN | PieceKind::LANCE => rank == 0,
        PieceKind::KNIGHT => rank <= 1,
        _ => false,
    }
}

impl ShogiPosition {
    /// Whether `mv` is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.check(mv).is_ok()
    }

    /// Says which rule `mv` breaks here, if any.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn check(&self, mv: Move) -> Result<(), IllegalShogiMove> {
        if mv.is_drop() { self.check_drop(mv) } else { self.check_step(mv) }
    }

    fn check_step(&self, mv: Move) -> Result<(), IllegalShogiMove> {
        let us = self.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        if !from.is_some() || !to.is_some() {
            return Err(IllegalShogiMove::NoMove);
        }
        let piece = self.piece_on(from).some().ok_or(IllegalShogiMove::NoPiece(from))?;
        let kind = piece.kind();
        if piece.side() != us {
            return Err(IllegalShogiMove::NotYours(from));
        }
        if self.of(us).has(to) {
            return Err(IllegalShogiMove::OwnPiece(to));
        }
        let occupied = self.occupied();
        if !attacks(us, kind, from, occupied).has(to) {
            return Err(IllegalShogiMove::OutOfReach(kind, to));
        }
        if mv.is_promotion() {
            if !kind.can_promote() {
                return Err(IllegalShogiMove::NeverPromotes(kind));
            }
            let zone = Bitboard::promotion_zone(us);
            if !zone.has(from) && !zone.has(to) {
                return Err(IllegalShogiMove::NoPromotionHere);
            }
        } else if is_dead(us, kind, to) {
            return Err(IllegalShogiMove::DeadSquare(kind, to));
        }
        let king = if kind == PieceKind::KING { to } else { self.king(us) };
        if king.is_some() {
            let safe = if kind == PieceKind::KING || self.in_check() {
                let after = (occupied ^ Bitboard::of(from)) | Bitboard::of(to);
                self.attackers(us.other(), king, after).without(Bitboard::of(to)).is_empty()
            } else {
                // Without a check, a move of a piece other than the king is illegal only if it exposes the own king.
                !self.pinned().has(from) || line(king, from).has(to)
            };
            if !safe {
                return Err(IllegalShogiMove::LeavesKingInCheck);
            }
        }
        Ok(())
    }

    fn check_drop(&self, mv: Move) -> Result<(), IllegalShogiMove> {
        let us = self.side_to_move();
        let (kind, to) = (mv.dropped(), mv.to());
        if !to.is_some() || mv.is_promotion() || mv != Move::drop(kind, to) {
            return Err(IllegalShogiMove::NoMove);
        }
        if kind == PieceKind::KING || !self.hand(us).has(kind) {
            return Err(IllegalShogiMove::NotInHand(kind));
        }
        if self.piece_on(to).is_some() {
            return Err(IllegalShogiMove::Occupied(to));
        }
        if is_dead(us, kind, to) {
            return Err(IllegalShogiMove::DeadSquare(kind, to));
        }
        if kind == PieceKind::PAWN && self.pieces(us, PieceKind::PAWN).meets(file_rays(to)) {
            return Err(IllegalShogiMove::Nifu);
        }
        let king = self.king(us);
        if self.in_check() && self.is_attacked(us.other(), king, self.occupied() | Bitboard::of(to)) {
            return Err(IllegalShogiMove::LeavesKingInCheck);
        }
        if kind == PieceKind::PAWN && step_attacks(us, PieceKind::PAWN, to).has(self.king(us.other())) {
            let mut after = self.clone();
            after.make(mv);
            if !after.has_legal_move() {
                return Err(IllegalShogiMove::PawnDropMate);
            }
        }
        Ok(())
    }
}

/// Whether a pawn dropped on `to`, in front of the enemy king, would mate.
///
/// The drop is a contact check, so nothing can be put in between: either some piece takes the
/// pawn, or the king goes.
#[inline(never)]
pub(crate) fn pawn_drop_mates(position: &ShogiPosition, to: Square) -> bool {
    let us = position.side_to_move();
    let them = us.other();
    let king = position.king(them);
    // The new pawn blocks sliders.
    let occupied = position.occupied() | Bitboard::of(to);

    let takers = position.attackers(them, to, occupied).without(Bitboard::of(king));
    if takers.any() {
        let pinned = position.shields(them) & position.of(them);
        for taker in takers {
            if !pinned.has(taker) || line(king, taker).has(to) {
                return false;
            }
        }
    }
    let without_king = occupied ^ Bitboard::of(king);
    let flights = step_attacks(them, PieceKind::KING, king).without(position.of(them));
    flights.into_iter().all(|square| position.is_attacked(us, square, without_king))
}
