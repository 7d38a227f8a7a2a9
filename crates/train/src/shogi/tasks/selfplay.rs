//! Self-play of shogi.

use crate::tasks::GameTask;
use crate::tasks::selfplay::SelfplayOptions;
use kaeshi_learn::selfplay::Series;
use kaeshi_learn::shogi::selfplay::ShogiSelfplayConfig;
use kaeshi_shogi::evaluate::Evaluation;
use std::process::ExitCode;

const NODES: u64 = 1_000;
/// Random plies from the start, as stoat (github.com/ciekce/stoat) plays them.
const RANDOM: (u32, u32) = (7, 8);
/// Fewer than one game in fifteen would still have been turned (`docs/evidence/shogi.md`).
const ADJUDICATE: i16 = 4_000;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiSelfplayOptions {
    /// Nodes after which no deeper search of a move begins [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,
    /// Give a game up after four plies with this score, in centipawns [default: 4000]
    #[arg(long, value_parser = clap::value_parser!(i16).range(100..=30_000))]
    adjudicate: Option<i16>,
}

impl GameTask<SelfplayOptions> for ShogiSelfplayOptions {
    fn run(&self, common: &SelfplayOptions) -> anyhow::Result<ExitCode> {
        let plan = ShogiSelfplayConfig {
            seed: common.seed,
            nodes: self.nodes.unwrap_or(NODES),
            random: common.random(RANDOM)?,
            adjudicate: self.adjudicate.unwrap_or(ADJUDICATE),
            evaluation: Evaluation::named(&common.weights)?,
        };
        common.play(&plan)?;
        Ok(ExitCode::SUCCESS)
    }

    fn parts(&self, common: &SelfplayOptions) -> anyhow::Result<u64> {
        Ok(common.games.div_ceil(ShogiSelfplayConfig::SHARD))
    }
}
