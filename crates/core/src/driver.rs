//! The driver: what surrounds a search in every game.
//!
//! [`Engine`] owns options, position, worker pool and the running search of one game. It never
//! writes: whatever there is to report goes into the channel of [`event::EngineEvent`]s.

pub mod bench;
pub mod clock;
pub mod controller;
pub mod event;
pub mod machine;
pub mod pages;
pub mod pool;
mod preparation;
mod refusal;
pub mod reply;
pub mod root_cache;
mod running;
pub mod settings;
pub mod slice;
pub mod slices;
pub mod table;
pub mod think;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;
use log::debug;

pub use crate::driver::bench::bench;
use crate::driver::clock::{Limits, budget};
pub use crate::driver::controller::{Controller, Query, Show};
use crate::driver::event::{Best, EngineEvent, Mate, QueryResponse};
use crate::driver::pool::ThreadPool;
use crate::driver::preparation::Stale;
use crate::driver::refusal::Refusal;
use crate::driver::reply::SearchOutput;
use crate::driver::root_cache::{EarlierResults, OpenResults, RootCache};
use crate::driver::running::{GRACE, PonderRequest, RunningSearch};
use crate::driver::settings::EngineSettings;
use crate::driver::slices::Unfinished;
use crate::driver::think::unsearched;
use crate::files;
use crate::game::interrupt::Interrupt;
use crate::game::level::Misjudgement;
use crate::game::options::{OptionLine, OptionSpec, find};
use crate::game::search::SearchRoot;
use crate::game::{Game, GameError, SearchMemory, Side};
use crate::mutex::Mutex;
use crate::random::{self, SplitMix};
use crate::time::Instant;

/// The driver of one game.
pub struct Engine<G: Game> {
    events: Sender<EngineEvent>,
    options: Vec<OptionSpec<EngineSettings>>,
    game_options: Vec<OptionSpec<G::Settings>>,
    settings: EngineSettings,
    game_settings: G::Settings,
    /// The options that made them, `name=value`, names in lower case.
    game_words: BTreeMap<String, String>,
    game: Arc<G>,
    /// The settings differ from what game, memory and pool were made with.
    stale: Stale,
    /// Made at the first `ready` or `go`, so that the hello costs nothing.
    memory: Option<Arc<G::Memory>>,
    pool: Option<ThreadPool<G>>,
    root_cache: Arc<Mutex<RootCache<G>>>,
    store: Option<Box<dyn EarlierResults>>,
    open_results: OpenResults,
    position: G::Position,
    /// That before the last turn, if there was one.
    before: Option<G::Position>,
    /// The position is still that of the start, which options may change.
    at_start: bool,
    /// Why the last `position` was refused: `go` must not answer for the one before.
    refused: Option<Refusal>,
    /// Raised while `stop`, `quit` or `go` is queued; long operations poll it and return early.
    interrupt: Interrupt,
    /// For `go rtime`.
    chance: SplitMix,
    /// Per-game seed of the evaluation noise below `SkillLevel` 20.
    noise_seed: u64,
    /// By how much positions are misjudged in what the memory holds.
    misjudged: Option<Misjudgement>,
    /// When something was last loaded or allocated for a search.
    prepared: Option<Instant>,
    running: Option<RunningSearch<G>>,
    /// Whether searches run in slices, on the thread that drives the engine.
    in_slices: bool,
    /// The running search between two slices.
    unfinished: Option<Unfinished<G>>,
    /// Why a search could not be had.
    unsearched: Option<GameError>,
    /// Set by a search that panics.
    panicked: Arc<AtomicBool>,
    /// There was a search since everything was forgotten.
    learned: bool,
    /// The game that was searched is over.
    over: bool,
}

fn options_of_driver<G: Game>() -> Vec<OptionSpec<EngineSettings>> {
    let mut options = settings::options();
    if !G::FACTS.levels.is_empty() {
        options.push(settings::skill_option());
    }
    options
}

fn lines<S, T>(driver: &[OptionSpec<S>], game: &[OptionSpec<T>]) -> Vec<OptionLine> {
    let driver = driver.iter().map(|spec| spec.line.clone());
    driver.chain(game.iter().map(|spec| spec.line.clone())).collect()
}

/// The options of a game's engine: those of every game, and its own.
pub fn options_of<G: Game>() -> Vec<OptionLine> {
    lines(&options_of_driver::<G>(), &G::options())
}

