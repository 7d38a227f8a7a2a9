//! What a search is to do, and where its answer goes.

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
    /// Where to search.
    pub root: SearchRoot<G>,
    /// Where to stop.
    pub signal: Arc<Signal>,
    /// When to stop.
    pub timing: Timing,
    /// No deeper than this.
    pub depth: Option<u16>,
    /// How many lines.
    pub multipv: usize,
    /// Whether a search is wanted, whatever the book says.
    pub analysing: bool,
    /// Resign below minus this many hundredths.
    pub resign_value: Option<i32>,
    /// By how much turns are misjudged, where play is weakened and the game's search does not do it.
    pub misjudgement: Option<Misjudgement>,
    /// What earlier searches found.
    pub root_cache: Arc<Mutex<RootCache<G>>>,
    /// Shortest time between two reports.
    pub report_interval: Duration,
    /// Whether bounds are reported, too.
    pub output_bounds: bool,
    /// Whether only a mate is looked for.
    pub mating: bool,
    /// What is reported of the root at the end.
    pub root_report: RootReportRequest,
    /// Set before a panic is reported.
    pub panicked: Arc<AtomicBool>,
    /// Fill of the memory in permille, as last reported.
    pub hashfull: AtomicU16,
    /// Where reports and the answer go.
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
