//! Self-play, training and tuning of shogi's evaluation and search.

pub mod dataset;
pub mod labelled;
pub mod position_file;
pub mod record;
pub mod selfplay;
pub mod train;
pub mod tune;
