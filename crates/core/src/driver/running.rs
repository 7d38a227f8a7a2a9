//! A search from its start to its answer: limits, threads, and the answer in place of an overdue search.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use log::debug;

use crate::driver::clock::{Budget, Limits, MateLimit, budget};
use crate::driver::event::EngineEvent;
use crate::driver::reply::SearchOutput;
use crate::driver::settings::EngineSettings;
use crate::driver::slices::Unfinished;
use crate::driver::think::{SearchTask, Timing};
use crate::driver::{Controller, Engine};
use crate::game::control::{SearchControl, Signal};
use crate::game::level::{Misjudgement, SkillLevel};
use crate::game::search::SearchRoot;
use crate::game::{Game, GameError, SearchMemory};
use crate::time::Instant;

/// How late a search may be before the driver answers in its place.
pub(super) const GRACE: Duration = Duration::from_millis(1);
/// Limit of an endless search without a search thread: no other command is handled while it runs.
pub(super) const LONGEST_ALONE: Duration = Duration::from_secs(1);

/// A `go ponder`: its limits, and the position after the expected turn. A later `position` does not change it.
pub(super) struct PonderRequest<G: Game> {
    pub(super) limits: Limits,
    pub(super) root: SearchRoot<G>,
}

/// A search that has not answered yet.
pub(super) struct RunningSearch<G: Game> {
    pub(super) task: Arc<SearchTask<G>>,
    /// The budget once the opponent has played the expected turn.
    pub(super) after_ponder: Budget,
    /// Whether only `stop` ends it.
    pub(super) endless: bool,
    /// The request, if the search ponders on the position before the expected turn (`Stochastic_Ponder`).
    pub(super) stochastic: Option<PonderRequest<G>>,
    /// When the driver answers in the search's place.
    pub(super) overdue: Option<Instant>,
    /// Closed by every thread of the search when it is done.
    pub(super) done: Receiver<()>,
}

/// The search in progress, and failures of earlier ones.
pub(super) struct SearchState<G: Game> {
    pub(super) running: Option<RunningSearch<G>>,
    /// The running search between two slices.
    pub(super) unfinished: Option<Unfinished<G>>,
    /// Why a `go` was answered without a search, such as too little memory.
    pub(super) unsearched: Option<GameError>,
    /// Set when a search panics.
    pub(super) panicked: Arc<AtomicBool>,
    /// Whether `gameover` followed the last search.
    pub(super) over: bool,
}

impl<G: Game> Default for SearchState<G> {
    fn default() -> SearchState<G> {
        SearchState {
            running: None,
            unfinished: None,
            unsearched: None,
            panicked: Arc::default(),
            over: false,
        }
    }
}

impl<G: Game> SearchState<G> {
    /// Whether a search has not been answered yet.
    pub(super) fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.task.reply.is_answered())
    }

    /// When the running search becomes overdue.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        running.overdue.filter(|_| !running.task.reply.is_answered())
    }

    /// Answers in place of a search that is overdue.
    pub(super) fn wake(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.overdue.is_some_and(|overdue| overdue <= Instant::now()) {
            let answered = running.task.answer_overdue();
            running.overdue = if answered { None } else { Some(Instant::now() + GRACE) };
        }
    }

    /// Why a search failed, though it was answered.
    pub(super) fn failure(&self) -> Option<GameError> {
        let panicked = self.panicked.load(Ordering::Relaxed);
        let panicked =
            panicked.then(|| GameError::failed("internal error, please report: a search panicked"));
        panicked.or_else(|| self.unsearched.clone())
    }
}

impl<G: Game> Engine<G> {
    /// The root of a search. Illegal turns of `searchmoves` are reported and ignored.
    pub(super) fn root(&self, limits: &Limits) -> SearchRoot<G> {
        let mut root = SearchRoot::new(self.current.position.clone());
        for text in &limits.turns {
            match self.resources.game.parse_turn(&self.current.position, text) {
                Ok(turn) => root.only.push(turn),
                Err(reason) => {
                    self.report(EngineEvent::Message(format!("'{text}' is not searched: {reason}")))
                }
            }
        }
        root
    }

