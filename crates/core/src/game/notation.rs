//! Positions and turns as protocols and files write them.

use crate::game::rules::GameRules;
use crate::game::{GameError, PASS, Side};

/// Positions and turns of a game as protocols and files write them.
pub trait GameNotation: GameRules {
    /// Reads what stands between `position` and ` moves`: `startpos`, `sfen …`, `fen …`, or the
    /// bare text of the game without such a word.
    fn parse_position(&self, text: &str) -> Result<Self::Position, GameError>;
    /// The canonical text of a position, without the leading `sfen` or `fen`; history is lost.
    fn format_position(&self, position: &Self::Position) -> String;
    /// Reads one turn; an illegal one is an error that says why.
    fn parse_turn(&self, position: &Self::Position, text: &str) -> Result<Self::Turn, GameError>;
    /// Whether `text` is written as a turn on this board, legal or not.
    fn is_turn(&self, position: &Self::Position, text: &str) -> bool {
        self.parse_turn(position, text).is_ok()
    }
    /// The side that has lost by its last move, where [`GameNotation::parse_position`] refuses `text` for nothing else
    /// (shogi: it left its king in check).
    fn loser_of_refused(&self, _text: &str) -> Option<Side> {
        None
    }
    /// The protocol's text of a turn.
    fn format_turn(&self, position: &Self::Position, turn: &Self::Turn) -> String;
    /// Whether the turn is a pass.
    fn is_pass(&self, position: &Self::Position, turn: &Self::Turn) -> bool {
        self.format_turn(position, turn) == PASS
    }
}
