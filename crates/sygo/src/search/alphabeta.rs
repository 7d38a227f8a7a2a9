//! Principal variation search: iterative deepening over whole turns, each iteration deeper and wider than the
//! one before.

mod entry;
mod lists;
mod tree;

use crate::Sygo;
use crate::evaluate::SygoWeights;
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::search::propose::propose;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::{Bound, Iteration, IterationStage, PvLine, SearchRoot, SearchStopped};
use lists::Lists;
use tree::{AlphaBetaTree, INFINITE};

pub use entry::SygoTtEntry;

/// Iterations at most.
pub const ITERATIONS: u16 = 60;
/// Turns among which the one that the table knows is looked for.
const FORESEEN: usize = 24;

/// The search of one thread.
#[derive(Default)]
pub struct AlphaBeta {
    lists: Lists,
}

impl AlphaBeta {
    /// Forgets everything but the table.
    pub fn clear(&mut self) {
        self.lists.clear();
    }

    /// One iteration.
    pub fn search(
        &mut self,
        weights: &SygoWeights,
        table: &TranspositionTable<SygoTtEntry>,
        root: &SearchRoot<Sygo>,
        stage: IterationStage,
        control: &SearchControl,
    ) -> Iteration<Sygo> {
        let turns = root_turns(weights, root, stage);
        let mut tree = AlphaBetaTree::new(weights, table, &mut self.lists, control);
        let mut position = root.position.clone();
        position.board.forget_history();
        let depth = usize::from(stage.depth) - 1;
        let mut best: Option<(i32, Vec<SygoTurn>)> = None;
        for turn in turns {
            let alpha = best.as_ref().map_or(-INFINITE, |(value, _)| *value);
            let undo = position.apply(&turn);
            let result = tree.child(&mut position, depth, alpha, INFINITE, best.is_some());
            position.undo(undo);
            match result {
                Ok((value, mut line)) if value > alpha => {
                    line.insert(0, turn);
                    best = Some((value, line));
                }
                Ok(_) => {}
                Err(SearchStopped) => {
                    return best
                        .map_or(Iteration::Stopped, |best| Iteration::Partial(line_of(best, tree.seldepth)));
                }
            }
        }
        best.map_or(Iteration::NoTurn, |best| Iteration::Complete(line_of(best, tree.seldepth)))
    }
}

/// The turns of the root, the former best ones first.
fn root_turns(weights: &SygoWeights, root: &SearchRoot<Sygo>, stage: IterationStage) -> Vec<SygoTurn> {
    let width = 6 + 2 * usize::from(stage.depth);
    let mut turns: Vec<SygoTurn> =
        root.previous.iter().filter_map(|line| line.turns.first().cloned()).collect();
    if root.only.is_empty() {
        for (_, turn) in propose(weights, &root.position, width, width) {
            if !turns.contains(&turn) {
                turns.push(turn);
            }
        }
    } else {
        turns.extend(root.only.iter().filter(|turn| !turns.contains(turn)).cloned().collect::<Vec<_>>());
    }
    turns.retain(|turn| root.allows(turn));
    turns
}

/// The best turn of a position by the table.
pub fn expected(
    weights: &SygoWeights,
    table: &TranspositionTable<SygoTtEntry>,
    position: &SygoPosition,
) -> Option<SygoTurn> {
    let known = table.probe(position.key())?;
    let turns = propose(weights, position, FORESEEN, FORESEEN);
    turns.into_iter().map(|(_, turn)| turn).find(|turn| known.is_of(turn))
}

fn line_of((value, turns): (i32, Vec<SygoTurn>), seldepth: u16) -> PvLine<Sygo> {
    PvLine { score: Score::Cp(value), bound: Bound::Exact, turns, seldepth: seldepth.max(1) }
}
