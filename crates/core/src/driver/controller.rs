//! What a protocol needs of any game.

use crate::driver::clock::Limits;
use crate::game::GameError;
use crate::game::interrupt::Interrupt;
use crate::game::options::OptionLine;
use crate::time::Instant;

/// What UGI's `query` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Is the game over?
    GameOver,
    /// Is the first side to move?
    FirstToMove,
    /// Who won?
    Result,
}

/// What a debug word asks to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// The board.
    Board,
    /// The terms of the evaluation.
    Evaluation,
    /// The legal turns.
    Turns,
    /// Whose turn it is.
    Side,
    /// The number of turn sequences of this length.
    Perft(u32),
    /// The fixed search that measures and identifies a build.
    Bench,
}

/// What a protocol needs of any game. Object safe: protocols are not generic. Everything that is
/// to be reported, refusals excepted, goes out as an [`Event`](crate::driver::event::EngineEvent), in order.
pub trait Controller: Send {
    /// Name of the game.
    fn game(&self) -> &'static str;
    /// Every option of engine and game.
    fn options(&self) -> Vec<OptionLine>;
    /// Sets an option; takes effect at the next `ready`, `set_position` or `go`.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError>;
    /// Finishes what is slow (weights, table memory) and reports [`Event::Ready`](crate::driver::event::EngineEvent::Ready). May block.
    fn ready(&mut self);
    /// Does what [`Controller::ready`] does, but reports nothing, before a clock runs; for protocols
    /// without a word for it. May block.
    fn prepare(&mut self) {}
    /// `interrupt` will be raised while a command waits that must not: what blocks then ends early.
    fn set_interrupt(&mut self, _interrupt: Interrupt) {}
    /// Forgets everything learned. Blocks until a running search has stopped.
    fn new_game(&mut self);
    /// Sets the position. If anything is wrong, the former one stays to be shown, but `go` does not
    /// search it. Never blocks.
    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), GameError>;
    /// A position may have been lost for this reason: `go` does not search the former one. Never blocks.
    fn refuse_position(&mut self, reason: GameError);
    /// The last position was refused for this reason, in the words of the other side. Never blocks.
    fn reword_refusal(&mut self, _reason: GameError) {}
    /// Starts a search, which will be answered whatever happens; a running one is stopped and
    /// answered first.
    fn go(&mut self, limits: Limits);
    /// The opponent played the expected turn: the clock runs now. Never blocks.
    fn ponder_hit(&mut self, limits: Option<Limits>);
    /// Ends the search, if there is one, and lets it answer. Never blocks.
    fn stop(&mut self);
    /// The game is over: ends a search as [`Controller::stop`] does. What the game taught is
    /// forgotten at the next `ready`, when no clock runs.
    fn game_over(&mut self) {
        self.stop();
    }
    /// Blocks until every answer is out; an endless search is stopped.
    fn wait(&mut self);
    /// Searches on for some tens of milliseconds, where the engine has no threads; whether the search goes on.
    /// Other commands are served between two calls.
    fn search_on(&mut self) -> bool {
        false
    }
    /// When [`Controller::wake`] is wanted next.
    fn wake_at(&self) -> Option<Instant> {
        None
    }
    /// Looks after a search that should have answered. Never blocks.
    fn wake(&mut self) {}
    /// Why a `go` was not searched properly, though answered, if that has happened: there was too little memory,
    /// or the search panicked.
    fn failure(&self) -> Option<GameError> {
        None
    }
    /// Answers a question about the position.
    fn query(&mut self, query: Query);
    /// Shows something for people. May block.
    fn show(&mut self, show: Show);
}
