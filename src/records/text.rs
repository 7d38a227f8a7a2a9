//! Bytes to text: UTF-8 with or without mark, else Shift-JIS; lines with their places.

use encoding_rs::SHIFT_JIS;

use super::Fault;

/// How a text was encoded, so that it can be written back alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Marked,
    /// Shift-JIS (code page 932).
    ShiftJis,
}

/// A text and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Without a byte order mark.
    pub text: String,
    /// What its bytes were.
    pub encoding: Encoding,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of `bytes`.
///
/// # Errors
/// If they are neither UTF-8 nor Shift-JIS; the line is that of the first byte that is no UTF-8.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Fault> {
    let (body, encoding) = match bytes.strip_prefix(MARK) {
        Some(body) => (body, Encoding::Utf8Marked),
        None => (bytes, Encoding::Utf8),
    };
    let error = match std::str::from_utf8(body) {
        Ok(text) if text.contains('\0') => {
            let before = text.split('\0').next().unwrap_or_default();
            return Err(Fault::new(1 + before.matches('\n').count(), "this is not text"));
        }
        Ok(text) => return Ok(Decoded { text: text.to_owned(), encoding }),
        Err(error) => error,
    };
    if let Some(text) = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)
        && !text.contains('\0')
    {
        return Ok(Decoded { text: text.into_owned(), encoding: Encoding::ShiftJis });
    }
    let good = body.get(..error.valid_up_to()).unwrap_or_default();
    let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
    Err(Fault::new(line, "this is neither UTF-8 nor Shift-JIS"))
}

/// The bytes of `text` in `encoding`; UTF-8 where the encoding has no sign for a character.
pub fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8Marked => [MARK, text.as_bytes()].concat(),
        Encoding::ShiftJis => match SHIFT_JIS.encode(text) {
            (bytes, _, false) => bytes.into_owned(),
            (_, _, true) => [MARK, text.as_bytes()].concat(),
        },
    }
}

/// One line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Without its end.
    pub text: &'a str,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its end.
    pub end: usize,
}

/// The lines of `text`, ended by LF or CRLF.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut end = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, whole)| {
        let start = end;
        end += whole.len();
        Line { number: index + 1, text: whole.trim_end_matches(['\n', '\r']), start, end }
    })
}

/// At most the first 40 characters of what stands in a file, fit to be shown in an error.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back_as_it_was() {
        let text = "▲７六歩 △３四歩\r\n";
        for encoding in [Encoding::Utf8, Encoding::Utf8Marked, Encoding::ShiftJis] {
            let bytes = encode(text, encoding);
            assert_eq!(decode(&bytes), Ok(Decoded { text: text.to_owned(), encoding }));
        }
    }

    #[test]
    fn what_shift_jis_cannot_say_is_written_as_utf8() {
        let bytes = encode("☗７六歩", Encoding::ShiftJis);
        assert_eq!(decode(&bytes).map(|d| d.encoding), Ok(Encoding::Utf8Marked));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let fault = decode(b"a\nb\nc\xff\xfe\x80\n");
        assert_eq!(fault.map_err(|f| f.line), Err(3));
        assert!(decode(b"a\0b").is_err());
    }

    #[test]
    fn lines_know_where_they_are() {
        let all: Vec<_> = lines("ab\r\n\nc").map(|l| (l.number, l.text, l.start, l.end)).collect();
        assert_eq!(all, [(1, "ab", 0, 4), (2, "", 4, 5), (3, "c", 5, 6)]);
    }
}
