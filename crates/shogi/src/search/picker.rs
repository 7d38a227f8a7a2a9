//! The order of moves, produced stage by stage as in Stockfish: most nodes need but the first few.

use crate::rules::movegen::{MAX_MOVES, MoveFilter, MovePush};
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind};
use crate::search::ShogiWorker;
use crate::search::history::PieceTo;
use crate::search::see::VALUES;

/// A move and its place in the order in one number, larger for earlier ones: the score, and below it the 16 bits
/// of the move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Scored(i64);

/// Moves that are picked one by one before the rest is sorted: few nodes need more.
const PICKED: usize = 5;

impl Scored {
    #[inline(always)]
    fn new(mv: Move, score: i32) -> Scored {
        Scored(i64::from(score) << 16 | i64::from(mv.bits()))
    }

    #[inline(always)]
    fn mv(self) -> Move {
        Move::from_bits(self.0 as u16)
    }

    #[inline(always)]
    fn score(self) -> i32 {
        (self.0 >> 16) as i32
    }
}

/// All lists of a search, one above the other.
#[derive(Default)]
pub(crate) struct MoveStack {
    /// May be longer than the stack's height.
    list: Vec<Scored>,
    height: usize,
}

impl MoveStack {
    /// How high it is.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Takes off what lies above.
    pub fn lower(&mut self, height: usize) {
        self.height = self.height.min(height);
    }

    /// Puts the wanted moves on top.
    #[inline(always)]
    fn generate(&mut self, position: &ShogiPosition, wanted: MoveFilter) {
        if self.list.len() < self.height + MAX_MOVES {
            self.list.resize(self.height + MAX_MOVES, Scored(0));
        }
        let Some(room) = self.list[self.height..].first_chunk_mut() else { return };
        let mut top = MoveStackTop { room, count: 0 };
        position.generate(wanted, &mut top);
        self.height += top.count;
    }
}

/// The free part of the stack, with room for all moves of a position, so that it never grows.
struct MoveStackTop<'a> {
    room: &'a mut [Scored; MAX_MOVES],
    count: usize,
}

