//! Showing a match: text tables for a terminal, JSON for programs, a page for a browser.

use serde::Serialize;

use super::journal::Journal;
use super::summary::{GameSelection, MatchSummary};

pub mod charts;
pub mod columns;
pub mod html;
pub mod numbers;
pub mod table;

pub use html::html;
pub use table::{standings, table};

/// A match in numbers, as `kaeshi match stats --json` prints it.
#[derive(Serialize)]
struct MatchNumbers {
    /// All games.
    all: MatchSummary,
    /// The same without pairs in which an engine lost by a fault.
    without_faults: MatchSummary,
}

/// Everything [`mod@table`] shows, as one JSON object; infinite numbers are `null`.
pub fn json(journal: &Journal) -> String {
    let numbers = MatchNumbers {
        all: MatchSummary::new(journal, GameSelection::default()),
        without_faults: MatchSummary::new(journal, GameSelection { without_faults: true }),
    };
    serde_json::to_string_pretty(&numbers).unwrap_or_default()
}
