//! The last plies before the evaluation: no table, no sorting beyond a fixed order of squares.

use super::{IndexedBoard, MidgameSearch};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};

/// Squares in the order in which they are tried: corners, then squares that are usually good, X-squares last.
const ORDER: [u64; 5] = [
    0x8100_0000_0000_0081,
    0x2400_8100_0081_0024,
    0x183c_bdff_ffbd_3c18 & !0x8100_0000_0000_0081 & !0x0000_8100_0081_0000,
    0x4281_4200_0042_8142 & !0x0042_0000_0000_4200,
    0x0042_0000_0000_4200,
];

/// A search of at most two plies within a window, fail-soft.
pub struct ShallowMidgame<'s, 'a> {
    /// The running search.
    pub search: &'s mut MidgameSearch<'a>,
    /// The position.
    pub node: &'s IndexedBoard,
    /// Lower end of the window, in discs.
    pub alpha: i32,
    /// Upper end.
    pub beta: i32,
    /// Plies to go.
    pub depth: u32,
}

impl IsaJob for ShallowMidgame<'_, '_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let ShallowMidgame { search, node, alpha, beta, depth } = self;
        search.control.add_nodes(1);
        if depth == 0 {
            return search.evaluate(isa, node, (alpha, beta));
        }
        let board = node.board;
        let legal = isa.moves(board.me, board.opponent);
        if legal == 0 {
            if isa.moves(board.opponent, board.me) == 0 {
                return board.final_score();
            }
            let next = node.passed(search.geometry);
            return -isa.run(ShallowMidgame { search, node: &next, alpha: -beta, beta: -alpha, depth });
        }
        let mut best = -65;
        let mut lower = alpha;
        for set in ORDER {
            let mut left = legal & set;
            while left != 0 {
                let square = left.trailing_zeros() as usize;
                left &= left - 1;
                let value = -after(isa, search, node, square, (-beta, -lower), depth - 1);
                best = best.max(value);
                if best >= beta {
                    return best;
                }
                lower = lower.max(best);
            }
        }
        best
    }
}

/// Value after one move, for the other side.
#[inline(always)]
fn after<I: Isa>(
    isa: I,
    search: &mut MidgameSearch,
    node: &IndexedBoard,
    square: usize,
    (alpha, beta): (i32, i32),
    depth: u32,
) -> i32 {
    let board: ReversiBoard = node.board;
    let flips = isa.flips(square, board.me, board.opponent);
    let board = board.after(square, flips);
    if board.me == 0 {
        return -64;
    }
    let next = IndexedBoard { board, indices: node.indices.after(search.geometry, square, flips) };
    if depth == 0 {
        search.control.add_nodes(1);
        return search.evaluate(isa, &next, (alpha, beta));
    }
    isa.run(ShallowMidgame { search, node: &next, alpha, beta, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_holds_every_square_once() {
        let mut seen = 0;
        for set in ORDER {
            assert_eq!(seen & set, 0);
            seen |= set;
        }
        assert_eq!(seen, u64::MAX);
    }
}
