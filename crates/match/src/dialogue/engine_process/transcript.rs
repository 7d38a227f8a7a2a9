//! The dialogue with one engine, written to a file for people.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

/// A log file that both directions write to.
#[derive(Debug)]
pub struct Transcript {
    start: Instant,
    file: Mutex<BufWriter<File>>,
}

impl Transcript {
    /// Appends to the file at `path`.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> std::io::Result<Transcript> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Transcript { start: Instant::now(), file: Mutex::new(BufWriter::new(file)) })
    }

    /// Notes one line, escaped, with milliseconds since the start; `direction` is `<`, `>` or `!`.
    /// A disk that is full must not decide games, so errors are dropped.
    pub fn note(&self, direction: char, line: &[u8]) {
        if let Ok(mut file) = self.file.lock() {
            let seconds = self.start.elapsed().as_secs_f64();
            let _ = writeln!(file, "{seconds:12.6} {direction} {}", line.escape_ascii());
            let _ = file.flush();
        }
    }
}
