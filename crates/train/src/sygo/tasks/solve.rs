//! `kaeshi solve --game sygo`: values, bounds and certificates, one for each line of the input.

mod progress;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::tasks::GameTask;
use crate::tasks::solve::SolveOptions;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::{GameError, SearchMemory};
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::{self, notation};
use kaeshi_sygo::solve::bounds::Bounds;
use kaeshi_sygo::solve::certificate::{self, CertificateError, TITLE};
use kaeshi_sygo::solve::common_fate::CommonFate;
use kaeshi_sygo::solve::graph::Graph;
use kaeshi_sygo::solve::shape::{BoardShape, MOST_POINTS};
use kaeshi_sygo::solve::{self, SolverStart, SygoSolution, SygoSolver, Unsolved};
use kaeshi_system::output::{Stdout, WholeFile, check_distinct, check_places, remark};
use kaeshi_system::stop_signal::StopSignal;
use progress::SolveProgress;

/// The options of Sygo alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Sygo")]
pub(super) struct SygoSolveOptions {
    /// Only say whether the side to move wins by N points or more (less than 0: loses by no more); one
    /// thread. Far from the value this takes much less time
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    reaches: Option<i16>,
    /// Write certificates into this file: for each side a turn for every position it may come to, so that a program
    /// that knows only the rules can confirm the values
    #[arg(long, value_name = "FILE", conflicts_with = "reaches")]
    certificate: Option<PathBuf>,
}

impl GameTask<SolveOptions> for SygoSolveOptions {
    fn run(&self, common: &SolveOptions) -> anyhow::Result<ExitCode> {
        if let Some(out) = &common.make_problems {
            return super::problems::make(common, out);
        }
        let out = Stdout;
        if let Some(points) = self.reaches {
            return reaches(common.lines()?, out, i32::from(points), common.with_table(granted)?);
        }
        if let Some(path) = &self.certificate {
            if common.json {
                bail!("--certificate writes a file; there is no JSON of it");
            }
            let written = [("--certificate", path.as_path())];
            check_places(&written)?;
            check_distinct(&[("an input", &common.file)], &written)?;
            return certify(common.lines()?, out, path, common);
        }
        let bytes = common.with_table(granted)?;
        run(common.lines()?, out, usize::from(common.threads), bytes, common.json)
    }
}

/// Table size in bytes, if such a table can be allocated: each position gets its own.
fn granted(bytes: usize) -> Result<usize, GameError> {
    TranspositionTable::<Bounds>::with_bytes(bytes).map(|_| bytes)
}

/// The output for one line of input.
#[derive(Debug, Serialize)]
pub struct SygoSolveOutput {
    /// The board or position as it was asked.
    pub asked: String,
    /// Final margin for the side to move.
    pub margin: i32,
    /// All turns that keep it.
    pub best: Vec<String>,
    /// A best line to the end.
    pub line: Vec<String>,
    /// Seconds it took.
    pub seconds: f64,
}

/// Solves one line: an empty board as `5x4` (columns, rows), or a position of five fields with or
/// without the word `fen`. On boards of more than [`MOST_POINTS`] points it must have few vacant points.
///
/// # Errors
/// The line is invalid, or there is no memory for the table.
pub fn solve_line(text: &str, threads: usize, table_bytes: usize) -> Result<SygoSolveOutput, GameError> {
    let asked = text.trim();
    let (start, graph) = read(asked)?;
    let clock = Instant::now();
    let mut progress = SolveProgress::new(asked);
    let SygoSolution { margin, best, line } = match graph {
        None => {
            let solver = SygoSolver::of_board(start.width, start.height, table_bytes)?;
            solved(&solver, &start, threads, &mut progress)?
        }
        Some(graph) => solved(&with_graph(graph, table_bytes)?, &start, threads, &mut progress)?,
    };
    let text = |turns: Vec<_>| turns.iter().map(notation::format_turn).collect();
    Ok(SygoSolveOutput {
        asked: asked.to_owned(),
        margin,
        best: text(best),
        line: text(line),
        seconds: clock.elapsed().as_secs_f64(),
    })
}

fn with_graph(graph: CommonFate, table_bytes: usize) -> Result<SygoSolver<CommonFate>, GameError> {
    Ok(SygoSolver::new(graph, Arc::new(TranspositionTable::with_bytes(table_bytes)?)))
}

