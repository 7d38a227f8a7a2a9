//! What Sygo offers besides play.

mod network;
mod problems;
mod selfplay;
mod solve;
mod train;
mod tune;

use crate::tasks::{Offer, Tasks};

/// All of it.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::SygoOptions>()),
    train: Some(Offer::of::<train::SygoOptions>()),
    tune: Some(Offer::of::<tune::SygoOptions>()),
    solve: Some(Offer::of::<solve::SygoOptions>()),
    ..Tasks::NONE
};