impl MovePush for MoveStackTop<'_> {
    #[inline(always)]
    fn push_move(&mut self, mv: Move) {
        self.room[self.count] = Scored::new(mv, 0);
        self.count += 1;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickerStage {
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
    stage: PickerStage,
    tt_move: Move,
    /// SEE threshold for captures before the quiet moves, in centipawns.
    threshold: i32,
    /// Only captures and pawn promotions.
    tactical_only: bool,
    all: bool,
    base: usize,
    next: usize,
    end: usize,
    /// Captures put off lie between base and here.
    bad: usize,
    /// The list up to here is not sorted yet.
    unsorted: usize,
    /// How many of it were picked one by one.
    picked: usize,
    depth: i32,
}

impl Picker {
    /// All moves of a node; `all` includes the non-promotions.
    pub fn new(searcher: &ShogiWorker, tt_move: Move, depth: i32, all: bool) -> Picker {
        Picker::with(searcher, tt_move, depth, searcher.tune.order_see, false, all)
    }

    /// Only captures and pawn promotions, all evasions in check.
    pub fn tactical(searcher: &ShogiWorker, tt_move: Move, threshold: i32) -> Picker {
        Picker::with(searcher, tt_move, 0, threshold, true, false)
    }

    fn with(
        searcher: &ShogiWorker,
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
            stage: PickerStage::Table,
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
    pub fn next(&mut self, searcher: &mut ShogiWorker) -> Option<Move> {
        loop {
            match self.stage {
                PickerStage::Table => {
                    self.stage = if searcher.position.in_check() || self.all {
                        PickerStage::Evasion
                    } else {
                        PickerStage::Tactical
                    };
                    if self.tt_move.is_some() {
                        return Some(self.tt_move);
                    }
                }
                PickerStage::Tactical => {
                    self.generate(searcher, MoveFilter::tactical(&searcher.position));
                    for i in self.next..self.end {
                        let mv = searcher.move_stack.list[i].mv();
                        searcher.move_stack.list[i] = Scored::new(mv, searcher.tactical_score(mv));
                    }
                    self.stage = PickerStage::GoodTactical;
                }
                PickerStage::GoodTactical => match self.best(searcher) {
                    Some(mv) => {
                        // The exchange gives the memory the time to answer.
                        searcher.prefetch_tt(mv);
                        if searcher.position.see_ge(mv, self.threshold) {
                            return Some(mv);
                        }
                        searcher.move_stack.list[self.bad] = Scored::new(mv, 0);
                        self.bad += 1;
                    }
                    None if self.tactical_only => self.stage = PickerStage::Done,
                    None => self.stage = PickerStage::Quiet,
                },
                PickerStage::Quiet => {
                    self.generate(searcher, MoveFilter::quiet(&searcher.position));
                    searcher.score_quiets(self.next, self.end);
                    let limit = -searcher.tune.order_unsorted * self.depth;
                    self.sort(searcher, limit);
                    self.stage = PickerStage::Quiets;
                }
                PickerStage::Quiets => match self.sorted(searcher) {
                    Some(mv) => return Some(mv),
                    None => {
                        (self.next, self.end) = (self.base, self.bad);
                        self.stage = PickerStage::BadTactical;
                    }
                },
                PickerStage::BadTactical => {
                    if self.next == self.end {
                        self.stage = PickerStage::Done;
                        continue;
                    }
                    self.next += 1;
                    return Some(searcher.move_stack.list[self.next - 1].mv());
                }
                PickerStage::Evasion => {
                    self.generate(searcher, if self.all { MoveFilter::ALL } else { MoveFilter::USEFUL });
                    searcher.score_evasions(self.next, self.end);
                    self.sort(searcher, i32::MIN);
                    self.stage = PickerStage::Evasions;
                }
                PickerStage::Evasions => match self.sorted(searcher) {
                    Some(mv) => return Some(mv),
                    None => self.stage = PickerStage::Done,
                },
                PickerStage::Done => return None,
            }
        }
    }

    /// Leaves out the quiet moves that have not come yet.
    pub(crate) fn skip_quiets(&mut self) {
        match self.stage {
            PickerStage::Quiets => {
                self.next = self.end;
            }
            PickerStage::Quiet => {
                (self.next, self.end) = (self.base, self.bad);
                self.stage = PickerStage::BadTactical;
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn generate(&mut self, searcher: &mut ShogiWorker, wanted: MoveFilter) {
        self.next = searcher.move_stack.height();
        searcher.move_stack.generate(&searcher.position, wanted);
        self.end = searcher.move_stack.height();
    }

    /// Takes the best of the moves left; the TT move has been there.
    fn best(&mut self, searcher: &mut ShogiWorker) -> Option<Move> {
        let list = &mut searcher.move_stack.list;
        loop {
            let left = &mut list[self.next..self.end];
            // A loop: `max_by_key` is not inlined across crates. Of equals the last one comes first.
            let (mut best, mut at) = (left.first()?.score(), 0);
            for (i, scored) in left.iter().enumerate() {
                if scored.score() >= best {
                    (best, at) = (scored.score(), i);
                }
            }
            left.swap(0, at);
            self.next += 1;
            let mv = left[0].mv();
            if mv != self.tt_move {
                return Some(mv);
            }
        }
    }

    /// Takes the next of the moves in order; the first few are found one by one.
    fn sorted(&mut self, searcher: &mut ShogiWorker) -> Option<Move> {
        while self.next < self.end {
            if self.next < self.unsorted {
                let left = &mut searcher.move_stack.list[self.next..self.unsorted];
                if self.picked == PICKED {
                    left.sort_unstable_by(|a, b| b.cmp(a));
                    self.unsorted = self.next;
                } else {
                    let (mut best, mut at) = (left[0], 0);
                    for (i, &scored) in left.iter().enumerate() {
                        if scored > best {
                            (best, at) = (scored, i);
                        }
                    }
                    left.swap(0, at);
                    self.picked += 1;
                }
            }
            self.next += 1;
            let mv = searcher.move_stack.list[self.next - 1].mv();
            if mv != self.tt_move {
                return Some(mv);
            }
        }
        None
    }

    /// Puts the moves scored above `limit` in front, and has them taken in order.
    fn sort(&mut self, searcher: &mut ShogiWorker, limit: i32) {
        let list = &mut searcher.move_stack.list[self.next..self.end];
        let mut worthy = 0;
        for i in 0..list.len() {
            // Without a branch, which would often be mispredicted.
            let is_worthy = list[i].score() > limit;
            list.swap(i, if is_worthy { worthy } else { i });
            worthy += usize::from(is_worthy);
        }
        self.unsorted = self.next + worthy;
        self.picked = 0;
    }
}

impl ShogiWorker {
    /// Dearest victim first, cheapest attacker among equals, corrected by experience.
    fn tactical_score(&self, mv: Move) -> i32 {
        let ShogiWorker { position, tune, .. } = self;
        let victim = position.piece_on(mv.to());
        let piece_to = PieceTo::new(position.piece_on(mv.from()), mv.to());
        let gain = if victim.is_some() { tune.order_captured * VALUES[victim.kind().index()] } else { 0 };
        let raised = if mv.is_promotion() { tune.order_promotion } else { 0 };
        let captured = if victim.is_some() { victim.kind() } else { PieceKind::KING };
        gain + raised + self.history.capture(piece_to, captured) / tune.order_capture_history
    }

    /// Scores quiet moves, which are generated with the drops last, one kind after the other.
    fn score_quiets(&mut self, begin: usize, end: usize) {
        let before = self.earlier_piece_tos();
        let ply = self.ply();
        let ShogiWorker { position, history, move_stack, stack, tune, .. } = self;
        let us = position.side_to_move();
        let quiets = history.quiets(us, before);
        let checks = &stack[ply].checks;
        let (order_check, order_check_see) = (tune.order_check, tune.order_check_see);
        let list = &mut move_stack.list[begin..end];
        let board_moves = list.iter().position(|scored| scored.mv().is_drop()).unwrap_or(list.len());
        let (board_moves, mut drops) = list.split_at_mut(board_moves);
        debug_assert!(drops.iter().all(|scored| scored.mv().is_drop()), "a move on the board behind a drop");
        for scored in board_moves {
            let mv = scored.mv();
            let mut score = quiets.of(mv, position.piece_to(mv));
            if checks.gives_check(position, mv) && position.see_ge(mv, order_check_see) {
                score += order_check;
            }
            *scored = Scored::new(mv, score);
        }
        while let Some(first) = drops.first() {
            let kind = first.mv().dropped();
            let count = drops.iter().position(|scored| scored.mv().dropped() != kind).unwrap_or(drops.len());
            let (same_kind, rest) = drops.split_at_mut(count);
            drops = rest;
            let mut by_square = quiets.of_drops(us, kind);
            for to in checks.direct(kind) & !position.occupied() {
                if position.see_ge(Move::drop(kind, to), order_check_see) {
                    by_square[to.index()] += order_check;
                }
            }
            for scored in same_kind {
                let mv = scored.mv();
                *scored = Scored::new(mv, by_square[mv.to().index()]);
            }
        }
    }

    fn score_evasions(&mut self, begin: usize, end: usize) {
        let before = self.earlier_piece_tos();
        let ShogiWorker { position, history, move_stack, .. } = self;
        let quiets = history.quiets(position.side_to_move(), before);
        for scored in &mut move_stack.list[begin..end] {
            let mv = scored.mv();
            let victim = position.piece_on(mv.to());
            let score = if !mv.is_drop() && victim.is_some() {
                let mover = position.piece_on(mv.from()).kind();
                1_000_000 + 16 * VALUES[victim.kind().index()] - VALUES[mover.index()].min(2_000)
            } else {
                quiets.of(mv, position.piece_to(mv))
            };
            *scored = Scored::new(mv, score);
        }
    }
}
