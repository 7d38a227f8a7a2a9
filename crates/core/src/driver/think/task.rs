//! One search: its root, its limits, and the channel of its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16};
use std::time::Duration;

use log::debug;

use super::timing::Timing;
use crate::driver::event::EngineEvent;
use crate::driver::reply::SearchOutput;
use crate::driver::root_cache::RootCache;
use crate::game::control::Signal;
use crate::game::level::Misjudgement;
use crate::game::root_report::RootReportRequest;
use crate::game::search::SearchRoot;
use crate::game::{GameNotation, GameSearch};
use crate::mutex::Mutex;

/// All that one search needs to know.
pub struct SearchTask<G: GameNotation + GameSearch> {
    /// Rules and notation.
    pub game: Arc<G>,
    /// For `hashfull`.
    pub memory: Option<Arc<G::Memory>>,
    /// The root.
    pub root: SearchRoot<G>,
    /// Stops the search.
    pub signal: Arc<Signal>,
    /// When to stop.
    pub timing: Timing,
    /// No deeper than this.
    pub depth: Option<u16>,
    /// How many lines.
    pub multipv: usize,
    /// Whether to search even if the book has a move.
    pub analysing: bool,
    /// Resign below minus this many hundredths.
    pub resign_value: Option<i32>,
    /// The misjudgements of weakened play, in games whose search does not apply them itself.
    pub misjudgement: Option<Misjudgement>,
    /// Results of earlier searches.
    pub root_cache: Arc<Mutex<RootCache<G>>>,
    /// Shortest time between two reports.
    pub report_interval: Duration,
    /// Whether bounds are reported, too.
    pub output_bounds: bool,
    /// Whether only a mate is looked for.
    pub mating: bool,
    /// The reports about the root at the end.
    pub root_report: RootReportRequest,
    /// Set before a panic is reported.
    pub panicked: Arc<AtomicBool>,
    /// Fill of the memory in permille, as last reported.
    pub hashfull: AtomicU16,
    /// The output of reports and of the answer.
    pub reply: SearchOutput<G>,
}

impl<G: GameNotation + GameSearch> SearchTask<G> {
    /// Sends the answer, now or when it is released; then no thread need search any more.
    pub(super) fn finish(&self, answer: EngineEvent) {
        if self.reply.answer(answer) || self.reply.is_answered() {
            self.signal.stop();
        }
        debug!("search ends after {} ms: {} nodes", self.signal.elapsed().as_millis(), self.signal.nodes());
    }

    /// Lines to search: where play is weakened, there must be something to choose from.
    pub(super) fn wanted(&self) -> usize {
        self.misjudgement.map_or(self.multipv, |misjudgement| misjudgement.lines.max(self.multipv))
    }
}
