//! Errors of the values of searches to a depth, by exact scores.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use serde::Serialize;

use super::obf::{self, ObfLine};
use crate::tasks::solve::SolveOptions;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Iteration, SearchRoot};
use kaeshi_core::game::{GameError, GameSearch as _, SearchMemory as _, Worker, WorkerShared};
use kaeshi_reversi::evaluate::weights::ReversiWeights;
use kaeshi_reversi::rules::position::ReversiPosition;
use kaeshi_reversi::search::memory::ReversiMemory;
use kaeshi_reversi::search::worker::ReversiWorker;
use kaeshi_reversi::{Reversi, ReversiSettings};
use kaeshi_system::output::{Stdout, progress_bar, remark};
use kaeshi_system::stop_signal::StopSignal;

/// The values of one position, in discs for the side to move.
#[derive(Serialize)]
struct PositionValues {
    /// Counted from 1.
    line: usize,
    empties: u32,
    /// The score in the file.
    score: i32,
    /// Without a search, then of each iteration from depth 1 on.
    values: Vec<f64>,
}

/// The errors at one depth of the positions whose numbers of empty squares have the same parity, in discs.
#[derive(Serialize)]
struct DepthErrors {
    depth: usize,
    empties: &'static str,
    positions: usize,
    /// Root of the mean square error.
    rms: f64,
    /// Standard error of `rms`.
    rms_error: f64,
    /// Mean error: above 0 if values are too high for the side to move.
    bias: f64,
    /// Standard error of `bias`.
    bias_error: f64,
}

