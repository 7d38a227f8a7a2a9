//! Files read on another thread, so that a disk which does not answer does not silence the engine.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread::Builder;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};

use super::open;
use crate::game::interrupt::Interrupt;
use crate::time::Instant;

/// A file that delivers nothing for this long is given up.
pub const STALL: Duration = Duration::from_secs(10);
/// The same while an urgent command waits: `stop`, `quit`, `go`.
pub const URGENT_STALL: Duration = Duration::from_secs(1);
/// While such a command waits, a file must deliver this many bytes a second on average.
const URGENT_RATE: u64 = 1 << 20;
/// How long opening a database may take: one that was not closed is put in order first.
const STORE_STALL: Duration = Duration::from_secs(60);
/// Longest delay before a waiting command is noticed.
const POLL: Duration = Duration::from_millis(10);
/// Bytes read at once.
const CHUNK: usize = 256 << 10;
/// Chunks read ahead.
const AHEAD: usize = 4;

thread_local! {
    /// Raised to shorten the reading of files on this thread; `None` where no caller waits for the thread.
    static INTERRUPT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

/// Runs `work`; meanwhile, [`Source`](super::InputFile) reads files on another thread, and gives up one that delivers
/// nothing for [`STALL`], or for [`URGENT_STALL`] while `interrupt` is raised.
pub fn interruptible<T>(interrupt: &Interrupt, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Interrupt>);
    impl Drop for Restore {
        fn drop(&mut self) {
            INTERRUPT.set(self.0.take());
        }
    }
    let _restore = Restore(INTERRUPT.replace(Some(interrupt.clone())));
    work()
}

/// Opens a database by `work` on another thread, and waits for it no longer than a command may.
///
/// # Errors
/// It takes too long. Where the system grants no thread, `work` is done on this one.
pub fn open_store<T: Send + 'static>(
    interrupt: &Interrupt,
    work: impl Fn() -> T + Clone + Send + 'static,
) -> io::Result<T> {
    let (give, take) = bounded(1);
    let there = work.clone();
    let thread = Builder::new().spawn(move || {
        // The caller no longer waits where it took too long.
        let _ = give.send(there());
    });
    if thread.is_err() {
        return Ok(work());
    }
    let mut timeouts = RelayTimeouts::new(interrupt.clone(), STORE_STALL);
    timeouts.wait(&take)?.ok_or_else(|| io::Error::other("the database could not be opened"))
}

/// How long to wait for what another thread does.
struct RelayTimeouts {
    interrupt: Interrupt,
    stall: Duration,
    /// When a command that must not wait was noticed, and the bytes that came since.
    urgent: Option<(Instant, u64)>,
}

impl RelayTimeouts {
    fn new(interrupt: Interrupt, stall: Duration) -> RelayTimeouts {
        RelayTimeouts { interrupt, stall, urgent: None }
    }

