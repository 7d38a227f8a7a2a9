//! The memory of searches.

use crate::game::GameError;
use crate::game::interrupt::Interrupt;

/// The memory of a thread pool between searches, usually a transposition table.
pub trait SearchMemory: Send + Sync {
    /// Memory of at most `bytes` bytes (plus a small constant), or the reason why not. Takes no time: the
    /// system provides large memory as it is used.
    fn with_bytes(bytes: usize) -> Result<Self, GameError>
    where
        Self: Sized;
    /// Forgets everything, using up to `threads` threads.
    fn clear(&self, threads: usize) {
        self.clear_unless(threads, &Interrupt::default());
    }
    /// Forgets everything. Once `interrupt` is raised, the remaining pages go back to the system instead of being
    /// cleared: that is fast, but slows the next search.
    fn clear_unless(&self, threads: usize, interrupt: &Interrupt);
    /// Has the system provide all of it now, using up to `threads` threads, so that no search waits for
    /// that; ends when `interrupt` is raised.
    fn prefault(&self, _threads: usize, _interrupt: &Interrupt) {}
    /// Begins a new search: entries of former ones become cheaper to replace.
    fn age(&self);
    /// Fill in permille, as `info hashfull` prints it.
    fn hashfull(&self) -> u16;
}
