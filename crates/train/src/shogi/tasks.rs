//! The tasks of shogi besides play.

mod book;
mod data;
mod problems;
mod selfplay;
mod solve;
mod stats;
mod train;
mod tune;

use crate::tasks::{Offer, Tasks};

/// All tasks.
pub static TASKS: Tasks = Tasks {
    selfplay: Some(Offer::of::<selfplay::ShogiSelfplayOptions>()),
    stats: Some(Offer::of::<stats::ShogiStatsOptions>()),
    data: Some(Offer::of::<data::ShogiDataOptions>()),
    train: Some(Offer::of::<train::ShogiTrainOptions>()),
    tune: Some(Offer::of::<tune::ShogiTuneOptions>()),
    book: Some(Offer::of::<book::ShogiBookOptions>()),
    solve: Some(Offer::of::<solve::ShogiSolveOptions>()),
};
