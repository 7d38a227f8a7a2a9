//! Keys of positions: XOR over the board, sums over the hands.
//!
//! Board and hands are kept apart, so that positions that differ only in hand can be compared.

use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;
use kaeshi_core::random::SplitMix;

struct ZobristKeys {
    board: [[u64; 128]; 32],
    hand: [[u64; 8]; 2],
    side: u64,
}

static KEYS: ZobristKeys = {
    let mut random = SplitMix::new(0x6b61_6573_6869);
    let mut keys = ZobristKeys { board: [[0; 128]; 32], hand: [[0; 8]; 2], side: random.draw() };
    let mut piece = 0;
    while piece < 32 {
        let mut square = 0;
        while square < 81 {
            keys.board[piece][square] = random.draw();
            square += 1;
        }
        piece += 1;
    }
    let mut kind = 0;
    while kind < 7 {
        // Odd multipliers, so that no count of pieces up to 18 maps to that of another.
        keys.hand[0][kind] = random.draw() | 1;
        keys.hand[1][kind] = random.draw() | 1;
        kind += 1;
    }
    keys
};

/// The key of a piece on a square.
#[inline(always)]
pub fn on_board(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.index()][square.index()]
}

/// The key of one piece in hand.
#[inline(always)]
pub fn in_hand(side: Side, kind: PieceKind) -> u64 {
    KEYS.hand[side.index()][(kind.0 & 7) as usize]
}

/// The key of White being to move.
#[inline(always)]
pub fn white_to_move() -> u64 {
    KEYS.side
}
