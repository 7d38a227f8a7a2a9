//! The boards on the path from the root.

use crate::shogi::rules::hand::Hand;

const FILTER: usize = 1 << 14;

/// Boards and attacker's hands on the path, root first.
pub(super) struct Path {
    nodes: Vec<(u64, Hand)>,
    /// How many nodes of the path fall on each value of some bits of their keys.
    filter: Box<[u16; FILTER]>,
}

impl Path {
    pub(super) fn new() -> Path {
        Path { nodes: Vec::new(), filter: Box::new([0; FILTER]) }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.filter.fill(0);
    }

    fn slot(key: u64) -> usize {
        (key >> 40) as usize % FILTER
    }

    pub(super) fn depth(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn push(&mut self, key: u64, hand: Hand) {
        self.nodes.push((key, hand));
        self.filter[Path::slot(key)] += 1;
    }

    pub(super) fn pop(&mut self) {
        if let Some((key, _)) = self.nodes.pop() {
            self.filter[Path::slot(key)] -= 1;
        }
    }

    /// The depth of a node with the same board and at least the attacker's hand; the deepest.
    #[inline]
    pub(super) fn recurs(&self, key: u64, hand: Hand) -> Option<usize> {
        if self.filter[Path::slot(key)] == 0 {
            return None;
        }
        self.nodes.iter().rposition(|&(there, held)| there == key && held.covers(hand))
    }

    /// Whether this very node is on the path.
    pub(super) fn has(&self, key: u64, hand: Hand) -> bool {
        self.filter[Path::slot(key)] != 0 && self.nodes.contains(&(key, hand))
    }
}
