//! The tasks of Sygo besides play.

mod network;
mod problems;
mod selfplay;
mod solve;
mod stats;
mod train;
mod tune;

use crate::tasks::{Offer, Tasks};

/// All tasks.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::SygoSelfplayOptions>()),
    stats: Some(Offer::of::<stats::SygoStatsOptions>()),
    train: Some(Offer::of::<train::SygoTrainOptions>()),
    tune: Some(Offer::of::<tune::SygoTuneOptions>()),
    solve: Some(Offer::of::<solve::SygoSolveOptions>()),
    ..Tasks::NONE
};