    /// Answers without a search; after `go ponder` or `go infinite` once the GUI permits it.
    pub(super) fn answer_without_search(
        &mut self,
        reply: SearchOutput<G>,
        answer: EngineEvent,
        limits: &Limits,
    ) {
        debug!("no search: answered at once");
        reply.answer(answer);
        let task = self.task(limits, SearchRoot::new(self.current.position.clone()), reply, 0);
        self.watch(task, Budget::ENDLESS, true);
    }

    /// Starts the search on all workers.
    pub(super) fn search(&mut self, limits: Limits, mut root: SearchRoot<G>, reply: SearchOutput<G>) {
        let misjudgement = self.misjudgement(&limits);
        root.misjudgement = misjudgement.filter(|_| G::FACTS.search.misjudges);
        // Results of earlier searches at full strength would make a weak level stronger.
        let level = self.level(&limits).map(|_| self.options.settings.skill_level);
        if self.strength.note(level, misjudgement) {
            self.forget();
        }
        if level.is_none() {
            self.resources.seed(&root.position, &self.options.settings, &self.options.game_text());
        }
        if let Some(memory) = &self.resources.memory {
            memory.age();
        }
        self.resources.learned = true;
        let held = reply.is_held();
        let alone = self.resources.pool.as_ref().is_some_and(|pool| pool.threads() == 0);
        let planned = self.plan(&limits, &root.position);
        debug!("search begins: {planned}, {} threads", self.resources.workers());
        let bounded_work = limits.nodes.is_some() || limits.depth.is_some() || planned.hard.is_some();
        let task = self.task(&limits, root, reply, self.resources.workers());
        if !held {
            task.timing.start(&task.signal, planned, Duration::ZERO);
        }
        if alone && !self.resources.in_slices && (held || !bounded_work) {
            task.signal.set_deadline(Some(LONGEST_ALONE));
        }
        let done = self.watch(Arc::clone(&task), planned, held || !bounded_work);
        if self.resources.in_slices {
            self.searches.unfinished = Some(Unfinished::new(task, done));
            return;
        }
        let Some(pool) = &mut self.resources.pool else { return };
        for index in 0..pool.len() {
            let (task, done) = (Arc::clone(&task), done.clone());
            pool.run(index, move |worker| {
                let work = AssertUnwindSafe(|| match index {
                    0 => task.think(worker),
                    _ if task.mating => {}
                    _ => {
                        worker.helper_search(&task.root, &SearchControl::new(Arc::clone(&task.signal), index))
                    }
                });
                if let Err(panic) = catch_unwind(work) {
                    if index == 0 {
                        task.report_panic(panic.as_ref());
                    } else {
                        task.note_panic(panic.as_ref());
                    }
                    drop(task);
                    drop(done);
                    // The pool marks the worker as broken.
                    resume_unwind(panic);
                }
            });
        }
    }

