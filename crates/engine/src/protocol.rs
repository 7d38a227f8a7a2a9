//! Protocols: words in, [`ProtocolCommand`]s out; [`EngineEvent`]s in, words out.
//!
//! [`session`] is the loop over a pair of streams. The first word of the input picks the
//! [`Dialect`]; before any of them is named, it is USI.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, Write};

use lines::LostInput;

pub use crate::dialect::Dialect;
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::driver::{Query, Show};
use kaeshi_core::game::GameError;
use kaeshi_core::time::Instant;

pub mod backlog;
pub mod command_info;
pub mod encoding;
pub mod go_words;
pub mod gtp;
pub mod info_line;
pub mod lines;
pub mod log;
pub mod nboard;
pub mod option_line;
pub mod record;
pub mod session;
pub mod tokens;
pub mod uci;
pub mod ugi;
pub mod usi;
pub mod vocabulary;
pub mod waker;
pub mod words;
pub mod writer;

/// One line of input, without its protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum ProtocolCommand {
    /// The hello of a protocol.
    Hello,
    /// `isready`: answered when slow preparations are done.
    IsReady,
    /// `setoption`.
    SetOption {
        /// Name of the option, with its letter case as written.
        name: String,
        /// Empty for a button or an empty text.
        value: String,
    },
    /// Asks for the value of this option, or of all options.
    GetOption(Option<String>),
    /// A new game begins.
    NewGame,
    /// `position`.
    Position {
        /// The text between `position` and `moves`.
        text: String,
        /// The turns after it.
        turns: Vec<String>,
    },
    /// The position is not known, for this reason: no `go` searches until the next [`ProtocolCommand::Position`].
    RefusePosition(GameError),
    /// `go`.
    Go(Limits),
    /// `stop`.
    Stop,
    /// `ponderhit`, with new clocks if the GUI sent some.
    PonderHit(Option<Limits>),
    /// The game is over.
    GameOver,
    /// UGI's `query`.
    Query(Query),
    /// A debug word.
    Show(Show),
    /// Until every answer is out, nothing else is to be read.
    Wait,
    /// The protocol itself has something to print, in its place among the engine's events.
    Say(EngineEvent),
    /// Several commands in one line.
    Batch(Vec<ProtocolCommand>),
    /// Nothing to do: an empty line, `debug on` …
    Nothing,
    /// End.
    Quit,
}

/// One way of speaking. The session feeds it lines on one thread and lets it write on another,
/// one call at a time.
pub trait Protocol: Send {
    /// Reads one line that arrived at `received`. A refusal is printed for the other side, and
    /// everything stays as it was.
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError>;
    /// The command for lost input. If a position may have been lost, the former position must not be searched in its
    /// place.
    fn lost(&mut self, input: &LostInput) -> ProtocolCommand {
        let said = ProtocolCommand::Say(EngineEvent::Message(input.reason().into()));
        if input.may_be(&["position"]) {
            ProtocolCommand::Batch(vec![ProtocolCommand::RefusePosition(input.reason()), said])
        } else {
            said
        }
    }
    /// Why the position of the line that was read last is refused, in the words of that line.
    fn reworded(&self, reason: GameError) -> GameError {
        reason
    }
    /// Writes an event as whole lines; nothing, if this protocol has no words for it.
    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()>;
}

impl Dialect {
    /// The dialect that a line asks for by its first word, if it does. The words of GTP are common
    /// ones and count only at the `beginning` of a session.
    pub fn asked_for_by(line: &str, beginning: bool) -> Option<Dialect> {
        match line.split_whitespace().next()? {
            "usi" => Some(Dialect::Usi),
            "ugi" => Some(Dialect::Ugi),
            "uci" => Some(Dialect::Uci),
            "nboard" => Some(Dialect::NBoard),
            _ if beginning && gtp::begins(line) => Some(Dialect::Gtp),
            _ => None,
        }
    }

    /// The games of which this dialect can speak, where these are not all; the first one unless another is chosen.
    pub fn games(self) -> &'static [&'static str] {
        match self {
            Dialect::Usi | Dialect::Ugi | Dialect::Uci => &[],
            Dialect::NBoard => &[record::GAME],
            Dialect::Gtp => &gtp::GAMES,
        }
    }

    /// Whether it has a word such as `isready`, which leaves the engine time for slow preparations.
    pub fn asks_whether_ready(self) -> bool {
        match self {
            Dialect::Usi | Dialect::Ugi | Dialect::Uci => true,
            Dialect::NBoard | Dialect::Gtp => false,
        }
    }

    /// Other defaults of options: UCI cannot say that a side declares its win.
    pub fn defaults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Dialect::Uci => &[("EnteringKingRule", "NoEnteringKing")],
            Dialect::Usi | Dialect::Ugi | Dialect::NBoard | Dialect::Gtp => &[],
        }
    }

    /// A fresh speaker of this dialect, about `game` if the dialect has several games.
    pub fn speaker(self, game: &str) -> Box<dyn Protocol> {
        match self {
            Dialect::Usi => Box::new(usi::UsiProtocol::default()),
            Dialect::Ugi => Box::new(ugi::UgiProtocol::default()),
            Dialect::Uci => Box::new(uci::UciProtocol::new(game)),
            Dialect::NBoard => Box::new(nboard::NBoardProtocol::default()),
            Dialect::Gtp => Box::new(gtp::GtpProtocol::new(game)),
        }
    }
}
