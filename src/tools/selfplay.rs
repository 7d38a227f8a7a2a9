//! `kaeshi selfplay`: games against itself, the material of `kaeshi train`.

mod background;
mod rate;
mod reversi;
mod shogi;
mod stats;
mod sygo;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::games::GameName;
use crate::selfplay::{Progress, Series, run};
use crate::tools::refuse_others;
use rate::Rate;

/// Play games against itself and keep them in a folder.
///
/// Interrupted at any time, the same command goes on where it stopped; with the same options it
/// makes the same files.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub struct Args {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    reversi: reversi::ReversiOptions,
    #[command(flatten)]
    shogi: shogi::ShogiOptions,
    #[command(flatten)]
    sygo: sygo::SygoOptions,
}

/// What else can be done with games.
#[derive(Debug, clap::Subcommand)]
enum Task {
    Stats(stats::Args),
}

/// The options of all games.
#[derive(Debug, clap::Args)]
struct Common {
    /// The game
    #[arg(long, value_enum, default_value = "reversi")]
    game: GameName,
    /// The folder for the games, created if needed
    #[arg(long, required_unless_present = "against")]
    out: Option<PathBuf>,
    /// Games of all threads together
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Makes the games reproducible
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The evaluation: a file, `embedded`, or `hand` for the hand-crafted one
    #[arg(long, default_value = "embedded")]
    weights: String,
    /// Fewest random plies at the beginning of a game [default: 6 in Reversi, 7 in
    /// shogi, 4 in Sygo]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=59))]
    random_from: Option<u32>,
    /// Most random plies at the beginning of a game [default: 40 in Reversi, 8 in
    /// shogi, 4 in Sygo]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=59))]
    random_to: Option<u32>,
    /// Make only this one of the files, counted from 0
    #[arg(long, value_name = "FILE")]
    only: Option<u64>,
    /// Run at the lowest priority, in the time that nothing else wants
    #[arg(long)]
    background: bool,
}

impl Common {
    /// The folder for the games, created if needed.
    fn folder(&self) -> anyhow::Result<&Path> {
        let out = self.out.as_deref().context("no folder for the games: give one with --out")?;
        std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        Ok(out)
    }

    /// Those of `files` files that are wanted.
    fn chosen(&self, files: u64) -> anyhow::Result<Range<u64>> {
        match self.only {
            None => Ok(0..files),
            Some(file) if file < files => Ok(file..file + 1),
            Some(file) => bail!("--only {file}: there are {files} files, counted from 0"),
        }
    }

    /// Plays those games of a series that are wanted; prints how many, and how fast.
    fn play<S: Series>(&self, series: &S) -> anyhow::Result<()> {
        let shards = self.chosen(self.games.div_ceil(S::SHARD))?;
        let wanted = self.games.min(shards.end * S::SHARD).saturating_sub(shards.start * S::SHARD);
        let rate = Rate::new(wanted);
        run(series, self.folder()?, self.games, shards, self.threads, &|progress| match progress {
            Progress::Found(count) => rate.found(count.games),
            Progress::Played(count) => rate.played(count.games, count.positions),
        })?;
        println!("{}", rate.finish());
        Ok(())
    }

    /// Fewest and most random plies, where `usual` is what a game takes unasked.
    fn random(&self, usual: (u32, u32)) -> anyhow::Result<(u32, u32)> {
        let range = (self.random_from.unwrap_or(usual.0), self.random_to.unwrap_or(usual.1));
        if range.0 > range.1 {
            bail!("--random-from {} lies above --random-to {}", range.0, range.1);
        }
        Ok(range)
    }
}

impl Args {
    /// Whether it only shows what is in files.
    pub(crate) fn only_tells(&self) -> bool {
        self.task.is_some()
    }

    /// Plays until the games are there.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        let Args { task, common, reversi, shogi, sygo } = self;
        if let Some(Task::Stats(stats)) = task {
            return stats.run();
        }
        if common.background {
            background::give_way()?;
        }
        refuse_others(
            common.game,
            [
                (GameName::Reversi, reversi != reversi::ReversiOptions::default()),
                (GameName::Shogi, shogi != shogi::ShogiOptions::default()),
                (GameName::Sygo, sygo != sygo::SygoOptions::default()),
            ],
        )?;
        match common.game {
            GameName::Reversi => reversi.run(&common),
            GameName::Shogi => shogi.run(&common),
            GameName::Sygo => sygo.run(&common),
        }
    }
}

#[cfg(feature = "cluster")]
impl Args {
    /// How many files it makes, one for each part of a pool's work.
    ///
    /// # Errors
    /// If it makes none.
    pub(crate) fn files(&self) -> anyhow::Result<u64> {
        if self.task.is_some() || self.reversi.is_duel() || self.common.only.is_some() {
            bail!("stats, --against and --only: not for a pool");
        }
        Ok(match self.common.game {
            GameName::Reversi => self.common.games.div_ceil(crate::reversi::learn::selfplay::Plan::SHARD),
            GameName::Shogi => self.common.games.div_ceil(crate::shogi::learn::selfplay::Plan::SHARD),
            GameName::Sygo => self.common.games.div_ceil(crate::sygo::learn::selfplay::Plan::SHARD),
        })
    }

    /// The file of the evaluation, unless the program holds it.
    pub(crate) fn weights_file(&self) -> Option<&Path> {
        let held = ["embedded", "hand"].contains(&self.common.weights.as_str());
        (!held).then(|| self.common.weights.as_ref())
    }
}