fn solved<G: Graph + Sync>(
    solver: &SygoSolver<G>,
    start: &SolverStart,
    threads: usize,
    progress: &mut SolveProgress<'_>,
) -> Result<SygoSolution, GameError> {
    let node = start.node;
    if threads > 1 && !start.over {
        // All threads fill the table; what follows reads it.
        progress
            .search(solver, node, threads, |signal| solver.value(node, signal, threads))
            .map_err(refused)?;
    }
    let solve = |signal: &Arc<Signal>| solver.solve_start(start, &SearchControl::new(Arc::clone(signal), 0));
    progress.search(solver, node, 1, solve).map_err(refused)
}

fn refused(reason: Unsolved) -> GameError {
    match reason {
        Unsolved::Stopped => GameError::failed(reason.to_string()),
        Unsolved::TooManyTurns => GameError::unsupported(reason.to_string()),
    }
}

/// Solves every line and writes one line for each as it is solved; exit status as of [`answer_lines`].
///
/// # Errors
/// Reading or writing failed.
pub fn run(
    input: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
    output: impl Write,
    threads: usize,
    table_bytes: usize,
    json: bool,
) -> anyhow::Result<ExitCode> {
    answer_lines(input, output, |line| {
        let solved = match solve_line(line, threads, table_bytes) {
            Ok(solved) => solved,
            Err(reason) => return Ok(Err(reason)),
        };
        Ok(Ok(if json {
            serde_json::to_string(&solved)?
        } else {
            format!(
                "{}: {:+}  best {}  line {}  {:.3} s",
                solved.asked,
                solved.margin,
                solved.best.join(" "),
                solved.line.join(" "),
                solved.seconds
            )
        }))
    })
}

/// Writes for every line whether the side to move gets at least `points` points; exit status as of [`answer_lines`].
///
/// # Errors
/// Reading or writing failed.
fn reaches(
    input: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
    output: impl Write,
    points: i32,
    table_bytes: usize,
) -> anyhow::Result<ExitCode> {
    answer_lines(input, output, |asked| {
        let clock = Instant::now();
        let found = read(asked).and_then(|(start, graph)| match graph {
            None => {
                gets(&SygoSolver::of_board(start.width, start.height, table_bytes)?, asked, &start, points)
            }
            Some(graph) => gets(&with_graph(graph, table_bytes)?, asked, &start, points),
        });
        Ok(found.map(|found| {
            let word = if found { "at least" } else { "less than" };
            format!("{asked}: {word} {points:+}  {:.3} s", clock.elapsed().as_secs_f64())
        }))
    })
}

/// Solves every line and writes the certificates into a file that is there whole or not at all; exit status as of
/// [`answer_lines`].
///
/// # Errors
/// Reading or writing failed, or a certificate did.
fn certify(
    input: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
    output: impl Write,
    path: &Path,
    common: &SolveOptions,
) -> anyhow::Result<ExitCode> {
    let mut file = WholeFile::create(path)?;
    let failed = || format!("cannot write {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new_file = || tempfile::tempfile_in(folder);
    writeln!(file, "{TITLE}")?;
    let bytes = common.with_table(granted)?;
    let mut positions = 0;
    let code = answer_lines(input, output, |asked| {
        let clock = Instant::now();
        let mut progress = SolveProgress::new(asked);
        let (solver, start, margin) = match known(asked, usize::from(common.threads), bytes, &mut progress) {
            Ok(known) => known,
            Err(reason) => return Ok(Err(reason)),
        };
        let written = progress.search(&solver, start.node, 1, |signal| {
            let control = SearchControl::new(Arc::clone(signal), 0);
            certificate::write(&solver, &start, margin, &mut file, &new_file, &control)
        });
        drop(progress);
        if matches!(written, Err(CertificateError::Unsolved(Unsolved::Stopped))) {
            StopSignal::of_process().check()?;
        }
        let [white, black] = written.with_context(failed)?;
        positions += 1;
        let seconds = clock.elapsed().as_secs_f64();
        Ok(Ok(format!("{asked}: {margin:+}  white {white} turns  black {black} turns  {seconds:.3} s")))
    })?;
    writeln!(file, "complete {positions}")?;
    file.finish()?;
    Ok(code)
}

/// Writes the answer of every line of the input that is neither empty nor a comment (`#` or `%`) as soon as it is
/// known. `answer` gets the line without blanks around it; the inner error of its result is printed on stderr with
/// the number of the line, and the exit status is then 1. The outer error ends the command.
///
/// # Errors
/// Reading or writing failed, `answer` did, or the process is asked to stop.
fn answer_lines(
    input: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
    mut output: impl Write,
    mut answer: impl FnMut(&str) -> anyhow::Result<Result<String, GameError>>,
) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for (number, line) in lines(input) {
        let line = line?;
        StopSignal::of_process().check()?;
        match answer(line.trim())? {
            Ok(answer) => writeln!(output, "{answer}")?,
            Err(reason) => {
                StopSignal::of_process().check()?;
                remark(format_args!("kaeshi: line {number}: {reason}"));
                code = ExitCode::from(1);
            }
        }
        output.flush()?;
    }
    Ok(code)
}

