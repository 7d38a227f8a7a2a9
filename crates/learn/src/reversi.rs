//! Self-play, training and calibration of Reversi's evaluation.

pub mod calibrate;
pub mod record;
pub mod selfplay;
pub mod train;
