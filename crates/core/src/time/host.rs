//! The clock of the program that WebAssembly runs in, which has to be set before the first search.

use std::ops::Add;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

/// Reads times from `clock` from now on: the time since 1970-01-01 00:00 UTC, which never decreases. Only the first
/// call counts.
pub fn set_clock(clock: fn() -> Duration) {
    // The first one stays.
    let _ = CLOCK.set(clock);
}

/// Date and time now; 1970 without a clock.
pub fn wall() -> SystemTime {
    SystemTime::UNIX_EPOCH + now()
}

fn now() -> Duration {
    CLOCK.get().map_or(Duration::ZERO, |clock| clock())
}

/// A moment, as `std::time::Instant` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// This moment.
    pub fn now() -> Instant {
        Instant(now())
    }

    /// The time since this moment.
    pub fn elapsed(&self) -> Duration {
        Instant::now().saturating_duration_since(*self)
    }

    /// The time since `earlier`; none if that is later.
    pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The moment after this time; `None` where it overflows.
    pub fn checked_add(&self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time).map(Instant)
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;

    /// # Panics
    /// Beyond 584 billion years.
    fn add(self, time: Duration) -> Instant {
        Instant(self.0 + time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_follow_the_clock_that_was_set_first() {
        assert_eq!(wall(), SystemTime::UNIX_EPOCH);
        let start = Instant::now();
        set_clock(|| Duration::from_millis(1_500));
        set_clock(|| Duration::ZERO);
        let later = Instant::now();
        assert_eq!(start.elapsed(), Duration::from_millis(1_500));
        assert_eq!(later.elapsed(), Duration::ZERO);
        assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
        assert_eq!(start + Duration::from_millis(1_500), later);
        assert_eq!(start.checked_add(Duration::MAX).and_then(|last| last.checked_add(Duration::MAX)), None);
        assert_eq!(wall(), SystemTime::UNIX_EPOCH + Duration::from_millis(1_500));
    }
}
