//! Ctrl-C, SIGTERM and SIGHUP, and on Windows Ctrl-Break and the end of the console: one rule for every command.
//!
//! The first signal raises the [`StopSignal`] of the process. Work that polls it finishes what it has in hand, keeps
//! what a later run needs to go on, and returns `StopSignal::stopped`. `GRACE` later the process ends, whatever it
//! is doing: every file is whole at any time. A second signal ends the process at once. The exit status is 128 and the
//! number of the signal: 130 after Ctrl-C, 143 after SIGTERM.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::stderr::remark;

/// How long work that was asked to stop may go on.
pub const GRACE: Duration = Duration::from_secs(10);
/// How long it may take after that to report what was reached, where something has to be abandoned first.
const REPORT: Duration = Duration::from_secs(5);
/// The numbers of Ctrl-C and of a closed terminal, also where the system has no signals.
const INTERRUPT: i32 = 2;
const HANG_UP: i32 = 1;

/// Whether the process was asked to stop.
#[derive(Debug, Default)]
pub struct StopSignal {
    /// The number of the first signal; 0 for none.
    number: AtomicI32,
    /// [`GRACE`] has passed since.
    overdue: AtomicBool,
}

static OF_PROCESS: StopSignal = StopSignal { number: AtomicI32::new(0), overdue: AtomicBool::new(false) };
static REPORTED: AtomicBool = AtomicBool::new(false);
static PLAN: Mutex<StopPlan> = Mutex::new(StopPlan::NONE);

/// The process that signals are passed on to; 0 for none.
static HEIR: AtomicU32 = AtomicU32::new(0);

type StopAction = Box<dyn Fn() + Send>;

/// How a command stops.
pub(crate) struct StopPlan {
    /// Nothing is worth finishing: the first signal ends the process.
    pub at_once: bool,
    /// The command that goes on where this one stopped.
    pub resume: Option<String>,
    /// Breaks off what is still running after [`GRACE`], so that the command can report what it has.
    pub abandon: Option<StopAction>,
    /// Done before the process is ended from outside its work.
    pub before_exit: Option<StopAction>,
}

impl StopPlan {
    const NONE: StopPlan = StopPlan { at_once: true, resume: None, abandon: None, before_exit: None };
}

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
        match &PLAN.lock().resume {
            Some(command) => remark(format_args!("kaeshi: {self}; go on with: {command}")),
            None => remark(format_args!("kaeshi: {self}")),
        }
        ExitCode::from(self.status())
    }
}

impl StopSignal {
    /// That of this process.
    pub fn of_process() -> &'static StopSignal {
        &OF_PROCESS
    }

    /// Whether nothing new shall begin.
    pub fn is_raised(&self) -> bool {
        self.number.load(Ordering::Relaxed) != 0
    }

    /// Whether what is still running is to be broken off.
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

    /// What a command returns that has stopped before its end.
    pub fn stopped(&self) -> StoppedBySignal {
        StoppedBySignal(self.number.load(Ordering::Relaxed))
    }

    /// Notes a signal; whether it is the first one.
    fn raise(&self, number: i32) -> bool {
        self.number.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).is_ok()
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

/// Begins to obey signals. `resume` goes on where this command stops; without it the first signal ends the process.
pub fn listen(at_once: bool, resume: Option<String>) {
    *PLAN.lock() = StopPlan { at_once, resume, abandon: None, before_exit: None };
    if let Err(error) = system::begin() {
        log::warn!("signals end the program at once: {error}");
    }
}

/// From now on there is something in hand that is worth finishing.
pub fn finish_first() {
    PLAN.lock().at_once = false;
}

/// Says what else is to be done when the command is stopped.
pub fn on_stop(abandon: impl Fn() + Send + 'static, before_exit: impl Fn() + Send + 'static) {
    let mut plan = PLAN.lock();
    plan.abandon = Some(Box::new(abandon));
    plan.before_exit = Some(Box::new(before_exit));
}

/// Names another command to go on with than the one that was typed.
pub fn resume_with(command: Option<String>) {
    PLAN.lock().resume = command;
}

