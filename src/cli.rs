//! The command line.

use std::process::ExitCode;

use clap::Parser;

/// Plays shogi, Reversi and Sygo over USI and UGI.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {}

impl Cli {
    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever stops the work, with the reason for a person to read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        Ok(ExitCode::SUCCESS)
    }
}
