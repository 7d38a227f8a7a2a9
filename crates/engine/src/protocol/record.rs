//! The Reversi game that a front end keeps for protocols which send it move by move.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::protocol::ProtocolCommand;
use kaeshi_core::game::{Game, GameError, GameNotation, GameOutcome, Side};
use kaeshi_reversi::Reversi;
use kaeshi_reversi::rules::position::{ReversiPosition, ReversiTurn};

/// The game of these protocols.
pub const GAME: &str = Reversi::NAME;

/// A game from its start to now; never empty.
#[derive(Clone, Debug)]
pub struct GameHistory {
    past: Vec<ReversiPosition>,
    now: ReversiPosition,
}

impl Default for GameHistory {
    fn default() -> Self {
        GameHistory::from(ReversiPosition::START)
    }
}

impl From<ReversiPosition> for GameHistory {
    fn from(now: ReversiPosition) -> Self {
        GameHistory { past: Vec::new(), now }
    }
}

impl GameHistory {
    /// The position that was reached.
    pub fn now(&self) -> &ReversiPosition {
        &self.now
    }

    /// All positions, the first one first.
    pub fn positions(&self) -> impl Iterator<Item = &ReversiPosition> {
        self.past.iter().chain([&self.now])
    }

    /// How the game ended, if it is over.
    pub fn outcome(&self) -> Option<GameOutcome> {
        self.now.outcome()
    }

    /// Whether the side to move has no square to play.
    pub fn must_pass(&self) -> bool {
        self.now.turns() == [ReversiTurn::Pass]
    }

    /// Plays a turn. If `side` is given and not to move, the other side passes first, should it
    /// have to: many senders do not mention passes.
    pub fn play(&mut self, side: Option<Side>, text: &str) -> Result<(), GameError> {
        let before = self.past.len();
        if let Some(side) = side {
            self.give_turn_to(side)?;
        }
        match Reversi::default().parse_turn(&self.now, text) {
            Ok(turn) => {
                self.push(turn);
                Ok(())
            }
            Err(reason) => {
                if self.past.len() > before {
                    self.undo();
                }
                Err(reason)
            }
        }
    }

    /// Lets the other side pass if `side` is not to move; an error if it could move.
    pub fn give_turn_to(&mut self, side: Side) -> Result<(), GameError> {
        if self.now.side == side {
            return Ok(());
        }
        if !self.must_pass() {
            return Err(GameError::turn("it is the other side's turn"));
        }
        self.push(ReversiTurn::Pass);
        Ok(())
    }

    /// Takes the last turn back, if there is one.
    pub fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some(before) => {
                self.now = before;
                true
            }
            None => false,
        }
    }

    fn push(&mut self, turn: ReversiTurn) {
        self.past.push(self.now);
        self.now.play(turn);
    }
}

/// The command that makes `position` the engine's.
pub fn set_position(position: &ReversiPosition) -> ProtocolCommand {
    ProtocolCommand::Position { text: Reversi::default().format_position(position), turns: Vec::new() }
}
