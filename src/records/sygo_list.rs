//! `.sygo`: headers in brackets, then numbered turns, comments in braces or behind a semicolon.
//!
//! ```text
//! [Sygo "1"] [Size "13"] [White "a"] [Black "b"]
//! 1. c4 {t 1.234 e +0.3 d 9 n 53211}
//! 2. +k11@c9   ; growth, then the balancing placement
//! [Result "B+12"] [End "two-passes"]
//! ```

use super::text::shown;
use super::{Fault, Form, Item, Record};
use crate::games::GameName;
use crate::sygo::rules::points::{SIZE_MAX, SIZE_MIN};

/// Reads all games of a text; each begins with `[Sygo "1"]`.
pub fn read(text: &str) -> Vec<Item> {
    let mut reader = Reader { items: Vec::new(), record: None };
    if let Err(fault) = reader.read(text) {
        reader.fail(fault);
    }
    reader.finish();
    reader.items
}

struct Reader {
    items: Vec<Item>,
    record: Option<Record>,
}

impl Reader {
    fn finish(&mut self) {
        self.items.extend(self.record.take().map(Ok));
    }

    fn fail(&mut self, fault: Fault) {
        match &mut self.record {
            Some(record) if !record.start.is_empty() => record.fault = Some(fault),
            _ => {
                self.record = None;
                self.items.push(Err(fault));
            }
        }
    }

    fn read(&mut self, text: &str) -> Result<(), Fault> {
        let (mut at, mut line) = (0, 1);
        while let Some(sign) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or_default();
            let length = match sign {
                '\n' => {
                    line += 1;
                    1
                }
                _ if sign.is_whitespace() => sign.len_utf8(),
                '[' => self.tag(rest, line)?,
                '{' => {
                    let length =
                        rest.find('}').ok_or_else(|| Fault::new(line, "a comment '{' has no end"))? + 1;
                    line += rest.get(..length).unwrap_or_default().matches('\n').count();
                    length
                }
                ';' => rest.find('\n').unwrap_or(rest.len()),
                _ => {
                    let length = rest
                        .find(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | '['))
                        .unwrap_or(rest.len());
                    let word = rest.get(..length).unwrap_or_default();
                    self.word(word, line, at + length)?;
                    length
                }
            };
            at += length;
        }
        Ok(())
    }

    /// `[Key "value"]`; returns its length.
    fn tag(&mut self, rest: &str, line: usize) -> Result<usize, Fault> {
        let refuse = || {
            let first = rest.lines().next().unwrap_or_default();
            Fault::new(line, format!("'{}' is not written [Key \"value\"]", shown(first)))
        };
        let open = rest.find('"').ok_or_else(refuse)?;
        let tail = rest.get(open + 1..).ok_or_else(refuse)?;
        let close = tail.find("\"]").ok_or_else(refuse)?;
        let key = rest.get(1..open).ok_or_else(refuse)?.trim();
        let value = tail.get(..close).ok_or_else(refuse)?;
        if key.contains(char::is_whitespace) || value.contains('\n') {
            return Err(refuse());
        }
        match key {
            "Sygo" if value != "1" => {
                return Err(Fault::new(line, format!("version '{}' is not known", shown(value))));
            }
            "Sygo" => {
                self.finish();
                self.record = Some(Record::new(GameName::Sygo, Form::SygoList, line, ""));
            }
            _ => {
                let record =
                    self.record.as_mut().ok_or_else(|| Fault::new(line, "[Sygo \"1\"] must come first"))?;
                match key {
                    "Size" => {
                        record.start = empty_board(value).ok_or_else(|| {
                            Fault::new(
                                line,
                                format!("'{}' is no size from {SIZE_MIN} to {SIZE_MAX}", shown(value)),
                            )
                        })?
                    }
                    "Position" => record.start = format!("fen {value}"),
                    "Result" => record.end = Some(value.to_owned()),
                    _ => record.tags.push((key.to_owned(), value.to_owned())),
                }
            }
        }
        Ok(open + 1 + close + 2)
    }

    /// A number of a turn, which only orders the page, or a turn.
    fn word(&mut self, word: &str, line: usize, end: usize) -> Result<(), Fault> {
        let record = self.record.as_mut().filter(|record| !record.start.is_empty());
        let record = record.ok_or_else(|| Fault::new(line, "turns before [Size …] or [Position …]"))?;
        if let Some(number) = word.strip_suffix('.') {
            let good = number.parse() == Ok(record.plies.len() + 1);
            let reason = || format!("turn number {} where {} should be", shown(word), record.plies.len() + 1);
            return if good { Ok(()) } else { Err(Fault::new(line, reason())) };
        }
        record.push(word, line, end)
    }
}

/// The position text of an empty board.
pub fn empty_board(size: &str) -> Option<String> {
    let size: usize = size.parse().ok()?;
    (SIZE_MIN..=SIZE_MAX).contains(&size).then(|| {
        let rows = vec![size.to_string(); size].join("/");
        format!("fen {rows} w - 0 1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Sygo \"1\"] [Size \"5\"] [White \"a\"] [Black \"b; {c}\"]\n1. c4 {t 1.234 e +0.3\nd 9}\n2. d2\n\
        3. e5   ; +a1, a comment\n4. +d1@a1\n5. pass\n[Result \"B+12\"] [End \"two-passes\"]\n";

    #[test]
    fn games_are_read() {
        let items = read(&GAME.repeat(2));
        assert_eq!(items.len(), 2);
        for item in &items {
            let record = item.as_ref().unwrap();
            let turns: Vec<_> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
            assert_eq!(turns, ["c4", "d2", "e5", "+d1@a1", "pass"]);
            assert_eq!(record.start, "fen 5/5/5/5/5 w - 0 1");
            assert_eq!((record.tag("Black"), record.end.as_deref()), (Some("b; {c}"), Some("B+12")));
            assert_eq!(record.fault, None);
        }
        let first = items[0].as_ref().unwrap();
        assert!(GAME[..first.plies[0].end].ends_with("c4"));
        assert_eq!(first.plies[1].line, 4);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (from, to, line, reason) in [
            ("\"5\"", "\"2\"", 1, "no size"),
            ("[Size", "[Sise", 2, "before [Size"),
            ("2. d2", "3. d2", 4, "should be"),
            ("{t", "{{t", 0, ""),
            ("9}", "9", 2, "no end"),
            ("[Result \"B+12\"]", "[Result B+12]", 8, "not written"),
            ("[Sygo \"1\"]", "[Sygo \"2\"]", 1, "version"),
        ] {
            let text = GAME.replacen(from, to, 1);
            let fault = match read(&text).remove(0) {
                Ok(record) => record.fault,
                Err(fault) => Some(fault),
            };
            match fault {
                None => assert_eq!(line, 0, "{to}"),
                Some(fault) => {
                    assert_eq!(fault.line, line, "{to}: {fault}");
                    assert!(fault.reason.contains(reason), "{to}: {fault}");
                }
            }
        }
    }
}
