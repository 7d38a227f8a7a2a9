//! The games by name: the one place that lists them all. A further game is an entry here and a folder.

use crossbeam_channel::Sender;

use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::driver::root_cache::{OpenResults, no_results};
use kaeshi_core::driver::{Controller, Engine, options_of};
use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::options::OptionLine;
use kaeshi_core::game::{Game, GameError};
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;

/// One entry for each game: the name of its variant and its type. All that is done game by game is derived from
/// this list.
macro_rules! games {
    ($($(#[doc = $about:literal])* $(#[cfg($when:meta)])? $variant:ident: $game:ty;)*) => {
        /// A game that Kaeshi plays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum GameName {
            $($(#[doc = $about])* $(#[cfg($when)])? $variant,)*
        }

        impl GameName {
            /// All games.
            pub const ALL: [GameName; GameName::NAMES.len()] = [$($(#[cfg($when)])? GameName::$variant,)*];

            /// The names of all games.
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg($when)])? <$game>::NAME,)*];

            /// Does `visitor`'s work with the game's own type.
            pub fn visit<V: GameVisitor>(self, visitor: V) -> V::Output {
                match self {
                    $($(#[cfg($when)])? GameName::$variant => visitor.visit::<$game>(),)*
                }
            }

            /// Names, units, sizes and handicaps.
            pub fn facts(self) -> &'static GameInfo {
                match self {
                    $($(#[cfg($when)])? GameName::$variant => <$game>::FACTS,)*
                }
            }

            /// A description for the help of `--game`.
            #[cfg(feature = "clap")]
            fn about(self) -> &'static str {
                match self {
                    $($(#[cfg($when)])? GameName::$variant => concat!($($about),*),)*
                }
            }
        }
    };
}

games! {
    /// 9x9, promotions and drops.
    Shogi: Shogi;
    /// 8x8, discs turn over.
    Reversi: Reversi;
    /// 3x3 to 19x19, captured groups change colour.
    Sygo: Sygo;
    /// 3x3, three in a row; for tests.
    #[cfg(feature = "tictactoe")]
    TicTacToe: crate::tictactoe::TicTacToe;
}

impl GameName {
    /// The default game.
    pub const USUAL: GameName = GameName::ALL[0];

    /// The game called `name`, letter case ignored.
    pub fn parse(name: &str) -> Option<GameName> {
        GameName::ALL.into_iter().find(|game| game.name().eq_ignore_ascii_case(name))
    }

    /// The name in protocols and files.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The facts of the game called `name`, letter case ignored.
    pub fn facts_of(name: &str) -> Option<&'static GameInfo> {
        GameName::parse(name).map(GameName::facts)
    }

    /// The options of its engine.
    pub fn options(self) -> Vec<OptionLine> {
        self.visit(OptionsOf)
    }

    /// An engine for the game that reports everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn engine(self, events: Sender<EngineEvent>) -> Result<Box<dyn Controller>, GameError> {
        self.engine_with_results(events, no_results)
    }

    /// As [`GameName::engine`]; the option `StoreFile` opens results of earlier searches with `open_results`.
    ///
    /// # Errors
    /// As there.
    pub fn engine_with_results(
        self,
        events: Sender<EngineEvent>,
        open_results: OpenResults,
    ) -> Result<Box<dyn Controller>, GameError> {
        self.visit(NewEngine(events, open_results))
    }

    /// As [`GameName::engine`], without threads: it searches while [`Controller::search_on`] is called.
    ///
    /// # Errors
    /// As there.
    pub fn engine_in_slices(self, events: Sender<EngineEvent>) -> Result<Box<dyn Controller>, GameError> {
        self.visit(NewEngineInSlices(events))
    }
}

#[cfg(feature = "clap")]
impl clap::ValueEnum for GameName {
    fn value_variants<'a>() -> &'a [GameName] {
        &GameName::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()).help(self.about().trim().trim_end_matches('.')))
    }
}

/// Work that is the same for every game.
pub trait GameVisitor {
    /// The result of the work.
    type Output;
    /// The work, with the type of the game.
    fn visit<G: Game>(self) -> Self::Output;
}

struct NewEngine(Sender<EngineEvent>, OpenResults);

impl GameVisitor for NewEngine {
    type Output = Result<Box<dyn Controller>, GameError>;

    fn visit<G: Game>(self) -> Self::Output {
        Ok(Box::new(Engine::<G>::new(self.0)?.with_results(self.1)))
    }
}

struct OptionsOf;

impl GameVisitor for OptionsOf {
    type Output = Vec<OptionLine>;

    fn visit<G: Game>(self) -> Vec<OptionLine> {
        options_of::<G>()
    }
}

struct NewEngineInSlices(Sender<EngineEvent>);

impl GameVisitor for NewEngineInSlices {
    type Output = Result<Box<dyn Controller>, GameError>;

    fn visit<G: Game>(self) -> Self::Output {
        Ok(Box::new(Engine::<G>::new(self.0)?.in_slices()))
    }
}

#[cfg(test)]
mod tests;
