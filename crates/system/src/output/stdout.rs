//! Standard output, by one rule for every command.
//!
//! A reader that has gone away, such as `head`, ends a command without a word and with status 0. Any other write that
//! fails, for instance because the disk is full, is an error: a message on stderr and status 2. Work that ends in
//! files, an engine or a client is not ended by either: it goes on, and reports at its end that output was lost.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

use crate::stop_signal::StoppedBySignal;
use kaeshi_core::stderr::remark;
use kaeshi_core::visible::Visible;

/// The exit status of a command that failed.
const FAILED: u8 = 2;

const ERROR_PIPE_NOT_CONNECTED: i32 = 233;

/// How long the end of the program waits for the last write.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// The first write that failed.
static FAILURE: OnceLock<(io::ErrorKind, String)> = OnceLock::new();

/// Standard output. All of the program writes there through this.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stdout;

/// A write to standard output that failed, inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
struct Unwritten(io::Error);

#[expect(clippy::disallowed_methods, reason = "the one place that writes there")]
fn stdout() -> io::Stdout {
    io::stdout()
}

/// Windows has one more code for a pipe whose other end is gone, which Rust does not know.
fn kind(error: &io::Error) -> io::ErrorKind {
    match error.raw_os_error() {
        Some(ERROR_PIPE_NOT_CONNECTED) if cfg!(windows) => io::ErrorKind::BrokenPipe,
        _ => error.kind(),
    }
}

fn noted(error: io::Error) -> io::Error {
    let kind = kind(&error);
    if kind == io::ErrorKind::Interrupted {
        return error;
    }
    let _ = FAILURE.set((kind, error.to_string()));
    io::Error::new(kind, Unwritten(error))
}

impl Stdout {
    /// Whether it leads to a terminal.
    pub fn is_terminal(self) -> bool {
        io::IsTerminal::is_terminal(&stdout())
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        stdout().write(bytes).map_err(noted)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        stdout().write_all(bytes).map_err(noted)
    }

    fn flush(&mut self) -> io::Result<()> {
        stdout().flush().map_err(noted)
    }
}

/// Prints a line and has it read at once. For commands that only print: they end where the output has no reader. The
/// line may contain text from files and engines: see [`Visible`].
///
/// # Errors
/// The write failed; [`exit_code`] knows what to make of it.
pub fn print(text: impl Display) -> io::Result<()> {
    draw(Visible(text))
}

/// Prints what may contain escape sequences of a terminal: only what this program wrote itself.
///
/// # Errors
/// The write failed.
pub fn draw(text: impl Display) -> io::Result<()> {
    // One piece, so that lines of several threads do not mix.
    Stdout.write_all(format!("{text}\n").as_bytes())?;
    Stdout.flush()
}

/// Prints a line. Work that ends in a file goes on when it cannot be printed.
pub fn say(text: impl Display) {
    if FAILURE.get().is_none() {
        let _ = print(text);
    }
}

/// An error if something could not be printed: for long work that only prints, but does so with [`say`].
///
/// # Errors
/// That of the first write that failed.
pub fn check_printed() -> io::Result<()> {
    failure().map_or(Ok(()), |failure| Err(io::Error::new(failure.0.kind(), failure)))
}

fn failure() -> Option<Unwritten> {
    FAILURE.get().map(|(kind, message)| Unwritten(io::Error::new(*kind, message.clone())))
}

/// Writes the rest of an unfinished line, unless a thread still waits for a reader: it holds the lock, and the program
/// ends all the same.
fn flush_in_time() {
    let (done, flushed) = crossbeam_channel::bounded(1);
    let flush = move || {
        let _ = Stdout.flush();
        let _ = done.send(());
    };
    if std::thread::Builder::new().spawn(flush).is_ok() {
        let _ = flushed.recv_timeout(FLUSH_TIMEOUT);
    }
}

/// The exit status of a command, after what has to be said about its end.
pub fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    flush_in_time();
    match result {
        Ok(code) => match failure() {
            Some(failure) if failure.0.kind() != io::ErrorKind::BrokenPipe => failed(failure),
            _ => code,
        },
        Err(error) => match (error.downcast_ref::<StoppedBySignal>(), unwritten(&error)) {
            (Some(stopped), _) => stopped.report(),
            (None, Some(io::ErrorKind::BrokenPipe)) => ExitCode::SUCCESS,
            (None, _) => failed(format_args!("{error:#}")),
        },
    }
}

/// The same for a command line that was not understood, or that asked for help.
pub fn exit_code_of_usage(error: &clap::Error) -> ExitCode {
    match error.print() {
        _ if error.use_stderr() => ExitCode::from(FAILED),
        Err(error) if kind(&error) == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(Unwritten(error)),
        Ok(()) => exit_code(Ok(ExitCode::SUCCESS)),
    }
}

fn failed(message: impl Display) -> ExitCode {
    remark(format_args!("kaeshi: {message}"));
    ExitCode::from(FAILED)
}

/// How a write to standard output failed that has led to this error.
fn unwritten(error: &anyhow::Error) -> Option<io::ErrorKind> {
    error.chain().find_map(|cause| {
        let error = cause.downcast_ref::<io::Error>()?;
        error.get_ref()?.is::<Unwritten>().then(|| error.kind())
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn a_failed_write_is_known_through_any_context() {
        let error = io::Error::new(io::ErrorKind::BrokenPipe, Unwritten(io::ErrorKind::BrokenPipe.into()));
        let error = Err::<(), _>(error).context("the table").context("the command").unwrap_err();
        assert_eq!(unwritten(&error), Some(io::ErrorKind::BrokenPipe));
        let other = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(unwritten(&other), None, "a pipe of another program");
    }
}
