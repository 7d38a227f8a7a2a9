//! Books of shogi, as `BookFile` reads them.

mod convert;
mod minimax;
mod played;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use rayon::prelude::*;

use crate::tasks::GameTask;
use crate::tasks::book::BookOptions;
use kaeshi_core::driver::bench::BenchDeepening;
use kaeshi_core::files;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{PvLine, SearchRoot};
use kaeshi_core::game::{GameNotation, GameOptions, GameRules, SearchMemory, Worker, WorkerShared};
use kaeshi_learn::threads;
use kaeshi_shogi::book::{BOOK, ShogiBook, ShogiBookMove, format};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::search::ShogiWorker;
use kaeshi_shogi::{Shogi, ShogiMemory, ShogiSettings};
use kaeshi_system::output::{progress_bar, remark, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// Table of each search: small, for it is cleared each time.
const HASH_BYTES: usize = 4 << 20;
/// Positions searched between two writings of the file.
const BATCH: usize = 64;
/// Centipawns that a mate counts as.
const MATE: i32 = 30_000;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiBookOptions {
    /// How many plies from the start position the book goes [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=200))]
    plies: Option<u16>,
    /// Nodes for each move that is valued [default: 50000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(100..))]
    nodes: Option<u64>,
    /// How many moves of a position are valued at most [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=100))]
    width: Option<u16>,
    /// How many centipawns a move may be behind the best and still be kept [default: 40]
    #[arg(long, value_parser = clap::value_parser!(i32).range(0..=10_000))]
    window: Option<i32>,
    /// Write the book that --from names with minimax values: each move gets the value of the best play from the
    /// position that it leads to, as far as the book knows it
    #[arg(long, requires = "from")]
    minimax: bool,
    /// Write the winning chance of those who played a move as its value, in centipawns; without it values are 0, and
    /// the counts decide
    #[arg(long, requires = "games")]
    rates: bool,
}

/// Positions by SFEN, with their moves.
type BookPositions = BTreeMap<String, Vec<ShogiBookMove>>;

impl GameTask<BookOptions> for ShogiBookOptions {
    fn run(&self, common: &BookOptions) -> anyhow::Result<ExitCode> {
        let out = common.out.as_path();
        if let Some(from) = common.source()? {
            if self.minimax {
                minimax::run(from, out)?
            } else {
                convert::run(from, out)?
            }
            return Ok(ExitCode::SUCCESS);
        }
        if common.filter.is_given() {
            return played::run(common, self.rates);
        }
        let game = Arc::new(Shogi::load(&ShogiSettings::default())?);
        let mut known = self.begun(out, &game)?;
        let pool = threads::pool(usize::from(common.threads))?;
        let mut frontier = vec![game.start()];
        let mut seen: HashSet<String> = frontier.iter().map(place).collect();
        let mut left = common.positions();
        for ply in 0..self.plies.unwrap_or(8) {
            frontier.truncate(left);
            left -= frontier.len();
            let bar = progress_bar(frontier.len() as u64, "positions");
            bar.set_message(format!("ply {}", ply + 1));
            for batch in frontier.chunks(BATCH) {
                StopSignal::of_process().check()?;
                let fresh: Vec<&ShogiPosition> =
                    batch.iter().filter(|position| !known.contains_key(&sfen::format(position))).collect();
                let valued: Vec<(String, Vec<ShogiBookMove>)> = pool.install(|| {
                    fresh
                        .par_iter()
                        .map(|&position| Ok((sfen::format(position), self.value(&game, position)?)))
                        .collect::<anyhow::Result<_>>()
                })?;
                if !valued.is_empty() {
                    known.extend(valued);
                    write_whole(out, format(&self.recipe(&game), known.iter()).as_bytes())?;
                }
                bar.inc(batch.len() as u64);
            }
            bar.finish_and_clear();
            frontier = frontier.iter().flat_map(|position| next(&game, position, &known)).collect();
            frontier.retain(|position| seen.insert(place(position)));
        }
        remark(format_args!("{}: {} positions", out.display(), known.len()));
        Ok(ExitCode::SUCCESS)
    }
}

impl ShogiBookOptions {
    fn nodes(&self) -> u64 {
        self.nodes.unwrap_or(50_000)
    }

    fn width(&self) -> u16 {
        self.width.unwrap_or(3)
    }

    fn window(&self) -> i32 {
        self.window.unwrap_or(40)
    }

    /// The command and evaluation that made the book; a book with other ones cannot be resumed.
    fn recipe(&self, game: &Shogi) -> String {
        format!(
            "kaeshi book --game shogi --nodes {} --width {} --window {}; evaluation {}",
            self.nodes(),
            self.width(),
            self.window(),
            game.settings().evaluation.label()
        )
    }

    /// The positions that an earlier run has left in the file.
    fn begun(&self, out: &Path, game: &Shogi) -> anyhow::Result<BookPositions> {
        if !out.exists() {
            return Ok(BookPositions::new());
        }
        let text = files::read_text(out, BOOK).with_context(|| format!("cannot read {}", out.display()))?;
        let (wanted, made) = (self.recipe(game), text.lines().nth(1).unwrap_or_default().to_owned());
        if made.strip_prefix("# ") != Some(&wanted) {
            bail!("{} was made otherwise ('{made}', not '# {wanted}'): name another file", out.display());
        }
        let book = ShogiBook::parse(text).with_context(|| out.display().to_string())?;
        let positions = book.positions().context("a book without positions")?;
        Ok(positions.map(|(sfen, moves)| (sfen.to_owned(), moves)).collect())
    }

    /// The good moves of a position, best first.
    fn value(&self, game: &Arc<Shogi>, position: &ShogiPosition) -> anyhow::Result<Vec<ShogiBookMove>> {
        let memory = Arc::new(ShogiMemory::with_bytes(HASH_BYTES)?);
        let shared = Arc::new(WorkerShared { game: Arc::clone(game), memory, threads: 1 });
        let mut root = SearchRoot::<Shogi>::new(position.clone());
        let mut search = BenchDeepening::new(Box::new(ShogiWorker::new(shared, 0)?), root.clone());
        let mut moves: Vec<ShogiBookMove> = Vec::new();
        for _ in 0..self.width() {
            search.turn_to(root.clone());
            search.deepen(u16::MAX, &SearchControl::with_nodes(self.nodes()), |_| {});
            let (Some(line), depth) = (search.line(), search.depth()) else { break };
            moves.push(book_move(line, depth));
            root.skip.push(line.turns[0]);
        }
        moves.sort_by_key(|known| std::cmp::Reverse(known.value));
        let best = moves.first().map_or(0, |known| known.value);
        moves.retain(|known| best - known.value <= self.window());
        Ok(moves)
    }
}

fn book_move(line: &PvLine<Shogi>, depth: u16) -> ShogiBookMove {
    let value = match line.score {
        Score::Cp(value) | Score::Exact(value) => value,
        Score::MateIn(_) => MATE,
        Score::MatedIn(_) => -MATE,
    };
    let reply = line.turns.get(1).map(ToString::to_string);
    ShogiBookMove { turn: line.turns[0].to_string(), reply, value, depth, count: 1 }
}

/// The SFEN with move number 1, which identifies the position.
fn place(position: &ShogiPosition) -> String {
    let mut position = position.clone();
    position.set_move_number(1);
    sfen::format(&position)
}

/// The positions that the known moves lead to.
fn next(game: &Shogi, position: &ShogiPosition, known: &BookPositions) -> Vec<ShogiPosition> {
    let moves = known.get(&sfen::format(position)).map_or(&[][..], Vec::as_slice);
    let played = moves.iter().filter_map(|known| {
        let turn = game.parse_turn(position, &known.turn).ok()?;
        let mut next = position.clone();
        game.play(&mut next, &turn);
        Some(next)
    });
    played.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::book::games::GameFilter;

    fn options(plies: u16) -> ShogiBookOptions {
        ShogiBookOptions {
            plies: Some(plies),
            nodes: Some(400),
            width: Some(2),
            window: Some(60),
            ..ShogiBookOptions::default()
        }
    }

    fn common(out: &Path, positions: u32) -> BookOptions {
        let filter = GameFilter::default();
        BookOptions { out: out.to_owned(), positions: Some(positions), threads: 1, from: None, filter }
    }

    #[test]
    fn an_interrupted_book_becomes_the_same_as_one_made_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let (whole, parts) = (folder.path().join("whole.db"), folder.path().join("parts.db"));
        options(3).run(&common(&whole, 100)).expect("a book");
        options(1).run(&common(&parts, 100)).expect("a book");
        options(3).run(&common(&parts, 3)).expect("a book");
        assert_ne!(std::fs::read(&whole).expect("whole"), std::fs::read(&parts).expect("parts"));
        options(3).run(&common(&parts, 100)).expect("a book");
        assert_eq!(std::fs::read(&whole).expect("whole"), std::fs::read(&parts).expect("parts"));
        let book = ShogiBook::read(&whole).expect("a book that can be read");
        assert!((4..=7).contains(&book.len()), "{} positions", book.len());
        assert!(!book.moves(&sfen::parse(kaeshi_shogi::rules::handicap::START).expect("start")).is_empty());
    }

    #[test]
    fn a_book_made_otherwise_is_not_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let common = common(&folder.path().join("other.db"), 10);
        options(1).run(&common).expect("a book");
        let before = std::fs::read(&common.out).expect("a book");
        let other = ShogiBookOptions { width: Some(3), ..options(2) };
        let said = other.run(&common).expect_err("another recipe").to_string();
        assert!(said.contains("--width 2") && said.contains("--width 3"), "{said}");
        assert_eq!(std::fs::read(&common.out).expect("a book"), before);
    }
}
