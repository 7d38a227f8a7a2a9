//! Lines of bounded length from any stream of bytes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, BufRead, ErrorKind};

use super::encoding;
use kaeshi_core::game::GameError;

/// Longest line that is read, in bytes: a game of tens of thousands of moves.
pub const LONGEST_LINE: usize = 1 << 20;

/// Bytes of a line that is too long which are kept: they say which command it is.
const BEGINNING: usize = 64;

/// Input that was read and is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum LostInput {
    /// A line of more than [`LONGEST_LINE`] bytes, which begins like this.
    LongLine(String),
    /// Number of lines lost while the output was not read.
    Lines(u64),
}

impl LostInput {
    /// Why it is lost.
    pub fn reason(&self) -> GameError {
        match self {
            LostInput::LongLine(_) => {
                GameError::command(format!("a line of more than {LONGEST_LINE} bytes is ignored"))
            }
            LostInput::Lines(count) => GameError::resources(format!(
                "{count} lines are lost: too many came while the output was not read"
            )),
        }
    }

    /// Whether it may have been a command that begins with these words.
    pub fn may_be(&self, words: &[&str]) -> bool {
        match self {
            LostInput::LongLine(beginning) => {
                let mut sent = beginning.split_whitespace();
                words.iter().all(|&word| sent.next() == Some(word))
            }
            LostInput::Lines(_) => true,
        }
    }
}

/// Cuts a stream into lines.
pub struct LineSplitter<R> {
    input: R,
    line: Vec<u8>,
    /// The beginning of a text may carry a byte order mark.
    begun: bool,
}

impl<R: BufRead> LineSplitter<R> {
    /// Lines of `input`.
    pub fn new(input: R) -> LineSplitter<R> {
        LineSplitter { input, line: Vec::new(), begun: false }
    }

    /// Reads up to the next line feed or the end; whether there was anything, and whether it fits.
    fn read(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let (mut any, mut fits) = (false, true);
        loop {
            let chunk = match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            };
            if chunk.is_empty() {
                return Ok(any.then_some(fits));
            }
            any = true;
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            // The beginning of a line that does not fit is kept: it names the command.
            let room = LONGEST_LINE - self.line.len();
            fits &= taken.len() <= room;
            self.line.extend_from_slice(taken.get(..room).unwrap_or(taken));
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(fits));
            }
        }
    }
}

/// A line without its end, as [`encoding::decode`] reads it, control characters replaced by blanks; or the
/// refusal of one that is too long. Ends where the stream ends or fails.
impl<R: BufRead> Iterator for LineSplitter<R> {
    type Item = Result<String, LostInput>;

    fn next(&mut self) -> Option<Self::Item> {
        let fits = self.read().ok()??;
        if !fits {
            let line = self.line.trim_ascii_start();
            return Some(Err(LostInput::LongLine(without_controls(line.get(..BEGINNING).unwrap_or(line)))));
        }
        let mut text = without_controls(&self.line);
        if !std::mem::replace(&mut self.begun, true) && text.starts_with('\u{feff}') {
            text.remove(0);
        }
        text.truncate(text.trim_end().len());
        Some(Ok(text))
    }
}

/// The text that [`encoding::decode`] reads, control characters replaced by blanks.
fn without_controls(bytes: &[u8]) -> String {
    let letters = encoding::decode(bytes);
    letters.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines_of(bytes: &[u8]) -> Vec<Result<String, LostInput>> {
        LineSplitter::new(BufReader::with_capacity(7, bytes)).collect()
    }

    #[test]
    fn all_kinds_of_line_ends_are_removed() {
        let read = lines_of(b"usi\r\n\nisready\nquit");
        assert_eq!(read, ["usi", "", "isready", "quit"].map(|line| Ok(line.to_string())));
    }

    #[test]
    fn odd_bytes_become_harmless() {
        let read = lines_of(b"\xef\xbb\xbfgo\0depth\t1\nset\xffoption\n");
        assert_eq!(read, ["go depth 1", "set\u{fffd}option"].map(|line| Ok(line.to_string())));
    }

    #[test]
    fn an_endless_line_is_refused_and_the_next_one_read() {
        let mut bytes = vec![b'x'; LONGEST_LINE];
        for word in [&b"\nx"[..], b"\n position ", b"\nset\tgame "] {
            bytes.extend_from_slice(word);
            bytes.extend(vec![b'x'; LONGEST_LINE]);
        }
        bytes.extend_from_slice(b"\nquit\n");
        let read = lines_of(&bytes);
        let begins = |line: &Result<String, LostInput>| {
            let lost = line.as_ref().err()?;
            Some([&["position"][..], &["set", "game"], &["set", "depth"]].map(|words| lost.may_be(words)))
        };
        let [position, game] = [[true, false, false], [false, true, false]];
        let expected = [None, Some([false; 3]), Some(position), Some(game), None];
        assert_eq!(read.iter().map(begins).collect::<Vec<_>>(), expected);
        assert_eq!(read.last(), Some(&Ok("quit".to_string())));
    }
}
