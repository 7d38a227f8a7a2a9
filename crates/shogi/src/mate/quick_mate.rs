//! Mate in one move, found without trying all checks.
//!
//! Only checks from squares next to the king and by knights are tried, against which no interposition is possible. A
//! move that passes the cheap tests is made and verified, so a mate found is always a mate. Distant, discovered and
//! most double checks are left to the search: testing them costs more than it gains.

use crate::rules::attacks::{attacks, bishops_near, lances_near, line, rooks_near, step_attacks, steps_near};
use crate::rules::bitboard::Bitboard;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};

/// A move that mates at once, if one is found. The side to move must not be in check.
pub fn quick_mate_1ply(position: &mut ShogiPosition) -> Option<Move> {
    let us = position.side_to_move();
    let them = us.other();
    let king = position.king(them);
    if !king.is_some() || position.in_check() {
        return None;
    }
    let own = position.of(us);
    let near = steps_near(them, king)
        | (position.kind(PieceKind::LANCE) & lances_near(them, king))
        | ((position.kind(PieceKind::BISHOP) | position.kind(PieceKind::HORSE)) & bishops_near(king))
        | ((position.kind(PieceKind::ROOK) | position.kind(PieceKind::DRAGON)) & rooks_near(king));
    if !own.meets(near) && !position.hand(us).has(PieceKind::KNIGHT) {
        return None;
    }
    let around = step_attacks(them, PieceKind::KING, king);
    let flights = position.safe_for_king(them, king, around.without(position.of(them)));
    let seen = position.occupied() ^ Bitboard::of(king);

    for kind in [
        PieceKind::GOLD,
        PieceKind::SILVER,
        PieceKind::ROOK,
        PieceKind::BISHOP,
        PieceKind::LANCE,
        PieceKind::KNIGHT,
    ] {
        if !position.hand(us).has(kind) {
            continue;
        }
        for to in contact(position, kind, king).without(position.occupied() | flights) {
            if flights.without(attacks(us, kind, to, seen)).is_empty()
                && let Some(mv) = verified(position, Move::drop(kind, to))
            {
                return Some(mv);
            }
        }
    }

    let targets = (around | step_attacks(them, PieceKind::KNIGHT, king)).without(own | flights);
    let zone = Bitboard::promotion_zone(us);
    for from in own & (near | position.kind(PieceKind::KNIGHT)) {
        let kind = position.piece_on(from).kind();
        if kind == PieceKind::KING {
            continue;
        }
        let uncovered = seen ^ Bitboard::of(from);
        for to in attacks(us, kind, from, position.occupied()) & targets {
            let promotes = kind.can_promote() && (zone.has(from) || zone.has(to));
            for (promote, kind) in [(true, kind), (false, kind)] {
                if promote && !promotes {
                    continue;
                }
                let kind = if promote { kind.promoted() } else { kind };
                let reach = attacks(us, kind, to, uncovered);
                if reach.has(king)
                    && flights.without(reach).is_empty()
                    && let Some(mv) = verified(position, Move::step(from, to, promote))
                {
                    return Some(mv);
                }
            }
        }
    }
    None
}

/// The squares from which `kind` checks the king from next to it, or as a knight.
#[inline(always)]
fn contact(position: &ShogiPosition, kind: PieceKind, king: Square) -> Bitboard {
    let them = position.side_to_move().other();
    match kind {
        PieceKind::ROOK => step_attacks(them, PieceKind::HORSE, king),
        PieceKind::BISHOP => step_attacks(them, PieceKind::DRAGON, king),
        PieceKind::LANCE => step_attacks(them, PieceKind::PAWN, king),
        _ => step_attacks(them, kind, king),
    }
}

/// `mv` if it is legal and mates.
#[inline(never)]
fn verified(position: &mut ShogiPosition, mv: Move) -> Option<Move> {
    if can_be_taken(position, mv) || !position.is_legal(mv) {
        return None;
    }
    position.make(mv);
    let mates = position.in_check() && !position.has_legal_move();
    position.unmake();
    mates.then_some(mv)
}

