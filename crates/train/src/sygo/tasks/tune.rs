//! Tuning of Sygo's Monte-Carlo search.

use crate::tasks::GameTask;
use crate::tasks::spsa::AnySubject;
use crate::tasks::tune::{TuneOptions, TunedSearch};
use kaeshi_learn::sygo::tune::pair;
use kaeshi_statistics::spsa::SpsaPace;
use kaeshi_sygo::rules::points::{SIZE_MAX, SIZE_MIN};
use kaeshi_sygo::search::montecarlo::MctsParameters;

const PACE: SpsaPace = SpsaPace { stride: 0.04, stability: 1_000.0, memory: 500.0 };
const SIZE: u16 = 9;
const ITERATION: u16 = 9;

/// The options of Sygo alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Sygo")]
pub(super) struct SygoTuneOptions {
    /// Board size [default: 9]
    #[arg(long, value_parser = clap::value_parser!(u16).range(SIZE_MIN as i64..=SIZE_MAX as i64))]
    size: Option<u16>,
    /// Iteration of the search that decides a turn; four more double the simulations [default: 9]
    #[arg(long, alias = "rung", value_parser = clap::value_parser!(u16).range(1..=60))]
    iteration: Option<u16>,
}

impl GameTask<TuneOptions> for SygoTuneOptions {
    fn run(&self, _: &TuneOptions) -> anyhow::Result<AnySubject> {
        let (size, iteration) = (self.size.unwrap_or(SIZE), self.iteration.unwrap_or(ITERATION));
        Ok(Box::new(TunedSearch {
            usual: MctsParameters::default(),
            pace: PACE,
            // The former name of --iteration: states of former versions go on.
            terms: format!("--game sygo --size {size} --rung {iteration}"),
            play: move |first: &_, second: &_, seed| pair(first, second, size.into(), iteration, seed),
        }))
    }
}
