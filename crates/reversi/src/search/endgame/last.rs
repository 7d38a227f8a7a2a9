//! One to four empty squares.

use super::{EndgameContext, alone};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, IsaJob};

/// No move was possible.
const NOTHING: i32 = -65;

/// The neighbours of each square.
static NEIGHBOURS: [u64; 64] = neighbours();

const fn neighbours() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut other = 0;
        while other < 64 {
            let (dx, dy) = (square as i32 % 8 - other % 8, square as i32 / 8 - other / 8);
            if other != square as i32 && dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1 {
                table[square] |= 1u64 << other;
            }
            other += 1;
        }
        square += 1;
    }
    table
}

/// Any board of at most four empties.
#[inline(always)]
pub fn solve<I: Isa>(isa: I, context: &mut EndgameContext, board: ReversiBoard, alpha: i32) -> i32 {
    let mut empty = board.empty();
    let mut next = || {
        let square = empty.trailing_zeros() as usize & 63;
        empty &= empty.wrapping_sub(1);
        square
    };
    match board.empties() {
        0 => board.final_score(),
        1 => {
            context.nodes += 1;
            one(isa, board.me, alpha, next())
        }
        2 => isa.run(Two { context, board, alpha, squares: [next(), next()] }),
        3 => isa.run(Three { context, board, alpha, squares: [next(), next(), next()] }),
        _ => isa.run(Four { context, board, alpha }),
    }
}

/// The result with one empty square; when it is not above `alpha`, an upper bound may do.
#[inline(always)]
fn one<I: Isa>(isa: I, me: u64, alpha: i32, square: usize) -> i32 {
    let own = 2 * me.count_ones() as i32 - 64;
    let turned = isa.count_last_flips(square, me) as i32;
    if turned > 0 {
        return own + 2 * turned + 2;
    }
    // Neither moves: the empty square goes to the side with more discs.
    let left = if own >= 0 { own + 2 } else { own };
    if left <= alpha {
        return left;
    }
    let opponent = !me & !(1 << square);
    match isa.count_last_flips(square, opponent) as i32 {
        0 => left,
        turned => own - 2 * turned,
    }
}

/// The discs turned over on `square`, after a quick look at its neighbours.
#[inline(always)]
fn flips<I: Isa>(isa: I, square: usize, board: ReversiBoard) -> u64 {
    if NEIGHBOURS[square & 63] & board.opponent == 0 {
        return 0;
    }
    isa.flips(square, board.me, board.opponent)
}

/// Two empty squares.
pub struct Two<'a> {
    pub context: &'a mut EndgameContext,
    pub board: ReversiBoard,
    pub alpha: i32,
    pub squares: [usize; 2],
}

impl IsaJob for Two<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Two { context, board, alpha, squares: [a, b] } = self;
        context.nodes += 1;
        let best = try_two(isa, context, board, alpha, [a, b]);
        if best != NOTHING {
            return best;
        }
        match try_two(isa, context, board.passed(), -alpha - 1, [a, b]) {
            NOTHING => board.final_score(),
            best => -best,
        }
    }
}

#[inline(always)]
fn try_two<I: Isa>(
    isa: I,
    context: &mut EndgameContext,
    board: ReversiBoard,
    alpha: i32,
    [a, b]: [usize; 2],
) -> i32 {
    let mut best = NOTHING;
    let turned = flips(isa, a, board);
    if turned != 0 {
        context.nodes += 1;
        best = -one(isa, board.opponent ^ turned, -alpha - 1, b);
        if best > alpha {
            return best;
        }
    }
    let turned = flips(isa, b, board);
    if turned != 0 {
        context.nodes += 1;
        best = best.max(-one(isa, board.opponent ^ turned, -alpha - 1, a));
    }
    best
}

/// Three empty squares.
pub struct Three<'a> {
    pub context: &'a mut EndgameContext,
    pub board: ReversiBoard,
    pub alpha: i32,
    pub squares: [usize; 3],
}

impl IsaJob for Three<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Three { context, board, alpha, squares: [a, b, c] } = self;
        context.nodes += 1;
        // A square without an empty neighbour goes first.
        let empty = board.empty();
        let is_alone = |square: usize| NEIGHBOURS[square & 63] & empty == 0;
        let squares = if is_alone(a) {
            [a, b, c]
        } else if is_alone(b) {
            [b, a, c]
        } else if is_alone(c) {
            [c, a, b]
        } else {
            [a, b, c]
        };
        let best = try_three(isa, context, board, alpha, squares);
        if best != NOTHING {
            return best;
        }
        match try_three(isa, context, board.passed(), -alpha - 1, squares) {
            NOTHING => board.final_score(),
            best => -best,
        }
    }
}

#[inline(always)]
fn try_three<I: Isa>(
    isa: I,
    context: &mut EndgameContext,
    board: ReversiBoard,
    alpha: i32,
    [a, b, c]: [usize; 3],
) -> i32 {
    let mut best = NOTHING;
    for (square, squares) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        let turned = flips(isa, square, board);
        if turned != 0 {
            let board = board.after(square, turned);
            best = best.max(-Two { context, board, alpha: -alpha - 1, squares }.run(isa));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Four empty squares.
pub struct Four<'a> {
    pub context: &'a mut EndgameContext,
    pub board: ReversiBoard,
    pub alpha: i32,
}

impl IsaJob for Four<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let Four { context, board, alpha } = self;
        context.nodes += 1;
        let empty = board.empty();
        let alone = alone(empty);
        let mut squares = [0; 4];
        let mut count = 0;
        for mut left in [alone, empty & !alone] {
            while left != 0 {
                squares[count & 3] = left.trailing_zeros() as usize;
                left &= left - 1;
                count += 1;
            }
        }
        let best = try_four(isa, context, board, alpha, squares);
        if best != NOTHING {
            return best;
        }
        match try_four(isa, context, board.passed(), -alpha - 1, squares) {
            NOTHING => board.final_score(),
            best => -best,
        }
    }
}

#[inline(always)]
fn try_four<I: Isa>(
    isa: I,
    context: &mut EndgameContext,
    board: ReversiBoard,
    alpha: i32,
    [a, b, c, d]: [usize; 4],
) -> i32 {
    let mut best = NOTHING;
    for (square, squares) in [(a, [b, c, d]), (b, [a, c, d]), (c, [a, b, d]), (d, [a, b, c])] {
        let turned = flips(isa, square, board);
        if turned != 0 {
            let board = board.after(square, turned);
            best = best.max(-isa.run(Three { context, board, alpha: -alpha - 1, squares }));
            if best > alpha {
                return best;
            }
        }
    }
    best
}
