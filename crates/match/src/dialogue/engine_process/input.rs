//! An engine's input, which is written without waiting for an engine that does not read.

use std::io;
use std::process::ChildStdin;
use std::time::Instant;

/// Why lines did not reach the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRefusal {
    /// It has not read them in time.
    Timeout,
    /// It has closed its input.
    Closed,
}

pub use system::EngineInput;

impl EngineInput {
    /// Takes over a pipe.
    ///
    /// # Errors
    /// The system's.
    pub fn new(pipe: ChildStdin) -> io::Result<EngineInput> {
        EngineInput::over(pipe)
    }

    /// Writes all of `bytes` until `deadline`.
    ///
    /// # Errors
    /// As [`InputRefusal`] says.
    pub fn send(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), InputRefusal> {
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
    use super::InputRefusal;

    /// A pipe that does not block.
    #[derive(Debug)]
    pub struct EngineInput(ChildStdin);

    impl EngineInput {
        pub(super) fn over(pipe: ChildStdin) -> io::Result<EngineInput> {
            system::set_nonblocking(pipe.as_fd())?;
            Ok(EngineInput(pipe))
        }

        pub(super) fn write(&mut self, mut bytes: &[u8], deadline: Instant) -> Result<(), InputRefusal> {
            while !bytes.is_empty() {
                match self.0.write(bytes) {
                    Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        let left = deadline.saturating_duration_since(Instant::now());
                        if left.is_zero() {
                            return Err(InputRefusal::Timeout);
                        }
                        system::wait_writable(self.0.as_fd(), left);
                    }
                    Err(_) => return Err(InputRefusal::Closed),
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

    use super::InputRefusal;

    /// A thread that writes to the pipe, as pipes of Windows block. It ends with the process that reads.
    #[derive(Debug)]
    pub struct EngineInput {
        /// At most one text waits.
        texts: Sender<Vec<u8>>,
        written: Receiver<()>,
    }

    impl EngineInput {
        pub(super) fn over(mut pipe: ChildStdin) -> io::Result<EngineInput> {
            let (texts, queue) = crossbeam_channel::bounded::<Vec<u8>>(1);
            let (done, written) = crossbeam_channel::bounded(1);
            thread::Builder::new().name("engine-in".into()).spawn(move || {
                for text in queue {
                    if pipe.write_all(&text).is_err() || done.send(()).is_err() {
                        return;
                    }
                }
            })?;
            Ok(EngineInput { texts, written })
        }

        pub(super) fn write(&mut self, bytes: &[u8], deadline: Instant) -> Result<(), InputRefusal> {
            // What was late the last time may have been read since.
            let _ = self.written.try_recv();
            self.texts.send_deadline(bytes.to_vec(), deadline).map_err(|error| match error {
                crossbeam_channel::SendTimeoutError::Timeout(_) => InputRefusal::Timeout,
                crossbeam_channel::SendTimeoutError::Disconnected(_) => InputRefusal::Closed,
            })?;
            self.written.recv_deadline(deadline).map_err(|error| match error {
                RecvTimeoutError::Timeout => InputRefusal::Timeout,
                RecvTimeoutError::Disconnected => InputRefusal::Closed,
            })
        }
    }
}
