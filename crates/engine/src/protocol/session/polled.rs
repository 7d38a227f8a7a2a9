//! A session for hosts without threads and files, as a page in a browser: the host posts lines, polls while a search
//! runs, and takes the output.

use std::io::BufReader;
use std::sync::Arc;

use crossbeam_channel::unbounded;

use crate::protocol::backlog::InputLine;
use crate::protocol::lines::LineSplitter;
use crate::protocol::session::dialogue::{Flow, ProtocolSession};
use crate::protocol::session::setup::SessionSetup;
use crate::protocol::waker::Waker;
use crate::protocol::writer::{OutputWriter, Writing};
use kaeshi_core::game::GameError;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::time::Instant;

/// While this many bytes of output wait to be taken, nothing is searched and no line is read.
const MOST_UNREAD: usize = 1 << 20;

/// A session without threads: all its work is done by calls, on the calling thread.
pub struct PolledSession {
    session: ProtocolSession,
    writer: OutputWriter<Vec<u8>>,
    ended: bool,
}

impl PolledSession {
    /// A session with engines that search in slices.
    ///
    /// # Errors
    /// If the game is unknown, cannot be loaded, or refuses one of the options.
    pub fn new(setup: SessionSetup) -> Result<PolledSession, GameError> {
        let (events, reports) = unbounded();
        let (orders, _) = unbounded();
        let (_, ordered) = unbounded();
        let mut session = ProtocolSession::new(setup, events, orders, Interrupt::default())?;
        session.options.forbid_files();
        let writer = OutputWriter {
            events: reports,
            orders: ordered,
            speaker: session.speaker.clone(),
            log: session.log.clone(),
            out: Some(Vec::new()),
            listening: None,
            waker: Waker::default(),
            writing: Arc::new(Writing::default()),
        };
        Ok(PolledSession { session, writer, ended: false })
    }

    /// Serves a line, or several; after `quit` none.
    pub fn post(&mut self, text: &[u8]) {
        for arrival in LineSplitter::new(BufReader::new(text)).map(InputLine::new) {
            if self.ended || !self.has_room() {
                return;
            }
            if self.session.handle_line(arrival) == Flow::Quit {
                self.ended = true;
                self.session.controller.wait();
                // The host has said that it does not listen any more.
                self.writer.out = None;
            }
            self.writer.catch_up();
        }
    }

    /// Searches for some tens of milliseconds; whether the search goes on with the next poll.
    pub fn poll(&mut self) -> bool {
        if self.ended {
            return false;
        }
        if !self.has_room() {
            return true;
        }
        let controller = &mut self.session.controller;
        let searching = controller.search_on();
        if controller.wake_at().is_some_and(|late| late <= Instant::now()) {
            controller.wake();
        }
        self.writer.catch_up();
        searching
    }

    /// The output since it was last taken: whole lines.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.writer.out.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn has_room(&self) -> bool {
        self.writer.out.as_ref().is_none_or(|out| out.len() < MOST_UNREAD)
    }
}
