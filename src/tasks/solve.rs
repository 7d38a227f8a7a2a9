//! Solving of positions: the options that all games share.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use anyhow::Context;

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct Common {
    /// The file of positions; - for standard input
    pub file: PathBuf,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Size of the table in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub hash: u32,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// What the file holds.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn reader(&self) -> anyhow::Result<Box<dyn BufRead>> {
        if self.file.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        Ok(Box::new(BufReader::new(file)))
    }
}
