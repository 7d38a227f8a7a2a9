//! First guesses: proof and disproof numbers of positions not yet met, and which move to try first.
//!
//! df-pn+ (Nagai, 2002): a new position does not count as (1, 1) but by how strong the move to it
//! looks. The terms are those of GPS Shogi's liberty estimator as used by KomoringHeights.

use crate::mate::table::ProofNumber;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};

/// One step of a proof or disproof number, so that half a step can be said.
pub(super) const UNIT: ProofNumber = 2;

/// Proof and disproof number after the attacker's check `mv`.
#[inline]
pub(super) fn after_check(position: &ShogiPosition, mv: Move) -> (ProofNumber, ProofNumber) {
    let us = position.side_to_move();
    let to = mv.to();
    let occupied = position.occupied();
    let support = position.attackers(us, to, occupied).count() + u32::from(mv.is_drop());
    let defence = position.attackers(us.other(), to, occupied).count();
    let (mut pn, mut dn) = (UNIT, UNIT);
    if defence >= 2 {
        pn += UNIT;
    }
    let captured = position.piece_on(to);
    let general =
        captured.is_some() && matches!(captured.kind().plain(), PieceKind::GOLD | PieceKind::SILVER);
    if support > defence || general {
        dn += UNIT;
    } else {
        pn += UNIT;
    }
    (pn, dn)
}

/// Proof and disproof number after the defender's evasion `mv`.
#[inline]
pub(super) fn after_evasion(position: &ShogiPosition, mv: Move) -> (ProofNumber, ProofNumber) {
    let us = position.side_to_move();
    let to = mv.to();
    if position.piece_on(to).is_some() {
        return (2 * UNIT, UNIT);
    }
    if !mv.is_drop() && mv.from() == position.king(us) {
        return (UNIT, UNIT);
    }
    let occupied = position.occupied();
    let support = position.attackers(us, to, occupied).count() + u32::from(mv.is_drop());
    let attack = position.attackers(us.other(), to, occupied).count();
    if attack < support { (2 * UNIT, UNIT) } else { (UNIT, 2 * UNIT) }
}

/// Refused promotions of these make sense only to avoid a pawn-drop mate.
pub(super) fn refuses_promotion(position: &ShogiPosition, mv: Move) -> bool {
    if mv.is_drop() || mv.is_promotion() {
        return false;
    }
    let us = position.side_to_move();
    let kind = position.piece_on(mv.from()).kind();
    let far = |square: crate::rules::types::Square| square.seen_by(us).rank() <= 2;
    matches!(kind, PieceKind::PAWN | PieceKind::BISHOP | PieceKind::ROOK) && (far(mv.from()) || far(mv.to()))
}

/// Lesser is tried earlier: strong pieces near the king.
#[inline]
pub(super) fn order(position: &ShogiPosition, attacker_to_move: bool, mv: Move) -> i32 {
    const STRENGTH: [i32; 16] = [10, 20, 20, 30, 50, 50, 50, 80, 50, 50, 50, 50, 80, 80, 0, 0];
    let us = position.side_to_move();
    let king = position.king(if attacker_to_move { us.other() } else { us });
    let kind = if mv.is_drop() {
        mv.dropped()
    } else {
        let kind = position.piece_on(mv.from()).kind();
        if mv.is_promotion() { kind.promoted() } else { kind }
    };
    let refusal = if refuses_promotion(position, mv) { 1_000 } else { 0 };
    refusal + 10 * i32::from(king.distance(mv.to())) - STRENGTH[kind.index()]
}
