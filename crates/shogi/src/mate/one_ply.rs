//! Mate in one, found without making a move.

use crate::mate::checks::checks;
use crate::rules::attacks::{
    attacks, between, bishop_attacks, bishops_near, lance_attacks, lances_near, line, rook_attacks,
    rooks_near, step_attacks, steps_near,
};
use crate::rules::bitboard::Bitboard;
use crate::rules::legality::is_dead;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;

/// The result of the search for a mate in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnePly {
    /// This move mates.
    Mate(Move),
    /// Some moves check, but none mates.
    Checks {
        /// To how many squares the king could go if it were the opponent's turn.
        flights: u32,
    },
    /// No move checks.
    NoCheck,
}

/// A legal move that mates at once, if there is one.
///
/// Found by looking only; no move is made. `None` also where the only interposition left to the
/// opponent is a pawn drop that would itself be illegal as a pawn-drop mate.
pub fn exact_mate_1ply(position: &ShogiPosition) -> Option<Move> {
    match look(position) {
        OnePly::Mate(mv) => Some(mv),
        OnePly::Checks { .. } | OnePly::NoCheck => None,
    }
}

/// Looks for a mate in one, and whether there is any check.
pub fn look(position: &ShogiPosition) -> OnePly {
    let mut list = MoveList::new();
    checks(position, &mut list);
    if list.is_empty() {
        return OnePly::NoCheck;
    }
    let us = position.side_to_move();
    let them = us.other();
    let king = position.king(them);
    let around = step_attacks(them, PieceKind::KING, king).without(position.of(them));
    let flights = around.without(attacked_around(position, us, king));
    for &mv in &list {
        if mates(position, mv, flights) {
            return OnePly::Mate(mv);
        }
    }
    OnePly::Checks { flights: flights.count() }
}

/// The squares around `king` that `us` attacks, as if the king were not there.
#[inline]
fn attacked_around(position: &ShogiPosition, us: Side, king: Square) -> Bitboard {
    let own = position.of(us);
    let occupied = position.occupied() ^ Bitboard::of(king);
    let them = us.other();
    let mut attacked = Bitboard::EMPTY;
    for square in own & steps_near(them, king) {
        attacked |= step_attacks(us, position.piece_on(square).kind(), square);
    }
    for square in own & position.kind(PieceKind::LANCE) & lances_near(them, king) {
        attacked |= lance_attacks(us, square, occupied);
    }
    for square in
        own & (position.kind(PieceKind::BISHOP) | position.kind(PieceKind::HORSE)) & bishops_near(king)
    {
        attacked |= bishop_attacks(square, occupied);
    }
    for square in own & (position.kind(PieceKind::ROOK) | position.kind(PieceKind::DRAGON)) & rooks_near(king)
    {
        attacked |= rook_attacks(square, occupied);
    }
    attacked
}

/// Whether the legal check `mv` mates; `flights` are the squares the king could go to before it.
#[inline]
fn mates(position: &ShogiPosition, mv: Move, flights: Bitboard) -> bool {
    let us = position.side_to_move();
    let them = us.other();
    let king = position.king(them);
    let to = mv.to();
    let target = Bitboard::of(to);
    let (gone, kind) = if mv.is_drop() {
        (Bitboard::EMPTY, mv.dropped())
    } else {
        let kind = position.piece_on(mv.from()).kind();
        (Bitboard::of(mv.from()), if mv.is_promotion() { kind.promoted() } else { kind })
    };
    let occupied = position.occupied().without(gone) | target;
    let without_king = occupied ^ Bitboard::of(king);
    let reach = attacks(us, kind, to, without_king);
    // A drop closes lines but opens none.
    if mv.is_drop() && flights.without(reach).without(target).any() {
        return false;
    }
    let around = step_attacks(them, PieceKind::KING, king);
    let candidates = around.without(position.of(them).without(target)).without(reach);
    for flight in candidates {
        if position.attackers(us, flight, without_king).without(gone).is_empty() {
            return false;
        }
    }

    let mut checkers = position.attackers(us, king, occupied).without(gone).without(target);
    if attacks(us, kind, to, occupied).has(king) {
        checkers |= target;
    }
    if checkers.many() {
        return true;
    }
    debug_assert!(checkers.any());
    let checker = checkers.first();

    let mut snipers = position.snipers(them).without(gone);
    if matches!(
        kind,
        PieceKind::LANCE | PieceKind::BISHOP | PieceKind::ROOK | PieceKind::HORSE | PieceKind::DRAGON
    ) {
        snipers |= target;
    }
    let pinned = |piece: Square| {
        snipers.into_iter().any(|sniper| {
            (between(king, sniper) & occupied) == Bitboard::of(piece)
                && (sniper != to || attacks(us, kind, to, Bitboard::EMPTY).has(king))
        })
    };
    let helpless = |square: Square| {
        let defenders =
            position.attackers(them, square, occupied).without(Bitboard::of(king)).without(target);
        defenders.into_iter().all(|piece| pinned(piece) && !line(king, piece).has(square))
    };
    if !helpless(checker) {
        return false;
    }
    let way = between(king, checker);
    if way.is_empty() {
        return true;
    }
    let hand = position.hand(them);
    let files = position.pieces(them, PieceKind::PAWN).without(target).free_files();
    for square in way {
        let droppable = |kind: PieceKind| {
            hand.has(kind) && !is_dead(them, kind, square) && (kind != PieceKind::PAWN || files.has(square))
        };
        if PieceKind::DROPPABLE.into_iter().any(droppable) || !helpless(square) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mate::samples::walk;

    #[test]
    fn a_mate_in_one_is_found_exactly_when_a_check_leaves_no_legal_move() {
        let mut mates = 0;
        walk(15_000, 0x6f6e_6570_6c79, |position| {
            let mut list = MoveList::new();
            checks(position, &mut list);
            let mut after = position.clone();
            let mating: Vec<Move> = list
                .into_iter()
                .filter(|&mv| {
                    after.make(mv);
                    let mate = !after.has_legal_move();
                    after.unmake();
                    mate
                })
                .collect();
            mates += usize::from(!mating.is_empty());
            match exact_mate_1ply(position) {
                Some(mv) => {
                    assert!(mating.contains(&mv), "{mv} in {}", crate::rules::sfen::format(position))
                }
                None => assert!(mating.is_empty(), "{mating:?} in {}", crate::rules::sfen::format(position)),
            }
        });
        assert!(mates > 100, "too few mates to be a test: {mates}");
    }

    #[test]
    fn discovered_double_and_drop_mates() {
        let found =
            |sfen: &str| exact_mate_1ply(&crate::rules::sfen::parse(sfen).unwrap()).map(|mv| mv.to_string());
        assert_eq!(found("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").as_deref(), Some("G*5b"));
        // A pawn drop may not mate.
        assert_eq!(found("7lk/9/6S2/7N1/9/9/9/9/4K4 b P 1"), None);
    }
}
