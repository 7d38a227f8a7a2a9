//! Two bitboards and what a move does to them.

use crate::rules::simd::{Isa, PortableIsa};

/// The discs of both sides, seen by the side to move. Bit `8 * row + column`, a1 is bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReversiBoard {
    /// Discs of the side to move.
    pub me: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;

impl ReversiBoard {
    /// The usual array, Black to move: Black on d5 and e4.
    pub const START: ReversiBoard =
        ReversiBoard { me: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// Squares without a disc.
    #[inline(always)]
    pub fn empty(self) -> u64 {
        !(self.me | self.opponent)
    }

    /// Number of squares without a disc.
    #[inline(always)]
    pub fn empties(self) -> u32 {
        self.empty().count_ones()
    }

    /// Squares on which the side to move may place a disc.
    #[inline]
    pub fn moves(self) -> u64 {
        PortableIsa.moves(self.me, self.opponent)
    }

    /// The discs that a disc on `square` (0..64) turns over; empty if the move is not legal.
    #[inline]
    pub fn flips(self, square: usize) -> u64 {
        PortableIsa.flips(square, self.me, self.opponent)
    }

    /// The board after a disc was placed on `square` and turned `flips` over, seen by the other side.
    #[inline(always)]
    pub fn after(self, square: usize, flips: u64) -> ReversiBoard {
        ReversiBoard { me: self.opponent ^ flips, opponent: self.me ^ flips ^ (1 << square) }
    }

    /// The same discs seen by the other side, as after a pass.
    #[inline(always)]
    pub fn passed(self) -> ReversiBoard {
        ReversiBoard { me: self.opponent, opponent: self.me }
    }

    /// Whether neither side can move.
    pub fn is_over(self) -> bool {
        self.moves() == 0 && self.passed().moves() == 0
    }

    /// Own discs less the opponent's, as they lie.
    #[inline(always)]
    pub fn difference(self) -> i32 {
        self.me.count_ones() as i32 - self.opponent.count_ones() as i32
    }

    /// The result of a finished game by the usual count: empty squares go to the winner.
    #[inline(always)]
    pub fn final_score(self) -> i32 {
        let difference = self.difference();
        difference + difference.signum() * self.empties() as i32
    }
}

/// The squares of a set, lowest first.
pub fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            square
        })
    })
}

/// One of the eight symmetries of the board (0..8) applied to a set of squares: bit 0 mirrors
/// left and right, bit 1 top and bottom, bit 2 exchanges rows and columns.
pub fn symmetric(set: u64, symmetry: usize) -> u64 {
    let mut set = set;
    if symmetry & 1 != 0 {
        set = set.reverse_bits().swap_bytes();
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes();
    }
    if symmetry & 4 != 0 {
        set = transposed(set);
    }
    set
}

/// Mirrored at the diagonal from a1 to h8 (Warren, "Hacker's Delight", section 7-3).
fn transposed(mut x: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swapped = (x ^ (x >> shift)) & mask;
        x ^= swapped ^ (swapped << shift);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symmetries_are_eight_different_bijections() {
        let images: Vec<u64> = (0..8).map(|s| symmetric(0b0000_0110_0000_0001, s)).collect();
        for (i, a) in images.iter().enumerate() {
            assert_eq!(a.count_ones(), 3);
            assert!(images[i + 1..].iter().all(|b| a != b));
        }
        assert_eq!(symmetric(1 << 1, 4), 1 << 8);
        assert_eq!(symmetric(1, 1), 1 << 7);
        assert_eq!(symmetric(1, 2), 1 << 56);
    }

    #[test]
    fn black_may_play_d3_c4_f5_e6_first() {
        assert_eq!(ReversiBoard::START.moves(), 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44);
    }
}
