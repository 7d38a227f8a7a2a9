//! Self-play, training and tuning of Sygo's evaluation and search.

pub mod network;
pub mod selfplay;
pub mod train;
pub mod tune;
