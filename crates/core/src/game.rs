//! What a game must provide, and the words that driver, tools and games share.
//!
//! The cut lies at *one thread's search of one root*: shogi keeps its mate solver, Reversi its
//! exact solver, Sygo its turns of many stones, and everything around that call - words, clock,
//! threads, iterative deepening, reports - exists once, in [`crate::driver`].

pub mod control;
pub mod draft;
pub mod end_words;
pub mod facts;
pub mod interrupt;
pub mod level;
pub mod options;
pub mod picture;
pub mod root_report;
pub mod score;
pub mod search;
pub mod set_up;
mod worker;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::draft::{Claim, TurnDraft};
use crate::game::facts::GameInfo;
use crate::game::interrupt::Interrupt;
use crate::game::options::OptionSpec;
use crate::game::picture::{Picture, TurnPicture};
use crate::game::set_up::SetUp;

pub use worker::{BookOrDeclaration, MateAnswer, Worker, WorkerShared};

/// How a pass is written, in every game that has one.
pub const PASS: &str = "pass";

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Moves first in the usual start position: Black in shogi and Reversi, White in Sygo.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// Both, the first one first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The opponent.
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Why a game is over by its rules (resignations, flags and faults are the runner's business).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TerminalCause {
    /// Shogi: the side to move is mated, or has no legal move.
    Mate,
    /// Shogi: the same position for the fourth time.
    Repetition,
    /// Shogi: the repetition came about by unbroken checks of the loser.
    PerpetualCheck,
    /// Shogi: the entering king was declared, or the try succeeded.
    EnteringKing,
    /// The agreed number of plies is reached.
    MaxPlies,
    /// Reversi: neither side can move.
    NoMoves,
    /// Sygo: two passes in succession.
    TwoPasses,
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// `None` for a draw.
    pub winner: Option<Side>,
    /// Discs or points by which the first side is ahead; 0 in shogi.
    pub margin: i32,
    /// The rule that ended it.
    pub cause: TerminalCause,
}

/// A text that was refused: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct GameError(pub String);

impl GameError {
    /// A refusal with this reason.
    pub fn new(reason: impl Into<String>) -> GameError {
        GameError(reason.into())
    }
}

/// What a thread pool remembers between searches: usually a transposition table.
pub trait SearchMemory: Send + Sync {
    /// Memory of at most `bytes` bytes (plus a small constant), or the reason why not. Takes no time: the
    /// system provides large memory as it is used.
    fn with_bytes(bytes: usize) -> Result<Self, GameError>
    where
        Self: Sized;
    /// Forgets everything, using up to `threads` threads.
    fn clear(&self, threads: usize) {
        self.clear_unless(threads, &Interrupt::default());
    }
    /// The same; once `interrupt` is raised it takes almost no time, though the next search is then slower.
    fn clear_unless(&self, threads: usize, interrupt: &Interrupt);
    /// Has the system provide all of it now, using up to `threads` threads, so that no search waits for
    /// that; ends when `interrupt` is raised.
    fn prefault(&self, _threads: usize, _interrupt: &Interrupt) {}
    /// Begins a new search: entries of former ones become cheaper to replace.
    fn age(&self);
    /// Fill in permille, as `info hashfull` prints it.
    fn hashfull(&self) -> u16;
}

/// How a side spreads its time over its turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeAllocation {
    /// A rough guess of how many turns it has yet to think about.
    pub turns_left: f32,
    /// Multiple of its share that a single turn may take.
    pub longest: f32,
}

impl TimeAllocation {
    /// That of a game in which any turn may be the hardest.
    pub fn even(turns_left: f32) -> TimeAllocation {
        TimeAllocation { turns_left, longest: 4.0 }
    }
}

