//! Replays every transcript of `protocol-tests/` against the binary.
//!
//! | line | meaning |
//! |---|---|
//! | `# …` | a remark for the reader |
//! | `$ …` | arguments of the binary, before anything is sent |
//! | `> …` | is sent |
//! | `< …` | has to come next; `*` stands for anything |
//! | `~ N` | for N milliseconds nothing else comes |
//! | `^D` | the input ends |
//!
//! Greetings (`id`, `option`) and lines of analysis (`info depth`, `search`) need not be written down.
//! At the end the binary gets `quit` unless its input has ended. It has to end with success,
//! must not say anything more, and nothing at all on its standard error.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::child_engine::ChildEngine;

/// Generous: the machine may have other things to do.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
const AT_ONCE: usize = 4;
/// Lines that are compared only if they are asked for.
const PASSED_OVER: [&str; 4] = ["id ", "option ", "info depth ", "search "];

/// A running binary.
struct TranscriptEngine(ChildEngine);

impl TranscriptEngine {
    fn start(arguments: &str) -> TranscriptEngine {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.args(arguments.split_whitespace()).stderr(Stdio::piped());
        TranscriptEngine(ChildEngine::of(&mut command))
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        let input = self.0.input.as_mut().ok_or("the input has ended already")?;
        writeln!(input, "{line}").map_err(|error| format!("'{line}' cannot be sent: {error}"))
    }

    /// The next line that is not passed over, if one comes in time.
    fn next(&mut self, pattern: &str, timeout: Duration) -> Option<String> {
        let until = Instant::now() + timeout;
        loop {
            let line = self.0.lines.within(until.saturating_duration_since(Instant::now()))?;
            let passed_over = PASSED_OVER.iter().any(|beginning| line.starts_with(beginning));
            if matches(pattern, &line) || !passed_over {
                return Some(line);
            }
        }
    }

    fn expect(&mut self, pattern: &str) -> Result<(), String> {
        match self.next(pattern, ANSWER_TIMEOUT) {
            Some(line) if matches(pattern, &line) => Ok(()),
            Some(line) => Err(format!("wanted '{pattern}', got '{line}'")),
            None => Err(format!("wanted '{pattern}', nothing came")),
        }
    }

    fn expect_silence(&mut self, timeout: Duration) -> Result<(), String> {
        match self.next("", timeout) {
            Some(line) => Err(format!("wanted silence, got '{line}'")),
            None => Ok(()),
        }
    }

    /// Waits for a decent end.
    fn finish(mut self) -> Result<(), String> {
        if self.0.input.is_some() {
            // A transcript may have said so itself.
            let _ = self.send("quit");
        }
        let begun = Instant::now();
        let status = loop {
            match self.0.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None if begun.elapsed() > ANSWER_TIMEOUT => return Err("it does not end".to_string()),
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        self.expect_silence(ANSWER_TIMEOUT).map_err(|error| format!("at the end: {error}"))?;
        let mut complaints = String::new();
        if let Some(mut stderr) = self.0.child.stderr.take() {
            stderr.read_to_string(&mut complaints).map_err(|error| error.to_string())?;
        }
        match (status.success(), complaints.is_empty()) {
            (true, true) => Ok(()),
            _ => Err(format!("it ended with {status} and said '{complaints}'")),
        }
    }
}

/// Whether `text` fits `pattern`, in which `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len()).filter(|&at| rest.is_char_boundary(at)).any(|at| matches(tail, &rest[at..]))
        }),
    }
}

fn replay(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let arguments = text.lines().find_map(|line| line.strip_prefix("$ ")).unwrap_or_default();
    let mut engine = TranscriptEngine::start(arguments);
    for (index, line) in text.lines().enumerate() {
        let (mark, rest) = line.split_at_checked(2).unwrap_or((line, ""));
        let done = match mark {
            "" | "#" | "# " | "$ " => Ok(()),
            "> " | ">" => engine.send(rest),
            "< " | "<" => engine.expect(rest),
            "~ " => match rest.parse() {
                Ok(milliseconds) => engine.expect_silence(Duration::from_millis(milliseconds)),
                Err(error) => Err(format!("{rest}: {error}")),
            },
            "^D" => {
                engine.0.input = None;
                Ok(())
            }
            _ => Err("no line of a transcript begins like this".to_string()),
        };
        done.map_err(|error| format!("line {}: {error}", index + 1))?;
    }
    engine.finish()
}

#[test]
fn every_transcript_is_what_the_binary_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests");
    let entries = fs::read_dir(folder).expect("the transcripts are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    assert!(paths.len() > 10, "there are only {} transcripts", paths.len());
    let (queue, failures) = (Mutex::new(paths), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                    let Some(path) = next else { return };
                    if let Err(error) = replay(&path) {
                        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        failures
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(format!("{name}, {error}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn stars_stand_for_anything() {
    assert!(matches("bestmove *", "bestmove 7g7f ponder 3c3d"));
    assert!(matches("info * score mate -* pv *", "info depth 3 score mate -0 nodes 1 pv 7g7f"));
    assert!(!matches("bestmove *", "bestmove"));
    assert!(!matches("usiok", "usiok "));
}
