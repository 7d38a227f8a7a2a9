//! The rules of shogi: positions, moves, notation.

pub mod attacks;
pub mod bitboard;
pub(crate) mod checks;
pub mod entering;
pub mod hand;
pub mod handicap;
pub mod japanese;
pub mod legality;
pub mod material;
pub mod movegen;
mod next_key;
pub mod notation;
pub mod packed;
pub mod perft;
pub mod position;
#[cfg(test)]
mod properties;
pub mod repetition;
pub mod sfen;
pub mod types;
pub mod western;
pub mod zobrist;
