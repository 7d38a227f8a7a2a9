//! The log of the whole dialogue, both directions, with times.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

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
    sink: Sink,
}

enum Sink {
    /// Nobody has asked for a log yet.
    Memory(String),
    File(BufWriter<File>),
    Off,
}

impl Default for Log {
    fn default() -> Self {
        Log { begun: (Instant::now(), SystemTime::now()), sink: Sink::Memory(String::new()) }
    }
}

impl Log {
    /// Appends to the file `path` from now on, beginning with what was said so far; ends the log
    /// if `path` is empty. A relative path starts at the working directory, or if that has no
    /// such folder, at the folder of the executable.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        if path.is_empty() {
            self.sink = Sink::Off;
            return Ok(());
        }
        let file = File::options().create(true).append(true).open(located(Path::new(path)))?;
        let mut file = BufWriter::new(file);
        if let Sink::Memory(said) = &self.sink {
            file.write_all(said.as_bytes())?;
            file.flush()?;
        }
        self.sink = Sink::File(file);
        Ok(())
    }

    /// Records a line that went `direction` at `moment`. A log that cannot be written ends.
    pub fn record(&mut self, direction: Direction, moment: Instant, line: &str) {
        let arrow = match direction {
            Direction::In => '>',
            Direction::Out => '<',
        };
        let written = match &mut self.sink {
            Sink::Off => return,
            Sink::Memory(said) if said.len() + line.len() > REMEMBERED => return,
            Sink::Memory(said) => {
                said.push_str(&entry(self.begun, moment, arrow, line));
                return;
            }
            Sink::File(file) => {
                file.write_all(entry(self.begun, moment, arrow, line).as_bytes()).and_then(|()| file.flush())
            }
        };
        if written.is_err() {
            self.sink = Sink::Off;
        }
    }
}

fn entry(begun: (Instant, SystemTime), moment: Instant, arrow: char, line: &str) -> String {
    let wall = begun.1 + moment.saturating_duration_since(begun.0);
    let since_epoch = wall.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{} {arrow} {line}\n", utc(since_epoch))
}

/// Where a relative path leads.
fn located(path: &Path) -> PathBuf {
    let folder_exists =
        |path: &Path| path.parent().is_some_and(|up| up.as_os_str().is_empty() || up.is_dir());
    if path.is_absolute() || folder_exists(path) {
        return path.to_path_buf();
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(path)));
    beside.filter(|beside| folder_exists(beside)).unwrap_or_else(|| path.to_path_buf())
}

/// Date and time in UTC, to the millisecond, from the time since 1970. The calendar is Howard
/// Hinnant's `civil_from_days`.
fn utc(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let millisecond = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        let at = |seconds: u64| utc(Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(Duration::from_millis(1_735_689_599_999)), "2024-12-31T23:59:59.999Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
    }

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
        assert!(matches!(log.sink, Sink::Memory(_)));
    }
}
