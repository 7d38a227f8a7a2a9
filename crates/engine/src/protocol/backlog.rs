//! The lines that wait to be served: a queue of bounded size between the thread that reads and the one that serves.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};

use super::lines::LostInput;
use kaeshi_core::time::Instant;

/// Bytes that may wait, with [`LINE_COST`] for each line.
const MOST_BYTES: usize = 16 << 20;
/// Memory of a line in the queue besides its text, in bytes.
const LINE_COST: usize = 64;

/// A line with the moment of its arrival.
pub struct InputLine {
    /// The text, or the description of lost input.
    pub text: Result<String, LostInput>,
    /// When it was read.
    pub received: Instant,
    /// Whether work that blocks is to end for it.
    pub urgent: bool,
}

impl InputLine {
    /// A line that has just been read.
    pub fn new(text: Result<String, LostInput>) -> InputLine {
        const URGENT: [&str; 5] = ["stop", "quit", "go", "ponderhit", "gameover"];
        let first = text.as_ref().ok().and_then(|text| text.split_whitespace().next());
        let urgent = first.is_some_and(|word| URGENT.contains(&word));
        InputLine { text, received: Instant::now(), urgent }
    }

    /// Whether it ends the session: `quit`, in GTP with a number before it, or at the end of a chain.
    pub fn asks_to_quit(&self) -> bool {
        let Ok(text) = &self.text else { return false };
        let mut words = text.split_whitespace();
        let first = words.next();
        let number = first.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let chained = words.clone().next() == Some(",") && words.clone().last() == Some("quit");
        first == Some("quit") || number && words.next() == Some("quit") || chained
    }

    fn cost(&self) -> usize {
        LINE_COST + self.text.as_ref().map_or(0, String::len)
    }
}

/// The end of the thread that reads.
pub struct LineSender {
    lines: Sender<InputLine>,
    waiting: Arc<AtomicUsize>,
}

/// The end of the thread that serves.
pub struct LineReceiver {
    lines: Receiver<InputLine>,
    waiting: Arc<AtomicUsize>,
}

/// Both ends of a queue.
pub fn queue() -> (LineSender, LineReceiver) {
    let (sender, receiver) = unbounded();
    let waiting = Arc::new(AtomicUsize::new(0));
    (LineSender { lines: sender, waiting: Arc::clone(&waiting) }, LineReceiver { lines: receiver, waiting })
}

impl LineSender {
    /// Whether there is room for another line.
    pub fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < MOST_BYTES
    }

    /// Whether the server has ended.
    pub fn is_abandoned(&self) -> bool {
        Arc::strong_count(&self.waiting) == 1
    }

    /// Adds a line, whether there is room or not; false if the server has ended.
    pub fn send(&self, line: InputLine) -> bool {
        self.waiting.fetch_add(line.cost(), Ordering::Relaxed);
        self.lines.send(line).is_ok()
    }
}

impl LineReceiver {
    /// The next line, if one waits.
    ///
    /// # Errors
    /// None waits; or none will ever come.
    pub fn try_recv(&self) -> Result<InputLine, TryRecvError> {
        let line = self.lines.try_recv()?;
        self.waiting.fetch_sub(line.cost(), Ordering::Relaxed);
        Ok(line)
    }
}

/// Waits for each line.
impl Iterator for LineReceiver {
    type Item = InputLine;

    fn next(&mut self) -> Option<InputLine> {
        let line = self.lines.recv().ok()?;
        self.waiting.fetch_sub(line.cost(), Ordering::Relaxed);
        Some(line)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn line(text: &str) -> InputLine {
        InputLine::new(Ok(text.to_owned()))
    }

    #[test]
    fn the_end_is_seen_in_each_protocol() {
        for text in ["quit", " quit ", "quit now", "17 quit", "usi , isready , quit"] {
            assert!(line(text).asks_to_quit(), "{text}");
        }
        for text in ["", "go", "setoption name quit", "quite", "17 name", "position quit"] {
            assert!(!line(text).asks_to_quit(), "{text}");
        }
    }

    #[test]
    fn lines_and_their_bytes_are_counted() {
        let (sender, receiver) = queue();
        let mut lines = 0;
        while sender.has_room() {
            assert!(sender.send(line("isready")));
            lines += 1;
        }
        assert_eq!(lines, MOST_BYTES.div_ceil(LINE_COST + "isready".len()));
        assert!(receiver.try_recv().is_ok() && sender.has_room());
        assert!(!sender.is_abandoned());
        drop(receiver);
        assert!(sender.is_abandoned() && !sender.send(line("isready")));
    }
}
