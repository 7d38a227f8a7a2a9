//! The commands of the program for all of it.

pub mod book;
pub mod choice;
pub mod data;
pub mod live;
pub mod selfplay;
pub mod solve;
pub mod train;
pub mod tune;
