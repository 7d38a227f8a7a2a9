//! The graph on which the exact search plays. A vertex is a point, or stands for several points.

use crate::rules::points::Point;

/// A set of vertices.
pub type Bits = u128;

/// Vertices that are vacant or hold stones, at most 128.
pub trait Graph {
    /// All vertices.
    fn full(&self) -> Bits;

    /// The vertices next to the set, members of the set itself among them.
    fn neighbours(&self, set: Bits) -> Bits;

    /// How many points of the board the set stands for.
    fn points(&self, set: Bits) -> i32;

    /// The canonical image of a pair of sets under the symmetries, the same for each image.
    fn canonical(&self, own: Bits, enemy: Bits) -> (Bits, Bits);

    /// One of each class of equivalent vacant vertices.
    fn distinct(&self, vacant: Bits) -> Bits;

    /// Goes into every key, so that graphs may share a table; 0 for a graph that does not share its table.
    fn salt(&self) -> u64;

    /// The point of a vertex that is vacant or holds one stone.
    fn point(&self, vertex: Bits) -> Point;

    /// The part of `area` connected with `seed`.
    #[inline]
    fn flood(&self, seed: Bits, area: Bits) -> Bits {
        let mut reached = seed & area;
        let mut fresh = reached;
        while fresh != 0 {
            fresh = self.neighbours(fresh) & area & !reached;
            reached |= fresh;
        }
        reached
    }
}

/// The points of a set, one bit each.
#[inline(always)]
pub fn each(set: Bits) -> impl Iterator<Item = Bits> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let lowest = rest & rest.wrapping_neg();
        rest ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
