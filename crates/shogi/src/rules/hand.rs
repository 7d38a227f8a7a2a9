//! Pieces in hand, packed so that whole hands compare in one subtraction.

use crate::rules::types::PieceKind;

/// The pieces in hand of one side. Each count has a field of bits with a spare bit above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Hand(pub u32);

const SHIFT: [u32; 8] = [0, 8, 12, 16, 20, 24, 28, 28];
const MASK: [u32; 8] = [31, 7, 7, 7, 3, 3, 7, 0];
/// The bit above each count, which a subtraction sets when that count borrows.
const SPARE: u32 = 1 << 5 | 1 << 11 | 1 << 15 | 1 << 19 | 1 << 22 | 1 << 26 | 1 << 31;

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Hand = Hand(0);

    /// How many of `kind` there are.
    #[inline(always)]
    pub const fn count(self, kind: PieceKind) -> u32 {
        self.0 >> SHIFT[(kind.0 & 7) as usize] & MASK[(kind.0 & 7) as usize]
    }

    /// Whether there is one of `kind`.
    #[inline(always)]
    pub const fn has(self, kind: PieceKind) -> bool {
        self.0 & MASK[(kind.0 & 7) as usize] << SHIFT[(kind.0 & 7) as usize] != 0
    }

    /// Whether there is nothing in hand.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// With one more of `kind`.
    #[inline(always)]
    pub const fn with(self, kind: PieceKind) -> Hand {
        Hand(self.0 + (1 << SHIFT[(kind.0 & 7) as usize]))
    }

    /// With one less of `kind`, of which there must be one.
    #[inline(always)]
    pub const fn without(self, kind: PieceKind) -> Hand {
        Hand(self.0 - (1 << SHIFT[(kind.0 & 7) as usize]))
    }

    /// Whether there are at least as many pieces of every kind as in `other`.
    #[inline(always)]
    pub const fn covers(self, other: Hand) -> bool {
        self.0.wrapping_sub(other.0) & SPARE == 0
    }

    /// How many pieces there are in all.
    pub fn total(self) -> u32 {
        PieceKind::DROPPABLE.iter().map(|&kind| self.count(kind)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand(counts: [u32; 7]) -> Hand {
        let mut hand = Hand::EMPTY;
        for (kind, count) in PieceKind::DROPPABLE.into_iter().zip(counts) {
            for _ in 0..count {
                hand = hand.with(kind);
            }
        }
        hand
    }

    #[test]
    fn a_full_hand_keeps_its_counts_apart() {
        let full = hand(PieceKind::IN_SET);
        for (kind, count) in PieceKind::DROPPABLE.into_iter().zip(PieceKind::IN_SET) {
            assert_eq!(full.count(kind), count);
            assert_eq!(full.without(kind).count(kind), count - 1);
        }
        assert_eq!(full.total(), 38);
    }

    #[test]
    fn covers_compares_kind_by_kind() {
        let mut random = 7u64;
        for _ in 0..20_000 {
            let mut counts = [[0; 7]; 2];
            for count in counts.as_flattened_mut().iter_mut().enumerate() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *count.1 = (random >> 40) as u32 % (PieceKind::IN_SET[count.0 % 7] + 1);
            }
            let expected = counts[0].iter().zip(&counts[1]).all(|(a, b)| a >= b);
            assert_eq!(hand(counts[0]).covers(hand(counts[1])), expected, "{counts:?}");
        }
        assert!(!Hand::EMPTY.covers(Hand::EMPTY.with(PieceKind::GOLD)));
    }
}
