//! Late positions of any board, solved while they are searched.
//!
//! The solver gets a share of the search: of its time where there is a deadline, otherwise of its simulations, so that
//! the same search finds the same again.

use std::sync::Arc;
use std::time::Duration;

use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::solve::bounds::Bounds;
use crate::solve::common_fate::CommonFate;
use crate::solve::moves::SolverNode;
use crate::solve::search::SolverBudget;
use crate::solve::{SygoSolver, Unsolved};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::time::Instant;

/// Most vacant points of a position that the solver tries, without those where neither side can gain.
const MOST_OPEN: usize = 20;
/// The same for a position in which it looks for a turn better than the pass.
const MOST_OPEN_PASSING: usize = 40;
/// Most turns of a position that the solver tries.
const MOST_TURNS: usize = 4096;
/// Nodes of the solver that take as long as a simulation, for each point of the board.
const NODES_OF_A_POINT: u64 = 1;
/// Without a deadline, at least this many nodes are spent on a turn better than the pass.
const NODES_OF_A_PASS: u64 = 400_000;

/// The uses of the solver.
#[derive(Clone, Copy, Debug)]
enum SolverUse {
    /// For the position itself.
    Root,
    /// To look for a turn better than the pass.
    Pass,
}

/// Parts of the search, in per cent, that each may take.
const PERCENT: [u32; 2] = [15, 100];

/// Nodes, and the time they took.
#[derive(Clone, Copy, Debug, Default)]
struct SolveCost {
    nodes: u64,
    time: Duration,
}

/// A position, and what solves it if few turns can follow.
pub struct Endgame {
    key: u64,
    points: u64,
    problem: Option<EndgameProblem>,
    /// The search it serves, by its start.
    search: Option<Instant>,
    /// Simulations before this search, and of it.
    before: u64,
    simulations: u64,
    /// The cost so far in this search, by use.
    spent: [SolveCost; 2],
    /// The number of known lines and the budget of the last attempt to solve the position, if it failed.
    failed: Option<(usize, SolveCost)>,
    /// A turn better than ending the game by a pass, or `Some(None)` if there is none; `None` if that is unknown.
    gain: Option<Option<SygoTurn>>,
}

struct EndgameProblem {
    solver: SygoSolver<CommonFate>,
    node: SolverNode,
    /// Vacant points where a side may gain.
    open: usize,
    /// Whether it has few turns.
    few: bool,
}

impl Endgame {
    /// The solver of a position; its results go into `table`.
    pub fn new(position: &SygoPosition, table: &Arc<TranspositionTable<Bounds>>) -> Endgame {
        Endgame {
            key: position.key(),
            points: position.board.size().points() as u64,
            problem: EndgameProblem::new(position, table),
            search: None,
            before: 0,
            simulations: 0,
            spent: [SolveCost::default(); 2],
            failed: None,
            gain: None,
        }
    }

    /// Whether it is this position.
    pub fn is_of(&self, position: &SygoPosition) -> bool {
        self.key == position.key()
    }

    /// Says which search it serves, and how many simulations its thread has made in all searches so far.
    pub fn serve(&mut self, control: &SearchControl, simulated: u64) {
        let search = Some(control.signal().started());
        if self.search != search {
            (self.search, self.before, self.spent, self.failed) =
                (search, simulated, Default::default(), None);
        }
        self.simulations = simulated - self.before;
    }

    /// Margin and line of the best turn allowed, `lines` others being known. A side that is behind prefers `liked` to
    /// turns of equal value: the other side may err after it, but not after a pass.
    ///
    /// # Errors
    /// The control says stop, there are too many turns, or the share does not suffice.
    pub fn best_of(
        &mut self,
        allowed: Option<&dyn Fn(&SygoTurn) -> bool>,
        liked: Option<&SygoTurn>,
        control: &SearchControl,
        lines: usize,
    ) -> Result<(i32, Vec<SygoTurn>), Unsolved> {
        let left = self.left(SolverUse::Root, control);
        let timed = control.signal().is_timed();
        let enough = |(known, former): (usize, SolveCost)| {
            known != lines || if timed { left.time >= former.time } else { left.nodes >= former.nodes }
        };
        if !self.failed.is_none_or(enough) {
            return Err(Unsolved::Stopped);
        }
        let found = self.spend(SolverUse::Root, left, control, |problem, effort| {
            if problem.open > MOST_OPEN || !problem.few {
                return Err(Unsolved::TooManyTurns);
            }
            let EndgameProblem { solver, node, .. } = problem;
            let (margin, line) = solver.best_of(*node, allowed, control, effort)?;
            if margin < 0
                && let Some(liked) = liked
                && line.first() != Some(liked)
                && let Ok((same, other)) =
                    solver.best_of(*node, Some(&|turn: &SygoTurn| turn == liked), control, effort)
                && same == margin
                && !other.is_empty()
            {
                return Ok((margin, other));
            }
            Ok((margin, line))
        });
        // After a pause the solver goes on with the results in its table.
        self.failed = (found.is_err() && !control.is_paused()).then_some((lines, left));
        found
    }

    /// The same with at most `nodes` nodes instead of a share, if at most `open` points are open.
    ///
    /// # Errors
    /// The control says stop, there are too many turns, or the nodes do not suffice.
    pub fn best_within(
        &self,
        allowed: Option<&dyn Fn(&SygoTurn) -> bool>,
        control: &SearchControl,
        (open, nodes): (usize, u64),
    ) -> Result<(i32, Vec<SygoTurn>), Unsolved> {
        let problem = self.problem.as_ref().filter(|problem| problem.open <= open && problem.few);
        let EndgameProblem { solver, node, .. } = problem.ok_or(Unsolved::TooManyTurns)?;
        solver.best_of(*node, allowed, control, &mut SolverBudget::nodes(nodes))
    }

