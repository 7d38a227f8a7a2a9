//! The state that the page gets; the names are those of `crates/report/src/types.d.ts`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::clock::TimeControl;
pub(super) use kaeshi_core::game::draft::{Claim, Reason, TurnDraft};
use kaeshi_core::game::picture::Picture;
use kaeshi_records::referee::impasse::PointRule;

/// A turn that may be played: where it begins and ends, and its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct TurnChoice {
    /// A square, or a letter of the hand.
    pub from: Option<String>,
    /// A square.
    pub to: String,
    /// One, or two where a piece may promote.
    pub turns: Vec<String>,
}

/// A turn in the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PlyView {
    /// The node before it.
    pub parent: usize,
    /// Its number, from 1.
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub ply: usize,
    /// The side that made it: 0 or 1.
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub by: usize,
    /// In the words of the protocol.
    pub t: String,
    /// In Japanese, in shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub j: Option<String>,
    /// In Western notation, in shogi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub w: Option<String>,
    /// Value after it for the first side, in hundredths; mates beyond 100,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub s: Option<i32>,
    /// Whether the value is proven.
    #[serde(
        default,
        deserialize_with = "kaeshi_core::json::or_null",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub x: bool,
    /// Its grade: 1 inaccuracy, 2 mistake, 3 blunder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub g: Option<u8>,
    /// A better turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<Better>,
    /// A comment on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<String>,
    /// Milliseconds used for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub u: Option<u64>,
    /// An end after it that the rules do not see: resignation, time, a claim, or that of a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<GameOver>,
}

/// A better turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Better {
    /// In the words of the protocol.
    pub t: String,
    /// In Japanese.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub j: Option<String>,
    /// In Western notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub w: Option<String>,
    /// The loss that it avoids, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
}

/// The player of a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeatView {
    /// A person or the engine.
    pub kind: SeatKind,
    /// How strong the engine plays: 1 to 20, 21 for full strength.
    pub level: u8,
    /// The person's name, as a record has it.
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub name: String,
}

/// A person or the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeatKind {
    /// A person at the page.
    Person,
    /// Kaeshi.
    Engine,
}

/// How the game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GameOver {
    /// 0 or 1; `None` in a draw.
    pub winner: Option<usize>,
    /// The name of a [`kaeshi_core::game::TerminalCause`], `Resign`, `Time` or `Impasse`.
    pub cause: String,
    /// Margin of the first side.
    #[serde(default, deserialize_with = "kaeshi_core::json::or_null")]
    pub margin: i32,
}

/// The actions that are allowed besides a turn on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct May {
    /// Pass.
    pub pass: bool,
    /// Take the last turn back.
    pub take_back: bool,
    /// Resign.
    pub resign: bool,
    /// Claim the win.
    pub claim: bool,
    /// Agree on an impasse.
    pub count: bool,
    /// Replay the game.
    pub replay: bool,
}

/// Whether one plays a game or studies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Turns belong to the game.
    Play,
    /// Turns are tried out.
    Study,
}

/// The settings of the engine's analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RoomSettings {
    /// The position that is shown is analysed all the time.
    pub analysis: bool,
    /// Mistakes are marked as they are made.
    pub mistakes: bool,
    /// Milliseconds for each of Kaeshi's turns where no clock runs; the usual time for `None`.
    #[serde(default)]
    pub thinking: Option<u32>,
    /// Search threads of each engine; those of the command line for `None`.
    #[serde(default)]
    pub threads: Option<u32>,
    /// Transposition table of each engine in MiB.
    #[serde(default)]
    pub hash: Option<u32>,
    /// Lines of the analysis.
    #[serde(default)]
    pub lines: Option<u8>,
}

impl RoomSettings {
    /// The same within its bounds.
    pub(super) fn bounded(self, ranges: EngineRanges) -> RoomSettings {
        let within = |value: u32, [least, most]: [u32; 2]| value.clamp(least, most);
        RoomSettings {
            thinking: self.thinking.map(|thinking| within(thinking, ranges.thinking)),
            threads: self.threads.map(|threads| within(threads, ranges.threads)),
            hash: self.hash.map(|hash| within(hash, ranges.hash)),
            lines: self.lines.map(|lines| u8::try_from(within(lines.into(), ranges.lines)).unwrap_or(lines)),
            ..self
        }
    }
}