/// The value of a line's board or position, and the solver that knows it.
fn known(
    text: &str,
    threads: usize,
    table_bytes: usize,
    progress: &mut SolveProgress<'_>,
) -> Result<(SygoSolver<BoardShape>, SolverStart, i32), GameError> {
    let (start, graph) = read(text)?;
    if graph.is_some() {
        return Err(GameError::unsupported(format!(
            "too large: certificates are for boards of at most {MOST_POINTS} points"
        )));
    }
    let solver = SygoSolver::of_board(start.width, start.height, table_bytes)?;
    let margin = if start.over {
        solver.margin(start.node)
    } else {
        progress
            .search(&solver, start.node, threads, |signal| solver.value(start.node, signal, threads))
            .map_err(refused)?
    };
    Ok((solver, start, margin))
}

fn gets<G: Graph + Sync>(
    solver: &SygoSolver<G>,
    asked: &str,
    start: &SolverStart,
    points: i32,
) -> Result<bool, GameError> {
    let search =
        |signal: &Arc<Signal>| solver.reaches(start, points, &SearchControl::new(Arc::clone(signal), 0));
    SolveProgress::new(asked).search(solver, start.node, 1, search).map_err(refused)
}

/// The lines that are neither empty nor comments (`#` or `%`), each with its number.
fn lines(
    input: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
) -> impl Iterator<Item = (usize, anyhow::Result<String>)> {
    let text = |line: anyhow::Result<Vec<u8>>| line.map(|line| String::from_utf8_lossy(&line).into_owned());
    let lines = input.map(text).enumerate();
    let wanted = |line: &str| !line.trim().is_empty() && !line.starts_with(['#', '%']);
    lines
        .filter(move |(_, line)| line.as_ref().map_or(true, |line| wanted(line)))
        .map(|(index, line)| (index + 1, line))
}

/// Reads an empty board (`5x4`) or a position line; a large board comes with its graph.
fn read(text: &str) -> Result<(SolverStart, Option<CommonFate>), GameError> {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((width, height)) = text.split_once('x')
        && is_number(width)
        && is_number(height)
    {
        let number = |word: &str| word.parse::<usize>().ok().filter(|n| (1..=MOST_POINTS).contains(n));
        let (Some(width), Some(height)) = (number(width), number(height)) else {
            return Err(GameError::position(format!(
                "there is no board of {text}: an empty board has 1 to {MOST_POINTS} points"
            )));
        };
        return Ok((SolverStart::empty(width, height), None));
    }
    let position = read_position(text)?;
    let size = position.board.size();
    let start = |node| SolverStart {
        width: size.columns(),
        height: size.rows(),
        node,
        side: position.side,
        over: position.is_over(),
    };
    if size.points() <= MOST_POINTS {
        return Ok((start(solve::node(&position)), None));
    }
    let (graph, node) = CommonFate::new(&position).ok_or_else(|| {
        GameError::unsupported(format!(
            "too large: {} vacant points and {} groups; on a board of more than {MOST_POINTS} points they may be 128 together",
            position.board.vacant().len(),
            position.board.groups().count()
        ))
    })?;
    Ok((start(node), Some(graph)))
}

