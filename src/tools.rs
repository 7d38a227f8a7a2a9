//! What a person runs besides a GUI.

pub mod analyse;
pub mod bench;
pub mod book;
pub mod check;
mod choice;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod csa;
pub mod data;
pub mod engines;
mod furigoma;
pub mod live;
mod looks;
pub mod match_runner;
pub mod perft;
pub mod play;
pub mod roster;
mod sealed;
pub mod selfplay;
pub mod solve;
pub mod train;
pub mod tune;
mod web;
