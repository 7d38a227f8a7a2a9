//! Self-play of Reversi.

use crate::reversi::evaluate::weights::Weights;
use crate::reversi::learn::selfplay::{Plan, duel};
use crate::tools::progress_bar;
use crate::tools::selfplay::Common;

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiOptions {
    /// Plies searched for each move [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: Option<u32>,
    /// From this many empty squares on every move is exact [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=24))]
    exact: Option<u32>,
    /// After the random plies at the beginning one ply in so many is random, too; 0 for none
    /// [default: 0]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=1000))]
    stray: Option<u32>,
    /// Instead of keeping games, play them against this other evaluation and print who wins: every
    /// random opening twice, with colours exchanged
    #[arg(long, value_name = "WEIGHTS")]
    against: Option<String>,
}

impl ReversiOptions {
    /// Whether it is no self-play at all.
    #[cfg(feature = "cluster")]
    pub(super) fn is_duel(&self) -> bool {
        self.against.is_some()
    }

    /// Plays until the games are there.
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<()> {
        let plan = Plan {
            weights: Weights::named(&common.weights)?,
            depth: self.depth.unwrap_or(5),
            exact: self.exact.unwrap_or(12),
            random: common.random((6, 40))?,
            stray: self.stray.unwrap_or(0),
            seed: common.seed,
        };
        if let Some(other) = &self.against {
            return against(&plan, other, common.games);
        }
        common.play(&plan)
    }
}

fn against(plan: &Plan, other: &str, games: u64) -> anyhow::Result<()> {
    let pairs = (games / 2).max(1);
    let bar = progress_bar(pairs, "pairs of games");
    let tally = duel(plan, &Weights::named(other)?, pairs, |done| bar.set_position(done))?;
    bar.finish_and_clear();
    println!("wins {} draws {} losses {}", tally.wins, tally.draws, tally.losses);
    Ok(())
}
