//! Books of Reversi, as `BookFile` reads them.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::tasks::Task;
use crate::tasks::book::Common;
use kaeshi_reversi::book::{Book, Grower};
use kaeshi_system::output::{progress_bar, remark, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiOptions {
    /// Plies searched for the value of a move, the move itself included [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: Option<u32>,
    /// A move one disc worse than the best is followed as if it lay so many plies deeper [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=100))]
    disc_plies: Option<u32>,
}

impl Task<Common> for ReversiOptions {
    fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let (out, wanted) = (&common.out, common.positions as usize);
        let grower = Grower::new(usize::from(common.threads))?;
        let recipe = grower.recipe(self.depth.unwrap_or(12), self.disc_plies.unwrap_or(2));
        let mut book = begun(out, Book::new(recipe))?;
        let bar = progress_bar(wanted as u64, "positions");
        bar.set_position(book.len() as u64);
        while book.len() < wanted && grower.round(&mut book)? {
            StopSignal::of_process().check()?;
            write_whole(out, book.format().as_bytes())?;
            bar.set_position(book.len() as u64);
        }
        bar.finish_and_clear();
        remark(format_args!("{}: {} positions", out.display(), book.len()));
        Ok(ExitCode::SUCCESS)
    }
}

/// What an earlier run has left in the file, or `fresh`.
fn begun(out: &Path, fresh: Book) -> anyhow::Result<Book> {
    if !out.exists() {
        return Ok(fresh);
    }
    let book = Book::read(out)?;
    if book.recipe != fresh.recipe {
        bail!(
            "{} was made otherwise ({}, not {}): name another file",
            out.display(),
            book.recipe,
            fresh.recipe
        );
    }
    Ok(book)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_made_otherwise_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let common = Common { out: folder.path().join("book.txt"), positions: 2, threads: 1 };
        ReversiOptions { depth: Some(2), disc_plies: None }.run(&common).expect("a book");
        let before = std::fs::read(&common.out).expect("a book");
        let other = ReversiOptions { depth: Some(3), disc_plies: None };
        let said = other.run(&common).expect_err("another recipe").to_string();
        assert!(said.contains("depth 2") && said.contains("depth 3"), "{said}");
        assert_eq!(std::fs::read(&common.out).expect("a book"), before);
    }
}
