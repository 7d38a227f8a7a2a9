//! Seven to [`DEPTH`] empty squares: a small table, sorted moves.

use super::shallow::Shallow;
use super::{Context, DEPTH, ODD, SHALLOW, quadrant};
use crate::reversi::rules::board::{Board, CORNERS};
use crate::reversi::rules::simd::{Isa, Job};
use crate::reversi::search::{stability, table};

/// Moves with what they lead to, the best to be taken out first.
struct Replies {
    ranks: [i32; DEPTH as usize],
    squares: [u8; DEPTH as usize],
    boards: [Board; DEPTH as usize],
    count: usize,
}

impl Replies {
    #[inline(always)]
    fn new() -> Replies {
        let boards = [Board { me: 0, opponent: 0 }; DEPTH as usize];
        Replies { ranks: [0; DEPTH as usize], squares: [0; DEPTH as usize], boards, count: 0 }
    }

    /// There are no more moves than empty squares.
    #[inline(always)]
    fn push(&mut self, rank: i32, square: u8, board: Board) {
        let at = self.count.min(DEPTH as usize - 1);
        (self.ranks[at], self.squares[at], self.boards[at]) = (rank, square, board);
        self.count = at + 1;
    }

    #[inline(always)]
    fn take_best(&mut self) -> Option<(u8, Board)> {
        let ranks = &self.ranks[..self.count];
        let best = (0..ranks.len()).reduce(|best, i| if ranks[i] > ranks[best] { i } else { best })?;
        let taken = (self.squares[best], self.boards[best]);
        self.count -= 1;
        self.ranks[best] = self.ranks[self.count];
        self.squares[best] = self.squares[self.count];
        self.boards[best] = self.boards[self.count];
        Some(taken)
    }
}

/// The side to move, not yet known to have a move.
pub struct Sorted<'a> {
    pub context: &'a mut Context,
    pub board: Board,
    pub alpha: i32,
    pub empties: u32,
    pub parity: u32,
}

impl Job for Sorted<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Sorted { context, board, alpha, empties, parity } = self;
        context.nodes += 1;
        if stability::worth_trying(alpha, empties) {
            let most = stability::upper_bound(board);
            if most <= alpha {
                return most;
            }
        }
        let mut left = isa.moves(board.me, board.opponent);
        if left == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return board.final_score();
            }
            return -isa.run(Sorted { context, board: board.passed(), alpha: -alpha - 1, empties, parity });
        }
        let mut first = table::NO_MOVE;
        if let Some(known) = context.local.probe(board) {
            if i32::from(known.lower) > alpha {
                return i32::from(known.lower);
            }
            if i32::from(known.upper) <= alpha {
                return i32::from(known.upper);
            }
            first = known.best;
        }
        let mut best = -65;
        let mut best_square = table::NO_MOVE;
        let odd = ODD[parity as usize & 15];
        let mut replies = Replies::new();
        if first != table::NO_MOVE && left >> (first & 63) & 1 == 1 {
            // The known best move goes before any ranking.
            left &= !(1 << first);
            let flips = isa.flips(usize::from(first), board.me, board.opponent);
            replies.push(0, first, board.after(usize::from(first), flips));
        }
        loop {
            if replies.count == 0 {
                while left != 0 {
                    let square = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let next = board.after(square, isa.flips(square, board.me, board.opponent));
                    if next.me == 0 {
                        return 64;
                    }
                    let moves = isa.moves(next.me, next.opponent);
                    let mobility = (moves.count_ones() + (moves & CORNERS).count_ones()) as i32;
                    replies.push((odd >> square & 1) as i32 * 4 - 8 * mobility, square as u8, next);
                }
            }
            let Some((square, board)) = replies.take_best() else { break };
            let parity = parity ^ quadrant(usize::from(square));
            let (alpha_below, empties_below) = (-alpha - 1, empties - 1);
            let value = if empties_below <= SHALLOW {
                -isa.run(Shallow { context, board, alpha: alpha_below, empties: empties_below, parity })
            } else {
                -isa.run(Sorted { context, board, alpha: alpha_below, empties: empties_below, parity })
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
