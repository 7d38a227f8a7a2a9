//! Reversi, as engines of Othello speak GTP: rows are counted from the top, Black moves first.

use crate::protocol::ProtocolCommand;
use crate::protocol::gtp::board::Board;
use crate::protocol::record::{self, GameHistory};
use kaeshi_core::game::{GameError, GameOutcome, GameView, PASS, Side};
use kaeshi_reversi::Reversi;

/// The game of Reversi.
#[derive(Default)]
pub struct Othello(GameHistory);

impl Board for Othello {
    fn game(&self) -> &'static str {
        record::GAME
    }

    fn title(&self) -> &'static str {
        "Othello"
    }

    fn answer(&mut self, _name: &str, _arguments: &[&str]) -> Result<String, GameError> {
        Err(GameError::command("unknown command"))
    }

    fn resize(&mut self, size: &str) -> Result<(), GameError> {
        match size {
            "8" => {
                self.clear();
                Ok(())
            }
            _ => Err(GameError::unsupported("unacceptable size")),
        }
    }

    fn clear(&mut self) {
        self.0 = GameHistory::default();
    }

    fn komi(&mut self, _komi: f64) -> Result<(), GameError> {
        Ok(())
    }

    fn side(&self, black: bool) -> Side {
        if black { Side::First } else { Side::Second }
    }

    fn play(&mut self, side: Side, text: &str) -> Result<(), GameError> {
        self.0.play(Some(side), text).map_err(|_| GameError::turn("illegal move"))
    }

    fn play_own(&mut self, turn: &str) -> Result<(), GameError> {
        self.0.play(None, turn)
    }

    fn give_turn_to(&mut self, side: Side) -> Result<(), GameError> {
        self.0.give_turn_to(side)
    }

    fn must_pass(&self) -> bool {
        self.0.must_pass()
    }

    fn undo(&mut self) -> bool {
        self.0.undo()
    }

    fn outcome(&self) -> Option<GameOutcome> {
        self.0.outcome()
    }

    fn margin(&self) -> Option<i32> {
        self.0.outcome().map(|outcome| outcome.margin)
    }

    fn diagram(&self) -> String {
        Reversi::default().diagram(self.0.now())
    }

    fn set_position(&self) -> ProtocolCommand {
        record::set_position(self.0.now())
    }

    fn spell(&self, turn: &str) -> String {
        if turn == PASS { turn.to_owned() } else { turn.to_ascii_uppercase() }
    }
}
