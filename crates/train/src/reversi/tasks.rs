//! The tasks of Reversi besides play.

mod book;
mod errors;
mod obf;
mod problems;
mod selfplay;
mod solve;
mod train;

use crate::tasks::{Offer, Tasks};

/// All tasks.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::ReversiSelfplayOptions>()),
    train: Some(Offer::of::<train::ReversiTrainOptions>()),
    book: Some(Offer::of::<book::ReversiBookOptions>()),
    solve: Some(Offer::of::<solve::ReversiSolveOptions>()),
    ..Tasks::NONE
};
