//! Sets of squares: 81 bits, file by file.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::rules::types::Square;
use kaeshi_core::game::Side;

/// A set of squares; bit `n` is the square with number `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u128);

/// Where shifts of 128 bits by a number that is not constant are calls of a function.
pub(crate) const SHIFTS_ARE_CALLS: bool = cfg!(target_arch = "wasm32");
const BOARD: u128 = (1 << 81) - 1;
const RANK_A: u128 = {
    let (mut bits, mut file) = (0, 0);
    while file < 9 {
        bits |= 1 << (9 * file);
        file += 1;
    }
    bits
};

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard(BOARD);

    /// One square.
    #[inline(always)]
    pub const fn of(square: Square) -> Bitboard {
        if SHIFTS_ARE_CALLS { Bitboard::of_halves(square) } else { Bitboard(1 << square.0) }
    }

    /// [`Bitboard::of`] by shifts of 64 bits.
    #[inline(always)]
    const fn of_halves(square: Square) -> Bitboard {
        let bit = 1u64 << (square.0 & 63);
        let low = if square.0 < 64 { bit } else { 0 };
        Bitboard(((bit ^ low) as u128) << 64 | low as u128)
    }

    /// The squares of one rank (0 for a).
    #[inline(always)]
    pub const fn rank(rank: u8) -> Bitboard {
        Bitboard(RANK_A << rank)
    }

    /// The squares of one file (0 for file 1).
    #[inline(always)]
    pub const fn file(file: u8) -> Bitboard {
        Bitboard(0x1ff << (9 * file))
    }

    /// The `count` ranks farthest from `side`.
    #[inline(always)]
    pub const fn far_ranks(side: Side, count: u8) -> Bitboard {
        let mut bits = 0;
        let mut rank = 0;
        while rank < count {
            bits |= match side {
                Side::First => RANK_A << rank,
                Side::Second => RANK_A << (8 - rank),
            };
            rank += 1;
        }
        Bitboard(bits)
    }

    /// The last three ranks as `side` sees them, where its pieces promote.
    #[inline(always)]
    pub const fn promotion_zone(side: Side) -> Bitboard {
        match side {
            Side::First => const { Bitboard::far_ranks(Side::First, 3) },
            Side::Second => const { Bitboard::far_ranks(Side::Second, 3) },
        }
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        if SHIFTS_ARE_CALLS { self.meets(Bitboard::of(square)) } else { self.0 >> square.0 & 1 != 0 }
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any square is in it.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the sets share a square.
    #[inline(always)]
    pub const fn meets(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is more than one square in it.
    #[inline(always)]
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares are in it.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The lowest square of a set that is not empty.
    #[inline(always)]
    pub const fn first(self) -> Square {
        Square(self.0.trailing_zeros() as u8)
    }

    /// This set without `other`.
    #[inline(always)]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// All squares one step ahead of these, as `side` sees it. Squares on the last rank are dropped.
    #[inline(always)]
    pub const fn ahead(self, side: Side) -> Bitboard {
        match side {
            Side::First => Bitboard((self.0 & !RANK_A) >> 1),
            Side::Second => Bitboard((self.0 & !(RANK_A << 8)) << 1),
        }
    }

    /// All squares of the files on which no square of this set lies; at most one may on each.
    ///
    /// Subtracting a bit from the top bit of its file clears that top bit; the top bits left are
    /// then spread over their files by another subtraction.
    #[inline(always)]
    pub const fn free_files(self) -> Bitboard {
        const TOP: u128 = RANK_A << 8;
        let free = (TOP - self.0) & TOP;
        Bitboard((free << 1) - (free >> 8))
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard(self.0 ^ BOARD)
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

/// The squares of a set, lowest first.
pub struct Squares(u128);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square(self.0.trailing_zeros() as u8);
        self.0 &= self.0.wrapping_sub(1);
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_files_are_those_without_a_pawn() {
        let pawns = Bitboard::of(Square::new(0, 8))
            | Bitboard::of(Square::new(4, 0))
            | Bitboard::of(Square::new(8, 3));
        for square in Square::all() {
            assert_eq!(pawns.free_files().has(square), ![0, 4, 8].contains(&square.file()), "{square}");
        }
        assert_eq!(Bitboard::EMPTY.free_files(), Bitboard::ALL);
    }

    #[test]
    fn halves_agree_with_the_whole() {
        for square in Square::all() {
            assert_eq!(Bitboard::of_halves(square), Bitboard(1 << square.0));
        }
    }

    #[test]
    fn steps_ahead_do_not_leave_the_file() {
        for side in [Side::First, Side::Second] {
            for square in Square::all() {
                let ahead = Bitboard::of(square).ahead(side);
                let seen = square.seen_by(side);
                if seen.rank() == 0 {
                    assert!(ahead.is_empty());
                } else {
                    assert_eq!(ahead.first().seen_by(side), Square::new(seen.file(), seen.rank() - 1));
                }
            }
        }
    }
}
