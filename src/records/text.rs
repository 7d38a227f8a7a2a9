//! Bytes to text: UTF-8 with or without mark, else Shift-JIS; lines with their places. Bytes that are
//! neither cost the line they stand in, not the file.

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
    /// Without a byte order mark. Each run of bytes that could not be decoded is one [`DAMAGE`].
    pub text: String,
    /// What its bytes were.
    pub encoding: Encoding,
    /// The bytes behind each [`DAMAGE`] of the text, in order.
    damaged: Vec<Vec<u8>>,
}

/// Stands for bytes that could not be decoded.
pub const DAMAGE: char = char::REPLACEMENT_CHARACTER;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of `bytes`. A few undecodable bytes are [`DAMAGE`] in their lines.
///
/// # Errors
/// If all lines, or more than a quarter of several, are damaged: then it is no text. The line is that
/// of the first damage.
pub fn decode(bytes: &[u8]) -> Result<Decoded, Fault> {
    let (body, utf8) = match bytes.strip_prefix(MARK) {
        Some(body) => (body, Encoding::Utf8Marked),
        None => (bytes, Encoding::Utf8),
    };
    if let Ok(text) = std::str::from_utf8(body)
        && !text.contains('\0')
    {
        return Ok(Decoded { text: text.to_owned(), encoding: utf8, damaged: Vec::new() });
    }
    let encoding =
        if utf8 == Encoding::Utf8 && looks_like_shift_jis(body) { Encoding::ShiftJis } else { utf8 };
    let mut decoded = Decoded { text: String::new(), encoding, damaged: Vec::new() };
    let (mut lines, mut bad, mut first_bad) = (0, 0, 0);
    for (line, number) in body.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        let before = decoded.damaged.len();
        decoded.push(line);
        lines += usize::from(!line.trim_ascii().is_empty());
        if decoded.damaged.len() > before {
            bad += 1;
            if first_bad == 0 {
                first_bad = number;
            }
        }
    }
    if bad > 0 && (bad >= lines || bad > 1 && 4 * bad > lines) {
        return Err(Fault::new(first_bad, "this is neither UTF-8 nor Shift-JIS"));
    }
    Ok(decoded)
}

/// Whether more lines with letters beyond ASCII are broken UTF-8 than are whole.
fn looks_like_shift_jis(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_ascii()) {
        match std::str::from_utf8(line) {
            Ok(_) => whole += 1,
            Err(_) => broken += 1,
        }
    }
    broken > whole
}

impl Decoded {
    /// Adds a line.
    fn push(&mut self, line: &[u8]) {
        match self.encoding {
            Encoding::Utf8 | Encoding::Utf8Marked => {
                for chunk in line.utf8_chunks() {
                    chunk.valid().chars().for_each(|sign| self.push_sign(sign));
                    if !chunk.invalid().is_empty() {
                        self.push_damage(chunk.invalid());
                    }
                }
            }
            Encoding::ShiftJis => {
                let mut rest = line;
                while !rest.is_empty() {
                    let sign = [1, 2].into_iter().find_map(|length| {
                        let (sign, after) = rest.split_at_checked(length)?;
                        let text = SHIFT_JIS.decode_without_bom_handling_and_without_replacement(sign)?;
                        Some((text, after))
                    });
                    rest = match sign {
                        Some((text, after)) => {
                            text.chars().for_each(|sign| self.push_sign(sign));
                            after
                        }
                        None => {
                            let (damage, after) = rest.split_at(1);
                            self.push_damage(damage);
                            after
                        }
                    };
                }
            }
        }
    }

    fn push_sign(&mut self, sign: char) {
        match sign {
            '\0' => self.push_damage(b"\0"),
            DAMAGE => self.push_damage(DAMAGE.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => self.text.push(sign),
        }
    }

    fn push_damage(&mut self, bytes: &[u8]) {
        self.text.push(DAMAGE);
        self.damaged.push(bytes.to_vec());
    }

    /// The bytes of `text`, which is this text with insertions: in its encoding, damage as it was.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        if self.damaged.is_empty() {
            return encode(text, self.encoding);
        }
        let mut bytes = if self.encoding == Encoding::Utf8Marked { MARK.to_vec() } else { Vec::new() };
        let mut damaged = self.damaged.iter();
        for (index, part) in text.split(DAMAGE).enumerate() {
            if index > 0 {
                bytes.extend(damaged.next().into_iter().flatten());
            }
            match self.encoding {
                Encoding::Utf8 | Encoding::Utf8Marked => bytes.extend(part.as_bytes()),
                Encoding::ShiftJis => bytes.extend(&*SHIFT_JIS.encode(part).0),
            }
        }
        bytes
    }
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

