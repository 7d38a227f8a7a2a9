//! One writer a file.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// How long a lock that another process holds is asked for again.
const PATIENCE: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(5);

/// Takes the lock of a file before it is written.
///
/// A process that is being started holds the locks of the one that starts it, until it has become another
/// program. That takes a moment, so a held lock is asked for again.
///
/// # Errors
/// Another process writes the file, or the system refuses.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_held_for_a_moment_is_waited_for_and_one_that_stays_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = || File::create(folder.path().join("file")).unwrap();
        let (held, wanted) = (open(), open());
        held.lock().unwrap();
        assert!(matches!(lock(&wanted), Err(TryLockError::WouldBlock)));
        let moment = std::thread::spawn(move || {
            std::thread::sleep(4 * PAUSE);
            drop(held);
        });
        assert!(lock(&wanted).is_ok());
        moment.join().unwrap();
    }
}