    /// A turn that gains more than to pass out, as far as that was or can be found.
    ///
    /// # Errors
    /// The control says stop, there are too many turns, or the share does not suffice.
    pub fn gain(&mut self, control: &SearchControl) -> Result<Option<SygoTurn>, Unsolved> {
        if let Some(known) = &self.gain {
            return Ok(known.clone());
        }
        let mut left = self.left(SolverUse::Pass, control);
        left.nodes = left.nodes.max(NODES_OF_A_PASS);
        let found = self.spend(SolverUse::Pass, left, control, |problem, effort| {
            if problem.open > MOST_OPEN_PASSING {
                return Err(Unsolved::TooManyTurns);
            }
            problem.solver.gain(problem.node, control, effort)
        })?;
        self.gain = Some(found.clone());
        Ok(found)
    }

    /// The unspent part of a share so far.
    fn left(&self, share: SolverUse, control: &SearchControl) -> SolveCost {
        let (percent, spent) = (PERCENT[share as usize], self.spent[share as usize]);
        let nodes = self.simulations * self.points * NODES_OF_A_POINT * u64::from(percent) / 100;
        let time = control.signal().elapsed() * percent / 100;
        SolveCost { nodes: nodes.saturating_sub(spent.nodes), time: time.saturating_sub(spent.time) }
    }

    /// The result of `solve` within `left`, which is charged to the share.
    fn spend<T>(
        &mut self,
        share: SolverUse,
        left: SolveCost,
        control: &SearchControl,
        solve: impl FnOnce(&EndgameProblem, &mut SolverBudget) -> Result<T, Unsolved>,
    ) -> Result<T, Unsolved> {
        let problem = self.problem.as_ref().ok_or(Unsolved::TooManyTurns)?;
        let begun = control.signal().elapsed();
        let mut effort = if control.signal().is_timed() {
            SolverBudget { nodes: u64::MAX, until: Some(begun + left.time) }
        } else {
            SolverBudget::nodes(left.nodes)
        };
        if effort.nodes == 0 || effort.until == Some(begun) {
            return Err(Unsolved::Stopped);
        }
        let before = effort.nodes;
        let found = solve(problem, &mut effort);
        let spent = &mut self.spent[share as usize];
        spent.nodes += before - effort.nodes;
        spent.time += control.signal().elapsed().saturating_sub(begun);
        found
    }
}

impl EndgameProblem {
    fn new(position: &SygoPosition, table: &Arc<TranspositionTable<Bounds>>) -> Option<EndgameProblem> {
        let (graph, node) = CommonFate::new(position)?;
        let solver = SygoSolver::new(graph, Arc::clone(table));
        let open = solver.open(node);
        let few = open <= MOST_OPEN && solver.turns(node, MOST_TURNS).is_some();
        Some(EndgameProblem { solver, node, open, few })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_position;
    use kaeshi_core::game::SearchMemory;
    use kaeshi_core::game::control::Signal;

    /// The solver does not know its value after a million nodes.
    const SLOW: &str = "bbbbbbbbbbbbbbbbww/bbbbbbbbbbbbbbbbww/bbbbbbbbww1wwbwwww/bbbbbwbbwwwwwbw1ww/\
        bbbbwwbbbbbbbwwwwb/bbbwwwwbbbbbw1wbbb/bbbbwbwwwwwwwwwwbb/bbb1bbbbbbbbbbbbbb/bbbbbbbbbbbbbbbbbb/\
        bbbbbbbbbbbbbbbbbb/bbbbbbbbbbbbbbbbbb/bbbbbbbbbbbbbbbbbb/b1bbbbbbbbbbbbbbbb/1bbbbbbbbbbbbbbbbb/\
        bbbbbbbwwwwwwwwwwb/wwwwbwww7wwb/wwwwwww4wwwwwww/1bw1b3wwww1b1www w g 0 97";

    fn slow() -> Endgame {
        let table = Arc::new(TranspositionTable::with_bytes(1 << 20).expect("memory"));
        Endgame::new(&parse_position(SLOW).expect("position"), &table)
    }

    #[test]
    fn the_solver_keeps_to_its_share_of_the_simulations() {
        let spent = [0, 1].map(|_| {
            let (mut endgame, control) = (slow(), SearchControl::free());
            for simulated in 1000..=1400 {
                endgame.serve(&control, simulated);
                assert!(endgame.best_of(None, None, &control, 0).is_err());
            }
            endgame.spent[SolverUse::Root as usize].nodes
        });
        let most = 400 * 324 * NODES_OF_A_POINT * u64::from(PERCENT[SolverUse::Root as usize]) / 100;
        assert!((most / 4..=most).contains(&spent[0]), "{} of {most}", spent[0]);
        assert_eq!(spent[0], spent[1]);
    }

    #[test]
    fn the_solver_keeps_to_its_share_of_the_time() {
        let signal = Signal::new(Instant::now(), 1, None);
        signal.set_deadline(Some(Duration::from_secs(60)));
        let (mut endgame, control) = (slow(), SearchControl::new(signal, 0));
        endgame.serve(&control, 0);
        std::thread::sleep(Duration::from_millis(20));
        let begun = Instant::now();
        assert!(endgame.best_of(None, None, &control, 0).is_err());
        // Its share of the time so far, and tolerance for a busy machine.
        assert!(begun.elapsed() < Duration::from_millis(300), "{:?}", begun.elapsed());
    }
}
