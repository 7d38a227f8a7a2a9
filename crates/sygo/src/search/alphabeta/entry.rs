//! The entries of the table of the principal variation search.

use crate::rules::board;
use crate::rules::turn::SygoTurn;
use kaeshi_core::driver::table::Payload;
use kaeshi_core::game::search::Bound;

/// The part of a turn's short hash that the table has room for.
const HASH_MASK: u32 = 0xFF_FFFF;

/// A table entry of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SygoTtEntry {
    /// Hundredths of a point for the side to move.
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// Remaining depth of the search behind it.
    pub(super) depth: u8,
    /// Short hash of the best turn.
    pub(super) turn: u32,
}

impl SygoTtEntry {
    /// Whether the best turn may be this one.
    pub(super) fn is_of(self, turn: &SygoTurn) -> bool {
        short_hash(turn) == self.turn
    }
}

impl Payload for SygoTtEntry {
    fn pack(self) -> u64 {
        const OFFSET: i32 = 1 << 20;
        u64::from((self.value + OFFSET) as u32 & 0x1F_FFFF)
            | bound_bits(self.bound) << 21
            | u64::from(self.depth) << 23
            | u64::from(self.turn & HASH_MASK) << 31
    }

    fn unpack(bits: u64) -> Self {
        SygoTtEntry {
            value: (bits & 0x1F_FFFF) as i32 - (1 << 20),
            bound: match bits >> 21 & 3 {
                1 => Bound::Lower,
                2 => Bound::Upper,
                _ => Bound::Exact,
            },
            depth: (bits >> 23) as u8,
            turn: (bits >> 31) as u32 & HASH_MASK,
        }
    }

    fn worth(self) -> i32 {
        4 * i32::from(self.depth)
    }
}

/// Never 0, so that no entry is all zero.
fn bound_bits(bound: Bound) -> u64 {
    match bound {
        Bound::Lower => 1,
        Bound::Upper => 2,
        Bound::Exact => 3,
    }
}

/// A hash of 24 bits of a turn, to find it again among the proposed ones.
pub(super) fn short_hash(turn: &SygoTurn) -> u32 {
    let stones = turn.growth().iter().map(|p| p.index()).chain(turn.placement().map(|p| p.index() + 512));
    (stones.fold(1, |hash, stone| hash ^ board::zobrist(stone + 7000)) >> 40) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_went() {
        for value in [-36_100, -1, 0, 36_100] {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                let entry = SygoTtEntry { value, bound, depth: 60, turn: 0xAB_CDEF };
                assert_eq!(SygoTtEntry::unpack(entry.pack()), entry);
                assert!(entry.pack() >> 58 == 0);
            }
        }
    }
}
