//! `kaeshi train`: fits an evaluation to self-played games.

mod reversi;
mod shogi;
mod shogi_report;
mod sygo;

use std::path::PathBuf;

use anyhow::bail;

use crate::games::GameName;
use crate::tools::refuse_others;

/// Fit an evaluation to the games of `kaeshi selfplay`.
///
/// One game in twenty is not learned from; the error on these is printed.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    reversi: reversi::ReversiOptions,
    #[command(flatten)]
    shogi: shogi::ShogiOptions,
    #[command(flatten)]
    sygo: sygo::SygoOptions,
}

/// The options of all games.
#[derive(Debug, clap::Args)]
struct Common {
    /// The game
    #[arg(long, value_enum, default_value = "reversi")]
    game: GameName,
    /// Files of games, or folders of such files; none in Sygo, whose training plays its own
    data: Vec<PathBuf>,
    /// The file of weights to write
    #[arg(long)]
    out: PathBuf,
    /// Passes over the positions [default: 10 in Reversi, 30 in shogi]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1000))]
    epochs: Option<u16>,
    /// Weight of the game's result in the target (WDL weight), from 0 to 1; the rest is the value found
    /// [default: 0.3 in Reversi, 0 in shogi]
    #[arg(long, alias = "wdl")]
    result: Option<f32>,
    /// Lambda of TD(lambda), from 0 to 1: the share of the values of later plies in the target
    /// [default: 0 in Reversi, 0.95 in shogi]
    #[arg(long, alias = "later")]
    lambda: Option<f32>,
    /// Makes the training reproducible, where chance is at work [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Threads [default: 1]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: Option<u16>,
}

impl Common {
    /// The files of games, of which there must be some.
    fn data(&self) -> anyhow::Result<&[PathBuf]> {
        if self.data.is_empty() {
            bail!("no files of games: name those of kaeshi selfplay, or their folder");
        }
        Ok(&self.data)
    }

    fn threads(&self) -> u16 {
        self.threads.unwrap_or(1)
    }

    /// The weight of the result, where `usual` is what a game takes unasked.
    fn result(&self, usual: f32) -> anyhow::Result<f32> {
        share("--result", self.result.unwrap_or(usual))
    }

    /// Lambda, where `usual` is what a game takes unasked.
    fn lambda(&self, usual: f32) -> anyhow::Result<f32> {
        share("--lambda", self.lambda.unwrap_or(usual))
    }
}

impl Args {
    /// Reads, fits, writes; prints the errors on the way.
    ///
    /// # Errors
    /// Options that do not fit, files that cannot be read or written, or no games at all.
    pub fn run(self) -> anyhow::Result<()> {
        let Args { common, reversi, shogi, sygo } = self;
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

fn share(name: &str, share: f32) -> anyhow::Result<f32> {
    if !(0.0..=1.0).contains(&share) {
        bail!("{name} {share} lies outside 0 to 1");
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn options_that_the_game_does_not_have_are_refused() {
        for (words, said) in [(["--pairs", "8"], "only sygo has"), (["--hidden", "64"], "only shogi has")] {
            let typed = Typed::try_parse_from([&["train", "--out", "none.bin"], &words[..]].concat());
            let reason = format!("{:#}", typed.expect("known options").args.run().expect_err(words[0]));
            assert!(reason.contains(said), "{reason}");
        }
    }
}
