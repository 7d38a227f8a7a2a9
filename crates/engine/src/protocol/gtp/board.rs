//! The functions of a game that GTP needs.

use crate::protocol::ProtocolCommand;
use crate::protocol::command_info::ProtocolCommandInfo;
use kaeshi_core::game::{GameError, GameOutcome, Side};

/// A game that a controller sends turn by turn.
pub trait Board: Send {
    /// The game, as Kaeshi calls it.
    fn game(&self) -> &'static str;
    /// Its name in `list_games`.
    fn title(&self) -> &'static str;
    /// Commands that only this game has.
    fn commands(&self) -> &'static [ProtocolCommandInfo] {
        &[]
    }
    /// The answer to one of [`Board::commands`].
    ///
    /// # Errors
    /// If the arguments are not understood.
    fn answer(&mut self, name: &str, arguments: &[&str]) -> Result<String, GameError>;
    /// Begins a game on a board of this size.
    ///
    /// # Errors
    /// If there is no such board.
    fn resize(&mut self, size: &str) -> Result<(), GameError>;
    /// Begins a game on a board of the same size.
    fn clear(&mut self);
    /// Takes note of the komi.
    ///
    /// # Errors
    /// If the rules of the game have none of this value.
    fn komi(&mut self, komi: f64) -> Result<(), GameError>;
    /// The side that plays this colour.
    fn side(&self, black: bool) -> Side;
    /// Plays a turn of this side, spelled as GTP has it.
    ///
    /// # Errors
    /// Why that is illegal.
    fn play(&mut self, side: Side, text: &str) -> Result<(), GameError>;
    /// Plays a turn of the side to move, in the notation of the game.
    ///
    /// # Errors
    /// Why that is illegal.
    fn play_own(&mut self, turn: &str) -> Result<(), GameError>;
    /// Lets `side` be the one to move, where the rules leave the other side nothing but a pass.
    ///
    /// # Errors
    /// If it is the other side's turn.
    fn give_turn_to(&mut self, side: Side) -> Result<(), GameError>;
    /// Whether the side to move has nothing but a pass.
    fn must_pass(&self) -> bool;
    /// Takes the last turn back, if there is one.
    fn undo(&mut self) -> bool;
    /// How the game ended, if it is over.
    fn outcome(&self) -> Option<GameOutcome>;
    /// Margin of the first side by the rules of counting; `None` if that is not known yet.
    fn margin(&self) -> Option<i32>;
    /// The board as text for people.
    fn diagram(&self) -> String;
    /// The command that makes the position the engine's.
    fn set_position(&self) -> ProtocolCommand;
    /// A turn as GTP spells it.
    fn spell(&self, turn: &str) -> String;
}
