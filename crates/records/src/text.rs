//! Bytes to text: UTF-8 and UTF-16 with or without mark, Shift-JIS, EUC-JP, JIS; lines with their places.
//! Bytes that are none of these are shown as [`DAMAGE`]. [`Decoded::splice`] puts texts into the bytes and
//! leaves all others as they are.

mod signs;

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{EUC_JP, ISO_2022_JP, SHIFT_JIS};

use signs::{ASCII_ESCAPE, Signs};

use super::RecordFault;

/// How a text was encoded, so that insertions are encoded alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Marked,
    /// Shift-JIS (code page 932).
    ShiftJis,
    /// EUC-JP.
    EucJp,
    /// JIS (ISO-2022-JP), as mails have it.
    Jis,
    /// UTF-16, the low byte first; a byte order mark stays where there is one.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// ASCII with single bytes of another encoding, Latin-1 for instance: each of them is [`DAMAGE`].
    Ascii,
}

/// A text and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Without a byte order mark. Bytes that could not be decoded are [`DAMAGE`].
    pub text: String,
    /// Its encoding.
    pub encoding: Encoding,
    /// How many lines have bytes that could not be decoded.
    pub damaged_lines: usize,
    /// The first of them, from 1; 0 if there is none.
    pub first_damage: usize,
    /// How many lines are not empty.
    lines: usize,
}

/// Stands for bytes that could not be decoded.
pub const DAMAGE: char = char::REPLACEMENT_CHARACTER;

/// Said of bytes that could not be decoded.
pub const NO_ENCODING: &str = "neither UTF-8 nor Shift-JIS nor EUC-JP";

const MARK: &[u8] = b"\xef\xbb\xbf";
const MARK_LE: &[u8] = b"\xff\xfe";
const MARK_BE: &[u8] = b"\xfe\xff";
/// Least part of the units of UTF-16 without a mark that are ASCII; and least number of them.
const ASCII_PART: usize = 16;
const LEAST_ASCII: usize = 4;

/// A text to be put in the place of a part of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced part: offsets in [`Decoded::text`], on character boundaries.
    pub range: Range<usize>,
    /// The text.
    pub text: String,
}

/// The text of `bytes`, whatever they are.
pub fn decode(bytes: &[u8]) -> Decoded {
    if let Some(encoding) = utf16(bytes) {
        return decode_utf16(bytes, encoding);
    }
    let (body, utf8) = match bytes.strip_prefix(MARK) {
        Some(body) => (body, Encoding::Utf8Marked),
        None => (bytes, Encoding::Utf8),
    };
    // A text that begins with the mark of UTF-8 is not JIS.
    let utf8 = if utf8 == Encoding::Utf8 && is_jis(body) { Encoding::Jis } else { utf8 };
    let whole = std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'));
    if let Some(text) = whole.filter(|_| utf8 != Encoding::Jis) {
        return Decoded {
            text: text.to_owned(),
            encoding: utf8,
            damaged_lines: 0,
            first_damage: 0,
            lines: 0,
        };
    }
    let encoding = if utf8 == Encoding::Utf8 { guess(body) } else { utf8 };
    let mut decoded = Decoded { text: String::new(), encoding, damaged_lines: 0, first_damage: 0, lines: 0 };
    for (line, number) in body.split_inclusive(|&byte| byte == b'\n').zip(1..) {
        decoded.lines += usize::from(!line.trim_ascii().is_empty());
        if let Some(text) = whole_line(line, encoding) {
            decoded.text.push_str(&text);
            continue;
        }
        let mut damaged = false;
        for (sign, _) in Signs::new(encoding, line) {
            match sign {
                Some(text) => decoded.text.push_str(&text),
                None => {
                    decoded.text.push(DAMAGE);
                    damaged = true;
                }
            }
        }
        decoded.damaged_lines += usize::from(damaged);
        if damaged && decoded.first_damage == 0 {
            decoded.first_damage = number;
        }
    }
    decoded
}