/// A text without line breaks and other control characters.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// At most the first 40 characters of what stands in a file, fit to be shown in an error.
pub fn shown(text: &str) -> String {
    let short: String = bounded(text, 40);
    short.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// At most the first `most` characters of a text, and a sign that there were more.
pub fn bounded(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_comes_back_as_it_was() {
        let text = "▲７六歩 △３四歩\r\n";
        for encoding in [Encoding::Utf8, Encoding::Utf8Marked, Encoding::ShiftJis] {
            let bytes = encode(text, encoding);
            let decoded = decode(&bytes).unwrap();
            assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
            assert_eq!(decoded.encode(text), bytes);
        }
    }

    #[test]
    fn what_shift_jis_cannot_say_is_written_as_utf8() {
        let bytes = encode("☗７六歩", Encoding::ShiftJis);
        assert_eq!(decode(&bytes).map(|d| d.encoding), Ok(Encoding::Utf8Marked));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let no_text = |bytes: &[u8]| decode(bytes).map_err(|fault| fault.line);
        assert_eq!(no_text(b"a\nb\nc\xff\xfe\x80\n\xff\n"), Err(3));
        assert_eq!(no_text(b"a\0b"), Err(1));
        // UTF-16 has a zero in every line.
        assert_eq!(no_text(b"\xff\xfea\0\n\0b\0\n\0"), Err(1));
    }

    #[test]
    fn a_bad_byte_costs_its_line_and_comes_back() {
        let utf8 = "先手：a\n▲７六歩\nc\nd\ne\n".as_bytes();
        let shift_jis = encode("先手：a\n▲７六歩\nc\nd\ne\n", Encoding::ShiftJis);
        for (good, encoding, bad) in [
            (utf8, Encoding::Utf8, b"\xff"),
            (&*shift_jis, Encoding::ShiftJis, b"\xff"),
            (utf8, Encoding::Utf8, b"\0"),
        ] {
            let at = good.iter().position(|&byte| byte == b'c').unwrap();
            let damaged = [&good[..at], bad, &good[at..]].concat();
            let decoded = decode(&damaged).unwrap();
            assert_eq!(decoded.encoding, encoding);
            assert_eq!(decoded.text, format!("先手：a\n▲７六歩\n{DAMAGE}c\nd\ne\n"));
            let inserted = decoded.text.replace("d\n", "d\n歩\n");
            let bytes = decoded.encode(&inserted);
            assert_eq!(decode(&bytes).unwrap().text, inserted);
            assert_eq!(decoded.encode(&decoded.text), damaged);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(bounded("歩歩歩", 2), "歩歩…");
        assert_eq!(bounded("歩歩歩", 3), "歩歩歩");
        assert_eq!(shown(&"a\n".repeat(1 << 20)), "a?".repeat(20) + "…");
    }

    #[test]
    fn lines_know_where_they_are() {
        let all: Vec<_> = lines("ab\r\n\nc").map(|l| (l.number, l.text, l.start, l.end)).collect();
        assert_eq!(all, [(1, "ab", 0, 4), (2, "", 4, 5), (3, "c", 5, 6)]);
    }

    #[test]
    fn a_quarter_of_the_lines_may_be_damaged() {
        let decoded =
            |good: usize, bad: usize| decode(&[b"a\n".repeat(good), b"\xff\n".repeat(bad)].concat());
        for (good, bad, text) in
            [(1, 1, true), (2, 1, true), (0, 1, false), (5, 2, false), (6, 2, true), (2, 2, false)]
        {
            assert_eq!(decoded(good, bad).is_ok(), text, "{good} good lines, {bad} bad ones");
        }
    }

    #[test]
    fn broken_lines_decide_the_encoding_if_they_are_the_most() {
        let (utf8, shift_jis) = ("先手：a\n".as_bytes(), encode("後手：b\n", Encoding::ShiftJis));
        let even = decode(&[utf8, &shift_jis, b"c\nd\ne\n"].concat()).unwrap();
        assert_eq!(even.encoding, Encoding::Utf8);
        let more = decode(&[utf8, &shift_jis, &shift_jis, b"c\nd\ne\n"].concat()).unwrap();
        assert_eq!(more.encoding, Encoding::ShiftJis);
    }

    #[test]
    fn a_replacement_character_of_the_file_comes_back_in_its_place() {
        let bytes = "a\u{fffd}b\n"
            .as_bytes()
            .iter()
            .chain(b"c\xffd\ne\nf\ng\nh\ni\nj\n")
            .copied()
            .collect::<Vec<_>>();
        let decoded = decode(&bytes).unwrap();
        assert_eq!(decoded.text, format!("a{DAMAGE}b\nc{DAMAGE}d\ne\nf\ng\nh\ni\nj\n"));
        assert_eq!(decoded.encode(&decoded.text), bytes);
    }
}
