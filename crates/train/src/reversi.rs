//! Reversi: self-play, training, books, solving.

pub mod tasks;
