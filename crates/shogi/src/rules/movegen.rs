//! Generation of legal moves.
//!
//! Moves come out as sets of destinations, so that a counter can count them without listing
//! (perft), and a list can unroll them (search).

use arrayvec::ArrayVec;

use crate::rules::attacks::{
    attacks, between, bishop_attacks, bishops_near, lance_attacks, lances_near, line, rook_attacks,
    rooks_near, step_attacks, steps_near,
};
use crate::rules::bitboard::Bitboard;
use crate::rules::legality::pawn_drop_mates;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::Side;

/// No position has more legal moves.
pub const MAX_MOVES: usize = 593;

/// A list of moves.
pub type MoveList = ArrayVec<Move, 600>;

/// A consumer of generated moves.
pub trait MoveSink {
    /// Moves of the piece on `from`: without and with promotion.
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard);
    /// Pawn moves by destination: without and with promotion.
    fn pawns(&mut self, side: Side, plain: Bitboard, promoting: Bitboard);
    /// Drops.
    fn drops(&mut self, kind: PieceKind, to: Bitboard);
}

/// Counts moves.
#[derive(Default)]
pub(crate) struct Counter(pub u64);

impl MoveSink for Counter {
    #[inline(always)]
    fn steps(&mut self, _: Square, plain: Bitboard, promoting: Bitboard) {
        self.0 += u64::from(plain.count());
        if promoting.any() {
            self.0 += u64::from(promoting.count());
        }
    }

    #[inline(always)]
    fn pawns(&mut self, _: Side, plain: Bitboard, promoting: Bitboard) {
        self.0 += u64::from(plain.count() + promoting.count());
    }

    #[inline(always)]
    fn drops(&mut self, _: PieceKind, to: Bitboard) {
        self.0 += u64::from(to.count());
    }
}

/// A list that moves are put into, one by one.
pub(crate) trait MovePush {
    fn push_move(&mut self, mv: Move);
}

impl MovePush for MoveList {
    #[inline(always)]
    fn push_move(&mut self, mv: Move) {
        self.push(mv);
    }
}

impl<L: MovePush> MoveSink for L {
    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        for to in promoting {
            self.push_move(Move::step(from, to, true));
        }
        for to in plain {
            self.push_move(Move::step(from, to, false));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, plain: Bitboard, promoting: Bitboard) {
        let back = |to: Square| if side == Side::First { Square(to.0 + 1) } else { Square(to.0 - 1) };
        for to in promoting {
            self.push_move(Move::step(back(to), to, true));
        }
        for to in plain {
            self.push_move(Move::step(back(to), to, false));
        }
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        for to in to {
            self.push_move(Move::drop(kind, to));
        }
    }
}

/// Which of the legal moves are wanted.
#[derive(Clone, Copy)]
pub struct MoveFilter {
    /// Destinations of moves on the board, promotions of pawns excepted.
    pub to: Bitboard,
    /// Destinations of pawns that promote.
    pub(crate) pawn_promotions: Bitboard,
    /// Destinations of drops.
    pub(crate) drops: Bitboard,
    /// Whether to refuse promotions that are never worse, or only where a pawn-drop mate looms:
    /// of pawn, bishop and rook always, of the lance on its last but one rank.
    pub(crate) non_promotions: bool,
}

impl MoveFilter {
    /// All legal moves, all refused promotions included.
    pub const ALL: MoveFilter = MoveFilter {
        to: Bitboard::ALL,
        pawn_promotions: Bitboard::ALL,
        drops: Bitboard::ALL,
        non_promotions: true,
    };
    /// All legal moves but non-promotions.
    pub(crate) const USEFUL: MoveFilter = MoveFilter { non_promotions: false, ..MoveFilter::ALL };

    /// Useful moves that capture, or promote a pawn.
    #[inline(always)]
    pub fn tactical(position: &ShogiPosition) -> MoveFilter {
        let enemies = position.of(position.side_to_move().other());
        MoveFilter { to: enemies, drops: Bitboard::EMPTY, ..MoveFilter::USEFUL }
    }

