//! The memory that the threads of a search share.

use std::sync::Arc;

use crate::search::alphabeta::SygoTtEntry;
use crate::search::montecarlo::MctsTree;
use crate::solve::bounds::Bounds;
use kaeshi_core::driver::machine;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::{GameError, SearchMemory};
use kaeshi_core::mutex::Mutex;

/// The solver's table gets `1 / SOLVER_PART` of the memory.
const SOLVER_PART: usize = 8;
/// The largest table of the solver.
const SOLVER_BYTES: usize = 64 << 20;

/// The memory that the threads of a pool share. All of it but the solver's part serves the searcher that is set; the
/// other searcher has none.
pub struct SygoMemory {
    bytes: usize,
    table: Mutex<Option<Arc<TranspositionTable<SygoTtEntry>>>>,
    tree: Mutex<MctsTree>,
    solved: Arc<TranspositionTable<Bounds>>,
}

impl SygoMemory {
    /// The table of the principal variation search, made if there is none.
    pub(super) fn table(&self) -> Arc<TranspositionTable<SygoTtEntry>> {
        let mut table = self.table.lock();
        if let Some(table) = &*table {
            return Arc::clone(table);
        }
        self.tree.lock().clear();
        // The memory was free when it was requested, but may be taken by now.
        let (new, _) = machine::halved(self.bytes, 1, |bytes| TranspositionTable::with_bytes(bytes).ok());
        Arc::clone(table.insert(Arc::new(new)))
    }

    /// The table of the principal variation search, if that search plays.
    pub(super) fn table_in_use(&self) -> Option<Arc<TranspositionTable<SygoTtEntry>>> {
        self.table.lock().clone()
    }

    /// The table of the solver.
    pub(super) fn solved(&self) -> &Arc<TranspositionTable<Bounds>> {
        &self.solved
    }

    /// The tree of the Monte-Carlo search.
    pub(super) fn tree(&self) -> &Mutex<MctsTree> {
        *self.table.lock() = None;
        &self.tree
    }
}

impl SearchMemory for SygoMemory {
    fn with_bytes(bytes: usize) -> Result<Self, GameError> {
        let solver = (bytes / SOLVER_PART).min(SOLVER_BYTES);
        let bytes = bytes - solver;
        // The search that plays is not known yet; refused is now what could not be had then.
        drop(TranspositionTable::<SygoTtEntry>::with_bytes(bytes)?);
        Ok(SygoMemory {
            bytes,
            table: Mutex::default(),
            tree: Mutex::new(MctsTree::new(bytes)),
            solved: Arc::new(TranspositionTable::with_bytes(solver)?),
        })
    }

    fn clear_unless(&self, threads: usize, interrupt: &Interrupt) {
        if let Some(table) = &*self.table.lock() {
            table.clear_unless(threads, interrupt);
        }
        self.tree.lock().clear();
        self.solved.clear_unless(threads, interrupt);
    }

    fn prefault(&self, threads: usize, interrupt: &Interrupt) {
        if let Some(table) = &*self.table.lock() {
            table.prefault(threads, interrupt);
        }
        self.solved.prefault(threads, interrupt);
    }

    fn age(&self) {
        if let Some(table) = &*self.table.lock() {
            table.age();
        }
        self.solved.age();
    }

    fn hashfull(&self) -> u16 {
        let table = self.table.lock().as_ref().map_or(0, |table| table.hashfull());
        table.max(self.tree.lock().fill())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_serves_the_search_that_plays() {
        let store = SygoMemory::with_bytes(1 << 20).expect("memory");
        assert!(store.table.lock().is_none());
        let table = store.table();
        assert!(Arc::ptr_eq(&table, &store.table()));
        drop(table);
        store.tree();
        assert!(store.table.lock().is_none());
    }
}