/// Rules, notation and loaded resources of one game. No clocks, threads or protocol streams.
pub trait Game: Sized + Send + Sync + 'static {
    /// What the options of this game set.
    type Settings: Clone + Default + Send + Sync;
    /// A position with the history its rules need.
    type Position: Clone + Send + Sync;
    /// One protocol move; in Sygo a set of stones.
    type Turn: Clone + Eq + Debug + Send + Sync;
    /// What all workers of a pool share: the table, split points …
    type Memory: SearchMemory;
    /// One search thread.
    type Worker: Worker<Self>;

    /// Names, units, sizes and handicaps.
    const FACTS: &'static GameInfo;
    /// `shogi`, `reversi` or `sygo`.
    const NAME: &'static str = Self::FACTS.name;

    /// The options that only this game has.
    fn options() -> Vec<OptionSpec<Self::Settings>>;

    /// What there is instead of an option that other engines of the game have: one sentence without a full stop.
    fn instead_of_option(_name: &str) -> Option<&'static str> {
        None
    }
    /// The game as `settings` want it; loads weights and books. Cheap with default settings.
    fn load(settings: &Self::Settings) -> Result<Self, GameError>;

    /// The usual start position.
    fn start(&self) -> Self::Position;
    /// The usual start on a board of `size` columns, which must be one of [`GameInfo::sizes`].
    fn start_of_size(&self, _size: u8) -> Self::Position {
        self.start()
    }
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
    /// The side that has lost by its last move, where [`Game::parse_position`] refuses `text` for nothing else
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

    /// Plays a turn that is legal in `position`.
    fn play(&self, position: &mut Self::Position, turn: &Self::Turn);
    /// All legal turns, in a fixed order. Where there are too many to list (Sygo), the most
    /// promising ones; small boards are always listed completely.
    fn turns(&self, position: &Self::Position) -> Vec<Self::Turn>;
    /// Of each of `turns` whether it captures or gives check, so that a search tries it early. In games where
    /// every turn captures, or where the static value shows at once what was captured, none is marked.
    fn captures_and_checks(&self, _position: &Self::Position, turns: &[Self::Turn]) -> Vec<bool> {
        vec![false; turns.len()]
    }
    /// Who is to move.
    fn side_to_move(&self, position: &Self::Position) -> Side;
    /// How the game ended, if it is over.
    fn outcome(&self, position: &Self::Position) -> Option<GameOutcome>;
    /// Whether the side to move may claim the win now (shogi's entering king).
    fn may_claim_win(&self, _position: &Self::Position) -> bool {
        false
    }
    /// Points of the two sides where both kings have entered, so that players may agree to count (shogi's
    /// impasse).
    fn impasse_points(&self, _position: &Self::Position) -> Option<[u32; 2]> {
        None
    }
    /// How far the side to move is from a win by claim, where the rules count that.
    fn claim(&self, _position: &Self::Position) -> Option<Claim> {
        None
    }
    /// Whether a pass is a legal turn.
    fn may_pass(&self, _position: &Self::Position) -> bool {
        false
    }
    /// `turn` as a player makes it who overlooks some of its parts: those of which `overlooks` says so, which gets
    /// a number for each. Most games have turns of one part.
    fn overlook(
        &self,
        _position: &Self::Position,
        turn: &Self::Turn,
        _overlooks: &dyn Fn(u64) -> bool,
    ) -> Self::Turn {
        turn.clone()
    }
    /// How much larger values are here than on the board on which the levels of play were set: the misjudgements of
    /// a weak level grow with it.
    fn value_scale(&self, _position: &Self::Position) -> f32 {
        1.0
    }
    /// How the side to move spreads its time over its turns, with `time` for all of them.
    fn pace(&self, position: &Self::Position, time: Duration) -> TimeAllocation;
    /// Bytes equal exactly when everything that follows by the rules is equal, too.
    fn identity(&self, position: &Self::Position) -> Vec<u8>;
    /// Static value for the side to move, in centipawns, hundredths of a disc or of a point.
    fn evaluate(&self, position: &Self::Position) -> i32;
    /// Number of turn sequences of exactly `depth` turns.
    fn perft(&self, position: &Self::Position, depth: u32) -> u64;
    /// The same with every turn of the last ply made, not only counted: the price of a node in a
    /// search. Games that have no quicker way to count need not define it.
    fn perft_making_all(&self, position: &Self::Position, depth: u32) -> u64 {
        self.perft(position, depth)
    }

    /// The position as typed cells, to be drawn.
    fn picture(&self, position: &Self::Position) -> Picture;
    /// What a legal turn does, in the cells of [`Game::picture`].
    fn turn_picture(&self, position: &Self::Position, turn: &Self::Turn) -> TurnPicture;
    /// A legal turn as people write it in [`GameInfo::local_language`].
    fn local_text(&self, _position: &Self::Position, _turn: &Self::Turn) -> Option<String> {
        None
    }
    /// A legal turn as people write it in European languages, where they do not write it as protocols do.
    fn western_text(&self, _position: &Self::Position, _turn: &Self::Turn) -> Option<String> {
        None
    }
    /// Of each turn how many men it turns over and how many replies it leaves, where people want to know.
    fn effects(&self, _position: &Self::Position) -> BTreeMap<String, [usize; 2]> {
        BTreeMap::new()
    }
    /// A turn in the making, after these stones, and the board with them; where [`GameInfo::drafts`] says so and
    /// the stones are legal so far.
    fn draft(&self, _position: &Self::Position, _stones: &[String]) -> Option<(TurnDraft, Picture)> {
        None
    }
    /// The turn that these stones make; `None` for no stones.
    fn drafted(&self, _stones: &[String]) -> Option<String> {
        None
    }
    /// The text of a position that a person put together; reading it shows whether it is legal.
    fn set_up_text(cells: &SetUp) -> String;
    /// The board as ASCII text that ends with the position's own text, for the debug word `d`.
    fn diagram(&self, position: &Self::Position) -> String;
    /// The terms of the evaluation as an ASCII table, for the debug word `eval`.
    fn explain(&self, position: &Self::Position) -> String;
    /// Positions and depths of `kaeshi bench`: (text for [`Game::parse_position`], depth).
    fn bench() -> &'static [(&'static str, u16)];
}
