//! The log of the whole dialogue, both directions, with times.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::utc;
use kaeshi_core::stderr::remark;
use kaeshi_core::time::{Instant, wall};

/// How much of the dialogue is kept for a log that is asked for later, in bytes: the hello.
const REMEMBERED: usize = 64 << 10;

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the engine.
    In,
    /// From the engine.
    Out,
}

/// A log that may or may not be written to a file.
pub struct Log {
    begun: (Instant, SystemTime),
    sink: LogTarget,
}

enum LogTarget {
    /// No log is requested yet.
    Memory(String),
    File(BufWriter<File>),
    Off,
}

impl Default for Log {
    fn default() -> Self {
        Log { begun: (Instant::now(), wall()), sink: LogTarget::Memory(String::new()) }
    }
}

impl Log {
    /// Appends to the file `path` from now on, beginning with the dialogue so far; ends the log if `path` is empty. A
    /// relative path starts at the working directory, or if that has no such folder, at the folder of the executable.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        if path.is_empty() {
            self.sink = LogTarget::Off;
            return Ok(());
        }
        let mut options = File::options();
        options.create(true).append(true);
        // A FIFO without a reader is refused, and one that is full ends the log, rather than to wait for it.
        #[cfg(unix)]
        options.custom_flags(libc::O_NONBLOCK);
        let file = options.open(located(Path::new(path)))?;
        let mut file = BufWriter::new(file);
        if let LogTarget::Memory(said) = &self.sink {
            file.write_all(said.as_bytes())?;
            file.flush()?;
        }
        self.sink = LogTarget::File(file);
        Ok(())
    }

    /// Records a line that went `direction` at `moment`. A log that cannot be written ends, with a word on stderr.
    pub fn record(&mut self, direction: Direction, moment: Instant, line: &str) {
        let arrow = match direction {
            Direction::In => '>',
            Direction::Out => '<',
        };
        let written = match &mut self.sink {
            LogTarget::Off => return,
            LogTarget::Memory(said) if said.len() + line.len() > REMEMBERED => return,
            LogTarget::Memory(said) => {
                said.push_str(&entry(self.begun, moment, arrow, line));
                return;
            }
            LogTarget::File(file) => {
                file.write_all(entry(self.begun, moment, arrow, line).as_bytes()).and_then(|()| file.flush())
            }
        };
        if let Err(error) = written {
            remark(format_args!("kaeshi: LogFile cannot be written any more: {error}"));
            self.sink = LogTarget::Off;
        }
    }
}

fn entry(begun: (Instant, SystemTime), moment: Instant, arrow: char, line: &str) -> String {
    let wall = begun.1 + moment.saturating_duration_since(begun.0);
    format!("{} {arrow} {line}\n", utc::milliseconds(wall))
}

/// The location of a relative path.
fn located(path: &Path) -> PathBuf {
    let folder_exists =
        |path: &Path| path.parent().is_some_and(|up| up.as_os_str().is_empty() || up.is_dir());
    if path.is_absolute() || folder_exists(path) {
        return path.to_path_buf();
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(path)));
    beside.filter(|beside| folder_exists(beside)).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_log_begins_with_what_was_said_before_it_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("\u{5bfe}\u{5c40} log.txt");
        let mut log = Log::default();
        log.record(Direction::In, Instant::now(), "usi");
        log.record(Direction::Out, Instant::now(), "usiok");
        log.open(path.to_str().unwrap()).unwrap();
        log.record(Direction::In, Instant::now(), "isready");
        log.open("").unwrap();
        log.record(Direction::In, Instant::now(), "unheard");
        let text = std::fs::read_to_string(path).unwrap();
        let said: Vec<&str> =
            text.lines().filter_map(|line| line.split_once("Z ")).map(|pair| pair.1).collect();
        assert_eq!(said, ["> usi", "< usiok", "> isready"]);
    }

    #[test]
    fn a_log_that_cannot_be_opened_is_an_error_and_changes_nothing() {
        let mut log = Log::default();
        assert!(log.open("/no/such/folder/anywhere/log.txt").is_err());
        assert!(matches!(log.sink, LogTarget::Memory(_)));
    }
}
