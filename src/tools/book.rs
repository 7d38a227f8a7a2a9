//! `kaeshi book`: makes an opening book by searching what the first moves of the game lead to.

mod convert;
mod reversi;
mod shogi;

use std::path::PathBuf;

use anyhow::bail;

use crate::games::GameName;
use crate::tools::refuse_others;

/// Make an opening book: search the start position, then whatever its good moves lead to.
///
/// Interrupted at any time, the same command goes on where it stopped, and a greater number of
/// positions lets a book grow; the number of threads changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    reversi: reversi::ReversiOptions,
    #[command(flatten)]
    shogi: shogi::ShogiOptions,
}

/// What all games want to know.
#[derive(Debug, clap::Args)]
struct Common {
    /// The game
    #[arg(long, value_enum)]
    game: GameName,
    /// The book to write or to go on with
    #[arg(long)]
    out: PathBuf,
    /// So many positions, or a few more
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
}

impl Args {
    /// Searches and writes.
    ///
    /// # Errors
    /// A book made with other settings, or a file that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        let Args { common, reversi, shogi } = self;
        refuse_others(
            common.game,
            [
                (GameName::Reversi, reversi != reversi::ReversiOptions::default()),
                (GameName::Shogi, shogi != shogi::ShogiOptions::default()),
                (GameName::Sygo, false),
            ],
        )?;
        match common.game {
            GameName::Reversi => reversi.run(&common),
            GameName::Shogi => shogi.run(&common),
            GameName::Sygo => bail!("there are no books of {}", common.game.name()),
        }
    }
}
