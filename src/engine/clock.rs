//! How long to think: from the limits of a `go` to a soft and a hard budget.

use std::time::{Duration, Instant};

/// One side's clock as the GUI tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Main time left.
    pub left: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Time per move once the main time is used up; not saved.
    pub byoyomi: Duration,
}

/// How long `go mate` may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateLimit {
    /// So long.
    Time(Duration),
    /// Until it is decided, or `stop`.
    Infinite,
}

/// What a `go` asks for. All given limits hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the line was read: the clock runs from here.
    pub received: Instant,
    /// Clocks of the first and the second side.
    pub clocks: Option<[Clock; 2]>,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// So many nodes.
    pub nodes: Option<u64>,
    /// So deep.
    pub depth: Option<u16>,
    /// Search for mate only.
    pub mate: Option<MateLimit>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time: until `stop` or `ponderhit`.
    pub ponder: bool,
    /// Only these turns.
    pub turns: Vec<String>,
}

impl Limits {
    /// No limit at all, received now.
    pub fn none() -> Limits {
        Limits {
            received: Instant::now(),
            clocks: None,
            movetime: None,
            nodes: None,
            depth: None,
            mate: None,
            infinite: false,
            ponder: false,
            turns: Vec::new(),
        }
    }
}
