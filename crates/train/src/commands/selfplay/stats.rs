//! `kaeshi selfplay stats`: what is in files of self-played games.

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, stats::StatsOptions};

/// Show what is in files of self-played games.
#[derive(Debug, clap::Args)]
pub(super) struct SelfplayStatsArgs {
    #[command(flatten)]
    common: StatsOptions,
    #[command(flatten)]
    choice: PerGameOptions<StatsTool>,
}

#[derive(Debug)]
struct StatsTool;

impl Tool for StatsTool {
    type Common = StatsOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<StatsOptions>> {
        tasks.stats.as_ref()
    }
}

impl SelfplayStatsArgs {
    /// Reads all files and prints tables.
    pub(super) fn run(&self) -> anyhow::Result<()> {
        self.choice.run(&self.common).map(|_| ())
    }
}
