//! Alpha-beta to the end of the game with a table of bounds.

use std::cmp::Reverse;
use std::time::Duration;

use super::Unsolved;
use super::bounds::{Bounds, PASS, key};
use super::graph::{Bits, Graph};
use super::moves::{MOST_TURNS, Right, SolverChild, SolverNode, children, margin};
use super::order::{TurnHistory, add_bonus, add_malus, estimate, worth};
use super::settled::{Settled, settled};
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::control::SearchControl;

/// Turns listed in the time of one node.
const TURNS_OF_A_NODE: u64 = 16;
/// Turns at most that get a malus where another refuted after them.
const MOST_WITH_MALUS: usize = 16;
/// Nodes between two looks at the clock.
const NODES_PER_POLL: u64 = 64;

/// The remaining budget of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverBudget {
    /// Nodes, and the turns listed as parts of them.
    pub nodes: u64,
    /// When it is to end, counted from the start of the control's signal.
    pub until: Option<Duration>,
}

impl SolverBudget {
    /// A budget without limits; only the control ends the search.
    pub const ENDLESS: SolverBudget = SolverBudget::nodes(u64::MAX);

    /// A number of nodes, without a time limit.
    pub const fn nodes(nodes: u64) -> SolverBudget {
        SolverBudget { nodes, until: None }
    }
}

/// One thread of a solver.
pub struct SolverSearch<'a, G> {
    /// The board.
    pub graph: &'a G,
    /// The results that all threads share.
    pub table: &'a TranspositionTable<Bounds>,
    /// When to stop; counts the nodes.
    pub control: &'a SearchControl,
    /// Different in each thread, so that they look at different turns first.
    pub salt: u64,
    /// When it gives up.
    pub effort: SolverBudget,
    /// Nodes left until it looks at the clock.
    unseen: u64,
    history: TurnHistory,
    buffers: Vec<SolverPly>,
}

/// The turns of one position on the path.
#[derive(Debug, Default)]
struct SolverPly {
    list: Vec<SolverChild>,
    /// The order in which they are tried.
    tries: Vec<SolverTry>,
}

/// A turn to be tried.
#[derive(Clone, Copy, Debug)]
struct SolverTry {
    worth: i32,
    /// Its place in the list, or [`PASS`].
    place: u16,
    /// The canonical image of the position after it, and its key in the table.
    node: SolverNode,
    key: u64,
}

