//! The Reversi game that a front end keeps for protocols which send it move by move.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::protocol::Command;
use kaeshi_core::game::{Game, Outcome, Rejected, Side};
use kaeshi_reversi::Reversi;
use kaeshi_reversi::rules::position::{Position, Turn};

/// The game of these protocols.
pub const GAME: &str = Reversi::NAME;

/// A game from its start to now; never empty.
#[derive(Clone, Debug)]
pub struct Record {
    past: Vec<Position>,
    now: Position,
}

impl Default for Record {
    fn default() -> Self {
        Record::from(Position::START)
    }
}

impl From<Position> for Record {
    fn from(now: Position) -> Self {
        Record { past: Vec::new(), now }
    }
}

impl Record {
    /// The position that was reached.
    pub fn now(&self) -> &Position {
        &self.now
    }

    /// All positions, the first one first.
    pub fn positions(&self) -> impl Iterator<Item = &Position> {
        self.past.iter().chain([&self.now])
    }

    /// How the game ended, if it is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.now.outcome()
    }

    /// Whether the side to move has no square to play.
    pub fn must_pass(&self) -> bool {
        self.now.turns() == [Turn::Pass]
    }

    /// Plays a turn. If `side` is given and not to move, the other side passes first, should it
    /// have to: many senders do not mention passes.
    pub fn play(&mut self, side: Option<Side>, text: &str) -> Result<(), Rejected> {
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
    pub fn give_turn_to(&mut self, side: Side) -> Result<(), Rejected> {
        if self.now.side == side {
            return Ok(());
        }
        if !self.must_pass() {
            return Err(Rejected::new("it is the other side's turn"));
        }
        self.push(Turn::Pass);
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

    fn push(&mut self, turn: Turn) {
        self.past.push(self.now);
        self.now.play(turn);
    }
}

/// The command that makes `position` the engine's.
pub fn set_position(position: &Position) -> Command {
    Command::Position { text: Reversi::default().format_position(position), turns: Vec::new() }
}
