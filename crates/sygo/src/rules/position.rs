//! A position: the board, who is to move, and the two things the board does not show.

use crate::rules::board::{Colour, SygoBoard, zobrist};
use crate::rules::points::GRID;
use crate::rules::size::BoardSize;
use crate::rules::turn::{SygoTurn, TurnKind};
use kaeshi_core::game::{GameOutcome, TerminalCause};

/// A position between two turns.
#[derive(Clone, Debug)]
pub struct SygoPosition {
    /// Stones and groups.
    pub board: SygoBoard,
    /// The side to move.
    pub side: Colour,
    /// Whether a side has grown; until then Black has the balance right.
    pub grown: bool,
    /// Passes just made in succession; with two the game is over.
    pub passes: u8,
    /// Number of the turn to be played, from 1.
    pub number: u32,
}

/// The state that [`SygoPosition::undo`] restores.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    stones: usize,
    grown: bool,
    passes: u8,
}

impl SygoPosition {
    /// An empty board of this size, White to move.
    pub fn new(size: impl Into<BoardSize>) -> SygoPosition {
        SygoPosition { board: SygoBoard::new(size), side: Colour::White, grown: false, passes: 0, number: 1 }
    }

    /// Plays a legal turn; [`SygoPosition::undo`] takes it back.
    pub fn apply(&mut self, turn: &SygoTurn) -> Undo {
        let undo = Undo { stones: turn.stones().count(), grown: self.grown, passes: self.passes };
        for point in turn.stones() {
            self.board.put(point, self.side);
        }
        self.finish(turn.kind());
        undo
    }

    /// Plays a legal turn that will not be taken back.
    pub fn play(&mut self, turn: &SygoTurn) {
        self.board.forget_history();
        for point in turn.stones() {
            self.board.put_for_good(point, self.side);
        }
        self.finish(turn.kind());
    }

    /// Takes the last turn back.
    pub fn undo(&mut self, undo: Undo) {
        for _ in 0..undo.stones {
            self.board.take_back();
        }
        self.side = self.side.other();
        self.grown = undo.grown;
        self.passes = undo.passes;
        self.number -= 1;
    }

    /// Updates the state beside the board after a turn of this kind.
    pub fn finish(&mut self, kind: TurnKind) {
        self.side = self.side.other();
        self.grown |= matches!(kind, TurnKind::Growth | TurnKind::Balance);
        self.passes = if kind == TurnKind::Pass { self.passes + 1 } else { 0 };
        self.number += 1;
    }

    /// Whether two passes in succession ended the game.
    pub fn is_over(&self) -> bool {
        self.passes >= 2
    }

    /// The outcome by the count of points, if the game is over.
    pub fn outcome(&self) -> Option<GameOutcome> {
        self.is_over().then(|| GameOutcome::by_margin(super::margin(&self.board), TerminalCause::TwoPasses))
    }

    /// Whether the mover may add a placement to a growth.
    pub fn has_balance_right(&self) -> bool {
        self.side == Colour::Black && !self.grown
    }

    /// Zobrist key of stones, size, side, balance right and passes.
    #[inline]
    pub fn key(&self) -> u64 {
        const EXTRA: usize = 2 * GRID + 32;
        const SIDE: u64 = zobrist(EXTRA);
        const GROWN: u64 = zobrist(EXTRA + 1);
        const PASSES: [u64; 3] = [0, zobrist(EXTRA + 2), zobrist(EXTRA + 3)];
        let mut key = self.board.key() ^ PASSES[usize::from(self.passes)];
        if self.side == Colour::Black {
            key ^= SIDE;
        }
        if self.grown {
            key ^= GROWN;
        }
        key
    }
}