/// Whether a piece other than the king can take the piece that `mv` moves; false also where that is not plain to
/// see, because a line is opened. Then it is no mate, and need not be made.
#[inline(always)]
fn can_be_taken(position: &ShogiPosition, mv: Move) -> bool {
    let them = position.side_to_move().other();
    let (king, to) = (position.king(them), mv.to());
    let gone = if mv.is_drop() { Bitboard::EMPTY } else { Bitboard::of(mv.from()) };
    let occupied = position.occupied().without(gone) | Bitboard::of(to);
    let takers = position.attackers(them, to, occupied).without(Bitboard::of(king));
    if takers.is_empty() {
        return false;
    }
    let shields = position.shields(them);
    if shields.meets(gone) {
        // The move may give a double check, which a capture does not answer.
        return false;
    }
    for taker in takers {
        if !shields.has(taker) && !line(king, taker).meets(gone) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn finds(sfen: &str) -> Option<String> {
        quick_mate_1ply(&mut parse(sfen).unwrap()).map(|mv| mv.to_string())
    }

    #[test]
    fn mates_by_drop_move_promotion_and_knight() {
        assert_eq!(finds("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").as_deref(), Some("G*5b"));
        assert_eq!(finds("4k4/4s4/4P4/9/9/9/9/9/4K4 b G 1"), None);
        assert_eq!(finds("7lk/7p1/9/7+RN/9/9/9/9/4K4 b - 1"), None);
        assert_eq!(finds("7lk/7np/9/9/9/9/9/9/4K4 b N 1").as_deref(), Some("N*2c"));
        assert_eq!(finds("8k/9/7GP/9/9/9/9/9/4K4 b - 1").as_deref(), Some("1c1b+"));
        // A pawn drop must not mate.
        assert_eq!(finds("7lk/9/7GG/9/9/9/9/9/4K4 b P 1").as_deref(), Some("1c1b"));
    }

    #[test]
    fn a_side_in_check_or_not_to_move_has_no_mate() {
        let both = |sfen: &str| {
            let exact = crate::mate::exact_mate_1ply(&parse(sfen).unwrap());
            (finds(sfen), exact.map(|mv| mv.to_string()))
        };
        let gold = Some("G*5b".to_owned());
        assert_eq!(both("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), (gold.clone(), gold));
        // The gold would mate, if the own king were not in check: from afar, by a knight, twice.
        assert_eq!(both("4k4/9/4P4/9/9/9/9/r8/K8 b G 1"), (None, None));
        assert_eq!(both("4k4/9/4P4/9/9/9/3n5/9/4K4 b G 1"), (None, None));
        assert_eq!(both("4k4/9/4P4/9/r8/9/1n7/9/K8 b G 1"), (None, None));
        // The mate is the opponent's, who is not to move.
        assert_eq!(both("4k4/9/4P4/9/9/9/9/9/4K4 w G 1"), (None, None));
        // An evasion that mates is for the search, or for who looks at evasions.
        let (quick, exact) = both("4k4/4r4/5G3/3N5/9/9/9/9/4K4 b - 1");
        assert!(quick.is_none() && exact.is_some_and(|mv| mv == "4c5b" || mv == "6d5b+"));
    }

    #[test]
    fn what_is_found_in_random_games_is_mate_and_little_is_missed() {
        let mut random = 3u64;
        let (mut found, mut all) = (0, 0);
        for _ in 0..300 {
            let mut position = parse(crate::rules::handicap::START).unwrap();
            for _ in 0..300 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                if !position.in_check() {
                    let mates = moves.iter().any(|&mv| verified(&mut position, mv).is_some());
                    all += u32::from(mates);
                    if let Some(mv) = quick_mate_1ply(&mut position) {
                        assert!(moves.contains(&mv) && mates);
                        found += 1;
                    }
                }
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let mv = moves[(random >> 33) as usize % moves.len()];
                position.make(mv);
            }
        }
        assert!(all > 100 && found * 100 > all * 75, "{found} of {all}");
    }
}
