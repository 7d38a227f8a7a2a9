//! The one writer: events in, words of the current dialect out, one flush per line.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select};
use log::debug;

use crate::protocol::Protocol;
use crate::protocol::log::{Direction, Log};
use crate::protocol::waker::Waker;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::time::Instant;

/// The protocol in use, for the thread that reads and the one that writes.
pub type SharedProtocol = Arc<Mutex<Box<dyn Protocol>>>;

/// Orders of the session to the writer besides printing events.
pub enum WriterOrder {
    /// Acknowledge when everything before this is printed.
    Barrier(Sender<()>),
    /// The same, and then end.
    Finish(Sender<()>),
}

/// How long the output may stay unread after `quit` or the end of the input: with the
/// checks of it and the end of the process less than 2 s.
pub const DRAIN_TIMEOUT: Duration = Duration::from_millis(1_800);
/// How often it is looked whether the output is read while too much waits.
pub const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Characters of the beginning and of the end of a remark that are printed, if it is longer: a refused line may have a
/// megabyte.
const REMARK: (usize, usize) = (700, 250);

/// The time since which the writer has been waiting for a reader.
#[derive(Default)]
pub struct Writing(Mutex<Option<Instant>>);

impl Writing {
    /// How long the line that is being written has been waiting; nothing if none is.
    pub fn waits(&self) -> Duration {
        lock(&self.0).map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn note(&self, since: Option<Instant>) {
        *lock(&self.0) = since;
    }
}

/// The writer's thread.
pub struct OutputWriter<W> {
    /// The events to print.
    pub events: Receiver<EngineEvent>,
    /// Other orders.
    pub orders: Receiver<WriterOrder>,
    /// The protocol that formats them.
    pub speaker: SharedProtocol,
    /// The log of the dialogue.
    pub log: Arc<Mutex<Log>>,
    /// The output; `None` once it has no reader.
    pub out: Option<W>,
    /// Hears of it when no more will be written.
    pub listening: Option<Sender<WriterEnd>>,
    /// Rings then; behind `listening`, for the end of this thread.
    pub waker: Waker,
    /// Whether the output is read.
    pub writing: Arc<Writing>,
}

/// Why no more will be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WriterEnd {
    /// The output has no reader.
    HungUp,
    /// The writer was ordered to finish, and has done so.
    Finished,
}

impl<W: Write> OutputWriter<W> {
    /// Writes until it is asked to end. Afterwards events are taken and dropped, so that no sender
    /// waits for a reader that has gone.
    pub fn run(mut self) {
        loop {
            select! {
                recv(self.events) -> event => match event {
                    Ok(event) => self.print(&event),
                    Err(_) => return,
                },
                recv(self.orders) -> order => {
                    self.catch_up();
                    match order {
                        Ok(WriterOrder::Barrier(done)) => drop(done),
                        Ok(WriterOrder::Finish(_)) | Err(_) => return self.say_why(WriterEnd::Finished),
                    }
                }
            }
        }
    }

    /// Prints everything that has been sent so far.
    pub fn catch_up(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.print(&event);
        }
    }

    fn print(&mut self, event: &EngineEvent) {
        let mut words = Vec::new();
        let short = match event {
            EngineEvent::Message(text) => shortened(text).map(EngineEvent::Message),
            _ => None,
        };
        // Writing to memory cannot fail.
        let _ = lock(&self.speaker).write(short.as_ref().unwrap_or(event), &mut words);
        for line in String::from_utf8_lossy(&words).lines() {
            let line = ascii(line);
            debug!("< {line}");
            lock(&self.log).record(Direction::Out, Instant::now(), &line);
            self.writing.note(Some(Instant::now()));
            let written = self.out.as_mut().map(|out| write_line(out, &line));
            self.writing.note(None);
            if let Some(Err(_)) = written {
                self.out = None;
                self.say_why(WriterEnd::HungUp);
            }
        }
    }

    fn say_why(&mut self, over: WriterEnd) {
        if let Some(listening) = self.listening.take() {
            // The process that started this may ignore the status.
            let _ = listening.try_send(over);
            self.waker.ring();
        }
    }
}

fn write_line(out: &mut impl Write, line: &str) -> io::Result<()> {
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}

/// Beginning and end of a remark that is too long to be printed.
fn shortened(text: &str) -> Option<String> {
    let letters = text.chars().count();
    let (first, last) = REMARK;
    (letters > first + last).then(|| {
        let (begin, end) = (text.chars().take(first), text.chars().skip(letters - last));
        begin.chain(" ... ".chars()).chain(end).collect()
    })
}

/// GUIs decode by the code page of their system, and some crash on unknown bytes.
fn ascii(line: &str) -> String {
    line.chars().map(|letter| if matches!(letter, ' '..='~') { letter } else { '?' }).collect()
}

/// Locks `mutex`, even if a thread died while it held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
