//! The commands of the program for all of it.

pub mod book;
pub mod data;
pub mod live;
pub mod per_game_options;
pub mod selfplay;
pub mod solve;
pub mod train;
pub mod tune;
