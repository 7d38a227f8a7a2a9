//! Threads for the work of tools: as many as were asked for, or those that the system grants and that have room.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, Scope};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::driver::machine;
use crate::game::Rejected;

/// A pool of threads for data-parallel work; of fewer, or of this thread alone, where the system grants no more.
///
/// # Errors
/// There is not even a pool of this thread.
pub fn pool(wanted: usize) -> Result<ThreadPool, Rejected> {
    let wanted = wanted.max(1);
    let mut threads = wanted.min(machine::room_for_threads(wanted));
    while threads > 0 {
        if let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() {
            tell(threads, wanted);
            return Ok(pool);
        }
        threads /= 2;
    }
    tell(0, wanted);
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    alone.map_err(|error| Rejected(format!("no {wanted} threads: {error}")))
}

/// Does `work` on this thread and on others, `wanted` in all, or as many as `most` and the system allow; returns when
/// all have ended. Each is given its number.
pub fn side_by_side(wanted: usize, most: usize, work: impl Fn(usize) + Sync) {
    let (wanted, work) = (wanted.max(1), &work);
    std::thread::scope(|scope| {
        let granted =
            1 + (1..wanted.min(most)).take_while(|&number| spawn(scope, move || work(number))).count();
        tell(granted, wanted);
        work(0);
    });
}

/// Starts a thread of a scope; false where the system grants none.
pub fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    Builder::new().spawn_scoped(scope, work).is_ok()
}

/// Starts a thread that nobody waits for.
///
/// # Errors
/// The system grants none.
pub fn spawn_free(work: impl FnOnce() + Send + 'static) -> Result<(), Rejected> {
    let started = Builder::new().spawn(work);
    started.map(drop).map_err(|error| Rejected(format!("the system grants no thread: {error}")))
}

/// Says something on stderr, which nobody need read.
pub fn remark(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says where there are fewer threads than were asked for.
fn tell(granted: usize, wanted: usize) {
    if granted < wanted {
        remark(format_args!(
            "kaeshi: memory and system allow {} of {wanted} threads: the work goes on with these",
            granted.max(1)
        ));
    }
}

/// Counts those that can work, where each may lack memory for what it needs.
#[derive(Default)]
pub struct Able(AtomicUsize);

impl Able {
    /// None of them has looked yet.
    pub fn new() -> Able {
        Able(AtomicUsize::new(0))
    }

    /// What one of them needs, made by `make`; `None` if it cannot be had and others do the work.
    ///
    /// # Errors
    /// It cannot be had, and nobody else has it.
    pub fn equip<T>(&self, make: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match make() {
            Ok(made) => {
                self.0.fetch_add(1, Ordering::Relaxed);
                Ok(Some(made))
            }
            Err(error) if self.0.load(Ordering::Relaxed) > 0 => {
                remark(format_args!("kaeshi: {error:#}: the work goes on with one thread less"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_done_by_all_that_were_granted() {
        let done = AtomicUsize::new(0);
        side_by_side(4, 4, |number| {
            done.fetch_add(1 << (8 * number), Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 0x0101_0101);
        assert_eq!(pool(2).expect("threads").current_num_threads(), 2);
    }

    #[test]
    fn who_lacks_memory_leaves_the_work_to_others() {
        let able = Able::new();
        let lacking = || -> anyhow::Result<i32> { anyhow::bail!("no memory for a table of 4 MiB") };
        assert!(able.equip(lacking).is_err(), "nobody else can");
        assert_eq!(able.equip(|| Ok(7)).expect("memory"), Some(7));
        assert_eq!(able.equip(lacking).expect("another one can"), None);
    }
}