impl<G: Game> Engine<G> {
    /// An engine with default options; it reports everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn new(events: Sender<EngineEvent>) -> Result<Engine<G>, GameError> {
        let game_settings = G::Settings::default();
        let game = Arc::new(G::load(&game_settings)?);
        Ok(Engine {
            events,
            options: options_of_driver::<G>(),
            game_options: G::options(),
            settings: EngineSettings::default(),
            game_settings,
            game_words: BTreeMap::new(),
            position: game.start(),
            before: None,
            game,
            stale: Stale::default(),
            memory: None,
            pool: None,
            root_cache: Arc::default(),
            store: None,
            open_results: root_cache::no_results,
            at_start: true,
            refused: None,
            interrupt: Interrupt::default(),
            prepared: None,
            chance: SplitMix::new(random::seed(0)),
            noise_seed: random::seed(1),
            misjudged: None,
            running: None,
            in_slices: false,
            unfinished: None,
            unsearched: None,
            panicked: Arc::default(),
            learned: false,
            over: false,
        })
    }

    /// The same engine with results of earlier searches to be opened by the option `StoreFile`.
    pub fn with_results(mut self, open_results: OpenResults) -> Engine<G> {
        self.open_results = open_results;
        self
    }

    fn report(&self, event: EngineEvent) {
        // The receiver is gone only while the program ends.
        let _ = self.events.send(event);
    }
}

impl<G: Game> Controller for Engine<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn options(&self) -> Vec<OptionLine> {
        lines(&self.options, &self.game_options)
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError> {
        if let Some(spec) = find(&self.options, name) {
            spec.apply(&mut self.settings, value)?;
            match spec.line.name {
                "Hash" => self.stale.memory = true,
                "Threads" | "Search" | "ReferenceCache" | "ReferenceOrdering" => self.stale.pool = true,
                "StoreFile" => self.stale.store = true,
                _ => {}
            }
            return Ok(());
        }
        if let Some(spec) = find(&self.game_options, name) {
            let settings = &mut self.game_settings;
            files::interruptible(&self.interrupt, || spec.apply(settings, value))?;
            self.game_words.insert(spec.line.name.to_ascii_lowercase(), value.trim().to_owned());
            self.stale.game = true;
            return Ok(());
        }
        let instead = G::instead_of_option(name).map(|reason| format!(": {reason}")).unwrap_or_default();
        Err(GameError(format!("{} has no option '{name}'{instead}", G::NAME)))
    }

    fn ready(&mut self) {
        if std::mem::take(&mut self.over) {
            self.new_game();
        }
        // During a search the workers are busy: what is new then waits for the next `go`.
        if !self.is_searching() {
            let fresh = self.memory.is_none() || self.stale.memory;
            if let Err(reason) = self.prepare() {
                self.report(EngineEvent::Message(reason.0));
            }
            if let Some(memory) = self.memory.as_ref().filter(|_| fresh) {
                memory.prefault(self.clearing_threads(), &self.interrupt);
            }
        }
        self.report(EngineEvent::Ready);
    }

    fn prepare(&mut self) {
        if !self.is_searching()
            && let Err(reason) = Engine::prepare(self)
        {
            self.report(EngineEvent::Message(reason.0));
        }
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    fn new_game(&mut self) {
        self.finish();
        self.noise_seed = self.chance.draw();
        self.forget();
    }

    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), GameError> {
        self.refresh_game();
        self.refused = None;
        match self.read_position(text, turns) {
            Ok((position, before)) => {
                self.at_start = turns.is_empty() && text.trim() == "startpos";
                (self.position, self.before) = (position, before);
                Ok(())
            }
            Err(refusal) => {
                let reason = refusal.reason.clone();
                self.refused = Some(refusal);
                Err(reason)
            }
        }
    }

    fn go(&mut self, limits: Limits) {
        self.finish();
        let limits = self.restricted(limits);
        if let Err(reason) = Engine::prepare(self) {
            self.report(EngineEvent::Message(reason.0.clone()));
            self.unsearched = Some(reason);
        }
        let mating = limits.mate.is_some();
        let held = limits.infinite || limits.ponder;
        let reply = SearchOutput::new(self.events.clone(), held);
        if let Some(Refusal { reason, loser }) = &self.refused {
            let why = loser.map_or("", |_| "; the opponent's last move breaks the rules: it has lost");
            self.report(EngineEvent::Message(format!(
                "no search: the last position was refused ({reason}){why}"
            )));
            let answer = match loser {
                _ if mating => EngineEvent::Mate(Mate::Timeout),
                Some(_) => EngineEvent::Best(Best::Win),
                None => EngineEvent::Best(Best::None),
            };
            return self.answer_at_once(reply, answer, &limits);
        }
        let root = self.root(&limits);
        if self.pool.is_none() || self.memory.is_none() {
            let answer = unsearched(&*self.game, &root, mating);
            return self.answer_at_once(reply, answer, &limits);
        }
        match self.before.clone().filter(|_| self.settings.stochastic_ponder && limits.ponder) {
            Some(before) => {
                self.search(
                    limits.clone(),
                    SearchRoot::new(before),
                    SearchOutput::quiet(self.events.clone()),
                );
                if let Some(running) = &mut self.running {
                    running.stochastic = Some(PonderRequest { limits, root });
                }
            }
            None => self.search(limits, root, reply),
        }
    }

