//! `kaeshi selfplay`: games against itself, the material of `kaeshi train`.

mod stats;

use std::path::Path;

use anyhow::bail;

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, selfplay::SelfplayOptions};
use kaeshi_system::background;

/// Play games against itself and keep them in a folder.
///
/// Run the same command to resume after an interruption; with the same options it
/// makes the same files.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub struct SelfplayArgs {
    #[command(subcommand)]
    task: Option<SelfplayCommand>,
    #[command(flatten)]
    common: SelfplayOptions,
    /// Run at the lowest priority, on processors that are idle
    #[arg(long)]
    background: bool,
    #[command(flatten)]
    choice: PerGameOptions<SelfplayTool>,
}

/// Subcommands on files of games.
#[derive(Debug, clap::Subcommand)]
enum SelfplayCommand {
    Stats(stats::SelfplayStatsArgs),
}

#[derive(Debug)]
struct SelfplayTool;

impl Tool for SelfplayTool {
    type Common = SelfplayOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<SelfplayOptions>> {
        tasks.selfplay.as_ref()
    }
}

impl SelfplayArgs {
    /// Whether the command only prints the content of files.
    pub fn only_prints(&self) -> bool {
        self.task.is_some()
    }

    /// Plays until the games are there.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        if let Some(SelfplayCommand::Stats(stats)) = self.task {
            return stats.run();
        }
        if self.background {
            background::give_way()?;
        }
        self.choice.run(&self.common).map(|_| ())
    }
}

impl SelfplayArgs {
    /// How many files it makes, one for each part of a pool's work.
    ///
    /// # Errors
    /// If it makes none.
    pub fn files(&self) -> anyhow::Result<u64> {
        if self.task.is_some() || self.common.only.is_some() {
            bail!("stats and --only: not for a pool");
        }
        self.choice.parts(&self.common)
    }

    /// The file of the evaluation, unless the program holds it.
    pub fn weights_file(&self) -> Option<&Path> {
        let held = ["embedded", "hand"].contains(&self.common.weights.as_str());
        (!held).then(|| self.common.weights.as_ref())
    }
}
