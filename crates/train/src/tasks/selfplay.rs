//! Self-play: the options that all games share, and the driver at work on a series.

mod rate;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use kaeshi_learn::selfplay::{SelfplayProgress, Series, run};
use kaeshi_system::output::say;
use rate::Rate;

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct SelfplayOptions {
    /// The folder for the games, created if needed
    #[arg(long, required_unless_present_any = ["against"])]
    pub out: Option<PathBuf>,
    /// Games of all threads together
    #[arg(long, default_value_t = 10_000)]
    pub games: u64,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Makes the games reproducible
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The evaluation: a file, `embedded`, or `hand` for the hand-crafted one
    #[arg(long, default_value = "embedded")]
    pub weights: String,
    /// Fewest random plies at the beginning of a game [default: 6 in Reversi, 7 in
    /// shogi, 4 in Sygo]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=59))]
    pub random_from: Option<u32>,
    /// Most random plies at the beginning of a game [default: 40 in Reversi, 8 in
    /// shogi, 4 in Sygo]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=59))]
    pub random_to: Option<u32>,
    /// Make only this one of the files, counted from 0
    #[arg(long, value_name = "FILE")]
    pub only: Option<u64>,
}

impl SelfplayOptions {
    /// The folder for the games, created if needed.
    fn folder(&self) -> anyhow::Result<&Path> {
        let out = self.out.as_deref().context("no folder for the games: give one with --out")?;
        std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
        Ok(out)
    }

    /// The wanted ones of `files` files.
    fn chosen(&self, files: u64) -> anyhow::Result<Range<u64>> {
        match self.only {
            None => Ok(0..files),
            Some(file) if file < files => Ok(file..file + 1),
            Some(file) => bail!("--only {file}: there are {files} files, counted from 0"),
        }
    }

    /// Plays those games of a series that are wanted; prints how many, and how fast.
    ///
    /// # Errors
    /// As [`run`].
    pub fn play<S: Series>(&self, series: &S) -> anyhow::Result<()> {
        let shards = self.chosen(self.games.div_ceil(S::SHARD))?;
        let wanted = self.games.min(shards.end * S::SHARD).saturating_sub(shards.start * S::SHARD);
        let rate = Rate::new(wanted);
        run(series, self.folder()?, self.games, shards, self.threads, &|progress| match progress {
            SelfplayProgress::Found(count) => rate.found(count.games),
            SelfplayProgress::Played(count) => rate.played(count.games, count.positions),
        })?;
        say(format_args!("{}", rate.finish()));
        Ok(())
    }

    /// Fewest and most random plies, where `usual` is what a game takes unasked.
    ///
    /// # Errors
    /// If the fewest are more than the most.
    pub fn random(&self, usual: (u32, u32)) -> anyhow::Result<(u32, u32)> {
        let range = (self.random_from.unwrap_or(usual.0), self.random_to.unwrap_or(usual.1));
        if range.0 > range.1 {
            bail!("--random-from {} lies above --random-to {}", range.0, range.1);
        }
        Ok(range)
    }
}
