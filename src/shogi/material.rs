//! What pieces are worth, in hundredths of a pawn.

use crate::game::Side;
use crate::shogi::position::Position;
use crate::shogi::types::Kind;

/// Pieces on the board. The tokin is worth far more than its moves suggest: whoever takes it gets
/// but a pawn.
pub const ON_BOARD: [i32; 16] = [100, 350, 450, 550, 950, 1100, 600, 0, 600, 600, 600, 600, 1050, 1550, 0, 0];

/// A piece in hand counts 30 per cent more, for it can be dropped anywhere.
pub const IN_HAND: [i32; 8] = {
    let mut values = [0; 8];
    let mut kind = 0;
    while kind < 7 {
        values[kind] = ON_BOARD[kind] * 13 / 10;
        kind += 1;
    }
    values
};

/// What `side` has on the board and in hand.
pub fn material(position: &Position, side: Side) -> (i32, i32) {
    let board =
        Kind::all().map(|kind| ON_BOARD[kind.index()] * position.pieces(side, kind).count() as i32).sum();
    let hand = position.hand(side);
    let held = Kind::DROPPABLE.iter().map(|&kind| IN_HAND[kind.index()] * hand.count(kind) as i32).sum();
    (board, held)
}
