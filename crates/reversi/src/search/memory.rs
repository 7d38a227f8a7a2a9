//! The memory that all threads of a pool share: the table, and the positions being searched.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::search::table::ReversiTtEntry;
use kaeshi_core::driver::table::TranspositionTable;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::{GameError, SearchMemory as GameMemory};

const SETS: usize = 1 << 12;
const WAYS: usize = 4;

/// The positions that some thread is searching, so that others take another move first (Kerrigan's
/// simplification of ABDADA, Weill 1996). Only a hint: a lost entry costs work, never a result.
#[derive(Debug)]
pub struct Busy(Box<[[AtomicU64; WAYS]]>);

impl Busy {
    fn new() -> Busy {
        Busy((0..SETS).map(|_| [const { AtomicU64::new(0) }; WAYS]).collect())
    }

    fn set(&self, key: u64) -> &[AtomicU64; WAYS] {
        &self.0[(key >> 32) as usize % SETS]
    }

    /// Whether a thread has entered `key` and not left it.
    pub fn contains(&self, key: u64) -> bool {
        self.set(key).iter().any(|slot| slot.load(Ordering::Relaxed) == key)
    }

    /// A thread begins to search `key`.
    pub fn enter(&self, key: u64) {
        for slot in self.set(key) {
            if slot.compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    /// A thread is done with `key`.
    pub fn leave(&self, key: u64) {
        for slot in self.set(key) {
            if slot.compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    fn clear(&self) {
        self.0.iter().flatten().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }
}

/// The memory of a pool of threads.
pub struct ReversiMemory {
    /// Bounds and best moves.
    pub table: TranspositionTable<ReversiTtEntry>,
    /// Positions that threads are searching at the moment.
    pub busy: Busy,
}

impl GameMemory for ReversiMemory {
    fn with_bytes(bytes: usize) -> Result<ReversiMemory, GameError> {
        Ok(ReversiMemory { table: TranspositionTable::with_bytes(bytes)?, busy: Busy::new() })
    }

    fn clear_unless(&self, threads: usize, interrupt: &Interrupt) {
        self.table.clear_unless(threads, interrupt);
        self.busy.clear();
    }

    fn prefault(&self, threads: usize, interrupt: &Interrupt) {
        self.table.prefault(threads, interrupt);
    }

    fn age(&self) {
        self.table.age();
        self.busy.clear();
    }

    fn hashfull(&self) -> u16 {
        self.table.hashfull()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_is_busy_until_it_is_left() {
        let busy = Busy::new();
        // The same set for all, one more than it holds.
        let keys: Vec<u64> = (1..=WAYS as u64 + 1).collect();
        keys.iter().for_each(|&key| busy.enter(key));
        assert_eq!(keys.iter().filter(|&&key| busy.contains(key)).count(), WAYS);
        keys.iter().for_each(|&key| busy.leave(key));
        assert!(!keys.iter().any(|&key| busy.contains(key)));
    }
}
