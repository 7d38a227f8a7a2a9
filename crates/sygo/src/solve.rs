//! Exact values, searched to the end of the game: of boards of at most [`MOST_POINTS`] points, and of
//! positions on any board with few vacant points.

pub mod bounds;
pub mod certificate;
pub mod common_fate;
pub mod graph;
pub mod moves;
mod order;
pub mod search;
pub mod settled;
pub mod shape;

use std::sync::{Arc, Mutex, PoisonError};

use crate::rules::board::Colour;
use crate::rules::points::SIZE_MAX;
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::{SearchControl, Signal};
use kaeshi_core::game::search::SearchStopped;
use kaeshi_core::game::{GameError, SearchMemory};
use kaeshi_core::threads;

use bounds::{Bounds, key};
use graph::{Bits, Graph, each};
use moves::{MOST_TURNS, Right, SolverChild, SolverNode, children, margin};
use search::{SolverBudget, SolverSearch, after_pass};
use settled::settled;
use shape::{BoardShape, MOST_POINTS};

/// The solution of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SygoSolution {
    /// Final margin for the side to move when both play their best.
    pub margin: i32,
    /// Every turn that keeps it, in a fixed order.
    pub best: Vec<SygoTurn>,
    /// One best line to the end of the game.
    pub line: Vec<SygoTurn>,
}

/// Why a position was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    /// The control said stop, or the allowed nodes did not suffice.
    #[error("stopped")]
    Stopped,
    /// Some position on the way has more turns than the search can number.
    #[error("too large: a position with more than {} turns came up", MOST_TURNS)]
    TooManyTurns,
}

impl From<SearchStopped> for Unsolved {
    fn from(SearchStopped: SearchStopped) -> Unsolved {
        Unsolved::Stopped
    }
}

/// A position on a board of any shape, to be solved.
#[derive(Clone, Copy, Debug)]
pub struct SolverStart {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The position.
    pub node: SolverNode,
    /// The side to move.
    pub side: Colour,
    /// Whether two passes have ended the game.
    pub over: bool,
}

impl SolverStart {
    /// An empty board, White to move.
    pub fn empty(width: usize, height: usize) -> SolverStart {
        let node = SolverNode { own: 0, enemy: 0, right: Right::Other, passed: false };
        SolverStart { width, height, node, side: Colour::White, over: false }
    }
}

/// Solves positions of one graph; the results of each are reused for the next.
pub struct SygoSolver<G> {
    graph: G,
    table: Arc<TranspositionTable<Bounds>>,
}

impl SygoSolver<BoardShape> {
    /// A solver for boards of this width and height with a table of `bytes` bytes.
    ///
    /// # Errors
    /// A board of more than [`MOST_POINTS`] points or [`SIZE_MAX`] columns or rows, or no memory.
    pub fn of_board(width: usize, height: usize, bytes: usize) -> Result<SygoSolver<BoardShape>, GameError> {
        let shape = BoardShape::new(width, height).filter(|_| width.max(height) <= SIZE_MAX).ok_or_else(|| {
            GameError::unsupported(format!(
                "{width}x{height} is no board of 1 to {MOST_POINTS} points and at most {SIZE_MAX} columns and rows"
            ))
        })?;
        Ok(SygoSolver::new(shape, Arc::new(TranspositionTable::with_bytes(bytes)?)))
    }

    /// Margin, all best turns and a best line of a position.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns.
    pub fn solve(&self, position: &SygoPosition, control: &SearchControl) -> Result<SygoSolution, Unsolved> {
        let size = position.board.size();
        let start = SolverStart {
            width: size.columns(),
            height: size.rows(),
            node: node(position),
            side: position.side,
            over: position.is_over(),
        };
        self.solve_start(&start, control)
    }
}

impl<G: Graph + Sync> SygoSolver<G> {
    /// A solver on this graph; the table may serve others, too, if they have different salts.
    pub fn new(graph: G, table: Arc<TranspositionTable<Bounds>>) -> SygoSolver<G> {
        SygoSolver { graph, table }
    }

    /// Margin of the side to move, in points, if the game ends here.
    pub fn margin(&self, node: SolverNode) -> i32 {
        margin(&self.graph, node.own, node.enemy)
    }

    /// The least and the largest margin of the side to move that are possible by what the table knows.
    pub fn proved(&self, node: SolverNode) -> (i32, i32) {
        let (own, enemy) = self.graph.canonical(node.own, node.enemy);
        let known = self.table.probe(key(&self.graph, SolverNode { own, enemy, ..node }));
        let points = self.graph.points(self.graph.full());
        known.map_or((-points, points), |known| (i32::from(known.low), i32::from(known.high)))
    }

    /// The graph of its positions.
    pub fn graph(&self) -> &G {
        &self.graph
    }