/// The last position of a position line, `fen … moves …` as `kaeshi openings` writes it, or a position of five fields.
fn read_position(text: &str) -> Result<SygoPosition, GameError> {
    let text = text.strip_prefix("position ").unwrap_or(text).trim_start();
    let (start, turns) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut position = notation::parse_position(start.strip_prefix("fen ").unwrap_or(start))?;
    for (index, word) in turns.split_whitespace().enumerate() {
        let refuse = |reason: String| GameError::turn(format!("turn {}: {reason}", index + 1));
        let turn =
            notation::parse_turn(position.board.size(), word).map_err(|error| refuse(error.to_string()))?;
        rules::check(&position, &turn).map_err(|error| refuse(error.to_string()))?;
        position.play(&turn);
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> impl Iterator<Item = anyhow::Result<Vec<u8>>> {
        text.lines().map(|line| Ok(line.as_bytes().to_vec()))
    }

    #[test]
    fn what_cannot_be_solved_is_refused_with_a_reason() {
        let groups = "11/1w1w1w1w1w1/11/1w1w1w1w1w1/11/1w1w1w1w1w1/11/11/11/11/11 w g 0 40";
        for threads in [1, 2] {
            let reason = solve_line(groups, threads, 1 << 20).expect_err("too many turns").to_string();
            assert!(reason.contains("more than 65535 turns"), "{reason}");
        }
        for board in ["12x12", "20x1", "1x121", "0x3", "3x0", "200x1", "99999999999999999999x1"] {
            assert!(
                solve_line(board, 1, 1 << 20).is_err_and(|reason| reason.reason().contains(board)),
                "{board}"
            );
        }
    }

    #[test]
    fn position_lines_are_solved_behind_their_turns() {
        let margin = |text: &str| solve_line(text, 1, 1 << 20).map(|solved| solved.margin);
        let moved = margin("position fen 3/3/3 w - 0 1 moves b2 a1").expect("a position");
        assert_eq!(moved, margin("fen 3/1w1/b2 w - 0 3").expect("a position"));
        let reason = margin("fen 3/3/3 w - 0 1 moves b2 b2").expect_err("an occupied point").to_string();
        assert!(reason.contains("turn 2: "), "{reason}");
    }

    #[test]
    fn bounds_are_said_from_both_sides() {
        let input = "4x4\n5x1\n\nnonsense\n4x3\nfen ww1w/bb1w/bbww/2bw b g 0 12\n";
        let said = |points| {
            let mut output = Vec::new();
            reaches(given(input), &mut output, points, 1 << 20).expect("memory is writable");
            let text = String::from_utf8(output).expect("ASCII");
            let words =
                text.lines().map(|line| line.split_once(": ").map(|(_, rest)| rest.starts_with("at least")));
            words.collect::<Option<Vec<bool>>>().expect("an answer")
        };
        assert_eq!(said(-5), [true, true, true, true]);
        assert_eq!(said(1), [true, false, true, true]);
        assert_eq!(said(2), [false, false, true, true]);
        assert_eq!(said(8), [false, false, false, true]);
        assert_eq!(said(17), [false, false, false, false]);
    }

    #[test]
    fn late_positions_of_large_boards_are_solved_and_others_refused() {
        let late = "bbbbbbbbbb1w/bbbbbbbbbbbb/bbbbbbbbbbbb/bbbbbbbbb1b1/bbbbbbbbbbbb/bbbbbbbbbwbb/bbbbbbwwwwwb/\
                    bbbbbbbw1w1w/bbbbwwwwwwww/bbbbwwwwwwww/bbbbww1wwwww/bbbwwwwwwwww b g 0 60";
        for threads in [1, 2] {
            let solved = solve_line(late, threads, 1 << 20).expect("few vacant points");
            assert_eq!(solved.margin, 56);
            assert!(solved.best.iter().any(|turn| turn == "+k12"), "{:?}", solved.best);
        }
        let early = format!("{}19 w - 0 1", "19/".repeat(18));
        let reason = solve_line(&early, 1, 1 << 20).expect_err("an empty board").to_string();
        assert!(reason.contains("361 vacant points"), "{reason}");
    }

    #[test]
    fn boards_and_positions_are_solved_line_by_line() {
        let input = "# boards\n3x3\n4x3\n\nfen 4/4/4 w - 0 1\n5x1\nfen ww1w/bb1w/bbww/2bw b g 0 12\nnonsense\n12x12\n";
        let mut output = Vec::new();
        let code = run(given(input), &mut output, 2, 1 << 20, false).expect("memory is writable");
        let text = String::from_utf8(output).expect("ASCII");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("3x3: +9  best b1 a2 b2 c2 b3  line b1 "), "{}", lines[0]);
        assert!(lines[1].starts_with("4x3: +7 "));
        // The duration in seconds stands at the end.
        let solution =
            |line: &str| line.split_once(": ")?.1.rsplit_once("  ").map(|(found, _)| found.to_owned());
        assert_eq!(solution(lines[2]), solution(lines[1]), "the same board as a position");
        assert!(lines[3].starts_with("5x1: -5 "));
        assert!(lines[4].starts_with("fen ww1w/bb1w/bbww/2bw b g 0 12: +16  best +b1 "));
        assert_ne!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
    }
}
