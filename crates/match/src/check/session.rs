//! One run of the engine, line by line: every line counts here, chatter included.

use std::time::{Duration, Instant};

use anyhow::Context;

use super::CheckSubject;
use crate::dialogue::engine_process::{EngineLost, EngineProcess};
use kaeshi_core::files;
use kaeshi_engine::dialect::Dialect;
use kaeshi_system::output::{check_printed, remark};

/// Time for an engine that has been asked to end.
const QUIT: Duration = Duration::from_secs(3);

/// Lines that are kept of one answer; an engine that prints more floods its output.
const MOST_LINES: usize = 100_000;

/// Time for the first answer of an engine, and for others that may need long.
pub const SLOW: Duration = Duration::from_secs(30);
/// Time for answers that need no thought.
pub const SOON: Duration = Duration::from_secs(3);

/// Silence after which stderr says that the check waits.
const SILENCE: Duration = Duration::from_secs(4);

/// A running engine.
pub struct CheckSession(EngineProcess);

/// What came until the awaited line.
pub struct AwaitedLines {
    /// The lines, the awaited one last.
    pub lines: Vec<String>,
    /// How long the awaited line took; why it did not come.
    pub end: Result<Duration, EngineLost>,
}

impl AwaitedLines {
    /// Whether the awaited line came.
    pub fn came(&self) -> bool {
        self.end.is_ok()
    }

    /// Whether the engine still runs.
    pub fn is_alive(&self) -> bool {
        !matches!(self.end, Err(EngineLost::Gone(_)))
    }

    /// The awaited line.
    pub fn last(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }

    /// Whether a line begins with `word`.
    pub fn has(&self, word: &str) -> bool {
        self.lines.iter().any(|line| line.starts_with(word))
    }

    /// What happened instead, for a sentence.
    pub fn instead(&self) -> String {
        match &self.end {
            Ok(_) => "it answers".into(),
            Err(EngineLost::Timeout) if self.lines.is_empty() => "nothing came".into(),
            Err(EngineLost::Timeout) => format!("the last line was '{}'", shown(self.last())),
            Err(lost) => format!("the engine {lost}"),
        }
    }
}

impl CheckSession {
    /// Starts the engine.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn start(subject: &CheckSubject) -> anyhow::Result<CheckSession> {
        check_printed()?;
        let program = subject.program();
        // GTP is the dialect in which no line is chatter.
        let process = EngineProcess::start(&subject.reaper, program, Dialect::Gtp, None);
        Ok(CheckSession(process.with_context(|| format!("cannot start {}", program.command.display()))?))
    }

    /// Writes `text`; an engine that is gone shows when it is listened to.
    pub fn say(&mut self, text: &str) {
        // A failure shows as silence at the next question.
        let _ = self.0.send(format!("{text}\n").as_bytes(), Instant::now() + QUIT);
    }

    /// Listens until a line is `wanted`, for so long.
    pub fn until(&mut self, timeout: Duration, wanted: impl Fn(&str) -> bool) -> AwaitedLines {
        let (begin, mut lines) = (Instant::now(), Vec::new());
        let mut wait = timeout.min(SILENCE);
        self.0.hush();
        loop {
            match self.0.receive(begin + wait) {
                Ok(_) if lines.len() == MOST_LINES => {
                    return AwaitedLines { lines, end: Err(EngineLost::Noise) };
                }
                Ok(line) => {
                    lines.push(line.text);
                    if wanted(lines.last().map_or("", String::as_str)) {
                        return AwaitedLines { lines, end: Ok(line.stamp.saturating_duration_since(begin)) };
                    }
                }
                Err(EngineLost::Noise) => self.0.hush(),
                Err(EngineLost::Timeout) if wait < timeout => {
                    wait = timeout;
                    remark(format_args!("waiting for the engine, at most {} s", timeout.as_secs()));
                }
                Err(lost) => return AwaitedLines { lines, end: Err(lost) },
            }
        }
    }

    /// Everything that is said in the next `span`.
    pub fn listen(&mut self, span: Duration) -> AwaitedLines {
        self.until(span, |_| false)
    }

    /// Memory in use, MiB, where the system says so.
    pub fn memory(&self) -> Option<u64> {
        let status = files::system(format!("/proc/{}/status", self.0.id()));
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
    }

    /// Says `quit_command`, closes the input; whether the engine ended by itself.
    pub fn ends_after(self, quit_command: &str) -> bool {
        !self.0.quit(quit_command, QUIT)
    }
}

/// Text of an engine as a report shows it.
pub fn shown(line: &str) -> String {
    kaeshi_records::text::bounded(&line.escape_debug().to_string(), 80)
}
