//! What Reversi offers besides play.

mod book;
mod problems;
mod selfplay;
mod solve;
mod train;

use crate::tasks::{Offer, Tasks};

/// All of it.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::ReversiOptions>()),
    train: Some(Offer::of::<train::ReversiOptions>()),
    book: Some(Offer::of::<book::ReversiOptions>()),
    solve: Some(Offer::of::<solve::ReversiOptions>()),
    ..Tasks::NONE
};
