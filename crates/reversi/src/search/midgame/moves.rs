//! The moves of one node, ranked.

use arrayvec::ArrayVec;

use super::{IndexedBoard, MidgameSearch};
use crate::evaluate::pattern::Geometry;
use crate::rules::board::{CORNERS, ReversiBoard};
use crate::rules::simd::Isa;
use crate::search::endgame::odd_region;
use crate::search::table::{ReversiTtEntry, key};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::search::SearchStopped;

/// No position has more legal moves.
const MOST: usize = 34;
/// Rank of the move that the table knows to be the best.
const FIRST: i32 = 1 << 30;
/// Eighths of the static value that count in the rank of a move in searches to the end.
const VALUE_TO_THE_END: i32 = 5;
/// Penalty in rank of a move that another thread is searching.
const POSTPONED: i32 = 1 << 30;

/// One move and the board after it.
#[derive(Clone, Copy)]
pub struct ReversiMove {
    /// The square on which the disc is placed.
    pub square: u8,
    /// The discs that it flips.
    pub flips: u64,
    /// The board after it, seen by the other side.
    pub board: ReversiBoard,
    /// The key of that board.
    pub key: u64,
    rank: i32,
}

impl ReversiMove {
    /// Whether the move was put off once.
    #[inline(always)]
    pub fn is_postponed(&self) -> bool {
        self.rank < -POSTPONED / 2
    }

    /// The node after the move.
    #[inline(always)]
    pub fn node(&self, geometry: &Geometry, from: &IndexedBoard) -> IndexedBoard {
        IndexedBoard {
            board: self.board,
            indices: from.indices.after(geometry, usize::from(self.square), self.flips),
        }
    }
}

/// All moves of a node, handed out best first.
pub struct ReversiMovePicker {
    replies: ArrayVec<ReversiMove, MOST>,
    taken: usize,
    /// Whether a preferred move stands first and is to be handed out before any ranking.
    preferred: bool,
    ranked: bool,
}

impl ReversiMovePicker {
    /// No moves yet. Filling them in place spares copying them.
    #[inline(always)]
    pub fn new() -> ReversiMovePicker {
        ReversiMovePicker { replies: ArrayVec::new_const(), taken: 0, preferred: false, ranked: false }
    }

    /// Takes up the moves on the squares of `legal`, not yet ranked.
    #[inline(always)]
    pub fn fill<I: Isa>(&mut self, isa: I, board: ReversiBoard, legal: u64) {
        let mut left = legal;
        while left != 0 && !self.replies.is_full() {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let flips = isa.flips(square, board.me, board.opponent);
            let board = board.after(square, flips);
            let reply = ReversiMove { square: square as u8, flips, board, key: key(board), rank: 0 };
            self.replies.push(reply);
        }
    }

    /// Makes the move on `square`, if there is one, come first, before the others are ranked: it usually refutes the
    /// node, which saves the ranking.
    #[inline(always)]
    pub fn prefer(&mut self, square: u8) {
        if let Some(at) = self.replies.iter().position(|reply| reply.square == square) {
            self.replies.swap(0, at);
            self.preferred = true;
        }
    }

    /// Whether the move to be handed out next has to be chosen by rank, and there is no rank yet.
    #[inline(always)]
    pub fn wants_ranks(&self) -> bool {
        !(self.ranked || self.preferred && self.taken == 0)
    }

    /// A move that leaves the opponent without discs.
    #[inline(always)]
    pub fn wipeout(&self) -> Option<u8> {
        self.all().iter().find(|reply| reply.board.me == 0).map(|reply| reply.square)
    }

    /// The moves in the order so far.
    #[inline(always)]
    pub fn all(&self) -> &[ReversiMove] {
        &self.replies
    }

    /// Lets the processor fetch the table entries of all boards.
    #[inline(always)]
    pub fn prefetch(&self, table: &TranspositionTable<ReversiTtEntry>) {
        for reply in self.all() {
            table.prefetch(reply.key);
        }
    }