    /// The level of play, where it is not full strength. Analysis uses full strength.
    fn level(&self, limits: &Limits) -> Option<&'static SkillLevel> {
        let weak = !limits.infinite && limits.mate.is_none() && !self.options.settings.considering;
        self.options.level().filter(|_| weak)
    }

    fn misjudgement(&self, limits: &Limits) -> Option<Misjudgement> {
        self.strength.misjudgement(self.level(limits)?)
    }

    /// The limits of a `go` with those of options, of the level, and of `rtime`.
    pub(super) fn restricted(&mut self, mut limits: Limits) -> Limits {
        let EngineSettings { nodes_limit, depth_limit, .. } = self.options.settings;
        let level = self.level(&limits);
        limits.nodes =
            [limits.nodes, nodes_limit, level.and_then(|level| level.nodes)].into_iter().flatten().min();
        limits.depth =
            [limits.depth, depth_limit, level.and_then(|level| level.depth)].into_iter().flatten().min();
        if let Some(time) = limits.random_time {
            let drawn = self.strength.random_time(time);
            limits.movetime = Some(limits.movetime.map_or(drawn, |given| given.min(drawn)));
        }
        limits
    }

    /// The opponent has played: the results of pondering are in the memory, and the search of the position begins.
    pub(super) fn search_after_hit(&mut self, asked: PonderRequest<G>, hit: Option<Limits>) {
        if let Some(running) = &self.searches.running {
            running.task.reply.supersede(None);
            running.task.signal.stop();
        }
        let clocks = hit.as_ref().and_then(|hit| hit.clocks).or(asked.limits.clocks);
        let received = hit.map_or_else(Instant::now, |hit| hit.received);
        let limits = Limits { ponder: false, received, clocks, ..asked.limits };
        self.search(limits, asked.root, SearchOutput::new(self.events.clone(), false));
    }

    /// The budget of a `go` from `position`.
    fn plan(&self, limits: &Limits, position: &G::Position) -> Budget {
        match limits.mate {
            Some(MateLimit::Time(time)) => Budget { hard: Some(time), ..Budget::ENDLESS },
            Some(MateLimit::Infinite) => Budget::ENDLESS,
            None => {
                let side = self.resources.game.side_to_move(position).index();
                let pace = self.resources.game.pace(position, limits.at_hand(side));
                budget(limits, &self.options.settings, side, pace)
            }
        }
    }

    /// The search of `root` by a number of workers.
    fn task(
        &self,
        limits: &Limits,
        root: SearchRoot<G>,
        reply: SearchOutput<G>,
        workers: usize,
    ) -> Arc<SearchTask<G>> {
        // A time for this move only is not spent on loading and allocating. A clock runs all the same.
        let begun = match self.resources.prepared {
            Some(prepared) if limits.clocks.is_none() => limits.received.max(prepared),
            _ => limits.received,
        };
        let alone = self.resources.threads() == 0;
        let interrupt = alone.then(|| self.interrupt.clone());
        Arc::new(SearchTask {
            game: Arc::clone(&self.resources.game),
            memory: self.resources.memory.clone(),
            root,
            signal: Signal::interruptible(begun, workers, limits.nodes, interrupt),
            timing: Timing::default(),
            depth: limits.depth,
            multipv: self.options.settings.multipv,
            analysing: limits.infinite || self.options.settings.considering,
            resign_value: self.options.settings.resign_value.filter(|_| !self.options.settings.considering),
            report_interval: self.options.settings.report_interval,
            output_bounds: self.options.settings.output_bounds,
            misjudgement: self.misjudgement(limits).filter(|_| !G::FACTS.search.misjudges),
            root_cache: Arc::clone(&self.resources.root_cache),
            mating: limits.mate.is_some(),
            root_report: limits.root_report,
            panicked: Arc::clone(&self.searches.panicked),
            hashfull: AtomicU16::new(0),
            reply,
        })
    }

    /// Registers the search. Each worker keeps a clone of the sender; the channel closes when all have finished.
    fn watch(&mut self, task: Arc<SearchTask<G>>, planned: Budget, endless: bool) -> Sender<()> {
        let (done, all_done) = bounded::<()>(0);
        let hard = planned.hard.filter(|_| !task.reply.is_held());
        let overdue = hard.and_then(|hard| task.signal.started().checked_add(hard + GRACE));
        let stochastic = None;
        self.searches.running =
            Some(RunningSearch { task, after_ponder: planned, endless, stochastic, overdue, done: all_done });
        done
    }

    pub(super) fn is_searching(&self) -> bool {
        self.searches.is_searching()
    }

    /// Ends a running search and waits for its answer; its threads may run a little longer.
    pub(super) fn finish(&mut self) {
        self.stop();
        self.wait();
    }

    /// Waits until no thread searches.
    pub(super) fn quiesce(&mut self) {
        self.finish();
        self.searches.unfinished = None;
        if let Some(running) = self.searches.running.take() {
            let _ = running.done.recv();
        }
    }
}