    /// The same for a position that may be oblong.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns.
    pub fn solve_start(
        &self,
        start: &SolverStart,
        control: &SearchControl,
    ) -> Result<SygoSolution, Unsolved> {
        let node = start.node;
        if start.over {
            let margin = margin(&self.graph, node.own, node.enemy);
            return Ok(SygoSolution { margin, best: Vec::new(), line: Vec::new() });
        }
        let mut search = SolverSearch::new(&self.graph, &self.table, control, 0);
        let value = search.value(node)?;
        let best = self.best_turns(&mut search, node, value)?;
        let mut line = Vec::new();
        self.follow(&mut search, node, value, &mut line)?;
        Ok(SygoSolution { margin: value, best, line })
    }

    /// Whether the side to move gets at least `points` points.
    ///
    /// # Errors
    /// The control says stop, or there are too many turns.
    pub fn reaches(
        &self,
        start: &SolverStart,
        points: i32,
        control: &SearchControl,
    ) -> Result<bool, Unsolved> {
        let SolverNode { own, enemy, .. } = start.node;
        if start.over {
            return Ok(margin(&self.graph, own, enemy) >= points);
        }
        SolverSearch::new(&self.graph, &self.table, control, 0).reaches(start.node, points)
    }

    /// Margin and line of the best turn among those that are allowed, or all; no line if none is. Among
    /// equals the pass is the best, then the turn after which the mover would be ahead most if
    /// the game ended.
    ///
    /// # Errors
    /// The control says stop, the effort does not suffice for the first turn, or there are too many turns.
    pub fn best_of(
        &self,
        node: SolverNode,
        allowed: Option<&dyn Fn(&SygoTurn) -> bool>,
        control: &SearchControl,
        effort: &mut SolverBudget,
    ) -> Result<(i32, Vec<SygoTurn>), Unsolved> {
        self.spending(control, effort, |search| self.best_line(search, node, allowed))
    }

    /// The result of `ask` by a search within this budget, from which the cost is subtracted.
    fn spending<T>(
        &self,
        control: &SearchControl,
        effort: &mut SolverBudget,
        ask: impl FnOnce(&mut SolverSearch<G>) -> Result<T, Unsolved>,
    ) -> Result<T, Unsolved> {
        let mut search = SolverSearch::new(&self.graph, &self.table, control, 0);
        search.effort = *effort;
        let found = ask(&mut search);
        *effort = search.effort;
        found
    }

    fn best_line(
        &self,
        search: &mut SolverSearch<G>,
        node: SolverNode,
        allowed: Option<&dyn Fn(&SygoTurn) -> bool>,
    ) -> Result<(i32, Vec<SygoTurn>), Unsolved> {
        let Some(allowed) = allowed else {
            // With the value known, the pass, which comes first, is much easier to judge.
            let value = search.value(node)?;
            let mut line = Vec::new();
            return match self.follow(search, node, value, &mut line) {
                Err(reason) if line.is_empty() => Err(reason),
                // The first turn is what matters.
                _ => Ok((value, line)),
            };
        };
        let mut best: Option<(i32, SygoTurn, SolverNode)> = None;
        for (turn, next) in self.candidates(search, node, allowed)? {
            let ends = next.passed && node.passed;
            let value = if ends {
                margin(&self.graph, node.own, node.enemy)
            } else if let Some((value, ..)) = &best
                && search.reaches(next, -value)?
            {
                continue;
            } else {
                -search.value(next)?
            };
            if best.as_ref().is_none_or(|(least, ..)| value > *least) {
                best = Some((value, turn, next));
            }
        }
        let Some((value, turn, next)) = best else { return Ok((0, Vec::new())) };
        let ends = turn == SygoTurn::pass() && node.passed;
        let mut line = vec![turn];
        if !ends {
            self.follow(search, next, -value, &mut line)?;
        }
        Ok((value, line))
    }

    /// A turn after which the side to move gets more than if the game ended now, if there is one. A pass never
    /// gets more: the other side may pass, too.
    ///
    /// # Errors
    /// The control says stop, the effort does not suffice, or there are too many turns.
    pub fn gain(
        &self,
        node: SolverNode,
        control: &SearchControl,
        effort: &mut SolverBudget,
    ) -> Result<Option<SygoTurn>, Unsolved> {
        let now = margin(&self.graph, node.own, node.enemy);
        self.spending(control, effort, |search| {
            if !search.reaches(node, now + 1)? {
                return Ok(None);
            }
            if let Some(child) = search.known(node)?
                && !search.reaches(child.node, -now)?
            {
                return Ok(Some(self.turn(&child)));
            }
            for (turn, next) in self.candidates(search, node, &|turn| *turn != SygoTurn::pass())? {
                if !search.reaches(next, -now)? {
                    return Ok(Some(turn));
                }
            }
            Ok(None)
        })
    }

    /// How many vacant points there are on which a stone may gain something.
    pub fn open(&self, node: SolverNode) -> usize {
        (self.graph.full() & !(node.own | node.enemy | idle(&self.graph, node))).count_ones() as usize
    }

    /// How many turns with stones on such points there are; none if more than `most`.
    pub fn turns(&self, node: SolverNode, most: usize) -> Option<usize> {
        let mut list = Vec::new();
        children(&self.graph, node, !idle(&self.graph, node), most, &mut list).ok()?;
        Some(list.len())
    }

