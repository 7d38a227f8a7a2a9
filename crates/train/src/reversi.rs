//! Reversi: self-play, training, books, solving.

pub mod learn;
pub mod tasks;
