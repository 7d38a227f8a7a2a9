//! Work that blocks gives way to what must not wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Raised while a command waits that must not: `stop`, `quit`, `go`. Work that takes long looks at it and
/// ends early.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// A command that must not wait has arrived.
    pub fn raise(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One such command is being served.
    pub fn lower(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |waiting| waiting.checked_sub(1));
    }

    /// Whether one waits.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}
