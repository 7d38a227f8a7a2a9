//! The table entries of the solver, and their keys.

use super::graph::Graph;
use super::moves::{MOST_TURNS, SolverNode};
use kaeshi_core::driver::table::Payload;
use kaeshi_core::random::SplitMix;

/// Value bounds of a position and the place of its best turn among the children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub(super) low: i16,
    pub(super) high: i16,
    /// Place of the best turn in the order of generation; [`PASS`] for the pass.
    pub(super) best: u16,
    /// Vacant vertices.
    pub(super) vacant: u8,
}

/// Stands for the pass where a child is meant.
pub(super) const PASS: u16 = MOST_TURNS as u16;

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

/// Up to 30 points the key holds the whole position, so hits are never wrong; larger boards are hashed.
pub(super) fn key<G: Graph>(graph: &G, node: SolverNode) -> u64 {
    let extra = (node.right as u64) << 1 | u64::from(node.passed);
    if graph.salt() == 0 && graph.full().count_ones() <= 30 {
        return spread(node.own as u64 | (node.enemy as u64) << 30 | extra << 60);
    }
    let halves = [node.own, node.own >> 64, node.enemy, node.enemy >> 64];
    // Mixed before anything is added: otherwise a stone on a1 would look like a pass.
    halves.into_iter().fold(spread(extra ^ graph.salt()), |key, half| spread(key.wrapping_add(half as u64)))
}

/// A bijection that spreads the bits, also those of 0.
fn spread(bits: u64) -> u64 {
    SplitMix::new(bits).draw()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::graph::{Bits, each};
    use super::super::moves::Right;
    use super::super::shape::BoardShape;
    use super::*;

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
