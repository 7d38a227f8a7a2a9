//! Shogi: self-play, data, training, tuning, books.

pub mod learn;
pub mod tasks;
