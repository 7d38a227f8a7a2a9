//! A game with its options: weights, books and rules that users choose.

use crate::game::GameError;
use crate::game::options::OptionSpec;

/// A game that is loaded with options.
pub trait GameOptions: Sized {
    /// What the options of this game set.
    type Settings: Clone + Default + Send + Sync;

    /// The options that only this game has.
    fn options() -> Vec<OptionSpec<Self::Settings>>;
    /// What there is instead of an option that other engines of the game have: one sentence without a full stop.
    fn instead_of_option(_name: &str) -> Option<&'static str> {
        None
    }
    /// The game as `settings` want it; loads weights and books. Cheap with default settings.
    fn load(settings: &Self::Settings) -> Result<Self, GameError>;
}
