//! The events of a Windows console.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::obey;
use crate::stop_signal::{HANG_UP, INTERRUPT, OF_PROCESS};

static ASKED: OnceLock<Sender<i32>> = OnceLock::new();

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

/// The number of the signal that an event stands for: Ctrl-C, or the end of the console or of the session.
fn number_of(event: u32) -> i32 {
    if [CTRL_C_EVENT, CTRL_BREAK_EVENT].contains(&event) { INTERRUPT } else { HANG_UP }
}

/// Called on a new thread.
unsafe extern "system" fn on_event(event: u32) -> BOOL {
    let number = number_of(event);
    OF_PROCESS.raise(number);
    let _ = ASKED.get().map(|asked| asked.send(number));
    if number == HANG_UP {
        // A closed console, or the end of the session: Windows ends the process when this returns, or after
        // five seconds.
        std::thread::sleep(Duration::MAX);
    }
    1
}

#[cfg(test)]
mod tests {
    use windows_sys::Win32::System::Console::{CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT};

    use super::*;

    #[test]
    fn events_of_a_console_stand_for_signals() {
        assert_eq!([CTRL_C_EVENT, CTRL_BREAK_EVENT].map(number_of), [INTERRUPT; 2]);
        let ends = [CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT];
        assert_eq!(ends.map(number_of), [HANG_UP; 3]);
    }
}
