//! Values of pieces in exchanges, in centipawns, as customary in shogi engines.

/// Pieces by their full value. The tokin is worth far more than its moves suggest: a side that takes
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
/// article takes 30 per cent.)
pub const IN_HAND: [i32; 8] = {
    let mut values = [0; 8];
    let mut kind = 0;
    while kind < 7 {
        values[kind] = FULL[kind];
        kind += 1;
    }
    values
};
