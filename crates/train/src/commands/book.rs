//! `kaeshi book`: makes an opening book by searching what the first moves of the game lead to.

use crate::commands::choice::{Choice, Tool};
use crate::tasks::{Offer, Tasks, book::Common};

/// Make an opening book: search the start position, then whatever its good moves lead to.
///
/// Interrupted at any time, the same command goes on where it stopped, and a greater number of
/// positions lets a book grow; the number of threads changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    choice: Choice<Book>,
}

#[derive(Debug)]
struct Book;

impl Tool for Book {
    type Common = Common;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<Common>> {
        tasks.book.as_ref()
    }
}

impl Args {
    /// Searches and writes.
    ///
    /// # Errors
    /// A book made with other settings, or a file that cannot be read or written.
    pub fn run(self) -> anyhow::Result<()> {
        self.choice.run(&self.common).map(|_| ())
    }
}
