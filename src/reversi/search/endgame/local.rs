//! The small tables of one thread for the last squares: whole boards, one entry a slot.

use crate::reversi::rules::board::Board;
use crate::reversi::search::table::NO_MOVE;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    board: Board,
    /// The result is at least this.
    pub lower: i8,
    /// The result is at most this.
    pub upper: i8,
    /// The best move, or [`NO_MOVE`].
    pub best: u8,
}

impl Known {
    /// The value that settles the null window above `alpha`, if a bound does.
    #[inline(always)]
    pub fn settles(self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower > alpha { Some(lower) } else { (upper <= alpha).then_some(upper) }
    }
}

/// Exact bounds of positions seen lately.
#[derive(Debug)]
pub struct Local {
    slots: Box<[Known]>,
}

/// The slot of a board: two multiplications are mixing enough for a table that compares all bits.
#[inline(always)]
fn slot(board: Board, slots: usize) -> usize {
    let mixed = board.me.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        ^ board.opponent.wrapping_mul(0xe703_7ed1_a0b4_28db);
    (mixed ^ mixed >> 32) as usize & (slots - 1)
}

impl Local {
    /// An empty table of so many slots, a power of two.
    pub fn new(slots: usize) -> Local {
        assert!(slots.is_power_of_two(), "{slots} is no power of two");
        // No game reaches a board on which both sides own every square.
        let board = Board { me: u64::MAX, opponent: u64::MAX };
        Local { slots: vec![Known { board, lower: -64, upper: 64, best: NO_MOVE }; slots].into() }
    }

    /// What is known of `board`.
    #[inline(always)]
    pub fn probe(&self, board: Board) -> Option<Known> {
        let known = self.slots[slot(board, self.slots.len())];
        (known.board == board).then_some(known)
    }

    /// Remembers the result of a null window search.
    #[inline(always)]
    pub fn store(&mut self, board: Board, alpha: i32, score: i32, best: u8) {
        let at = slot(board, self.slots.len());
        let slot = &mut self.slots[at];
        if slot.board != board {
            *slot = Known { board, lower: -64, upper: 64, best };
        }
        if score > alpha {
            slot.lower = slot.lower.max(score as i8);
            slot.best = best;
        } else {
            slot.upper = slot.upper.min(score as i8);
        }
    }
}
