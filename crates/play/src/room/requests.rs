//! The requests of a page to a room.

use super::*;

/// A request of the page.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum RoomRequest {
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
    /// Shows another node.
    Go {
        to: usize,
    },
    /// The last turn of the person back.
    TakeBack,
    Resign,
    Claim,
    /// The points of an impasse are counted.
    Count,
    /// A replay of a game that ended without a result. It needs a new room, so the server answers it.
    Replay,
    Pause,
    Resume,
    /// A game from the position that is shown; the turns before it stay.
    Continue {
        seats: [SeatView; 2],
        clock: Option<TimeControl>,
        #[serde(default)]
        lot: bool,
        #[serde(default)]
        impasse: PointRule,
    },
    /// How strong Kaeshi plays from now on.
    Level {
        level: u8,
    },
    /// Three best turns.
    Hint,
    /// A mate, or its absence.
    Mate,
    /// The exact end.
    Solve,
    /// Ends a hint, a search for mate or for the exact end.
    Stop,
    Settings(RoomSettings),
    Review,
    ReviewStop,
    MainLine,
    Delete,
    /// Changes the comment on the turn that is shown.
    Comment {
        text: String,
    },
    /// Changes the name of the game.
    Title {
        text: String,
    },
    /// A new game: in a new room, so the server answers it.
    New(Box<NewGame>),
    /// The same for a position that a person put together.
    Setup(Box<SetUp>),
    /// Only returns the state.
    Look,
}

impl RoomRequest {
    /// Whether it may change the data that is kept of the game.
    pub(super) fn changes_game(&self) -> bool {
        !matches!(
            self,
            RoomRequest::Look
                | RoomRequest::Go { .. }
                | RoomRequest::Hint
                | RoomRequest::Mate
                | RoomRequest::Solve
                | RoomRequest::Stop
                | RoomRequest::Settings(_)
        )
    }
}

/// A request, and the node that the page showed when it was made.
#[derive(Clone, Debug, Deserialize)]
pub struct RoomEnvelope {
    pub node: Option<usize>,
    #[serde(flatten)]
    pub request: RoomRequest,
}

impl RoomEnvelope {
    /// A request, whatever the page shows.
    pub fn now(request: RoomRequest) -> RoomEnvelope {
        RoomEnvelope { node: None, request }
    }
}

/// A game to begin.
#[derive(Clone, Debug, Deserialize)]
pub struct NewGame {
    pub game: String,
    pub seats: [SeatView; 2],
    pub clock: Option<TimeControl>,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub handicap: String,
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub size: u8,
    pub position: Option<String>,
    /// Whether a person and an engine draw lots for the colours.
    #[serde(default)]
    pub lot: bool,
    /// The rule that decides an impasse by points.
    #[serde(default)]
    pub impasse: PointRule,
    /// A lesson, which is not kept.
    #[serde(default)]
    pub course: bool,
}

impl NewGame {
    /// A person, who moves first, against an engine of this level.
    pub fn usual(game: GameName, level: u8) -> NewGame {
        let facts = game.facts();
        let seat = |kind| SeatView { kind, level: level.clamp(1, FULL), name: String::new() };
        NewGame {
            game: game.name().to_owned(),
            seats: [seat(SeatKind::Person), seat(SeatKind::Engine)],
            clock: None,
            handicap: String::new(),
            size: if facts.boards.usual_size > 9 { 9 } else { facts.boards.usual_size },
            position: None,
            lot: false,
            impasse: PointRule::default(),
            course: false,
        }
    }
}
