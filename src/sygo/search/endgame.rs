//! Late positions of any board, solved while they are searched.

use std::sync::Arc;

use crate::engine::table::Table;
use crate::game::control::Control;
use crate::sygo::rules::position::Position;
use crate::sygo::rules::turn::Turn;
use crate::sygo::solve::common_fate::CommonFate;
use crate::sygo::solve::moves::Node;
use crate::sygo::solve::search::Bounds;
use crate::sygo::solve::{Solver, Unsolved};

/// Vacant points, but those where nobody can gain, of a position that is tried to be solved: with 10,
/// 20,000 nodes nearly always suffice, with 13 one time in nine.
const MOST_OPEN: usize = 13;
/// The same where the pass seems best.
const MOST_OPEN_BEFORE_PASS: usize = 20;

/// A position, and what solves it if few turns can follow.
pub struct Endgame {
    key: u64,
    problem: Option<Problem>,
}

struct Problem {
    solver: Solver<CommonFate>,
    node: Node,
    /// Vacant points where somebody may gain.
    open: usize,
    /// Turns of the position.
    turns: u64,
}

impl Endgame {
    /// The position; what is learned of it goes into `table`.
    pub fn new(position: &Position, table: &Arc<Table<Bounds>>) -> Endgame {
        Endgame { key: position.key(), problem: Problem::new(position, table) }
    }

    /// Whether it is this position.
    pub fn is_of(&self, position: &Position) -> bool {
        self.key == position.key()
    }

    /// Margin and line of the best turn allowed; `passing` says whether the pass seems best.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns for so many nodes.
    pub fn best_of(
        &self,
        allowed: &dyn Fn(&Turn) -> bool,
        control: &Control,
        limit: u64,
        passing: bool,
    ) -> Result<(i32, Vec<Turn>), Unsolved> {
        let most = if passing { MOST_OPEN_BEFORE_PASS } else { MOST_OPEN };
        let problem = self.problem.as_ref();
        let problem = problem.filter(|problem| problem.turns <= limit && problem.open <= most);
        let Problem { solver, node, .. } = problem.ok_or(Unsolved::TooManyTurns)?;
        solver.best_of(*node, allowed, control, limit)
    }
}

impl Problem {
    fn new(position: &Position, table: &Arc<Table<Bounds>>) -> Option<Problem> {
        let (graph, node) = CommonFate::new(position)?;
        let solver = Solver::new(graph, Arc::clone(table));
        let open = solver.open(node);
        if open > MOST_OPEN_BEFORE_PASS {
            return None;
        }
        let turns = solver.turns(node)?;
        Some(Problem { solver, node, open, turns })
    }
}
