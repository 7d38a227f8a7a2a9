//! The channel between the driver and a running search: when to stop, and the node counts.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::game::interrupt::Interrupt;
use crate::game::search::SearchStopped;
use crate::time::Instant;

/// Time between two checks of the clock and the stop flag, independent of the speed of the search.
const CHECK_INTERVAL: Duration = Duration::from_micros(500);
/// Nodes until the second check, while the speed is not known yet: a node of some games takes a millisecond.
const FIRST_INTERVAL: u64 = 1;
/// Most nodes between two checks.
const LONGEST_INTERVAL: u64 = 1024;
/// A check that is later than this shows that the machine is too busy to run the search without pauses.
const STALL: Duration = Duration::from_millis(5);
/// At most `1 / LARGEST_STALL_PART` of a deadline is given up for pauses.
const LARGEST_STALL_PART: u64 = 20;
/// A moment that never comes, in microseconds after the start.
const NEVER: u64 = u64::MAX;

/// The state that all threads of one search share.
#[derive(Debug)]
pub struct Signal {
    started: Instant,
    stop: AtomicBool,
    deadline_us: AtomicU64,
    /// The longest time between two checks of a worker so far, if longer than [`STALL`].
    stall_us: AtomicU64,
    node_limit: u64,
    nodes: Vec<PaddedCounter>,
    /// Ends a search without threads while `stop`, `quit` or `go` is queued.
    interrupt: Option<Interrupt>,
}

/// One counter per cache line (no false sharing).
#[derive(Debug, Default)]
#[repr(align(64))]
struct PaddedCounter(AtomicU64);

impl Signal {
    /// A signal for `threads` workers, counted from `started`; `node_limit` holds for their sum.
    pub fn new(started: Instant, threads: usize, node_limit: Option<u64>) -> Arc<Signal> {
        Signal::interruptible(started, threads, node_limit, None)
    }

    /// The same for a search that also ends when `interrupt` is raised.
    pub fn interruptible(
        started: Instant,
        threads: usize,
        node_limit: Option<u64>,
        interrupt: Option<Interrupt>,
    ) -> Arc<Signal> {
        Arc::new(Signal {
            interrupt,
            started,
            stop: AtomicBool::new(false),
            deadline_us: AtomicU64::new(NEVER),
            stall_us: AtomicU64::new(0),
            node_limit: node_limit.unwrap_or(u64::MAX),
            nodes: (0..threads).map(|_| PaddedCounter::default()).collect(),
        })
    }

    /// Ends the search at the next check of each thread.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.interrupt.as_ref().is_some_and(Interrupt::is_raised)
    }

    /// The moment that times are counted from.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Sets or removes the deadline, counted from the start.
    pub fn set_deadline(&self, after: Option<Duration>) {
        let us = after.map_or(NEVER, |d| u64::try_from(d.as_micros()).unwrap_or(NEVER));
        self.deadline_us.store(us, Ordering::Relaxed);
    }

    /// Whether there is a deadline.
    pub fn is_timed(&self) -> bool {
        self.deadline_us.load(Ordering::Relaxed) != NEVER
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Nodes of all workers, as last published.
    pub fn nodes(&self) -> u64 {
        self.nodes.iter().map(|n| n.0.load(Ordering::Relaxed)).sum()
    }

    /// Whether the deadline has passed.
    pub(crate) fn past_deadline(&self) -> bool {
        let deadline = self.deadline_us.load(Ordering::Relaxed);
        // On a busy machine a thread that was kept waiting will be kept waiting again, perhaps just
        // before the deadline or while it answers.
        let stall = self.stall_us.load(Ordering::Relaxed).min(deadline / LARGEST_STALL_PART);
        deadline != NEVER && self.elapsed() >= Duration::from_micros(deadline - stall)
    }
}

