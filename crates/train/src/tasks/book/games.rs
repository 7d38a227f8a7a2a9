//! Moves of recorded games, for books: which of them count, and how their games ended.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::tasks::problems::{fault_of, files_of};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::{Game, GameNotation, Side};
use kaeshi_engine::games::GameName;
use kaeshi_records as records;
use kaeshi_records::referee::ending::Ending;
use kaeshi_system::output::{check_no_input, progress_bar, remark};
use kaeshi_system::stop_signal::StopSignal;

/// Plies of a game that count, where none are asked for.
const PLIES: u16 = 40;

/// Which moves of which games a book is made from.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "From games")]
pub struct GameFilter {
    /// Make the book from these files of games, or folders of such files, instead of searching: every form that
    /// analyse reads, WTHOR among them
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["positions", "plies", "nodes", "width", "window", "depth", "disc_plies", "minimax"]
    )]
    pub games: Vec<PathBuf>,
    /// Plies of each game that count [default: 40]
    #[arg(long, value_name = "N", requires = "games", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub game_plies: Option<u16>,
    /// Leave out moves that were played in fewer games [default: 1]
    #[arg(long, value_name = "N", requires = "games")]
    pub least_games: Option<u32>,
    /// Leave out moves whose players scored less than this, in per cent of the points [default: 0]
    #[arg(long, value_name = "PERCENT", requires = "games", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub least_rate: Option<u8>,
    /// Leave out games with fewer plies [default: 0]
    #[arg(long, value_name = "N", requires = "games")]
    pub shortest: Option<u32>,
    /// Count the moves of this player alone
    #[arg(long, requires = "games", value_name = "NAME")]
    pub player: Option<String>,
    /// Count the moves of the winners alone
    #[arg(long, requires = "games")]
    pub winners: bool,
}

/// How often a move was played, and with what success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookTally {
    /// Games.
    pub games: u64,
    /// Points of the side that played it, in halves: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// Sum of the discs or points by which that side was ahead at the end, where games have them.
    pub margin: i64,
}

impl BookTally {
    /// Adds the games of another one.
    pub fn add(&mut self, other: BookTally) {
        self.games += other.games;
        self.half_points += other.half_points;
        self.margin += other.margin;
    }
}

/// The games that a book was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitedGames {
    /// Games that count.
    pub counted: u64,
    /// Games that could not be read, or not to their ends.
    pub unreadable: u64,
}

impl VisitedGames {
    /// The exit status of work that is done: 1 if a game could not be read.
    pub fn exit_code(self) -> ExitCode {
        ExitCode::from(u8::from(self.unreadable > 0))
    }
}

impl GameFilter {
    /// Whether a book is made from games.
    pub fn is_given(&self) -> bool {
        !self.games.is_empty()
    }

    /// Whether a move with this tally belongs into the book.
    pub fn keeps(&self, tally: &BookTally) -> bool {
        tally.games >= u64::from(self.least_games.unwrap_or(1))
            && tally.half_points * 100 >= 2 * tally.games * u64::from(self.least_rate.unwrap_or(0))
    }

    /// Shows `take` every move that counts: the position before it, the move, its game. Games without a result are left
    /// out, and those that an earlier file has as well, move by move with the same players: match runners write each
    /// game in several forms. Games with an illegal turn count up to it. Records that cannot be read are reported.
    ///
    /// # Errors
    /// A file cannot be read or is `out`, no game counts, or what `take` says.
    pub fn visit<G: Game>(
        &self,
        game: &G,
        out: &Path,
        mut take: impl FnMut(&G::Position, &G::Turn, BookTally) -> anyhow::Result<()>,
    ) -> anyhow::Result<VisitedGames> {
        let files =
            self.games.iter().map(|path| files_of(path)).collect::<anyhow::Result<Vec<_>>>()?.concat();
        check_no_input(&files, ("--out", out))?;
        let (mut counted, mut unreadable, mut unfinished, mut repeated) = (0, 0_u64, 0_u64, 0_u64);
        // The file that had the game first.
        let mut first_files: HashMap<u64, usize> = HashMap::new();
        let bar = progress_bar(files.len() as u64, "files");
        for (number, file) in files.iter().enumerate() {
            let cannot = || format!("cannot read {}", file.display());
            let bytes = files::read(file, FileKind::RECORDS).with_context(cannot)?;
            if !self.games.contains(file) && records::is_part_of_base(&bytes) {
                continue;
            }
            for item in records::read_file(file, &bytes, GameName::parse(G::NAME)) {
                StopSignal::of_process().check()?;
                let fault = fault_of(game, &item);
                if let Some(fault) = &fault {
                    remark(format_args!("kaeshi: {}, {fault}", file.display()));
                    unreadable += 1;
                }
                let Ok(record) = item else { continue };
                if record.plies.len() < self.shortest.unwrap_or(1).max(1) as usize {
                    continue;
                }
                match ending(game, &record) {
                    Some(_) if *first_files.entry(identity(&record)).or_insert(number) != number => {
                        repeated += 1;
                    }
                    Some(ending) => {
                        counted += 1;
                        self.moves(game, &record, &ending, &mut take)?;
                    }
                    None if fault.is_none() => unfinished += 1,
                    None => {}
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if unfinished > 0 {
            remark(format_args!("left out: {unfinished} games without a result"));
        }
        if repeated > 0 {
            remark(format_args!("left out: {repeated} games that another file has as well"));
        }
        if counted == 0 {
            bail!("no game of {} that counts", G::FACTS.title);
        }
        Ok(VisitedGames { counted, unreadable })
    }

    fn moves<G: GameNotation>(
        &self,
        game: &G,
        record: &records::GameRecord,
        ending: &Ending,
        take: &mut impl FnMut(&G::Position, &G::Turn, BookTally) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Ok(mut position) = game.parse_position(&record.start) else { return Ok(()) };
        for ply in record.plies.iter().take(usize::from(self.game_plies.unwrap_or(PLIES))) {
            let Ok(turn) = game.parse_turn(&position, &ply.turn) else { break };
            let side = game.side_to_move(&position);
            let won = ending.winner.map(|winner| winner == side);
            let [first, second] = &record.players;
            let name = if side == Side::First { first } else { second };
            if self.player.as_ref().is_none_or(|player| player == name)
                && (won == Some(true) || !self.winners)
            {
                let half_points = won.map_or(1, |won| 2 * u64::from(won));
                let margin = i64::from(ending.margin.unwrap_or(0));
                let margin = if side == Side::First { margin } else { -margin };
                take(&position, &turn, BookTally { games: 1, half_points, margin })?;
            }
            game.play(&mut position, &turn);
        }
        Ok(())
    }
}

/// A hash of start, turns and players.
fn identity(record: &records::GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.start.hash(&mut hasher);
    record.plies.iter().for_each(|ply| ply.turn.hash(&mut hasher));
    record.players.hash(&mut hasher);
    hasher.finish()
}

/// How a game ended: as the record says, or as its last position does.
fn ending<G: GameNotation>(game: &G, record: &records::GameRecord) -> Option<Ending> {
    if record.ending.is_some() {
        return record.ending.clone();
    }
    let mut position = game.parse_position(&record.start).ok()?;
    for ply in &record.plies {
        let turn = game.parse_turn(&position, &ply.turn).ok()?;
        game.play(&mut position, &turn);
    }
    let outcome = game.outcome(&position)?;
    Some(Ending { winner: outcome.winner, ..Ending::by_margin(outcome.margin) })
}
