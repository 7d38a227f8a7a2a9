//! `kaeshi solve`: exact results of the positions in a file.

use std::process::ExitCode;

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, solve::SolveOptions};

/// Solve every position of a file to the end.
///
/// Reversi: a line holds 64 squares (- X O) and the side to move; what follows a semicolon may be moves with
/// their known scores (`A2:+38;`), which are then compared. Empty lines and lines that begin with
/// % or # are left out. A line that cannot be read is named on stderr, and the others are solved.
///
/// Sygo: a line holds an empty board of at most 121 points as columns x rows (`5x4`), a position of five fields, or
/// a position line with moves, whose last position counts; the answer is the margin for the side to move, all
/// best turns and a best line. A position with more than 65,535 turns is refused.
///
/// Shogi: a file or folder of positions (SFEN, USI position lines) and records (KIF, KI2, CSA, JKF), each of which is a
/// mate problem; a table with the length, the solution and, with --cooks, second solutions.
#[derive(Debug, clap::Args)]
pub struct SolveArgs {
    #[command(flatten)]
    common: SolveOptions,
    #[command(flatten)]
    choice: PerGameOptions<SolveTool>,
}

#[derive(Debug)]
struct SolveTool;

impl Tool for SolveTool {
    type Common = SolveOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<SolveOptions>> {
        tasks.solve.as_ref()
    }
}

impl SolveArgs {
    /// Prints a line for each position as it is solved, and a summary. The exit code is 1 if a line
    /// was bad or a score is not as expected.
    ///
    /// # Errors
    /// The file cannot be read, or there is not enough memory.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        self.choice.run(&self.common)
    }
}
