//! How far the search of a position is: on stderr while it runs if that is a terminal, and where a signal ends it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar};
use parking_lot::Mutex;

use crate::tasks::solve::until_stopped;
use kaeshi_core::game::control::Signal;
use kaeshi_sygo::solve::graph::Graph;
use kaeshi_sygo::solve::moves::SolverNode;
use kaeshi_sygo::solve::{SygoSolver, Unsolved};
use kaeshi_system::output::{progress_line, remark};
use kaeshi_system::stop_signal::StopSignal;

/// Time between two states of the line.
const SHOWN_EVERY: Duration = Duration::from_millis(500);

/// The searches for one line of the input.
pub(super) struct SolveProgress<'a> {
    /// The line.
    asked: &'a str,
    begun: Instant,
    /// Nodes of the searches that have ended.
    nodes: u64,
    bar: ProgressBar,
}

impl SolveProgress<'_> {
    pub(super) fn new(asked: &str) -> SolveProgress<'_> {
        SolveProgress { asked, begun: Instant::now(), nodes: 0, bar: progress_line() }
    }

    /// The result of `work` about `node`. It gets a signal for `threads` threads, which ends it when the process is
    /// asked to stop; the bounds proved by then are printed.
    pub(super) fn search<G: Graph + Sync, T, E: From<Unsolved>>(
        &mut self,
        solver: &SygoSolver<G>,
        node: SolverNode,
        threads: usize,
        mut work: impl FnMut(&Arc<Signal>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut found = Err(Unsolved::Stopped.into());
        self.watch(&|| solver.proved(node), threads, &mut |signal| found = work(signal));
        if found.is_err() && StopSignal::of_process().is_raised() {
            self.bar.finish_and_clear();
            remark(format_args!("kaeshi: {}", self.reached(solver.proved(node), self.nodes)));
        }
        found
    }

    /// Does `work`, and shows the bounds that are `proved` meanwhile.
    fn watch(
        &mut self,
        proved: &(dyn Fn() -> (i32, i32) + Sync),
        threads: usize,
        work: &mut dyn FnMut(&Arc<Signal>),
    ) {
        let shown = Mutex::new(Instant::now());
        let running: Mutex<Option<Arc<Signal>>> = Mutex::new(None);
        let show = || {
            let mut shown = shown.lock();
            if shown.elapsed() >= SHOWN_EVERY {
                *shown = Instant::now();
                let nodes = running.lock().as_ref().map_or(0, |signal| signal.nodes());
                self.bar.set_message(self.reached(proved(), self.nodes + nodes));
            }
        };
        let mut nodes = 0;
        until_stopped(&show, &mut |interrupt| {
            let signal = Signal::interruptible(Instant::now(), threads, None, Some(interrupt.clone()));
            *running.lock() = Some(Arc::clone(&signal));
            work(&signal);
            nodes = signal.nodes();
        });
        self.nodes += nodes;
    }

    fn reached(&self, (low, high): (i32, i32), nodes: u64) -> String {
        let value = if low == high { format!("{low:+}") } else { format!("between {low:+} and {high:+}") };
        let (nodes, seconds) = (HumanCount(nodes), self.begun.elapsed().as_secs_f64());
        format!("{}: {value}  {nodes} nodes  {seconds:.1} s", self.asked)
    }
}
