//! Seven to [`DEPTH`] empty squares: a small table, sorted moves.

use super::shallow::ShallowEndgame;
use super::{DEPTH, EndgameContext, Local, ODD, SHALLOW, quadrant};
use crate::rules::board::{CORNERS, ReversiBoard};
use crate::rules::simd::{Isa, IsaJob};
use crate::search::{stability, table};

/// Moves with the boards after them, the best to be taken out first.
struct Replies {
    ranks: [i32; DEPTH as usize],
    squares: [u8; DEPTH as usize],
    boards: [ReversiBoard; DEPTH as usize],
    /// The moves that each leaves to the opponent.
    moves: [u64; DEPTH as usize],
    count: usize,
}

impl Replies {
    #[inline(always)]
    fn new() -> Replies {
        let boards = [ReversiBoard { me: 0, opponent: 0 }; DEPTH as usize];
        let moves = [0; DEPTH as usize];
        Replies { ranks: [0; DEPTH as usize], squares: [0; DEPTH as usize], boards, moves, count: 0 }
    }

    /// The capacity suffices, as there are no more moves than empty squares.
    #[inline(always)]
    fn push(&mut self, rank: i32, square: u8, board: ReversiBoard, moves: u64) {
        let at = self.count.min(DEPTH as usize - 1);
        (self.ranks[at], self.squares[at], self.boards[at]) = (rank, square, board);
        (self.moves[at], self.count) = (moves, at + 1);
    }

    #[inline(always)]
    fn take_best(&mut self) -> Option<(u8, ReversiBoard, u64)> {
        let ranks = &self.ranks[..self.count];
        let best = (0..ranks.len()).reduce(|best, i| if ranks[i] > ranks[best] { i } else { best })?;
        let taken = (self.squares[best], self.boards[best], self.moves[best]);
        self.remove(best);
        Some(taken)
    }

    #[inline(always)]
    fn remove(&mut self, at: usize) {
        self.count -= 1;
        self.ranks[at] = self.ranks[self.count];
        self.squares[at] = self.squares[self.count];
        self.boards[at] = self.boards[self.count];
        self.moves[at] = self.moves[self.count];
    }

    /// Takes out the moves that the table settles (enhanced transposition cutoff). The best value of those is
    /// returned; above `alpha` it refutes the node.
    #[inline(always)]
    fn settle(&mut self, table: &Local, alpha: i32) -> Option<i32> {
        let mut most = None;
        let mut at = 0;
        while at < self.count {
            let known = table.probe(self.boards[at]);
            let Some(value) = known.and_then(|known| known.settles(-alpha - 1)) else {
                at += 1;
                continue;
            };
            most = most.max(Some(-value));
            if -value > alpha {
                break;
            }
            self.remove(at);
        }
        most
    }
}

/// The side to move and its moves; there may be none.
pub struct Sorted<'a> {
    pub context: &'a mut EndgameContext,
    pub board: ReversiBoard,
    pub alpha: i32,
    pub empties: u32,
    pub parity: u32,
    pub moves: u64,
}

impl IsaJob for Sorted<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Sorted { context, board, alpha, empties, parity, moves } = self;
        context.nodes += 1;
        if let Some(most) = stability::cutoff(board, alpha, empties) {
            return most;
        }
        if moves == 0 {
            let moves = isa.moves(board.opponent, board.me);
            if moves == 0 {
                return board.final_score();
            }
            let (board, alpha) = (board.passed(), -alpha - 1);
            return -isa.run(Sorted { context, board, alpha, empties, parity, moves });
        }
        let mut first = table::NO_MOVE;
        if let Some(known) = context.local.probe(board) {
            if let Some(value) = known.settles(alpha) {
                return value;
            }
            first = known.best;
        }
        let mut left = moves;
        let mut best = -65;
        let mut best_square = table::NO_MOVE;
        let mut replies = Replies::new();
        if first != table::NO_MOVE && left >> (first & 63) & 1 == 1 {
            // The known best move goes before any ranking.
            left &= !(1 << first);
            let flips = isa.flips(usize::from(first), board.me, board.opponent);
            let next = board.after(usize::from(first), flips);
            replies.push(0, first, next, isa.moves(next.me, next.opponent));
        }
        loop {
            if replies.count == 0 {
                let table = (empties > SHALLOW + 1).then_some(&context.local);
                if let Some(value) = rank(isa, table, &mut replies, board, left, (alpha, parity)) {
                    if value > alpha {
                        return value;
                    }
                    best = best.max(value);
                }
                left = 0;
            }
            let Some((square, board, moves)) = replies.take_best() else { break };
            let parity = parity ^ quadrant(usize::from(square));
            let (alpha_below, empties) = (-alpha - 1, empties - 1);
            let value = if empties <= SHALLOW {
                -isa.run(ShallowEndgame { context, board, alpha: alpha_below, empties, moves })
            } else {
                -isa.run(Sorted { context, board, alpha: alpha_below, empties, parity, moves })
            };
            if value > best {
                best = value;
                best_square = square;
                if value > alpha {
                    break;
                }
            }
        }
        context.local.store(board, alpha, best, best_square);
        best
    }
}

/// Takes up the moves on the squares of `left`, ranked, but for those that the table settles
/// (enhanced transposition cutoff). The best value of those is returned; above `alpha` it refutes the node.
#[inline(always)]
fn rank<I: Isa>(
    isa: I,
    table: Option<&Local>,
    replies: &mut Replies,
    board: ReversiBoard,
    mut left: u64,
    (alpha, parity): (i32, u32),
) -> Option<i32> {
    let odd = ODD[parity as usize & 15];
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let rest = left & (left - 1);
        let second = if rest != 0 { rest.trailing_zeros() as usize } else { first };
        left = rest & rest.wrapping_sub(1);
        let pair = isa.replies([first, second], board.me, board.opponent);
        let pair = [(first, pair[0]), (second, pair[1])];
        for &(square, (flips, moves)) in &pair[..1 + usize::from(rest != 0)] {
            let next = board.after(square, flips);
            if next.me == 0 {
                return Some(64);
            }
            if let Some(table) = table {
                table.prefetch(next);
            }
            let mobility = (moves.count_ones() + (moves & CORNERS).count_ones()) as i32;
            let rank = (odd >> square & 1) as i32 * 4 - 8 * mobility;
            replies.push(rank, square as u8, next, moves);
        }
    }
    table.and_then(|table| replies.settle(table, alpha))
}
