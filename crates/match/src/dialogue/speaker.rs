//! The four protocols from the side of the one who asks: what is written when, and what the
//! answers mean. Judging the answers is the referee's business.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::dialogue::engine_process::reader::OutputLine;
use crate::dialogue::engine_process::{EngineLost, EngineProcess};
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;
use kaeshi_core::game::Side;
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::protocol::option_line::{self, Declared};
use kaeshi_engine::protocol::vocabulary;
use kaeshi_records::referee::ending::GameResult;

pub mod gtp;
pub mod nboard;
pub mod words;

/// Someone who asks in this dialect.
pub fn asker(dialect: Dialect, quirks: ProtocolQuirks) -> Box<dyn ProtocolClient> {
    match dialect {
        Dialect::Usi => Box::new(words::UsiUgiClient::new(&vocabulary::USI, quirks)),
        Dialect::Ugi => Box::new(words::UsiUgiClient::new(&vocabulary::UGI, quirks)),
        Dialect::Uci => Box::new(words::UsiUgiClient::new(&vocabulary::UCI, quirks)),
        Dialect::Gtp => Box::new(gtp::GtpClient::default()),
        Dialect::NBoard => Box::new(nboard::NBoardClient::new(quirks)),
    }
}

/// How an engine reads USI's clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ClockConvention {
    /// The engine adds `binc` to `btime` itself, as the protocol's text has it.
    #[default]
    Book,
    /// `btime` holds the increment of this move already, as in chess.
    Chess,
    /// As in chess, and `wtime` is the clock of the side that moves first.
    WhiteFirst,
}

/// Readings of a protocol that engines differ in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProtocolQuirks {
    /// USI: the clocks.
    pub reading: ClockConvention,
    /// NBoard: the depth where no limit says one.
    pub depth: Option<u32>,
}

/// Why an engine is not ready to play on.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DialogueError {
    /// It does not answer.
    #[error(transparent)]
    Lost(#[from] EngineLost),
    /// It answers what cannot be played with.
    #[error("{0}")]
    Bad(String),
}

/// What an engine says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    /// Name and version.
    pub name: String,
    /// Its options; `None` if the protocol does not list them.
    pub options: Option<Vec<Declared>>,
}

impl Identity {
    /// Whether the engine lists this option.
    pub fn has_option(&self, name: &str) -> bool {
        option_line::find(self.options.as_deref().unwrap_or_default(), name).is_some()
    }
}

/// Where a game begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameStart {
    /// The game: `shogi`, `reversi` or `sygo`.
    pub game: &'static str,
    /// Points along an edge.
    pub size: u8,
    /// The position text; `None` for the usual start.
    pub position: Option<String>,
    /// Who moves first in that position, and then by turns.
    pub mover: Option<Side>,
    /// The turns of the opening after it.
    pub turns: Vec<(Side, String)>,
}

/// Clocks as they are sent to an engine.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Who is asked.
    pub me: Side,
    /// Limits of the two sides.
    pub limits: [ThinkingLimit; 2],
    /// Main time usable now, microseconds, the increment included.
    pub rest_us: [u64; 2],
    /// Moves until the main time is added again, the next one included; `None` where that never happens.
    pub moves_to_go: [Option<u32>; 2],
}

/// An engine's answer to `go`.
#[derive(Clone, Debug, PartialEq)]
pub enum GoAnswer {
    /// This turn, and the reply it expects.
    Turn(String, Option<String>),
    /// It gives up.
    Resign,
    /// It claims the win.
    Win,
    /// No answer at all.
    Nonsense(String),
}

/// One protocol's state in the dialogue with one engine.
pub trait ProtocolClient: Send {
    /// The greeting. `options` are to be set.
    fn greet(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<Identity, DialogueError>;
    /// Sets one option.
    fn set_option(
        &mut self,
        engine: &mut EngineProcess,
        name: &str,
        value: &str,
        deadline: Instant,
    ) -> Result<(), DialogueError>;
    /// Waits until slow preparations are done.
    fn ready(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError>;
    /// A new game begins.
    fn new_game(
        &mut self,
        engine: &mut EngineProcess,
        start: &GameStart,
        times: &Times,
        deadline: Instant,
    ) -> Result<(), DialogueError>;
    /// A turn was played on the board.
    fn played(&mut self, side: Side, turn: &str, own: bool);
    /// Brings the engine's board up to date if that needs answers; on the engine's time.
    fn prepare(&mut self, _engine: &mut EngineProcess, _deadline: Instant) -> Result<(), DialogueError> {
        Ok(())
    }
    /// Writes what goes before `go` and `go` itself; `guess` is the turn to ponder on.
    fn compose(&mut self, times: &Times, guess: Option<&str>, before: &mut Vec<u8>, go: &mut Vec<u8>);
    /// The answer in a line, if it is one; what it says of the move goes into `record`.
    fn understand(&mut self, line: &OutputLine, record: &mut JournalMove) -> Option<GoAnswer>;
    /// The word that ends a search early.
    fn stop_word(&self) -> Option<&'static str> {
        None
    }
    /// The word that turns pondering into thinking, where the protocol has it.
    fn ponder_word(&self) -> Option<&'static str> {
        None
    }
    /// Sends how a game ended.
    fn send_result(&mut self, _result: GameResult, _me: Side) -> Option<&'static str> {
        None
    }
    /// The word that ends the engine.
    fn quit_word(&self) -> &'static str {
        "quit\n"
    }
}

/// Reads lines until `wanted` gives a value.
fn await_line<T>(
    engine: &mut EngineProcess,
    deadline: Instant,
    mut wanted: impl FnMut(&str) -> Option<T>,
) -> Result<T, DialogueError> {
    loop {
        let line = engine.receive(deadline)?;
        if let Some(value) = wanted(&line.text) {
            return Ok(value);
        }
    }
}
