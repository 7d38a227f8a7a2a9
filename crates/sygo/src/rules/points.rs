//! Points, sets of points, and the grid they lie on.
//!
//! A board of any size lies in the lower left corner of a grid of 20 columns and 19 rows, so that
//! 380 bits - six words - hold a set, and a step over an edge always ends on a bit that is off
//! the board.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use kaeshi_core::simd::bits::{BitSet, NativeBits, WORDS};

/// Smallest board.
pub const SIZE_MIN: usize = 3;
/// Largest board.
pub const SIZE_MAX: usize = 19;
/// Points of a row of the grid; one more than the largest board has.
pub const STRIDE: usize = 20;
/// Points of the grid.
pub const GRID: usize = STRIDE * SIZE_MAX;
const _: () = assert!(GRID <= 64 * WORDS);
type Words = [u64; WORDS];

/// A point of the grid: column a = 0, row 1 = 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u16);

impl Point {
    /// The point in this column and row, both counted from 0.
    pub fn new(column: usize, row: usize) -> Point {
        debug_assert!(column < SIZE_MAX && row < SIZE_MAX);
        Point((row * STRIDE + column) as u16)
    }

    /// The point with this index in the grid.
    #[inline(always)]
    pub fn from_index(index: usize) -> Point {
        debug_assert!(index < GRID);
        Point(index as u16)
    }

    /// Index in the grid.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Column, from 0.
    pub fn column(self) -> usize {
        self.index() % STRIDE
    }

    /// Row, from 0.
    pub fn row(self) -> usize {
        self.index() / STRIDE
    }

    /// Order of the notation: by column letter, then row number.
    pub fn notation_order(self) -> (usize, usize) {
        (self.column(), self.row())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column() as u8), self.row() + 1)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of points.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet(Words);

impl PointSet {
    /// No points.
    pub const EMPTY: PointSet = PointSet([0; WORDS]);

    /// The set in registers.
    #[inline(always)]
    pub fn bits<B: BitSet>(&self) -> B {
        B::load(&self.0)
    }

    #[inline(always)]
    fn native(&self) -> NativeBits {
        self.bits()
    }

    #[inline(always)]
    fn of(bits: impl BitSet) -> PointSet {
        PointSet(bits.store())
    }

    /// Adds a point.
    #[inline(always)]
    pub fn insert(&mut self, point: Point) {
        self.0[point.index() >> 6] |= 1 << (point.index() & 63);
    }

    /// Takes a point out.
    #[inline(always)]
    pub fn remove(&mut self, point: Point) {
        self.0[point.index() >> 6] &= !(1 << (point.index() & 63));
    }

    /// Whether the point is in the set.
    #[inline(always)]
    pub fn contains(&self, point: Point) -> bool {
        self.0[point.index() >> 6] >> (point.index() & 63) & 1 != 0
    }

    /// Whether there is no point.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.native().is_empty()
    }

    /// Whether the sets have a point in common.
    #[inline(always)]
    pub fn meets(&self, other: &PointSet) -> bool {
        !(*self & *other).is_empty()
    }

    /// Whether every point of this set is in `other`.
    #[inline(always)]
    pub fn is_subset(&self, other: &PointSet) -> bool {
        self.without(other).is_empty()
    }

    /// Number of points.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.native().len() as usize
    }

    /// The points that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub fn without(&self, other: &PointSet) -> PointSet {
        PointSet::of(self.native().without(other.native()))
    }

    /// The first point, in the order of the grid.
    #[inline(always)]
    pub fn first(&self) -> Option<Point> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(Point::from_index(word * 64 + self.0[word].trailing_zeros() as usize))
    }

    /// The points, in the order of the grid.
    #[inline(always)]
    pub fn iter(&self) -> Points {
        Points { set: *self, word: 0 }
    }

    /// The points orthogonally next to the set, points of the set itself among them where they
    /// touch each other; may hold points off the board.
    #[inline(always)]
    #[must_use]
    pub fn neighbours(&self) -> PointSet {
        PointSet::of(self.native().neighbours::<{ STRIDE as u32 }>())
    }

    /// The part of `area` that is connected with this set through points of `area`.
    #[must_use]
    pub fn flood(&self, area: &PointSet) -> PointSet {
        let mut reached = *self & *area;
        loop {
            let more = reached | (reached.neighbours() & *area);
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }
}

impl BitOr for PointSet {
    type Output = PointSet;
    #[inline(always)]
    fn bitor(self, other: PointSet) -> PointSet {
        PointSet::of(self.native().or(other.native()))
    }
}

impl BitAnd for PointSet {
    type Output = PointSet;
    #[inline(always)]
    fn bitand(self, other: PointSet) -> PointSet {
        PointSet::of(self.native().and(other.native()))
    }
}

impl BitOrAssign for PointSet {
    #[inline(always)]
    fn bitor_assign(&mut self, other: PointSet) {
        *self = *self | other;
    }
}

impl BitAndAssign for PointSet {
    #[inline(always)]
    fn bitand_assign(&mut self, other: PointSet) {
        *self = *self & other;
    }
}

impl Not for PointSet {
    type Output = PointSet;
    #[inline(always)]
    fn not(self) -> PointSet {
        PointSet([u64::MAX; WORDS]).without(&self)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

impl fmt::Debug for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Iterator over a set.
pub struct Points {
    set: PointSet,
    word: usize,
}

impl Iterator for Points {
    type Item = Point;

    #[inline(always)]
    fn next(&mut self) -> Option<Point> {
        while self.word < WORDS {
            let bits = self.set.0[self.word];
            if bits != 0 {
                self.set.0[self.word] = bits & (bits - 1);
                return Some(Point::from_index(self.word * 64 + bits.trailing_zeros() as usize));
            }
            self.word += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::size::BoardSize;

    #[test]
    fn neighbours_never_wrap_around_an_edge() {
        for size in SIZE_MIN..=SIZE_MAX {
            let board = BoardSize::from(size).all();
            for point in board.iter() {
                let set = PointSet::from_iter([point]);
                let expected = board
                    .iter()
                    .filter(|q| q.column().abs_diff(point.column()) + q.row().abs_diff(point.row()) == 1)
                    .collect::<PointSet>();
                assert_eq!(set.neighbours() & board, expected, "{point} of {size}");
            }
        }
    }

    #[test]
    fn operations_on_sets_are_those_on_their_points() {
        let set = |step: usize| (0..GRID).step_by(step).map(Point::from_index).collect::<PointSet>();
        let (one, other) = (set(3), set(7));
        for point in (0..GRID).map(Point::from_index) {
            let [a, b] = [&one, &other].map(|set| set.contains(point));
            let found = [one & other, one | other, one.without(&other), !one].map(|set| set.contains(point));
            assert_eq!(found, [a && b, a || b, a && !b, !a], "{point}");
        }
        assert!(PointSet::EMPTY.is_empty() && one.without(&one).is_empty());
        for point in one.iter() {
            assert!(!PointSet::from_iter([point]).is_empty(), "{point}");
        }
    }

    #[test]
    fn a_flood_fills_one_region() {
        let board = BoardSize::from(5).all();
        let wall = (0..5).map(|row| Point::new(2, row)).collect::<PointSet>();
        let left = PointSet::from_iter([Point::new(0, 0)]).flood(&board.without(&wall));
        assert_eq!(left.len(), 10);
    }
}
