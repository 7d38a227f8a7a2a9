//! Self-play, training and tuning of Sygo's evaluation and search.

mod games;
pub mod network;
pub mod selfplay;
pub mod statistics;
pub mod train;
pub mod tune;
