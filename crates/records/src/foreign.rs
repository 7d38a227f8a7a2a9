//! Formats that are recognised but not read, so that messages can name them.

use crate::wthor::{self, names::NameKind};

/// Bytes at the beginning in which SGF is recognised.
const SGF_HEAD: usize = 256;
/// The name of the format if these bytes are of a known one that holds no readable games; `None` otherwise.
pub fn name(bytes: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 5] = [
        (b"PK\x03\x04", "a zip archive: unpack it first"),
        (b"\x1f\x8b", "a gzip archive: unpack it first"),
        (b"\xfd7zXZ\0", "an xz archive: unpack it first"),
        (b"7z\xbc\xaf", "a 7z archive: unpack it first"),
        (b"%PDF-", "a PDF document, which is not read"),
    ];
    let beginning = BEGINNINGS.iter().find(|(begin, _)| bytes.starts_with(begin));
    beginning
        .map(|&(_, name)| name)
        .or_else(|| wthor_kind(bytes))
        .or_else(|| sgf(bytes))
        .or_else(|| pgn(bytes))
}

/// A game tree of SGF, which counts the games that GGF names.
fn sgf(bytes: &[u8]) -> Option<&'static str> {
    let head = String::from_utf8_lossy(bytes.get(..SGF_HEAD).unwrap_or(bytes));
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let game = head.split_once("GM[").map(|(_, game)| game);
    let is_sgf =
        head.contains("FF[") || game.is_some_and(|game| game.starts_with(|c: char| c.is_ascii_digit()));
    (head.starts_with("(;") && is_sgf).then_some("SGF, which is not read")
}

/// A game with the tags of PGN, or of PSN, its relative for shogi.
fn pgn(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    const BEGINNINGS: [(&[u8], &str); 3] = [
        (b"[Event \"", "PGN, which is not read"),
        (b"[Sente \"", "PSN, which is not read"),
        (b"[Name \"", "PSN, which is not read"),
    ];
    BEGINNINGS.iter().find(|(begin, _)| text.starts_with(begin)).map(|&(_, name)| name)
}

/// A file of the WTHOR family that is no base of 8x8 games.
fn wthor_kind(bytes: &[u8]) -> Option<&'static str> {
    if NameKind::Player.is_kind_of(bytes) {
        return Some("a WTHOR file of players (.jou); the games are in .wtb files");
    }
    if NameKind::Tournament.is_kind_of(bytes) {
        return Some("a WTHOR file of tournaments (.trn); the games are in .wtb files");
    }
    let is_base_of_10x10 =
        wthor::is_dated(bytes) && wthor::u16_at(bytes, 8) == Some(0) && bytes.get(12) == Some(&10);
    is_base_of_10x10.then_some("a WTHOR game base of 10x10 boards, which is not read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_wthor_that_hold_no_games_of_8x8_are_named() {
        let file = |names: u16, size: u8, body: usize| {
            let mut bytes = vec![20, 26, 11, 20, 0, 0, 0, 0];
            bytes.extend(names.to_le_bytes());
            bytes.extend([0xea, 0x07, size, 0, 0, 0]);
            bytes.extend(vec![b'a'; body]);
            bytes
        };
        for (bytes, word) in [(file(0, 10, 100), "10x10"), (file(3, 0, 78), ".trn"), (file(3, 0, 60), ".jou")]
        {
            let known = name(&bytes).unwrap();
            assert!(known.contains(word), "{known}");
            let fault = crate::read(&bytes, None).remove(0).unwrap_err();
            assert!(fault.reason.contains(word), "{fault}");
        }
        for bytes in [file(3, 0, 61), file(0, 8, 68), vec![20, 26], b"f5d6c3".to_vec()] {
            assert_eq!(name(&bytes), None);
        }
    }

    #[test]
    fn other_files_are_named_by_their_beginning() {
        assert!(name(b"PK\x03\x04...").unwrap().contains("zip"));
        for sgf in ["(;FF[4]GM[1]SZ[9];B[ee])", "\u{feff}\n(;GM[2]SZ[8];B[e6])"] {
            let fault = crate::read(sgf.as_bytes(), None).remove(0).unwrap_err();
            assert!(fault.reason.starts_with("this is SGF, which is not read"), "{fault}");
        }
        for (text, form) in
            [("[Event \"a\"]\n\n1. e4 e5\n", "PGN"), ("\r\n[Sente \"a\"]\n1. P7g-7f\n", "PSN")]
        {
            let fault = crate::read(text.as_bytes(), None).remove(0).unwrap_err();
            assert_eq!(fault.reason, format!("this is {form}, which is not read"));
        }
        for other in ["[Sygo \"1\"] [Size \"9\"]", "", "(;GM[Othello]PC[x]TY[8];)", "FF[4]"] {
            assert_eq!(name(other.as_bytes()), None, "{other}");
        }
    }
}
