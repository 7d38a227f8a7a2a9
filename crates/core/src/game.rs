//! The traits that a game implements, and the vocabulary that driver, tools and games share.
//!
//! | trait | what it has |
//! |---|---|
//! | [`GameRules`] | positions, turns, results |
//! | [`GameNotation`] | their texts |
//! | [`GameView`] | what people see |
//! | [`GameSearch`], [`Worker`] | static values, the memory of searches, one search thread |
//! | [`GameOptions`] | options, and the game loaded with them |
//! | [`Game`] | all of these, and the constants of the game |
//!
//! The cut lies at *one thread's search of one root*: shogi keeps its mate solver, Reversi its
//! exact solver, Sygo its turns of many stones, and everything around that call - words, clock,
//! threads, iterative deepening, reports - exists once, in [`crate::driver`].

pub mod control;
pub mod draft;
pub mod end_words;
mod error;
pub mod facts;
pub mod interrupt;
pub mod level;
mod loading;
mod memory;
mod notation;
pub mod options;
pub mod picture;
pub mod root_report;
mod rules;
pub mod score;
pub mod search;
pub mod set_up;
mod view;
mod worker;

use serde::{Deserialize, Serialize};

use crate::game::facts::GameInfo;

pub use error::GameError;
pub use loading::GameOptions;
pub use memory::SearchMemory;
pub use notation::GameNotation;
pub use rules::{GameOutcome, GameRules, TerminalCause};
pub use view::GameView;
pub use worker::{BookOrDeclaration, GameSearch, MateAnswer, TimeAllocation, Worker, WorkerShared};

/// How a pass is written, in every game that has one.
pub const PASS: &str = "pass";

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first in the usual start position: Black in shogi and Reversi, White in Sygo.
    First,
    /// Moves second: White in shogi and Reversi, Black in Sygo.
    Second,
}

impl Side {
    /// Both sides, the first one first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A game as driver and tools use it: the sum of its parts. Code that needs only some of them requires only those.
pub trait Game: GameOptions + GameNotation + GameView + GameSearch {
    /// Names, units, sizes and handicaps.
    const FACTS: &'static GameInfo;
    /// `shogi`, `reversi` or `sygo`.
    const NAME: &'static str = Self::FACTS.name;

    /// Positions and depths of `kaeshi bench`: (text for [`GameNotation::parse_position`], depth).
    fn bench() -> &'static [(&'static str, u16)];
}
