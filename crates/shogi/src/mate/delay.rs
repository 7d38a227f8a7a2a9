//! Moves that wait until another one has failed.
//!
//! Pieces put on one square, all useless interpositions, and a promotion with its refusal are
//! nearly the same move to the other side. Counted side by side they would blow the numbers up, so
//! they form chains, in which each move is looked at once those before it are decided. All of them
//! are looked at before a result is reported.

use crate::mate::frame::MateChild;
use crate::rules::checks::CheckMap;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};

/// At most this many chains; further moves do not wait.
const CHAINS: usize = 16;

/// Links the children that wait for each other.
pub(super) fn link(position: &ShogiPosition, attacker_to_move: bool, children: &mut [MateChild]) {
    let us = position.side_to_move();
    let occupied = position.occupied();
    let counter = (!attacker_to_move && position.king(us.other()).is_some()).then(|| CheckMap::of(position));
    let mut supported = [None; 128];
    let mut chains = [(0u32, 0u16); CHAINS];
    let mut count = 0;
    for i in 0..children.len() {
        let mv = children[i].mv;
        let class = if mv.is_drop() {
            if attacker_to_move {
                continue;
            }
            let to = mv.to();
            let useful = *supported[to.index()].get_or_insert_with(|| position.is_attacked(us, to, occupied))
                || counter.as_ref().is_some_and(|squares| squares.direct(mv.dropped()).has(to));
            1 << 20 | if useful { to.index() as u32 } else { 127 }
        } else if may_refuse(position, mv) {
            (mv.from().index() << 7 | mv.to().index()) as u32
        } else {
            continue;
        };
        match chains[..count].iter_mut().find(|chain| chain.0 == class) {
            Some(chain) => {
                let before = chain.1;
                children[usize::from(before)].next = i as u16;
                children[i].previous = before;
                chain.1 = i as u16;
            }
            None if count < CHAINS => {
                chains[count] = (class, i as u16);
                count += 1;
            }
            None => {}
        }
    }
}

/// Whether `mv` promotes, or refuses to promote, a piece whose non-promotion almost never matters.
fn may_refuse(position: &ShogiPosition, mv: Move) -> bool {
    let us = position.side_to_move();
    let to = mv.to().seen_by(us).rank();
    match position.piece_on(mv.from()).kind() {
        PieceKind::PAWN | PieceKind::BISHOP | PieceKind::ROOK => to <= 2 || mv.from().seen_by(us).rank() <= 2,
        PieceKind::LANCE => to == 1,
        _ => false,
    }
}
