//! The typed lines of `journal.jsonl`, the single truth about a match.
//!
//! Every line is one JSON object: `v` (schema), `seq` (line number), `k` (kind), the fields of the
//! kind, and last `crc`, the CRC-32C in hexadecimal of all bytes before `,"crc"`. Readers ignore
//! keys they do not know and refuse another `v`. Everything derived - statistics, records,
//! reports - is computed from a [`Journal`], never from the runner's memory.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

pub use crate::dialogue::moved::JournalMove;
use kaeshi_core::game::Side;
pub use kaeshi_records::referee::ending::{EndCause, GameResult};
pub use kaeshi_statistics::sprt::settings::{SprtModel, SprtSettings};

use super::identity::ContentHashes;
use super::knockout::Knockout;
use crate::dialogue::limits::parse_time;

pub mod load;
pub mod write;

/// Name of the journal in the folder of a match.
pub const JOURNAL: &str = "journal.jsonl";
/// Schema of the lines written here.
pub const SCHEMA: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "lowercase")]
pub enum JournalEntry {
    /// A run of the match begins or goes on.
    Open(Box<JournalOpen>),
    /// A finished game.
    Game(Box<JournalGame>),
    /// A game that ended by repetition; the one that replays it follows. Not in journals before 0.2.
    Leg(Box<JournalGame>),
    /// One move of the game whose [`JournalEntry::Game`] follows.
    Move(Box<JournalMove>),
    /// Something an engine did wrong.
    Fault(EngineFault),
    /// Interim statistics; derived, ignored when loading.
    Stat(Stat),
    /// How busy the machine was; not in journals before 0.2.
    Load(MachineLoad),
    /// The match is over.
    Close(JournalClose),
}

/// Under which conditions a match is played.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JournalOpen {
    /// Hash of everything that decides the games; a journal is only continued under the same.
    pub plan: String,
    /// Name and version of the runner.
    pub tool: String,
    /// Name, system and processors of the machine.
    pub host: String,
    /// Start of this run, `2026-11-20T16:00:00Z`.
    pub utc: String,
    /// `shogi`, `reversi` or `sygo`.
    pub game: String,
    /// All participants, in the order of the command line.
    pub engines: Vec<EngineInfo>,
    /// Pairings as indices into `engines`; pair `p` is played by `pairings[p / block % pairings.len()]`.
    pub pairings: Vec<[usize; 2]>,
    /// How many pairs each pairing plays in succession; 0 in older journals means 1.
    #[serde(skip_serializing_if = "is_usual_block")]
    pub block: u64,
    /// The meetings of a knock-out; their results decide who plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knockout: Option<Knockout>,
    /// Pairs planned; each is two games, or one if `single`. In a knock-out those without which it cannot end.
    pub pairs: u64,
    /// Whether a "pair" is a single game with the colours drawn by lot.
    pub single: bool,
    /// Decides openings, colours and engine seeds.
    pub seed: u64,
    /// Where the openings come from, for people.
    pub openings: String,
    /// The sequential test, if one is played.
    pub sprt: Option<SprtSettings>,
    /// No decision before this number of pairs.
    pub decide_from: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// The command that continues this match.
    pub resume: String,
    /// What made the experiment doubtful before its first game.
    #[serde(rename = "doubts", skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One participant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineInfo {
    /// The unique name in this match.
    pub name: String,
    /// What the program calls itself.
    pub id: String,
    /// The command line.
    pub command: String,
    /// `usi`, `ugi`, `gtp` or `nboard`.
    pub protocol: String,
    /// The limit per move or game, as on the command line, for example `tc=10+0.1`.
    pub limit: String,
    /// Options set by the match.
    pub options: Vec<(String, String)>,
    /// Forgiven oversteps in microseconds.
    pub margin_us: u64,
    /// Hashes of program and files.
    pub content: ContentHashes,
}

