//! One writer a file.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

/// How long a lock that another process holds is asked for again.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(5);

/// Takes the lock of a file before it is written.
///
/// A process that is being started holds the locks of the one that starts it, until it has become another
/// program. That takes a moment, so a held lock is asked for again.
///
/// # Errors
/// Another process writes the file, or the system refuses.
pub fn lock(file: &File) -> Result<(), TryLockError> {
    lock_within(file, LOCK_TIMEOUT)
}

/// [`lock`] that waits `timeout` for another process.
///
/// # Errors
/// As those of [`lock`].
pub fn lock_within(file: &File, timeout: Duration) -> Result<(), TryLockError> {
    let end = Instant::now() + timeout;
    loop {
        match system::try_lock(file) {
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

#[cfg(not(windows))]
mod system {
    use std::fs::{File, TryLockError};

    pub fn try_lock(file: &File) -> Result<(), TryLockError> {
        file.try_lock()
    }
}

#[cfg(windows)]
mod system {
    use std::fs::{File, TryLockError};
    use std::io;
    use std::os::windows::io::AsRawHandle as _;

    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    /// Upper half of the offset of the locked byte. No file is that long.
    const OFFSET_HIGH: u32 = 0x4000_0000;

    /// Windows keeps other processes from reading locked bytes, and a journal is read while its match is played. So one
    /// byte behind the end of the file is locked.
    pub fn try_lock(file: &File) -> Result<(), TryLockError> {
        let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
        let mut place = OVERLAPPED::default();
        place.Anonymous.Anonymous.OffsetHigh = OFFSET_HIGH;
        // SAFETY: the handle is open, and the call returns before the structure ends.
        if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) } != 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        let held = [ERROR_LOCK_VIOLATION, ERROR_IO_PENDING].map(|code| Some(code.cast_signed()));
        Err(if held.contains(&error.raw_os_error()) {
            TryLockError::WouldBlock
        } else {
            TryLockError::Error(error)
        })
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
        lock(&held).unwrap();
        assert!(matches!(lock(&wanted), Err(TryLockError::WouldBlock)));
        let moment = std::thread::spawn(move || {
            std::thread::sleep(4 * PAUSE);
            drop(held);
        });
        assert!(lock(&wanted).is_ok());
        moment.join().unwrap();
    }

    #[test]
    fn a_locked_file_is_read_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "a game").unwrap();
        let held = File::options().write(true).open(&path).unwrap();
        lock(&held).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"a game");
    }
}
