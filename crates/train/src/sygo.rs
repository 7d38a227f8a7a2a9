//! Sygo: self-play, training, tuning, solving.

pub mod learn;
pub mod tasks;
