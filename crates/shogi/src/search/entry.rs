//! A node in the transposition table: 58 bits.
//!
//! | bits | what |
//! |---|---|
//! | 0 to 15 | best move |
//! | 16 to 31 | value, mates relative to the node |
//! | 32 to 47 | static evaluation |
//! | 48 to 54 | depth, from -3 on |
//! | 55 and 56 | bound: 1 upper, 2 lower, 3 exact |
//! | 57 | was part of a principal variation |

use crate::rules::types::Move;
use crate::search::value::{MATE, MATE_BOUND};
use kaeshi_core::driver::table::Payload;
use kaeshi_core::game::search::Bound;

/// A node in the TT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShogiTtEntry {
    pub best: Move,
    /// Relative to the node, not to the root.
    value: i16,
    /// The static evaluation.
    pub(crate) eval: i16,
    depth: u8,
    pub bound: Bound,
    /// Whether it was once part of a principal variation.
    pub pv: bool,
}

/// Stored depths begin here, so that quiescence fits in.
const DEPTH_OFFSET: i32 = 3;
const DEPTH_LIMIT: i32 = 127;
/// A bound shallower by this many plies does not take the place of one of the same position.
const DEPTH_SLACK: i32 = 4;

impl ShogiTtEntry {
    pub fn new(
        best: Move,
        value: i32,
        ply: usize,
        eval: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) -> ShogiTtEntry {
        let value = if value >= MATE_BOUND {
            value + ply as i32
        } else if value <= -MATE_BOUND {
            value - ply as i32
        } else {
            value
        };
        debug_assert!((-MATE..=MATE).contains(&value), "a value of {value} for the TT");
        debug_assert!(i16::try_from(eval).is_ok(), "a static value of {eval} for the TT");
        let depth = (depth + DEPTH_OFFSET).clamp(0, DEPTH_LIMIT) as u8;
        ShogiTtEntry { best, value: value as i16, eval: eval as i16, depth, bound, pv }
    }

    /// The value seen from `ply` plies after the root.
    #[inline(always)]
    pub fn value(&self, ply: usize) -> i32 {
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
    pub fn depth(&self) -> i32 {
        i32::from(self.depth) - DEPTH_OFFSET
    }
}

impl Payload for ShogiTtEntry {
    #[inline(always)]
    fn pack(self) -> u64 {
        u64::from(self.best.bits())
            | u64::from(self.value as u16) << 16
            | u64::from(self.eval as u16) << 32
            | u64::from(self.depth) << 48
            | bound_bits(self.bound) << 55
            | u64::from(self.pv) << 57
    }

    #[inline(always)]
    fn unpack(bits: u64) -> ShogiTtEntry {
        ShogiTtEntry {
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
    fn over(self, old: ShogiTtEntry, _present: bool) -> ShogiTtEntry {
        let best = if self.best.is_some() { self.best } else { old.best };
        let shallow = self.bound != Bound::Exact && self.worth() + DEPTH_SLACK <= i32::from(old.depth);
        if shallow { ShogiTtEntry { best, ..old } } else { ShogiTtEntry { best, ..self } }
    }
}

/// Never 0, so that no entry is all zero.
#[inline(always)]
fn bound_bits(bound: Bound) -> u64 {
    match bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::types::{PieceKind, Square};

    #[test]
    fn entries_survive_packing() {
        for best in [
            Move::NONE,
            Move::drop(PieceKind::GOLD, Square::new(8, 8)),
            Move::step(Square::new(8, 8), Square::new(0, 0), true),
        ] {
            // At ply 7 no mate is nearer than that.
            for value in [-31_993, -5, 0, 31_992, 120] {
                for (depth, bound) in [(-3, Bound::Upper), (0, Bound::Lower), (124, Bound::Exact)] {
                    let entry = ShogiTtEntry::new(best, value, 7, -value / 2, depth, bound, depth > 0);
                    assert_eq!(ShogiTtEntry::unpack(entry.pack()), entry);
                    assert_eq!((entry.value(7), entry.depth()), (value, depth));
                    assert!(entry.pack() != 0 && entry.pack() >> 58 == 0);
                }
            }
        }
    }

    #[test]
    fn moves_and_deep_bounds_outlast_shallow_ones() {
        let mv = Move::drop(PieceKind::GOLD, Square::new(8, 8));
        let deep = ShogiTtEntry::new(mv, 10, 0, 0, 9, Bound::Lower, false);
        let entry = |depth, bound| ShogiTtEntry::new(Move::NONE, 20, 0, 0, depth, bound, false);
        assert_eq!(entry(0, Bound::Upper).over(deep, true), deep);
        assert_eq!(
            entry(8, Bound::Upper).over(deep, true),
            ShogiTtEntry { best: mv, ..entry(8, Bound::Upper) }
        );
        assert_eq!(
            entry(0, Bound::Exact).over(deep, true),
            ShogiTtEntry { best: mv, ..entry(0, Bound::Exact) }
        );
    }
}
