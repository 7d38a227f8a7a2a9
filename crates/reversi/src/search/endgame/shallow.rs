//! Five to [`SHALLOW`](super::SHALLOW) empty squares: a table, but no sorting.

use super::{EndgameContext, alone, last};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};
use crate::search::stability;
use crate::search::table::NO_MOVE;

/// The squares beside the corners, which are tried last.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// The side to move with few empty squares, and its moves; there may be none.
pub struct ShallowEndgame<'a> {
    pub context: &'a mut EndgameContext,
    pub board: ReversiBoard,
    pub alpha: i32,
    pub empties: u32,
    pub moves: u64,
}

impl IsaJob for ShallowEndgame<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let ShallowEndgame { context, board, alpha, empties, moves } = self;
        context.nodes += 1;
        if let Some(most) = stability::cutoff(board, alpha, empties) {
            return most;
        }
        if moves == 0 {
            let replies = isa.moves(board.opponent, board.me);
            if replies == 0 {
                return board.final_score();
            }
            let (board, alpha, moves) = (board.passed(), -alpha - 1, replies);
            return -isa.run(ShallowEndgame { context, board, alpha, empties, moves });
        }
        if let Some(value) = context.few.probe(board).and_then(|known| known.settles(alpha)) {
            return value;
        }
        let mut best = -65;
        let first = moves & alone(board.empty());
        let last = moves & !first;
        'moves: for mut left in
            [first & !BESIDE_CORNERS, first & BESIDE_CORNERS, last & !BESIDE_CORNERS, last & BESIDE_CORNERS]
        {
            while left != 0 {
                let square = left.trailing_zeros() as usize;
                left &= left - 1;
                let board = board.after(square, isa.flips(square, board.me, board.opponent));
                let (alpha_below, empties) = (-alpha - 1, empties - 1);
                let value = if empties == 4 {
                    -isa.run(last::Four { context, board, alpha: alpha_below })
                } else {
                    context.few.prefetch(board);
                    let moves = isa.moves(board.me, board.opponent);
                    -isa.run(ShallowEndgame { context, board, alpha: alpha_below, empties, moves })
                };
                best = best.max(value);
                if value > alpha {
                    break 'moves;
                }
            }
        }
        context.few.store(board, alpha, best, NO_MOVE);
        best
    }
}
