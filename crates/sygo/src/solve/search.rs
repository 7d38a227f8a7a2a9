//! Alpha-beta to the end of the game with a table of bounds.

use std::time::Duration;

use super::Unsolved;
use super::graph::{Bits, Graph};
use super::moves::{MOST_TURNS, Right, SolverChild, SolverNode, children, margin};
use super::settled::{Settled, settled};
use kaeshi_core::driver::table::{Payload, TranspositionTable};
use kaeshi_core::game::control::SearchControl;

/// Value bounds of a position and the place of its best turn among the children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    low: i16,
    high: i16,
    /// Place of the best turn in the order of generation; [`PASS`] for the pass.
    best: u16,
    vacant: u8,
}

/// Stands for the pass where a child is meant.
const PASS: u16 = MOST_TURNS as u16;

impl Payload for Bounds {
    fn pack(self) -> u64 {
        u64::from(self.low as u16)
            | u64::from(self.high as u16) << 16
            | u64::from(self.best) << 32
            | u64::from(self.vacant) << 48
            | 1 << 56
    }

    fn unpack(bits: u64) -> Self {
        Bounds {
            low: bits as i16,
            high: (bits >> 16) as i16,
            best: (bits >> 32) as u16,
            vacant: (bits >> 48) as u8,
        }
    }

    fn worth(self) -> i32 {
        i32::from(self.vacant)
    }
}

/// Turns listed in the time of one node.
const TURNS_OF_A_NODE: u64 = 16;
/// Nodes between two looks at the clock.
const NODES_PER_POLL: u64 = 64;

/// What a search may still spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverBudget {
    /// Nodes, and the turns listed as parts of them.
    pub nodes: u64,
    /// When it is to end, counted from the start of the control's signal.
    pub until: Option<Duration>,
}

impl SolverBudget {
    /// Nothing but the control ends it.
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
    /// What all threads know.
    pub table: &'a TranspositionTable<Bounds>,
    /// When to stop; counts the nodes.
    pub control: &'a SearchControl,
    /// Different in each thread, so that they look at different turns first.
    pub salt: u64,
    /// When it gives up.
    pub effort: SolverBudget,
    /// Nodes left until it looks at the clock.
    unseen: u64,
    buffers: Vec<Vec<SolverChild>>,
}

impl<'a, G: Graph> SolverSearch<'a, G> {
    /// A thread without private memory.
    pub fn new(
        graph: &'a G,
        table: &'a TranspositionTable<Bounds>,
        control: &'a SearchControl,
        salt: u64,
    ) -> SolverSearch<'a, G> {
        let (effort, unseen, buffers) = (SolverBudget::ENDLESS, NODES_PER_POLL, Vec::new());
        SolverSearch { graph, table, control, salt, effort, unseen, buffers }
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

    /// The turn with stones that was found to be the best of a position, and what follows it. Nothing for an
    /// image of the position that the table keeps: its turns are listed in another order.
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

    /// What either side has for good.
    fn settled(&self, node: SolverNode) -> [Settled; 2] {
        [(node.own, node.enemy), (node.enemy, node.own)].map(|(own, enemy)| settled(self.graph, own, enemy))
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
        self.negamax(node, alpha, beta, 0)
    }

