//! The reader thread.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::Sender;

use crate::protocol::backlog::{InputLine, LineSender};
use crate::protocol::lines::{LineSplitter, LostInput};
use crate::protocol::waker::Waker;
use crate::protocol::writer::{DRAIN_TIMEOUT, POLL_INTERVAL, Writing};
use kaeshi_core::game::interrupt::Interrupt;

/// Reads lines as they come.
pub(super) struct InputReader<R> {
    pub input: R,
    pub lines: LineSender,
    /// Rings for every line; behind `lines`, for the end of the input.
    pub waker: Waker,
    /// Raised while `stop`, `quit` or another urgent line is queued; long operations poll it and return early.
    pub interrupt: Interrupt,
    /// Closed at `quit` or at the end of the input.
    pub open: Option<Sender<()>>,
    /// Whether the output is read.
    pub writing: Arc<Writing>,
    /// Lines that were dropped since the last one that was kept.
    pub dropped: u64,
}

impl<R: Read> InputReader<R> {
    /// Reads until the input ends, or until lines are no longer wanted.
    pub fn run(mut self) {
        for line in LineSplitter::new(BufReader::new(self.input)) {
            let line = InputLine::new(line);
            let end = line.asks_to_quit() && self.open.take().is_some();
            while !end
                && !self.lines.has_room()
                && self.writing.waits() <= DRAIN_TIMEOUT
                && !self.lines.is_abandoned()
            {
                thread::sleep(POLL_INTERVAL);
            }
            // The end has to be seen, however many unanswered lines come before it.
            if !self.lines.has_room() && !self.lines.is_abandoned() && !end {
                self.dropped += 1;
                continue;
            }
            if self.dropped > 0 {
                self.lines.send(InputLine::new(Err(LostInput::Lines(self.dropped))));
                self.dropped = 0;
            }
            if line.urgent {
                self.interrupt.raise();
            }
            if !self.lines.send(line) {
                return;
            }
            self.waker.ring();
        }
    }
}
