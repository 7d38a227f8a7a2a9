//! `kaeshi solve`: exact results of the positions in a file.

mod sygo;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde::Serialize;

use crate::games::GameName;
use crate::reversi::evaluate::weights::Weights;
use crate::reversi::rules::notation;
use crate::reversi::rules::position::Position;
use crate::reversi::search::solver::{Question, Solution, Solver};
use crate::reversi::{Reversi, Settings};
use crate::tools::progress_bar;

/// Solve every position of a file to the end.
///
/// Reversi: a line holds 64 squares (- X O) and the side to move; what follows a semicolon may be moves with
/// their known scores (`A2:+38;`), which are then compared. Empty lines and lines that begin with
/// % or # are left out. A line that cannot be read is named on stderr, and the others are solved.
///
/// Sygo: a line holds an empty board of at most 121 points as columns x rows (`5x4`), or a position
/// of five fields; the answer is the margin for the side to move, all best turns and a best line. Where
/// more turns than 65,535 come up in one position, it is refused.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The game
    #[arg(long, value_enum, default_value = "reversi")]
    pub game: GameName,
    /// The file of positions; - for standard input
    pub file: PathBuf,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Size of the table in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub hash: u32,
    /// The evaluation that orders the moves of Reversi: a file, `embedded`, or `hand` for the one
    /// without training [default: embedded]
    #[arg(long)]
    pub weights: Option<String>,
    /// Only find out who wins
    #[arg(long)]
    pub winner: bool,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub json: bool,
}

/// One line of the file.
struct Problem {
    /// Counted from 1.
    line: usize,
    content: Result<(Position, Option<i32>), String>,
}

/// What is printed for one position.
#[derive(Serialize)]
struct Told {
    line: usize,
    position: String,
    score: i32,
    best: String,
    pv: Vec<String>,
    nodes: u64,
    seconds: f64,
    /// What the file says, if it says anything.
    expected: Option<i32>,
}

#[derive(Serialize)]
struct Bad<'a> {
    line: usize,
    error: &'a str,
}

#[derive(Serialize)]
struct Summary {
    solved: usize,
    bad_lines: usize,
    as_expected: usize,
    unexpected: usize,
    nodes: u64,
    seconds: f64,
}

impl Args {
    /// Prints a line for each position as it is solved, and a summary. The exit code is 1 if a line
    /// was bad or a score is not as expected.
    ///
    /// # Errors
    /// The file cannot be read, or there is not enough memory.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.game {
            GameName::Reversi => {}
            GameName::Sygo if self.winner => bail!("--winner is for Reversi"),
            GameName::Sygo if self.weights.is_some() => bail!("--weights is for Reversi"),
            GameName::Sygo => {
                let bytes = (self.hash as usize) << 20;
                let out = io::stdout().lock();
                return sygo::run(self.reader()?, out, usize::from(self.threads), bytes, self.json);
            }
            GameName::Shogi => bail!("shogi has no solver for files"),
        }
        let problems = self.problems()?;
        let weights = self.weights.as_deref().map(Weights::named).transpose()?;
        let game = Reversi::with(Settings { weights, ..Settings::default() });
        let mut solver = Solver::new(game, (self.hash as usize) << 20, usize::from(self.threads))?;
        let question = if self.winner { Question::Winner } else { Question::Score };
        let bar = progress_bar(problems.len() as u64, "positions");
        let mut summary =
            Summary { solved: 0, bad_lines: 0, as_expected: 0, unexpected: 0, nodes: 0, seconds: 0.0 };
        let mut out = io::stdout().lock();
        for problem in problems {
            match problem.content {
                Err(error) => {
                    summary.bad_lines += 1;
                    bar.suspend(|| eprintln!("kaeshi: line {}: {error}", problem.line));
                    if self.json {
                        let bad = Bad { line: problem.line, error: &error };
                        writeln!(out, "{}", serde_json::to_string(&bad)?)?;
                    }
                }
                Ok((position, expected)) => {
                    bar.set_message(format!("line {}, {} empty", problem.line, position.board.empties()));
                    let solution = solver.solve(&position, question);
                    let told = told(problem.line, &position, &solution, expected);
                    summary.add(&told, self.winner);
                    let text = if self.json { serde_json::to_string(&told)? } else { line_of(&told) };
                    bar.suspend(|| writeln!(out, "{text}"))?;
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(&summary)?)?;
        } else {
            writeln!(out, "{}", summary.line())?;
        }
        let clean = summary.bad_lines == 0 && summary.unexpected == 0;
        Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn reader(&self) -> anyhow::Result<Box<dyn BufRead>> {
        if self.file.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        Ok(Box::new(BufReader::new(file)))
    }

    fn problems(&self) -> anyhow::Result<Vec<Problem>> {
        let name = self.file.display();
        let mut problems = Vec::new();
        for (index, bytes) in self.reader()?.split(b'\n').enumerate() {
            let bytes = bytes.with_context(|| name.to_string())?;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim();
            if !text.is_empty() && !text.starts_with(['%', '#']) {
                problems.push(Problem { line: index + 1, content: read(text) });
            }
        }
        Ok(problems)
    }
}

