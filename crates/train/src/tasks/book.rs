//! Opening books: the options that all games share.

use std::path::PathBuf;

/// What all games want to know.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// The book to write or to go on with
    #[arg(long)]
    pub out: PathBuf,
    /// So many positions, or a few more
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub positions: u32,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
}
