//! The small table of one thread for the last squares: whole boards, one entry a slot.

use crate::reversi::board::Board;
use crate::reversi::table::NO_MOVE;

const SLOTS: usize = 1 << 15;

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

/// Exact bounds of positions seen lately.
#[derive(Debug)]
pub struct Local {
    slots: Box<[Known]>,
}

impl Local {
    /// An empty table.
    pub fn new() -> Local {
        // No game reaches a board on which both sides own every square.
        let board = Board { me: u64::MAX, opponent: u64::MAX };
        Local { slots: vec![Known { board, lower: -64, upper: 64, best: NO_MOVE }; SLOTS].into() }
    }

    /// What is known of `board`, whose key is `key`.
    #[inline(always)]
    pub fn probe(&self, key: u64, board: Board) -> Option<Known> {
        let known = self.slots[key as usize % SLOTS];
        (known.board == board).then_some(known)
    }

    /// Remembers the result of a null window search.
    #[inline(always)]
    pub fn store(&mut self, key: u64, board: Board, alpha: i32, score: i32, best: u8) {
        let slot = &mut self.slots[key as usize % SLOTS];
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

impl Default for Local {
    fn default() -> Local {
        Local::new()
    }
}
