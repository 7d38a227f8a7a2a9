//! Tuning of a search: the options that all games share, and the search as a subject of SPSA.

use std::path::{Path, PathBuf};

use crate::tasks::spsa::{BATCH, TuningRun, TuningSubject};
use kaeshi_core::game::GameError;
use kaeshi_core::tunable::Tunable;
use kaeshi_statistics::spsa::SpsaPace;
use kaeshi_system::output::write_whole;

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct TuneOptions {
    /// The file for the parameters; the state to resume from lies beside it, with .state behind the name
    #[arg(long)]
    pub out: PathBuf,
    /// Pairs of games
    #[arg(long, default_value_t = 10_000)]
    pub pairs: u64,
    /// Pairs that begin with the same values, and can be played at once
    #[arg(long, default_value_t = BATCH, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub batch: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Makes the games reproducible
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl TuneOptions {
    /// The tuning to run.
    pub fn job(&self) -> TuningRun {
        TuningRun { out: self.out.clone(), pairs: self.pairs, batch: self.batch, seed: self.seed }
    }
}

/// The parameters of a search, and how to play a pair of games by two sets of them.
pub struct TunedSearch<T, F> {
    /// The start values of tuning.
    pub usual: T,
    /// How fast to learn.
    pub pace: SpsaPace,
    /// The options on which the games depend, as on the command line.
    pub terms: String,
    /// Plays a pair by two sets and a seed: -2 to 2 for the first.
    pub play: F,
}

impl<T, F> TuningSubject for TunedSearch<T, F>
where
    T: Tunable + Sync,
    F: Fn(&T, &T, u64) -> Result<f64, GameError> + Sync,
{
    fn numbers(&self) -> Vec<(String, f64)> {
        T::TUNABLE.iter().map(|&(name, step)| (name.to_owned(), step)).collect()
    }

    fn start(&self) -> Vec<f64> {
        self.usual.tunable()
    }

    fn pace(&self) -> SpsaPace {
        self.pace
    }

    fn terms(&self) -> String {
        self.terms.clone()
    }

    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, GameError> {
        (self.play)(&self.usual.with_tunable(first), &self.usual.with_tunable(second), seed)
    }

    fn shown(&self, values: &[f64]) -> Vec<String> {
        self.usual.with_tunable(values).tunable().iter().map(f64::to_string).collect()
    }

    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
        write_whole(out, self.usual.with_tunable(values).to_text().as_bytes())
    }
}
