//! The order of moves, produced stage by stage as in Stockfish: most nodes need but the first few.

use std::cmp::Reverse;

use crate::game::Side;
use crate::shogi::rules::bitboard::Bitboard;
use crate::shogi::rules::movegen::{Sink, Wanted};
use crate::shogi::rules::types::{Kind, Move, Square};
use crate::shogi::search::Searcher;
use crate::shogi::search::history::PieceTo;
use crate::shogi::search::see::VALUES;

/// A move and its place in the order.
#[derive(Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) mv: Move,
    score: i32,
}

/// So many moves are picked one by one before the rest is sorted: few nodes need more.
const PICKED: usize = 5;

impl Scored {
    /// Best first.
    fn rank(&self) -> Reverse<(i32, Move)> {
        Reverse((self.score, self.mv))
    }
}

/// All lists of a search, one above the other.
#[derive(Default)]
pub(crate) struct MoveStack(Vec<Scored>);

impl MoveStack {
    /// How high it is.
    pub(crate) fn height(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn push(&mut self, mv: Move) {
        self.0.push(Scored { mv, score: 0 });
    }

    /// Takes off what lies above.
    pub(crate) fn lower(&mut self, height: usize) {
        self.0.truncate(height);
    }
}

impl Sink for MoveStack {
    #[inline(always)]
    fn steps(&mut self, from: Square, plain: Bitboard, promoting: Bitboard) {
        for to in promoting {
            self.push(Move::step(from, to, true));
        }
        for to in plain {
            self.push(Move::step(from, to, false));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, side: Side, plain: Bitboard, promoting: Bitboard) {
        let back = |to: Square| if side == Side::First { Square(to.0 + 1) } else { Square(to.0 - 1) };
        for to in promoting {
            self.push(Move::step(back(to), to, true));
        }
        for to in plain {
            self.push(Move::step(back(to), to, false));
        }
    }

    #[inline(always)]
    fn drops(&mut self, kind: Kind, to: Bitboard) {
        for to in to {
            self.push(Move::drop(kind, to));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    Tactical,
    GoodTactical,
    Quiet,
    Quiets,
    BadTactical,
    Evasion,
    Evasions,
    Done,
}

/// Yields the moves of one node, best first.
pub(crate) struct Picker {
    stage: Stage,
    tt_move: Move,
    /// What captures must gain to come before the quiet moves.
    threshold: i32,
    /// Only captures and pawn promotions.
    tactical_only: bool,
    all: bool,
    base: usize,
    next: usize,
    end: usize,
    /// Captures put off lie between base and here.
    bad: usize,
    /// Up to here the list is still to be brought into order.
    unsorted: usize,
    /// How many of it were picked one by one.
    picked: usize,
    depth: i32,
}

impl Picker {
    /// All moves of a node; `all` includes the non-promotions.
    pub(crate) fn new(searcher: &Searcher, tt_move: Move, depth: i32, all: bool) -> Picker {
        Picker::with(searcher, tt_move, depth, searcher.tune.order_exchange, false, all)
    }

    /// Only captures and pawn promotions, all evasions in check.
    pub(crate) fn tactical(searcher: &Searcher, tt_move: Move, threshold: i32) -> Picker {
        Picker::with(searcher, tt_move, 0, threshold, true, false)
    }

    fn with(
        searcher: &Searcher,
        tt_move: Move,
        depth: i32,
        threshold: i32,
        tactical_only: bool,
        all: bool,
    ) -> Picker {
        let position = &searcher.position;
        let usable = tt_move.is_some() && position.is_legal(tt_move);
        let tt_move = if usable { tt_move } else { Move::NONE };
        let base = searcher.move_stack.height();
        Picker {
            stage: Stage::Table,
            tt_move,
            threshold,
            tactical_only,
            all,
            base,
            next: base,
            end: base,
            bad: base,
            unsorted: base,
            picked: 0,
            depth,
        }
    }

    /// The next move.
    pub(crate) fn next(&mut self, searcher: &mut Searcher) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = if searcher.position.in_check() || self.all {
                        Stage::Evasion
                    } else {
                        Stage::Tactical
                    };
                    if self.tt_move.is_some() {
                        return Some(self.tt_move);
                    }
                }
                Stage::Tactical => {
                    self.generate(searcher, Wanted::tactical(&searcher.position));
                    for i in self.next..self.end {
                        searcher.move_stack.0[i].score = searcher.tactical_score(searcher.move_stack.0[i].mv);
                    }
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => match self.best(searcher) {
                    Some(mv) => {
                        if searcher.position.see_ge(mv, self.threshold) {
                            return Some(mv);
                        }
                        searcher.move_stack.0[self.bad] = Scored { mv, score: 0 };
                        self.bad += 1;
                    }
                    None if self.tactical_only => self.stage = Stage::Done,
                    None => self.stage = Stage::Quiet,
                },
                Stage::Quiet => {
                    self.generate(searcher, Wanted::quiet(&searcher.position));
                    searcher.score_quiets(self.next, self.end);
                    let limit = -searcher.tune.order_unsorted * self.depth;
                    self.sort(searcher, limit);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.sorted(searcher) {
                    Some(mv) => return Some(mv),
                    None => {
                        (self.next, self.end) = (self.base, self.bad);
                        self.stage = Stage::BadTactical;
                    }
                },
                Stage::BadTactical => {
                    if self.next == self.end {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.next += 1;
                    return Some(searcher.move_stack.0[self.next - 1].mv);
                }
                Stage::Evasion => {
                    self.generate(searcher, if self.all { Wanted::ALL } else { Wanted::USEFUL });
                    searcher.score_evasions(self.next, self.end);
                    self.sort(searcher, i32::MIN);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.sorted(searcher) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Leaves out the quiet moves that have not come yet.
    pub(crate) fn skip_quiets(&mut self) {
        match self.stage {
            Stage::Quiets => {
                self.next = self.end;
            }
            Stage::Quiet => {
                (self.next, self.end) = (self.base, self.bad);
                self.stage = Stage::BadTactical;
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn generate(&mut self, searcher: &mut Searcher, wanted: Wanted) {
        self.next = searcher.move_stack.height();
        let Searcher { position, move_stack, .. } = searcher;
        position.generate(wanted, move_stack);
        self.end = searcher.move_stack.height();
    }

    /// Takes the best of the moves left; the TT move has been there.
    fn best(&mut self, searcher: &mut Searcher) -> Option<Move> {
        let list = &mut searcher.move_stack.0;
        loop {
            let left = &list[self.next..self.end];
            let (at, _) = left.iter().enumerate().max_by_key(|(_, scored)| scored.score)?;
            list.swap(self.next, self.next + at);
            self.next += 1;
            let mv = list[self.next - 1].mv;
            if mv != self.tt_move {
                return Some(mv);
            }
        }
    }

    /// Takes the next of the moves in order; the first few are found one by one.
    fn sorted(&mut self, searcher: &mut Searcher) -> Option<Move> {
        while self.next < self.end {
            if self.next < self.unsorted {
                let left = &mut searcher.move_stack.0[self.next..self.unsorted];
                if self.picked == PICKED {
                    left.sort_unstable_by_key(Scored::rank);
                    self.unsorted = self.next;
                } else if let Some((at, _)) = left.iter().enumerate().min_by_key(|(_, scored)| scored.rank())
                {
                    left.swap(0, at);
                    self.picked += 1;
                }
            }
            self.next += 1;
            let mv = searcher.move_stack.0[self.next - 1].mv;
            if mv != self.tt_move {
                return Some(mv);
            }
        }
        None
    }

    /// Puts the moves scored above `limit` in front, and has them taken in order.
    fn sort(&mut self, searcher: &mut Searcher, limit: i32) {
        let list = &mut searcher.move_stack.0[self.next..self.end];
        let mut worthy = 0;
        for i in 0..list.len() {
            if list[i].score > limit {
                list.swap(i, worthy);
                worthy += 1;
            }
        }
        self.unsorted = self.next + worthy;
        self.picked = 0;
    }
}

impl Searcher {
    /// Dearest victim first, cheapest attacker among equals, corrected by experience.
    fn tactical_score(&self, mv: Move) -> i32 {
        let Searcher { position, tune, .. } = self;
        let victim = position.piece_on(mv.to());
        let piece_to = PieceTo::new(position.piece_on(mv.from()), mv.to());
        let gain = if victim.is_some() { tune.order_captured * VALUES[victim.kind().index()] } else { 0 };
        let raised = if mv.is_promotion() { tune.order_promotion } else { 0 };
        let captured = if victim.is_some() { victim.kind() } else { Kind::KING };
        gain + raised + self.history.capture(piece_to, captured) / tune.order_capture_history
    }

    fn score_quiets(&mut self, begin: usize, end: usize) {
        let us = self.position.side_to_move();
        let before = self.earlier_piece_tos();
        let checks = self.stack[self.ply()].checks;
        for i in begin..end {
            let mv = self.move_stack.0[i].mv;
            let mut score = self.quiet_history(us, mv, &before);
            if checks.gives_check(&self.position, mv)
                && self.position.see_ge(mv, self.tune.order_check_exchange)
            {
                score += self.tune.order_check;
            }
            self.move_stack.0[i].score = score;
        }
    }

    fn score_evasions(&mut self, begin: usize, end: usize) {
        let us = self.position.side_to_move();
        let before = self.earlier_piece_tos();
        for i in begin..end {
            let mv = self.move_stack.0[i].mv;
            let victim = self.position.piece_on(mv.to());
            self.move_stack.0[i].score = if !mv.is_drop() && victim.is_some() {
                let mover = self.position.piece_on(mv.from()).kind();
                1_000_000 + 16 * VALUES[victim.kind().index()] - VALUES[mover.index()].min(2_000)
            } else {
                self.quiet_history(us, mv, &before)
            };
        }
    }

    /// What histories say of a quiet move.
    #[inline(always)]
    pub(crate) fn quiet_history(&self, us: Side, mv: Move, before: &[PieceTo; 3]) -> i32 {
        let piece_to = self.position.piece_to(mv);
        2 * self.history.quiet(us, mv)
            + self.history.continuation(before[0], piece_to)
            + self.history.continuation(before[1], piece_to)
            + self.history.continuation(before[2], piece_to)
    }
}
