//! An entry of the shared transposition table.

use crate::rules::board::ReversiBoard;
use kaeshi_core::driver::table::Payload;
use kaeshi_core::product::halves_of_product;

/// No move.
pub const NO_MOVE: u8 = 64;
/// The highest level of: nothing is pruned without proof.
pub const EXACT: u8 = 5;

/// Bounds of a value found by a search of some depth and selectivity, with the two best moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReversiTtEntry {
    /// The value is at least this many discs.
    pub lower: i8,
    /// The value is at most this many discs.
    pub upper: i8,
    /// Depth of the search in plies; the number of empty squares for a search to the end.
    pub depth: u8,
    /// Selectivity, 0 to [`EXACT`].
    pub level: u8,
    /// The latest best move and the one before, [`NO_MOVE`] for none.
    pub moves: [u8; 2],
}

impl ReversiTtEntry {
    /// The entry after a search of `depth` at `level` gave `score` within the window; bounds of `old` from a search of
    /// the same depth and level stay.
    #[inline]
    pub fn updated(
        old: Option<ReversiTtEntry>,
        (depth, level): (u8, u8),
        (alpha, beta): (i32, i32),
        score: i32,
        best: u8,
    ) -> ReversiTtEntry {
        let moves = old.map_or([NO_MOVE; 2], |entry| entry.moves);
        let same = old.filter(|entry| entry.depth == depth && entry.level == level);
        let (mut lower, mut upper) = same.map_or((-64, 64), |entry| (entry.lower, entry.upper));
        if score < beta && score < i32::from(upper) {
            upper = score as i8;
        }
        if score > alpha && score > i32::from(lower) {
            lower = score as i8;
        }
        let moves = if best == NO_MOVE || moves[0] == best || score <= alpha && moves[0] != NO_MOVE {
            moves
        } else {
            [best, moves[0]]
        };
        ReversiTtEntry { lower, upper, depth, level, moves }
    }

    /// The value that settles the null window above `alpha`, if a bound does.
    #[inline]
    pub fn settles(&self, alpha: i32) -> Option<i32> {
        if i32::from(self.lower) > alpha {
            Some(i32::from(self.lower))
        } else if i32::from(self.upper) <= alpha {
            Some(i32::from(self.upper))
        } else {
            None
        }
    }

    /// Whether the entry stands for a search at least as deep and as sure.
    #[inline]
    pub fn covers(&self, depth: u8, level: u8) -> bool {
        self.depth >= depth && self.level >= level
    }
}

impl Payload for ReversiTtEntry {
    #[inline(always)]
    fn pack(self) -> u64 {
        u64::from(self.lower.wrapping_add(64) as u8)
            | u64::from(self.upper.wrapping_add(64) as u8) << 8
            | u64::from(self.depth) << 16
            | u64::from(self.level) << 22
            | u64::from(self.moves[0]) << 25
            | u64::from(self.moves[1]) << 32
            | 1 << 39
    }

    #[inline(always)]
    fn unpack(bits: u64) -> ReversiTtEntry {
        ReversiTtEntry {
            lower: (bits as u8).wrapping_sub(64) as i8,
            upper: ((bits >> 8) as u8).wrapping_sub(64) as i8,
            depth: (bits >> 16) as u8 & 63,
            level: (bits >> 22) as u8 & 7,
            moves: [(bits >> 25) as u8 & 127, (bits >> 32) as u8 & 127],
        }
    }

    #[inline(always)]
    fn over(self, old: ReversiTtEntry, present: bool) -> ReversiTtEntry {
        // A shallow search for move ordering must not replace the result of a deeper search of the present search.
        // Entries of former searches are replaced: where such an entry causes no cutoff, this search would repeat its
        // work again and again without storing it.
        if present && old.depth > self.depth && old.level >= self.level { old } else { self }
    }

    #[inline(always)]
    fn worth(self) -> i32 {
        2 * i32::from(self.depth) + i32::from(self.level)
    }
}

/// The key of a board: the folded 128-bit product of both halves (as in wyhash), mixed once more.
#[inline(always)]
pub fn key(board: ReversiBoard) -> u64 {
    let fold = |a: u64, b: u64| {
        let [low, high] = halves_of_product(a, b);
        low ^ high
    };
    let mixed = fold(board.me ^ 0xa076_1d64_78bd_642f, board.opponent ^ 0xe703_7ed1_a0b4_28db);
    fold(mixed ^ board.me.rotate_left(32), 0x9e37_79b9_7f4a_7c15) ^ board.opponent
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::driver::table::TranspositionTable;
    use kaeshi_core::game::SearchMemory as _;

    #[test]
    fn entries_survive_packing() {
        for (lower, upper) in [(-64, 64), (0, 0), (64, 64), (-64, -64), (-3, 17)] {
            for (depth, level, moves) in [(0, 0, [64, 64]), (60, 5, [0, 63]), (31, 3, [17, 64])] {
                let entry = ReversiTtEntry { lower, upper, depth, level, moves };
                assert_eq!(ReversiTtEntry::unpack(entry.pack()), entry);
                assert!(entry.pack() != 0 && entry.pack() >> 58 == 0);
            }
        }
    }

    #[test]
    fn bounds_of_the_same_search_narrow_and_others_are_forgotten() {
        let low = ReversiTtEntry::updated(None, (12, 5), (3, 4), 6, 10);
        assert_eq!((low.lower, low.upper, low.moves), (6, 64, [10, NO_MOVE]));
        let both = ReversiTtEntry::updated(Some(low), (12, 5), (7, 8), 6, 11);
        assert_eq!((both.lower, both.upper, both.moves), (6, 6, [10, NO_MOVE]));
        let deeper = ReversiTtEntry::updated(Some(both), (13, 5), (0, 1), 2, 20);
        assert_eq!((deeper.lower, deeper.upper, deeper.moves), (2, 64, [20, 10]));
    }

    #[test]
    fn deeper_entries_stay_within_a_search_and_give_way_to_the_next() {
        let table: TranspositionTable<ReversiTtEntry> =
            TranspositionTable::with_bytes(64).expect("one cluster");
        let found = |depth| ReversiTtEntry::updated(None, (depth, 5), (0, 1), 2, 20);
        table.store(7, found(12));
        table.store(7, found(4));
        assert_eq!(table.probe(7), Some(found(12)));
        table.age();
        table.store(7, found(4));
        assert_eq!(table.probe(7), Some(found(4)));
    }
}
