//! Pools of threads, and threads that may lack memory for their part of the work.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use kaeshi_core::driver::machine;
use kaeshi_core::game::GameError;
use kaeshi_core::stderr::remark;
use kaeshi_core::threads::report_granted;

/// A pool of threads for data-parallel work; of fewer, or of this thread alone, where the system grants no more.
///
/// # Errors
/// There is not even a pool of this thread.
pub fn pool(wanted: usize) -> Result<ThreadPool, GameError> {
    let wanted = wanted.max(1);
    let mut threads = wanted.min(machine::room_for_threads(wanted));
    while threads > 0 {
        if let Ok(pool) = ThreadPoolBuilder::new().num_threads(threads).build() {
            report_granted(threads, wanted);
            return Ok(pool);
        }
        threads /= 2;
    }
    report_granted(0, wanted);
    let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    alone.map_err(|error| GameError::resources(format!("no {wanted} threads: {error}")))
}

/// Counts the threads that have the resources to work.
#[derive(Default)]
pub struct Able(AtomicUsize);

impl Able {
    /// No thread has its resources yet.
    pub fn new() -> Able {
        Able(AtomicUsize::new(0))
    }

    /// The resources of a thread, made by `make`; `None` if that fails and other threads do the work.
    ///
    /// # Errors
    /// `make` failed, and no other thread has its resources.
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
    fn a_pool_has_the_threads_that_were_asked_for() {
        assert_eq!(pool(2).expect("threads").current_num_threads(), 2);
    }

    #[test]
    fn who_lacks_memory_leaves_the_work_to_others() {
        let able = Able::new();
        let lacking = || -> anyhow::Result<i32> { anyhow::bail!("no memory for a table of 4 MiB") };
        assert!(able.equip(lacking).is_err(), "no other thread can");
        assert_eq!(able.equip(|| Ok(7)).expect("memory"), Some(7));
        assert_eq!(able.equip(lacking).expect("another one can"), None);
    }
}
