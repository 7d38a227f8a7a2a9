//! What a person runs besides a GUI.

pub mod match_runner;
pub mod roster;
