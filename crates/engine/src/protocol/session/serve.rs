//! The loop over lines: on a thread beside the reader and the writer, or on one thread with them.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::Write;

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, unbounded};

use crate::protocol::backlog::{InputLine, LineReceiver};
use crate::protocol::session::dialogue::{Flow, ProtocolSession};
use crate::protocol::waker::Waker;
use crate::protocol::writer::{OutputWriter, POLL_INTERVAL, WriterOrder};
use kaeshi_core::driver::event::MOST_PENDING;
use kaeshi_core::game::GameError;
use kaeshi_core::time::Instant;

impl ProtocolSession {
    /// Serves line after line; `left` hears of it or is disconnected once the output has no reader. The calling
    /// thread attends the bell that rings for both.
    pub fn serve<T>(mut self, arrivals: &LineReceiver, left: &Receiver<T>) -> Result<(), GameError> {
        loop {
            let late = self.controller.wake_at();
            if late.is_some_and(|late| late <= Instant::now()) {
                self.controller.wake();
                continue;
            }
            match arrivals.try_recv() {
                Ok(arrival) => {
                    if arrival.urgent {
                        self.interrupt.lower();
                    }
                    if !self.is_read(left) {
                        self.controller.stop();
                        break;
                    }
                    if self.handle_line(arrival) == Flow::Quit {
                        break;
                    }
                }
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) if matches!(left.try_recv(), Err(TryRecvError::Empty)) => {
                    Waker::wait(late)
                }
                Err(TryRecvError::Empty) => {
                    self.controller.stop();
                    break;
                }
            }
        }
        self.controller.wait();
        self.after_all_is_printed(WriterOrder::Finish);
        self.end()
    }

    fn end(self) -> Result<(), GameError> {
        self.controller.failure().or(self.failure).map_or(Ok(()), Err)
    }

    /// Waits while more than [`MOST_PENDING`] events are queued: serving a client that does not read would fill the
    /// memory. Returns whether the output has a reader.
    fn is_read<T>(&self, left: &Receiver<T>) -> bool {
        while self.events.len() > MOST_PENDING {
            match left.recv_timeout(POLL_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Serves line after line and writes what there is to print after each, all on this thread.
    pub fn serve_alone<W: Write>(
        mut self,
        mut writer: OutputWriter<W>,
        arrivals: impl Iterator<Item = InputLine>,
    ) -> Result<(), GameError> {
        // A thread that waits for the writer sees a closed channel and goes on.
        let (_, nobody) = unbounded();
        writer.orders = nobody;
        for arrival in arrivals {
            if arrival.urgent {
                self.interrupt.lower();
            }
            let flow = self.handle_line(arrival);
            writer.catch_up();
            if flow == Flow::Quit || writer.out.is_none() {
                break;
            }
        }
        self.controller.wait();
        writer.catch_up();
        self.end()
    }
}