/// Least and greatest values of what can be set on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct EngineRanges {
    /// Of `Threads`.
    pub threads: [u32; 2],
    /// Of `Hash`, in MiB.
    pub hash: [u32; 2],
    /// Of `MultiPV`, as far as the page shows lines.
    pub lines: [u32; 2],
    /// Milliseconds for a turn where no clock runs.
    pub thinking: [u32; 2],
}

/// A remark to a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Note {
    /// Key of the text.
    pub code: &'static str,
    /// The values to fill in.
    pub values: BTreeMap<&'static str, String>,
}

/// A review, running or done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ReviewView {
    /// Positions analysed.
    pub done: usize,
    /// Positions of the game.
    pub total: usize,
    /// The reviews of both sides, when it is done.
    pub sides: Option<[SideReviewView; 2]>,
}

/// One side's turns together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SideReviewView {
    /// From 0 to 100.
    pub accuracy: Option<f64>,
    /// Inaccuracies, mistakes, blunders.
    pub grades: [usize; 3],
    /// Turns judged.
    pub turns: usize,
    /// Turns that were the engine's choice.
    pub best: usize,
}

/// All that the page shows.
#[derive(Clone, Debug, Serialize)]
pub(super) struct PageState {
    pub v: u64,
    pub room: String,
    pub game: &'static str,
    pub scale: f64,
    pub seats: [SeatView; 2],
    pub picture: Picture,
    pub last: Vec<String>,
    pub turned: Vec<String>,
    pub side: usize,
    pub node: usize,
    pub live: usize,
    pub nodes: Vec<PlyView>,
    pub start: String,
    pub position: String,
    pub choices: Vec<TurnChoice>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub effects: BTreeMap<String, [usize; 2]>,
    pub draft: Option<TurnDraft>,
    pub may: May,
    pub claim: Option<Claim>,
    pub over: Option<GameOver>,
    pub impasse: PointRule,
    pub points: Option<[u32; 2]>,
    pub mode: Mode,
    pub thinking: bool,
    pub paused: bool,
    pub clock: Option<TimeControl>,
    pub clocks: Option<[[u64; 2]; 2]>,
    pub running: Option<usize>,
    /// The side whose clock runs.
    pub ticking: Option<usize>,
    /// A running request to the engine beside the analysis: `hint`, `mate` or `solve`.
    pub asked: Option<&'static str>,
    pub settings: RoomSettings,
    pub ranges: EngineRanges,
    pub review: Option<ReviewView>,
    pub note: Option<Note>,
    pub record: Option<String>,
    pub handicap: String,
    /// The name that a person gave it.
    pub title: String,
    /// Why the game is not kept on disk, if it is not.
    pub unkept: Option<String>,
    /// The headers of the record.
    pub tags: Vec<(String, String)>,
}

/// A position of a line that is shown as a try-out.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TryOutFrame {
    pub picture: Picture,
    pub last: Vec<String>,
    pub turned: Vec<String>,
    /// The turn that led here.
    pub t: String,
    /// In Japanese, in shogi.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub j: Option<String>,
    /// In Western notation, in shogi.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub w: Option<String>,
}

/// A line of the engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SearchLine {
    /// Value for the first side, in hundredths; mates beyond 100,000.
    pub s: i32,
    /// Whether it is proven.
    pub x: bool,
    /// The turns.
    pub t: Vec<String>,
    /// In Japanese.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub j: Option<String>,
    /// In Western notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub w: Option<String>,
}

/// The engine's results for the position shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct SearchView {
    /// The node that was searched.
    pub node: usize,
    /// `analysis`, `hint`, `solve` or `mate`.
    pub kind: &'static str,
    pub depth: u16,
    pub nodes: u64,
    pub ms: u64,
    pub lines: Vec<SearchLine>,
    pub done: bool,
    /// The result of a search for mate: `mate`, `nomate` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<&'static str>,
}
