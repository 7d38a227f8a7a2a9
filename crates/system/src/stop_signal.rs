//! Ctrl-C, SIGTERM and SIGHUP, and on Windows Ctrl-Break and the end of the console: one rule for every command.
//!
//! The first signal raises the [`StopSignal`] of the process. Work that polls it finishes its current step, saves the
//! state for a later run, and returns `StopSignal::stopped`. `GRACE` later the process ends, whatever it is doing:
//! every file is whole at any time. A second signal ends the process at once. The exit status is 128 and the number of
//! the signal: 130 after Ctrl-C, 143 after SIGTERM.

#[cfg(not(target_family = "wasm"))]
mod listening;
#[cfg(target_family = "wasm")]
mod no_signals;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use kaeshi_core::stderr::remark;
#[cfg(target_os = "linux")]
pub(crate) use listening::pass_on;
pub use listening::{
    finish_first, listen, on_stop, report_file_size_limit, resume_with, resume_with_unless_named,
};
#[cfg(target_family = "wasm")]
use no_signals as listening;

/// How long work that was asked to stop may go on.
pub const GRACE: Duration = Duration::from_secs(10);
/// The numbers of Ctrl-C and of a closed terminal, also where the system has no signals.
const INTERRUPT: i32 = 2;
const HANG_UP: i32 = 1;

/// The reaction of a command to the first signal.
#[derive(Debug)]
pub enum OnSignal {
    /// The process ends at once: there is nothing to finish.
    Exit,
    /// The command finishes its current step; a later run makes anew what is missing.
    Finish,
    /// The command finishes its current step, and this command line resumes its work.
    Resume(String),
}

/// Whether the process was asked to stop.
#[derive(Debug, Default)]
pub struct StopSignal {
    /// The number of the first signal; 0 for none.
    number: AtomicI32,
    /// Whether [`GRACE`] has passed since.
    overdue: AtomicBool,
}

static OF_PROCESS: StopSignal = StopSignal { number: AtomicI32::new(0), overdue: AtomicBool::new(false) };
static REPORTED: AtomicBool = AtomicBool::new(false);

/// The error of work that was asked to stop, and has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped by {}", name(.0))]
pub struct StoppedBySignal(i32);

impl StoppedBySignal {
    /// 128 and the number of the signal.
    pub fn status(self) -> u8 {
        u8::try_from(128 + self.0).unwrap_or(u8::MAX)
    }

    /// Says what stopped the command, and how to go on.
    pub fn report(self) -> ExitCode {
        // The work may end at the very moment at which it is ended.
        if REPORTED.swap(true, Ordering::Relaxed) {
            return ExitCode::from(self.status());
        }
        match listening::resume() {
            Some(command) => remark(format_args!("kaeshi: {self}; go on with: {command}")),
            None => remark(format_args!("kaeshi: {self}")),
        }
        ExitCode::from(self.status())
    }
}

impl StopSignal {
    /// The signal of this process.
    pub fn of_process() -> &'static StopSignal {
        &OF_PROCESS
    }

    /// Whether nothing new shall begin.
    pub fn is_raised(&self) -> bool {
        self.number.load(Ordering::Relaxed) != 0
    }

    /// Whether running work is to be aborted.
    pub fn is_overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }

    /// An error if the signal is raised: for work that has kept all it needs to go on.
    ///
    /// # Errors
    /// [`StoppedBySignal`].
    pub fn check(&self) -> Result<(), StoppedBySignal> {
        match self.number.load(Ordering::Relaxed) {
            0 => Ok(()),
            number => Err(StoppedBySignal(number)),
        }
    }

    /// The error of a command that was stopped before its end.
    pub fn stopped(&self) -> StoppedBySignal {
        StoppedBySignal(self.number.load(Ordering::Relaxed))
    }
}

fn name(signal: &i32) -> String {
    match *signal {
        HANG_UP if cfg!(windows) => "the end of the console".to_owned(),
        HANG_UP => "SIGHUP".to_owned(),
        INTERRUPT => "Ctrl-C".to_owned(),
        15 => "SIGTERM".to_owned(),
        other => format!("signal {other}"),
    }
}

/// The command line as it was typed, for a shell.
pub fn command_line() -> String {
    let words = std::env::args_os().skip(1);
    std::iter::once("kaeshi".to_owned())
        .chain(words.map(|word| quoted(&word.to_string_lossy())))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a shell reads it: that of Unix, or on Windows both of its shells.
pub fn quoted(word: &str) -> String {
    let marks = if cfg!(windows) { "-_./=:,+@\\" } else { "-_./=:,+@%" };
    let plain = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{}\"", word.replace('"', "\\\""))
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_gives_the_status() {
        let stop = StopSignal::default();
        assert!(!stop.is_raised() && stop.check().is_ok());
        assert!(stop.raise(15) && !stop.raise(2));
        let stopped = stop.check().unwrap_err();
        assert_eq!((stopped.status(), stopped.to_string()), (143, "stopped by SIGTERM".to_owned()));
        assert_eq!(StoppedBySignal(2).status(), 130);
    }

    #[cfg(windows)]
    #[test]
    fn words_are_quoted_for_both_shells_of_windows() {
        assert_eq!(quoted(r"C:\games\m-1"), r"C:\games\m-1");
        assert_eq!(quoted("two words"), "\"two words\"");
        assert_eq!(quoted(""), "\"\"");
    }

    #[cfg(unix)]
    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("--out=a/b-1.bin"), "--out=a/b-1.bin");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
