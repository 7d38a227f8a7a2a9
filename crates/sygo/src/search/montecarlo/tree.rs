//! The tree of turns, shared by the threads of a search.
//!
//! A turn is chosen by PUCT (Rosin, "Multi-armed bandits with episode context", 2011): the mean result of the
//! simulations below it, and a bonus for promising turns with few visits. The mean is mixed with the minimax of the
//! static values below the turn (implicit minimax backups; Lanctot, Winands, Pepels and Sturtevant, 2014), which reacts
//! to a refutation at once, while a mean needs many visits.

mod sample;

use std::cmp::Reverse;

use super::{MctsParameters, Visits};
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::search::propose::ProposedTurn;
pub use sample::thousandths;

/// Bytes around a list of turns or points on the heap.
const HEAP_BYTES: usize = 16;

/// A turn in the tree; its values are those of the side that makes it.
#[derive(Debug)]
pub struct MctsEdge {
    /// The turn.
    pub turn: SygoTurn,
    /// Simulations that began with it here.
    pub visits: u32,
    /// Share of the bonus; all shares of a node sum to 1.
    prior: f32,
    /// Sum of the worth found.
    worth: f64,
    /// Sum of the margins found, in points.
    points: f64,
    /// Worth of its static value.
    guess: f32,
    /// Minimax of the static values below, in points, and its worth.
    minimax: f32,
    minimax_worth: f32,
    node: Option<Box<MctsNode>>,
}

impl MctsEdge {
    /// Mean margin, in points; the static value without any visit.
    pub fn points(&self) -> f32 {
        if self.visits == 0 { self.minimax } else { (self.points / f64::from(self.visits)) as f32 }
    }

    /// The mean result, in which the static value counts as this many visits, mixed with the minimax.
    fn value(&self, parameters: &MctsParameters, guess_visits: f32) -> f32 {
        let minimax = parameters.minimax as f32;
        let mean = (self.worth as f32 + guess_visits * self.guess) / (self.visits as f32 + guess_visits);
        (1.0 - minimax) * mean + minimax * self.minimax_worth
    }

    fn set_minimax(&mut self, points: f32, area: f32, parameters: &MctsParameters) {
        if points != self.minimax {
            self.minimax = points;
            self.minimax_worth = parameters.worth(points, area);
        }
    }
}

/// The network's evaluation of a position, for the side to move.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Worth of the final margin, from -1 to 1.
    pub worth: f32,
    /// Final margin in points.
    pub points: f32,
    /// A prior for each turn listed.
    pub priors: Vec<f32>,
}

/// A position between two turns whose turns were listed.
#[derive(Debug, Default)]
pub struct MctsNode {
    edges: Vec<MctsEdge>,
}

impl MctsNode {
    /// A node of these turns, best first. `before` is the static value of its position for the
    /// mover, in hundredths of a point like the turns' own; `judged` is what the network says of it.
    pub fn new(
        turns: Vec<ProposedTurn>,
        before: i32,
        judged: Option<&Judgement>,
        area: f32,
        parameters: &MctsParameters,
    ) -> MctsNode {
        let points = |value: i32| value as f32 / 100.0;
        let best = turns.first().map_or(0.0, |&(value, _)| points(value));
        let temperature = parameters.temperature as f32;
        let share = |value| ((points(value) - best) / temperature).exp();
        let total: f32 = turns.iter().map(|&(value, _)| share(value)).sum();
        let uniform = parameters.uniform as f32;
        let count = turns.len() as f32;
        let mut level = best - (best - points(before)) * parameters.excess as f32;
        let (mut policy, mut spread) = (0.0, 1.0);
        if let Some(judged) = judged {
            policy = parameters.policy as f32;
            spread = parameters.spread as f32;
            level += (judged.points - level) * parameters.level as f32;
        }
        let edges = turns.into_iter().enumerate().map(|(index, (value, turn))| {
            let static_value = level + spread * (points(value) - best);
            let guess = parameters.worth(static_value, area);
            let promised = judged.map_or(0.0, |judged| judged.priors[index]);
            let prior = (1.0 - policy) * share(value) / total + policy * promised;
            MctsEdge {
                turn,
                visits: 0,
                prior: (1.0 - uniform) * prior + uniform / count,
                worth: 0.0,
                points: 0.0,
                guess,
                minimax: static_value,
                minimax_worth: guess,
                node: None,
            }
        });
        MctsNode { edges: edges.collect() }
    }

