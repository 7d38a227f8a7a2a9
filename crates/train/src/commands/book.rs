//! `kaeshi book`: makes an opening book by searching what the first moves of the game lead to.

use std::process::ExitCode;

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::{Offer, Tasks, book::BookOptions};
use kaeshi_system::output::check_places;

/// Make an opening book: search the start position, then whatever its good moves lead to.
///
/// Run the same command to resume after an interruption; a greater number of
/// positions lets a book grow; the number of threads changes nothing.
#[derive(Debug, clap::Args)]
pub struct BookArgs {
    #[command(flatten)]
    common: BookOptions,
    #[command(flatten)]
    choice: PerGameOptions<BookTool>,
}

#[derive(Debug)]
struct BookTool;

impl Tool for BookTool {
    type Common = BookOptions;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<BookOptions>> {
        tasks.book.as_ref()
    }
}

impl BookArgs {
    /// Searches and writes. The exit code is 1 if a game for the book could not be read.
    ///
    /// # Errors
    /// A book made with other settings, or a file that cannot be read or written.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        check_places(&[("--out", &self.common.out)])?;
        self.choice.run(&self.common)
    }
}
