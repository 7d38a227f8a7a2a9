//! Threads that outlive a search, each with a worker of its own: histories survive between `go`s.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, unbounded};

use crate::game::{Game, Shared, Worker};

type Job<G> = Box<dyn FnOnce(&mut dyn Worker<G>) + Send>;
/// Makes the worker of one thread.
pub type Hire<G> = dyn Fn(Arc<Shared<G>>, usize) -> Box<dyn Worker<G>> + Sync;

/// Deep lines and wide boards: searches recurse, so their threads get room to.
const STACK_BYTES: usize = 64 << 20;

/// The threads of one engine.
pub struct Pool<G: Game> {
    desks: Vec<Sender<Job<G>>>,
    threads: Vec<JoinHandle<()>>,
}

impl<G: Game> Pool<G> {
    /// As many threads as `shared` says, each with a worker that `hire` makes.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn new(shared: &Arc<Shared<G>>, hire: &Hire<G>) -> std::io::Result<Pool<G>> {
        let mut pool = Pool { desks: Vec::new(), threads: Vec::new() };
        for index in 0..shared.threads {
            let (desk, jobs) = unbounded::<Job<G>>();
            let mut worker = hire(Arc::clone(shared), index);
            let thread = std::thread::Builder::new()
                .name(format!("worker {index}"))
                .stack_size(STACK_BYTES)
                .spawn(move || jobs.iter().for_each(|job| job(worker.as_mut())))?;
            pool.desks.push(desk);
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Number of threads.
    pub fn len(&self) -> usize {
        self.desks.len()
    }

    /// Whether there is no thread.
    pub fn is_empty(&self) -> bool {
        self.desks.is_empty()
    }

    /// Gives worker `index` a job, after those it has already.
    pub fn run(&self, index: usize, job: impl FnOnce(&mut dyn Worker<G>) + Send + 'static) {
        if let Some(desk) = self.desks.get(index) {
            // A desk is only gone if its worker panicked; `Engine` then hires a new pool.
            let _ = desk.send(Box::new(job));
        }
    }
}

impl<G: Game> Drop for Pool<G> {
    fn drop(&mut self) {
        self.desks.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
