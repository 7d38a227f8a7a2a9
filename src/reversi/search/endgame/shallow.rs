//! Five to [`SHALLOW`](super::SHALLOW) empty squares: no table, no sorting.

use super::{Context, ODD, last, quadrant};
use crate::reversi::rules::board::Board;
use crate::reversi::rules::simd::{Isa, Job};
use crate::reversi::search::stability;

/// The squares beside the corners, which are tried last.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// The side to move with few empty squares, not yet known to have a move.
pub struct Shallow<'a> {
    pub context: &'a mut Context,
    pub board: Board,
    pub alpha: i32,
    pub empties: u32,
    pub parity: u32,
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
        let (first, last) = (moves & odd, moves & !odd);
        for mut left in
            [first & !BESIDE_CORNERS, first & BESIDE_CORNERS, last & !BESIDE_CORNERS, last & BESIDE_CORNERS]
        {
            while left != 0 {
                let square = left.trailing_zeros() as usize;
                left &= left - 1;
                let board = board.after(square, isa.flips(square, board.me, board.opponent));
                let (alpha_below, parity) = (-alpha - 1, parity ^ quadrant(square));
                let value = if empties == 5 {
                    -isa.run(last::Four { context, board, alpha: alpha_below, parity })
                } else {
                    -isa.run(Shallow { context, board, alpha: alpha_below, empties: empties - 1, parity })
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
