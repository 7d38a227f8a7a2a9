//! The program as an engine, to which a test says one line after the other.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::child_lines::ChildLines;

/// A running engine, which is killed where its test ends before it.
pub struct ChildEngine {
    pub child: Child,
    /// Its input, until that is closed.
    pub input: Option<ChildStdin>,
    /// Its output.
    pub lines: ChildLines,
}

impl ChildEngine {
    /// Starts the program with these arguments.
    pub fn start(arguments: &[&str]) -> ChildEngine {
        ChildEngine::of(Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(arguments))
    }

    /// Starts a command that was set up further.
    pub fn of(command: &mut Command) -> ChildEngine {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let lines = ChildLines::of(child.stdout.take().expect("stdout is piped"));
        ChildEngine { input: child.stdin.take(), child, lines }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().expect("open input"), "{line}").expect("it listens");
    }

    /// The lines up to the first that begins with `word`.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        self.lines.until(word)
    }

    /// Waits for its end.
    pub fn ends_within(mut self, time: Duration) {
        let begun = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            assert!(begun.elapsed() < time, "the engine is alive after {time:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for ChildEngine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