    /// The allowed turns, those on idle points only where no other is allowed; the pass first, then those
    /// after which the mover is ahead most.
    fn candidates(
        &self,
        search: &mut SolverSearch<G>,
        node: SolverNode,
        allowed: &dyn Fn(&SygoTurn) -> bool,
    ) -> Result<Vec<(SygoTurn, SolverNode)>, Unsolved> {
        let graph = &self.graph;
        let pass = Some((SygoTurn::pass(), after_pass(node))).filter(|(turn, _)| allowed(turn));
        let mut list = Vec::new();
        for open in [!idle(graph, node), Bits::MAX] {
            search.list(node, open, &mut list)?;
            let mut turns: Vec<(i32, SygoTurn, SolverNode)> = list
                .iter()
                .map(|child| (margin(graph, child.node.own, child.node.enemy), self.turn(child), child.node))
                .filter(|(_, turn, _)| allowed(turn))
                .collect();
            if pass.is_none() && turns.is_empty() && open != Bits::MAX {
                continue;
            }
            turns.sort_by_key(|(margin, ..)| *margin);
            let turns = turns.into_iter().map(|(_, turn, next)| (turn, next));
            return Ok(pass.into_iter().chain(turns).collect());
        }
        Ok(Vec::new())
    }

    /// Adds a line to the end that keeps `value`, by the turns that [`SygoSolver::best_of`] prefers, as far as it gets.
    fn follow(
        &self,
        search: &mut SolverSearch<G>,
        mut node: SolverNode,
        mut value: i32,
        line: &mut Vec<SygoTurn>,
    ) -> Result<(), Unsolved> {
        loop {
            let mut found = None;
            for (turn, next) in self.candidates(search, node, &|_| true)? {
                let ends = node.passed && next.passed;
                let keeps = if ends {
                    margin(&self.graph, node.own, node.enemy) >= value
                } else {
                    !search.reaches(next, 1 - value)?
                };
                if keeps {
                    found = Some((turn, next, ends));
                    break;
                }
            }
            let Some((turn, next, ends)) = found else { return Ok(()) };
            line.push(turn);
            if ends {
                return Ok(());
            }
            (node, value) = (next, -value);
        }
    }

    /// Value of a position for its mover, by `threads` threads that share the table. It stops the signal.
    ///
    /// # Errors
    /// The signal says stop, or there are too many turns.
    pub fn value(&self, node: SolverNode, signal: &Arc<Signal>, threads: usize) -> Result<i32, Unsolved> {
        let answer = Mutex::new(Err(Unsolved::Stopped));
        std::thread::scope(|scope| {
            for index in 0..threads.max(1) {
                let answer = &answer;
                let work = move || {
                    let control = SearchControl::new(Arc::clone(signal), index);
                    let salt = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                    let value = SolverSearch::new(&self.graph, &self.table, &control, salt).value(node);
                    if value != Err(Unsolved::Stopped) {
                        *answer.lock().unwrap_or_else(PoisonError::into_inner) = value;
                        signal.stop();
                    }
                };
                // If the system grants no thread, fewer threads share the work, or this one does it alone.
                if !threads::spawn(scope, work) {
                    if index == 0 {
                        work();
                    }
                    break;
                }
            }
        });
        answer.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// All turns that keep `value`, the pass last.
    fn best_turns(
        &self,
        search: &mut SolverSearch<G>,
        node: SolverNode,
        value: i32,
    ) -> Result<Vec<SygoTurn>, Unsolved> {
        let mut turns = Vec::new();
        let mut list = Vec::new();
        children(&self.graph, node, Bits::MAX, MOST_TURNS, &mut list)?;
        for child in &list {
            if !search.reaches(child.node, 1 - value)? {
                turns.push(self.turn(child));
            }
        }
        let passing = if node.passed {
            margin(&self.graph, node.own, node.enemy) >= value
        } else {
            !search.reaches(after_pass(node), 1 - value)?
        };
        turns.extend(passing.then(SygoTurn::pass));
        Ok(turns)
    }

    fn turn(&self, child: &SolverChild) -> SygoTurn {
        let point = |vertex| self.graph.point(vertex);
        SygoTurn::new(each(child.growth).map(point), each(child.placement).map(point).next())
    }
}

/// Vacant points where a stone gains neither side anything.
fn idle<G: Graph>(graph: &G, node: SolverNode) -> Bits {
    settled(graph, node.own, node.enemy).idle | settled(graph, node.enemy, node.own).idle
}

/// A position as the solver sees it.
pub fn node(position: &SygoPosition) -> SolverNode {
    let columns = position.board.size().columns();
    let bits = |colour| {
        position.board.stones(colour).iter().map(|p| 1 << (p.row() * columns + p.column())).sum::<Bits>()
    };
    SolverNode {
        own: bits(position.side),
        enemy: bits(position.side.other()),
        right: Right::of(position),
        passed: position.passes == 1,
    }
}
