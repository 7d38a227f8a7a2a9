//! A board with the side to move.

use crate::rules::board::{ReversiBoard, squares};
use kaeshi_core::game::{GameOutcome, Side, TerminalCause};

/// A Reversi position. The rules do not depend on its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReversiPosition {
    /// The discs, seen by the side to move.
    pub board: ReversiBoard,
    /// The side to move; Black is the first side.
    pub side: Side,
}

/// One turn: a disc on a square, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReversiTurn {
    /// A disc on this square (0..64, a1 is 0, b1 is 1).
    Place(u8),
    /// No disc; legal only when there is nowhere to place one.
    Pass,
}

impl ReversiPosition {
    /// The usual start position.
    pub const START: ReversiPosition = ReversiPosition { board: ReversiBoard::START, side: Side::First };

    /// Discs of Black and of White.
    pub fn discs(&self) -> [u64; 2] {
        match self.side {
            Side::First => [self.board.me, self.board.opponent],
            Side::Second => [self.board.opponent, self.board.me],
        }
    }

    /// All legal turns, squares in ascending order; none when the game is over.
    pub fn turns(&self) -> Vec<ReversiTurn> {
        let moves = self.board.moves();
        if moves == 0 {
            let over = self.board.passed().moves() == 0;
            return if over { Vec::new() } else { vec![ReversiTurn::Pass] };
        }
        squares(moves).map(|square| ReversiTurn::Place(square as u8)).collect()
    }

    /// Whether `turn` is legal.
    pub fn is_legal(&self, turn: ReversiTurn) -> bool {
        match turn {
            ReversiTurn::Place(square) => {
                let free = self.board.empty() >> (square & 63) & 1 == 1;
                square < 64 && free && self.board.flips(usize::from(square)) != 0
            }
            ReversiTurn::Pass => self.board.moves() == 0 && self.board.passed().moves() != 0,
        }
    }

    /// Plays a legal turn.
    pub fn play(&mut self, turn: ReversiTurn) {
        debug_assert!(self.is_legal(turn), "{turn:?} is not legal");
        self.board = match turn {
            ReversiTurn::Place(square) => {
                let square = usize::from(square & 63);
                self.board.after(square, self.board.flips(square))
            }
            ReversiTurn::Pass => self.board.passed(),
        };
        self.side = self.side.other();
    }

    /// How the game ended, if neither side can move. The margin is that of the World Othello Federation:
    /// squares that stay empty count for the winner.
    pub fn outcome(&self) -> Option<GameOutcome> {
        if !self.board.is_over() {
            return None;
        }
        let [me, opponent] = self.discs();
        let margin = ReversiBoard { me, opponent }.final_score();
        Some(GameOutcome::by_margin(margin, TerminalCause::NoMoves))
    }
}
