//! What only the operating system can do: groups of processes, pipes that do not block, signals.

#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

#[cfg(unix)]
mod unix {
    use std::collections::BTreeSet;
    use std::io;
    use std::os::fd::{AsRawFd, BorrowedFd};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};
    use std::time::Duration;

    /// Puts the command into its own session, which dies with the thread that starts it.
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

    /// An engine's process and what it has started, but what has left its group.
    #[derive(Debug)]
    pub struct Group(u32);

    impl Group {
        /// Starts a command that [`isolate`] was called for.
        pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
            let child = command.spawn()?;
            let leader = child.id();
            Ok((child, Group(leader)))
        }

        /// Asks the whole group to end.
        pub fn terminate(&self) {
            self.signal(libc::SIGTERM);
        }

        /// Ends the whole group.
        pub fn kill(&self) {
            self.signal(libc::SIGKILL);
        }

        /// What had to be ended is found by its descent and its mark.
        pub fn ended(&self) -> BTreeSet<u32> {
            BTreeSet::new()
        }

        fn signal(&self, signal: libc::c_int) {
            if let Ok(group) = libc::pid_t::try_from(self.0) {
                // SAFETY: kill takes plain numbers; a group that is gone is an error we do not need.
                unsafe { libc::kill(-group, signal) };
            }
        }
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
