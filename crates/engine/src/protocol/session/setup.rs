//! The initial state of a session.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crossbeam_channel::Sender;

use crate::protocol::Dialect;
use crate::protocol::words::abbreviated;
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::game::GameError;

/// Makes the engine of a game by the game's name; `None` for a game it does not know. The engine
/// sends everything through the sender.
pub type Factory =
    Box<dyn Fn(&str, Sender<EngineEvent>) -> Option<Result<Box<dyn Controller>, GameError>> + Send>;

/// The initial state of a session.
pub struct SessionSetup {
    /// Makes the engines.
    pub factory: Factory,
    /// The games that the factory knows.
    pub games: &'static [&'static str],
    /// The game that is played unless the other side asks for another one.
    pub game: String,
    /// Whether a person chose that game: then a protocol that has no words for it does not change it.
    pub game_is_chosen: bool,
    /// Other defaults for options, printed as such. Invalid ones only cause a remark.
    pub defaults: Vec<(String, String)>,
    /// Options to set at once, in this order.
    pub options: Vec<(String, String)>,
    /// The dialect that is in use before the other side names one.
    pub dialect: Dialect,
}

/// Makes the engine of a game.
///
/// # Errors
/// The factory does not know the game, or it cannot be loaded.
pub(super) fn make(
    factory: &Factory,
    games: &[&str],
    game: &str,
    events: &Sender<EngineEvent>,
) -> Result<Box<dyn Controller>, GameError> {
    factory(game, events.clone()).unwrap_or_else(|| {
        let game = abbreviated(game);
        Err(GameError::option(format!("option Game: '{game}' is not one of: {}", games.join(" "))))
    })
}
