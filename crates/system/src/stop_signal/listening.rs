//! The reaction of a command to signals, and the thread that handles them.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;

#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;
use super::{GRACE, OF_PROCESS, OnSignal, StopSignal, StoppedBySignal, name};
use kaeshi_core::stderr::remark;

/// Time after that to report the results, if work has to be aborted first.
const REPORT: Duration = Duration::from_secs(5);
static PLAN: Mutex<StopPlan> = Mutex::new(StopPlan::NONE);
/// The process that signals are passed on to; 0 for none.
#[cfg(target_os = "linux")]
static HEIR: AtomicU32 = AtomicU32::new(0);

type StopAction = Box<dyn Fn() + Send>;

/// How a command stops.
struct StopPlan {
    /// Whether the first signal ends the process, as there is nothing to finish.
    at_once: bool,
    /// The command that goes on where this one stopped.
    resume: Option<String>,
    /// Aborts running work after [`GRACE`], so that the command can report its results.
    abandon: Option<StopAction>,
    /// Done before the process is ended from outside its work.
    before_exit: Option<StopAction>,
}

impl StopPlan {
    const NONE: StopPlan = StopPlan { at_once: true, resume: None, abandon: None, before_exit: None };
}

impl StopSignal {
    /// Notes a signal; whether it is the first one.
    pub(super) fn raise(&self, number: i32) -> bool {
        self.number.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// Begins to handle signals.
pub fn listen(reaction: OnSignal) {
    let (at_once, resume) = match reaction {
        OnSignal::Exit => (true, None),
        OnSignal::Finish => (false, None),
        OnSignal::Resume(command) => (false, Some(command)),
    };
    *PLAN.lock() = StopPlan { at_once, resume, abandon: None, before_exit: None };
    if let Err(error) = system::begin() {
        log::warn!("signals end the program at once: {error}");
    }
}

/// From now on the first signal lets the command finish its current step.
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

/// The command that goes on where this one stopped.
pub(super) fn resume() -> Option<String> {
    PLAN.lock().resume.clone()
}

/// Leaves the signals to another process that does the work: this one ends when that one does.
#[cfg(target_os = "linux")]
pub(crate) fn pass_on(process: u32) {
    HEIR.store(process, Ordering::Relaxed);
}

/// Handles the signals, in their order. `next` waits for one, at most so long.
fn obey(mut next: impl FnMut(Option<Duration>) -> Option<i32>) {
    let Some(number) = next(None) else { return };
    #[cfg(target_os = "linux")]
    if let heir @ 1.. = HEIR.load(Ordering::Relaxed) {
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