    /// Ranks the moves: known best moves, then by the opponent's mobility, the corners that it may
    /// take, its open neighbours, and parity.
    #[inline(always)]
    pub fn rank_by_mobility<I: Isa>(&mut self, isa: I, board: ReversiBoard, known: [u8; 2]) {
        self.ranked = true;
        let odd = odd_region(board.empty());
        for reply in &mut self.replies[self.taken..] {
            reply.rank = if reply.square == known[0] {
                FIRST
            } else if reply.square == known[1] {
                FIRST - 1
            } else {
                let next = reply.board;
                let moves = isa.moves(next.me, next.opponent);
                let mobility = (moves.count_ones() + (moves & CORNERS).count_ones()) as i32;
                let open = (neighbours(next.opponent) & next.empty()).count_ones() as i32;
                (odd >> reply.square & 1) as i32 * (1 << 5) - (mobility << 8) - (open << 3)
            };
        }
    }

    /// Ranks the moves as [`ReversiMovePicker::rank_by_mobility`] does, and at depths where it pays also by the value
    /// of a shallow search, which is shallower in a `hopeless` node, where probably no move reaches the window.
    #[inline(always)]
    pub fn rank<I: Isa>(
        &mut self,
        isa: I,
        search: &mut MidgameSearch,
        node: &IndexedBoard,
        known: [u8; 2],
        alpha: i32,
        (depth, hopeless): (u32, bool),
    ) -> Result<(), SearchStopped> {
        if self.replies.len() - self.taken <= 1 {
            self.ranked = true;
            return Ok(());
        }
        self.rank_by_mobility(isa, node.board, known);
        let Some(mut look) = look_ahead(depth, node.board.empties()) else { return Ok(()) };
        // To the end mobility says more of the work to come, and the value less.
        let share = if depth >= node.board.empties() { VALUE_TO_THE_END } else { 8 };
        if hopeless {
            look = look.saturating_sub(2);
        }
        for i in self.taken..self.replies.len() {
            let reply = self.replies[i];
            if reply.rank >= FIRST - 1 {
                continue;
            }
            let next = reply.node(search.geometry, node);
            let value = match look {
                0 => -search.weights.pattern_value(next.board, &next.indices) * share / 8,
                _ => -256 * look_at(isa, search, &next, alpha, look)?,
            };
            self.replies[i].rank += value;
        }
        Ok(())
    }

    /// Puts the move handed out last behind all others.
    #[inline(always)]
    pub fn postpone(&mut self) {
        self.taken -= 1;
        self.replies[self.taken].rank = self.replies[self.taken].rank.min(POSTPONED / 4) - POSTPONED;
    }

    /// The best move not yet handed out.
    #[inline(always)]
    pub fn next(&mut self) -> Option<ReversiMove> {
        if self.taken >= self.replies.len() {
            return None;
        }
        if self.preferred && self.taken == 0 {
            self.taken = 1;
            return Some(self.replies[0]);
        }
        let mut best = self.taken;
        for i in self.taken + 1..self.replies.len() {
            if self.replies[i].rank > self.replies[best].rank {
                best = i;
            }
        }
        self.replies.swap(self.taken, best);
        self.taken += 1;
        Some(self.replies[self.taken - 1])
    }
}

/// How deep to look for ranking; `None` for not at all.
#[inline(always)]
fn look_ahead(depth: u32, empties: u32) -> Option<u32> {
    if depth >= empties {
        // To the end: the solver's own order is cheap and good when few squares are left.
        return (empties > super::END_DEPTH).then(|| (empties.saturating_sub(17) / 3).min(5));
    }
    Some((depth.saturating_sub(9) / 3).min(4))
}

/// Value of the reply for the side to move after it.
#[inline(always)]
fn look_at<I: Isa>(
    isa: I,
    search: &mut MidgameSearch,
    next: &IndexedBoard,
    alpha: i32,
    depth: u32,
) -> Result<i32, SearchStopped> {
    if depth <= 2 {
        // A move that is far worse than alpha need not be ranked exactly.
        let beta = (-alpha + 8).min(64);
        return Ok(isa.run(super::shallow::ShallowMidgame { search, node: next, alpha: -65, beta, depth }));
    }
    let mut line = super::Sequence::new();
    let level = std::mem::replace(&mut search.level, 0);
    let window = (-64, (-alpha + 8).clamp(-63, 64));
    let value = isa.run(super::Principal { search, node: next, window, depth, line: &mut line });
    search.level = level;
    value
}

/// All squares next to `set`.
#[inline(always)]
fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let row = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    row | row << 8 | row >> 8
}
