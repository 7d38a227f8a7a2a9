//! Books of Reversi, as `BookFile` reads them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::tasks::GameTask;
use crate::tasks::book::BookOptions;
use crate::tasks::book::games::{BookTally, VisitedGames};
use kaeshi_reversi::Reversi;
use kaeshi_reversi::book::{Grower, ReversiBook, ReversiBookMove, ReversiBookRecipe, edax};
use kaeshi_reversi::rules::board::ReversiBoard;
use kaeshi_reversi::rules::position::ReversiTurn;
use kaeshi_system::output::{progress_bar, remark, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiBookOptions {
    /// Plies searched for the value of a move, the move itself included [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: Option<u32>,
    /// A move one disc worse than the best is followed as if it were this many plies deeper [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=100))]
    disc_plies: Option<u32>,
}

/// How names of Edax's books end.
const EDAX: &str = "dat";
/// Moves of a book that is made from games, at most.
const MOST_MOVES: usize = 4_000_000;

impl GameTask<BookOptions> for ReversiBookOptions {
    fn run(&self, common: &BookOptions) -> anyhow::Result<ExitCode> {
        let (out, wanted) = (&common.out, common.positions());
        if let Some(from) = common.source()? {
            return written(&ReversiBook::read(from)?, out);
        }
        if common.filter.is_given() {
            let (book, visited) = of_games(common)?;
            written(&book, out)?;
            return Ok(visited.exit_code());
        }
        if is_edax_name(out) {
            bail!(
                "--out: a book that is searched cannot go on in Edax's form (.{EDAX}); convert it with --from"
            );
        }
        let grower = Grower::new(usize::from(common.threads))?;
        let recipe = grower.recipe(self.depth.unwrap_or(12), self.disc_plies.unwrap_or(2));
        let mut book = begun(out, ReversiBook::new(recipe))?;
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

fn is_edax_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(EDAX))
}

/// Writes a book in the form that the name of the file states.
fn written(book: &ReversiBook, out: &Path) -> anyhow::Result<ExitCode> {
    if book.is_empty() {
        bail!("no position is left for the book");
    }
    let bytes = if is_edax_name(out) { edax::write(book) } else { book.format().into_bytes() };
    write_whole(out, &bytes)?;
    remark(format_args!("{}: {} positions", out.display(), book.len()));
    Ok(ExitCode::SUCCESS)
}

/// The book of recorded games: the value of a move is the mean of the discs by which its side was ahead at the end.
fn of_games(common: &BookOptions) -> anyhow::Result<(ReversiBook, VisitedGames)> {
    let mut tallies: BTreeMap<(ReversiBoard, u8), BookTally> = BTreeMap::new();
    let visited = common.filter.visit(&Reversi::default(), &common.out, |position, turn, tally| {
        let ReversiTurn::Place(square) = *turn else { return Ok(()) };
        tallies.entry(ReversiBook::first_move(position.board, square)).or_default().add(tally);
        if tallies.len() > MOST_MOVES {
            bail!("more than {MOST_MOVES} moves: name fewer games, or fewer plies (--game-plies)");
        }
        Ok(())
    })?;
    let evaluation = format!("games-{}", visited.counted);
    let mut book = ReversiBook::new(ReversiBookRecipe { depth: 0, disc_plies: 0, evaluation });
    for (&(board, square), tally) in tallies.iter().filter(|(_, tally)| common.filter.keeps(tally)) {
        let mean = tally.margin as f64 / tally.games as f64;
        book.add(board, ReversiBookMove { square, value: mean.round().clamp(-64.0, 64.0) as i8 });
    }
    Ok((book, visited))
}

/// The book that an earlier run has left in the file, or `fresh`.
fn begun(out: &Path, fresh: ReversiBook) -> anyhow::Result<ReversiBook> {
    if !out.exists() {
        return Ok(fresh);
    }
    let book = ReversiBook::read(out)?;
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
    use std::path::PathBuf;

    use super::*;
    use crate::tasks::book::games::GameFilter;

    fn common(out: PathBuf, games: &[PathBuf]) -> BookOptions {
        let filter = GameFilter { games: games.to_vec(), ..GameFilter::default() };
        BookOptions { out, positions: Some(2), threads: 1, from: None, filter }
    }

    #[test]
    fn games_become_a_book_and_a_book_of_edax() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        // Black turns every disc over in nine moves; the second game is its mirror image.
        std::fs::write(at("games.txt"), "e6f4e3f6g5d6e7f5c5\nf5d6c5f6e7f4g5e6e3\n").expect("room");
        let games = [at("games.txt")];
        ReversiBookOptions::default().run(&common(at("book.txt"), &games)).expect("a book");
        let book = ReversiBook::read(&at("book.txt")).expect("a book");
        assert_eq!((book.len(), book.recipe.evaluation.as_str()), (9, "games-2"));
        let text = book.format();
        assert!(text.contains("OX------XO--------------------------- X d3 64"), "{text}");
        let convert = |from: &str, to: &str| {
            let common = BookOptions { from: Some(at(from)), ..common(at(to), &[]) };
            ReversiBookOptions::default().run(&common).map(|_| ())
        };
        convert("book.txt", "edax.dat").expect("to Edax");
        convert("edax.dat", "again.txt").expect("and back");
        let again = ReversiBook::read(&at("again.txt")).expect("a book");
        assert!(again.format().lines().skip(2).eq(text.lines().skip(2)), "{}", again.format());
        assert!(convert("edax.dat", "edax.dat").is_err());
        let filter = GameFilter { games: games.to_vec(), least_rate: Some(50), ..GameFilter::default() };
        ReversiBookOptions::default()
            .run(&BookOptions { filter, ..common(at("won.txt"), &[]) })
            .expect("a book");
        // White's moves all lost, so none is left.
        assert_eq!(ReversiBook::read(&at("won.txt")).expect("a book").len(), 5);
    }

    #[test]
    fn a_book_made_otherwise_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let common = common(folder.path().join("book.txt"), &[]);
        ReversiBookOptions { depth: Some(2), disc_plies: None }.run(&common).expect("a book");
        let before = std::fs::read(&common.out).expect("a book");
        let other = ReversiBookOptions { depth: Some(3), disc_plies: None };
        let said = other.run(&common).expect_err("another recipe").to_string();
        assert!(said.contains("depth 2") && said.contains("depth 3"), "{said}");
        assert_eq!(std::fs::read(&common.out).expect("a book"), before);
    }
}
