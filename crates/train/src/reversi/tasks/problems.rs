//! Endgames of Reversi with one best move.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::tasks::problems::{self, GradedProblem, Poser};
use crate::tasks::solve::SolveOptions;
use kaeshi_core::game::GameRules;
use kaeshi_reversi::evaluate::weights::ReversiWeights;
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::ReversiPosition;
use kaeshi_reversi::search::solver::{ReversiSolver, SolveQuestion};
use kaeshi_reversi::{Reversi, ReversiSettings};

/// Discs by which the best move is better than every other one.
const LEAST_GAP: i32 = 4;
/// Fewest moves to choose from.
const LEAST_MOVES: usize = 3;

/// Looks for problems in the games of `common.file`.
///
/// # Errors
/// Files cannot be read or written, or there is not enough memory.
pub(super) fn make(
    common: &SolveOptions,
    out: &Path,
    weights: Option<Arc<ReversiWeights>>,
) -> anyhow::Result<ExitCode> {
    let game = || Reversi::with(ReversiSettings { weights: weights.clone(), ..ReversiSettings::default() });
    let solver = common.with_table(|bytes| ReversiSolver::new(game(), bytes, usize::from(common.threads)))?;
    let game = game();
    problems::make(&game, &mut EndgamePoser { solver }, common, out, &|path| {
        problems::records_of(&game, path)
    })
}

/// The grade is the number of empty squares.
struct EndgamePoser {
    solver: ReversiSolver,
}

impl Poser<Reversi> for EndgamePoser {
    const GRADES: &'static [u32] = &[6, 7, 8, 9, 10, 11, 12, 13, 14];
    const LAST: usize = 20;

    fn pose(
        &mut self,
        game: &Reversi,
        position: &ReversiPosition,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Option<GradedProblem> {
        let grade = position.board.empties();
        let turns = game.turns(position);
        if !Self::GRADES.contains(&grade) || !wanted(grade) || turns.len() < LEAST_MOVES {
            return None;
        }
        let solution = self.solver.solve(position, SolveQuestion::Score).ok()?;
        let best = *solution.line.first()?;
        let mut second = -64;
        for turn in turns.into_iter().filter(|&turn| turn != best) {
            let mut after = *position;
            after.play(turn);
            let sign = if after.side == position.side { 1 } else { -1 };
            second = second.max(sign * self.solver.solve(&after, SolveQuestion::Score).ok()?.score);
            if second > solution.score - LEAST_GAP {
                return None;
            }
        }
        Some(GradedProblem {
            grade,
            position: notation::format_position(position),
            turns: vec![notation::format_turn(best)],
            also: Vec::new(),
            values: Some([solution.score, second]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::{GameNotation, GameRules};

    #[test]
    fn a_problem_has_one_best_move_by_a_clear_margin() {
        let mut poser = EndgamePoser {
            solver: ReversiSolver::new(Reversi::default(), 1 << 20, 1).expect("a small table"),
        };
        let game = Reversi::default();
        let mut position = game.start();
        let mut seed = 1_usize;
        let mut found = 0;
        while position.outcome().is_none() {
            if let Some(problem) = poser.pose(&game, &position, &|_| true) {
                let [best, second] = problem.values.expect("values");
                assert!(best - second >= LEAST_GAP && (6..=14).contains(&problem.grade));
                let mut after = position;
                after.play(game.parse_turn(&position, &problem.turns[0]).expect("a legal move"));
                let sign = if after.side == position.side { 1 } else { -1 };
                let solved = poser.solver.solve(&after, SolveQuestion::Score).expect("no interrupt");
                assert_eq!(sign * solved.score, best, "{problem}");
                found += 1;
            }
            let turns = game.turns(&position);
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            position.play(turns[(seed >> 33) % turns.len()]);
        }
        assert!(found > 0, "a random game has an endgame with one best move");
    }
}