/// Searches the positions of `common.file` that have a score to 0 up to `depth` plies, as play does, and prints the
/// errors of the values.
///
/// # Errors
/// The file cannot be read or has no position with a score, or there is not enough memory.
pub(super) fn print(
    common: &SolveOptions,
    depth: u16,
    weights: Option<Arc<ReversiWeights>>,
) -> anyhow::Result<ExitCode> {
    let (mut positions, mut bad_lines, mut without_score) = (Vec::new(), 0, 0);
    for (index, bytes) in common.lines()?.enumerate() {
        let bytes = bytes?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') || obf::comment(text).is_some() {
            continue;
        }
        match ObfLine::parse(text) {
            Ok(line) if line.position.board.is_over() => {}
            Ok(line) => match line.best_score() {
                Some(score) => positions.push((index + 1, line.position, score)),
                None => without_score += 1,
            },
            Err(error) => {
                bad_lines += 1;
                remark(format_args!("kaeshi: line {}: {error}", index + 1));
            }
        }
    }
    if without_score > 0 {
        remark(format_args!("kaeshi: {without_score} positions have no score and are left out"));
    }
    if positions.is_empty() {
        bail!("{}: no position with a score", common.file.display());
    }
    let mut searcher = common.with_table(|bytes| DepthSearcher::new(weights.clone(), bytes))?;
    let bar = progress_bar(positions.len() as u64, "positions");
    let (mut out, mut all) = (Stdout, Vec::new());
    for (line, position, score) in positions {
        StopSignal::of_process().check()?;
        let values = searcher.values(&position, depth);
        let found = PositionValues { line, empties: position.board.empties(), score, values };
        if common.json {
            bar.suspend(|| writeln!(out, "{}", serde_json::to_string(&found)?).map_err(anyhow::Error::from))?;
        }
        all.push(found);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !common.json {
        writeln!(out, "{:>5} {:>7} {:>9} {:>13} {:>14}", "depth", "empties", "positions", "rms", "bias")?;
    }
    let rows = (0..=usize::from(depth)).flat_map(|depth| [0, 1].map(|odd| errors(&all, depth, odd)));
    let rows: Vec<DepthErrors> = rows.flatten().collect();
    if rows.is_empty() {
        remark("kaeshi: errors need two positions with even numbers of empty squares, or two with odd ones");
    }
    for row in rows {
        let text = if common.json { serde_json::to_string(&row)? } else { row.to_string() };
        writeln!(out, "{text}")?;
    }
    Ok(if bad_lines == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// One thread that searches positions as play does.
struct DepthSearcher {
    shared: Arc<WorkerShared<Reversi>>,
    worker: ReversiWorker,
}

impl DepthSearcher {
    fn new(weights: Option<Arc<ReversiWeights>>, bytes: usize) -> Result<DepthSearcher, GameError> {
        let game = Reversi::with(ReversiSettings { weights, ..ReversiSettings::default() });
        let memory = Arc::new(ReversiMemory::with_bytes(bytes)?);
        let shared = Arc::new(WorkerShared { game: Arc::new(game), memory, threads: 1 });
        let worker = ReversiWorker::new(Arc::clone(&shared), 0)?;
        Ok(DepthSearcher { shared, worker })
    }

    /// The static value, then the value of each iteration up to `depth` that does not reach the end of the game; in
    /// discs. The search begins with empty tables.
    fn values(&mut self, position: &ReversiPosition, depth: u16) -> Vec<f64> {
        self.shared.memory.clear(1);
        self.worker.new_game();
        let mut values = vec![f64::from(self.shared.game.evaluate(position)) / 100.0];
        let control = SearchControl::free();
        let mut root = SearchRoot::<Reversi>::new(*position);
        let mut done = None;
        while let Some(stage) = self.worker.next_stage(&root, done)
            && stage.depth <= depth
            && u32::from(stage.depth) < position.board.empties()
            && let Iteration::Complete(line) = self.worker.search(&root, stage, &control)
        {
            values.push(f64::from(line.score.clamped(6400)) / 100.0);
            root.previous = vec![line];
            done = Some(stage);
        }
        values
    }
}

/// The errors at `depth` of the positions with an even number of empty squares, or an `odd` one; none where there are
/// less than two.
fn errors(all: &[PositionValues], depth: usize, odd: u32) -> Option<DepthErrors> {
    let of_parity = all.iter().filter(|found| found.empties % 2 == odd);
    let errors: Vec<f64> =
        of_parity.filter_map(|found| Some(found.values.get(depth)? - f64::from(found.score))).collect();
    let positions = errors.len();
    if positions < 2 {
        return None;
    }
    let (bias, bias_error) = mean(errors.iter().copied());
    let (square, square_error) = mean(errors.iter().map(|error| error * error));
    let rms = square.sqrt();
    // d sqrt(x) = dx / (2 sqrt(x)).
    let rms_error = if rms > 0.0 { square_error / (2.0 * rms) } else { 0.0 };
    let empties = if odd == 0 { "even" } else { "odd" };
    Some(DepthErrors { depth, empties, positions, rms, rms_error, bias, bias_error })
}

/// The mean of two values or more, and its standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

impl fmt::Display for DepthErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DepthErrors { depth, empties, positions, rms, rms_error, bias, bias_error } = self;
        write!(
            f,
            "{depth:>5} {empties:>7} {positions:>9} {rms:>6.2} ± {rms_error:.2} {bias:>+7.2} ± {bias_error:.2}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_reversi::rules::notation;
    use kaeshi_reversi::search::solver::{ReversiSolver, SolveQuestion};

    fn found(empties: u32, score: i32, values: [f64; 2]) -> PositionValues {
        PositionValues { line: 1, empties, score, values: values.to_vec() }
    }

    #[test]
    fn errors_are_counted_by_depth_and_parity() {
        let all = [found(20, 4, [5.0, 7.0]), found(22, 0, [-1.0, 4.0]), found(21, 2, [2.0, 2.0])];
        let even = errors(&all, 1, 0).expect("two positions");
        assert_eq!((even.positions, even.empties), (2, "even"));
        // Errors 3 and 4: squares 9 and 16, with a standard error of 3.5.
        assert!((even.rms - 12.5_f64.sqrt()).abs() < 1e-9 && (even.bias - 3.5).abs() < 1e-9);
        assert!((even.bias_error - 0.5).abs() < 1e-9);
        assert!((even.rms_error - 3.5 / (2.0 * even.rms)).abs() < 1e-9);
        assert_eq!(errors(&all, 0, 0).map(|row| row.bias), Some(0.0));
        assert!(errors(&all, 1, 1).is_none() && errors(&all, 2, 0).is_none());
    }

    /// Positions with exact scores of games that are not learned from (docs/evidence/reversi.md).
    const SETS: [(&str, &str); 2] = [
        ("self-play", include_str!("../../../../../tests/data/reversi-selfplay.obf")),
        ("random play", include_str!("../../../../../tests/data/reversi-random.obf")),
    ];

    fn scored(text: &str) -> Vec<(ReversiPosition, i32)> {
        let lines = text.lines().filter(|line| obf::comment(line).is_none());
        lines
            .map(|line| {
                let line = ObfLine::parse(line).expect("a position");
                (line.position, line.best_score().expect("a score"))
            })
            .collect()
    }

    #[test]
    fn the_scores_of_the_sets_are_exact() {
        let mut solver = ReversiSolver::new(Reversi::default(), 8 << 20, 1).expect("a small table");
        for (name, text) in SETS {
            let positions = scored(text);
            let small: Vec<_> =
                positions.iter().filter(|(position, _)| position.board.empties() == 18).collect();
            assert!(positions.len() >= 1000 && small.len() >= 100, "{name}");
            for (position, score) in small.iter().step_by(small.len() / 3) {
                let solved = solver.solve(position, SolveQuestion::Score).expect("no interrupt");
                assert_eq!(solved.score, *score, "{name}: {position:?}");
            }
        }
    }

    #[test]
    fn shallow_values_lean_to_no_side() {
        for (name, text) in SETS {
            let mut searcher = DepthSearcher::new(None, 1 << 20).expect("a small table");
            let all: Vec<PositionValues> = scored(text)
                .into_iter()
                .map(|(position, score)| {
                    let values = searcher.values(&position, 4);
                    PositionValues { line: 0, empties: position.board.empties(), score, values }
                })
                .collect();
            for row in (1..=4).flat_map(|depth| [0, 1].map(|odd| errors(&all, depth, odd))) {
                let row = row.expect("positions of both parities");
                assert!(row.bias.abs() < 0.5, "{name}: {row}");
            }
        }
    }

    #[test]
    fn values_are_those_of_the_iterations() {
        let text = "--OO----X-OOOO--XOOXXXXO-XXOOXXO-XXOXOXX-OXXXOXX--OXXX---XXXXX-- O";
        let position = notation::parse_position(text).expect("a position");
        let mut searcher = DepthSearcher::new(None, 1 << 20).expect("a small table");
        let values = searcher.values(&position, 20);
        // From ten plies before the end the depth jumps to it.
        assert_eq!(values.len() as u32, position.board.empties() - 9);
        assert_eq!(searcher.values(&position, 3), values[..4], "nothing is left of the search before");
    }
}
