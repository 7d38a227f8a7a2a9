//! What only the operating system can do: process groups, pipes that do not block, signals.

#[cfg(not(unix))]
pub use elsewhere::*;
#[cfg(unix)]
pub use unix::*;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsRawFd, BorrowedFd};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Command, ExitStatus};
    use std::time::Duration;

    /// Puts the command into a session of its own that dies with the thread that starts it.
    pub fn isolate(command: &mut Command) {
        let parent = std::process::id();
        let prepare = move || {
            // SAFETY: setsid, prctl and getppid are async-signal-safe and touch no memory of ours.
            unsafe {
                if libc::setsid() < 0 {
                    return Err(io::Error::last_os_error());
                }
                #[cfg(target_os = "linux")]
                {
                    if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) < 0 {
                        return Err(io::Error::last_os_error());
                    }
                    if libc::getppid() as u32 != parent {
                        return Err(io::Error::other("the runner died while starting an engine"));
                    }
                }
            }
            Ok(())
        };
        // SAFETY: the closure only makes async-signal-safe calls between fork and exec.
        unsafe {
            command.pre_exec(prepare);
        }
    }

    /// Makes writes to `pipe` return instead of waiting for the reader.
    pub fn set_nonblocking(pipe: BorrowedFd<'_>) -> io::Result<()> {
        let fd = pipe.as_raw_fd();
        // SAFETY: fcntl on a descriptor that is open for the lifetime of the borrow.
        let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
        // SAFETY: as above.
        if flags < 0 || unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Waits until `pipe` takes bytes again, at most `timeout`.
    pub fn wait_writable(pipe: BorrowedFd<'_>, timeout: Duration) {
        let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
        let millis = timeout.as_millis().clamp(1, 1000) as libc::c_int;
        // SAFETY: one valid pollfd, as the count says.
        unsafe { libc::poll(&mut poll, 1, millis) };
    }

    fn signal_group(leader: u32, signal: libc::c_int) {
        if let Ok(group) = libc::pid_t::try_from(leader) {
            // SAFETY: kill takes plain numbers; a group that is gone is an error we do not need.
            unsafe { libc::kill(-group, signal) };
        }
    }

    /// Asks the whole group of `leader` to end.
    pub fn terminate_group(leader: u32) {
        signal_group(leader, libc::SIGTERM);
    }

    /// Ends the whole group of `leader`.
    pub fn kill_group(leader: u32) {
        signal_group(leader, libc::SIGKILL);
    }

    /// Stops one process where it is.
    #[cfg(target_os = "linux")]
    pub fn stop_process(pid: u32) {
        if let Ok(pid) = libc::pid_t::try_from(pid) {
            // SAFETY: kill takes plain numbers.
            unsafe { libc::kill(pid, libc::SIGSTOP) };
        }
    }

    /// Ends one process.
    #[cfg(target_os = "linux")]
    pub fn kill_process(pid: u32) {
        if let Ok(pid) = libc::pid_t::try_from(pid) {
            // SAFETY: kill takes plain numbers.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            // One that is not our child yet is waited for when it is.
            // SAFETY: a null status pointer is allowed.
            unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) };
        }
    }

    /// Makes orphans of our engines our own children, so that they can be found and ended.
    #[cfg(target_os = "linux")]
    pub fn adopt_orphans() {
        // SAFETY: prctl with plain numbers.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    }

    /// `exit code 3` or `signal 9`.
    pub fn describe(status: ExitStatus) -> String {
        match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "unknown exit status".into(),
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::process::{Command, ExitStatus};

    /// Nothing to do: the process is killed by its handle.
    pub fn isolate(_command: &mut Command) {}

    /// Nothing to do.
    pub fn terminate_group(_leader: u32) {}

    /// Nothing to do.
    pub fn kill_group(_leader: u32) {}

    /// The exit status in words.
    pub fn describe(status: ExitStatus) -> String {
        status.to_string()
    }
}