impl<'a, G: Graph> SolverSearch<'a, G> {
    /// A thread without private memory.
    pub fn new(
        graph: &'a G,
        table: &'a TranspositionTable<Bounds>,
        control: &'a SearchControl,
        salt: u64,
    ) -> SolverSearch<'a, G> {
        let history = TurnHistory::new(graph);
        let (effort, unseen, buffers) = (SolverBudget::ENDLESS, NODES_PER_POLL, Vec::new());
        SolverSearch { graph, table, control, salt, effort, unseen, history, buffers }
    }

    /// Exact value for the side to move, by null windows that close in on it.
    ///
    /// # Errors
    /// The control says stop, its effort is spent, or there are too many turns.
    pub fn value(&mut self, node: SolverNode) -> Result<i32, Unsolved> {
        let points = self.graph.points(self.graph.full());
        let (mut low, mut high) = (-points, points);
        let mut guess = margin(self.graph, node.own, node.enemy);
        while low < high {
            let beta = guess.clamp(low + 1, high);
            let value = self.bounded(node, beta - 1, beta)?;
            if value < beta {
                high = value;
            } else {
                low = value;
            }
            guess = if value < beta { value } else { value + 1 };
        }
        Ok(low)
    }

    /// Whether the value for the side to move is at least `beta`.
    ///
    /// # Errors
    /// The control says stop, its effort is spent, or there are too many turns.
    pub fn reaches(&mut self, node: SolverNode, beta: i32) -> Result<bool, Unsolved> {
        Ok(self.bounded(node, beta - 1, beta)? >= beta)
    }

    /// The best turn with stones by the table, and the position after it. `None` if the position is not its own
    /// canonical image: its turns are listed in another order than those of the table's position.
    ///
    /// # Errors
    /// The control says stop, its effort is spent, or there are too many turns.
    pub fn known(&mut self, node: SolverNode) -> Result<Option<SolverChild>, Unsolved> {
        if self.graph.canonical(node.own, node.enemy) != (node.own, node.enemy) {
            return Ok(None);
        }
        let Some(entry) = self.table.probe(key(self.graph, node)) else { return Ok(None) };
        let [mine, theirs] = self.settled(node);
        let mut list = Vec::new();
        self.list(node, self.open(node, mine, theirs), &mut list)?;
        Ok(list.get(usize::from(entry.best)).copied())
    }

    /// The settled stones and points of either side.
    fn settled(&self, node: SolverNode) -> [Settled; 2] {
        [(node.own, node.enemy), (node.enemy, node.own)].map(|(own, enemy)| settled(self.graph, own, enemy))
    }

    /// How many vertices are vacant.
    fn vacant(&self, node: SolverNode) -> u8 {
        (self.graph.full() & !(node.own | node.enemy)).count_ones() as u8
    }

    /// The vacant points where a stone may gain something, one of those that mean the same.
    fn open(&self, node: SolverNode, mine: Settled, theirs: Settled) -> Bits {
        let vacant = self.graph.full() & !(node.own | node.enemy);
        self.graph.distinct(vacant & !(mine.idle | theirs.idle))
    }

    /// Takes nodes from the budget, and polls the clock now and then.
    fn spend(&mut self, nodes: u64) -> Result<(), Unsolved> {
        self.effort.nodes = self.effort.nodes.checked_sub(nodes).ok_or(Unsolved::Stopped)?;
        if self.unseen > nodes {
            self.unseen -= nodes;
            return Ok(());
        }
        self.unseen = NODES_PER_POLL;
        self.control.check()?;
        match self.effort.until {
            Some(until) if self.control.signal().elapsed() >= until => Err(Unsolved::Stopped),
            _ => Ok(()),
        }
    }

    /// Lists turns, as far as there is time for it: many take as long as some nodes.
    pub(super) fn list(
        &mut self,
        node: SolverNode,
        open: Bits,
        list: &mut Vec<SolverChild>,
    ) -> Result<(), Unsolved> {
        let most = self.effort.nodes.saturating_add(1).saturating_mul(TURNS_OF_A_NODE);
        let most = usize::try_from(most).unwrap_or(MOST_TURNS).min(MOST_TURNS);
        let listed = children(self.graph, node, open, most, list);
        self.spend(list.len() as u64 / TURNS_OF_A_NODE)?;
        match listed {
            Err(Unsolved::TooManyTurns) if most < MOST_TURNS => Err(Unsolved::Stopped),
            listed => listed,
        }
    }

    fn bounded(&mut self, node: SolverNode, alpha: i32, beta: i32) -> Result<i32, Unsolved> {
        let node = self.canonical(node);
        self.negamax(node, key(self.graph, node), alpha, beta, 0)
    }

    fn canonical(&self, node: SolverNode) -> SolverNode {
        let (own, enemy) = self.graph.canonical(node.own, node.enemy);
        SolverNode { own, enemy, ..node }
    }

    /// Fail-soft alpha-beta. The node is its canonical image, so that the place of the best turn in the table
    /// means the same turn to all eight images; `key` is its key.
    fn negamax(
        &mut self,
        node: SolverNode,
        key: u64,
        mut alpha: i32,
        mut beta: i32,
        ply: usize,
    ) -> Result<i32, Unsolved> {
        self.control.tick()?;
        self.spend(1)?;
        let SolverNode { own, enemy, .. } = node;
        let points = self.graph.points(self.graph.full());
        let mut known =
            Bounds { low: -(points as i16), high: points as i16, best: 0, vacant: self.vacant(node) };
        let mut first = None;
        if let Some(entry) = self.table.probe(key) {
            known = entry;
            first = Some(entry.best);
        }
        let [mine, theirs] = self.settled(node);
        let sure = |territory| 2 * self.graph.points(territory) - points;
        let mut low = i32::from(known.low).max(sure(mine.territory));
        let mut high = -sure(theirs.territory);
        if node.passed {
            // The mover may end the game, also before stones that are lost are captured.
            let now = margin(self.graph, own, enemy);
            (low, high) = (low.max(now), high.max(now));
        }
        let high = high.min(i32::from(known.high));
        if low >= beta || low == high {
            return Ok(low);
        }
        if high <= alpha {
            return Ok(high);
        }
        alpha = alpha.max(low);
        beta = beta.min(high);
        if self.buffers.len() <= ply {
            self.buffers.resize_with(ply + 1, SolverPly::default);
        }
        let mut turns = std::mem::take(&mut self.buffers[ply]);
        let open = self.open(node, mine, theirs);
        let found = self.best(node, open, first, &mut turns, (alpha, beta), ply);
        self.buffers[ply] = turns;
        let (value, best) = found?;
        if value >= beta {
            known.low = known.low.max(value as i16);
        } else if value <= alpha {
            known.high = known.high.min(value as i16);
        } else {
            (known.low, known.high) = (value as i16, value as i16);
        }
        known.best = best;
        self.table.store(key, known);
        Ok(value)
    }

    /// The value of the best turn, and its place; or of the first that reaches beta.
    fn best(
        &mut self,
        node: SolverNode,
        open: Bits,
        first: Option<u16>,
        turns: &mut SolverPly,
        (alpha, beta): (i32, i32),
        ply: usize,
    ) -> Result<(i32, u16), Unsolved> {
        self.list(node, open, &mut turns.list)?;
        self.order(node, first, turns, ply);
        let vacant = self.vacant(node);
        let stones =
            |place: u16| turns.list.get(usize::from(place)).map_or(0, |child| child.growth | child.placement);
        let mut best = (-self.graph.points(self.graph.full()) - 1, PASS);
        // Positions that are known already come before any is searched (enhanced transposition cutoffs: Plaat,
        // Schaeffer, Pijls and de Bruin, "Exploiting graph properties of game trees", 1996).
        let mut kept = 0;
        for index in 0..turns.tries.len() {
            let turn = turns.tries[index];
            let Some(value) = self.decided(node, turn, alpha, beta) else {
                turns.tries[kept] = turn;
                kept += 1;
                continue;
            };
            self.spend(1)?;
            if value > best.0 {
                best = (value, turn.place);
            }
            if value >= beta {
                add_bonus(self.history.of(vacant, ply), stones(turn.place));
                return Ok(best);
            }
        }
        turns.tries.truncate(kept);
        let mut window = alpha.max(best.0);
        for index in 0..turns.tries.len() {
            let SolverTry { place, node, key, .. } = turns.tries[index];
            let value = -self.negamax(node, key, -beta, -window, ply + 1)?;
            if value > best.0 {
                best = (value, place);
                window = window.max(value);
                if window >= beta {
                    let weights = self.history.of(vacant, ply);
                    add_bonus(weights, stones(place));
                    turns.tries[..index]
                        .iter()
                        .take(MOST_WITH_MALUS)
                        .for_each(|turn| add_malus(weights, stones(turn.place)));
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The value of a turn, as far as it is known without a search and decides the turn: the exact one, or a
    /// bound outside the window.
    fn decided(&self, node: SolverNode, turn: SolverTry, alpha: i32, beta: i32) -> Option<i32> {
        if turn.place == PASS && node.passed {
            return Some(margin(self.graph, node.own, node.enemy));
        }
        let Bounds { low, high, .. } = self.table.probe(turn.key)?;
        let (low, high) = (-i32::from(high), -i32::from(low));
        if low >= beta || low == high { Some(low) } else { (high <= alpha).then_some(high) }
    }

    /// Lists the tries: the table's turn, then the others by [`worth()`].
    fn order(&mut self, node: SolverNode, first: Option<u16>, turns: &mut SolverPly, ply: usize) {
        let vacant = self.vacant(node);
        let weights = &*self.history.of(vacant, ply);
        turns.tries.clear();
        for (place, child) in (0..PASS).zip(&turns.list) {
            let after = estimate(self.graph, child.node.own, child.node.enemy);
            let mut worth = worth(weights, child.growth | child.placement, after);
            if self.salt != 0 {
                worth += ((u64::from(place) + 1).wrapping_mul(self.salt) >> 58) as i32;
            }
            turns.tries.push(SolverTry { worth, place, node: child.node, key: 0 });
        }
        // A second pass ends the game and costs nothing to try; a first pass is ordered by the estimate of the
        // position.
        let pass = if node.passed {
            i32::MAX - 1
        } else {
            worth(weights, 0, estimate(self.graph, node.enemy, node.own))
        };
        turns.tries.push(SolverTry { worth: pass, place: PASS, node: after_pass(node), key: 0 });
        if let Some(turn) = turns.tries.iter_mut().find(|turn| Some(turn.place) == first) {
            turn.worth = i32::MAX;
        }
        turns.tries.sort_unstable_by_key(|turn| (Reverse(turn.worth), turn.place));
        // The table is far larger than the caches: all of its answers are fetched at once.
        for turn in &mut turns.tries {
            let (own, enemy) = self.graph.canonical(turn.node.own, turn.node.enemy);
            turn.node = SolverNode { own, enemy, ..turn.node };
            turn.key = key(self.graph, turn.node);
            self.table.prefetch(turn.key);
        }
    }
}

/// The position after a pass.
pub fn after_pass(node: SolverNode) -> SolverNode {
    let right = match node.right {
        Right::Gone => Right::Gone,
        Right::Mover => Right::Other,
        Right::Other => Right::Mover,
    };
    SolverNode { own: node.enemy, enemy: node.own, right, passed: true }
}
