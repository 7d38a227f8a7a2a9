//! The signals of Unix.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use super::obey;
use crate::stop_signal::OF_PROCESS;

/// The pipe that the handler writes to; -1 before there is a reader.
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

#[cfg(target_os = "linux")]
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
