//! A search in slices, for hosts without threads: the engine searches while [`Controller::search_on`] is called.
//!
//! [`Controller::search_on`]: crate::driver::Controller::search_on
//!
//! A search need not be suspended. Each slice unwinds it, and the next one begins the same iteration again, which
//! the transposition table makes short.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::driver::Engine;
use crate::driver::think::{SearchTask, Thinking};
use crate::game::Game;

/// A slice takes `1 / PART` of the time that the search has taken so far, so that little is searched twice.
const PART: u32 = 8;
/// Shortest slice.
const SHORTEST: Duration = Duration::from_millis(10);
/// Longest slice: `stop` is answered after it.
const LONGEST: Duration = Duration::from_millis(50);
/// [`PART`] of a search that starts an interrupted iteration from scratch. Its slices have no upper limit, or the
/// iteration would never end.
const PART_WITHOUT_MEMORY: u32 = 1;

/// A search between two slices.
pub(super) struct Unfinished<G: Game> {
    task: Arc<SearchTask<G>>,
    thinking: Thinking<G>,
    /// Closed when the search ends.
    _done: Sender<()>,
}

impl<G: Game> Unfinished<G> {
    pub(super) fn new(task: Arc<SearchTask<G>>, done: Sender<()>) -> Unfinished<G> {
        let thinking = Thinking::new(&task.signal);
        Unfinished { task, thinking, _done: done }
    }
}

impl<G: Game> Engine<G> {
    /// The same engine without threads, for [`Controller::search_on`](crate::driver::Controller::search_on).
    /// Its options `Threads` and `Hash` have the ranges of such hosts.
    pub fn in_slices(mut self) -> Engine<G> {
        self.options.limit_to_slices();
        self.resources.in_slices = true;
        self
    }

    /// Searches for one slice; whether the search goes on.
    pub(super) fn slice(&mut self) -> bool {
        self.search_until(|searched, remembers| {
            let length = if remembers {
                (searched / PART).clamp(SHORTEST, LONGEST)
            } else {
                (searched / PART_WITHOUT_MEMORY).max(SHORTEST)
            };
            searched.saturating_add(length)
        })
    }

    /// Searches until the search has its answer.
    pub(super) fn finish_slices(&mut self) {
        self.search_until(|_, _| Duration::MAX);
    }

    /// Searches until the time that `end` returns; its arguments are the time searched so far and whether the worker
    /// remembers its iterations. Returns whether the search goes on.
    fn search_until(&mut self, end: impl FnOnce(Duration, bool) -> Duration) -> bool {
        let Some(mut unfinished) = self.searches.unfinished.take() else { return false };
        let Some(pool) = &mut self.resources.pool else { return false };
        let Some(worker) = pool.own_worker() else { return false };
        let Unfinished { task, thinking, .. } = &mut unfinished;
        let end = end(task.signal.elapsed(), worker.remembers_iterations());
        thinking.control.begin_slice(end);
        let ended = catch_unwind(AssertUnwindSafe(|| task.think_on(worker, thinking)));
        let ended = ended.unwrap_or_else(|panic| {
            pool.note_panic();
            task.report_panic(panic.as_ref());
            true
        });
        if !ended {
            self.searches.unfinished = Some(unfinished);
        }
        !ended
    }
}
