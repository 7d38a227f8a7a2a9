//! The interface between protocols and the engine of a game.

use crate::driver::clock::Limits;
use crate::game::GameError;
use crate::game::interrupt::Interrupt;
use crate::game::options::OptionLine;
use crate::time::Instant;

/// The questions of UGI's `query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Is the game over?
    GameOver,
    /// Is the first side to move?
    FirstToMove,
    /// The result of the game.
    Result,
}

/// The content of a debug command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// The board.
    Board,
    /// The terms of the evaluation.
    Evaluation,
    /// The legal turns.
    Turns,
    /// The side to move.
    Side,
    /// The number of turn sequences of this length.
    Perft(u32),
    /// The fixed search that measures and identifies a build.
    Bench,
}

/// The engine of a game as protocols drive it. Object safe: protocols are not generic. All output except
/// refusals is sent as an [`Event`](crate::driver::event::EngineEvent), in order.
pub trait Controller: Send {
    /// Name of the game.
    fn game(&self) -> &'static str;
    /// All options: those of the driver, then those of the game.
    fn options(&self) -> Vec<OptionLine>;
    /// Sets an option; takes effect at the next `ready`, `set_position` or `go`.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError>;
    /// Loads weights, allocates the table, and reports
    /// [`Event::Ready`](crate::driver::event::EngineEvent::Ready). May block.
    fn ready(&mut self);
    /// [`Controller::ready`] without the report, before a clock runs; for protocols without such a command.
    /// May block.
    fn prepare(&mut self) {}
    /// Sets the flag that is raised while `stop`, `quit` or `go` is queued; blocking operations poll it and
    /// return early.
    fn set_interrupt(&mut self, _interrupt: Interrupt) {}
    /// Clears the table, histories and earlier results. Blocks until a running search has stopped.
    fn new_game(&mut self);
    /// Sets the position. If it is refused, [`Controller::show`] still shows the former one, but `go` does not
    /// search that. Never blocks.
    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), GameError>;
    /// Marks the position as unknown for this reason (input was lost), so that `go` does not search the former
    /// one. Never blocks.
    fn refuse_position(&mut self, reason: GameError);
    /// Replaces the reason of the last refusal by one in the words of the protocol. Never blocks.
    fn reword_refusal(&mut self, _reason: GameError) {}
    /// Starts a search, which is answered exactly once; a running search is stopped and answered first.
    fn go(&mut self, limits: Limits);
    /// The opponent played the expected turn: the clock runs now. Never blocks.
    fn ponder_hit(&mut self, limits: Option<Limits>);
    /// Ends the search, if there is one, and lets it answer. Never blocks.
    fn stop(&mut self);
    /// The game is over: ends a search as [`Controller::stop`] does. The table and the histories are cleared at
    /// the next `ready`, when no clock runs.
    fn game_over(&mut self) {
        self.stop();
    }
    /// Blocks until every search is answered; an endless search is stopped.
    fn wait(&mut self);
    /// Searches on for some tens of milliseconds, where the engine has no threads; whether the search goes on.
    /// Other commands are served between two calls.
    fn search_on(&mut self) -> bool {
        false
    }
    /// When to call [`Controller::wake`] next.
    fn wake_at(&self) -> Option<Instant> {
        None
    }
    /// Answers in place of a search that is overdue. Never blocks.
    fn wake(&mut self) {}
    /// Why a `go` was not searched properly, though answered, if that has happened: there was too little memory,
    /// or the search panicked.
    fn failure(&self) -> Option<GameError> {
        None
    }
    /// Answers a question about the position.
    fn query(&mut self, query: Query);
    /// Prints text for people. May block.
    fn show(&mut self, show: Show);
}