    /// The other useful moves.
    #[inline(always)]
    pub fn quiet(position: &ShogiPosition) -> MoveFilter {
        MoveFilter { to: !position.occupied(), pawn_promotions: Bitboard::EMPTY, ..MoveFilter::USEFUL }
    }
}

impl ShogiPosition {
    /// All legal moves, all refused promotions included.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(MoveFilter::ALL, &mut list);
        list
    }

    /// Appends all legal moves to `list`: a list has room for 600, so that it costs something to move one.
    pub(crate) fn legal_moves_into(&self, list: &mut MoveList) {
        self.generate(MoveFilter::ALL, list);
    }

    /// Whether there is any legal move.
    pub fn has_legal_move(&self) -> bool {
        let mut counter = Counter(0);
        self.generate(MoveFilter::ALL, &mut counter);
        counter.0 != 0
    }

    /// Hands the wanted legal moves to `sink`.
    #[inline(always)]
    pub fn generate<S: MoveSink>(&self, wanted: MoveFilter, sink: &mut S) {
        match self.side_to_move() {
            Side::First => self.generate_for::<true, S>(wanted, sink),
            Side::Second => self.generate_for::<false, S>(wanted, sink),
        }
    }

    #[inline(always)]
    fn generate_for<const BLACK: bool, S: MoveSink>(&self, wanted: MoveFilter, sink: &mut S) {
        let us = if BLACK { Side::First } else { Side::Second };
        let king = self.king(us);
        let checkers = self.checkers();
        let own = self.of(us);
        let empty = !self.occupied();
        let mut to = wanted.to.without(own);
        let mut pawn_promotions = wanted.pawn_promotions.without(own);
        let mut drops = wanted.drops & empty;
        if king.is_some() {
            let around = step_attacks(us, PieceKind::KING, king) & to;
            if around.any() {
                sink.steps(king, self.safe_for_king(us, king, around), Bitboard::EMPTY);
            }
            if checkers.any() {
                if checkers.many() {
                    return;
                }
                let way = between(king, checkers.first());
                to &= way | checkers;
                pawn_promotions &= way | checkers;
                drops &= way;
            }
        }
        self.generate_steps::<BLACK, S>(to, pawn_promotions, wanted.non_promotions, sink);
        if !self.hand(us).is_empty() && drops.any() {
            self.generate_drops::<BLACK, S>(drops, sink);
        }
    }

    #[inline(always)]
    fn generate_steps<const BLACK: bool, S: MoveSink>(
        &self,
        to: Bitboard,
        pawn_promotions: Bitboard,
        non_promotions: bool,
        sink: &mut S,
    ) {
        let us = if BLACK { Side::First } else { Side::Second };
        let own = self.of(us);
        let pinned = self.pinned();
        let free = own.without(pinned);
        let occupied = self.occupied();
        let zone = Bitboard::promotion_zone(us);
        let last = const { Bitboard::far_ranks(if BLACK { Side::First } else { Side::Second }, 1) };
        let last_two = const { Bitboard::far_ranks(if BLACK { Side::First } else { Side::Second }, 2) };

        let pawns = (self.kind(PieceKind::PAWN) & free).ahead(us);
        let plain = (pawns & to).without(if non_promotions { last } else { zone });
        sink.pawns(us, plain, pawns & zone & pawn_promotions);

        for from in self.kind(PieceKind::LANCE) & free {
            let reach = lance_attacks(us, from, occupied) & to;
            sink.steps(from, reach.without(if non_promotions { last } else { last_two }), reach & zone);
        }
        for from in self.kind(PieceKind::KNIGHT) & free {
            let reach = step_attacks(us, PieceKind::KNIGHT, from) & to;
            sink.steps(from, reach.without(last_two), reach & zone);
        }
        for from in self.kind(PieceKind::SILVER) & free {
            let reach = step_attacks(us, PieceKind::SILVER, from) & to;
            sink.steps(from, reach, if zone.has(from) { reach } else { reach & zone });
        }
        for from in self.goldlike() & free {
            sink.steps(from, step_attacks(us, PieceKind::GOLD, from) & to, Bitboard::EMPTY);
        }
        for from in self.kind(PieceKind::BISHOP) & free {
            let reach = bishop_attacks(from, occupied) & to;
            let promoting = if zone.has(from) { reach } else { reach & zone };
            sink.steps(from, if non_promotions { reach } else { reach.without(promoting) }, promoting);
        }
        for from in self.kind(PieceKind::ROOK) & free {
            let reach = rook_attacks(from, occupied) & to;
            let promoting = if zone.has(from) { reach } else { reach & zone };
            sink.steps(from, if non_promotions { reach } else { reach.without(promoting) }, promoting);
        }
        for from in self.kind(PieceKind::HORSE) & free {
            let reach = bishop_attacks(from, occupied) | step_attacks(us, PieceKind::HORSE, from);
            sink.steps(from, reach & to, Bitboard::EMPTY);
        }
        for from in self.kind(PieceKind::DRAGON) & free {
            let reach = rook_attacks(from, occupied) | step_attacks(us, PieceKind::DRAGON, from);
            sink.steps(from, reach & to, Bitboard::EMPTY);
        }

        for from in pinned {
            let kind = self.piece_on(from).kind();
            let reach = attacks(us, kind, from, occupied) & line(self.king(us), from);
            let mut promoting = if !kind.can_promote() {
                Bitboard::EMPTY
            } else if zone.has(from) {
                reach
            } else {
                reach & zone
            };
            let dead = match (kind, non_promotions) {
                (PieceKind::PAWN, true) | (PieceKind::LANCE, true) => last,
                (PieceKind::PAWN | PieceKind::BISHOP | PieceKind::ROOK, false) => promoting,
                (PieceKind::LANCE, false) | (PieceKind::KNIGHT, _) => last_two,
                _ => Bitboard::EMPTY,
            };
            promoting &= if kind == PieceKind::PAWN { pawn_promotions } else { to };
            sink.steps(from, (reach & to).without(dead), promoting);
        }
    }

    #[inline(always)]
    fn generate_drops<const BLACK: bool, S: MoveSink>(&self, to: Bitboard, sink: &mut S) {
        let us = if BLACK { Side::First } else { Side::Second };
        let hand = self.hand(us);
        let last = const { Bitboard::far_ranks(if BLACK { Side::First } else { Side::Second }, 1) };
        let last_two = const { Bitboard::far_ranks(if BLACK { Side::First } else { Side::Second }, 2) };
        if hand.has(PieceKind::PAWN) {
            let mut to = to.without(last) & self.pieces(us, PieceKind::PAWN).free_files();
            let head = step_attacks(us.other(), PieceKind::PAWN, self.king(us.other())) & to;
            if head.any() && pawn_drop_mates(self, head.first()) {
                to = to.without(head);
            }
            sink.drops(PieceKind::PAWN, to);
        }
        if hand.has(PieceKind::LANCE) {
            sink.drops(PieceKind::LANCE, to.without(last));
        }
        if hand.has(PieceKind::KNIGHT) {
            sink.drops(PieceKind::KNIGHT, to.without(last_two));
        }
        for kind in [PieceKind::SILVER, PieceKind::GOLD, PieceKind::BISHOP, PieceKind::ROOK] {
            if hand.has(kind) {
                sink.drops(kind, to);
            }
        }
    }

    /// The squares of `squares` around the king of `us` on which it would not be attacked.
    #[inline(always)]
    pub(crate) fn safe_for_king(&self, us: Side, king: Square, squares: Bitboard) -> Bitboard {
        let them = us.other();
        let enemies = self.of(them);
        let occupied = self.occupied() ^ Bitboard::of(king);
        let mut danger = Bitboard::EMPTY;
        for square in enemies & steps_near(us, king) {
            danger |= step_attacks(them, self.piece_on(square).kind(), square);
        }
        for square in enemies & self.kind(PieceKind::LANCE) & lances_near(us, king) {
            danger |= lance_attacks(them, square, occupied);
        }
        for square in
            enemies & (self.kind(PieceKind::BISHOP) | self.kind(PieceKind::HORSE)) & bishops_near(king)
        {
            danger |= bishop_attacks(square, occupied);
        }
        for square in enemies & (self.kind(PieceKind::ROOK) | self.kind(PieceKind::DRAGON)) & rooks_near(king)
        {
            danger |= rook_attacks(square, occupied);
        }
        squares.without(danger)
    }
}
