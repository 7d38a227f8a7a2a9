//! Statistics of files of self-played games of shogi.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::tasks::GameTask;
use crate::tasks::stats::StatsOptions;
use crate::tasks::train::NO_GAMES;
use kaeshi_core::game::Side;
use kaeshi_learn::shogi::dataset::{DatasetCounts, Filter, files, visit};
use kaeshi_learn::shogi::record::{self, ShogiEndCause, ShogiFileContent, ShogiGameEnd, ShogiGameRecord};
use kaeshi_shogi::rules::types::Move;
use kaeshi_system::output::{print, remark};

/// Plies in one row of the table of lengths.
const LENGTH_STEP: usize = 20;
/// Centipawns in one row of the table of scores.
const SCORE_STEP: i32 = 500;
/// Higher scores share one row.
const SCORE_LIMIT: i32 = 5_000;
/// Plies of an opening.
const OPENING: usize = 4;
/// Openings that are listed.
const OPENINGS: usize = 12;
/// Characters of the longest bar.
const BAR: u64 = 40;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiStatsOptions {
    /// Count positions scored higher than this as lopsided, in centipawns [default: 3000]
    #[arg(long)]
    highest_score: Option<i16>,
}

impl GameTask<StatsOptions> for ShogiStatsOptions {
    fn run(&self, common: &StatsOptions) -> anyhow::Result<ExitCode> {
        let files = files(&common.data)?;
        let mut summary = SelfplaySummary::default();
        for path in &files {
            let place = || path.display().to_string();
            summary.bytes += std::fs::metadata(path).with_context(place)?.len();
            let content = record::read(path).with_context(place)?;
            if content.lost > 0 {
                remark(format_args!(
                    "{}: the last {} bytes are no whole block of games",
                    place(),
                    content.lost
                ));
            }
            summary.file(&content);
        }
        if summary.games == 0 {
            bail!(NO_GAMES);
        }
        let usual = Filter::default();
        let filter = Filter { highest_score: self.highest_score.unwrap_or(usual.highest_score), ..usual };
        let counts = visit(&files, &filter, |_| ())?;
        summary.print(files.len(), &filter, &counts)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Wins, draws and losses: of Black, or of the side to move.
type Results = [u64; 3];

#[derive(Default)]
struct SelfplaySummary {
    bytes: u64,
    games: u64,
    plies: u64,
    positions: u64,
    settings: BTreeSet<String>,
    results: Results,
    causes: BTreeMap<ShogiEndCause, u64>,
    lengths: BTreeMap<usize, u64>,
    scores: BTreeMap<i32, Results>,
    openings: BTreeMap<Vec<Move>, Results>,
}

impl SelfplaySummary {
    fn file(&mut self, content: &ShogiFileContent) {
        let header = &content.header;
        self.settings.insert(format!(
            "seed {} nodes {} random plies {}-{} adjudicated at {} evaluation {}",
            header.seed, header.nodes, header.random.0, header.random.1, header.adjudicate, header.weights
        ));
        content.games.iter().for_each(|game| self.game(game));
    }

    fn game(&mut self, game: &ShogiGameRecord) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.positions += game.scores.len() as u64;
        add(&mut self.results, game.end, Side::First);
        *self.causes.entry(game.end.cause).or_default() += 1;
        *self.lengths.entry(game.moves.len() / LENGTH_STEP).or_default() += 1;
        for (ply, &score) in (game.unscored()..).zip(&game.scores) {
            let step = i32::from(score).clamp(-SCORE_LIMIT, SCORE_LIMIT).div_euclid(SCORE_STEP);
            let mover = if ply % 2 == 0 { Side::First } else { Side::Second };
            add(self.scores.entry(step).or_default(), game.end, mover);
        }
        let opening = game.moves.iter().take(OPENING).copied().collect();
        add(self.openings.entry(opening).or_default(), game.end, Side::First);
    }

    fn print(&self, files: usize, filter: &Filter, counts: &DatasetCounts) -> io::Result<()> {
        print(format_args!("files {files} games {} positions {}", self.games, self.positions))?;
        print(format_args!(
            "bytes {} ({:.2} a position), plies a game {:.1}",
            self.bytes,
            self.bytes as f64 / self.positions.max(1) as f64,
            self.plies as f64 / self.games as f64
        ))?;
        self.settings.iter().try_for_each(print)?;
        let [black, draws, white] = self.results;
        print("\nresults")?;
        let rows = [("Black wins", black), ("draws", draws), ("White wins", white)];
        table(rows.map(|(name, count)| (name.to_owned(), count)), self.games)?;
        print("\ncauses")?;
        table(self.causes.iter().map(|(cause, &count)| (cause.text().to_owned(), count)), self.games)?;
        print("\nplies")?;
        let span =
            |&step: &usize| format!("{:>3} to {:>3}", step * LENGTH_STEP, (step + 1) * LENGTH_STEP - 1);
        table(self.lengths.iter().map(|(step, &count)| (span(step), count)), self.games)?;
        print("\nscores from (centipawns), positions, points of the side to move in per cent")?;
        for (step, results) in &self.scores {
            print(format_args!("{:>6} {}", step * SCORE_STEP, points(*results)))?;
        }
        print("\nopenings, games, Black's points in per cent")?;
        let mut openings: Vec<(&Vec<Move>, Results)> = self.openings.iter().map(|(o, &r)| (o, r)).collect();
        openings.sort_by_key(|(_, results)| std::cmp::Reverse(results.iter().sum::<u64>()));
        for (moves, results) in openings.into_iter().take(OPENINGS) {
            let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
            print(format_args!("{:<22} {}", moves.join(" "), points(results)))?;
        }
        print(format_args!("\nfor training, scores up to {}", filter.highest_score))?;
        let rows = [
            ("in check", counts.in_check),
            ("capture or promotion", counts.tactical),
            ("lopsided", counts.lopsided),
            ("duplicates", counts.duplicates),
            ("taken", counts.taken),
        ];
        table(rows.map(|(name, count)| (name.to_owned(), count)), counts.positions)
    }
}

fn add(results: &mut Results, end: ShogiGameEnd, side: Side) {
    results[(1 - end.result(side)) as usize] += 1;
}

/// How many there were, and the points of 100.
fn points([wins, draws, losses]: Results) -> String {
    let games = wins + draws + losses;
    format!("{games:>12} {:>6.1}", (100 * wins + 50 * draws) as f64 / games.max(1) as f64)
}

/// Counts with their share of `total`, as numbers and as bars.
fn table(rows: impl IntoIterator<Item = (String, u64)>, total: u64) -> io::Result<()> {
    for (name, count) in rows {
        let share = 100.0 * count as f64 / total.max(1) as f64;
        let bar = "#".repeat((count * BAR / total.max(1)) as usize);
        print(format_args!("{name:<22}{count:>12} {share:>5.1} % {bar}"))?;
    }
    Ok(())
}
