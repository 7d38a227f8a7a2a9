//! Threads for the work of tools: as many as were asked for, or those that the system grants and that have room.

use std::thread::{Builder, Scope};

use crate::driver::machine;
use crate::game::GameError;
use crate::stderr::remark;

/// Does `work` on this thread and on others, `wanted` in all, or as many as `most` and the system allow; returns when
/// all have ended. Each is given its number.
pub fn side_by_side(wanted: usize, most: usize, work: impl Fn(usize) + Sync) {
    let (wanted, work) = (wanted.max(1), &work);
    std::thread::scope(|scope| {
        let granted =
            1 + (1..wanted.min(most)).take_while(|&number| spawn(scope, move || work(number))).count();
        report_granted(granted, wanted);
        work(0);
    });
}

/// Starts a thread of a scope; false where the system grants none, or there is no room for it.
pub fn spawn<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    machine::has_room_for_a_helper() && Builder::new().spawn_scoped(scope, work).is_ok()
}

/// Starts a detached thread.
///
/// # Errors
/// The system grants none.
pub fn spawn_free(work: impl FnOnce() + Send + 'static) -> Result<(), GameError> {
    let started = Builder::new().spawn(work);
    started.map(drop).map_err(|error| GameError::resources(format!("the system grants no thread: {error}")))
}

/// Says on stderr that there are fewer threads than were asked for, if so.
pub fn report_granted(granted: usize, wanted: usize) {
    if granted < wanted {
        remark(format_args!(
            "kaeshi: memory and system allow {} of {wanted} threads: the work goes on with these",
            granted.max(1)
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_work_is_done_by_all_that_were_granted() {
        let done = AtomicUsize::new(0);
        side_by_side(4, 4, |number| {
            done.fetch_add(1 << (8 * number), Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 0x0101_0101);
    }
}
