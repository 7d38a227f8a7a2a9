//! The lines that a child prints. Each is waited for with a limit, so that a silent child fails its test instead of
//! holding up all of them.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Generous: the machine may have other things to do.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// The lines of a child's output, read to its end by a thread, whether they are asked for or not.
pub struct ChildLines(Receiver<String>);

impl ChildLines {
    pub fn of(output: impl Read + Send + 'static) -> ChildLines {
        ChildLines::of_all([Box::new(output) as Box<dyn Read + Send>])
    }

    /// Of several outputs, as they come.
    pub fn of_all<const N: usize>(outputs: [Box<dyn Read + Send>; N]) -> ChildLines {
        let (sender, lines) = channel();
        for output in outputs {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    // The test may have heard enough.
                    let _ = sender.send(line);
                }
            });
        }
        ChildLines(lines)
    }

    /// The next line, if one comes in time.
    pub fn within(&self, timeout: Duration) -> Option<String> {
        self.0.recv_timeout(timeout).ok()
    }

    /// The lines up to the first that begins with `word`.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        for line in self.by_ref() {
            let found = line.starts_with(word);
            heard.push(line);
            if found {
                return heard;
            }
        }
        panic!("the output ends without {word}: {heard:?}");
    }
}

impl Iterator for ChildLines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        match self.0.recv_timeout(ANSWER_TIMEOUT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the child printed nothing for {ANSWER_TIMEOUT:?}"),
        }
    }
}
