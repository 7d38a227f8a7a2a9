//! A mutex that goes on where a thread has panicked while it held it: panics of a search are reported by the driver.

use std::sync::{MutexGuard, PoisonError};

/// A [`std::sync::Mutex`] without poison.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }

    /// Waits until no other thread has the value.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