impl EngineInfo {
    /// What Fischer's clock adds for every move, in microseconds; `None` under any other limit.
    pub fn increment_us(&self) -> Option<i64> {
        let (_, increment) = self.limit.strip_prefix("tc=")?.split_once('+')?;
        let increment = parse_time(increment).ok().filter(|increment| !increment.is_zero())?;
        i64::try_from(increment.as_micros()).ok()
    }
}

/// How an oddity of a move begins that says that its expected line is wrong.
pub const WRONG_LINE: &str = "expected line:";

/// A finished game. Arrays hold the first player's value, then the second's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalGame {
    /// Index of the pair in the schedule.
    pub pair: u64,
    /// 0, or 1 for the game with colours exchanged.
    pub game: u8,
    /// How many games of this place in the schedule were replayed before this one.
    #[serde(default, skip_serializing_if = "is_first")]
    pub leg: u8,
    /// Name of the engine that moves first at the usual start (Black in shogi and Reversi, White in Sygo).
    pub first: String,
    /// Name of the other engine.
    pub second: String,
    /// Number of the opening in the file, from 0.
    pub opening: Option<u64>,
    /// The start as a protocol writes it after `position `: `startpos moves …`, `sfen …`, `fen …`.
    /// The moves of the game follow after it.
    pub start: String,
    /// Who won.
    pub result: GameResult,
    /// Why.
    pub cause: EndCause,
    /// A sentence for people: the text of the illegal move, the exit code …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The engine that lost.
    pub loser: Option<String>,
    /// Number of moves played after `start`.
    pub plies: u32,
    /// Discs or points by which the first player was ahead at the end; `None` in shogi and in
    /// games that did not come to their end.
    pub margin: Option<i32>,
    /// Time left on the clocks, in microseconds; `None` where no clock ran.
    pub rest_us: [Option<u64>; 2],
    /// Time used for all moves.
    pub used_us: [u64; 2],
    /// Greatest overstep of the time that was allowed for a move.
    pub max_over_us: [u64; 2],
    /// 99th percentile of our measure of a move's time minus the engine's own; 0 where it states none.
    pub lag_us_p99: [i64; 2],
    /// By what the times of the limits were multiplied on the machine that played it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<f64>,
    /// Which of the parallel games this was.
    pub slot: usize,
    /// When it began.
    pub t0: String,
    /// How long it took.
    pub dur_us: u64,
    /// Oddities that did not decide the game, each with the engine's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<String>,
}

fn is_usual_block(block: &u64) -> bool {
    *block <= 1
}

fn is_first(leg: &u8) -> bool {
    *leg == 0
}

impl JournalGame {
    /// Name of the engine on `side`.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

/// What an engine did wrong, with what is needed to find out why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineFault {
    /// Index of the pair.
    pub pair: u64,
    /// Which game of the pair.
    pub game: u8,
    /// The engine's name.
    pub engine: String,
    /// What.
    pub what: EndCause,
    /// One sentence.
    pub detail: String,
    /// The last lines of the engine, escaped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
}

/// Interim statistics of a match between two engines, over the finished prefix of the schedule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stat {
    /// Pairs in the prefix.
    pub pairs: u64,
    /// Pairs by half points of the first-named engine: LL, LD, DD and WL, WD, WW.
    pub penta: [u64; 5],
    /// Log-likelihood ratio, if an SPRT is played.
    pub llr: Option<f64>,
    /// Its lower bound.
    pub lo: Option<f64>,
    /// Its upper bound.
    pub hi: Option<f64>,
}

/// How busy the machine was during one run of a match. Times are microseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineLoad {
    /// Processors that the runner could use.
    pub processors: usize,
    /// Processes that ran or waited, on average over the minute before the first game.
    pub average_before: Option<f64>,
    /// How much later than asked a timer woke: median.
    pub late_us_median: u64,
    /// The same: 99 of 100 woke earlier.
    pub late_us_p99: u64,
    /// The same: the latest.
    pub late_us_max: u64,
}

