//! Lines of bounded length from any stream of bytes.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, BufRead, ErrorKind};

use super::encoding;
use kaeshi_core::game::GameError;

/// Longest line that is read, in bytes: a game of tens of thousands of moves.
pub const LONGEST_LINE: usize = 1 << 20;

/// A line that was read and is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct LostLine {
    /// Why.
    pub reason: GameError,
    /// Whether it may have set a position: then `go` must not search the one before.
    pub may_set_position: bool,
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
            // The beginning of a line that does not fit says what it is.
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

/// A line without its end, as [`encoding::decode`] reads it, control characters replaced by blanks; or the refusal of one that is too long. Ends where the stream ends or fails.
impl<R: BufRead> Iterator for LineSplitter<R> {
    type Item = Result<String, LostLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let fits = self.read().ok()??;
        if !fits {
            let reason = GameError::command(format!("a line of more than {LONGEST_LINE} bytes is ignored"));
            let begin = self.line.trim_ascii_start();
            let may_set_position = [&b"position"[..], b"set"].iter().any(|word| begin.starts_with(word));
            return Some(Err(LostLine { reason, may_set_position }));
        }
        let mut text: String = encoding::decode(&self.line)
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        if !std::mem::replace(&mut self.begun, true) && text.starts_with('\u{feff}') {
            text.remove(0);
        }
        text.truncate(text.trim_end().len());
        Some(Ok(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn lines_of(bytes: &[u8]) -> Vec<Result<String, LostLine>> {
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
        for word in [&b"\nx"[..], b"\n position ", b"\nset game "] {
            bytes.extend_from_slice(word);
            bytes.extend(vec![b'x'; LONGEST_LINE]);
        }
        bytes.extend_from_slice(b"\nquit\n");
        let read = lines_of(&bytes);
        let lost = |line: &Result<String, LostLine>| line.as_ref().err().map(|line| line.may_set_position);
        let expected = [None, Some(false), Some(true), Some(true), None];
        assert_eq!(read.iter().map(lost).collect::<Vec<_>>(), expected);
        assert_eq!(read.last(), Some(&Ok("quit".to_string())));
    }
}
