//! Files of positions for training: the options that all games share.

use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;

/// What is done with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DataAction {
    /// Write them in the form that the extension of --out names
    Convert,
    /// Count positions, results and values; --out is not needed
    Count,
    /// Write them in random order
    Shuffle,
    /// Write each position once: the first record of it counts
    Unique,
    /// Search each position again and write it with the value and move found
    Rescore,
    /// Print how far the static values of evaluations are from the values in the files; --out is not needed
    Errors,
}

impl DataAction {
    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct DataOptions {
    /// What to do
    #[arg(value_enum)]
    pub action: DataAction,
    /// Files of positions or of games, or folders of games
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The file to write; an existing one is replaced
    #[arg(long, short)]
    pub out: Option<PathBuf>,
    /// Of the random order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Memory in MiB; what does not fit is sorted into parts beside --out first
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub memory: u64,
}

impl DataOptions {
    /// The file to write.
    ///
    /// # Errors
    /// If none was named.
    pub fn out(&self) -> anyhow::Result<&PathBuf> {
        self.out.as_ref().context("--out is missing: the file to write")
    }
}
