//! The driver: what surrounds a search in every game.
//!
//! [`Engine`] owns options, position, worker pool and the running search of one game. It never
//! writes: whatever there is to tell goes into the channel of [`event::Event`]s.

pub mod bench;
pub mod clock;
pub mod controller;
pub mod event;
pub(crate) mod pages;
pub mod pool;
pub mod recall;
pub mod settings;
pub mod table;
pub mod think;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;

pub use crate::engine::bench::bench;
use crate::engine::clock::{Budget, Limits, MateLimit, budget};
pub use crate::engine::controller::{Controller, Query, Show};
use crate::engine::event::{Event, OptionLine, Response};
use crate::engine::pool::Pool;
use crate::engine::recall::{EarlierResults, OpenResults, Recall};
use crate::engine::settings::Settings;
use crate::engine::think::{Task, Timing, unsearched};
use crate::game::control::{Control, Signal};
use crate::game::options::{OptionSpec, find};
use crate::game::search::Root;
use crate::game::{Game, Memory, Rejected, Shared, Side, Worker};
use crate::reference::Reference;

/// The driver of one game.
pub struct Engine<G: Game> {
    events: Sender<Event>,
    options: Vec<OptionSpec<Settings>>,
    game_options: Vec<OptionSpec<G::Settings>>,
    settings: Settings,
    game_settings: G::Settings,
    /// The options that made them, `name=value`, names in lower case.
    game_words: BTreeMap<String, String>,
    game: Arc<G>,
    /// The settings differ from what game, memory and pool were made with.
    stale: Stale,
    /// Made at the first `ready` or `go`, so that the hello costs nothing.
    memory: Option<Arc<G::Memory>>,
    pool: Option<Pool<G>>,
    /// Set by a search that panicked: its workers are not to be trusted any more.
    broken: Arc<AtomicBool>,
    recall: Arc<Mutex<Recall<G>>>,
    store: Option<Box<dyn EarlierResults>>,
    open_results: OpenResults,
    position: G::Position,
    /// The position is still that of the start, which options may change.
    at_start: bool,
    running: Option<Running>,
    /// There was a search since everything was forgotten.
    learned: bool,
    /// The game that was searched is over.
    over: bool,
}

#[derive(Default)]
struct Stale {
    game: bool,
    memory: bool,
    pool: bool,
    store: bool,
}

/// A search that has not answered yet.
struct Running {
    signal: Arc<Signal>,
    timing: Arc<Timing>,
    /// What holds once the opponent has played the expected turn.
    after_ponder: Budget,
    /// Nothing but `stop` ends it.
    endless: bool,
    /// Closed by every thread of the search when it is done.
    done: Receiver<()>,
}

