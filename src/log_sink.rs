//! Where the log goes: stderr, as long as somebody reads it.

use std::io::{self, Write};
#[cfg(not(unix))]
use std::{sync::mpsc, thread, time::Duration};

/// Longest line, in bytes: what a pipe that has any room takes at once.
const LONGEST: usize = 4_000;

/// Writes each line to stderr, or drops it where stderr takes nothing at present: an engine must not wait for the
/// reader of its log. The next line that is written says how many were dropped.
#[derive(Debug, Default)]
pub struct LogSink {
    dropped: usize,
    #[cfg(unix)]
    stderr: PolledStderr,
    #[cfg(not(unix))]
    stderr: ThreadedStderr,
}

impl Write for LogSink {
    /// Takes a whole line; never fails.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.stderr.takes_more() {
            let mut bytes = Vec::new();
            if self.dropped > 0 {
                bytes =
                    format!("[{} lines of the log are lost: it was not read]\n", self.dropped).into_bytes();
                self.dropped = 0;
            }
            bytes.extend_from_slice(shortened(line));
            if bytes.last() != Some(&b'\n') {
                bytes.extend_from_slice(b"...\n");
            }
            self.stderr.put(bytes);
        } else {
            self.dropped += 1;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The beginning of a line that is too long, without a broken character at its end.
fn shortened(line: &[u8]) -> &[u8] {
    if line.len() <= LONGEST {
        return line;
    }
    let continues = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    let end = (0..=LONGEST).rev().find(|at| !continues(at)).unwrap_or(0);
    line.get(..end).unwrap_or(line)
}

/// Stderr, asked before each line whether there is room for it.
#[cfg(unix)]
#[derive(Debug, Default)]
struct PolledStderr;

#[cfg(unix)]
impl PolledStderr {
    /// Whether a line can be written without waiting for its reader.
    fn takes_more(&mut self) -> bool {
        let mut stderr = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
        // SAFETY: the call writes to the one structure that it is given, and returns at once.
        let ready = unsafe { libc::poll(&raw mut stderr, 1, 0) };
        ready == 1 && stderr.revents & libc::POLLOUT != 0
    }

    fn put(&mut self, line: Vec<u8>) {
        // The reader closed it on purpose.
        let _ = io::stderr().write_all(&line);
    }
}

/// Stderr, written by a separate thread: on other systems a pipe cannot be asked whether it has room.
#[cfg(not(unix))]
#[derive(Debug, Default)]
struct ThreadedStderr {
    writer: Option<StderrWriter>,
    /// A line has been handed over and is not written yet.
    unwritten: bool,
}

#[cfg(not(unix))]
#[derive(Debug)]
struct StderrWriter {
    lines: mpsc::Sender<Vec<u8>>,
    written: mpsc::Receiver<()>,
}

#[cfg(not(unix))]
impl ThreadedStderr {
    /// How long to wait until a line is written. A line that takes longer is lost if the program ends
    /// meanwhile, and the lines behind it are dropped until it is written.
    const WRITE_TIMEOUT: Duration = Duration::from_millis(20);

    /// Whether the line before is written.
    fn takes_more(&mut self) -> bool {
        if let Some(writer) = &self.writer
            && self.unwritten
        {
            self.unwritten = writer.written.try_recv() == Err(mpsc::TryRecvError::Empty);
        }
        !self.unwritten
    }

    fn put(&mut self, line: Vec<u8>) {
        let writer = self.writer.get_or_insert_with(StderrWriter::start);
        // Where no thread could be started there is no log.
        let sent = writer.lines.send(line).is_ok();
        self.unwritten =
            sent && writer.written.recv_timeout(Self::WRITE_TIMEOUT) == Err(mpsc::RecvTimeoutError::Timeout);
    }
}

#[cfg(not(unix))]
impl StderrWriter {
    fn start() -> StderrWriter {
        let (sender, lines) = mpsc::channel::<Vec<u8>>();
        let (done, written) = mpsc::channel();
        let _ = thread::Builder::new().name("log".into()).spawn(move || {
            for line in lines {
                // The reader closed it on purpose.
                let _ = io::stderr().write_all(&line);
                if done.send(()).is_err() {
                    return;
                }
            }
        });
        StderrWriter { lines: sender, written }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(shortened(b"short"), b"short");
        let long = "\u{5c06}".repeat(2_000);
        let cut = shortened(long.as_bytes());
        assert_eq!(cut.len(), LONGEST - LONGEST % 3);
        assert!(std::str::from_utf8(cut).is_ok());
    }
}
