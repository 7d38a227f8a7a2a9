//! Moves that give check, generated directly.

use crate::rules::attacks::{attacks, line, steps_near};
use crate::rules::bitboard::Bitboard;
use crate::rules::checks::CheckMap;
use crate::rules::legality::pawn_drop_mates;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};
use kaeshi_core::game::Side;

/// Fills the empty `list` with all legal moves that give check, all refused promotions included.
pub(crate) fn checks(position: &ShogiPosition, list: &mut MoveList) {
    let us = position.side_to_move();
    if !position.king(us.other()).is_some() {
        return;
    }
    let squares = CheckMap::of(position);
    if position.in_check() {
        position.legal_moves_into(list);
        list.retain(|mv| squares.gives_check(position, *mv));
        return;
    }
    match us {
        Side::First => checks_out_of_check::<true>(position, &squares, list),
        Side::Second => checks_out_of_check::<false>(position, &squares, list),
    }
}

fn checks_out_of_check<const BLACK: bool>(position: &ShogiPosition, squares: &CheckMap, list: &mut MoveList) {
    let us = if BLACK { Side::First } else { Side::Second };
    let them = us.other();
    let king = position.king(them);
    let own_king = position.king(us);
    let own = position.of(us);
    let occupied = position.occupied();
    let pinned = position.pinned();
    let zone = Bitboard::promotion_zone(us);
    let last = Bitboard::far_ranks(us, 1);
    let last_two = Bitboard::far_ranks(us, 2);

    let far_reaching = position.kind(PieceKind::LANCE)
        | position.kind(PieceKind::KNIGHT)
        | position.kind(PieceKind::BISHOP)
        | position.kind(PieceKind::ROOK)
        | position.kind(PieceKind::HORSE)
        | position.kind(PieceKind::DRAGON);
    let near = steps_near(them, king).without(position.kind(PieceKind::KING));
    for from in own & (far_reaching | near | squares.screens()) {
        let kind = position.piece_on(from).kind();
        let mut reach = attacks(us, kind, from, occupied).without(own);
        if pinned.has(from) {
            reach &= line(own_king, from);
        }
        let uncovering =
            if squares.screens().has(from) { reach.without(line(king, from)) } else { Bitboard::EMPTY };
        if kind == PieceKind::KING {
            for to in uncovering {
                if !position.is_attacked(them, to, occupied ^ Bitboard::of(from)) {
                    list.push(Move::step(from, to, false));
                }
            }
            continue;
        }
        if kind.can_promote() {
            let mut promoting = (reach & squares.direct(kind.promoted())) | uncovering;
            if !zone.has(from) {
                promoting &= zone;
            }
            for to in promoting {
                list.push(Move::step(from, to, true));
            }
        }
        let dead = match kind {
            PieceKind::PAWN | PieceKind::LANCE => last,
            PieceKind::KNIGHT => last_two,
            _ => Bitboard::EMPTY,
        };
        for to in ((reach & squares.direct(kind)) | uncovering).without(dead) {
            list.push(Move::step(from, to, false));
        }
    }

    let hand = position.hand(us);
    if hand.is_empty() {
        return;
    }
    for kind in PieceKind::DROPPABLE {
        if !hand.has(kind) {
            continue;
        }
        let mut to = squares.direct(kind).without(occupied);
        if kind == PieceKind::PAWN {
            to &= position.pieces(us, PieceKind::PAWN).free_files();
            if to.any() && pawn_drop_mates(position, to.first()) {
                continue;
            }
        }
        for to in to {
            list.push(Move::drop(kind, to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::samples::walk;

    #[test]
    fn checks_are_the_legal_moves_after_which_the_king_is_attacked() {
        let mut found = 0;
        walk(12_000, 0x63_6865_636b, |position| {
            let mut ours = MoveList::new();
            checks(position, &mut ours);
            let mut expected: Vec<Move> = Vec::new();
            let mut after = position.clone();
            for mv in position.legal_moves() {
                after.make(mv);
                if after.in_check() {
                    expected.push(mv);
                }
                after.unmake();
            }
            found += expected.len();
            let mut ours = ours.to_vec();
            ours.sort();
            expected.sort();
            assert_eq!(ours, expected, "{}", crate::rules::sfen::format(position));
        });
        assert!(found > 4_000, "too few checks to be a test: {found}");
    }
}
