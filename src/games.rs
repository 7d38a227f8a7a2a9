//! The three games by name: the one place that lists them all.

use clap::ValueEnum;
use crossbeam_channel::Sender;

use crate::engine::event::Event;
use crate::engine::{Controller, Engine};
use crate::game::facts::Facts;
use crate::game::{Game, Rejected};
use crate::reversi::Reversi;
use crate::shogi::Shogi;
use crate::store;
use crate::sygo::Sygo;

/// A game that Kaeshi plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum GameName {
    /// 9x9, promotions and drops.
    Shogi,
    /// 8x8, discs turn over.
    Reversi,
    /// 3x3 to 19x19, captured groups change colour.
    Sygo,
}

impl GameName {
    /// All of them.
    pub const ALL: [GameName; 3] = [GameName::Shogi, GameName::Reversi, GameName::Sygo];

    /// Their names.
    pub const NAMES: &'static [&'static str] = &[Shogi::NAME, Reversi::NAME, Sygo::NAME];

    /// The game called `name`, letter case ignored.
    pub fn parse(name: &str) -> Option<GameName> {
        GameName::ALL.into_iter().find(|game| game.name().eq_ignore_ascii_case(name))
    }

    /// As protocols and files write it.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Names, units, sizes and handicaps.
    pub fn facts(self) -> &'static Facts {
        match self {
            GameName::Shogi => Shogi::FACTS,
            GameName::Reversi => Reversi::FACTS,
            GameName::Sygo => Sygo::FACTS,
        }
    }

    /// The facts of the game called `name`, letter case ignored.
    pub fn facts_of(name: &str) -> Option<&'static Facts> {
        GameName::parse(name).map(GameName::facts)
    }

    /// Does `visitor`'s work with the game's own type.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self {
            GameName::Shogi => visitor.visit::<Shogi>(),
            GameName::Reversi => visitor.visit::<Reversi>(),
            GameName::Sygo => visitor.visit::<Sygo>(),
        }
    }

    /// An engine for the game that reports everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn engine(self, events: Sender<Event>) -> Result<Box<dyn Controller>, Rejected> {
        self.visit(NewEngine(events))
    }
}

/// Work that is the same for every game.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// The work, with the type of the game.
    fn visit<G: Game>(self) -> Self::Output;
}

struct NewEngine(Sender<Event>);

impl Visitor for NewEngine {
    type Output = Result<Box<dyn Controller>, Rejected>;

    fn visit<G: Game>(self) -> Self::Output {
        Ok(Box::new(Engine::<G>::new(self.0)?.with_results(store::reader::open)))
    }
}