    /// Fail-soft alpha-beta. Works on the canonical image, so that the place of the best turn in
    /// the table means the same turn to all eight images.
    fn negamax(
        &mut self,
        node: SolverNode,
        mut alpha: i32,
        mut beta: i32,
        ply: usize,
    ) -> Result<i32, Unsolved> {
        self.control.tick()?;
        self.spend(1)?;
        let (own, enemy) = self.graph.canonical(node.own, node.enemy);
        let node = SolverNode { own, enemy, ..node };
        let key = key(self.graph, node);
        let points = self.graph.points(self.graph.full());
        let mut known = Bounds {
            low: -(points as i16),
            high: points as i16,
            best: 0,
            vacant: (self.graph.full() & !(own | enemy)).count_ones() as u8,
        };
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
            self.buffers.resize_with(ply + 1, Vec::new);
        }
        let mut list = std::mem::take(&mut self.buffers[ply]);
        let listed = self.list(node, self.open(node, mine, theirs), &mut list);
        if let Err(reason) = listed {
            self.buffers[ply] = list;
            return Err(reason);
        }
        let order = self.order(&list, node, first);
        let mut best = (-points - 1, PASS);
        let mut window = alpha;
        for place in order {
            let result = if place == PASS {
                self.pass(node, window, beta, ply)
            } else {
                self.negamax(list[usize::from(place)].node, -beta, -window, ply + 1).map(|value| -value)
            };
            let value = match result {
                Ok(value) => value,
                Err(reason) => {
                    self.buffers[ply] = list;
                    return Err(reason);
                }
            };
            if value > best.0 {
                best = (value, place);
                window = window.max(value);
                if window >= beta {
                    break;
                }
            }
        }
        self.buffers[ply] = list;
        if best.0 >= beta {
            known.low = known.low.max(best.0 as i16);
        } else if best.0 <= alpha {
            known.high = known.high.min(best.0 as i16);
        } else {
            (known.low, known.high) = (best.0 as i16, best.0 as i16);
        }
        known.best = best.1;
        self.table.store(key, known);
        Ok(best.0)
    }

    /// Value of passing.
    fn pass(&mut self, node: SolverNode, alpha: i32, beta: i32, ply: usize) -> Result<i32, Unsolved> {
        if node.passed {
            return Ok(margin(self.graph, node.own, node.enemy));
        }
        Ok(-self.negamax(after_pass(node), -beta, -alpha, ply + 1)?)
    }

    /// Places of the turns, most promising first: the table's, then by stones and liberties.
    fn order(&self, list: &[SolverChild], node: SolverNode, first: Option<u16>) -> Vec<u16> {
        let mut keyed: Vec<(i32, u16)> = Vec::with_capacity(list.len() + 1);
        for (place, child) in (0..PASS).zip(list) {
            let vacant = self.graph.full() & !(child.node.own | child.node.enemy);
            let liberties = |stones| (self.graph.neighbours(stones) & vacant).count_ones() as i32;
            let stones = self.graph.points(child.node.enemy) - self.graph.points(child.node.own);
            let mut worth = 8 * stones + 3 * (liberties(child.node.enemy) - liberties(child.node.own));
            if self.salt != 0 {
                worth += ((u64::from(place) + 1).wrapping_mul(self.salt) >> 61) as i32;
            }
            keyed.push((-worth, place));
        }
        // A second pass costs nothing to try; a first one stands by the stones that it keeps.
        let stay = 8 * (self.graph.points(node.own) - self.graph.points(node.enemy));
        keyed.push((if node.passed { i32::MIN + 1 } else { -stay }, PASS));
        if let Some(entry) = keyed.iter_mut().find(|(_, place)| Some(*place) == first) {
            entry.0 = i32::MIN;
        }
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, place)| place).collect()
    }
}

/// Up to 30 points the key says everything, so that the table never errs; larger boards are hashed.
fn key<G: Graph>(graph: &G, node: SolverNode) -> u64 {
    let extra = (node.right as u64) << 1 | u64::from(node.passed);
    if graph.salt() == 0 && graph.full().count_ones() <= 30 {
        return mix(node.own as u64 | (node.enemy as u64) << 30 | extra << 60);
    }
    let halves = [node.own, node.own >> 64, node.enemy, node.enemy >> 64];
    // Mixed before anything is added: otherwise a stone on a1 would look like a pass.
    halves.into_iter().fold(mix(extra ^ graph.salt()), |key, half| mix(key.wrapping_add(half as u64)))
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

/// A bijection that spreads the bits (SplitMix64's finaliser).
fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::graph::each;
    use super::super::shape::BoardShape;
    use super::*;
    use kaeshi_core::random::SplitMix;

    #[test]
    fn keys_tell_a_stone_a_pass_and_the_right_apart() {
        let mut random = SplitMix::new(11);
        let mut known: HashMap<u64, SolverNode> = HashMap::new();
        for size in [9, 9, 9, 9, 8, 11] {
            let shape = BoardShape::new(size, size).expect("fits");
            let mut set = || (0..2).fold(0, |set, _| set << 64 | Bits::from(random.draw())) & shape.full();
            for _ in 0..40 {
                let (own, other) = (set(), set());
                let enemy = other & !own;
                let mut boards = vec![(own, enemy)];
                for point in each(shape.full()) {
                    boards.push((own ^ point, enemy & !point));
                    boards.push((own & !point, enemy ^ point));
                }
                for (own, enemy) in boards {
                    for right in [Right::Gone, Right::Mover, Right::Other] {
                        for passed in [false, true] {
                            let node = SolverNode { own, enemy, right, passed };
                            let former = known.insert(key(&shape, node), node);
                            assert!(former.is_none_or(|former| former == node), "{former:?} {node:?}");
                        }
                    }
                }
            }
        }
    }
}
