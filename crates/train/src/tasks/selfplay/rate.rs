//! How far self-play is, and how fast it goes.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use parking_lot::Mutex;

use kaeshi_system::output::progress_bar;

/// Time between two lines where stderr is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

/// Reports on stderr: a bar on a terminal, a line now and then elsewhere.
pub(super) struct Rate {
    total: u64,
    started: Instant,
    bar: ProgressBar,
    counts: Mutex<RateCounts>,
}

#[derive(Clone, Copy)]
struct RateCounts {
    done: u64,
    played: u64,
    positions: u64,
    printed: Instant,
}

impl Rate {
    /// Of `total` games.
    pub(super) fn new(total: u64) -> Rate {
        let started = Instant::now();
        let counts = RateCounts { done: 0, played: 0, positions: 0, printed: started };
        Rate { total, started, bar: progress_bar(total, "games"), counts: Mutex::new(counts) }
    }

    /// Games that an earlier run played.
    pub(super) fn found(&self, games: u64) {
        self.counts.lock().done += games;
    }

    /// Games played now.
    pub(super) fn played(&self, games: u64, positions: u64) {
        let mut counts = self.counts.lock();
        counts.done += games;
        counts.played += games;
        counts.positions += positions;
        self.bar.set_position(counts.done);
        self.bar.set_message(self.speed(&counts));
        if !io::stderr().is_terminal() && counts.printed.elapsed() >= LINE_INTERVAL {
            counts.printed = Instant::now();
            // A stderr without a reader must not end the run.
            let _ = writeln!(io::stderr(), "{}/{} games, {}", counts.done, self.total, self.speed(&counts));
        }
    }

    /// Removes the bar and returns a summary.
    pub(super) fn finish(self) -> String {
        self.bar.finish_and_clear();
        let counts = *self.counts.lock();
        format!(
            "games {} of them now {} positions {} seconds {:.1} ({})",
            counts.done,
            counts.played,
            counts.positions,
            self.started.elapsed().as_secs_f64(),
            self.speed(&counts)
        )
    }

    fn speed(&self, counts: &RateCounts) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        format!(
            "{:.2} games/s {:.0} positions/s",
            counts.played as f64 / seconds,
            counts.positions as f64 / seconds
        )
    }
}
