//! What a search needs before it can begin: the loaded game, threads with their workers, the table, the store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::driver::Engine;
use crate::driver::event::EngineEvent;
use crate::driver::machine;
use crate::driver::pool::{MakeWorker, ThreadPool};
use crate::driver::running::LONGEST_ALONE;
use crate::driver::think::panic_message;
use crate::files;
use crate::game::{Game, GameError, SearchMemory, Worker, WorkerShared};
use crate::reference::Reference;
use crate::time::Instant;

/// What the workers and the program need besides the table, in MiB: once, and for each worker.
const OVERHEAD_MIB: (u64, u64) = (40, 16);

/// What differs from the settings that are in force.
#[derive(Default)]
pub(super) struct Stale {
    pub(super) game: bool,
    pub(super) memory: bool,
    pub(super) pool: bool,
    pub(super) store: bool,
}

impl<G: Game> Engine<G> {
    /// How many threads may clear or provide memory.
    pub(super) fn clearing_threads(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from).max(self.settings.threads)
    }

    /// Forgets what searches found.
    pub(super) fn forget(&mut self) {
        // Clearing a large table takes long enough to lose a short game on time.
        if !std::mem::take(&mut self.learned) {
            return;
        }
        self.quiesce();
        self.root_cache.lock().clear();
        if let Some(memory) = &self.memory {
            memory.clear_unless(self.clearing_threads(), &self.interrupt);
        }
        if let Some(pool) = &mut self.pool {
            for index in 0..pool.len() {
                pool.run(index, |worker| worker.new_game());
            }
        }
    }

    /// Loads the game anew if its options changed. A refusal leaves the former one in force.
    pub(super) fn refresh_game(&mut self) {
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
            Err(reason) => {
                self.report(EngineEvent::Message(format!("{reason}; the former settings stay in force")))
            }
        }
    }

    /// Makes everything a search needs, unless it is there. Only without a running search.
    pub(super) fn prepare(&mut self) -> Result<(), GameError> {
        let prepared = catch_unwind(AssertUnwindSafe(|| self.prepare_unguarded()));
        prepared.unwrap_or_else(|panic| {
            self.pool = None;
            self.report(EngineEvent::Panic(panic_message(panic.as_ref())));
            Err(GameError::new("the search cannot be set up"))
        })
    }

    fn prepare_unguarded(&mut self) -> Result<(), GameError> {
        let broken = self.pool.as_ref().is_some_and(ThreadPool::is_broken);
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
            self.root_cache.lock().clear();
        }
        if self.pool.is_none() {
            // Threads first: they need little, but the table would leave them nothing.
            let mut pool = ThreadPool::new(if self.in_slices { 0 } else { self.settings.threads });
            let memory = match &self.memory {
                Some(memory) => Arc::clone(memory),
                None => Arc::new(self.allocate(pool.threads())?),
            };
            self.memory = Some(Arc::clone(&memory));
            pool.equip(&self.make_worker(memory, pool.threads().max(1)))?;
            self.tell_threads(&pool);
            self.pool = Some(pool);
        }
        self.prepared = Some(Instant::now());
        Ok(())
    }

    /// Makes a worker of the search that is set.
    fn make_worker(&self, memory: Arc<G::Memory>, threads: usize) -> Arc<MakeWorker<G>> {
        let shared = Arc::new(WorkerShared { game: Arc::clone(&self.game), memory, threads });
        let (reference, cached) = (self.settings.reference, self.settings.reference_cache);
        let ordering = self.settings.reference_ordering;
        if reference.is_some() {
            // Other workers load what they need when they are made; these ask the game for values only.
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
    fn tell_threads(&self, pool: &ThreadPool<G>) {
        let asked = self.settings.threads;
        if self.in_slices {
            return;
        }
        if pool.threads() == 0 {
            self.report(EngineEvent::Message(format!(
                "the system grants no thread for the search: it runs between the commands, and endless ones \
                 end after {} s",
                LONGEST_ALONE.as_secs()
            )));
        } else if pool.len() < asked {
            self.report(EngineEvent::Message(format!(
                "the system grants {} of {asked} threads: the search runs on {}",
                pool.len(),
                pool.len()
            )));
        }
    }

    fn open_store(&mut self) {
        self.store = None;
        self.root_cache.lock().clear();
        let Some(path) = &self.settings.store_file else { return };
        let (open, path) = (self.open_results, path.clone());
        let name = path.display().to_string();
        let opened = files::open_store(&self.interrupt, move || open(&path));
        match opened.unwrap_or_else(|error| Err(GameError(format!("StoreFile {name}: {error}")))) {
            Ok((store, message)) => {
                self.store = Some(store);
                if let Some(text) = message {
                    self.report(EngineEvent::Message(text));
                }
            }
            Err(reason) => self.report(EngineEvent::Message(reason.0)),
        }
    }

    /// Table memory of the size asked for, or as much as fits beside the search threads.
    fn allocate(&self, threads: usize) -> Result<G::Memory, GameError> {
        let asked = self.settings.hash_mib;
        let overhead = OVERHEAD_MIB.0 + OVERHEAD_MIB.1 * threads as u64;
        let (memory, mib) = machine::fitting(asked, overhead, G::Memory::with_bytes)?;
        if let Some(text) = machine::smaller(asked, mib) {
            self.report(EngineEvent::Message(text));
        }
        Ok(memory)
    }
}