/// How the match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalClose {
    /// `sprt-h0`, `sprt-h1`, `all-played`, `unreliable` …
    pub why: String,
    /// Length of the prefix of the schedule that decided; later games are counted apart.
    pub at_pair: u64,
}

/// A game with its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct GameWithMoves {
    /// The game.
    pub game: JournalGame,
    /// Its moves, in order.
    pub moves: Vec<JournalMove>,
    /// The same for games of the same engines in the same seats, with the same moves and end. `None` if
    /// a fault decided it: that an engine fails twice in the same way is no repeated measurement.
    pub key: Option<u64>,
    /// The games that ended by repetition, so that this one was played in their place.
    pub legs: Vec<GameWithMoves>,
}

impl GameWithMoves {
    /// A game and its moves.
    pub fn new(game: JournalGame, moves: Vec<JournalMove>) -> GameWithMoves {
        let key = (!game.cause.is_fault()).then(|| {
            let mut hasher = std::hash::DefaultHasher::new();
            (&game.first, &game.second, &game.start, game.result, game.cause).hash(&mut hasher);
            moves.iter().for_each(|played| played.m.hash(&mut hasher));
            hasher.finish()
        });
        GameWithMoves { game, moves, key, legs: Vec::new() }
    }

    /// The side that the engine of this name has.
    pub fn side_of(&self, name: &str) -> Side {
        if self.game.first == name { Side::First } else { Side::Second }
    }

    /// The same in the place of `legs`, which ended by repetition.
    pub fn after(mut self, legs: Vec<GameWithMoves>) -> GameWithMoves {
        for leg in &legs {
            let both = |own: u64| {
                let mut hasher = std::hash::DefaultHasher::new();
                (leg.key, own).hash(&mut hasher);
                hasher.finish()
            };
            self.key = self.key.map(both);
        }
        GameWithMoves { legs, ..self }
    }

    /// The same without the moves, for a runner that has written them down.
    pub fn without_moves(self) -> GameWithMoves {
        let legs = self.legs.into_iter().map(GameWithMoves::without_moves).collect();
        GameWithMoves { moves: Vec::new(), legs, ..self }
    }
}

/// A whole journal as read by [`load::load`].
#[derive(Clone, Debug, PartialEq)]
pub struct Journal {
    /// The first opening line.
    pub open: JournalOpen,
    /// All finished games, ordered by pair and game.
    pub games: Vec<GameWithMoves>,
    /// All faults, in the order of the file.
    pub faults: Vec<EngineFault>,
    /// How busy the machine was in the last run.
    pub load: Option<MachineLoad>,
    /// The last closing line, if the match is over.
    pub close: Option<JournalClose>,
}

impl Journal {
    /// All games, those that were replayed before the ones in their place.
    pub fn all_games(&self) -> impl Iterator<Item = &GameWithMoves> {
        self.games.iter().flat_map(|played| played.legs.iter().chain([played]))
    }

    /// The engines of pair `pair`, as indices into [`JournalOpen::engines`].
    pub fn pairing(&self, pair: u64) -> [usize; 2] {
        if self.open.knockout.is_some() {
            return self.met(pair);
        }
        let count = self.open.pairings.len().max(1) as u64;
        let index = pair / self.open.block.max(1) % count;
        self.open.pairings.get(index as usize).copied().unwrap_or([0, 1])
    }

    /// The engines of a pair that is begun, by its first game, in the order of the command line.
    fn met(&self, pair: u64) -> [usize; 2] {
        let first = self.games.partition_point(|played| played.game.pair < pair);
        let Some(played) = self.games.get(first) else { return [0, 1] };
        let place = |name: &str| self.open.engines.iter().position(|engine| engine.name == name);
        let mut engines = [&played.game.first, &played.game.second].map(|name| place(name).unwrap_or(0));
        engines.sort_unstable();
        engines
    }
}
