//! The loop between a pair of streams and a [`Controller`](kaeshi_core::driver::Controller).
//!
//! ```text
//! input ──reader thread──► lines, each with its time ──► session thread ──► Controller
//! output ◄──writer thread◄── events ◄────────────────────────┴──────────────────┘
//! ```
//!
//! No call of the session blocks while a search runs, so `stop`, `ponderhit`, `isready` and `quit` are
//! served at any time. The session thread is no child of the caller's, so that a caller whose
//! reader has gone need not wait for work whose result is not read.
//!
//! Where the system does not grant these threads, the caller's thread does their work alternately.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

mod defaults;
mod dialogue;
mod input;
mod options;
pub mod polled;
mod serve;
mod setup;

use std::io::{BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, never, select, tick, unbounded};

use crate::protocol::backlog::{self, InputLine, LineReceiver};
use crate::protocol::lines::LineSplitter;
use crate::protocol::waker::Waker;
use crate::protocol::writer::{DRAIN_TIMEOUT, OutputWriter, WriterEnd, Writing, lock};
use dialogue::ProtocolSession;
use input::InputReader;
use kaeshi_core::driver::slice;
use kaeshi_core::game::GameError;
use kaeshi_core::game::interrupt::Interrupt;

pub use defaults::{DEFAULTS_FILE, read_defaults};
pub use options::log_options;
pub use setup::{Factory, SessionSetup};

/// How long the work may take to end once the output has no reader.
const GRACE: Duration = Duration::from_millis(500);
/// How often it is looked whether the output is read after `quit` or the end of the input.
const DRAIN_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Speaks with the other side until it says `quit` or its input ends; then bounded searches are
/// finished and answered, endless ones stopped and answered. Ends quietly if the output has no reader.
///
/// # Errors
/// If the game is unknown, cannot be loaded, or refuses one of the options; if a thread of the session panicked;
/// or if a `go` was answered without a proper search, for lack of memory or because that panicked.
pub fn run<R, W>(input: R, output: W, setup: SessionSetup) -> Result<(), GameError>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (events, reports) = unbounded();
    let (orders, ordered) = unbounded();
    let (listening, hung_up) = bounded(1);
    let interrupt = Interrupt::default();
    let session = ProtocolSession::new(setup, events, orders, interrupt.clone())?;
    let writing = Arc::new(Writing::default());
    let waker = Waker::default();
    let writer = OutputWriter {
        events: reports,
        orders: ordered,
        speaker: session.speaker.clone(),
        log: session.log.clone(),
        out: Some(output),
        listening: Some(listening),
        waker: waker.clone(),
        writing: Arc::clone(&writing),
    };
    let (lines, arrivals) = backlog::queue();
    let (open, mut over) = bounded::<()>(0);
    let written = Arc::clone(&writing);
    let reader = InputReader {
        input,
        lines,
        waker: waker.clone(),
        interrupt,
        open: Some(open),
        writing: written,
        dropped: 0,
    };
    // The reader may wait for a line that never comes, so its thread is never joined.
    if let Err(reader) = on_new_thread(reader, InputReader::run) {
        return session
            .serve_alone(writer, LineSplitter::new(BufReader::new(reader.input)).map(InputLine::new));
    }
    if let Err(writer) = on_new_thread(writer, OutputWriter::run) {
        return session.serve_alone(writer, arrivals);
    }
    let (working, done) = bounded(1);
    let (leave, left) = bounded::<()>(0);
    let attended = waker.clone();
    let serve = move |(session, arrivals, left, working): (
        ProtocolSession,
        LineReceiver,
        Receiver<()>,
        Sender<_>,
    )| {
        attended.register_thread();
        let _ = working.send(session.serve(&arrivals, &left));
    };
    if let Err((session, arrivals, left, _)) = on_new_thread((session, arrivals, left, working), serve) {
        drop(left);
        waker.register_thread();
        return session.serve(&arrivals, &hung_up);
    }
    let panicked = || GameError::failed("internal error, please report: the session panicked");
    let mut look = never();
    loop {
        select! {
            recv(done) -> ended => return ended.unwrap_or_else(|_| Err(panicked())),
            recv(hung_up) -> gone => {
                drop(leave);
                waker.ring();
                if gone == Ok(WriterEnd::Finished) {
                    // The session only gives memory back now, which has no time limit.
                    return done.recv().unwrap_or_else(|_| Err(panicked()));
                }
                return match (done.recv_timeout(GRACE), gone) {
                    (Ok(ended), _) => ended,
                    (Err(RecvTimeoutError::Timeout), Ok(_)) => Ok(()),
                    (Err(_), _) => Err(panicked()),
                };
            }
            recv(over) -> _ => (over, look) = (never(), tick(DRAIN_POLL_INTERVAL)),
            // The output has no reader: remaining lines would never be written.
            recv(look) -> _ => if writing.waits() > DRAIN_TIMEOUT { return Ok(()) },
        }
    }
}

/// Does `work` with `value` on a new thread; gives the value back where the system grants none.
fn on_new_thread<T: Send + 'static>(value: T, work: impl FnOnce(T) + Send + 'static) -> Result<(), T> {
    let given = Arc::new(Mutex::new(Some(value)));
    let taken = Arc::clone(&given);
    let thread = Builder::new().spawn(move || {
        slice::request_short_slice();
        let value = lock(&taken).take();
        value.map(work);
    });
    match thread {
        Ok(_) => Ok(()),
        Err(_) => lock(&given).take().map_or(Ok(()), Err),
    }
}