    /// The turns, best by their static value first.
    pub fn edges(&self) -> &[MctsEdge] {
        &self.edges
    }

    /// The visits of the turns, and their mean result; `None` before the first visit.
    fn visits(&self) -> Option<Visits> {
        let visited = || self.edges.iter().filter(|edge| edge.visits > 0);
        let all: u32 = visited().map(|edge| edge.visits).sum();
        let worth: f64 = visited().map(|edge| edge.worth).sum();
        (all > 0).then(|| Visits {
            worth: (worth / f64::from(all)) as f32,
            turns: visited().map(|edge| (edge.turn.clone(), edge.visits)).collect(),
        })
    }

    /// Bytes of this node alone.
    fn bytes(&self) -> usize {
        let edge = |edge: &MctsEdge| size_of::<MctsEdge>() + HEAP_BYTES + size_of_val(edge.turn.growth());
        size_of::<MctsNode>() + 2 * HEAP_BYTES + self.edges.iter().map(edge).sum::<usize>()
    }

    pub(super) fn bytes_with_all_below(&self) -> usize {
        let below = self.edges.iter().filter_map(|edge| edge.node.as_deref());
        self.bytes() + below.map(MctsNode::bytes_with_all_below).sum::<usize>()
    }

    /// The turn to try next among those allowed.
    fn select(
        &self,
        parameters: &MctsParameters,
        exploration: f64,
        allows: impl Fn(&SygoTurn) -> bool,
    ) -> Option<usize> {
        let visits: u32 = self.edges.iter().map(|edge| edge.visits).sum();
        let bonus = exploration as f32 * (1.0 + visits as f32).sqrt();
        let guess_visits = parameters.guess_visits as f32;
        let mut best = None;
        let mut most = f32::MIN;
        for (index, edge) in self.edges.iter().enumerate().filter(|(_, edge)| allows(&edge.turn)) {
            let visits = edge.visits as f32;
            let score = edge.value(parameters, guess_visits) + bonus * edge.prior / (1.0 + visits);
            if score > most {
                most = score;
                best = Some(index);
            }
        }
        best
    }

    /// The turn visited most among those allowed, the better guess for equals.
    pub fn most_visited(&self, allows: impl Fn(&SygoTurn) -> bool) -> Option<usize> {
        let allowed = self.edges.iter().enumerate().filter(|(_, edge)| allows(&edge.turn));
        allowed.max_by_key(|(index, edge)| (edge.visits, Reverse(*index))).map(|(index, _)| index)
    }

    /// The turn to play among those allowed: the best of those visited often enough. The most visited turn may have
    /// been refuted recently.
    pub fn best(&self, parameters: &MctsParameters, allows: impl Fn(&SygoTurn) -> bool) -> Option<usize> {
        let first = self.most_visited(&allows)?;
        let enough = self.edges[first].visits as f32 * parameters.tried as f32;
        let value = |edge: &MctsEdge| edge.value(parameters, 0.0);
        let tried = |edge: &MctsEdge| edge.visits > 0 && edge.visits as f32 >= enough && allows(&edge.turn);
        let other = self.edges.iter().enumerate().filter(|(_, edge)| tried(edge));
        let best = other.fold(
            first,
            |best, (index, edge)| {
                if value(edge) > value(&self.edges[best]) { index } else { best }
            },
        );
        Some(best)
    }

    /// The line that begins with turn `first` and goes on with those visited most.
    pub fn line(&self, first: usize) -> Vec<SygoTurn> {
        let mut turns = Vec::new();
        let mut next = self.edges.get(first);
        while let Some(edge) = next {
            turns.push(edge.turn.clone());
            next = edge.node.as_ref().and_then(|node| {
                let index = node.most_visited(|_| true)?;
                Some(&node.edges[index]).filter(|edge| edge.visits > 0)
            });
        }
        turns
    }

