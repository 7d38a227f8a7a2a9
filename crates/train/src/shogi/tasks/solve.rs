//! Mates of shogi positions: their length, and whether a solution is the only one.

mod input;
mod output;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::PossibleValuesParser;

use crate::tasks::GameTask;
use crate::tasks::solve::{SolveOptions, until_stopped};
use input::{MateProblem, problems};
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::time::Instant;
use kaeshi_core::visible::Visible;
use kaeshi_match::dialogue::limits::parse_span;
use kaeshi_shogi::mate::MateVerdict;
use kaeshi_shogi::mate::tsume::{MateLength, SecondSolutions, TsumeSolver};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_system::output::{Stdout, progress_bar, remark};
use kaeshi_system::stop_signal::StopSignal;
use output::{MateForm, MateNotation, MateSolveOutput, MateSummary};

/// Nodes that are spent, without limits, to count the plies of a mate that was found.
const COUNT_NODES: u64 = 20_000_000;
/// Nodes that are spent, without limits, on each check that may be a second solution.
const COOK_NODES: u64 = 1_000_000;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiSolveOptions {
    /// Nodes for each position [default: until it is decided]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time for each position, 500ms or 30s [default: until it is decided]
    #[arg(long, value_name = "TIME", value_parser = parse_span)]
    time: Option<Duration>,
    /// Moves that count in the length of a mate: `tsume` for all but useless interpositions, `legal` for all
    /// [default: tsume]
    #[arg(long, value_name = "RULE", value_parser = PossibleValuesParser::new(MateLength::NAMES))]
    mate_length: Option<String>,
    /// Look for second solutions: other checks that mate as well
    #[arg(long)]
    cooks: bool,
    /// How moves are written: `usi`, `japanese` or `western` [default: usi]
    #[arg(long, value_name = "FORM", value_parser = PossibleValuesParser::new(MateNotation::NAMES))]
    notation: Option<String>,
    /// A CSV file instead of a table
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl GameTask<SolveOptions> for ShogiSolveOptions {
    fn run(&self, common: &SolveOptions) -> anyhow::Result<ExitCode> {
        if let Some(out) = &common.make_problems {
            return super::problems::make(common, out);
        }
        if self.cooks && self.length() == MateLength::Legal {
            anyhow::bail!(
                "--cooks compares lengths as problem solvers count them: leave --mate-length legal out"
            );
        }
        let problems = problems(&common.file)?;
        let form = if common.json {
            MateForm::Json
        } else if self.csv {
            MateForm::Csv
        } else {
            MateForm::table(problems.iter().map(|problem| problem.name.as_str()))
        };
        let mut solved = Ok(MateSummary::default());
        until_stopped(&|| {}, &mut |interrupt| solved = self.solve_all(common, &problems, &form, interrupt));
        let summary = solved?;
        write!(Stdout, "{}", form.end(&summary))?;
        // Results found before a signal are printed.
        StopSignal::of_process().check()?;
        Ok(if summary.bad_lines > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

impl ShogiSolveOptions {
    /// Prints a row for each problem; ends when `interrupt` is raised.
    fn solve_all(
        &self,
        common: &SolveOptions,
        problems: &[MateProblem],
        form: &MateForm,
        interrupt: &Interrupt,
    ) -> anyhow::Result<MateSummary> {
        let mut solver = TsumeSolver::with_bytes((common.hash as usize) << 20);
        let bar = progress_bar(problems.len() as u64, "problems");
        let mut summary = MateSummary::default();
        let mut out = Stdout;
        bar.suspend(|| write!(out, "{}", form.head()))?;
        for problem in problems {
            bar.set_message(problem.name.clone());
            match &problem.content {
                Ok(position) => {
                    let answer = self.answer(&mut solver, problem, position, interrupt);
                    if interrupt.is_raised() {
                        break;
                    }
                    summary.add(&answer);
                    bar.suspend(|| write!(out, "{}", Visible(form.row(&answer, self.notation()))))?;
                }
                Err(reason) => {
                    summary.bad_lines += 1;
                    bar.suspend(|| remark(format_args!("kaeshi: {}: {reason}", problem.place())));
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(summary)
    }

    fn length(&self) -> MateLength {
        self.mate_length.as_deref().and_then(MateLength::from_name).unwrap_or(MateLength::Tsume)
    }

    fn notation(&self) -> MateNotation {
        self.notation.as_deref().and_then(MateNotation::from_name).unwrap_or_default()
    }

    /// A control that ends with the time for one position, or when `interrupt` is raised.
    fn control(&self, interrupt: &Interrupt) -> SearchControl {
        let signal = Signal::interruptible(Instant::now(), 1, None, Some(interrupt.clone()));
        signal.set_deadline(self.time);
        SearchControl::new(signal, 0)
    }

    /// Nodes for one part of the work on a position; `usual` where neither nodes nor time are limited.
    fn part(&self, usual: u64) -> u64 {
        self.nodes.unwrap_or(if self.time.is_some() { u64::MAX } else { usual })
    }

    fn answer(
        &self,
        solver: &mut TsumeSolver,
        problem: &MateProblem,
        position: &ShogiPosition,
        interrupt: &Interrupt,
    ) -> MateSolveOutput {
        let clock = Instant::now();
        let control = self.control(interrupt);
        let mut answer = MateSolveOutput::new(problem);
        let verdict = solver.mate_solver().solve(position, self.part(u64::MAX), &control);
        answer.nodes = solver.mate_solver().nodes();
        match verdict {
            MateVerdict::Mate(line) => self.count(solver, position, line, &control, &mut answer),
            MateVerdict::NoMate => answer.mate = Some(false),
            MateVerdict::Unknown => {}
        }
        answer.seconds = clock.elapsed().as_secs_f64();
        answer
    }

    /// Counts the plies of a mate, and looks for second solutions if they are asked for.
    fn count(
        &self,
        solver: &mut TsumeSolver,
        position: &ShogiPosition,
        line: Vec<Move>,
        control: &SearchControl,
        answer: &mut MateSolveOutput,
    ) {
        let line = solver.mate_solver().minimise(position, line, control);
        answer.nodes += solver.mate_solver().nodes();
        if self.length() == MateLength::Legal {
            answer.tell_line(position, &line, None);
            return;
        }
        let solution = solver.count(position, &line, self.part(COUNT_NODES), control);
        answer.nodes += solver.nodes();
        answer.tell_line(position, &solution.line, Some(solution.is_shortest));
        if self.cooks {
            let found = match solution.is_shortest {
                true => solver.second_solutions(position, &solution.line, self.part(COOK_NODES), control),
                false => SecondSolutions::default(),
            };
            answer.nodes += if solution.is_shortest { solver.nodes() } else { 0 };
            answer.tell_second_solutions(position, &solution, &found);
        }
    }
}

#[cfg(test)]
mod tests;
