//! One turn: a set of stones.

use crate::rules::points::Point;

/// A pass, a placement, a growth, or Black's balance turn (a growth, then a placement).
///
/// The board after a growth depends only on the set of its points, so a turn keeps no order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SygoTurn {
    growth: Vec<Point>,
    placement: Option<Point>,
}

/// The kinds of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TurnKind {
    /// No stone.
    Pass,
    /// One stone away from the own ones.
    Placement,
    /// Stones next to own groups, at most one for each group.
    Growth,
    /// A growth and a placement together: Black's right while neither side has grown.
    Balance,
}

impl TurnKind {
    /// The kind of a turn of these stones.
    pub(super) fn of(growth: &[Point], placement: Option<Point>) -> TurnKind {
        match (growth.is_empty(), placement) {
            (true, None) => TurnKind::Pass,
            (true, Some(_)) => TurnKind::Placement,
            (false, None) => TurnKind::Growth,
            (false, Some(_)) => TurnKind::Balance,
        }
    }
}

impl SygoTurn {
    /// The pass.
    pub fn pass() -> SygoTurn {
        SygoTurn::default()
    }

    /// A placement.
    pub fn place(point: Point) -> SygoTurn {
        SygoTurn { growth: Vec::new(), placement: Some(point) }
    }

    /// A growth by these stones, in any order; without any it is the pass.
    pub fn grow(points: impl IntoIterator<Item = Point>) -> SygoTurn {
        SygoTurn::new(points, None)
    }

    /// A turn of these growth stones, in any order, and this placement.
    pub fn new(growth: impl IntoIterator<Item = Point>, placement: Option<Point>) -> SygoTurn {
        let mut growth: Vec<Point> = growth.into_iter().collect();
        growth.sort_unstable_by_key(|point| point.notation_order());
        SygoTurn { growth, placement }
    }

    /// The growth stones, in the order of the notation.
    pub fn growth(&self) -> &[Point] {
        &self.growth
    }

    /// The placed stone.
    pub fn placement(&self) -> Option<Point> {
        self.placement
    }

    /// All stones, the placement last.
    pub fn stones(&self) -> impl Iterator<Item = Point> + '_ {
        self.growth.iter().copied().chain(self.placement)
    }

    /// Its kind.
    pub fn kind(&self) -> TurnKind {
        TurnKind::of(&self.growth, self.placement)
    }
}
