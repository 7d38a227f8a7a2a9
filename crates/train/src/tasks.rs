//! The tasks that a game may offer besides play: self-play, data, training, tuning, books, solving.
//!
//! Each game has a [`Tasks`] value with its tasks, and one table lists these values; so no command knows a game, and no
//! game knows a command.

pub mod book;
pub mod data;
pub mod problems;
pub mod selfplay;
pub mod solve;
pub mod spsa;
pub mod stats;
pub mod train;
pub mod tune;

use std::fmt::Debug;
use std::process::ExitCode;

use anyhow::bail;
use clap::{ArgMatches, Command};

/// The tasks that a game offers, by command.
#[derive(Debug)]
pub struct Tasks {
    /// Games against itself.
    pub selfplay: Option<Offer<selfplay::SelfplayOptions>>,
    /// Statistics of files of such games.
    pub stats: Option<Offer<stats::StatsOptions>>,
    /// Files of positions for training.
    pub data: Option<Offer<data::DataOptions>>,
    /// Fits an evaluation.
    pub train: Option<Offer<train::TrainOptions>>,
    /// Tunes the parameters of a search.
    pub tune: Option<Offer<tune::TuneOptions>>,
    /// Makes an opening book.
    pub book: Option<Offer<book::BookOptions>>,
    /// Solves positions.
    pub solve: Option<Offer<solve::SolveOptions>>,
}

impl Tasks {
    /// A game that offers play only.
    pub const NONE: Tasks =
        Tasks { selfplay: None, stats: None, data: None, train: None, tune: None, book: None, solve: None };
}

/// The options that all games share for one tool.
pub trait ToolOptions {
    /// The result of a task: an exit status, or an object that the command works with.
    type Made;
}

impl ToolOptions for selfplay::SelfplayOptions {
    type Made = ExitCode;
}

impl ToolOptions for stats::StatsOptions {
    type Made = ExitCode;
}

impl ToolOptions for data::DataOptions {
    type Made = ExitCode;
}

impl ToolOptions for train::TrainOptions {
    type Made = ExitCode;
}

impl ToolOptions for tune::TuneOptions {
    type Made = spsa::AnySubject;
}

impl ToolOptions for book::BookOptions {
    type Made = ExitCode;
}

impl ToolOptions for solve::SolveOptions {
    type Made = ExitCode;
}

/// A game's own options for a tool, and the work that they describe. The names of options are unique among
/// all games that offer the same.
pub trait GameTask<C: ToolOptions>: clap::Args + Default + PartialEq + Debug + 'static {
    /// Does the work; `common` are the options that all games share.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written.
    fn run(&self, common: &C) -> anyhow::Result<C::Made>;

    /// Into how many parts the work falls that a pool may do one by one.
    ///
    /// # Errors
    /// If it is no work for a pool.
    fn parts(&self, _common: &C) -> anyhow::Result<u64> {
        bail!("this is no work for a pool")
    }
}

/// Options as they were typed, of whichever game.
pub trait GivenOptions<C: ToolOptions>: Debug {
    /// Whether any option was given.
    fn is_given(&self) -> bool;
    /// As [`GameTask::run`].
    ///
    /// # Errors
    /// As there.
    fn run(&self, common: &C) -> anyhow::Result<C::Made>;
    /// As [`GameTask::parts`].
    ///
    /// # Errors
    /// As there.
    fn parts(&self, common: &C) -> anyhow::Result<u64>;
}

impl<C: ToolOptions, T: GameTask<C>> GivenOptions<C> for T {
    fn is_given(&self) -> bool {
        *self != T::default()
    }

    fn run(&self, common: &C) -> anyhow::Result<C::Made> {
        GameTask::run(self, common)
    }

    fn parts(&self, common: &C) -> anyhow::Result<u64> {
        GameTask::parts(self, common)
    }
}

/// Options of a game whose type is not known.
pub type AnyTask<C> = Box<dyn GivenOptions<C>>;

/// Reads the options of a task from the command line.
pub type Read<C> = fn(&ArgMatches) -> Result<AnyTask<C>, clap::Error>;

/// A [`GameTask`] whose type is not known.
#[derive(Debug)]
pub struct Offer<C: ToolOptions + 'static> {
    /// Adds its options to a command.
    pub augment: fn(Command) -> Command,
    /// Reads them from the command line.
    pub read: Read<C>,
}

impl<C: ToolOptions> Offer<C> {
    /// The offer of a task.
    pub const fn of<T: GameTask<C>>() -> Offer<C> {
        Offer {
            augment: |command| T::augment_args(command),
            read: |typed| Ok(Box::new(T::from_arg_matches(typed)?)),
        }
    }
}
