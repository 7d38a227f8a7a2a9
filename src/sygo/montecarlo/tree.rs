//! The tree of turns, shared by the threads of a search.

use super::Parameters;
use super::history::History;
use super::node::{Found, Node};
use crate::sygo::position::Position;
use crate::sygo::turn::Turn;

/// Where a simulation left the tree.
#[derive(Debug)]
pub struct Leaf {
    /// The places of the turns in their nodes.
    pub path: Vec<u16>,
    /// The position after them.
    pub position: Position,
    /// Whether its turns are to be listed, as there is memory for them.
    pub grows: bool,
}

/// The tree below one position.
#[derive(Debug)]
pub struct Tree {
    root: Node,
    position: Option<Position>,
    history: History,
    bytes: usize,
    most_bytes: usize,
}

impl Tree {
    /// An empty tree that grows to about so many bytes.
    pub fn new(most_bytes: usize) -> Tree {
        Tree { root: Node::default(), position: None, history: History::new(), bytes: 0, most_bytes }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Tree::new(self.most_bytes);
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

    /// The node of the root.
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// Makes `position` the root and keeps what lies below it; false if it is not in the tree or
    /// lacks one of the turns `wanted`.
    pub(super) fn turn_to(&mut self, position: &Position, wanted: &[Turn]) -> bool {
        let Some(old) = &self.position else { return false };
        if old.key() != position.key() {
            let Some(node) = self.root.take(old, position, 2) else { return false };
            self.root = node;
            self.position = Some(position.clone());
            self.history.fade();
            self.bytes = self.root.bytes_with_all_below();
        }
        wanted.iter().all(|turn| self.root.edges().iter().any(|edge| edge.turn == *turn))
    }

    /// Begins anew with this root.
    pub(super) fn plant(&mut self, position: &Position, root: Node) {
        self.bytes = root.bytes();
        self.root = root;
        self.history = History::new();
        self.position = Some(position.clone());
    }

    /// Walks from the root, `allows` telling which of its turns count, to where the tree ends.
    /// [`Tree::learn`] is to follow.
    pub(super) fn descend(
        &mut self,
        root: &Position,
        parameters: &Parameters,
        allows: impl Fn(&Turn) -> bool,
    ) -> Leaf {
        let mut leaf = Leaf { path: Vec::with_capacity(16), position: root.clone(), grows: false };
        let room = self.bytes < self.most_bytes;
        let mut node = &mut self.root;
        let mut next = node.select(parameters, &self.history, root.side, allows);
        while let Some(index) = next {
            let edge = &mut node.edges_mut()[index];
            leaf.path.push(index as u16);
            leaf.position.play(&edge.turn);
            let Some(below) = edge.visit() else {
                leaf.grows = room && !leaf.position.is_over();
                break;
            };
            next = below.select(parameters, &self.history, leaf.position.side, |_| true);
            node = below;
        }
        leaf
    }

    /// Adds a result along the path of a [`Leaf`], whose node `grown` may be.
    pub(super) fn learn(&mut self, path: &[u16], parameters: &Parameters, found: Found, grown: Option<Node>) {
        self.bytes += grown.as_ref().map_or(0, Node::bytes);
        self.root.learn(path, parameters, &mut self.history, found, grown);
    }
}