    /// The next item; `None` at the end.
    fn wait<T>(&mut self, from: &Receiver<T>) -> io::Result<Option<T>> {
        let begun = Instant::now();
        loop {
            match from.recv_timeout(POLL) {
                Ok(item) => return Ok(Some(item)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.interrupt.is_raised() {
                let (since, bytes) = *self.urgent.get_or_insert((Instant::now(), 0));
                if since.elapsed() > URGENT_STALL + Duration::from_secs(bytes / URGENT_RATE) {
                    return Err(overdue("it is too slow, and another command waits"));
                }
            }
            if begun.elapsed() > self.stall {
                return Err(overdue(&format!("nothing came of it for {} s", self.stall.as_secs())));
            }
        }
    }

    fn came(&mut self, bytes: usize) {
        if let Some((_, delivered)) = &mut self.urgent {
            *delivered += bytes as u64;
        }
    }
}

fn overdue(text: &str) -> io::Error {
    io::Error::new(ErrorKind::TimedOut, text)
}

/// A file that another thread reads.
pub(super) struct Relay {
    length: u64,
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    /// Bytes of `chunk` that are taken already.
    at: usize,
    timeouts: RelayTimeouts,
}

impl Relay {
    /// Opens a regular file; `None` where this thread is to read it: no caller waits, or there is no other thread.
    pub(super) fn open(path: &Path) -> Option<io::Result<Relay>> {
        let interrupt = INTERRUPT.with_borrow(Clone::clone)?;
        let path = PathBuf::from(path);
        Relay::begin(interrupt, move || {
            let file = open(&path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        })
    }

    fn begin<R: Read + 'static>(
        interrupt: Interrupt,
        open: impl FnOnce() -> io::Result<(R, u64)> + Send + 'static,
    ) -> Option<io::Result<Relay>> {
        let (opened, length) = bounded(1);
        let (give, chunks) = bounded(AHEAD);
        let read = move || {
            let mut file = match open() {
                Ok((file, length)) => {
                    let _ = opened.send(Ok(length));
                    file
                }
                Err(error) => {
                    let _ = opened.send(Err(error));
                    return;
                }
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match file.read(&mut chunk) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    read => read,
                };
                let read = read.map(|length| {
                    chunk.truncate(length);
                    chunk
                });
                let last = read.as_ref().map_or(true, Vec::is_empty);
                // An empty chunk is the end, so that a thread that panics is not taken for one.
                if give.send(read).is_err() || last {
                    return;
                }
            }
        };
        Builder::new().spawn(read).ok()?;
        let mut timeouts = RelayTimeouts::new(interrupt, STALL);
        let length = timeouts.wait(&length).and_then(|length| length.unwrap_or_else(|| Err(vanished())));
        Some(length.map(|length| Relay { length, chunks, chunk: Vec::new(), at: 0, timeouts }))
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

fn vanished() -> io::Error {
    io::Error::other("the thread that reads it has ended")
}

impl Read for Relay {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            self.chunk = self.timeouts.wait(&self.chunks)?.unwrap_or_else(|| Err(vanished()))?;
            self.at = 0;
            self.timeouts.came(self.chunk.len());
            if self.chunk.is_empty() {
                // A second call gets the same answer.
                let (give, chunks) = bounded(1);
                let _ = give.send(Ok(Vec::new()));
                self.chunks = chunks;
                return Ok(0);
            }
        }
        let left = self.chunk.get(self.at..).unwrap_or_default();
        let taken = left.len().min(bytes.len());
        if let (Some(into), Some(from)) = (bytes.get_mut(..taken), left.get(..taken)) {
            into.copy_from_slice(from);
        }
        self.at += taken;
        Ok(taken)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Delivers a byte after each pause, and then blocks.
    struct SlowReader {
        left: usize,
        pause: Duration,
    }

    impl Read for SlowReader {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            if self.left == 0 {
                std::thread::sleep(Duration::from_secs(3_600));
            }
            std::thread::sleep(self.pause);
            self.left -= 1;
            bytes[0] = b'x';
            Ok(1)
        }
    }

    fn relay(interrupt: &Interrupt, left: usize, pause: u64) -> Relay {
        let slow = SlowReader { left, pause: Duration::from_millis(pause) };
        Relay::begin(interrupt.clone(), move || Ok((slow, 0))).unwrap().unwrap()
    }

    #[test]
    fn a_file_that_delivers_nothing_gives_way_to_a_command() {
        for (left, pause) in [(0, 0), (3, 1), (usize::MAX, 50)] {
            let interrupt = Interrupt::default();
            interrupt.raise();
            let begun = Instant::now();
            let error = relay(&interrupt, left, pause).read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{error}");
            let taken = begun.elapsed();
            assert!(taken >= URGENT_STALL && taken < 5 * URGENT_STALL, "{taken:?}");
        }
    }

    #[test]
    fn a_file_is_relayed_whole() {
        let content: Vec<u8> = (0..3 * CHUNK + 7).map(|byte| byte as u8).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, &content).unwrap();
        let interrupt = Interrupt::default();
        // A file that delivers in time is read to its end even while a command waits.
        interrupt.raise();
        interruptible(&interrupt, || {
            let mut relay = Relay::open(&path).unwrap().unwrap();
            let mut read = Vec::new();
            relay.read_to_end(&mut read).unwrap();
            assert!(read == content && relay.length() == content.len() as u64);
            assert_eq!(relay.read(&mut [0; 4]).unwrap(), 0);
            assert!(Relay::open(&folder.path().join("none")).unwrap().is_err());
        });
        assert!(Relay::open(&path).is_none());
    }

    #[test]
    fn work_that_panics_restores_what_was() {
        let interrupt = Interrupt::default();
        let panics = || interruptible(&interrupt, || panic!("in a test"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert!(INTERRUPT.with_borrow(Option::is_none));
    }

    #[test]
    fn a_database_that_does_not_open_gives_way() {
        let interrupt = Interrupt::default();
        assert_eq!(open_store(&interrupt, || 7).unwrap(), 7);
        interrupt.raise();
        let slow = || std::thread::sleep(Duration::from_secs(3_600));
        assert_eq!(open_store(&interrupt, slow).unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
