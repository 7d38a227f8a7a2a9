//! Values inside the search, and what of a node the TT keeps.

use crate::engine::table::Payload;
use crate::game::score::Score;
use crate::shogi::rules::types::Move;

/// Mate at the root; `MATE - n` is mate in `n` plies.
pub(crate) const MATE: i32 = 32_000;
/// Every value beyond is a mate within [`MAX_PLY`] plies.
pub(crate) const MATE_BOUND: i32 = MATE - 1_000;
/// A win or loss that is certain in practice, but no mate.
pub(crate) const SUPERIOR: i32 = 30_000;
/// Beyond any value.
pub(crate) const INFINITE: i32 = 32_500;
/// Highest static value.
pub(crate) const EVAL_LIMIT: i32 = 29_000;
/// Deepest ply of a search.
pub(crate) const MAX_PLY: usize = 246;

/// The side to move is mated `ply` plies after the root.
#[inline(always)]
pub(crate) fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// The value as the outside sees it.
pub(crate) fn score(value: i32) -> Score {
    if value >= MATE_BOUND {
        Score::MateIn((MATE - value) as u16)
    } else if value <= -MATE_BOUND {
        Score::MatedIn((MATE + value) as u16)
    } else {
        Score::Cp(value)
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is at most this.
    Upper = 1,
    /// It is at least this.
    Lower = 2,
    /// It is this.
    Exact = 3,
}

/// A node in the TT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) best: Move,
    /// Relative to the node, not to the root.
    value: i16,
    /// The static evaluation.
    pub(crate) eval: i16,
    depth: u8,
    pub(crate) bound: Bound,
    /// Whether it was once part of a principal variation.
    pub(crate) pv: bool,
}

/// Stored depths begin here, so that quiescence fits in.
const DEPTH_OFFSET: i32 = 3;
const DEPTH_LIMIT: i32 = 127;
/// A bound shallower by so much does not take the place of one of the same position.
const DEPTH_SLACK: i32 = 4;

impl Entry {
    pub(crate) fn new(
        best: Move,
        value: i32,
        ply: usize,
        eval: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) -> Entry {
        let value = if value >= MATE_BOUND {
            value + ply as i32
        } else if value <= -MATE_BOUND {
            value - ply as i32
        } else {
            value
        };
        let depth = (depth + DEPTH_OFFSET).clamp(0, DEPTH_LIMIT) as u8;
        Entry { best, value: value as i16, eval: eval as i16, depth, bound, pv }
    }

    /// The value seen from `ply` plies after the root.
    #[inline(always)]
    pub(crate) fn value(&self, ply: usize) -> i32 {
        let value = i32::from(self.value);
        if value >= MATE_BOUND {
            value - ply as i32
        } else if value <= -MATE_BOUND {
            value + ply as i32
        } else {
            value
        }
    }

    #[inline(always)]
    pub(crate) fn depth(&self) -> i32 {
        i32::from(self.depth) - DEPTH_OFFSET
    }
}

impl Payload for Entry {
    #[inline(always)]
    fn pack(self) -> u64 {
        u64::from(self.best.bits())
            | u64::from(self.value as u16) << 16
            | u64::from(self.eval as u16) << 32
            | u64::from(self.depth) << 48
            | (self.bound as u64) << 55
            | u64::from(self.pv) << 57
    }

    #[inline(always)]
    fn unpack(bits: u64) -> Entry {
        Entry {
            best: Move::from_bits(bits as u16),
            value: (bits >> 16) as i16,
            eval: (bits >> 32) as i16,
            depth: (bits >> 48 & 127) as u8,
            bound: match bits >> 55 & 3 {
                3 => Bound::Exact,
                2 => Bound::Lower,
                _ => Bound::Upper,
            },
            pv: bits >> 57 & 1 != 0,
        }
    }

    #[inline(always)]
    fn worth(self) -> i32 {
        i32::from(self.depth) + 2 * i32::from(self.pv)
    }

    /// A search that failed low knows no best move but forgets none, and a bound does not take the
    /// place of a much deeper one.
    #[inline(always)]
    fn over(self, old: Entry, _present: bool) -> Entry {
        let best = if self.best.is_some() { self.best } else { old.best };
        let shallow = self.bound != Bound::Exact && self.worth() + DEPTH_SLACK <= i32::from(old.depth);
        if shallow { Entry { best, ..old } } else { Entry { best, ..self } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::rules::types::{Kind, Square};

    #[test]
    fn entries_survive_packing() {
        for best in [
            Move::NONE,
            Move::drop(Kind::GOLD, Square::new(8, 8)),
            Move::step(Square::new(8, 8), Square::new(0, 0), true),
        ] {
            for value in [-31_999, -5, 0, 31_998, 120] {
                for (depth, bound) in [(-3, Bound::Upper), (0, Bound::Lower), (124, Bound::Exact)] {
                    let entry = Entry::new(best, value, 7, -value / 2, depth, bound, depth > 0);
                    assert_eq!(Entry::unpack(entry.pack()), entry);
                    assert_eq!((entry.value(7), entry.depth()), (value, depth));
                    assert!(entry.pack() != 0 && entry.pack() >> 58 == 0);
                }
            }
        }
    }

    #[test]
    fn moves_and_deep_bounds_outlast_shallow_ones() {
        let mv = Move::drop(Kind::GOLD, Square::new(8, 8));
        let deep = Entry::new(mv, 10, 0, 0, 9, Bound::Lower, false);
        let entry = |depth, bound| Entry::new(Move::NONE, 20, 0, 0, depth, bound, false);
        assert_eq!(entry(0, Bound::Upper).over(deep, true), deep);
        assert_eq!(entry(8, Bound::Upper).over(deep, true), Entry { best: mv, ..entry(8, Bound::Upper) });
        assert_eq!(entry(0, Bound::Exact).over(deep, true), Entry { best: mv, ..entry(0, Bound::Exact) });
    }

    #[test]
    fn mates_are_told_in_plies() {
        assert_eq!(score(MATE - 3), Score::MateIn(3));
        assert_eq!(score(mated_in(0)), Score::MatedIn(0));
        assert_eq!(score(-SUPERIOR), Score::Cp(-SUPERIOR));
    }
}
