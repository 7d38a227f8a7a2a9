//! The exact end of the game, up to [`DEPTH`] empty squares, by null windows: the side to move
//! either gets more than alpha or it does not.
//!
//! The recipe is that of Andersson's and Delorme's solvers: few empties are tried in the order of
//! parity (odd regions first), more of them in the order of the opponent's mobility, with a small
//! table of its own for each thread and a cut by stable discs.

mod last;
mod local;

use arrayvec::ArrayVec;

use crate::reversi::board::{Board, CORNERS};
use crate::reversi::simd::{Isa, Job};
use crate::reversi::{stability, table};

pub use local::Local;

/// From this many empty squares on downward this module solves without looking at the clock.
pub const DEPTH: u32 = 10;
/// From here on downward no table is asked.
const SHALLOW: u32 = 6;

/// What an exact search needs besides the board.
#[derive(Debug)]
pub struct Context {
    /// Positions looked at.
    pub nodes: u64,
    /// Positions of 7 to [`DEPTH`] empties.
    pub local: Local,
}

impl Context {
    /// Nothing counted and nothing known.
    pub fn new() -> Context {
        Context { nodes: 0, local: Local::new() }
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

/// The four quadrants.
const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];
/// Squares of the quadrants with an odd number of empty squares, by parity bits.
static ODD: [u64; 16] = odd_squares();

const fn odd_squares() -> [u64; 16] {
    let mut table = [0; 16];
    let mut parity = 0;
    while parity < 16 {
        let mut quadrant = 0;
        while quadrant < 4 {
            if parity >> quadrant & 1 == 1 {
                table[parity] |= QUADRANTS[quadrant];
            }
            quadrant += 1;
        }
        parity += 1;
    }
    table
}

/// One bit for each quadrant with an odd number of empty squares.
#[inline(always)]
fn parity(empty: u64) -> u32 {
    let mut bits = 0;
    for (i, &quadrant) in QUADRANTS.iter().enumerate() {
        bits |= ((empty & quadrant).count_ones() & 1) << i;
    }
    bits
}

/// Empty squares in quadrants with an odd number of them.
#[inline(always)]
pub fn odd_region(empty: u64) -> u64 {
    empty & ODD[parity(empty) as usize]
}

/// The bit of the quadrant of a square.
#[inline(always)]
fn quadrant(square: usize) -> u32 {
    1 << (square >> 2 & 1 | square >> 4 & 2)
}

/// Solves `board`, at most [`DEPTH`] empties, within (`alpha`, `alpha + 1`): a value above alpha
/// is a lower bound of the result, any other an upper bound.
pub struct Solve<'a> {
    /// Counter and table.
    pub context: &'a mut Context,
    /// The position, the side to move not yet known to have a move.
    pub board: Board,
    /// The lower end of the window, in discs.
    pub alpha: i32,
}

impl Job for Solve<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Solve { context, board, alpha } = self;
        let empty = board.empty();
        let empties = empty.count_ones();
        let parity = parity(empty);
        match empties {
            0..=4 => last::solve(isa, context, board, alpha),
            5..=SHALLOW => isa.run(Shallow { context, board, alpha, empties, parity }),
            _ => isa.run(Sorted { context, board, alpha, empties, parity }),
        }
    }
}

/// Five or six empties: no table, no sorting.
struct Shallow<'a> {
    context: &'a mut Context,
    board: Board,
    alpha: i32,
    empties: u32,
    parity: u32,
}

impl Job for Shallow<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Shallow { context, board, alpha, empties, parity } = self;
        context.nodes += 1;
        if stability::worth_trying(alpha, empties) {
            let most = stability::upper_bound(board);
            if most <= alpha {
                return most;
            }
        }
        let moves = isa.moves(board.me, board.opponent);
        if moves == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return board.final_score();
            }
            return -isa.run(Shallow { context, board: board.passed(), alpha: -alpha - 1, empties, parity });
        }
        let mut best = -65;
        let odd = ODD[parity as usize & 15];
        for mut left in [moves & odd, moves & !odd] {
            while left != 0 {
                let square = left.trailing_zeros() as usize;
                left &= left - 1;
                let next = board.after(square, isa.flips(square, board.me, board.opponent));
                let value = if empties == 5 {
                    -isa.run(last::Four {
                        context,
                        board: next,
                        alpha: -alpha - 1,
                        parity: parity ^ quadrant(square),
                    })
                } else {
                    -isa.run(Shallow {
                        context,
                        board: next,
                        alpha: -alpha - 1,
                        empties: empties - 1,
                        parity: parity ^ quadrant(square),
                    })
                };
                if value > alpha {
                    return value;
                }
                best = best.max(value);
            }
        }
        best
    }
}

/// Seven to [`DEPTH`] empties: own table, sorted moves.
struct Sorted<'a> {
    context: &'a mut Context,
    board: Board,
    alpha: i32,
    empties: u32,
    parity: u32,
}

/// A move with what it leads to.
#[derive(Clone, Copy)]
struct Reply {
    worth: i32,
    square: u8,
    board: Board,
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
        let key = table::key(board);
        let known = context.local.probe(key, board);
        let mut first = table::NO_MOVE;
        if let Some(known) = known {
            if i32::from(known.lower) > alpha {
                return i32::from(known.lower);
            }
            if i32::from(known.upper) <= alpha {
                return i32::from(known.upper);
            }
            first = known.best;
        }
        let mut left = isa.moves(board.me, board.opponent);
        if left == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return board.final_score();
            }
            return -isa.run(Sorted { context, board: board.passed(), alpha: -alpha - 1, empties, parity });
        }
        let mut replies: ArrayVec<Reply, { DEPTH as usize }> = ArrayVec::new();
        let odd = ODD[parity as usize & 15];
        while left != 0 {
            let square = left.trailing_zeros() as usize;
            left &= left - 1;
            let next = board.after(square, isa.flips(square, board.me, board.opponent));
            if next.me == 0 {
                return 64;
            }
            let worth = if square == usize::from(first) {
                1 << 20
            } else {
                let moves = isa.moves(next.me, next.opponent);
                let odd_bonus = (odd >> square & 1) as i32 * 4;
                odd_bonus - 8 * (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
            };
            let reply = Reply { worth, square: square as u8, board: next };
            // There are no more moves than empty squares.
            let _ = replies.try_push(reply);
            let mut at = replies.len() - 1;
            while at > 0 && replies[at - 1].worth < worth {
                replies[at] = replies[at - 1];
                at -= 1;
            }
            replies[at] = reply;
        }
        let mut best = -65;
        let mut best_square = table::NO_MOVE;
        for reply in &replies {
            let parity = parity ^ quadrant(usize::from(reply.square));
            let (board, alpha_below, empties_below) = (reply.board, -alpha - 1, empties - 1);
            let value = if empties_below <= SHALLOW {
                -isa.run(Shallow { context, board, alpha: alpha_below, empties: empties_below, parity })
            } else {
                -isa.run(Sorted { context, board, alpha: alpha_below, empties: empties_below, parity })
            };
            if value > best {
                best = value;
                best_square = reply.square;
                if value > alpha {
                    break;
                }
            }
        }
        context.local.store(key, board, alpha, best, best_square);
        best
    }
}

#[cfg(test)]
pub(crate) mod tests;
