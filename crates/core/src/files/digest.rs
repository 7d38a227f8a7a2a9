//! Sizes and checksums of the files that a piece of work reads, taken while it reads them.

use std::cell::RefCell;
use std::fmt;

thread_local! {
    /// Digests of the files read on this thread; `None` outside [`digested`].
    static DIGESTS: RefCell<Option<Vec<FileDigest>>> = const { RefCell::new(None) };
}

/// Size and CRC-32 of the bytes read of a file, shown as `SIZE-CHECKSUM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// In bytes.
    pub size: u64,
    /// CRC-32 with the polynomial of zlib.
    pub checksum: u32,
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.size, self.checksum)
    }
}

/// Does `work`; returns also the digest of each [`InputFile`](super::InputFile) that it opened and closed on this
/// thread, in the order in which they were closed.
pub fn digested<T>(work: impl FnOnce() -> T) -> (T, Vec<FileDigest>) {
    struct Restore(Option<Vec<FileDigest>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            DIGESTS.set(self.0.take());
        }
    }
    let _restore = Restore(DIGESTS.replace(Some(Vec::new())));
    let done = work();
    (done, DIGESTS.take().unwrap_or_default())
}

/// The digest of a file that is being read; it is noted when the file is closed.
pub(super) struct RunningDigest {
    size: u64,
    checksum: crc32fast::Hasher,
}

impl RunningDigest {
    /// `None` outside [`digested`].
    pub fn new() -> Option<RunningDigest> {
        let is_wanted = DIGESTS.with_borrow(Option::is_some);
        is_wanted.then(|| RunningDigest { size: 0, checksum: crc32fast::Hasher::new() })
    }

    /// Adds the next bytes of the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.checksum.update(bytes);
    }
}

impl Drop for RunningDigest {
    fn drop(&mut self) {
        let digest = FileDigest { size: self.size, checksum: self.checksum.clone().finalize() };
        DIGESTS.with_borrow_mut(|digests| {
            if let Some(digests) = digests {
                digests.push(digest);
            }
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::files::{self, FileKind, interruptible};
    use crate::game::interrupt::Interrupt;

    #[test]
    fn files_are_told_apart_by_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "123456789").unwrap();
        let read = || files::read(&path, FileKind::SETTINGS).unwrap();
        // The check value of CRC-32.
        let digest = FileDigest { size: 9, checksum: 0xcbf4_3926 };
        assert_eq!(digested(read), (b"123456789".to_vec(), vec![digest]));
        assert_eq!(digest.to_string(), "9-cbf43926");
        assert_eq!(digested(|| interruptible(&Interrupt::default(), read)).1, [digest]);
        let (inner, outer) = digested(|| (read(), digested(read).1));
        assert_eq!((inner.1, outer), (vec![digest], vec![digest]), "each read counts once");
        assert!(DIGESTS.with_borrow(Option::is_none));
    }
}
