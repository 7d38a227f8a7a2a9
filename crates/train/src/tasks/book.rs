//! Opening books: the options that all games share.

pub mod games;

use std::path::{Path, PathBuf};

use games::GameFilter;
use kaeshi_system::output::check_distinct;

/// Positions of a book that is searched, where none are asked for.
const POSITIONS: u32 = 1_000;

/// The options that all games share.
#[derive(Debug, clap::Args)]
pub struct BookOptions {
    /// The book to write or to continue. With --from or --games, a file that is there is replaced
    #[arg(long)]
    pub out: PathBuf,
    /// Number of positions; a few more are possible, where positions are searched [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub positions: Option<u32>,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Convert this book instead of making one. The names of both files state the formats: in shogi .bin is Apery's,
    /// .sbk ShogiHome's, .ybb YaneuraOu's binary one, anything else YaneuraOu's text; in Reversi .dat is Edax's
    // The options of --games are named, too: clap does not ask for an option that another one excludes.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "positions", "plies", "nodes", "width", "window", "depth", "disc_plies", "games", "game_plies",
            "least_games", "least_rate", "shortest", "player", "winners", "rates",
        ]
    )]
    pub from: Option<PathBuf>,
    /// The games that a book is made from.
    #[command(flatten)]
    pub filter: GameFilter,
}

impl BookOptions {
    /// The book that is converted, if one is.
    ///
    /// # Errors
    /// It would be lost, as it is the book to write.
    pub fn source(&self) -> anyhow::Result<Option<&Path>> {
        let Some(from) = self.from.as_deref() else { return Ok(None) };
        check_distinct(&[("--from", from)], &[("--out", &self.out)])?;
        Ok(Some(from))
    }

    /// Positions of a book that is searched.
    pub fn positions(&self) -> usize {
        self.positions.unwrap_or(POSITIONS) as usize
    }
}
