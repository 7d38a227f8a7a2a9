//! State that an engine keeps between searches: the loaded game, threads with their workers, the table, earlier
//! results.

use std::path::Path;
use std::sync::Arc;

use crossbeam_channel::Sender;

use crate::driver::event::EngineEvent;
use crate::driver::machine;
use crate::driver::pool::{MakeWorker, ThreadPool};
use crate::driver::root_cache::{EarlierResults, OpenResults, RootCache, no_results};
use crate::driver::running::LONGEST_ALONE;
use crate::driver::settings::EngineSettings;
use crate::files;
use crate::game::interrupt::Interrupt;
use crate::game::{Game, GameError, SearchMemory, Worker, WorkerShared};
use crate::mutex::Mutex;
use crate::reference::Reference;
use crate::time::Instant;

/// The state that searches use and change.
pub(super) struct SearchResources<G: Game> {
    events: Sender<EngineEvent>,
    pub(super) game: Arc<G>,
    /// Made at the first `ready` or `go`, so that the hello costs nothing.
    pub(super) memory: Option<Arc<G::Memory>>,
    pub(super) pool: Option<ThreadPool<G>>,
    pub(super) root_cache: Arc<Mutex<RootCache<G>>>,
    store: Option<Box<dyn EarlierResults>>,
    pub(super) open_results: OpenResults,
    /// When something was last loaded or allocated for a search.
    pub(super) prepared: Option<Instant>,
    /// Whether searches run in slices, on the thread that drives the engine.
    pub(super) in_slices: bool,
    /// Whether there was a search since the state was last cleared.
    pub(super) learned: bool,
}

impl<G: Game> SearchResources<G> {
    /// The game alone; messages go to `events`.
    pub(super) fn new(game: G, events: Sender<EngineEvent>) -> SearchResources<G> {
        SearchResources {
            events,
            game: Arc::new(game),
            memory: None,
            pool: None,
            root_cache: Arc::default(),
            store: None,
            open_results: no_results,
            prepared: None,
            in_slices: false,
            learned: false,
        }
    }

    fn message(&self, text: String) {
        // The channel is closed only while the program ends.
        let _ = self.events.send(EngineEvent::Message(text));
    }

    /// Number of workers.
    pub(super) fn workers(&self) -> usize {
        self.pool.as_ref().map_or(0, ThreadPool::len)
    }

