//! Where the log goes: stderr, as long as somebody reads it.

use std::io::{self, Write};

/// Longest line, in bytes: what a pipe that has any room takes at once.
const LONGEST: usize = 4_000;

/// Writes each line to stderr, or drops it where stderr takes nothing at present: an engine must not wait for the
/// reader of its log. The next line that is written says how many were dropped.
#[derive(Debug, Default)]
pub struct LogSink {
    dropped: usize,
}

impl Write for LogSink {
    /// Takes a whole line; never fails.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if takes_more() {
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
            // The reader closed it on purpose.
            let _ = io::stderr().write_all(&bytes);
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

/// Whether stderr takes a line without waiting for its reader.
fn takes_more() -> bool {
    #[cfg(unix)]
    {
        let mut stderr = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
        // SAFETY: the call writes to the one structure that it is given, and returns at once.
        let ready = unsafe { libc::poll(&raw mut stderr, 1, 0) };
        ready == 1 && stderr.revents & libc::POLLOUT != 0
    }
    #[cfg(not(unix))]
    true
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
