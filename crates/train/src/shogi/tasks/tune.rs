//! Tuning of shogi's search.

use crate::tasks::GameTask;
use crate::tasks::spsa::AnySubject;
use crate::tasks::tune::{TuneOptions, TunedSearch};
use kaeshi_learn::shogi::tune::pair;
use kaeshi_shogi::search::parameters::ShogiSearchParameters;
use kaeshi_statistics::spsa::SpsaPace;

const PACE: SpsaPace = SpsaPace { stride: 0.02, stability: 1_000.0, memory: 1_000.0 };
const NODES: u64 = 5_000;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiTuneOptions {
    /// Nodes after which no deeper search of a move begins [default: 5000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,
}

impl GameTask<TuneOptions> for ShogiTuneOptions {
    fn run(&self, _: &TuneOptions) -> anyhow::Result<AnySubject> {
        let nodes = self.nodes.unwrap_or(NODES);
        Ok(Box::new(TunedSearch {
            usual: ShogiSearchParameters::default(),
            pace: PACE,
            terms: format!("--game shogi --nodes {nodes}"),
            play: move |first: &_, second: &_, seed| pair(first, second, nodes, seed),
        }))
    }
}