/// Whether some bytes are JIS: ASCII with its escapes.
fn is_jis(bytes: &[u8]) -> bool {
    const ESCAPES: [&[u8]; 4] = [b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I"];
    bytes.contains(&0x1b) && bytes.is_ascii() && bytes.windows(3).any(|three| ESCAPES.contains(&three))
}

/// The form of UTF-16 that `bytes` are in, by their mark or by their ASCII characters.
fn utf16(bytes: &[u8]) -> Option<Encoding> {
    if bytes.starts_with(MARK_LE) {
        return Some(Encoding::Utf16Le);
    }
    if bytes.starts_with(MARK_BE) {
        return Some(Encoding::Utf16Be);
    }
    if !bytes.contains(&0) || bytes.len() % 2 == 1 {
        return None;
    }
    [Encoding::Utf16Le, Encoding::Utf16Be].into_iter().find(|&encoding| {
        let units = bytes.len() / 2;
        let ascii = Signs::new(encoding, bytes)
            .take_while(|(sign, _)| sign.as_ref().is_some_and(|sign| is_text(sign)));
        // Every character is one, and enough of them are ASCII.
        let (mut length, mut found) = (0, 0);
        for (sign, bytes) in ascii {
            length += bytes;
            found += usize::from(sign.is_some_and(|sign| sign.is_ascii()));
        }
        length == bytes.len() && found >= LEAST_ASCII && found * ASCII_PART >= units
    })
}

fn is_text(sign: &str) -> bool {
    !sign.contains(|sign: char| sign.is_control() && !matches!(sign, '\t' | '\r' | '\n'))
}

fn decode_utf16(bytes: &[u8], encoding: Encoding) -> Decoded {
    let mut decoded = Decoded { text: String::new(), encoding, damaged_lines: 0, first_damage: 0, lines: 0 };
    let (mut number, mut damaged, mut empty) = (1, false, true);
    for (sign, _) in Signs::new(encoding, bytes.get(mark(bytes, encoding).len()..).unwrap_or_default()) {
        let ends = sign.as_deref() == Some("\n");
        empty &= sign.as_ref().is_some_and(|sign| sign.trim().is_empty());
        if sign.is_none() && !damaged {
            damaged = true;
            decoded.damaged_lines += 1;
            decoded.first_damage = if decoded.first_damage == 0 { number } else { decoded.first_damage };
        }
        decoded.text.push_str(sign.as_deref().unwrap_or(DAMAGE.encode_utf8(&mut [0; 4])));
        if ends {
            decoded.lines += usize::from(!empty);
            (number, damaged, empty) = (number + 1, false, true);
        }
    }
    decoded.lines += usize::from(!empty);
    decoded
}

/// The byte order mark that `bytes` begin with.
fn mark(bytes: &[u8], encoding: Encoding) -> &'static [u8] {
    let mark = match encoding {
        Encoding::Utf8Marked => MARK,
        Encoding::Utf16Le => MARK_LE,
        Encoding::Utf16Be => MARK_BE,
        _ => &[],
    };
    if bytes.starts_with(mark) { mark } else { &[] }
}

/// A line without damage.
fn whole_line(line: &[u8], encoding: Encoding) -> Option<Cow<'_, str>> {
    let text = match encoding {
        Encoding::Utf8 | Encoding::Utf8Marked | Encoding::Ascii => {
            let whole = encoding != Encoding::Ascii || line.is_ascii();
            std::str::from_utf8(line).ok().filter(|_| whole).map(Cow::Borrowed)
        }
        Encoding::ShiftJis => SHIFT_JIS.decode_without_bom_handling_and_without_replacement(line),
        Encoding::EucJp => EUC_JP.decode_without_bom_handling_and_without_replacement(line),
        Encoding::Jis | Encoding::Utf16Le | Encoding::Utf16Be => None,
    };
    text.filter(|text| !text.contains('\0'))
}

/// The encoding of bytes that are not UTF-8 as a whole.
fn guess(bytes: &[u8]) -> Encoding {
    let (mut whole, mut broken, mut pairs) = (0, 0, false);
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_ascii()) {
        match std::str::from_utf8(line) {
            Ok(_) => whole += 1,
            Err(_) => {
                broken += 1;
                pairs |= line.windows(2).any(|pair| !pair.iter().any(u8::is_ascii));
            }
        }
    }
    if broken <= whole {
        return Encoding::Utf8;
    }
    // Some letter of every Japanese text has two bytes beyond ASCII; accents stand alone between letters.
    if !pairs {
        return Encoding::Ascii;
    }
    let damage = |text: &str| text.matches(DAMAGE).count();
    let (shift_jis, _) = SHIFT_JIS.decode_without_bom_handling(bytes);
    let (euc, _) = EUC_JP.decode_without_bom_handling(bytes);
    // Nearly every EUC-JP text is one of half-width katakana in Shift-JIS, which few people write.
    let half_width = |text: &str| text.chars().any(|sign| ('\u{ff61}'..='\u{ff9f}').contains(&sign));
    let odd = half_width(&shift_jis) && !half_width(&euc);
    match damage(&euc).cmp(&damage(&shift_jis)) {
        std::cmp::Ordering::Less => Encoding::EucJp,
        std::cmp::Ordering::Equal if odd => Encoding::EucJp,
        _ => Encoding::ShiftJis,
    }
}

