//! Self-play of Reversi.

use anyhow::bail;
use kaeshi_learn::reversi::selfplay::{ReversiSelfplayConfig, duel};
use kaeshi_reversi::evaluate::weights::ReversiWeights;
use std::process::ExitCode;

use crate::tasks::GameTask;
use crate::tasks::selfplay::SelfplayOptions;
use kaeshi_learn::selfplay::Series;
use kaeshi_system::output::{progress_bar, say};

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiSelfplayOptions {
    /// Plies searched for each move [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: Option<u32>,
    /// From this many empty squares on every move is exact [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=24))]
    exact: Option<u32>,
    /// After the random plies at the beginning one ply in N is random, too; 0 for none
    /// [default: 0]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=1000))]
    stray: Option<u32>,
    /// Random plies prefer good moves: a loss of N discs makes one rarer by the factor e; 0 if all moves
    /// are as likely [default: 0]
    #[arg(long, value_name = "DISCS", value_parser = clap::value_parser!(u32).range(0..=64))]
    temperature: Option<u32>,
    /// Instead of keeping games, play them against this other evaluation and print who wins: every
    /// random opening twice, with colours exchanged
    #[arg(long, value_name = "WEIGHTS")]
    against: Option<String>,
}

impl GameTask<SelfplayOptions> for ReversiSelfplayOptions {
    fn run(&self, common: &SelfplayOptions) -> anyhow::Result<ExitCode> {
        let plan = ReversiSelfplayConfig {
            weights: ReversiWeights::named(&common.weights)?,
            depth: self.depth.unwrap_or(5),
            exact: self.exact.unwrap_or(12),
            random: common.random((6, 40))?,
            stray: self.stray.unwrap_or(0),
            temperature: self.temperature.unwrap_or(0),
            seed: common.seed,
        };
        if let Some(other) = &self.against {
            against(&plan, other, common.games)?;
            return Ok(ExitCode::SUCCESS);
        }
        common.play(&plan)?;
        Ok(ExitCode::SUCCESS)
    }

    fn parts(&self, common: &SelfplayOptions) -> anyhow::Result<u64> {
        if self.against.is_some() {
            bail!("--against: not for a pool");
        }
        Ok(common.games.div_ceil(ReversiSelfplayConfig::SHARD))
    }
}

fn against(plan: &ReversiSelfplayConfig, other: &str, games: u64) -> anyhow::Result<()> {
    let pairs = (games / 2).max(1);
    let bar = progress_bar(pairs, "pairs of games");
    let tally = duel(plan, &ReversiWeights::named(other)?, pairs, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    say(format_args!("wins {} draws {} losses {}", tally.wins, tally.draws, tally.losses));
    Ok(())
}
