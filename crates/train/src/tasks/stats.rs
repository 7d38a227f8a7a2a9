//! Statistics of files of games: the options that all games share.

use std::path::PathBuf;

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct StatsOptions {
    /// Files of games, or folders of such files
    #[arg(required = true)]
    pub data: Vec<PathBuf>,
}
