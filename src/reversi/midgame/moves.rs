//! The moves of one node, ranked.

use arrayvec::ArrayVec;

use super::{Node, Search};
use crate::engine::table::Table;
use crate::reversi::board::{Board, CORNERS};
use crate::reversi::endgame::odd_region;
use crate::reversi::pattern::Geometry;
use crate::reversi::simd::Isa;
use crate::reversi::table::{Entry, key};
use crate::search::Stopped;

/// No position has more legal moves.
const MOST: usize = 34;
/// Rank of the move that the table knows to be the best.
const FIRST: i32 = 1 << 30;

/// What a move loses in rank while another thread searches it.
const POSTPONED: i32 = 1 << 30;

/// One move and the board after it.
#[derive(Clone, Copy)]
pub struct Reply {
    /// Where the disc is placed.
    pub square: u8,
    /// What it turns over.
    pub flips: u64,
    /// The board after it, seen by the other side.
    pub board: Board,
    /// The key of that board.
    pub key: u64,
    rank: i32,
}

impl Reply {
    /// Whether the move was put off once.
    #[inline(always)]
    pub fn is_postponed(&self) -> bool {
        self.rank < -POSTPONED / 2
    }

    /// The node after the move.
    #[inline(always)]
    pub fn node(&self, geometry: &Geometry, from: &Node) -> Node {
        Node {
            board: self.board,
            indices: from.indices.after(geometry, usize::from(self.square), self.flips),
        }
    }
}

/// All moves of a node, handed out best first.
pub struct Moves {
    replies: ArrayVec<Reply, MOST>,
    taken: usize,
}

impl Moves {
    /// The moves on the squares of `legal`, not yet ranked.
    #[inline(always)]
    pub fn new<I: Isa>(isa: I, board: Board, legal: u64) -> Moves {
        let mut moves = Moves { replies: ArrayVec::new(), taken: 0 };
        let mut left = legal;
        while left != 0 && !moves.replies.is_full() {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let flips = isa.flips(square, board.me, board.opponent);
            let board = board.after(square, flips);
            let reply = Reply { square: square as u8, flips, board, key: key(board), rank: 0 };
            moves.replies.push(reply);
        }
        moves
    }

    /// A move that leaves the opponent without discs.
    #[inline(always)]
    pub fn wipeout(&self) -> Option<u8> {
        self.all().iter().find(|reply| reply.board.me == 0).map(|reply| reply.square)
    }

    /// The moves in the order so far.
    #[inline(always)]
    pub fn all(&self) -> &[Reply] {
        &self.replies
    }

    /// Lets the processor fetch the table entries of all boards.
    #[inline(always)]
    pub fn prefetch(&self, table: &Table<Entry>) {
        for reply in self.all() {
            table.prefetch(reply.key);
        }
    }

    /// Ranks the moves: known best moves, then by the value of a shallow search where the depth
    /// pays for it, the opponent's mobility, the corners that it may take, and parity.
    #[inline(always)]
    pub fn rank<I: Isa>(
        &mut self,
        isa: I,
        search: &mut Search,
        node: &Node,
        known: [u8; 2],
        alpha: i32,
        depth: u32,
    ) -> Result<(), Stopped> {
        if self.replies.len() == 1 {
            return Ok(());
        }
        let empty = node.board.empty();
        let empties = empty.count_ones();
        let odd = odd_region(empty);
        let look = look_ahead(depth, empties);
        for i in 0..self.replies.len() {
            let reply = self.replies[i];
            let rank = if reply.square == known[0] {
                FIRST
            } else if reply.square == known[1] {
                FIRST - 1
            } else {
                let next = reply.board;
                let moves = isa.moves(next.me, next.opponent);
                let mut rank = -(((moves.count_ones() + (moves & CORNERS).count_ones()) as i32) << 8);
                rank -= ((neighbours(next.opponent) & next.empty()).count_ones() as i32) << 3;
                rank += (odd >> reply.square & 1) as i32 * (1 << 5);
                if let Some(look) = look {
                    let next = reply.node(search.geometry, node);
                    let value = match look {
                        0 => -search.weights.value(next.board, &next.indices),
                        _ => -128 * look_at(isa, search, &next, alpha, look)?,
                    };
                    rank += value * 2;
                }
                rank
            };
            self.replies[i].rank = rank;
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
    pub fn next(&mut self) -> Option<Reply> {
        if self.taken >= self.replies.len() {
            return None;
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
        return (empties >= 14).then(|| (empties.saturating_sub(15) / 3).min(5));
    }
    Some((depth.saturating_sub(9) / 3).min(4))
}

/// Value of the reply for the side to move after it.
#[inline(always)]
fn look_at<I: Isa>(isa: I, search: &mut Search, next: &Node, alpha: i32, depth: u32) -> Result<i32, Stopped> {
    if depth <= 2 {
        // A move that is far worse than alpha need not be ranked exactly.
        let beta = (-alpha + 8).min(64);
        return Ok(isa.run(super::shallow::Shallow { search, node: next, alpha: -65, beta, depth }));
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
