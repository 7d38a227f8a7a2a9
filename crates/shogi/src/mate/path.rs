//! The boards on the path from the root.

use crate::rules::hand::Hand;

const SLOTS: usize = 1 << 14;
/// No node.
const NONE: u16 = u16::MAX;

struct PathNode {
    key: u64,
    hand: Hand,
    /// The node before that falls on the same slot.
    before: u16,
}

/// Boards and attacker's hands on the path, root first.
pub(super) struct Path {
    nodes: Vec<PathNode>,
    /// The deepest node for each value of some bits of the keys.
    deepest: Box<[u16; SLOTS]>,
}

impl Path {
    pub(super) fn new() -> Path {
        Path { nodes: Vec::new(), deepest: Box::new([NONE; SLOTS]) }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.deepest.fill(NONE);
    }

    fn slot(key: u64) -> usize {
        (key >> 40) as usize % SLOTS
    }

    pub(super) fn depth(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn push(&mut self, key: u64, hand: Hand) {
        let deepest = &mut self.deepest[Path::slot(key)];
        self.nodes.push(PathNode { key, hand, before: *deepest });
        *deepest = (self.nodes.len() - 1) as u16;
    }

    pub(super) fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.deepest[Path::slot(node.key)] = node.before;
        }
    }

    /// The depths of the nodes with this board, the deepest first, with the attacker's hand there.
    #[inline]
    fn with_board(&self, key: u64) -> impl Iterator<Item = (usize, Hand)> + '_ {
        let mut at = self.deepest[Path::slot(key)];
        std::iter::from_fn(move || {
            while at != NONE {
                let depth = usize::from(at);
                let node = &self.nodes[depth];
                at = node.before;
                if node.key == key {
                    return Some((depth, node.hand));
                }
            }
            None
        })
    }

    /// The depth of a node with the same board and at least the attacker's hand; the deepest.
    #[inline]
    pub(super) fn recurs(&self, key: u64, hand: Hand) -> Option<usize> {
        self.with_board(key).find(|(_, held)| held.covers(hand)).map(|(depth, _)| depth)
    }

    /// Whether this very node is on the path.
    pub(super) fn has(&self, key: u64, hand: Hand) -> bool {
        self.with_board(key).any(|(_, held)| held == hand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::types::PieceKind;
    use kaeshi_core::random::SplitMix;

    #[test]
    fn recurrences_are_those_that_a_look_at_every_node_finds() {
        let mut random = SplitMix::new(0x7061_7468);
        let hands = [Hand::EMPTY, Hand::EMPTY.with(PieceKind::PAWN), Hand::EMPTY.with(PieceKind::GOLD)];
        // Keys that share a slot, and keys that do not.
        let keys = [1, 2, 1 << 41, (1 << 41) + 1, 1 << 42];
        let mut path = Path::new();
        let mut nodes: Vec<(u64, Hand)> = Vec::new();
        let mut recurred = 0;
        for _ in 0..20_000 {
            let node = (keys[random.below(5) as usize], hands[random.below(3) as usize]);
            let expected = nodes.iter().rposition(|&(key, hand)| key == node.0 && hand.covers(node.1));
            assert_eq!(path.recurs(node.0, node.1), expected);
            assert_eq!(path.has(node.0, node.1), nodes.contains(&node));
            recurred += usize::from(expected.is_some());
            if nodes.len() < 40 && random.below(2) == 0 {
                path.push(node.0, node.1);
                nodes.push(node);
            } else {
                path.pop();
                nodes.pop();
            }
            assert_eq!(path.depth(), nodes.len());
        }
        assert!(recurred > 1_000);
    }
}
