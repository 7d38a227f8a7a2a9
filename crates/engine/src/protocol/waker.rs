//! How the other threads of a session wake the one that serves.

use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

use kaeshi_core::time::Instant;

/// Wakes one thread, that of [`Waker::register_thread`]. It rings after something was sent, and by itself when a
/// holder drops it, after that holder's channels.
///
/// A channel wakes the thread that selects on it while it holds a lock. That thread, whose slices are short, may
/// take the processor at once, find the lock taken and wait; then a search takes the processor for milliseconds.
/// No lock is held here.
#[derive(Clone, Default)]
pub struct Waker(Arc<OnceLock<Thread>>);

impl Waker {
    /// Makes the calling thread the one that is woken, if there is none yet.
    pub fn register_thread(&self) {
        self.0.get_or_init(thread::current);
    }

    /// Wakes that thread, or lets its next [`wait`](Waker::wait) end at once.
    pub fn ring(&self) {
        if let Some(thread) = self.0.get() {
            thread.unpark();
        }
    }

    /// Waits for a ring, until `deadline` if there is one; may end for no reason.
    pub fn wait(deadline: Option<Instant>) {
        match deadline {
            Some(deadline) => thread::park_timeout(deadline.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        self.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_ring_before_the_wait_ends_it_at_once() {
        let waker = Waker::default();
        waker.register_thread();
        waker.ring();
        let begun = Instant::now();
        Waker::wait(Some(begun + Duration::from_secs(60)));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_bell_that_is_dropped_rings() {
        let waker = Waker::default();
        let (ready, attended) = channel();
        let other = waker.clone();
        let served = thread::spawn(move || {
            other.register_thread();
            let _ = ready.send(());
            let begun = Instant::now();
            Waker::wait(Some(begun + Duration::from_secs(60)));
            begun.elapsed() < Duration::from_secs(30)
        });
        assert!(attended.recv().is_ok());
        drop(waker);
        assert!(served.join().is_ok_and(|soon| soon));
    }
}
