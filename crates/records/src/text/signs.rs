//! The characters of bytes in any of the encodings.

use encoding_rs::{EUC_JP, ISO_2022_JP, SHIFT_JIS};

use super::Encoding;

/// Longest character of all encodings, in bytes.
const LONGEST_SIGN: usize = 4;

/// Switches JIS to ASCII.
pub const ASCII_ESCAPE: [u8; 3] = *b"\x1b(B";
/// The escapes of JIS: ASCII, Roman, half-width katakana, and two tables of kanji, of two bytes each.
const ESCAPES: [[u8; 3]; 5] = [ASCII_ESCAPE, *b"\x1b(J", *b"\x1b(I", *b"\x1b$@", *b"\x1b$B"];

/// The characters of some bytes, each with its number of bytes; `None` for bytes that are no character. Escapes of JIS
/// are empty texts.
pub struct Signs<'a> {
    encoding: Encoding,
    rest: &'a [u8],
    /// The escape of JIS that is in force.
    escape: [u8; 3],
}

impl Iterator for Signs<'_> {
    type Item = (Option<String>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let &first = self.rest.first()?;
        let (sign, length) = match self.encoding {
            Encoding::Utf16Le => self.utf16(u16::from_le_bytes),
            Encoding::Utf16Be => self.utf16(u16::from_be_bytes),
            Encoding::Jis => self.jis(first),
            _ if first == 0 => (None, 1),
            _ if first.is_ascii() => (Some(char::from(first).to_string()), 1),
            Encoding::Utf8 | Encoding::Utf8Marked => self.utf8(),
            Encoding::ShiftJis => self.multibyte(SHIFT_JIS),
            Encoding::EucJp => self.multibyte(EUC_JP),
            Encoding::Ascii => (None, 1),
        };
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some((sign, length))
    }
}

impl<'a> Signs<'a> {
    /// The characters of `bytes`, behind a byte order mark.
    pub fn new(encoding: Encoding, bytes: &'a [u8]) -> Signs<'a> {
        Signs { encoding, rest: bytes, escape: ASCII_ESCAPE }
    }

    /// The escape of JIS that is in force; in other encodings [`ASCII_ESCAPE`].
    pub fn escape(&self) -> [u8; 3] {
        self.escape
    }

    fn utf16(&self, unit: fn([u8; 2]) -> u16) -> (Option<String>, usize) {
        let (pairs, _) = self.rest.as_chunks::<2>();
        let mut units = pairs.iter().copied().map(unit);
        match char::decode_utf16(units.by_ref().take(2)).next() {
            Some(Ok(sign)) if sign != '\0' => (Some(sign.to_string()), 2 * sign.len_utf16()),
            _ => (None, 2.min(self.rest.len())),
        }
    }

    fn jis(&mut self, first: u8) -> (Option<String>, usize) {
        if let Some(&escape) = self.rest.first_chunk::<3>().filter(|three| ESCAPES.contains(three)) {
            self.escape = escape;
            return (Some(String::new()), escape.len());
        }
        if matches!(first, b'\r' | b'\n') {
            // A line ends in ASCII.
            self.escape = ASCII_ESCAPE;
        }
        let length = if self.escape[1] == b'$' { 2 } else { 1 };
        let sign = self.rest.get(..length).filter(|_| first != 0 && first != 0x1b).and_then(|sign| {
            let alone = [&self.escape, sign, &ASCII_ESCAPE].concat();
            let text = ISO_2022_JP.decode_without_bom_handling_and_without_replacement(&alone)?;
            Some(text.into_owned())
        });
        sign.map_or((None, 1), |text| (Some(text), length))
    }

    fn utf8(&self) -> (Option<String>, usize) {
        let window = self.rest.get(..LONGEST_SIGN).unwrap_or(self.rest);
        let Some(chunk) = window.utf8_chunks().next() else { return (None, 1) };
        match chunk.valid().chars().next() {
            Some(sign) => (Some(sign.to_string()), sign.len_utf8()),
            None => (None, chunk.invalid().len().max(1)),
        }
    }

    fn multibyte(&self, encoding: &'static encoding_rs::Encoding) -> (Option<String>, usize) {
        let sign = (1..LONGEST_SIGN).find_map(|length| {
            let text =
                encoding.decode_without_bom_handling_and_without_replacement(self.rest.get(..length)?)?;
            Some((text.into_owned(), length))
        });
        sign.map_or((None, 1), |(text, length)| (Some(text), length))
    }
}
