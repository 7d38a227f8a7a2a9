//! How busy the machine was while a match ran: how late a timer wakes, and what else ran.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::journal::MachineLoad;
use super::warnings::{available, load_average};

/// Pause between two looks.
const EVERY: Duration = Duration::from_millis(20);

/// Looks at the machine until it is asked to stop.
pub struct Watcher {
    /// Dropped to stop.
    stop: Mutex<Option<Sender<()>>>,
    stopped: Receiver<()>,
    before: Option<f64>,
}

impl Watcher {
    /// A watcher; the load before the match is looked at now.
    pub fn begin() -> Watcher {
        let (sender, stopped) = bounded(0);
        Watcher { stop: Mutex::new(Some(sender)), stopped, before: load_average() }
    }

    /// Looks until [`Watcher::stop`], and returns what it saw.
    pub fn watch(&self) -> MachineLoad {
        let mut late: Vec<u64> = Vec::new();
        loop {
            let before = Instant::now();
            if self.stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            let over = before.elapsed().saturating_sub(EVERY);
            late.push(u64::try_from(over.as_micros()).unwrap_or(u64::MAX));
        }
        late.sort_unstable();
        let share = |percent: usize| {
            late.get((late.len() * percent / 100).min(late.len().saturating_sub(1))).copied().unwrap_or(0)
        };
        MachineLoad {
            processors: available(),
            average_before: self.before,
            late_us_median: share(50),
            late_us_p99: share(99),
            late_us_max: late.last().copied().unwrap_or(0),
        }
    }

    /// Ends [`Watcher::watch`].
    pub fn stop(&self) {
        if let Ok(mut stop) = self.stop.lock() {
            stop.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_measures_until_it_is_stopped() {
        let watcher = Watcher::begin();
        let load = std::thread::scope(|scope| {
            let handle = scope.spawn(|| watcher.watch());
            std::thread::sleep(Duration::from_millis(100));
            watcher.stop();
            handle.join().unwrap()
        });
        assert!(load.processors >= 1);
        assert!(load.late_us_max >= load.late_us_p99 && load.late_us_p99 >= load.late_us_median);
    }
}
