//! Turns of Sygo on small boards that are better than every other one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::process::ExitCode;

use crate::tasks::problems::{self, GradedProblem, Poser};
use crate::tasks::solve::SolveOptions;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::{GameOptions, GameRules};
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::solve::search::SolverBudget;
use kaeshi_sygo::solve::shape::BoardShape;
use kaeshi_sygo::solve::{self, SygoSolver};
use kaeshi_sygo::{Sygo, SygoSettings};

/// Points by which the best turn is better than every other one.
const LEAST_GAP: i32 = 2;
/// Nodes that a position may cost.
const NODES: u64 = 20_000;
/// Most vacant points of a position.
const MOST_VACANT: usize = 25;
/// Most turns of the easier two grades.
const FEW_TURNS: usize = 40;
/// Columns of the largest board.
const LARGEST: usize = 7;

/// Looks for problems in the games of `common.file`.
///
/// # Errors
/// Files cannot be read or written, or there is not enough memory.
pub(super) fn make(common: &SolveOptions, out: &Path) -> anyhow::Result<ExitCode> {
    let bytes = common.with_table(|bytes| SygoSolver::of_board(LARGEST, LARGEST, bytes).map(|_| bytes))?;
    let mut poser = TurnPoser { bytes, solvers: HashMap::new() };
    let game = Sygo::load(&SygoSettings::default())?;
    problems::make(&game, &mut poser, common, out, &|path| problems::records_of(&game, path))
}

/// Grades: 1 and 2 among few turns, 3 and 4 among many; 2 and 4 where another turn is ahead at once.
struct TurnPoser {
    /// Size of each table.
    bytes: usize,
    /// By columns and rows.
    solvers: HashMap<(usize, usize), SygoSolver<BoardShape>>,
}

impl Poser<Sygo> for TurnPoser {
    const GRADES: &'static [u32] = &[1, 2, 3, 4];
    const LAST: usize = 40;

    fn pose(
        &mut self,
        game: &Sygo,
        position: &SygoPosition,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Option<GradedProblem> {
        let size = position.board.size();
        let is_large =
            size.columns().max(size.rows()) > LARGEST || position.board.vacant().len() > MOST_VACANT;
        if position.is_over() || is_large {
            return None;
        }
        let turns = game.turns(position);
        if turns.len() < 4
            || !Self::GRADES.iter().any(|&grade| wanted(grade) && (grade > 2) == (turns.len() > FEW_TURNS))
        {
            return None;
        }
        let solver = match self.solvers.entry((size.columns(), size.rows())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(SygoSolver::of_board(size.columns(), size.rows(), self.bytes).ok()?)
            }
        };
        let node = solve::node(position);
        let (control, mut effort) = (SearchControl::free(), SolverBudget::nodes(NODES));
        let (value, line) = solver.best_of(node, None, &control, &mut effort).ok()?;
        let best = line.first().filter(|&turn| *turn != SygoTurn::pass())?.clone();
        let (second, _) = solver.best_of(node, Some(&|turn| *turn != best), &control, &mut effort).ok()?;
        if value - second < LEAST_GAP {
            return None;
        }
        let at_once = |turn: &SygoTurn| {
            let mut after = position.clone();
            after.play(turn);
            -solver.margin(solve::node(&after))
        };
        let gain = at_once(&best);
        let hidden = turns.iter().any(|turn| *turn != SygoTurn::pass() && at_once(turn) > gain);
        let grade = u32::from(turns.len() > FEW_TURNS) * 2 + u32::from(hidden) + 1;
        wanted(grade).then(|| GradedProblem {
            grade,
            position: format!("fen {}", notation::format_position(position)),
            turns: vec![notation::format_turn(&best)],
            also: Vec::new(),
            values: Some([value, second]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::{GameNotation, GameOptions};

    #[test]
    fn the_only_best_turn_is_a_problem_and_an_empty_board_is_none() {
        let mut poser = TurnPoser { bytes: 16 << 20, solvers: HashMap::new() };
        let game = Sygo::load(&SygoSettings::default()).expect("the embedded evaluation");
        let position = game.parse_position("bb2w/bwwww/wwwww/1wwww/bwwww w g 0 15").expect("a position");
        let problem = poser.pose(&game, &position, &|_| true).expect("one turn is best");
        let [value, second] = problem.values.expect("values");
        assert!(value - second >= LEAST_GAP, "{problem}");
        let solver = SygoSolver::of_board(5, 5, 1 << 20).expect("a small table");
        let solution = solver.solve(&position, &SearchControl::free()).expect("a small board");
        let best: Vec<String> = solution.best.iter().map(notation::format_turn).collect();
        assert_eq!((solution.margin, best), (value, problem.turns));
        let empty = game.parse_position("3/3/3 w - 0 1").expect("a position");
        assert_eq!(poser.pose(&game, &empty, &|_| true), None, "its turns are equal by symmetry");
    }
}
