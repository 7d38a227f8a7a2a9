//! The rules of Reversi: boards, moves, notation.

pub mod board;
pub mod notation;
pub mod perft;
pub mod position;
pub mod simd;
