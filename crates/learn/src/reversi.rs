//! Self-play, training and calibration of Reversi's evaluation.

pub mod calibrate;
pub mod network;
pub mod record;
pub mod selfplay;
pub mod train;
