//! What a game may offer besides play: self-play, data, training, tuning, books, solving.
//!
//! A game's folder says in its [`Tasks`] what it can do, and one table
//! of the tools lists them; so no tool knows the games, and no game knows the tools.

pub mod book;
pub mod data;
pub mod problems;
pub mod selfplay;
pub mod solve;
pub mod spsa;
pub mod train;
pub mod tune;

use std::fmt::Debug;
use std::process::ExitCode;

use anyhow::bail;
use clap::{ArgMatches, Command};

/// What a game can do for each tool.
#[derive(Debug)]
pub struct Tasks {
    /// Games against itself.
    pub selfplay: Option<Offer<selfplay::Common>>,
    /// Files of positions for training.
    pub data: Option<Offer<data::Common>>,
    /// Fits an evaluation.
    pub train: Option<Offer<train::Common>>,
    /// Tunes the parameters of a search.
    pub tune: Option<Offer<tune::Common>>,
    /// Makes an opening book.
    pub book: Option<Offer<book::Common>>,
    /// Solves positions.
    pub solve: Option<Offer<solve::Common>>,
}

impl Tasks {
    /// Nothing but play.
    pub const NONE: Tasks =
        Tasks { selfplay: None, data: None, train: None, tune: None, book: None, solve: None };
}

/// The options that all games share for one tool.
pub trait Shared {
    /// What a game makes of them and of its own ones: the end of the work, or what the tool works with.
    type Made;
}

impl Shared for selfplay::Common {
    type Made = ExitCode;
}

impl Shared for data::Common {
    type Made = ExitCode;
}

impl Shared for train::Common {
    type Made = ExitCode;
}

impl Shared for tune::Common {
    type Made = spsa::AnySubject;
}

impl Shared for book::Common {
    type Made = ExitCode;
}

impl Shared for solve::Common {
    type Made = ExitCode;
}

/// A game's own options for a tool, and the work that they describe. The names of options are unique among
/// all games that offer the same.
pub trait Task<C: Shared>: clap::Args + Default + PartialEq + Debug + 'static {
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
pub trait Typed<C: Shared>: Debug {
    /// Whether any option was given.
    fn is_given(&self) -> bool;
    /// As [`Task::run`].
    ///
    /// # Errors
    /// As there.
    fn run(&self, common: &C) -> anyhow::Result<C::Made>;
    /// As [`Task::parts`].
    ///
    /// # Errors
    /// As there.
    fn parts(&self, common: &C) -> anyhow::Result<u64>;
}

impl<C: Shared, T: Task<C>> Typed<C> for T {
    fn is_given(&self) -> bool {
        *self != T::default()
    }

    fn run(&self, common: &C) -> anyhow::Result<C::Made> {
        Task::run(self, common)
    }

    fn parts(&self, common: &C) -> anyhow::Result<u64> {
        Task::parts(self, common)
    }
}

/// Options of a game whose type is not known.
pub type AnyTask<C> = Box<dyn Typed<C>>;

/// Takes options out of what was typed.
pub type Read<C> = fn(&ArgMatches) -> Result<AnyTask<C>, clap::Error>;

/// A [`Task`] whose type is not known.
#[derive(Debug)]
pub struct Offer<C: Shared + 'static> {
    /// Adds its options to a command.
    pub augment: fn(Command) -> Command,
    /// Takes them out of what was typed.
    pub read: Read<C>,
}

impl<C: Shared> Offer<C> {
    /// The offer of a task.
    pub const fn of<T: Task<C>>() -> Offer<C> {
        Offer {
            augment: |command| T::augment_args(command),
            read: |typed| Ok(Box::new(T::from_arg_matches(typed)?)),
        }
    }
}
