//! A game as it is kept on disk.

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::clock::TimeControl;
use super::files::RecordHeader;
use super::view::{GameOver, Mode, PlyView, ReviewView, RoomSettings, SeatView};
use kaeshi_core::time::wall;
use kaeshi_records::referee::impasse::PointRule;

/// The summary of a game in a list of games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedSummary {
    pub game: String,
    #[serde(default)]
    pub title: String,
    pub seats: [SeatView; 2],
    pub mode: Mode,
    /// How it ended, where it stands.
    #[serde(default)]
    pub(crate) over: Option<GameOver>,
    /// Turns up to where it stands.
    #[serde(default)]
    pub(crate) plies: usize,
    #[serde(default)]
    pub(crate) handicap: String,
    /// Columns of the board.
    #[serde(default)]
    pub(crate) columns: usize,
    /// Milliseconds since 1970 at its last change.
    #[serde(default)]
    pub(crate) changed: u64,
}

/// A game as it is kept on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    #[serde(flatten)]
    pub summary: SavedSummary,
    #[serde(default)]
    pub(crate) begun: u64,
    pub(crate) start: String,
    pub nodes: Vec<PlyView>,
    pub(crate) node: usize,
    pub(crate) live: usize,
    #[serde(default)]
    pub(crate) draft: Vec<String>,
    pub(crate) clock: Option<TimeControl>,
    pub(crate) clocks: Option<[[u64; 2]; 2]>,
    #[serde(default)]
    pub(crate) paused: bool,
    pub settings: RoomSettings,
    #[serde(default)]
    pub(crate) review: Option<ReviewView>,
    #[serde(default)]
    pub(crate) head: RecordHeader,
    #[serde(default)]
    pub(crate) impasse: PointRule,
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = wall().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
