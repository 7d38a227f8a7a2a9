//! What a page may ask of a room.

use super::*;

/// What the page may ask for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub(in crate::tools::play) enum Wish {
    /// A turn at the node that is shown.
    Turn {
        turn: String,
    },
    /// A line of turns to try out.
    Try {
        turns: Vec<String>,
    },
    /// A stone of a growth.
    Stone {
        point: String,
    },
    /// The last stone back, or this one.
    Unstone {
        point: Option<String>,
    },
    /// All stones back.
    Clear,
    /// The turn is complete.
    Done,
    /// Another node.
    Go {
        to: usize,
    },
    /// The last turn of the person back.
    TakeBack,
    Resign,
    Claim,
    /// The points of an impasse are counted.
    Count,
    /// The game that ended without a result anew.
    Replay,
    Pause,
    Resume,
    /// Three best turns.
    Hint,
    /// A mate, or its absence.
    Mate,
    /// The exact end.
    Solve,
    Settings {
        analysis: bool,
        mistakes: bool,
    },
    Review,
    ReviewStop,
    MainLine,
    Delete,
    New(Box<NewGame>),
    Setup(Box<SetUp>),
    /// Nothing but the state.
    Look,
}

/// A wish, and the node that the page showed when it was made.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::tools::play) struct Asked {
    pub node: Option<usize>,
    #[serde(flatten)]
    pub wish: Wish,
}

impl Asked {
    /// A look at the state.
    pub(in crate::tools::play) fn nothing() -> Asked {
        Asked { node: None, wish: Wish::Look }
    }
}

/// A game to begin.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::tools::play) struct NewGame {
    pub game: String,
    pub seats: [Seat; 2],
    pub clock: Option<Control>,
    #[serde(default, deserialize_with = "crate::records::or_null")]
    pub handicap: String,
    #[serde(default, deserialize_with = "crate::records::or_null")]
    pub size: u8,
    pub position: Option<String>,
    /// Whether a person and an engine draw lots for the colours.
    #[serde(default)]
    pub lot: bool,
    /// What the points of an impasse decide.
    #[serde(default)]
    pub impasse: PointRule,
}

/// A game as the page kept it over a reload or a restart.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::tools::play) struct Saved {
    pub(super) game: String,
    pub(super) start: String,
    #[serde(default, deserialize_with = "crate::records::or_null")]
    pub(super) handicap: String,
    pub(super) nodes: Vec<Ply>,
    pub(super) node: usize,
    pub(super) live: usize,
    pub(super) seats: [Seat; 2],
    pub(super) clock: Option<Control>,
    pub(super) clocks: Option<[[u64; 2]; 2]>,
    pub(super) mode: Mode,
    pub(super) resigned: Option<Over>,
    pub(super) settings: Settings,
    #[serde(default)]
    pub(super) impasse: PointRule,
}
