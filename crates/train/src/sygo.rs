//! Sygo: self-play, training, tuning, solving.

pub mod tasks;