    /// Number of search threads; 0 also before the first search.
    pub(super) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(0, ThreadPool::threads)
    }

    /// Whether a worker panicked.
    pub(super) fn is_broken(&self) -> bool {
        self.pool.as_ref().is_some_and(ThreadPool::is_broken)
    }

    /// Forgets what searches found. No search runs.
    pub(super) fn forget(&mut self, settings: &EngineSettings, interrupt: &Interrupt) {
        self.root_cache.lock().clear();
        if let Some(memory) = &self.memory {
            memory.clear_unless(clearing_threads(settings), interrupt);
        }
        if let Some(pool) = &mut self.pool {
            for index in 0..pool.len() {
                pool.run(index, |worker| worker.new_game());
            }
        }
    }

    /// Replaces the game. Clears the memory, whose results are those of other weights.
    pub(super) fn replace_game(&mut self, game: G, settings: &EngineSettings, interrupt: &Interrupt) {
        self.game = Arc::new(game);
        if let Some(memory) = self.memory.as_ref().filter(|_| self.learned) {
            memory.clear_unless(clearing_threads(settings), interrupt);
        }
    }

    /// Ends the threads; the next search makes new ones.
    pub(super) fn drop_pool(&mut self) {
        self.pool = None;
        self.root_cache.lock().clear();
    }

    /// Makes threads, workers and table, unless they are there.
    ///
    /// # Errors
    /// There is too little memory.
    pub(super) fn equip(&mut self, settings: &EngineSettings) -> Result<(), GameError> {
        if self.pool.is_none() {
            // Threads first: they need little, but the table would leave them nothing.
            let mut pool = ThreadPool::new(if self.in_slices { 0 } else { settings.threads });
            let memory = match &self.memory {
                Some(memory) => Arc::clone(memory),
                None => Arc::new(self.allocate(settings, pool.threads())?),
            };
            self.memory = Some(Arc::clone(&memory));
            pool.equip(&self.make_worker(settings, memory, pool.threads().max(1)))?;
            self.tell_threads(settings, &pool);
            self.pool = Some(pool);
        }
        self.prepared = Some(Instant::now());
        Ok(())
    }

    /// Makes a worker of the search that is set.
    fn make_worker(
        &self,
        settings: &EngineSettings,
        memory: Arc<G::Memory>,
        threads: usize,
    ) -> Arc<MakeWorker<G>> {
        let shared = Arc::new(WorkerShared { game: Arc::clone(&self.game), memory, threads });
        let (reference, cached) = (settings.reference, settings.reference_cache);
        let ordering = settings.reference_ordering;
        if reference.is_some() {
            // Other workers load their data when they are made; reference searches only ask the game for values.
            shared.game.evaluate(&shared.game.start());
        }
        Arc::new(move |index| -> Result<Box<dyn Worker<G>>, GameError> {
            Ok(match reference {
                Some(method) => {
                    let search = Reference::with(Arc::clone(&shared), method, cached);
                    Box::new(if ordering { search.ordered() } else { search })
                }
                None => Box::new(G::Worker::new(Arc::clone(&shared), index)?),
            })
        })
    }

    /// Says so where the system grants fewer threads than were asked for.
    fn tell_threads(&self, settings: &EngineSettings, pool: &ThreadPool<G>) {
        let asked = settings.threads;
        if self.in_slices {
            return;
        }
        if pool.threads() == 0 {
            self.message(format!(
                "the system grants no thread for the search: it runs between the commands, and endless ones \
                 end after {} s",
                LONGEST_ALONE.as_secs()
            ));
        } else if pool.len() < asked {
            self.message(format!(
                "the system grants {} of {asked} threads: the search runs on {}",
                pool.len(),
                pool.len()
            ));
        }
    }

    /// Table memory of the size asked for, or as much as fits beside the search threads.
    fn allocate(&self, settings: &EngineSettings, threads: usize) -> Result<G::Memory, GameError> {
        let asked = settings.hash_mib;
        let (memory, mib) = machine::fitting(asked, threads, G::Memory::with_bytes)?;
        if let Some(text) = machine::smaller(asked, mib) {
            self.message(text);
        }
        Ok(memory)
    }

    /// Opens the results of earlier searches at `path`; closes them for `None`.
    pub(super) fn open_store(&mut self, path: Option<&Path>, interrupt: &Interrupt) {
        self.store = None;
        self.root_cache.lock().clear();
        let Some(path) = path else { return };
        let (open, path) = (self.open_results, path.to_owned());
        let name = path.display().to_string();
        let opened = files::open_store(interrupt, move || open(&path));
        match opened.unwrap_or_else(|error| Err(GameError::file(format!("StoreFile {name}: {error}")))) {
            Ok((store, message)) => {
                self.store = Some(store);
                if let Some(text) = message {
                    self.message(text);
                }
            }
            Err(reason) => self.message(reason.into()),
        }
    }

    /// Seeds the root cache with the stored result of `root` under the game's options.
    pub(super) fn seed(&self, root: &G::Position, settings: &EngineSettings, game_options: &str) {
        let Some(store) = &self.store else { return };
        let identity = self.game.identity(root);
        let mut root_cache = self.root_cache.lock();
        // The iterations of the article's searches are others.
        if settings.reference.is_some() || root_cache.get(&identity, settings.multipv).is_some() {
            return;
        }
        let earlier = store.find(game_options, G::NAME, &identity, settings.multipv);
        if let Some(earlier) = earlier
            && let Some(lines) = earlier.lines(&*self.game, root)
        {
            root_cache.put(identity, earlier.stage, &lines, earlier.wanted);
        }
    }
}

/// How many threads may clear or provide memory.
pub(super) fn clearing_threads(settings: &EngineSettings) -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).max(settings.threads)
}
