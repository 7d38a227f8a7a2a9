//! Exact results of Reversi positions.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::HumanCount;
use serde::Serialize;

use super::obf::{self, ObfLine};
use crate::tasks::GameTask;
use crate::tasks::solve::{SolveOptions, until_stopped};
use kaeshi_core::game::search::IterationStage;
use kaeshi_reversi::evaluate::weights::ReversiWeights;
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};
use kaeshi_reversi::search::solver::{ReversiInterrupted, ReversiSolution, ReversiSolver, SolveQuestion};
use kaeshi_reversi::{Reversi, ReversiSettings};
use kaeshi_system::output::{Stdout, check_distinct, check_places, progress_bar, remark, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiSolveOptions {
    /// The evaluation that orders the moves: a file, `embedded`, or `hand` for the one without training
    /// [default: embedded]
    #[arg(long)]
    weights: Option<String>,
    /// Only find out who wins
    #[arg(long)]
    winner: bool,
    /// Also find all moves that keep the exact score
    #[arg(long, conflicts_with_all = ["winner", "make_problems"])]
    lossless: bool,
    /// Also write each position with the exact scores of all its moves to this file, an OBF, as Edax does with
    /// -script-to-obf. Takes several times as long
    #[arg(long, value_name = "OUT", conflicts_with_all = ["winner", "make_problems"])]
    obf: Option<PathBuf>,
    /// Instead of solving, search the positions with a score in the file to up to N plies, as play does, and print by
    /// depth and parity of the empty squares how far the values lie from the scores: root mean square, and mean (above
    /// 0 if values are too high for the side to move), with standard errors. With --json also the values themselves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=60))]
    #[arg(conflicts_with_all = ["winner", "lossless", "obf", "make_problems"])]
    errors: Option<u16>,
}

/// One line of the file.
struct ProblemLine {
    /// Counted from 1.
    line: usize,
    content: Result<ObfLine, String>,
}

/// The problems of a file, and its lines that are comments alone.
#[derive(Default)]
struct ProblemFile {
    problems: Vec<ProblemLine>,
    /// Number of the line, and the text behind `%`.
    comments: Vec<(usize, String)>,
}

/// The output for one position.
#[derive(Serialize)]
struct ReversiSolveOutput {
    /// Line of the file.
    line: usize,
    /// The position as the file has it.
    position: String,
    /// Final margin in discs, for the side to move.
    score: i32,
    /// A best move.
    best: String,
    /// A best line to the end.
    pv: Vec<String>,
    /// Nodes searched.
    nodes: u64,
    /// Time spent.
    seconds: f64,
    /// All moves that keep the score, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    lossless: Option<Vec<String>>,
    /// The score in the file, if it has one.
    expected: Option<i32>,
}

/// A line that could not be read.
#[derive(Serialize)]
struct BadLine<'a> {
    /// Line of the file.
    line: usize,
    /// The reason.
    error: &'a str,
}

/// Totals.
#[derive(Serialize)]
struct SolveSummary {
    /// Positions that were solved.
    solved: usize,
    /// Lines that could not be read.
    bad_lines: usize,
    /// Positions with the score that the file gives.
    as_expected: usize,
    /// Positions with another score.
    unexpected: usize,
    /// Nodes of all positions.
    nodes: u64,
    /// Time of all positions.
    seconds: f64,
}