impl Decoded {
    /// Why this is no text, for forms that need all of it: all lines, or more than a quarter of several, are damaged.
    pub fn refusal(&self) -> Option<RecordFault> {
        let (bad, lines) = (self.damaged_lines, self.lines);
        let refused = bad > 0 && (bad >= lines || bad > 1 && 4 * bad > lines);
        refused.then(|| RecordFault::new(self.first_damage, format!("this is {NO_ENCODING}")))
    }

    /// `bytes`, from which this was decoded, with texts put in; all other bytes are copied as they are. `edits` do
    /// not overlap and are in order.
    pub fn splice(&self, bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
        let mark = mark(bytes, self.encoding);
        let body = bytes.get(mark.len()..).unwrap_or_default();
        let mut out = mark.to_vec();
        let mut cursor = Cursor { signs: Signs::new(self.encoding, body), at: 0, byte: 0 };
        // Offset of the first byte not yet copied.
        let mut copied = 0;
        for edit in edits {
            let begin = cursor.go_to(edit.range.start);
            out.extend(body.get(copied..begin).unwrap_or_default());
            // In JIS a text begins and ends in ASCII.
            let escape = cursor.signs.escape();
            if escape != ASCII_ESCAPE {
                out.extend(ASCII_ESCAPE);
            }
            out.extend(encode_part(&edit.text, self.encoding));
            copied = cursor.go_to(edit.range.end).max(begin);
            let escape = cursor.signs.escape();
            if escape != ASCII_ESCAPE {
                out.extend(escape);
            }
        }
        out.extend(body.get(copied..).unwrap_or_default());
        out
    }
}

/// A place in the characters of some bytes.
struct Cursor<'a> {
    signs: Signs<'a>,
    /// Offset of the next character in the text.
    at: usize,
    /// Its offset in the bytes.
    byte: usize,
}

impl Cursor<'_> {
    /// Goes on to an offset in the text; returns that in the bytes.
    fn go_to(&mut self, offset: usize) -> usize {
        while self.at < offset {
            let Some((sign, length)) = self.signs.next() else { break };
            self.at += sign.map_or(DAMAGE.len_utf8(), |sign| sign.len());
            self.byte += length;
        }
        self.byte
    }
}

/// The bytes of a part of a text in `encoding`; `?` or a reference where it has no sign for a character.
fn encode_part(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Marked => text.as_bytes().to_vec(),
        Encoding::ShiftJis => SHIFT_JIS.encode(text).0.into_owned(),
        Encoding::EucJp => EUC_JP.encode(text).0.into_owned(),
        Encoding::Jis => ISO_2022_JP.encode(text).0.into_owned(),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Encoding::Ascii => {
            text.chars().map(|sign| u8::try_from(sign).ok().filter(u8::is_ascii).unwrap_or(b'?')).collect()
        }
    }
}

/// The bytes of `text` in `encoding`; UTF-8 with a mark where the encoding has no sign for a character.
pub fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    let marked = || [MARK, text.as_bytes()].concat();
    let japanese = |encoding: &'static encoding_rs::Encoding| match encoding.encode(text) {
        (bytes, _, false) => bytes.into_owned(),
        (_, _, true) => marked(),
    };
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8Marked => marked(),
        Encoding::ShiftJis => japanese(SHIFT_JIS),
        Encoding::EucJp => japanese(EUC_JP),
        Encoding::Jis => japanese(ISO_2022_JP),
        Encoding::Utf16Le => [MARK_LE, &*encode_part(text, encoding)].concat(),
        Encoding::Utf16Be => [MARK_BE, &*encode_part(text, encoding)].concat(),
        Encoding::Ascii if text.is_ascii() => text.as_bytes().to_vec(),
        Encoding::Ascii => marked(),
    }
}

/// One line of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLine<'a> {
    /// Number of the line, from 1.
    pub number: usize,
    /// Without its end.
    pub text: &'a str,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its end.
    pub end: usize,
}

/// The end of a text of MS-DOS.
const DOS_END: char = '\u{1a}';

/// The line break of a text: LF, CRLF, or CR where there is no LF, as on old Macintoshes.
pub fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") {
        "\r\n"
    } else if text.contains('\r') && !text.contains('\n') {
        "\r"
    } else {
        "\n"
    }
}