/// The same for work that may be a part of a larger command, which names its own.
pub fn resume_with_unless_named(command: impl FnOnce() -> String) {
    PLAN.lock().resume.get_or_insert_with(command);
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

/// Leaves the signals to another process that does the work: this one ends when that one does.
#[cfg(target_os = "linux")]
pub(crate) fn pass_on(process: u32) {
    HEIR.store(process, Ordering::Relaxed);
}

/// What happens with the signals, in their order. `next` waits for one, at most so long.
fn obey(mut next: impl FnMut(Option<Duration>) -> Option<i32>) {
    let Some(number) = next(None) else { return };
    let heir = HEIR.load(Ordering::Relaxed);
    if heir != 0 {
        system::send(heir, number);
        return obey(next);
    }
    let first = StoppedBySignal(number);
    OF_PROCESS.raise(number);
    if PLAN.lock().at_once {
        leave(first);
    }
    remark(format_args!(
        "\n{}: what ends within {} s is finished. A second signal ends at once.",
        name(&number),
        GRACE.as_secs()
    ));
    if let Some(again) = next(Some(GRACE)) {
        leave(StoppedBySignal(again));
    }
    OF_PROCESS.overdue.store(true, Ordering::Relaxed);
    let abandoned = PLAN.lock().abandon.as_ref().map(|abandon| abandon()).is_some();
    if abandoned && let Some(again) = next(Some(REPORT)) {
        leave(StoppedBySignal(again));
    }
    leave(first);
}

/// Ends the process.
fn leave(stopped: StoppedBySignal) -> ! {
    if let Some(action) = &PLAN.lock().before_exit {
        action();
    }
    stopped.report();
    std::process::exit(stopped.status().into())
}

#[cfg(unix)]
mod system {
    use std::io::{self, PipeReader, Read as _};
    use std::os::fd::{AsRawFd as _, IntoRawFd as _};
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::time::Duration;

    use super::{OF_PROCESS, obey};

    /// Where the handler writes; -1 before there is a reader.
    static PIPE: AtomicI32 = AtomicI32::new(-1);

    /// Handles the signals on a separate thread. Once is enough for the process.
    pub fn begin() -> io::Result<()> {
        if PIPE.load(Ordering::Relaxed) >= 0 {
            return Ok(());
        }
        let (reader, writer) = io::pipe()?;
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || obey(|longest| next(&reader, longest)))?;
        PIPE.store(writer.into_raw_fd(), Ordering::Relaxed);
        for signal in [libc::SIGINT, libc::SIGTERM] {
            install(signal, on_signal)?;
        }
        // `nohup` has a program go on when its terminal is closed.
        if !is_ignored(libc::SIGHUP) {
            install(libc::SIGHUP, on_signal)?;
        }
        Ok(())
    }

    /// Only atomics and `write`, which a handler may use.
    extern "C" fn on_signal(number: libc::c_int) {
        OF_PROCESS.raise(number);
        let byte = number as u8;
        // SAFETY: a byte of this function; the descriptor stays open.
        unsafe { libc::write(PIPE.load(Ordering::Relaxed), (&raw const byte).cast(), 1) };
    }

    /// A byte for each signal.
    fn next(mut reader: &PipeReader, longest: Option<Duration>) -> Option<i32> {
        if let Some(longest) = longest {
            let mut poll = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            let millis = libc::c_int::try_from(longest.as_millis()).unwrap_or(libc::c_int::MAX);
            // SAFETY: one valid pollfd, as the count says.
            if unsafe { libc::poll(&raw mut poll, 1, millis) } <= 0 {
                return None;
            }
        }
        let mut byte = [0];
        reader.read_exact(&mut byte).ok()?;
        Some(byte[0].into())
    }

    /// Programs that are started from here get the default back, as they would not if the signal were ignored.
    pub fn install(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
        // SAFETY: a structure of numbers, for which zeros are values; the handler stays.
        let set = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut())
        };
        if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    pub fn send(process: u32, signal: i32) {
        if let Ok(process) = libc::pid_t::try_from(process) {
            // SAFETY: kill takes plain numbers.
            unsafe { libc::kill(process, signal) };
        }
    }

    fn is_ignored(signal: libc::c_int) -> bool {
        // SAFETY: the call only writes the structure that it is given, for which zeros are values.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == libc::SIG_IGN
        }
    }
}

/// A page has no signals.
#[cfg(target_family = "wasm")]
mod system {
    pub fn send(_process: u32, _signal: i32) {}

    pub fn begin() -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::sync::OnceLock;
    use std::time::Duration;

    use crossbeam_channel::{Sender, unbounded};
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
    use windows_sys::core::BOOL;

    use super::{HANG_UP, INTERRUPT, OF_PROCESS, obey};

    static ASKED: OnceLock<Sender<i32>> = OnceLock::new();

    pub fn send(_process: u32, _signal: i32) {}

    /// Handles the events of the console on a separate thread. Once is enough for the process.
    pub fn begin() -> io::Result<()> {
        let (asked, asks) = unbounded();
        if ASKED.set(asked).is_err() {
            return Ok(());
        }
        let next = move |longest| match longest {
            None => asks.recv().ok(),
            Some(longest) => asks.recv_timeout(longest).ok(),
        };
        std::thread::Builder::new().name("signals".into()).spawn(move || obey(next))?;
        // SAFETY: the handler stays.
        match unsafe { SetConsoleCtrlHandler(Some(on_event), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Called on a new thread.
    unsafe extern "system" fn on_event(event: u32) -> BOOL {
        let number = if [CTRL_C_EVENT, CTRL_BREAK_EVENT].contains(&event) { INTERRUPT } else { HANG_UP };
        OF_PROCESS.raise(number);
        let _ = ASKED.get().map(|asked| asked.send(number));
        if number == HANG_UP {
            // A closed console, or the end of the session: Windows ends the process when this returns, or after
            // five seconds.
            std::thread::sleep(Duration::MAX);
        }
        1
    }
}

/// Has a write beyond the greatest size of a file (`ulimit -f`) fail as other writes fail; by default the system ends
/// the program.
pub fn report_file_size_limit() {
    #[cfg(unix)]
    {
        extern "C" fn nothing(_: libc::c_int) {}
        if let Err(error) = system::install(libc::SIGXFSZ, nothing) {
            log::warn!("SIGXFSZ: {error}");
        }
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