impl<G: Game> Engine<G> {
    /// An engine with default options; it tells everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn new(events: Sender<Event>) -> Result<Engine<G>, Rejected> {
        let game_settings = G::Settings::default();
        let game = Arc::new(G::load(&game_settings)?);
        Ok(Engine {
            events,
            options: settings::options(),
            game_options: G::options(),
            settings: Settings::default(),
            game_settings,
            game_words: BTreeMap::new(),
            position: game.start(),
            game,
            stale: Stale::default(),
            memory: None,
            pool: None,
            broken: Arc::default(),
            recall: Arc::default(),
            store: None,
            open_results: recall::no_results,
            at_start: true,
            running: None,
            learned: false,
            over: false,
        })
    }

    /// The same engine with results of earlier searches to be opened by the option `StoreFile`.
    pub fn with_results(mut self, open_results: OpenResults) -> Engine<G> {
        self.open_results = open_results;
        self
    }

    fn tell(&self, event: Event) {
        // Nobody listens any more only while the program ends.
        let _ = self.events.send(event);
    }

    /// Ends a running search and waits for its answer.
    fn finish(&mut self) {
        self.stop();
        if let Some(running) = self.running.take() {
            let _ = running.done.recv();
        }
    }

    /// Loads the game anew if its options changed. A refusal leaves the former one in force.
    fn refresh_game(&mut self) {
        if !std::mem::take(&mut self.stale.game) {
            return;
        }
        match G::load(&self.game_settings) {
            Ok(game) => {
                self.game = Arc::new(game);
                self.stale.pool = true;
                // What the memory holds was found by other weights.
                if let Some(memory) = self.memory.as_ref().filter(|_| self.learned) {
                    memory.clear(self.settings.threads);
                }
                if self.at_start {
                    self.position = self.game.start();
                }
            }
            Err(reason) => self.tell(Event::Message(format!("{reason}; the former settings stay in force"))),
        }
    }

    /// Makes everything a search needs. Only without a running search.
    fn prepare(&mut self) -> Result<(), Rejected> {
        self.refresh_game();
        if std::mem::take(&mut self.stale.store) {
            self.open_store();
        }
        if std::mem::take(&mut self.stale.memory) {
            self.memory = None;
        }
        let memory = match &self.memory {
            Some(memory) => Arc::clone(memory),
            None => {
                let memory = Arc::new(self.allocate()?);
                self.memory = Some(Arc::clone(&memory));
                self.stale.pool = true;
                memory
            }
        };
        if std::mem::take(&mut self.stale.pool) || self.broken.swap(false, Ordering::Relaxed) {
            self.pool = None;
            self.recall.lock().clear();
        }
        if self.pool.is_none() {
            let shared =
                Arc::new(Shared { game: Arc::clone(&self.game), memory, threads: self.settings.threads });
            let (reference, cached) = (self.settings.reference, self.settings.reference_cache);
            let hire = move |shared: Arc<Shared<G>>, index: usize| -> Box<dyn Worker<G>> {
                match reference {
                    Some(method) => Box::new(Reference::with(shared, method, cached)),
                    None => Box::new(G::Worker::new(shared, index)),
                }
            };
            let pool = Pool::new(&shared, &hire)
                .map_err(|error| Rejected(format!("no {} threads: {error}", self.settings.threads)))?;
            self.pool = Some(pool);
        }
        Ok(())
    }

    fn open_store(&mut self) {
        self.store = None;
        self.recall.lock().clear();
        let Some(path) = &self.settings.store_file else { return };
        match (self.open_results)(path) {
            Ok((store, told)) => {
                self.store = Some(store);
                if let Some(text) = told {
                    self.tell(Event::Message(text));
                }
            }
            Err(reason) => self.tell(Event::Message(reason.0)),
        }
    }

    /// Lets the search go on from what the store file knows of the root.
    fn seed(&self) {
        let Some(store) = &self.store else { return };
        let identity = self.game.identity(&self.position);
        let mut recall = self.recall.lock();
        // The iterations of the article's searches are others.
        if self.settings.reference.is_some() || recall.get(&identity, self.settings.multipv).is_some() {
            return;
        }
        let words: Vec<String> =
            self.game_words.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let earlier = store.find(&words.join("\n"), G::NAME, &identity, self.settings.multipv);
        if let Some(earlier) = earlier
            && let Some(lines) = earlier.lines(&*self.game, &self.position)
        {
            recall.put(identity, earlier.stage, &lines, earlier.wanted);
        }
    }

    /// Table memory of the size asked for, halved until the machine has it.
    fn allocate(&self) -> Result<G::Memory, Rejected> {
        let asked = self.settings.hash_mib;
        let fitting = machine_memory_mib().map_or(asked, |have| asked.min(have / 2)).max(1);
        let mut mib = asked;
        while mib > fitting {
            mib /= 2;
        }
        loop {
            match G::Memory::with_bytes(mib.max(1) << 20) {
                Ok(memory) => {
                    if mib < asked {
                        self.tell(Event::Message(format!(
                            "Hash of {asked} MiB is too large for this machine: {mib} MiB are used"
                        )));
                    }
                    return Ok(memory);
                }
                Err(_) if mib > 1 => mib /= 2,
                Err(reason) => return Err(reason),
            }
        }
    }

    /// Where to search. Turns that cannot be played do not restrict it.
    fn root(&self, limits: &Limits) -> Root<G> {
        let mut root = Root::new(self.position.clone());
        for text in &limits.turns {
            match self.game.parse_turn(&self.position, text) {
                Ok(turn) => root.only.push(turn),
                Err(reason) => self.tell(Event::Message(format!("'{text}' is not searched: {reason}"))),
            }
        }
        root
    }
}

impl<G: Game> Controller for Engine<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn options(&self) -> Vec<OptionLine> {
        fn line<S>(spec: &OptionSpec<S>) -> OptionLine {
            OptionLine { name: spec.name, kind: spec.kind.clone() }
        }
        self.options.iter().map(line).chain(self.game_options.iter().map(line)).collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Rejected> {
        if let Some(spec) = find(&self.options, name) {
            spec.apply(&mut self.settings, value)?;
            match spec.name {
                "Hash" => self.stale.memory = true,
                "Threads" | "Search" | "ReferenceCache" => self.stale.pool = true,
                "StoreFile" => self.stale.store = true,
                _ => {}
            }
            return Ok(());
        }
        if let Some(spec) = find(&self.game_options, name) {
            spec.apply(&mut self.game_settings, value)?;
            self.game_words.insert(spec.name.to_ascii_lowercase(), value.trim().to_owned());
            self.stale.game = true;
            return Ok(());
        }
        Err(Rejected(format!("{} has no option '{name}'", G::NAME)))
    }

    fn ready(&mut self) {
        if std::mem::take(&mut self.over) {
            self.new_game();
        }
        // During a search the workers are busy: what is new then waits for the next `go`.
        if !self.is_searching()
            && let Err(reason) = self.prepare()
        {
            self.tell(Event::Message(reason.0));
        }
        self.tell(Event::Ready);
    }