    /// Adds the visits and the bytes of each node below to a list.
    fn sizes(&self, sizes: &mut Vec<(u32, usize)>) {
        for edge in &self.edges {
            if let Some(node) = &edge.node {
                sizes.push((edge.visits, node.bytes()));
                node.sizes(sizes);
            }
        }
    }

    /// Drops the nodes with no more visits than this; the turns that led to them keep their results.
    fn drop_seldom_visited(&mut self, most: u32) {
        for edge in &mut self.edges {
            if edge.visits <= most {
                edge.node = None;
            } else if let Some(node) = &mut edge.node {
                node.drop_seldom_visited(most);
            }
        }
    }

    /// The greatest minimax of the turns.
    fn minimax(&self) -> f32 {
        self.edges.iter().map(|edge| edge.minimax).fold(f32::MIN, f32::max)
    }

    /// Adds a result along a path; the bytes of the node `grown` if that is now part of the tree.
    fn learn(
        &mut self,
        path: &[u16],
        parameters: &MctsParameters,
        mut found: SimulationResult,
        grown: Option<MctsNode>,
    ) -> usize {
        let Some((&first, rest)) = path.split_first() else { return 0 };
        // A node that was dropped in the meantime and listed again has not seen the simulation begin.
        let Some(edge) = self.edges.get_mut(usize::from(first)).filter(|edge| edge.visits > 0) else {
            return 0;
        };
        let mut bytes = 0;
        edge.worth += f64::from(found.worth) - VIRTUAL_LOSS;
        edge.points += f64::from(found.points);
        let area = found.area;
        if rest.is_empty() {
            if let (None, Some(node)) = (&edge.node, grown) {
                bytes = node.bytes();
                edge.node = Some(Box::new(node));
            }
        } else if let Some(node) = &mut edge.node {
            found.worth = -found.worth;
            found.points = -found.points;
            bytes = node.learn(rest, parameters, found, grown);
        }
        if let Some(minimax) = edge.node.as_ref().map(|node| -node.minimax()) {
            edge.set_minimax(minimax, area, parameters);
        }
        bytes
    }
}

/// Result assumed for a turn while a simulation below it is running, so that other threads try other turns.
const VIRTUAL_LOSS: f64 = -1.0;

/// The result of a simulation for the side that moves at the root.
#[derive(Clone, Copy, Debug)]
pub struct SimulationResult {
    /// From -1 to 1.
    pub worth: f32,
    /// Margin.
    pub points: f32,
    /// Points of the board.
    pub area: f32,
}

/// The node at which a simulation leaves the tree.
#[derive(Debug)]
pub struct Leaf {
    /// The generation of the tree it left.
    generation: u64,
    /// The places of the turns in their nodes.
    pub path: Vec<u16>,
    /// The position after them.
    pub position: SygoPosition,
    /// Whether its turns are to be listed, as the game is not over.
    pub grows: bool,
}

/// The tree is that of another position by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taken;

/// The tree below one position.
#[derive(Debug)]
pub struct MctsTree {
    root: MctsNode,
    position: Option<SygoPosition>,
    /// Changes with the root: what began below another one is none of this tree's.
    generation: u64,
    bytes: usize,
    most_bytes: usize,
}

impl MctsTree {
    /// An empty tree that grows to about `bytes` bytes.
    pub fn new(most_bytes: usize) -> MctsTree {
        MctsTree { root: MctsNode::default(), position: None, generation: 0, bytes: 0, most_bytes }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = MctsTree { generation: self.generation + 1, ..MctsTree::new(self.most_bytes) };
    }

    /// Whether `position` is the root. Workers of a search that is over may have another one.
    pub(super) fn is_of(&self, position: &SygoPosition) -> bool {
        self.position.as_ref().is_some_and(|root| root.key() == position.key())
    }

    /// Part of the memory in use, in permille.
    pub fn fill(&self) -> u16 {
        u16::try_from(self.bytes * 1000 / self.most_bytes.max(1)).unwrap_or(1000).min(1000)
    }

    /// Memory in use.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The node of the root, if that is `position`.
    pub(super) fn root(&self, position: &SygoPosition) -> Result<&MctsNode, Taken> {
        if self.is_of(position) { Ok(&self.root) } else { Err(Taken) }
    }