/// The lines of `text`, ended by LF or CRLF, or by CR where there is no LF.
pub fn lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    let mut end = 0;
    let last = if line_break(text) == "\r" { '\r' } else { '\n' };
    text.split_inclusive(last).enumerate().map(move |(index, whole)| {
        let start = end;
        end += whole.len();
        TextLine { number: index + 1, text: whole.trim_end_matches(['\n', '\r', DOS_END]), start, end }
    })
}

/// Blank in half or full width.
pub fn is_blank(sign: char) -> bool {
    sign == ' ' || sign == '\t' || sign == '\u{3000}'
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
        for encoding in [
            Encoding::Utf8,
            Encoding::Utf8Marked,
            Encoding::ShiftJis,
            Encoding::EucJp,
            Encoding::Jis,
            Encoding::Utf16Le,
            Encoding::Utf16Be,
        ] {
            let bytes = encode(text, encoding);
            let decoded = decode(&bytes);
            assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
            assert_eq!(decoded.splice(&bytes, &[]), bytes);
        }
    }

    #[test]
    fn escapes_of_jis_behind_the_mark_of_utf8_do_not_move_an_insertion() {
        let bytes = b"\xef\xbb\xbf\x1b(Igo";
        let decoded = decode(bytes);
        assert_eq!(decoded.encoding, Encoding::Utf8Marked);
        let end = decoded.text.len();
        assert_eq!(decoded.splice(bytes, &[insert(end, "x")]), b"\xef\xbb\xbf\x1b(Igox");
    }

    #[test]
    fn what_shift_jis_cannot_say_is_written_as_utf8() {
        let bytes = encode("☗７六歩", Encoding::ShiftJis);
        assert_eq!(decode(&bytes).encoding, Encoding::Utf8Marked);
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_line() {
        let no_text = |bytes: &[u8]| decode(bytes).refusal().map(|fault| fault.line);
        assert_eq!(no_text(b"a\nb\nc\xff\xfe\x80\n\xff\n"), Some(3));
        assert_eq!(no_text(b"a\0b"), Some(1));
        // Half a character, and halves of surrogate pairs.
        assert_eq!(no_text(b"\xff\xfea\0\n"), Some(1));
        assert_eq!(no_text(b"\xff\xfea\0\n\0\0\xd8\n\0\0\xd8\n\0"), Some(2));
        assert_eq!(no_text(b"\xff\xfe\0\0"), Some(1));
        assert_eq!(no_text(b"a\n"), None);
    }

    fn insert(at: usize, text: &str) -> Edit {
        Edit { range: at..at, text: text.to_owned() }
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
            let decoded = decode(&damaged);
            assert_eq!((decoded.encoding, decoded.damaged_lines, decoded.first_damage), (encoding, 1, 3));
            assert_eq!(decoded.text, format!("先手：a\n▲７六歩\n{DAMAGE}c\nd\ne\n"));
            let behind = decoded.text.find("e\n").unwrap();
            let bytes = decoded.splice(&damaged, &[insert(behind, "歩\n")]);
            assert_eq!(decode(&bytes).text, decoded.text.replace("e\n", "歩\ne\n"));
            assert_eq!(decoded.splice(&damaged, &[]), damaged);
        }
    }

    /// `EE E0` and `FA 5B` are the same sign twice: reading and writing would change the bytes.
    #[test]
    fn bytes_with_two_codes_stay_as_they_are() {
        let bytes = [b"*\xee\xe0\n".as_slice(), &encode("あb\n", Encoding::ShiftJis)].concat();
        let decoded = decode(&bytes);
        assert_eq!((decoded.encoding, decoded.damaged_lines), (Encoding::ShiftJis, 0));
        let at = decoded.text.find('b').unwrap();
        let edits = [insert(at, "歩"), Edit { range: at..at + 1, text: "c".into() }];
        let wanted = [b"*\xee\xe0\n".as_slice(), &encode("あ歩c\n", Encoding::ShiftJis)].concat();
        assert_eq!(decoded.splice(&bytes, &edits), wanted);
    }

    #[test]
    fn euc_jp_and_single_bytes_are_told_from_shift_jis() {
        for (text, encoding) in [
            ("N+羽生善治\n", Encoding::EucJp),
            ("N+はぶ\n'よい手\n", Encoding::EucJp),
            ("N+羽生善治\n", Encoding::ShiftJis),
            ("N+はぶ\n", Encoding::ShiftJis),
            ("N+ｱｲｳ\n", Encoding::ShiftJis),
        ] {
            let decoded = decode(&encode(text, encoding));
            assert_eq!((decoded.text.as_str(), decoded.encoding), (text, encoding));
        }
        let latin = decode(b"PB[Andr\xe9]PW[Ren\xe9e]");
        assert_eq!(
            (latin.text.as_str(), latin.encoding),
            ("PB[Andr\u{fffd}]PW[Ren\u{fffd}e]", Encoding::Ascii)
        );
    }

    #[test]
    fn utf16_without_a_mark_and_jis_are_recognised() {
        let text = "手合割：平手\r\n▲７六歩 △３四歩\r\n😀\r\n";
        for (encoding, mark) in [(Encoding::Utf16Le, 2), (Encoding::Utf16Be, 2), (Encoding::Jis, 0)] {
            let whole = encode(&text.replace('😀', if mark > 0 { "😀" } else { "x" }), encoding);
            for bytes in [&whole[..], &whole[mark..]] {
                let decoded = decode(bytes);
                assert_eq!((decoded.encoding, decoded.damaged_lines), (encoding, 0));
                assert!(text.starts_with(decoded.text.trim_end_matches(['😀', 'x', '\r', '\n'])));
                // Within a line, behind a character and in the place of one.
                let at = decoded.text.find('△').unwrap();
                let edits = [insert(at, "歩x\n"), Edit { range: at + 3..at + 6, text: "4".into() }];
                let wanted = decoded.text.replace("△３", "歩x\n△4");
                let spliced = decoded.splice(bytes, &edits);
                assert_eq!(decode(&spliced).text, wanted);
                assert_eq!(decoded.splice(bytes, &[]), bytes);
                let line = decoded.text.find('▲').unwrap();
                let copied = encode_part(&decoded.text[..line], encoding);
                let begin = bytes.len() - whole[mark..].len();
                assert_eq!(spliced[begin..begin + copied.len()], copied);
            }
        }
        // The escapes of old programs stay.
        let old = b"\x1b$@JbMn\x1b(J:\\\n";
        let decoded = decode(old);
        assert_eq!((decoded.encoding, decoded.splice(old, &[])), (Encoding::Jis, old.to_vec()));
        // Other bytes with zeros are no text.
        assert_eq!(decode(b"\x01\0a\0b\0c\0d\0").encoding, Encoding::Utf8);
        assert_eq!(decode(b"\x1b[31mred\x1b[0m\n").encoding, Encoding::Utf8);
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
    fn lines_of_old_systems_are_read() {
        let read = |text| lines(text).map(|line| (line.text, line.end)).collect::<Vec<_>>();
        assert_eq!(read("ab\r\rc"), [("ab", 3), ("", 4), ("c", 5)]);
        assert_eq!(read("a\rb\nc\n"), [("a\rb", 4), ("c", 6)]);
        assert_eq!(read("a\r\n\u{1a}"), [("a", 3), ("", 4)]);
        assert_eq!(["a", "a\n", "a\r\n", "a\rb", "a\rb\n"].map(line_break), ["\n", "\n", "\r\n", "\r", "\n"]);
    }

    #[test]
    fn a_quarter_of_the_lines_may_be_damaged() {
        for (good, bad, text) in
            [(1, 1, true), (2, 1, true), (0, 1, false), (5, 2, false), (6, 2, true), (2, 2, false)]
        {
            let decoded = decode(&[b"a\n".repeat(good), b"\xff\n".repeat(bad)].concat());
            assert_eq!(decoded.refusal().is_none(), text, "{good} good lines, {bad} bad ones");
        }
    }

    #[test]
    fn broken_lines_decide_the_encoding_if_they_are_the_most() {
        let (utf8, shift_jis) = ("先手：a\n".as_bytes(), encode("後手：b\n", Encoding::ShiftJis));
        let even = decode(&[utf8, &shift_jis, b"c\nd\ne\n"].concat());
        assert_eq!(even.encoding, Encoding::Utf8);
        let more = decode(&[utf8, &shift_jis, &shift_jis, b"c\nd\ne\n"].concat());
        assert_eq!(more.encoding, Encoding::ShiftJis);
    }

    #[test]
    fn a_replacement_character_of_the_file_comes_back_in_its_place() {
        let bytes = ["a\u{fffd}b\n".as_bytes(), b"c\xffd\ne\nf\ng\nh\ni\nj\n"].concat();
        let decoded = decode(&bytes);
        assert_eq!(decoded.text, format!("a{DAMAGE}b\nc{DAMAGE}d\ne\nf\ng\nh\ni\nj\n"));
        assert_eq!(decoded.splice(&bytes, &[]), bytes);
        let at = decoded.text.find("e\n").unwrap();
        assert_eq!(
            decoded.splice(&bytes, &[insert(at, "x\n")]),
            [&bytes[..10], b"x\n", &bytes[10..]].concat()
        );
    }
}
