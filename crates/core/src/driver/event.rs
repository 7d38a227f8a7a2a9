//! The events of an engine, before a protocol formats them.

use std::time::Duration;

use crate::game::options::OptionLine;
use crate::game::root_report::RootReport;
use crate::game::score::Score;
use crate::game::search::Bound;

/// Events that may be queued. While the queue is full, a session reads no commands and searches send no reports.
pub const MOST_PENDING: usize = 4096;

/// Anything that leaves the engine, in the order of its printing.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineEvent {
    /// One line of analysis.
    Info(Info),
    /// The report that [`Limits::root_report`](crate::driver::clock::Limits::root_report) asks for, sent before the
    /// answer, or after it where the search was late.
    Root(RootReport),
    /// The answer to `go`.
    Best(Best),
    /// The answer to `go mate`.
    Mate(Mate),
    /// A remark for people: `info string`.
    Message(String),
    /// A search panicked for this reason; its answer comes all the same.
    Panic(String),
    /// A bare line of a debug word (`d`, `eval`, `moves` …).
    Text(String),
    /// The answer to `isready`.
    Ready,
    /// The answer to `query`.
    Response(QueryResponse),
    /// The answer to the hello of a protocol.
    Hello(Vec<OptionLine>),
}

/// One line of analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Nominal depth.
    pub depth: u16,
    /// Deepest ply reached.
    pub seldepth: u16,
    /// Confidence of selective pruning in per cent; 100 for none.
    pub confidence: u8,
    /// 1 for the best line.
    pub multipv: usize,
    /// How many lines are wanted; `multipv` is printed only when there are several.
    pub lines: usize,
    /// Value for the side to move.
    pub score: Score,
    /// Whether that is the value, or a bound of it.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go` was read.
    pub time: Duration,
    /// Fill of the table in permille.
    pub hashfull: u16,
    /// The turns expected, in the game's notation.
    pub pv: Vec<String>,
}

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Best {
    /// Play this turn, and expect that reply.
    Turn {
        /// The turn to play.
        turn: String,
        /// The reply to ponder on.
        ponder: Option<String>,
    },
    /// Give up.
    Resign,
    /// Declare the win.
    Win,
    /// The game is over; there is nothing to play.
    None,
}

/// The answer to `go mate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mate {
    /// A mating line.
    Line(Vec<String>),
    /// No mate exists.
    NoMate,
    /// Not decided in time.
    Timeout,
    /// The game has no mate search.
    NotImplemented,
}

/// The answer to `query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryResponse {
    /// `true` or `false`.
    Truth(bool),
    /// The first side won.
    FirstWins,
    /// The second side won.
    SecondWins,
    /// Drawn.
    Draw,
    /// Not over.
    Unfinished,
}