    /// The visits of the turns of `position`, if that is the root and any was visited.
    pub fn visits(&self, position: &SygoPosition) -> Option<Visits> {
        self.root(position).ok()?.visits()
    }

    /// Makes `position` the root and keeps what lies below it; false if it is not in the tree or
    /// lacks one of the turns `wanted`.
    pub(super) fn turn_to(&mut self, position: &SygoPosition, wanted: &[SygoTurn]) -> bool {
        let Some(old) = &self.position else { return false };
        if old.key() != position.key() {
            let Some(node) = take(&mut self.root, old, position, 2) else { return false };
            self.root = node;
            self.position = Some(position.clone());
            self.generation += 1;
            self.bytes = self.root.bytes_with_all_below();
        }
        wanted.iter().all(|turn| self.root.edges.iter().any(|edge| edge.turn == *turn))
    }

    /// Replaces the tree by a new one with this root.
    pub(super) fn plant(&mut self, position: &SygoPosition, root: MctsNode) {
        self.bytes = root.bytes();
        self.root = root;
        self.position = Some(position.clone());
        self.generation += 1;
    }

    /// Walks from the root, `allows` saying which of its turns count, to where the tree ends.
    /// [`MctsTree::learn`] is to follow.
    pub(super) fn descend(
        &mut self,
        root: &SygoPosition,
        parameters: &MctsParameters,
        allows: impl Fn(&SygoTurn) -> bool,
    ) -> Result<Leaf, Taken> {
        if !self.is_of(root) {
            return Err(Taken);
        }
        let (generation, path) = (self.generation, Vec::with_capacity(16));
        let mut leaf = Leaf { generation, path, position: root.clone(), grows: false };
        let exploration = parameters.exploration;
        let mut node = &mut self.root;
        let mut next = node.select(parameters, exploration * parameters.root_exploration, allows);
        while let Some(index) = next {
            let edge = &mut node.edges[index];
            leaf.path.push(index as u16);
            leaf.position.play(&edge.turn);
            edge.visits += 1;
            edge.worth += VIRTUAL_LOSS;
            let Some(below) = &mut edge.node else {
                leaf.grows = !leaf.position.is_over();
                break;
            };
            next = below.select(parameters, exploration, |_| true);
            node = below;
        }
        Ok(leaf)
    }

    /// Drops the least visited nodes until half of the memory is free. Below a node none has more visits.
    fn make_room(&mut self) {
        let mut sizes = Vec::new();
        self.root.sizes(&mut sizes);
        sizes.sort_unstable();
        let mut kept: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
        let mut most = 0;
        for (visits, bytes) in sizes {
            if kept <= self.most_bytes / 2 {
                break;
            }
            kept -= bytes;
            most = visits;
        }
        self.root.drop_seldom_visited(most);
        self.bytes = self.root.bytes_with_all_below();
    }

    /// Adds a result along the path of a [`Leaf`], whose node `grown` may be, unless the root is another one now.
    pub(super) fn learn(
        &mut self,
        leaf: &Leaf,
        parameters: &MctsParameters,
        found: SimulationResult,
        grown: Option<MctsNode>,
    ) {
        if leaf.generation != self.generation {
            return;
        }
        if self.bytes + grown.as_ref().map_or(0, MctsNode::bytes) > self.most_bytes {
            self.make_room();
        }
        self.bytes += self.root.learn(&leaf.path, parameters, found, grown);
    }
}

/// The node of `wanted`, at most this many turns after `position`, cut out of the tree.
fn take(
    node: &mut MctsNode,
    position: &SygoPosition,
    wanted: &SygoPosition,
    turns: usize,
) -> Option<MctsNode> {
    for edge in &mut node.edges {
        let Some(below) = &mut edge.node else { continue };
        let mut after = position.clone();
        after.play(&edge.turn);
        if after.key() == wanted.key() {
            return Some(std::mem::take(&mut **below));
        }
        if turns > 1
            && let Some(found) = take(below, &after, wanted, turns - 1)
        {
            return Some(found);
        }
    }
    None
}
