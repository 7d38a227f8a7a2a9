//! An engine's input, which is written without waiting for an engine that does not read.

use std::io;
use std::process::ChildStdin;
use std::time::Instant;

/// Why lines did not reach the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has not read them in time.
    Timeout,
    /// It has closed its input.
    Closed,
}

pub use system::Input;

impl Input {
    /// Takes over a pipe.
    ///
    /// # Errors
    /// The system's.
    pub fn new(pipe: ChildStdin) -> io::Result<Input> {
        Input::over(pipe)
    }

    /// Writes all of `bytes` until `deadline`.
    ///
    /// # Errors
    /// As [`Refusal`] says.
    pub fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), Refusal> {
        self.write(bytes, deadline)
    }
}

#[cfg(unix)]
mod system {
    use std::io::{self, ErrorKind, Write as _};
    use std::os::fd::AsFd as _;
    use std::process::ChildStdin;
    use std::time::Instant;

    use super::super::system;
    use super::Refusal;

    /// A pipe that does not block.
    #[derive(Debug)]
    pub struct Input(ChildStdin);

    impl Input {
        pub(super) fn over(pipe: ChildStdin) -> io::Result<Input> {
            system::set_nonblocking(pipe.as_fd())?;
            Ok(Input(pipe))
        }

        pub(super) fn write(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), Refusal> {
            while !bytes.is_empty() {
                match self.0.write(bytes) {
                    Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        let left = deadline.saturating_duration_since(Instant::now());
                        if left.is_zero() {
                            return Err(Refusal::Timeout);
                        }
                        system::wait_writable(self.0.as_fd(), left);
                    }
                    Err(_) => return Err(Refusal::Closed),
                }
            }
            Ok(())
        }
    }
}

#[cfg(windows)]
mod system {
    use std::io::{self, Write as _};
    use std::process::ChildStdin;
    use std::thread;
    use std::time::Instant;

    use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

    use super::Refusal;

    /// A thread that writes to the pipe, as pipes of Windows block. It ends with the process that reads.
    #[derive(Debug)]
    pub struct Input {
        /// At most one text waits.
        texts: Sender<Vec<u8>>,
        written: Receiver<()>,
    }

    impl Input {
        pub(super) fn over(mut pipe: ChildStdin) -> io::Result<Input> {
            let (texts, queue) = crossbeam_channel::bounded::<Vec<u8>>(1);
            let (done, written) = crossbeam_channel::bounded(1);
            thread::Builder::new().name("engine-in".into()).spawn(move || {
                for text in queue {
                    if pipe.write_all(&text).is_err() || done.send(()).is_err() {
                        return;
                    }
                }
            })?;
            Ok(Input { texts, written })
        }

        pub(super) fn write(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), Refusal> {
            // What was late the last time may have been read since.
            let _ = self.written.try_recv();
            self.texts.send_deadline(bytes.to_vec(), deadline).map_err(|error| match error {
                crossbeam_channel::SendTimeoutError::Timeout(_) => Refusal::Timeout,
                crossbeam_channel::SendTimeoutError::Disconnected(_) => Refusal::Closed,
            })?;
            self.written.recv_deadline(deadline).map_err(|error| match error {
                RecvTimeoutError::Timeout => Refusal::Timeout,
                RecvTimeoutError::Disconnected => Refusal::Closed,
            })
        }
    }
}