    fn new_game(&mut self) {
        self.finish();
        // Clearing a large table takes long enough to lose a short game on time.
        if !std::mem::take(&mut self.learned) {
            return;
        }
        self.recall.lock().clear();
        if let Some(memory) = &self.memory {
            memory.clear(self.settings.threads);
        }
        if let Some(pool) = &self.pool {
            for index in 0..pool.len() {
                pool.run(index, |worker| worker.new_game());
            }
        }
    }

    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), Rejected> {
        self.refresh_game();
        let mut position = self.game.parse_position(text)?;
        for (index, text) in turns.iter().enumerate() {
            let turn = self
                .game
                .parse_turn(&position, text)
                .map_err(|reason| Rejected(format!("move {} '{text}': {reason}", index + 1)))?;
            self.game.play(&mut position, &turn);
        }
        self.at_start = turns.is_empty() && text.trim() == "startpos";
        self.position = position;
        Ok(())
    }

    fn go(&mut self, limits: Limits) {
        self.finish();
        if let Err(reason) = self.prepare() {
            self.tell(Event::Message(reason.0));
        }
        let root = self.root(&limits);
        let (Some(pool), Some(memory)) = (&self.pool, &self.memory) else {
            self.tell(unsearched(&*self.game, &root, limits.mate.is_some()));
            return;
        };
        self.seed();
        memory.age();
        self.learned = true;
        let signal = Signal::new(limits.received, pool.len(), limits.nodes);
        let held = limits.infinite || limits.ponder;
        let timing = Arc::new(Timing::new(held));
        let planned = match limits.mate {
            Some(MateLimit::Time(time)) => Budget { soft: None, hard: Some(time), flexible: false },
            Some(MateLimit::Infinite) => Budget::ENDLESS,
            None => {
                let side = match self.game.side_to_move(&self.position) {
                    Side::First => 0,
                    Side::Second => 1,
                };
                budget(&limits, &self.settings, side, |left| self.game.turns_left(&self.position, left))
            }
        };
        if !held {
            timing.start(&signal, planned, Duration::ZERO);
        }
        let bounded_work = limits.nodes.is_some() || limits.depth.is_some() || planned.hard.is_some();
        let task = Arc::new(Task {
            game: Arc::clone(&self.game),
            memory: Arc::clone(memory),
            root,
            signal: Arc::clone(&signal),
            timing: Arc::clone(&timing),
            depth: limits.depth,
            multipv: self.settings.multipv,
            analysing: limits.infinite,
            resign_value: self.settings.resign_value,
            recall: Arc::clone(&self.recall),
            events: self.events.clone(),
        });
        let (done, all_done) = bounded::<()>(0);
        let mating = limits.mate.is_some();
        for index in 0..pool.len() {
            let (task, done, broken) = (Arc::clone(&task), done.clone(), Arc::clone(&self.broken));
            pool.run(index, move |worker| {
                let work = AssertUnwindSafe(|| match index {
                    0 if mating => task.mate(worker),
                    0 => task.think(worker),
                    _ if mating => {}
                    _ => worker.assist(&task.root, &Control::new(Arc::clone(&task.signal), index)),
                });
                if let Err(panic) = catch_unwind(work) {
                    broken.store(true, Ordering::Relaxed);
                    if index == 0 {
                        task.apologise(mating, panic.as_ref());
                    }
                }
                drop(done);
            });
        }
        self.running = Some(Running {
            signal,
            timing,
            after_ponder: planned,
            endless: limits.infinite || limits.ponder || !bounded_work,
            done: all_done,
        });
    }

    fn ponder_hit(&mut self, limits: Option<Limits>) {
        let side = self.game.side_to_move(&self.position).index();
        if let Some(running) = &mut self.running {
            if let Some(limits) = &limits {
                let turns_left = |left| self.game.turns_left(&self.position, left);
                running.after_ponder = budget(limits, &self.settings, side, turns_left);
            }
            running.timing.start(&running.signal, running.after_ponder, running.signal.elapsed());
            running.endless = running.after_ponder.hard.is_none();
            running.timing.release();
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.signal.stop();
            running.timing.release();
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
        if let Some(running) = self.running.take() {
            let _ = running.done.recv();
        }
    }

    fn query(&mut self, query: Query) {
        let outcome = self.game.outcome(&self.position);
        self.tell(Event::Response(match query {
            Query::GameOver => Response::Truth(outcome.is_some()),
            Query::FirstToMove => Response::Truth(self.game.side_to_move(&self.position) == Side::First),
            Query::Result => match outcome.map(|outcome| outcome.winner) {
                None => Response::Unfinished,
                Some(None) => Response::Draw,
                Some(Some(Side::First)) => Response::FirstWins,
                Some(Some(Side::Second)) => Response::SecondWins,
            },
        }));
    }

    fn show(&mut self, show: Show) {
        self.refresh_game();
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
        text.lines().for_each(|line| self.tell(Event::Text(line.to_string())));
    }
}

impl<G: Game> Engine<G> {
    fn is_searching(&mut self) -> bool {
        let over = |running: &Running| {
            matches!(running.done.try_recv(), Err(crossbeam_channel::TryRecvError::Disconnected))
        };
        if self.running.as_ref().is_some_and(over) {
            self.running = None;
        }
        self.running.is_some()
    }
}

impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Physical memory of this machine in MiB, where the system tells it.
fn machine_memory_mib() -> Option<usize> {
    #[cfg(unix)]
    {
        // SAFETY: sysconf only reads constants of the system.
        let (pages, size) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        let bytes = u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)?;
        usize::try_from(bytes >> 20).ok()
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests;