/// A position and the score of the best move that the line states.
fn read(text: &str) -> Result<(Position, Option<i32>), String> {
    let position = notation::parse_position(text).map_err(|error| error.0)?;
    let mut best: Option<i32> = None;
    for note in text.split(';').skip(1) {
        let Some((_, score)) = note.split_once(':') else { continue };
        let score: i32 = score.trim().parse().map_err(|_| format!("'{}' is no score", score.trim()))?;
        best = Some(best.map_or(score, |best| best.max(score)));
    }
    Ok((position, best))
}

fn told(line: usize, position: &Position, solution: &Solution, expected: Option<i32>) -> Told {
    let pv: Vec<String> = solution.line.iter().map(|&turn| notation::format_turn(turn)).collect();
    Told {
        line,
        position: notation::format_position(position),
        score: solution.score,
        best: pv.first().cloned().unwrap_or_else(|| "none".to_owned()),
        pv,
        nodes: solution.nodes,
        seconds: solution.time.as_secs_f64(),
        expected,
    }
}

fn line_of(told: &Told) -> String {
    let Told { line, score, best, nodes, seconds, .. } = told;
    format!("{line} score {score:+} best {best} nodes {nodes} time {seconds:.3}")
}

impl Summary {
    fn add(&mut self, told: &Told, only_sign: bool) {
        self.solved += 1;
        self.nodes += told.nodes;
        self.seconds += told.seconds;
        if let Some(expected) = told.expected {
            let right =
                if only_sign { expected.signum() == told.score.signum() } else { expected == told.score };
            if right {
                self.as_expected += 1;
            } else {
                self.unexpected += 1;
                eprintln!("kaeshi: line {}: score {:+}, the file says {expected:+}", told.line, told.score);
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
    fn known_scores_are_read_and_nonsense_is_refused() {
        let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; C7:+36;";
        assert_eq!(read(text).map(|(_, score)| score), Ok(Some(38)));
        assert_eq!(read(&text[..66]).map(|(_, score)| score), Ok(None));
        assert!(read("XOXO").is_err());
        assert!(read(&text.replace("+38", "many")).is_err_and(|error| error.contains("many")));
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
        let mut one = Solver::new(Reversi::default(), 8 << 20, 1).expect("a small table");
        let mut two = Solver::new(Reversi::default(), 8 << 20, 2).expect("a small table");
        let exact = one.solve(&position, Question::Score);
        assert_eq!(two.solve(&position, Question::Score).score, exact.score);
        let winner = one.solve(&position, Question::Winner);
        assert_eq!(winner.score.signum(), exact.score.signum());
        let mut end = position;
        exact.line.iter().for_each(|&turn| end.play(turn));
        let sign = if end.side == position.side { 1 } else { -1 };
        assert!(end.board.is_over());
        assert_eq!(sign * end.board.final_score(), exact.score);
    }
}
