//! The clock of a running search.

use std::time::Duration;

use crate::driver::clock::Budget;
use crate::game::control::Signal;
use crate::mutex::Mutex;

/// The budget of a running search, and since when it counts after the search began.
pub struct Timing(Mutex<(Budget, Duration)>);

impl Default for Timing {
    /// Without a limit until [`Timing::start`].
    fn default() -> Timing {
        Timing(Mutex::new((Budget::ENDLESS, Duration::ZERO)))
    }
}

impl Timing {
    /// The clock runs: `budget` holds, counted from `since` after the search began.
    pub fn start(&self, signal: &Signal, budget: Budget, since: Duration) {
        *self.0.lock() = (budget, since);
        signal.set_deadline(budget.hard.map(|hard| since.saturating_add(hard)));
    }

    /// Whether no new iteration is to begin, `factor` stretching a flexible budget.
    pub(super) fn is_over(&self, signal: &Signal, factor: f32) -> bool {
        let (budget, since) = *self.0.lock();
        budget.end(factor).is_some_and(|end| signal.elapsed() >= since.saturating_add(end))
    }

    pub(super) fn is_under_clock(&self) -> bool {
        self.0.lock().0.flexible
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;
    use crate::game::control::SearchControl;

    #[test]
    fn an_iteration_begins_up_to_the_soft_limit_counted_from_the_start_of_the_clock() {
        let signal = Signal::new(Instant::now() - Duration::from_secs(60), 1, None);
        let timing = Timing::default();
        assert!(!timing.is_over(&signal, 1.0) && !timing.is_under_clock());
        let [soft, hard] = [30, 90].map(|seconds| Some(Duration::from_secs(seconds)));
        let budget = Budget { soft, hard, flexible: true, full_seconds: None };
        timing.start(&signal, budget, Duration::ZERO);
        assert!(timing.is_over(&signal, 1.0) && !timing.is_over(&signal, 3.0) && timing.is_under_clock());
        assert!(SearchControl::new(Arc::clone(&signal), 0).check().is_ok());
        // A clock that began to run half a minute ago.
        timing.start(&signal, budget, Duration::from_secs(31));
        assert!(!timing.is_over(&signal, 1.0) && timing.is_over(&signal, 0.9));
        timing.start(&signal, Budget { flexible: false, ..budget }, Duration::ZERO);
        assert!(timing.is_over(&signal, 3.0) && !timing.is_under_clock());
        timing.start(&signal, Budget { hard: soft, ..budget }, Duration::ZERO);
        assert!(SearchControl::new(Arc::clone(&signal), 0).check().is_err());
    }
}
