//! What a person runs besides a GUI.

pub mod bench;
pub mod match_runner;
pub mod perft;
pub mod roster;