/// A worker's side of the channel. Cheap enough to be called at every node.
#[derive(Debug)]
pub struct SearchControl {
    signal: Arc<Signal>,
    index: usize,
    nodes: Cell<u64>,
    next_check: Cell<u64>,
    /// Nodes between two checks, fitted to the speed of the search.
    interval: Cell<u64>,
    last_check: Cell<Duration>,
    nodes_at_last_check: Cell<u64>,
    /// Set while worker 0 is on the first iteration, which always completes.
    unstoppable: Cell<bool>,
    /// The end of this slice of the search, counted from the start of the search; [`Duration::MAX`] for none.
    slice_end: Cell<Duration>,
    /// Whether the search was last interrupted by the end of a slice.
    paused: Cell<bool>,
    remarks: RefCell<Vec<String>>,
}

impl SearchControl {
    /// The control of worker `index`.
    pub fn new(signal: Arc<Signal>, index: usize) -> SearchControl {
        let control = SearchControl {
            signal,
            index,
            nodes: Cell::new(0),
            next_check: Cell::new(0),
            interval: Cell::new(FIRST_INTERVAL),
            last_check: Cell::new(Duration::ZERO),
            nodes_at_last_check: Cell::new(0),
            unstoppable: Cell::new(false),
            slice_end: Cell::new(Duration::MAX),
            paused: Cell::new(false),
            remarks: RefCell::default(),
        };
        control.plan_next_check();
        control
    }

    /// A control that never stops anything; for tests and tools.
    pub fn free() -> SearchControl {
        SearchControl::new(Signal::new(Instant::now(), 1, None), 0)
    }

    /// A control that stops after `nodes` nodes; for tools.
    pub fn with_nodes(nodes: u64) -> SearchControl {
        SearchControl::new(Signal::new(Instant::now(), 1, Some(nodes)), 0)
    }

    /// Counts one node and returns whether to go on.
    #[inline(always)]
    pub fn tick(&self) -> Result<(), SearchStopped> {
        let nodes = self.nodes.get() + 1;
        self.nodes.set(nodes);
        if nodes < self.next_check.get() { Ok(()) } else { self.check() }
    }

    /// Counts `nodes` that were visited without [`SearchControl::tick`]; the next tick checks whether to stop.
    #[inline(always)]
    pub fn add_nodes(&self, nodes: u64) {
        self.nodes.set(self.nodes.get() + nodes);
    }

    /// Checks flag, clock and limit, and publishes the node count.
    #[cold]
    pub fn check(&self) -> Result<(), SearchStopped> {
        self.publish();
        self.fit_interval();
        self.plan_next_check();
        let in_slices = self.slice_end.get() != Duration::MAX;
        if self.unstoppable.get() && !in_slices {
            return Ok(());
        }
        let signal = &*self.signal;
        if signal.is_stopped() || signal.nodes() >= signal.node_limit || signal.past_deadline() {
            return if self.unstoppable.get() { Ok(()) } else { Err(SearchStopped) };
        }
        if in_slices && signal.elapsed() >= self.slice_end.get() {
            self.paused.set(true);
            return Err(SearchStopped);
        }
        Ok(())
    }

    /// Begins a slice: the search is interrupted at `end`, counted from its start, unless it is over before. Only
    /// the end of a slice interrupts the first iteration.
    pub fn begin_slice(&self, end: Duration) {
        self.slice_end.set(end);
        self.paused.set(false);
        // The time between two slices is not a stall of this thread.
        self.last_check.set(self.signal.elapsed());
        self.nodes_at_last_check.set(self.nodes.get());
    }

    /// Whether the search was interrupted by the end of a slice, and goes on with the next one.
    pub fn is_paused(&self) -> bool {
        self.paused.get()
    }

    /// Makes the node count visible to the other threads.
    pub fn publish(&self) {
        if let Some(counter) = self.signal.nodes.get(self.index) {
            counter.0.store(self.nodes.get(), Ordering::Relaxed);
        }
    }

    /// Nodes of this worker.
    pub fn nodes(&self) -> u64 {
        self.nodes.get()
    }

    /// The signal shared by all workers.
    pub fn signal(&self) -> &Arc<Signal> {
        &self.signal
    }

