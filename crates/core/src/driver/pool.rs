//! Threads that outlive a search, each with its own worker: histories survive between `go`s.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded, unbounded};

use crate::driver::machine::{free_addresses, has_room_for_a_thread, room_for_threads};
use crate::game::{GameError, GameSearch, Worker};

/// Makes worker `index`.
pub type MakeWorker<G> = dyn Fn(usize) -> Result<Box<dyn Worker<G>>, GameError> + Send + Sync;

type PoolWork<G> = Box<dyn FnOnce(&mut dyn Worker<G>) + Send>;

/// A job for a thread of the pool.
enum ThreadJob<G: GameSearch> {
    Equip(Arc<MakeWorker<G>>, Sender<bool>),
    Work(PoolWork<G>),
}

/// Deep lines and wide boards: searches recurse, so their threads get room to. Where addresses are limited
/// they get less; the deepest line of any game needs a quarter of the least.
const STACK_BYTES: [usize; 3] = [64 << 20, 16 << 20, 4 << 20];

/// The threads of one engine. Where the system grants none, the caller's thread does the work.
pub struct ThreadPool<G: GameSearch> {
    seats: Vec<PoolThread<G>>,
    /// The worker of a pool without threads.
    own: Option<Box<dyn Worker<G>>>,
    broken: Arc<AtomicBool>,
}

/// One thread.
struct PoolThread<G: GameSearch> {
    jobs: Option<Sender<ThreadJob<G>>>,
    thread: Option<JoinHandle<()>>,
}

impl<G: GameSearch> ThreadPool<G> {
    /// As many threads as the system grants, `wanted` at most. They have no workers yet.
    pub fn new(wanted: usize) -> ThreadPool<G> {
        let broken = Arc::new(AtomicBool::new(false));
        // With little address space, most is left to workers and table, so that no thread takes the room of its worker.
        let addresses = free_addresses();
        let granted = addresses.map_or(wanted, |_| room_for_threads(wanted).min(wanted));
        let most = addresses.map_or(u64::MAX, |free| free / 4 / granted.max(1) as u64);
        let seats = (0..granted).map_while(|index| PoolThread::new(index, most, &broken)).collect();
        ThreadPool { seats, own: None, broken }
    }

    /// Gives every thread the worker that `make` makes, made by the thread itself. Threads for which none
    /// can be made are given up.
    ///
    /// # Errors
    /// If there is no worker at all.
    pub fn equip(&mut self, make: &Arc<MakeWorker<G>>) -> Result<(), GameError> {
        let refused = || GameError::resources("no search thread can be set up: is there too little memory?");
        if self.seats.is_empty() {
            let made = catch_unwind(AssertUnwindSafe(|| make(0)));
            self.own = Some(made.map_err(|_| refused())??);
            return Ok(());
        }
        let equip = |seat: &PoolThread<G>| {
            let (done, answer) = bounded(1);
            seat.send(ThreadJob::Equip(Arc::clone(make), done));
            answer
        };
        let is_scarce = room_for_threads(self.seats.len()) < self.seats.len();
        let equipped = if is_scarce {
            // One after the other, so that each sees what the ones before it have left.
            let (first, others) = self.seats.split_at(1);
            let of = |seats: &[PoolThread<G>], may: fn() -> bool| {
                seats.iter().take_while(|seat| may() && equip(seat).recv() == Ok(true)).count()
            };
            match of(first, || true) {
                0 => 0,
                _ => 1 + of(others, has_room_for_a_thread),
            }
        } else {
            let answers: Vec<_> = self.seats.iter().map(equip).collect();
            answers.into_iter().take_while(|answer| answer.recv() == Ok(true)).count()
        };
        self.seats.truncate(equipped);
        if equipped == 0 { Err(refused()) } else { Ok(()) }
    }

    /// Number of threads that the system granted.
    pub fn threads(&self) -> usize {
        self.seats.len()
    }

    /// Number of workers: at least one once they are spawned.
    pub fn len(&self) -> usize {
        self.seats.len().max(usize::from(self.own.is_some()))
    }

    /// Whether there is no worker.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a worker panicked: none of them is to be trusted any more.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// The worker of a pool without threads.
    pub fn own_worker(&mut self) -> Option<&mut dyn Worker<G>> {
        match &mut self.own {
            Some(worker) => Some(worker.as_mut()),
            None => None,
        }
    }

    /// Notes that a worker panicked.
    pub fn note_panic(&self) {
        self.broken.store(true, Ordering::Relaxed);
    }

    /// Gives worker `index` a job, after those it has already; without threads the job is done at once.
    pub fn run(&mut self, index: usize, job: impl FnOnce(&mut dyn Worker<G>) + Send + 'static) {
        match (self.seats.get(index), &mut self.own) {
            (Some(seat), _) => seat.send(ThreadJob::Work(Box::new(job))),
            (None, Some(worker)) if index == 0 => {
                guarded(&self.broken, || job(worker.as_mut()));
            }
            (None, _) => {}
        }
    }
}

impl<G: GameSearch> PoolThread<G> {
    /// A thread with a stack of at most `most` bytes (or the least), if the system grants one.
    fn new(index: usize, most: u64, broken: &Arc<AtomicBool>) -> Option<PoolThread<G>> {
        let least = STACK_BYTES[STACK_BYTES.len() - 1];
        STACK_BYTES.iter().filter(|&&bytes| bytes as u64 <= most || bytes == least).find_map(|&bytes| {
            let (jobs, list) = unbounded::<ThreadJob<G>>();
            let broken = Arc::clone(broken);
            let work = move || {
                let mut worker: Option<Box<dyn Worker<G>>> = None;
                for job in list {
                    match (job, &mut worker) {
                        (ThreadJob::Equip(make, done), _) => {
                            worker = catch_unwind(AssertUnwindSafe(|| make(index))).ok().and_then(Result::ok);
                            let _ = done.send(worker.is_some());
                        }
                        (ThreadJob::Work(job), Some(worker)) => guarded(&broken, || job(worker.as_mut())),
                        (ThreadJob::Work(_), None) => {}
                    }
                }
            };
            let builder = std::thread::Builder::new().name(format!("worker {index}")).stack_size(bytes);
            let thread = builder.spawn(work).ok()?;
            Some(PoolThread { jobs: Some(jobs), thread: Some(thread) })
        })
    }

    fn send(&self, job: ThreadJob<G>) {
        if let Some(jobs) = &self.jobs {
            // The thread takes jobs as long as there is a sender.
            let _ = jobs.send(job);
        }
    }
}

/// Does `work`, and notes if it panics.
fn guarded(broken: &AtomicBool, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        broken.store(true, Ordering::Relaxed);
    }
}

impl<G: GameSearch> Drop for PoolThread<G> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl<G: GameSearch> Drop for ThreadPool<G> {
    fn drop(&mut self) {
        // All at once, so that their ends need not be waited for one after the other.
        self.seats.iter_mut().for_each(|seat| seat.jobs = None);
    }
}
