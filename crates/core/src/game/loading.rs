//! A game with its options: weights, books and rules that users choose.

use crate::game::GameError;
use crate::game::options::OptionSpec;

/// A game that is loaded with options.
pub trait GameOptions: Sized {
    /// The settings of this game's options.
    type Settings: Clone + Default + Send + Sync;

    /// The options that only this game has.
    fn options() -> Vec<OptionSpec<Self::Settings>>;
    /// For an option of other engines of this game, the option or behaviour that replaces it: one sentence without a
    /// full stop.
    fn instead_of_option(_name: &str) -> Option<&'static str> {
        None
    }
    /// The game as `settings` want it; loads weights and books. Cheap with default settings.
    fn load(settings: &Self::Settings) -> Result<Self, GameError>;
}
