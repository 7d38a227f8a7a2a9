//! Proof pieces and disproof pieces: the hands for which a result proven for one hand holds.
//!
//! All pieces off the board are either the attacker's or the defender's, so a position is given by
//! its board and the attacker's hand. A *proof hand* of a board is one such that the attacker mates
//! with it and with any greater one; a *disproof hand* one such that neither it nor any lesser one
//! mates (Seo, Iida and Uiterwijk, 2001; Nagai, 2002).

use crate::rules::attacks::between;
use crate::rules::bitboard::Bitboard;
use crate::rules::checks::CheckMap;
use crate::rules::hand::Hand;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};

const fn unit(kind: PieceKind) -> u32 {
    Hand::EMPTY.with(kind).0
}

/// `hand` with `count` of `kind`.
fn with_count(hand: Hand, kind: PieceKind, count: u32) -> Hand {
    Hand(hand.0 - hand.count(kind) * unit(kind) + count * unit(kind))
}

/// All pieces of both hands.
#[inline]
pub(super) fn off_board(position: &ShogiPosition) -> Hand {
    let [first, second] = position.hands();
    Hand(first.0 + second.0)
}

/// The greater count of every kind.
pub(super) fn union(a: Hand, b: Hand) -> Hand {
    combine(a, b, u32::max)
}

/// The lesser count of every kind.
pub(super) fn intersection(a: Hand, b: Hand) -> Hand {
    combine(a, b, u32::min)
}

fn combine(a: Hand, b: Hand, pick: fn(u32, u32) -> u32) -> Hand {
    let mut hand = Hand::EMPTY;
    for kind in PieceKind::DROPPABLE {
        hand = with_count(hand, kind, pick(a.count(kind), b.count(kind)));
    }
    hand
}

/// The attacker's hand after the attacker's move `mv`.
#[inline]
pub(super) fn after(position: &ShogiPosition, mv: Move) -> Hand {
    let hand = position.hand(position.side_to_move());
    if mv.is_drop() {
        return hand.without(mv.dropped());
    }
    let captured = position.piece_on(mv.to());
    if captured.is_some() { hand.with(captured.kind().plain()) } else { hand }
}

/// The proof or disproof hand before the attacker's move `mv`, given that after it.
///
/// A drop needs its piece on top; a captured piece need not be held before.
pub(super) fn before(position: &ShogiPosition, mv: Move, hand: Hand) -> Hand {
    if mv.is_drop() {
        let kind = mv.dropped();
        let most = off_board(position).count(kind);
        return with_count(hand, kind, (hand.count(kind) + 1).min(most));
    }
    let captured = position.piece_on(mv.to());
    if !captured.is_some() {
        return hand;
    }
    let kind = captured.kind().plain();
    with_count(hand, kind, hand.count(kind).saturating_sub(1))
}

/// The proof hand of a defender's node, given one that suffices against every legal evasion.
///
/// With another hand of the attacker the defender may hold kinds that are lacking now, and put
/// them in between: of those the attacker must hold all.
pub(super) fn proof(position: &ShogiPosition, against_all: Hand) -> Hand {
    let defender = position.side_to_move();
    let checkers = position.checkers();
    if checkers.is_empty() || checkers.many() {
        return against_all;
    }
    let way = between(position.king(defender), checkers.first());
    if way.is_empty() {
        return against_all;
    }
    let mut hand = against_all;
    for kind in PieceKind::DROPPABLE {
        if position.hand(defender).has(kind) {
            continue;
        }
        let room = match kind {
            PieceKind::PAWN => (way & position.pieces(defender, PieceKind::PAWN).free_files())
                .without(Bitboard::far_ranks(defender, 1)),
            PieceKind::LANCE => way.without(Bitboard::far_ranks(defender, 1)),
            PieceKind::KNIGHT => way.without(Bitboard::far_ranks(defender, 2)),
            _ => way,
        };
        if room.any() {
            hand = with_count(hand, kind, position.hand(defender.other()).count(kind));
        }
    }
    hand
}

/// The disproof hand of an attacker's node, given one for which every legal check fails.
///
/// With another hand the attacker may hold kinds that are lacking now: where dropping one could
/// give check, it must be lacking.
pub(super) fn disproof(position: &ShogiPosition, all_fail: Hand) -> Hand {
    let attacker = position.side_to_move();
    let squares = CheckMap::of(position);
    let empty = !position.occupied();
    let mut hand = all_fail;
    for kind in PieceKind::DROPPABLE {
        if position.hand(attacker).has(kind) || !hand.has(kind) {
            continue;
        }
        let mut room = squares.direct(kind) & empty;
        if kind == PieceKind::PAWN {
            room &= position.pieces(attacker, PieceKind::PAWN).free_files();
        }
        if room.any() {
            hand = with_count(hand, kind, 0);
        }
    }
    hand
}

/// The disproof hand of a defender's node with the evasion `mv`, given that after it.
///
/// A drop must leave the defender a piece to drop.
pub(super) fn disproof_by(position: &ShogiPosition, mv: Move, hand: Hand) -> Hand {
    if !mv.is_drop() {
        return intersection(hand, off_board(position));
    }
    let kind = mv.dropped();
    let most = off_board(position).count(kind) - 1;
    let hand = intersection(hand, off_board(position));
    if hand.count(kind) > most { with_count(hand, kind, most) } else { hand }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn hand(text: &str) -> Hand {
        text.chars().fold(Hand::EMPTY, |hand, letter| hand.with(PieceKind::from_letter(letter).unwrap()))
    }

    #[test]
    fn hands_combine_kind_by_kind() {
        assert_eq!(union(hand("PPGR"), hand("PGGB")), hand("PPGGBR"));
        assert_eq!(intersection(hand("PPGR"), hand("PGGB")), hand("PG"));
    }

    #[test]
    fn what_is_dropped_must_be_held_and_what_is_taken_need_not() {
        let position = parse("4k4/4p4/4P4/9/9/9/9/9/9 b 2GPr2b2g4s4n4l15p 1").unwrap();
        let drop = crate::rules::notation::parse_move(&position, "G*4b").unwrap();
        assert_eq!(before(&position, drop, hand("")), hand("G"));
        let capture = crate::rules::notation::parse_move(&position, "5c5b+").unwrap();
        assert_eq!(before(&position, capture, hand("PP")), hand("P"));
        assert_eq!(before(&position, capture, hand("")), hand(""));
        assert_eq!(after(&position, capture), hand("GGPP"));
    }

    #[test]
    fn the_attacker_must_hold_all_that_could_be_put_in_between() {
        // The lance mates only as long as the defender holds nothing to put on 5b.
        let position = parse("3nkn3/3g1g3/4L4/9/9/9/9/9/9 w 2R2B2G4S2N3L18P 1").unwrap();
        assert_eq!(proof(&position, Hand::EMPTY).count(PieceKind::PAWN), 18);
        assert_eq!(proof(&position, Hand::EMPTY).count(PieceKind::ROOK), 2);
        assert_eq!(proof(&position, Hand::EMPTY).count(PieceKind::KNIGHT), 2);
    }

    #[test]
    fn a_kind_that_could_check_must_be_lacking() {
        let position = parse("8k/9/8p/9/9/9/9/9/9 b NLP2r2b4g4s3n3l16p 1").unwrap();
        let all = off_board(&position);
        let left = disproof(&position, all);
        assert!(!left.has(PieceKind::GOLD) && !left.has(PieceKind::ROOK) && left.has(PieceKind::LANCE));
        assert_eq!(left.count(PieceKind::PAWN), all.count(PieceKind::PAWN));
    }
}
