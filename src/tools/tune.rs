//! `kaeshi tune`: better numbers for the search, found by playing.

use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::game::Rejected;
use crate::games::GameName;
use crate::statistics::spsa::Pace;
use crate::sygo::rules::points::{SIZE_MAX, SIZE_MIN};
use crate::tools::spsa_job::{Job, Subject};
use crate::tools::write_whole;
use crate::tunable::Tunable;
use crate::{shogi, sygo};

const SHOGI_PACE: Pace = Pace { stride: 0.02, patience: 1_000.0, memory: 1_000.0 };
const SYGO_PACE: Pace = Pace { stride: 0.04, patience: 1_000.0, memory: 500.0 };
const NODES: u64 = 5_000;
const SIZE: u16 = 9;
const ITERATION: u16 = 9;

/// Tune the parameters of a search by games against itself.
///
/// Writes a file for the option `SearchFile` after every few games. Interrupted at any time, the
/// same command goes on where it stopped; the same seed gives the same parameters with any number of
/// threads. In Sygo the Monte-Carlo search is tuned.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game: shogi or sygo
    #[arg(long, value_enum, default_value = "shogi")]
    game: GameName,
    /// The file for the parameters; what is needed to go on is kept beside it, with .state behind the name
    #[arg(long)]
    out: PathBuf,
    /// Pairs of games
    #[arg(long, default_value_t = 10_000)]
    pairs: u64,
    /// Shogi: nodes after which no deeper search of a move begins [default: 5000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,
    /// Sygo: board size [default: 9]
    #[arg(long, value_parser = clap::value_parser!(u16).range(SIZE_MIN as i64..=SIZE_MAX as i64))]
    size: Option<u16>,
    /// Sygo: iteration of the search that decides a turn; four more double the simulations [default: 9]
    #[arg(long, alias = "rung", value_parser = clap::value_parser!(u16).range(1..=60))]
    iteration: Option<u16>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Makes the games reproducible
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    /// Plays until the pairs are there; prints the parameters before and after.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made with another seed or other games.
    pub fn run(self) -> anyhow::Result<()> {
        match self.game {
            GameName::Shogi if self.size.is_some() || self.iteration.is_some() => {
                bail!("--size and --iteration are for Sygo; shogi has --nodes")
            }
            GameName::Shogi => {
                let nodes = self.nodes.unwrap_or(NODES);
                self.tune(&Search {
                    usual: shogi::search::parameters::Parameters::default(),
                    pace: SHOGI_PACE,
                    terms: format!("--game shogi --nodes {nodes}"),
                    play: move |first: &_, second: &_, seed| {
                        shogi::learn::tune::pair(first, second, nodes, seed)
                    },
                })
            }
            GameName::Sygo if self.nodes.is_some() => {
                bail!("--nodes is for shogi; Sygo has --size and --iteration")
            }
            GameName::Sygo => {
                let (size, iteration) = (self.size.unwrap_or(SIZE), self.iteration.unwrap_or(ITERATION));
                self.tune(&Search {
                    usual: sygo::search::montecarlo::Parameters::default(),
                    pace: SYGO_PACE,
                    // The former name of --iteration: states of former versions go on.
                    terms: format!("--game sygo --size {size} --rung {iteration}"),
                    play: move |first: &_, second: &_, seed| {
                        sygo::learn::tune::pair(first, second, size.into(), iteration, seed)
                    },
                })
            }
            GameName::Reversi => {
                bail!("Reversi's search has no parameters to tune; there are shogi and sygo")
            }
        }
    }

    fn tune<T, F>(&self, search: &Search<T, F>) -> anyhow::Result<()>
    where
        T: Tunable + Sync,
        F: Fn(&T, &T, u64) -> Result<f64, Rejected> + Sync,
    {
        let job = Job { out: &self.out, pairs: self.pairs, threads: self.threads, seed: self.seed };
        let tuned = search.usual.with_tunable(&job.run(search)?.averaged).tunable();
        for (((name, _), before), after) in T::TUNABLE.iter().zip(search.usual.tunable()).zip(tuned) {
            println!("{name:<24} {before:>8} {after:>8}");
        }
        Ok(())
    }
}

/// The parameters of a search, and how to play a pair of games by two sets of them.
struct Search<T, F> {
    usual: T,
    pace: Pace,
    terms: String,
    play: F,
}

impl<T, F> Subject for Search<T, F>
where
    T: Tunable + Sync,
    F: Fn(&T, &T, u64) -> Result<f64, Rejected> + Sync,
{
    fn numbers(&self) -> Vec<(&'static str, f64)> {
        T::TUNABLE.to_vec()
    }

    fn start(&self) -> Vec<f64> {
        self.usual.tunable()
    }

    fn pace(&self) -> Pace {
        self.pace
    }

    fn terms(&self) -> String {
        self.terms.clone()
    }

    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, Rejected> {
        (self.play)(&self.usual.with_tunable(first), &self.usual.with_tunable(second), seed)
    }

    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
        write_whole(out, self.usual.with_tunable(values).to_text().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_for_the_search_is_made_of_games() {
        let folder = tempfile::tempdir().expect("a folder");
        for game in [GameName::Shogi, GameName::Sygo] {
            let out = folder.path().join(game.name());
            let in_shogi = game == GameName::Shogi;
            let args = Args {
                game,
                out: out.clone(),
                pairs: 8,
                nodes: in_shogi.then_some(20),
                size: (!in_shogi).then_some(4),
                iteration: (!in_shogi).then_some(1),
                threads: 2,
                seed: 3,
            };
            args.run().expect("room");
            let name = out.display().to_string();
            if in_shogi {
                assert!(shogi::search::parameters::Parameters::named(&name).is_ok());
            } else {
                assert!(sygo::search::montecarlo::Parameters::named(&name).is_ok());
            }
        }
    }
}
