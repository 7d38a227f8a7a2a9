//! Work that gives way to all other work of the machine.

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::Command;
    use std::time::Duration;
    use std::{env, fs, io, process, thread};

    use anyhow::Context as _;

    use crate::stop_signal;

    /// Set for the process that does the work.
    const MARKER: &str = "KAESHI_IN_BACKGROUND";
    const LOWEST: libc::c_int = 19;
    const TRIES: u32 = 20;
    const PAUSE: Duration = Duration::from_millis(50);

    /// Makes this process run only while the processor is otherwise idle.
    ///
    /// Where the kernel groups processes by session (autogroup, sched(7)), the scheduling class and
    /// the nice value of a process count only among those of its own session, and the group has a
    /// nice value besides. A program started from a shell shares the shell's group, which must keep
    /// its priority. So the work is done by a second process in its own session, which ends
    /// when this one does; this one waits for it and does not return.
    ///
    /// # Errors
    /// The system refuses a second process or the scheduling class.
    pub fn give_way() -> anyhow::Result<()> {
        if env::var_os(MARKER).is_some() {
            return lower_priority();
        }
        let mut command = Command::new(env::current_exe().context("cannot find this program")?);
        command.args(env::args_os().skip(1)).env(MARKER, "1");
        let parent = process::id();
        // SAFETY: between fork and exec only system calls on numbers are made.
        unsafe {
            command.pre_exec(move || {
                libc::setsid();
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                // The parent may have ended before the line above.
                if libc::getppid().unsigned_abs() != parent {
                    return Err(io::Error::other("the program was ended"));
                }
                Ok(())
            });
        }
        let mut child = command.spawn().context("cannot start the process for the background")?;
        stop_signal::pass_on(child.id());
        let status = child.wait().context("cannot wait for the process in the background")?;
        process::exit(status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1));
    }

    /// Makes a process that this one has just started give way as well, if this one does: an engine has a session of
    /// its own.
    pub fn lower(child: u32) {
        if env::var_os(MARKER).is_none() {
            return;
        }
        // Ten such requests a second are granted to users, all together.
        for _ in 0..TRIES {
            match fs::write(format!("/proc/{child}/autogroup"), LOWEST.to_string()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                _ => return,
            }
        }
    }

    fn lower_priority() -> anyhow::Result<()> {
        // SAFETY: a structure of integers, for which zeros are values; C libraries differ in its fields.
        let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: system calls on numbers and on a structure that outlives them.
        let refused = unsafe {
            libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST);
            libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) != 0
        };
        if refused {
            return Err(io::Error::last_os_error()).context("cannot take the scheduling class SCHED_IDLE");
        }
        // Kernels without autogroups have no such file, and need none.
        let _ = fs::write("/proc/self/autogroup", LOWEST.to_string());
        Ok(())
    }
}

#[cfg(target_os = "linux")]
pub use linux::{give_way, lower};

/// Does nothing here: priorities are inherited.
#[cfg(not(target_os = "linux"))]
pub fn lower(_child: u32) {}

/// Gives this process the lowest priority there is.
///
/// # Errors
/// The system refuses.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn give_way() -> anyhow::Result<()> {
    use anyhow::Context as _;
    const LOWEST: libc::c_int = 19;
    // SAFETY: a system call on numbers.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST) } != 0 {
        return Err(std::io::Error::last_os_error()).context("cannot lower the priority");
    }
    Ok(())
}

/// Gives this process the lowest priority there is; programs that it starts inherit it.
///
/// # Errors
/// The system refuses.
#[cfg(windows)]
pub fn give_way() -> anyhow::Result<()> {
    use anyhow::Context as _;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, IDLE_PRIORITY_CLASS, SetPriorityClass};
    // SAFETY: system calls on numbers; the handle of this process need not be closed.
    if unsafe { SetPriorityClass(GetCurrentProcess(), IDLE_PRIORITY_CLASS) } == 0 {
        return Err(std::io::Error::last_os_error()).context("cannot lower the priority");
    }
    Ok(())
}
