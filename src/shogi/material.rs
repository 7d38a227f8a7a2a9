//! What pieces are worth, in hundredths of a pawn, and the king's places.
//!
//! [`Position`](crate::shogi::position::Position) keeps the sum up to date with every move.

use crate::game::Side;
use crate::shogi::types::{Kind, Piece, Square};

/// Pieces by their full value. The tokin is worth far more than its moves suggest: whoever takes
/// it gets but a pawn.
const FULL: [i32; 16] = [100, 350, 450, 550, 950, 1100, 600, 0, 600, 600, 600, 600, 1050, 1550, 0, 0];

/// Pieces on the board.
pub const ON_BOARD: [i32; 16] = {
    let mut values = FULL;
    let mut kind = 0;
    while kind < 16 {
        values[kind] = values[kind] * 9 / 10;
        kind += 1;
    }
    values
};

/// Pieces in hand count a ninth more than on the board, for they can be dropped anywhere. (The
/// article takes 30 per cent; the attack terms give the pieces on the board the rest.)
pub const IN_HAND: [i32; 8] = {
    let mut values = [0; 8];
    let mut kind = 0;
    while kind < 7 {
        values[kind] = FULL[kind];
        kind += 1;
    }
    values
};

/// The king's file, from the middle outwards, and rank, from its own side up.
const KING_FILE: [i32; 5] = [0, 15, 50, 70, 45];
const KING_RANK: [i32; 9] = [15, 30, 0, -60, -120, -130, -80, -40, -30];

/// By piece and square, as Black sees the balance.
static PLACED: [[i32; 128]; 32] = {
    let mut table = [[0; 128]; 32];
    let mut kind = 0;
    while kind < 14 {
        let mut number = 0;
        while number < 81 {
            let square = Square(number);
            let mut value = ON_BOARD[kind as usize];
            if kind == Kind::KING.0 {
                value = KING_FILE[square.file().abs_diff(4) as usize] + KING_RANK[8 - square.rank() as usize];
            }
            table[Piece::new(Side::First, Kind(kind)).index()][number as usize] = value;
            table[Piece::new(Side::Second, Kind(kind)).index()][80 - number as usize] = -value;
            number += 1;
        }
        kind += 1;
    }
    table
};

/// What a piece on this square adds to Black's balance.
#[inline(always)]
pub(crate) fn placed(piece: Piece, square: Square) -> i32 {
    PLACED[piece.index()][square.index()]
}

/// What a piece in `side`'s hand adds to Black's balance.
#[inline(always)]
pub(crate) fn held(side: Side, kind: Kind) -> i32 {
    let value = IN_HAND[(kind.0 & 7) as usize];
    match side {
        Side::First => value,
        Side::Second => -value,
    }
}
