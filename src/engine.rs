//! The driver: what surrounds a search in every game.
//!
//! [`Engine`] owns options, position, worker pool and the running search of one game. It never
//! writes: whatever there is to report goes into the channel of [`event::Event`]s.

pub mod bench;
pub mod clock;
pub mod controller;
pub mod event;
pub mod machine;
pub(crate) mod pages;
pub mod pool;
pub mod recall;
pub mod reply;
pub mod settings;
pub mod table;
pub mod think;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU16;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use parking_lot::Mutex;

pub use crate::engine::bench::bench;
use crate::engine::clock::{Budget, Limits, MateLimit, budget};
pub use crate::engine::controller::{Controller, Query, Show};
use crate::engine::event::{Best, Event, Mate, OptionLine, Response};
use crate::engine::machine::free_memory;
use crate::engine::pool::{Hire, Pool};
use crate::engine::recall::{EarlierResults, OpenResults, Recall};
use crate::engine::reply::Reply;
use crate::engine::settings::Settings;
use crate::engine::think::{Task, Timing, panic_message, unsearched};
use crate::game::control::{Control, Signal};
use crate::game::interrupt::Interrupt;
use crate::game::options::{OptionSpec, find};
use crate::game::search::Root;
use crate::game::{Game, Memory, Rejected, Shared, Side, Worker};
use crate::random::SplitMix;
use crate::reference::Reference;

/// How late a search may be before the driver answers in its stead.
const GRACE: Duration = Duration::from_millis(3);
/// Without a thread of its own an endless search ends after so long, or no other command would be heard.
const LONGEST_ALONE: Duration = Duration::from_secs(1);
/// What the workers and the program need besides the table, in MiB: once, and for each worker.
const OVERHEAD_MIB: (u64, u64) = (40, 16);

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
    recall: Arc<Mutex<Recall<G>>>,
    store: Option<Box<dyn EarlierResults>>,
    open_results: OpenResults,
    position: G::Position,
    /// That before the last turn, if there was one.
    before: Option<G::Position>,
    /// The position is still that of the start, which options may change.
    at_start: bool,
    /// Why the last `position` was refused: `go` must not answer for the one before.
    refused: Option<Rejected>,
    /// Commands wait that must not.
    interrupt: Interrupt,
    /// For `go rtime`.
    chance: SplitMix,
    /// What is misjudged in this game at a `SkillLevel`.
    folly: u64,
    /// When something was last loaded or allocated for a search.
    prepared: Option<Instant>,
    running: Option<Running<G>>,
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
struct Running<G: Game> {
    task: Arc<Task<G>>,
    /// What holds once the opponent has played the expected turn.
    after_ponder: Budget,
    /// Nothing but `stop` ends it.
    endless: bool,
    /// The `go ponder` of a search that ponders on the position before the expected turn.
    stochastic: Option<Limits>,
    /// When the driver answers in the search's stead.
    overdue: Option<Instant>,
    /// Closed by every thread of the search when it is done.
    done: Receiver<()>,
}