    fn ponder_hit(&mut self, limits: Option<Limits>) {
        if let Some(asked) = self.running.as_mut().and_then(|running| running.stochastic.take()) {
            return self.search_after_hit(asked, limits);
        }
        let Some(running) = self.running.as_mut().filter(|running| !running.task.reply.is_answered()) else {
            return;
        };
        let (task, signal) = (&running.task, &running.task.signal);
        if let Some(limits) = &limits {
            let position = &task.root.position;
            let side = self.game.side_to_move(position).index();
            let pace = self.game.pace(position, limits.at_hand(side));
            running.after_ponder = budget(limits, &self.settings, side, pace);
        }
        debug!("ponderhit after {} ms: {}", signal.elapsed().as_millis(), running.after_ponder);
        task.timing.start(signal, running.after_ponder, signal.elapsed());
        running.endless = running.after_ponder.hard.is_none();
        running.overdue = running.after_ponder.hard.and_then(|hard| Instant::now().checked_add(hard + GRACE));
        if task.reply.release() {
            signal.stop();
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.task.signal.stop();
            if let Some(asked) = running.stochastic.take() {
                // What it has found is no answer to the position that was asked for.
                running.task.reply.supersede(Some(unsearched(&*self.game, &asked.root, false)));
            }
            running.task.reply.release();
            running.overdue = Some(Instant::now() + GRACE);
        }
    }

    fn game_over(&mut self) {
        self.stop();
        self.over = true;
    }

    fn wait(&mut self) {
        if self.running.as_ref().is_some_and(|running| running.endless) {
            self.stop();
        }
        while let Some(running) = self.running.as_ref().filter(|running| !running.task.reply.is_answered()) {
            if self.unfinished.is_some() {
                self.finish_slices();
                continue;
            }
            let longest = running.overdue.map(|overdue| overdue.saturating_duration_since(Instant::now()));
            running.task.reply.wait(longest);
            self.wake();
        }
    }

    fn search_on(&mut self) -> bool {
        self.slice()
    }

    fn wake_at(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        running.overdue.filter(|_| !running.task.reply.is_answered())
    }

    fn wake(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.overdue.is_some_and(|overdue| overdue <= Instant::now()) {
            let answered = running.task.answer_overdue();
            running.overdue = if answered { None } else { Some(Instant::now() + GRACE) };
        }
    }

    fn failure(&self) -> Option<GameError> {
        let panicked = self.panicked.load(Ordering::Relaxed);
        let panicked = panicked.then(|| GameError::new("internal error, please report: a search panicked"));
        panicked.or_else(|| self.unsearched.clone())
    }

    fn query(&mut self, query: Query) {
        let mut to_move = self.game.side_to_move(&self.position);
        let mut winner = self.game.outcome(&self.position).map(|outcome| outcome.winner);
        if let Some(loser) = self.refused.as_ref().and_then(|refusal| refusal.loser) {
            (to_move, winner) = (loser.other(), Some(Some(loser.other())));
        }
        self.report(EngineEvent::Response(match query {
            Query::GameOver => QueryResponse::Truth(winner.is_some()),
            Query::FirstToMove => QueryResponse::Truth(to_move == Side::First),
            Query::Result => match winner {
                None => QueryResponse::Unfinished,
                Some(None) => QueryResponse::Draw,
                Some(Some(Side::First)) => QueryResponse::FirstWins,
                Some(Some(Side::Second)) => QueryResponse::SecondWins,
            },
        }));
    }

    fn show(&mut self, show: Show) {
        self.refresh_game();
        if let Some(Refusal { reason, .. }) = self.refused.as_ref().filter(|_| show != Show::Bench) {
            let text = format!("the last position was refused ({reason}): this is about the one before");
            self.report(EngineEvent::Message(text));
        }
        let text = match show {
            Show::Board => self.game.diagram(&self.position),
            Show::Evaluation => self.game.explain(&self.position),
            Show::Turns => {
                let turns = self.game.turns(&self.position);
                let texts: Vec<_> =
                    turns.iter().map(|turn| self.game.format_turn(&self.position, turn)).collect();
                texts.join(" ")
            }
            Show::Side => match self.game.side_to_move(&self.position) {
                Side::First => "first".to_string(),
                Side::Second => "second".to_string(),
            },
            Show::Perft(depth) => format!("nodes {}", self.game.perft(&self.position, depth)),
            Show::Bench => match bench::<G>() {
                Ok(nodes) => format!("Bench: {} {nodes}", G::NAME),
                Err(reason) => reason.0,
            },
        };
        text.lines().for_each(|line| self.report(EngineEvent::Text(line.to_string())));
    }
}

impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        self.quiesce();
    }
}

#[cfg(test)]
mod tests;