    /// While set, only the end of a slice stops this worker: the first iteration always completes.
    pub fn set_unstoppable(&self, on: bool) {
        self.unstoppable.set(on);
        self.next_check.set(0);
    }

    /// Whether this is the first iteration and the search should be over. Games with slow nodes then end the
    /// iteration early.
    pub fn is_late(&self) -> bool {
        self.unstoppable.get() && (self.signal.is_stopped() || self.signal.past_deadline())
    }

    /// Leaves a remark for people, printed once the worker returns from [`crate::game::Worker::book_or_declaration`].
    pub fn remark(&self, text: String) {
        self.remarks.borrow_mut().push(text);
    }

    /// The remarks left so far.
    pub fn take_remarks(&self) -> Vec<String> {
        self.remarks.take()
    }

    fn fit_interval(&self) {
        let now = self.signal.elapsed();
        let passed = now.saturating_sub(self.last_check.replace(now));
        if passed > STALL {
            let stall = u64::try_from(passed.as_micros()).unwrap_or(NEVER);
            self.signal.stall_us.fetch_max(stall, Ordering::Relaxed);
        }
        let nodes = self.nodes.get();
        let searched = nodes - self.nodes_at_last_check.replace(nodes);
        let interval = self.interval.get();
        let fitted = if passed > CHECK_INTERVAL * 2 {
            let speed = searched as f64 / passed.as_secs_f64();
            interval.min((speed * CHECK_INTERVAL.as_secs_f64()) as u64)
        } else if passed < CHECK_INTERVAL / 2 && searched >= interval {
            // A check ahead of its time, as at the end of an iteration, does not show the speed.
            interval * 2
        } else {
            interval
        };
        self.interval.set(fitted.clamp(1, LONGEST_INTERVAL));
    }

    fn plan_next_check(&self) {
        let nodes = self.nodes.get();
        let others = self
            .signal
            .nodes()
            .saturating_sub(self.signal.nodes.get(self.index).map_or(0, |n| n.0.load(Ordering::Relaxed)));
        let left = self.signal.node_limit.saturating_sub(others).saturating_sub(nodes).max(1);
        self.next_check.set(nodes + left.min(self.interval.get()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_limit_is_met_exactly() {
        for limit in [1, 7, 1023, 1024, 1025, 50_000] {
            let control = SearchControl::with_nodes(limit);
            while control.tick().is_ok() {}
            assert_eq!(control.nodes(), limit);
        }
    }

    #[test]
    fn pauses_bring_the_end_forward() {
        let signal = Signal::new(Instant::now(), 1, None);
        signal.set_deadline(Some(Duration::from_secs(2)));
        let control = SearchControl::new(Arc::clone(&signal), 0);
        while control.tick().is_ok() {
            std::thread::sleep(Duration::from_millis(80));
        }
        // A twentieth is the most that is given up.
        let end = signal.elapsed();
        assert!(end >= Duration::from_millis(1_900), "{end:?}");
        let stall = Duration::from_micros(signal.stall_us.load(Ordering::Relaxed));
        assert!(end < Duration::from_millis(2_000 - 80) + stall, "{end:?}, pauses of {stall:?}");
    }

    #[test]
    fn slow_nodes_do_not_delay_the_end() {
        let signal = Signal::new(Instant::now(), 1, None);
        signal.set_deadline(Some(Duration::from_millis(30)));
        let control = SearchControl::new(Arc::clone(&signal), 0);
        while control.tick().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let late = signal.elapsed();
        assert!(late < Duration::from_millis(300), "{late:?}");
    }

    #[test]
    fn iterations_that_end_at_once_do_not_delay_the_end() {
        let signal = Signal::new(Instant::now(), 1, None);
        signal.set_deadline(Some(Duration::from_millis(30)));
        let control = SearchControl::new(Arc::clone(&signal), 0);
        for _ in 0..20 {
            control.check().expect("the deadline is far");
        }
        while control.tick().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let late = signal.elapsed();
        assert!(late < Duration::from_millis(300), "{late:?}");
    }
}
