//! What shogi offers besides play.

mod book;
mod data;
mod problems;
mod selfplay;
mod solve;
mod train;
mod tune;

use crate::tasks::{Offer, Tasks};

/// All of it.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::ShogiOptions>()),
    data: Some(Offer::of::<data::ShogiOptions>()),
    train: Some(Offer::of::<train::ShogiOptions>()),
    tune: Some(Offer::of::<tune::ShogiOptions>()),
    book: Some(Offer::of::<book::ShogiOptions>()),
    solve: Some(Offer::of::<solve::ShogiOptions>()),
};
