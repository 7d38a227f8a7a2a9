//! The exact end of the game, up to [`DEPTH`] empty squares, by null windows: the side to move
//! either gets more than alpha or it does not.
//!
//! The recipe is that of Andersson's, Delorme's and Yamana's solvers: few empties are tried in the order of
//! parity (squares without an empty neighbour first), more of them in the order of the opponent's mobility,
//! with small tables for each thread and a cut by stable discs.

mod last;
mod local;
mod shallow;
mod sorted;

use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};
use kaeshi_core::game::GameError;
use shallow::ShallowEndgame;
use sorted::Sorted;

pub use local::Local;

/// From this many empty squares on downward this module solves without looking at the clock.
pub const DEPTH: u32 = 10;
/// From here on downward moves are not sorted.
const SHALLOW: u32 = 6;
/// Slots of the table for more than [`SHALLOW`] empties, and of the one for fewer: as many as stay in the second
/// cache beside the weights.
const SLOTS: (usize, usize) = (1 << 15, 1 << 13);

/// The state of an exact search besides the board. It holds the node counter of a thread, so no two contexts may lie in
/// one cache line, nor in a pair of lines that processors fetch together.
#[derive(Debug)]
#[repr(align(128))]
pub struct EndgameContext {
    /// Positions looked at.
    pub nodes: u64,
    /// Positions of 7 to [`DEPTH`] empties.
    pub local: Local,
    /// Positions of 5 and 6 empties: they would displace all others.
    pub few: Local,
}

impl EndgameContext {
    /// A context with a count of zero and empty tables.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new() -> Result<EndgameContext, GameError> {
        Ok(EndgameContext { nodes: 0, local: Local::new(SLOTS.0)?, few: Local::new(SLOTS.1)? })
    }

    /// Counts from 0, and forgets everything.
    pub fn clear(&mut self) {
        self.nodes = 0;
        self.local.clear();
        self.few.clear();
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

/// Empty squares without an empty neighbour: the side that moves there ends the region.
#[inline(always)]
fn alone(empty: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let beside = (empty << 1 & NOT_A) | (empty >> 1 & NOT_H);
    let row = empty | beside;
    empty & !(beside | row << 8 | row >> 8)
}

/// The bit of the quadrant of a square.
#[inline(always)]
fn quadrant(square: usize) -> u32 {
    1 << (square >> 2 & 1 | square >> 4 & 2)
}

/// Solves `board`, at most [`DEPTH`] empties, within (`alpha`, `alpha + 1`): a value above alpha
/// is a lower bound of the result, any other an upper bound.
pub struct EndgameSolve<'a> {
    /// Counter and table.
    pub context: &'a mut EndgameContext,
    /// The position, the side to move not yet known to have a move.
    pub board: ReversiBoard,
    /// The lower end of the window, in discs.
    pub alpha: i32,
}

impl IsaJob for EndgameSolve<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let EndgameSolve { context, board, alpha } = self;
        let empty = board.empty();
        let empties = empty.count_ones();
        if empties <= 4 {
            return last::solve(isa, context, board, alpha);
        }
        let moves = isa.moves(board.me, board.opponent);
        if empties <= SHALLOW {
            return isa.run(ShallowEndgame { context, board, alpha, empties, moves });
        }
        isa.run(Sorted { context, board, alpha, empties, parity: parity(empty), moves })
    }
}

#[cfg(test)]
pub mod tests;
