//! The small tables of one thread for the last squares: whole boards, one entry a slot.

use crate::rules::board::ReversiBoard;
use crate::search::table::NO_MOVE;
use kaeshi_core::driver::pages::prefetch;
use kaeshi_core::game::GameError;

/// An entry of a thread's private table. It is identified by a key of 64 bits, as in the shared table, not by the board
/// of 128 bits, so that four entries share a cache line; a wrong hit occurs once in 2^64 probes.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct LocalEntry {
    key: u64,
    /// The result is at least this.
    pub lower: i8,
    /// The result is at most this.
    pub upper: i8,
    /// The best move, or [`NO_MOVE`].
    pub best: u8,
}

impl LocalEntry {
    /// The value that settles the null window above `alpha`, if a bound does.
    #[inline(always)]
    pub fn settles(self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower > alpha { Some(lower) } else { (upper <= alpha).then_some(upper) }
    }
}

/// A slot in which nothing was stored.
const EMPTY: LocalEntry = LocalEntry { key: 0, lower: -64, upper: 64, best: NO_MOVE };

/// Exact bounds of positions seen lately.
#[derive(Debug)]
pub struct Local {
    slots: Box<[LocalEntry]>,
}

/// The key of a board: two multiplications mix it well enough.
#[inline(always)]
fn key(board: ReversiBoard) -> u64 {
    board.me.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        ^ board.opponent.wrapping_mul(0xe703_7ed1_a0b4_28db)
}

impl Local {
    /// An empty table of `slots` slots, a power of two.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(slots: usize) -> Result<Local, GameError> {
        assert!(slots.is_power_of_two(), "{slots} is no power of two");
        let mut table = Vec::new();
        let granted = table.try_reserve_exact(slots);
        granted.map_err(|_| GameError::resources("no memory for the endgame table of a search thread"))?;
        table.resize(slots, EMPTY);
        Ok(Local { slots: table.into() })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// The slot of a key.
    #[inline(always)]
    fn slot(&self, key: u64) -> usize {
        (key ^ key >> 32) as usize & (self.slots.len() - 1)
    }

    /// Lets the processor fetch the slot of `board`.
    #[inline(always)]
    pub fn prefetch(&self, board: ReversiBoard) {
        prefetch(&self.slots[self.slot(key(board))]);
    }

    /// The entry of `board`.
    #[inline(always)]
    pub fn probe(&self, board: ReversiBoard) -> Option<LocalEntry> {
        let key = key(board);
        let known = self.slots[self.slot(key)];
        (known.key == key).then_some(known)
    }

    /// Remembers the result of a null window search.
    #[inline(always)]
    pub fn store(&mut self, board: ReversiBoard, alpha: i32, score: i32, best: u8) {
        let key = key(board);
        let at = self.slot(key);
        let slot = &mut self.slots[at];
        if slot.key != key {
            *slot = LocalEntry { key, lower: -64, upper: 64, best };
        }
        if score > alpha {
            slot.lower = slot.lower.max(score as i8);
            slot.best = best;
        } else {
            slot.upper = slot.upper.min(score as i8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_a_board_narrow_until_another_takes_its_slot() {
        let (one, other) = (ReversiBoard { me: 1, opponent: 2 }, ReversiBoard { me: 4, opponent: 8 });
        let mut local = Local::new(1).expect("a slot");
        assert!(local.probe(one).is_none());
        local.store(one, 3, 6, 10);
        local.store(one, 7, 6, 11);
        let known = local.probe(one).expect("just stored");
        assert_eq!((known.lower, known.upper, known.best), (6, 6, 10));
        assert_eq!((known.settles(5), known.settles(6)), (Some(6), Some(6)));
        local.store(other, 0, -2, NO_MOVE);
        let known = local.probe(other).expect("just stored");
        assert!(local.probe(one).is_none());
        assert_eq!((known.settles(-3), known.settles(-2)), (None, Some(-2)));
    }
}