impl GameTask<SolveOptions> for ReversiSolveOptions {
    fn run(&self, common: &SolveOptions) -> anyhow::Result<ExitCode> {
        let weights = self.weights.as_deref().map(ReversiWeights::named).transpose()?;
        if let Some(out) = &common.make_problems {
            return super::problems::make(common, out, weights);
        }
        if let Some(depth) = self.errors {
            return super::errors::print(common, depth, weights);
        }
        if let Some(out) = &self.obf {
            let written = [("--obf", out.as_path())];
            check_places(&written)?;
            check_distinct(&[("the input", &common.file)], &written)?;
        }
        let ProblemFile { problems, comments } = problems(common)?;
        let mut solver = common.with_table(|bytes| {
            let game =
                Reversi::with(ReversiSettings { weights: weights.clone(), ..ReversiSettings::default() });
            ReversiSolver::new(game, bytes, usize::from(common.threads))
        })?;
        let bar = progress_bar(problems.len() as u64, "positions");
        let mut summary =
            SolveSummary { solved: 0, bad_lines: 0, as_expected: 0, unexpected: 0, nodes: 0, seconds: 0.0 };
        let mut out = Stdout;
        let mut obf: Vec<(usize, String)> =
            comments.into_iter().map(|(line, comment)| (line, format!("%{comment}"))).collect();
        for problem in problems {
            StopSignal::of_process().check()?;
            match problem.content {
                Err(error) => {
                    summary.bad_lines += 1;
                    bar.suspend(|| remark(format_args!("kaeshi: line {}: {error}", problem.line)));
                    if common.json {
                        let bad = BadLine { line: problem.line, error: &error };
                        writeln!(out, "{}", serde_json::to_string(&bad)?)?;
                    }
                }
                Ok(given) => {
                    let empties = given.position.board.empties();
                    bar.set_message(format!("line {}, {empties} empty", problem.line));
                    let (answer, moves) = match self.search(&mut solver, problem.line, &given) {
                        Ok(found) => found,
                        Err(interrupted) => {
                            bar.finish_and_clear();
                            remark(format_args!("kaeshi: line {}: {}", problem.line, reached(&interrupted)));
                            return Err(StopSignal::of_process().stopped().into());
                        }
                    };
                    if self.obf.is_some() {
                        let line = ObfLine { moves, score: Some(answer.score), ..given };
                        obf.push((problem.line, line.to_string()));
                    }
                    summary.add(&answer, self.winner);
                    let text = if common.json { serde_json::to_string(&answer)? } else { line_of(&answer) };
                    bar.suspend(|| writeln!(out, "{text}"))?;
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if let Some(path) = &self.obf {
            obf.sort();
            let text: String = obf.into_iter().map(|(_, line)| line + "\n").collect();
            write_whole(path, text.as_bytes())?;
        }
        if common.json {
            writeln!(out, "{}", serde_json::to_string(&summary)?)?;
        } else {
            writeln!(out, "{}", summary.line())?;
        }
        let clean = summary.bad_lines == 0 && summary.unexpected == 0;
        Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

impl ReversiSolveOptions {
    /// Solves the position of a line; the moves with their scores are found for `--obf` only.
    ///
    /// # Errors
    /// The process is asked to stop.
    fn search(
        &self,
        solver: &mut ReversiSolver,
        line: usize,
        given: &ObfLine,
    ) -> Result<(ReversiSolveOutput, Vec<(ReversiTurn, i32)>), ReversiInterrupted> {
        let (position, question) =
            (&given.position, if self.winner { SolveQuestion::Winner } else { SolveQuestion::Score });
        let mut found = Err(ReversiInterrupted::default());
        until_stopped(&|| {}, &mut |interrupt| {
            solver.set_interrupt(interrupt);
            found = solver.solve(position, question).and_then(|solution| {
                let mut answer = answer(line, position, &solution, given.best_score());
                if self.lossless {
                    let turns = solver.lossless(position, &solution)?;
                    answer.lossless = Some(turns.into_iter().map(notation::format_turn).collect());
                }
                let moves = match self.obf {
                    Some(_) => solver.scores(position, &solution)?,
                    None => Vec::new(),
                };
                Ok((answer, moves))
            });
        });
        found
    }
}

/// The message about a search that was interrupted.
fn reached(interrupted: &ReversiInterrupted) -> String {
    let nodes = HumanCount(interrupted.nodes);
    match interrupted.reached {
        Some((IterationStage { depth, confidence }, score)) => {
            format!("not solved: {score:+} at depth {depth} with {confidence} %, {nodes} nodes")
        }
        None => format!("not solved: {nodes} nodes"),
    }
}

fn problems(common: &SolveOptions) -> anyhow::Result<ProblemFile> {
    let mut file = ProblemFile::default();
    for (index, bytes) in common.lines()?.enumerate() {
        let bytes = bytes?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        if let Some(comment) = obf::comment(text) {
            file.comments.push((index + 1, comment.to_owned()));
        } else if !text.is_empty() && !text.starts_with('#') {
            file.problems.push(ProblemLine { line: index + 1, content: ObfLine::parse(text) });
        }
    }
    Ok(file)
}

fn answer(
    line: usize,
    position: &ReversiPosition,
    solution: &ReversiSolution,
    expected: Option<i32>,
) -> ReversiSolveOutput {
    let pv: Vec<String> = solution.line.iter().map(|&turn| notation::format_turn(turn)).collect();
    ReversiSolveOutput {
        line,
        position: notation::format_position(position),
        score: solution.score,
        best: pv.first().cloned().unwrap_or_else(|| "none".to_owned()),
        pv,
        nodes: solution.nodes,
        seconds: solution.time.as_secs_f64(),
        lossless: None,
        expected,
    }
}

fn line_of(answer: &ReversiSolveOutput) -> String {
    let ReversiSolveOutput { line, score, best, nodes, seconds, lossless, .. } = answer;
    let lossless =
        lossless.as_ref().map_or_else(String::new, |turns| format!(" lossless {}", turns.join(",")));
    format!("{line} score {score:+} best {best}{lossless} nodes {nodes} time {seconds:.3}")
}

impl SolveSummary {
    fn add(&mut self, answer: &ReversiSolveOutput, only_sign: bool) {
        self.solved += 1;
        self.nodes += answer.nodes;
        self.seconds += answer.seconds;
        if let Some(expected) = answer.expected {
            let right =
                if only_sign { expected.signum() == answer.score.signum() } else { expected == answer.score };
            if right {
                self.as_expected += 1;
            } else {
                self.unexpected += 1;
                remark(format_args!(
                    "kaeshi: line {}: score {:+}, the file says {expected:+}",
                    answer.line, answer.score
                ));
            }
        }
    }

    fn line(&self) -> String {
        let speed = self.nodes as f64 / self.seconds.max(1e-9) / 1e6;
        let mut text = format!(
            "solved {} nodes {} time {:.3} speed {speed:.1} Mnps",
            self.solved, self.nodes, self.seconds
        );
        if self.as_expected + self.unexpected > 0 {
            text += &format!(" as expected {} of {}", self.as_expected, self.as_expected + self.unexpected);
        }
        if self.bad_lines > 0 {
            text += &format!(" bad lines {}", self.bad_lines);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_has_its_score_and_those_that_lose_nothing_are_known() {
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let mut position = notation::parse_position(text).expect("a position");
        let mut solver = ReversiSolver::new(Reversi::default(), 8 << 20, 1).expect("a small table");
        let mut ties = 0;
        while !position.board.is_over() {
            if position.board.empties() <= 11 {
                let solution = solver.solve(&position, SolveQuestion::Score).expect("no interrupt");
                let scores = solver.scores(&position, &solution).expect("no interrupt");
                assert_eq!(scores.len(), position.turns().len());
                assert!(scores.is_sorted_by(|one, other| one.1 >= other.1), "{scores:?}");
                for (turn, score) in &scores {
                    let mut after = position;
                    after.play(*turn);
                    let sign = if after.side == position.side { 1 } else { -1 };
                    let solved = solver.solve(&after, SolveQuestion::Score).expect("no interrupt");
                    assert_eq!(*score, sign * solved.score, "{turn:?}");
                }
                let solution = solver.solve(&position, SolveQuestion::Score).expect("no interrupt");
                let mut kept = solver.lossless(&position, &solution).expect("no interrupt");
                let mut best: Vec<ReversiTurn> = scores
                    .iter()
                    .filter(|scored| scored.1 == solution.score)
                    .map(|scored| scored.0)
                    .collect();
                let order = |turn: &ReversiTurn| notation::format_turn(*turn);
                kept.sort_by_key(order);
                best.sort_by_key(order);
                assert_eq!(kept, best);
                ties += usize::from(kept.len() > 1);
            }
            let turn = position.turns()[0];
            position.play(turn);
        }
        assert!(ties > 0);
    }

    #[test]
    fn a_position_of_the_usual_suite_is_solved_by_one_and_by_two_threads() {
        // FFO 40 with its best move and the reply played, so that it is quick.
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
        let mut position = notation::parse_position(text).expect("a position");
        for turn in ["a2", "b1", "c1"] {
            let turn = notation::read_turn(turn).expect("a square");
            if position.is_legal(turn) {
                position.play(turn);
            }
        }
        let mut one = ReversiSolver::new(Reversi::default(), 8 << 20, 1).expect("a small table");
        let mut two = ReversiSolver::new(Reversi::default(), 8 << 20, 2).expect("a small table");
        let exact = one.solve(&position, SolveQuestion::Score).expect("no interrupt");
        let by_two = two.solve(&position, SolveQuestion::Score).expect("no interrupt");
        assert_eq!(by_two.score, exact.score);
        let winner = one.solve(&position, SolveQuestion::Winner).expect("no interrupt");
        assert_eq!(winner.score.signum(), exact.score.signum());
        let mut end = position;
        exact.line.iter().for_each(|&turn| end.play(turn));
        let sign = if end.side == position.side { 1 } else { -1 };
        assert!(end.board.is_over());
        assert_eq!(sign * end.board.final_score(), exact.score);
    }
}