impl<G: Game> Engine<G> {
    /// An engine with default options; it reports everything through `events`.
    ///
    /// # Errors
    /// If the game does not load with its default settings.
    pub fn new(events: Sender<Event>) -> Result<Engine<G>, Rejected> {
        let game_settings = G::Settings::default();
        let game = Arc::new(G::load(&game_settings)?);
        let mut options = settings::options();
        if G::weakness(0).is_some() {
            options.push(settings::skill_option());
        }
        Ok(Engine {
            events,
            options,
            game_options: G::options(),
            settings: Settings::default(),
            game_settings,
            game_words: BTreeMap::new(),
            position: game.start(),
            before: None,
            game,
            stale: Stale::default(),
            memory: None,
            pool: None,
            recall: Arc::default(),
            store: None,
            open_results: recall::no_results,
            at_start: true,
            refused: None,
            interrupt: Interrupt::default(),
            prepared: None,
            chance: SplitMix::new(RandomState::new().hash_one(0)),
            folly: RandomState::new().hash_one(1),
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

    /// Ends a running search and waits for its answer; its threads may need a little longer.
    fn finish(&mut self) {
        self.stop();
        self.wait();
    }

    /// Waits until no thread searches.
    fn quiesce(&mut self) {
        self.finish();
        if let Some(running) = self.running.take() {
            let _ = running.done.recv();
        }
    }

    /// How many threads may clear or provide memory.
    fn clearing_threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).max(self.settings.threads)
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
                    memory.clear_unless(self.clearing_threads(), &self.interrupt);
                }
                if self.at_start {
                    self.position = self.game.start();
                }
            }
            Err(reason) => self.tell(Event::Message(format!("{reason}; the former settings stay in force"))),
        }
    }

    /// Makes everything a search needs, unless it is there. Only without a running search.
    fn prepare(&mut self) -> Result<(), Rejected> {
        let prepared = catch_unwind(AssertUnwindSafe(|| self.prepare_unguarded()));
        prepared.unwrap_or_else(|panic| {
            self.pool = None;
            self.tell(Event::Panic(panic_message(panic.as_ref())));
            Err(Rejected::new("the search cannot be set up"))
        })
    }

    fn prepare_unguarded(&mut self) -> Result<(), Rejected> {
        let broken = self.pool.as_ref().is_some_and(Pool::is_broken);
        let stale = self.stale.game || self.stale.memory || self.stale.pool || self.stale.store;
        if !stale && !broken && self.pool.is_some() {
            return Ok(());
        }
        self.quiesce();
        self.refresh_game();
        if std::mem::take(&mut self.stale.store) {
            self.open_store();
        }
        if std::mem::take(&mut self.stale.memory) {
            // The workers hold it, too, and two tables may be more than there is room for.
            (self.pool, self.memory) = (None, None);
        }
        if std::mem::take(&mut self.stale.pool) || broken {
            self.pool = None;
            self.recall.lock().clear();
        }
        if self.pool.is_none() {
            // Threads first: they need little, but the table would leave them nothing.
            let mut pool = Pool::new(self.settings.threads);
            let memory = match &self.memory {
                Some(memory) => Arc::clone(memory),
                None => Arc::new(self.allocate(pool.threads())?),
            };
            self.memory = Some(Arc::clone(&memory));
            pool.hire(&self.hire(memory, pool.threads().max(1)))?;
            self.tell_threads(&pool);
            self.pool = Some(pool);
        }
        self.prepared = Some(Instant::now());
        Ok(())
    }

    /// Makes a worker of the search that is set.
    fn hire(&self, memory: Arc<G::Memory>, threads: usize) -> Arc<Hire<G>> {
        let shared = Arc::new(Shared { game: Arc::clone(&self.game), memory, threads });
        let (reference, cached) = (self.settings.reference, self.settings.reference_cache);
        Arc::new(move |index| -> Box<dyn Worker<G>> {
            match reference {
                Some(method) => Box::new(Reference::with(Arc::clone(&shared), method, cached)),
                None => Box::new(G::Worker::new(Arc::clone(&shared), index)),
            }
        })
    }

    /// Says so where the system grants fewer threads than were asked for.
    fn tell_threads(&self, pool: &Pool<G>) {
        let asked = self.settings.threads;
        if pool.threads() == 0 {
            self.tell(Event::Message(format!(
                "the system grants no thread for the search: it runs between the commands, and endless ones \
                 end after {} s",
                LONGEST_ALONE.as_secs()
            )));
        } else if pool.len() < asked {
            self.tell(Event::Message(format!(
                "the system grants {} of {asked} threads: the search runs on {}",
                pool.len(),
                pool.len()
            )));
        }
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

    /// Table memory of the size asked for, or as much as there is room for beside so many search threads.
    fn allocate(&self, threads: usize) -> Result<G::Memory, Rejected> {
        let asked = self.settings.hash_mib;
        let overhead = OVERHEAD_MIB.0 + OVERHEAD_MIB.1 * threads as u64;
        let room = free_memory().map(|free| (free >> 20).saturating_sub(overhead) / 8 * 7);
        let mut mib = room.map_or(asked, |room| asked.min(usize::try_from(room).unwrap_or(asked))).max(1);
        let memory = loop {
            match G::Memory::with_bytes(mib << 20) {
                Ok(memory) => break memory,
                Err(_) if mib > 1 => mib /= 2,
                Err(reason) => return Err(reason),
            }
        };
        if mib < asked {
            self.tell(Event::Message(format!(
                "Hash of {asked} MiB does not fit into the memory that is free: {mib} MiB are used"
            )));
        }
        Ok(memory)
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
        let instead = settings::instead_of(name).map(|reason| format!(": {reason}")).unwrap_or_default();
        Err(Rejected(format!("{} has no option '{name}'{instead}", G::NAME)))
    }

    fn ready(&mut self) {
        if std::mem::take(&mut self.over) {
            self.new_game();
        }
        // During a search the workers are busy: what is new then waits for the next `go`.
        if !self.is_searching() {
            let fresh = self.memory.is_none() || self.stale.memory;
            if let Err(reason) = self.prepare() {
                self.tell(Event::Message(reason.0));
            }
            if let Some(memory) = self.memory.as_ref().filter(|_| fresh) {
                memory.touch(self.clearing_threads(), &self.interrupt);
            }
        }
        self.tell(Event::Ready);
    }

    fn prepare(&mut self) {
        if !self.is_searching()
            && let Err(reason) = Engine::prepare(self)
        {
            self.tell(Event::Message(reason.0));
        }
    }

    fn attend(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    fn new_game(&mut self) {
        self.finish();
        self.folly = self.chance.draw();
        // Clearing a large table takes long enough to lose a short game on time.
        if !std::mem::take(&mut self.learned) {
            return;
        }
        self.quiesce();
        self.recall.lock().clear();
        if let Some(memory) = &self.memory {
            memory.clear_unless(self.clearing_threads(), &self.interrupt);
        }
        if let Some(pool) = &mut self.pool {
            for index in 0..pool.len() {
                pool.run(index, |worker| worker.new_game());
            }
        }
    }

    fn set_position(&mut self, text: &str, turns: &[&str]) -> Result<(), Rejected> {
        self.refresh_game();
        self.refused = None;
        match self.read_position(text, turns) {
            Ok((position, before)) => {
                self.at_start = turns.is_empty() && text.trim() == "startpos";
                (self.position, self.before) = (position, before);
                Ok(())
            }
            Err(reason) => {
                self.refused = Some(reason.clone());
                Err(reason)
            }
        }
    }

    fn go(&mut self, limits: Limits) {
        self.finish();
        let limits = self.restricted(limits);
        if let Err(reason) = Engine::prepare(self) {
            self.tell(Event::Message(reason.0));
        }
        let mating = limits.mate.is_some();
        let held = limits.infinite || limits.ponder;
        let reply = Reply::new(self.events.clone(), held);
        if let Some(reason) = &self.refused {
            self.tell(Event::Message(format!("no search: the last position was refused ({reason})")));
            let answer = if mating { Event::Mate(Mate::Timeout) } else { Event::Best(Best::None) };
            return self.answer_at_once(reply, answer, &limits);
        }
        let root = self.root(&limits);
        if self.pool.is_none() || self.memory.is_none() {
            let answer = unsearched(&*self.game, &root, mating);
            return self.answer_at_once(reply, answer, &limits);
        }
        match self.before.clone().filter(|_| self.settings.stochastic_ponder && limits.ponder) {
            Some(before) => {
                self.search(limits.clone(), Root::new(before), Reply::quiet(self.events.clone()));
                if let Some(running) = &mut self.running {
                    running.stochastic = Some(limits);
                }
            }
            None => self.search(limits, root, reply),
        }
    }

    fn ponder_hit(&mut self, limits: Option<Limits>) {
        if let Some(asked) = self.running.as_mut().and_then(|running| running.stochastic.take()) {
            return self.search_after_hit(asked, limits);
        }
        let side = self.game.side_to_move(&self.position).index();
        let Some(running) = self.running.as_mut().filter(|running| !running.task.reply.is_told()) else {
            return;
        };
        let (task, signal) = (&running.task, &running.task.signal);
        if let Some(limits) = &limits {
            let turns_left = self.game.turns_left(&self.position);
            running.after_ponder = budget(limits, &self.settings, side, turns_left);
        }
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
            if running.stochastic.take().is_some() {
                // What it has found is no answer to this position.
                let root = Root::new(self.position.clone());
                running.task.reply.supersede(Some(unsearched(&*self.game, &root, false)));
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
        while let Some(running) = self.running.as_ref().filter(|running| !running.task.reply.is_told()) {
            let longest = running.overdue.map(|overdue| overdue.saturating_duration_since(Instant::now()));
            running.task.reply.wait(longest);
            self.wake();
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        running.overdue.filter(|_| !running.task.reply.is_told())
    }

    fn wake(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.overdue.is_some_and(|overdue| overdue <= Instant::now()) {
            let answered = running.task.stand_in();
            running.overdue = if answered { None } else { Some(Instant::now() + GRACE) };
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
    /// A position, and the one before the last turn.
    fn read_position(
        &self,
        text: &str,
        turns: &[&str],
    ) -> Result<(G::Position, Option<G::Position>), Rejected> {
        let mut position = self.game.parse_position(text)?;
        let mut before = None;
        for (index, text) in turns.iter().enumerate() {
            let turn = self
                .game
                .parse_turn(&position, text)
                .map_err(|reason| Rejected(format!("move {} '{text}': {reason}", index + 1)))?;
            if index + 1 == turns.len() {
                before = Some(position.clone());
            }
            self.game.play(&mut position, &turn);
        }
        Ok((position, before))
    }

    /// Answers without a search, when the GUI wants to hear it.
    fn answer_at_once(&mut self, reply: Reply<G>, answer: Event, limits: &Limits) {
        reply.answer(answer);
        let task = self.task(limits, Root::new(self.position.clone()), reply, 0);
        self.watch(task, Budget::ENDLESS, true);
    }

    /// Has the workers search.
    fn search(&mut self, limits: Limits, root: Root<G>, reply: Reply<G>) {
        self.seed();
        if let Some(memory) = &self.memory {
            memory.age();
        }
        self.learned = true;
        let held = reply.is_held();
        let alone = self.pool.as_ref().is_some_and(|pool| pool.threads() == 0);
        let planned = self.plan(&limits);
        let bounded_work = limits.nodes.is_some() || limits.depth.is_some() || planned.hard.is_some();
        let task = self.task(&limits, root, reply, self.pool.as_ref().map_or(0, Pool::len));
        if !held {
            task.timing.start(&task.signal, planned, Duration::ZERO);
        }
        if alone && (held || !bounded_work) {
            task.signal.set_deadline(Some(LONGEST_ALONE));
        }
        let done = self.watch(Arc::clone(&task), planned, held || !bounded_work);
        let Some(pool) = &mut self.pool else { return };
        for index in 0..pool.len() {
            let (task, done) = (Arc::clone(&task), done.clone());
            pool.run(index, move |worker| {
                let work = AssertUnwindSafe(|| match index {
                    0 if task.mating => task.mate(worker),
                    0 => task.think(worker),
                    _ if task.mating => {}
                    _ => worker.assist(&task.root, &Control::new(Arc::clone(&task.signal), index)),
                });
                if let Err(panic) = catch_unwind(work) {
                    if index == 0 {
                        task.report_panic(panic.as_ref());
                    } else {
                        task.note_panic(panic.as_ref());
                    }
                    drop(task);
                    drop(done);
                    // The pool notes it.
                    resume_unwind(panic);
                }
            });
        }
    }

    /// What options and chance add to the limits of a `go`.
    fn restricted(&mut self, mut limits: Limits) -> Limits {
        let Settings { nodes_limit, depth_limit, .. } = self.settings;
        limits.nodes = [limits.nodes, nodes_limit].into_iter().flatten().min();
        limits.depth = [limits.depth, depth_limit].into_iter().flatten().min();
        if let Some(time) = limits.random_time {
            let drawn = time.mul_f64(1.0 + f64::from(self.chance.below(501)) / 1000.0);
            limits.movetime = Some(limits.movetime.map_or(drawn, |given| given.min(drawn)));
        }
        limits
    }

    /// The opponent has played: what was pondered on is in the memory, and the search of the position begins.
    fn search_after_hit(&mut self, asked: Limits, hit: Option<Limits>) {
        if let Some(running) = &self.running {
            running.task.reply.supersede(None);
            running.task.signal.stop();
        }
        let clocks = hit.as_ref().and_then(|hit| hit.clocks).or(asked.clocks);
        let received = hit.map_or_else(Instant::now, |hit| hit.received);
        let limits = Limits { ponder: false, received, clocks, ..asked };
        let root = self.root(&limits);
        self.search(limits, root, Reply::new(self.events.clone(), false));
    }

    /// The budget of a `go`.
    fn plan(&self, limits: &Limits) -> Budget {
        match limits.mate {
            Some(MateLimit::Time(time)) => Budget { hard: Some(time), ..Budget::ENDLESS },
            Some(MateLimit::Infinite) => Budget::ENDLESS,
            None => {
                let side = self.game.side_to_move(&self.position).index();
                budget(limits, &self.settings, side, self.game.turns_left(&self.position))
            }
        }
    }

    /// The search of `root` by so many workers.
    fn task(&self, limits: &Limits, root: Root<G>, reply: Reply<G>, workers: usize) -> Arc<Task<G>> {
        // A time for this move only is not spent on loading and allocating. A clock runs all the same.
        let begun = match self.prepared {
            Some(prepared) if limits.clocks.is_none() => limits.received.max(prepared),
            _ => limits.received,
        };
        let alone = self.pool.as_ref().is_none_or(|pool| pool.threads() == 0);
        let interrupt = alone.then(|| self.interrupt.clone());
        Arc::new(Task {
            game: Arc::clone(&self.game),
            memory: self.memory.clone(),
            root,
            signal: Signal::interruptible(begun, workers, limits.nodes, interrupt),
            timing: Timing::default(),
            depth: limits.depth,
            multipv: self.settings.multipv,
            analysing: limits.infinite || self.settings.considering,
            resign_value: self.settings.resign_value.filter(|_| !self.settings.considering),
            report_interval: self.settings.report_interval,
            output_bounds: self.settings.output_bounds,
            weakness: G::weakness(self.settings.skill_level)
                .filter(|_| self.settings.skill_level < settings::FULL_SKILL && !limits.infinite),
            folly: self.folly,
            recall: Arc::clone(&self.recall),
            mating: limits.mate.is_some(),
            hashfull: AtomicU16::new(0),
            reply,
        })
    }

    /// Keeps an eye on a search; whoever searches holds what is returned until he is done.
    fn watch(&mut self, task: Arc<Task<G>>, planned: Budget, endless: bool) -> Sender<()> {
        let (done, all_done) = bounded::<()>(0);
        let hard = planned.hard.filter(|_| !task.reply.is_held());
        let overdue = hard.and_then(|hard| task.signal.started().checked_add(hard + GRACE));
        let stochastic = None;
        self.running =
            Some(Running { task, after_ponder: planned, endless, stochastic, overdue, done: all_done });
        done
    }

    fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.task.reply.is_told())
    }
}

impl<G: Game> Drop for Engine<G> {
    fn drop(&mut self) {
        self.quiesce();
    }
}

#[cfg(test)]
mod tests;
