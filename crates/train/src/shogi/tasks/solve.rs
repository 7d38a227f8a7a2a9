//! Mates of shogi positions.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use serde::Serialize;

use crate::tasks::GameTask;
use crate::tasks::solve::SolveOptions;
use kaeshi_core::game::GameError;
use kaeshi_core::game::control::SearchControl;
use kaeshi_shogi::mate::{MateSolver, MateVerdict};
use kaeshi_shogi::rules::sfen;
use kaeshi_system::output::{Stdout, remark};
use kaeshi_system::stop_signal::StopSignal;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiSolveOptions {
    /// Nodes for each position [default: until it is decided]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

/// What is printed for one position.
#[derive(Serialize)]
struct MateSolveOutput {
    line: usize,
    position: String,
    /// Whether the side to move mates by checks; `null` where it was not decided.
    mate: Option<bool>,
    pv: Vec<String>,
    nodes: u64,
    seconds: f64,
}

impl GameTask<SolveOptions> for ShogiSolveOptions {
    fn run(&self, common: &SolveOptions) -> anyhow::Result<ExitCode> {
        if let Some(out) = &common.make_problems {
            return super::problems::make(common, out);
        }
        let mut solver = MateSolver::with_bytes((common.hash as usize) << 20);
        let mut code = ExitCode::SUCCESS;
        let mut out = Stdout;
        for (index, bytes) in common.lines()?.enumerate() {
            let bytes = bytes?;
            StopSignal::of_process().check()?;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim();
            if text.is_empty() || text.starts_with(['#', '%']) {
                continue;
            }
            match self.answer(&mut solver, index + 1, text) {
                Ok(answer) if common.json => writeln!(out, "{}", serde_json::to_string(&answer)?)?,
                Ok(answer) => writeln!(out, "{answer}")?,
                Err(reason) => {
                    remark(format_args!("kaeshi: line {}: {reason}", index + 1));
                    code = ExitCode::from(1);
                }
            }
        }
        Ok(code)
    }
}

impl ShogiSolveOptions {
    fn answer(&self, solver: &mut MateSolver, line: usize, text: &str) -> Result<MateSolveOutput, GameError> {
        let position = sfen::parse(text.strip_prefix("sfen ").unwrap_or(text))?;
        let clock = Instant::now();
        let verdict = solver.solve(&position, self.nodes.unwrap_or(u64::MAX), &SearchControl::free());
        let nodes = solver.nodes();
        let (mate, pv) = match verdict {
            MateVerdict::Mate(moves) => {
                (Some(true), solver.minimise(&position, moves, &SearchControl::free()))
            }
            MateVerdict::NoMate => (Some(false), Vec::new()),
            MateVerdict::Unknown => (None, Vec::new()),
        };
        Ok(MateSolveOutput {
            line,
            position: text.to_owned(),
            mate,
            pv: pv.iter().map(ToString::to_string).collect(),
            nodes,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }
}

impl std::fmt::Display for MateSolveOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MateSolveOutput { line, mate, pv, nodes, seconds, .. } = self;
        match mate {
            Some(true) => write!(f, "{line} mate {} pv {}", pv.len(), pv.join(" "))?,
            Some(false) => write!(f, "{line} nomate")?,
            None => write!(f, "{line} unknown")?,
        }
        write!(f, " nodes {nodes} time {seconds:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_its_absence_and_nonsense_are_distinguished() {
        let mut solver = MateSolver::with_bytes(1 << 20);
        let mut answer = |text| ShogiSolveOptions::default().answer(&mut solver, 1, text);
        let mate = answer("sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").expect("a position");
        assert_eq!((mate.mate, mate.pv), (Some(true), vec!["G*5b".to_owned()]));
        assert_eq!(
            answer("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1")
                .expect("a position")
                .mate,
            Some(false)
        );
        assert!(answer("nonsense").is_err());
    }
}
