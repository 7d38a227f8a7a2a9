//! Shogi: self-play, data, training, tuning, books.

pub mod tasks;
