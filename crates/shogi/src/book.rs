//! Opening books. The text format of YaneuraOu, `.db`:
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 32 12 5
//! 2g2f 8c8d 30 12 3
//! ```
//!
//! Below a position stand its moves: move, expected reply (or `none`), value for the side to move in
//! centipawns, depth, and how often it was played; from the reply on all may be missing.
//!
//! Binary formats are those of Apery ([`apery`]), YaneuraOu ([`ybb`]) and ShogiHome ([`sbk`]).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod apery;
mod choice;
mod protobuf;
pub mod sbk;
pub mod turned;
pub mod ybb;

use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};

pub use choice::{BookChoice, NO_LIMIT, ShogiBookSettings};

use crate::rules::position::ShogiPosition;
use crate::rules::sfen;
use crate::rules::types::Move;
use kaeshi_core::files::located;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;

/// Files of books.
pub const BOOK: FileKind = FileKind::new("books", 1 << 30);
/// The beginning of the first line.
const MAGIC: &str = "#YANEURAOU-DB2016";

/// A move of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShogiBookMove {
    /// The move, as USI writes it.
    pub turn: String,
    /// The reply expected.
    pub reply: Option<String>,
    /// Value for the side to move, in centipawns.
    pub value: i32,
    /// How deep it was searched.
    pub depth: u16,
    /// How often it was played.
    pub count: u64,
}

/// The legal ones of a book's moves in a position, each with what the book says of it.
pub type LegalMoves = [(Move, ShogiBookMove)];

/// The formats of books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookFormat {
    /// YaneuraOu's text: `.db` and any other name.
    Text,
    /// YaneuraOu's binary one: `.ybb`.
    Ybb,
    /// Apery's: `.bin`.
    Apery,
    /// ShogiHome's: `.sbk`.
    Sbk,
}

impl BookFormat {
    /// The format by the extension of a file.
    pub fn of(path: &Path) -> BookFormat {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "bin" => BookFormat::Apery,
            "ybb" => BookFormat::Ybb,
            "sbk" => BookFormat::Sbk,
            _ => BookFormat::Text,
        }
    }
}

/// A book: moves by position.
#[derive(Debug)]
pub struct ShogiBook(BookContent);

#[derive(Debug)]
enum BookContent {
    /// YaneuraOu's text.
    Text {
        text: String,
        /// Ranges in the text of each position (board, side and hands) and of its moves, in the order of the positions'
        /// texts.
        index: Vec<(Range<usize>, Range<usize>)>,
    },
    /// Apery's moves in the order of the keys.
    Apery(Vec<apery::AperyEntry>),
}

impl Default for ShogiBook {
    fn default() -> ShogiBook {
        ShogiBook(BookContent::Text { text: String::new(), index: Vec::new() })
    }
}

impl ShogiBook {
    /// The small book inside this program, for some variety.
    pub fn embedded() -> Arc<ShogiBook> {
        static EMBEDDED: LazyLock<Arc<ShogiBook>> = LazyLock::new(|| {
            let text = include_str!("../../../weights/shogi-book.db");
            Arc::new(ShogiBook::parse(text.to_owned()).unwrap_or_default())
        });
        Arc::clone(&EMBEDDED)
    }

    /// Reads a file in the [`BookFormat`] that its name states. A relative path starts at the working directory or, if
    /// nothing is there, at the program's folder.
    ///
    /// # Errors
    /// A file that cannot be read, is larger than 1 GiB, or is no such book: where it is wrong, and why.
    pub fn read(path: &Path) -> Result<ShogiBook, GameError> {
        let path = located(path);
        let refuse =
            |reason: &dyn std::fmt::Display| GameError::file(format!("{}: {reason}", path.display()));
        let bytes = files::read(&path, BOOK).map_err(|error| refuse(&error))?;
        let book = match BookFormat::of(&path) {
            BookFormat::Apery => apery::read(&bytes).map(|entries| ShogiBook(BookContent::Apery(entries))),
            BookFormat::Ybb => ybb::read(&bytes).and_then(|known| ShogiBook::parse(format("", known.iter()))),
            BookFormat::Sbk => sbk::read(&bytes).and_then(|known| ShogiBook::parse(format("", known.iter()))),
            BookFormat::Text => match String::from_utf8(bytes) {
                Ok(text) => ShogiBook::parse(text),
                Err(_) => Err(GameError::file("this is no text in UTF-8")),
            },
        };
        book.map_err(|error| refuse(&error))
    }

    /// The book that a text holds.
    ///
    /// # Errors
    /// Which line is wrong, and why.
    pub fn parse(text: String) -> Result<ShogiBook, GameError> {
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        if !text.starts_with(MAGIC) {
            return Err(GameError::file(format!("this is no book: it does not begin with {MAGIC}")));
        }
        let mut index: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut end = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let begin = end;
            end += line.len();
            let line = line.trim_end();
            if is_remark(line) {
                continue;
            }
            let at = |reason: &str| GameError::file(format!("line {}: {reason}", number + 1));
            if let Some(position) = line.strip_prefix("sfen ") {
                let key = key(position).ok_or_else(|| at("board, side and hands are wanted after 'sfen'"))?;
                let start = begin + "sfen ".len();
                index.push((start..start + key.len(), end..end));
            } else {
                read_move(line).map_err(|reason| at(&reason))?;
                let (_, moves) = index.last_mut().ok_or_else(|| at("a move before any position"))?;
                moves.end = end;
            }
        }
        index.sort_by(|(a, _), (b, _)| text.get(a.clone()).cmp(&text.get(b.clone())));
        Ok(ShogiBook(BookContent::Text { text, index }))
    }

    /// How many positions it knows.
    pub fn len(&self) -> usize {
        match &self.0 {
            BookContent::Text { index, .. } => index.len(),
            BookContent::Apery(entries) => entries.chunk_by(|a, b| a.key == b.key).count(),
        }
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every position as the book writes it, with its moves. `None` for a format that holds keys only.
    pub fn positions(&self) -> Option<impl Iterator<Item = (&str, Vec<ShogiBookMove>)>> {
        match &self.0 {
            BookContent::Apery(_) => None,
            BookContent::Text { text, index } => Some(index.iter().filter_map(|(place, moves)| {
                let sfen = text.get(place.start..)?.lines().next()?;
                Some((sfen.trim_end(), read_moves(text, moves)))
            })),
        }
    }

    /// The moves of a position, or of the same one seen by the other side, as the book has them.
    pub fn moves(&self, position: &ShogiPosition) -> Vec<ShogiBookMove> {
        if let Some(moves) = self.moves_here(position) {
            return moves;
        }
        let text = sfen::format(position);
        let other = key(&text).and_then(|key| sfen::parse(&format!("{} 1", turned::position(key))).ok());
        let mut moves = other.and_then(|other| self.moves_here(&other)).unwrap_or_default();
        for known in &mut moves {
            known.turn = turned::turn(&known.turn);
            known.reply = known.reply.as_deref().map(turned::turn);
        }
        moves
    }

    /// The moves of just this position; `None` if the book does not know it.
    pub fn moves_here(&self, position: &ShogiPosition) -> Option<Vec<ShogiBookMove>> {
        match &self.0 {
            BookContent::Text { text, index } => {
                let written = sfen::format(position);
                let key = key(&written)?;
                let by_text = |(place, _): &(Range<usize>, _)| text.get(place.clone()).cmp(&Some(key));
                let found = index.binary_search_by(by_text).ok()?;
                Some(read_moves(text, &index.get(found)?.1))
            }
            BookContent::Apery(entries) => {
                let key = apery::key(position);
                let first = entries.partition_point(|entry| entry.key < key);
                let moves = entries.get(first..)?.iter().take_while(|entry| entry.key == key);
                let moves: Vec<ShogiBookMove> = moves.map(|entry| entry.known.clone()).collect();
                (!moves.is_empty()).then_some(moves)
            }
        }
    }
}

fn read_moves(text: &str, place: &Range<usize>) -> Vec<ShogiBookMove> {
    let lines = text.get(place.clone()).unwrap_or_default().lines();
    // Remarks may stand between the moves.
    let moves = lines.map(str::trim).filter(|line| !is_remark(line));
    moves.filter_map(|line| read_move(line).ok()).collect()
}

fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || line.starts_with("//")
}

/// Board, side and hands of an SFEN, without the number of the move.
fn key(sfen: &str) -> Option<&str> {
    let hands = sfen.split_ascii_whitespace().nth(2)?;
    let end = hands.as_ptr() as usize - sfen.as_ptr() as usize + hands.len();
    sfen.get(..end)
}

fn read_move(line: &str) -> Result<ShogiBookMove, String> {
    let mut words = line.split_ascii_whitespace();
    let turn = words.next().ok_or("a move is wanted")?.to_owned();
    let reply = words.next().filter(|word| !["none", "None", "-"].contains(word)).map(str::to_owned);
    fn number<T: std::str::FromStr + Default>(what: &str, word: Option<&str>) -> Result<T, String> {
        word.map_or(Ok(T::default()), |word| {
            word.parse().map_err(|_| format!("{what} '{}' is not a number", word.escape_default()))
        })
    }
    let value = number("the value", words.next())?;
    let depth = number("the depth", words.next())?;
    let count = number("the count", words.next())?;
    Ok(ShogiBookMove { turn, reply, value, depth, count })
}

/// The text of a book: positions in the order of their SFENs, below each its moves.
pub fn format<'a>(
    remark: &str,
    positions: impl Iterator<Item = (&'a String, &'a Vec<ShogiBookMove>)>,
) -> String {
    let mut text = format!("{MAGIC} 1.00\n# {remark}\n");
    for (sfen, moves) in positions {
        let _ = writeln!(text, "sfen {sfen}");
        for ShogiBookMove { turn, reply, value, depth, count } in moves {
            let reply = reply.as_deref().unwrap_or("none");
            let _ = writeln!(text, "{turn} {reply} {value} {depth} {count}");
        }
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;

    const SMALL: &str = "#YANEURAOU-DB2016 1.00\r\n// a remark\r\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\r\n\
        7g7f 3c3d 32 12 5\r\n2g2f none 30 12\r\n\
        sfen lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3\r\n2g2f\r\n";

    fn position(sfen: &str) -> ShogiPosition {
        sfen::parse(sfen).unwrap()
    }

    #[test]
    fn moves_are_found_whatever_the_number_of_the_move() {
        let book = ShogiBook::parse(SMALL.to_owned()).unwrap();
        assert_eq!(book.len(), 2);
        let moves = book.moves(&position(START));
        assert_eq!(moves.iter().map(|known| known.turn.as_str()).collect::<Vec<_>>(), ["7g7f", "2g2f"]);
        assert_eq!(moves[0].reply.as_deref(), Some("3c3d"));
        assert_eq!((moves[0].value, moves[0].depth, moves[0].count), (32, 12, 5));
        assert_eq!((moves[1].reply.as_deref(), moves[1].value, moves[1].count), (None, 30, 0));
        assert_eq!(book.moves(&position(&START.replace(" 1", " 57"))), moves);
        assert_eq!(book.moves(&position("4k4/9/9/9/9/9/9/9/4K4 b G 1")), []);
    }

    #[test]
    fn a_byte_order_mark_makes_no_difference() {
        for end in ["\n", "\r\n"] {
            let text = SMALL.replace("\r\n", end);
            let book = ShogiBook::parse(format!("\u{feff}{text}")).unwrap();
            assert_eq!(book.moves(&position(START)), ShogiBook::parse(text).unwrap().moves(&position(START)));
        }
    }

    #[test]
    fn the_other_side_finds_the_same_moves_turned_round() {
        let book = ShogiBook::parse(SMALL.to_owned()).unwrap();
        let white = position("lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2");
        assert_eq!(book.moves(&white)[0].turn, "8c8d");
    }

    #[test]
    fn a_written_book_is_read_back() {
        let known = ShogiBookMove { turn: "7g7f".into(), reply: None, value: -5, depth: 9, count: 1 };
        let positions = std::collections::BTreeMap::from([(START.to_owned(), vec![known.clone()])]);
        let book = ShogiBook::parse(format("made by a test", positions.iter())).unwrap();
        assert_eq!(book.moves(&position(START)), [known]);
    }

    #[test]
    fn every_move_of_the_embedded_book_is_legal() {
        let book = ShogiBook::embedded();
        assert!(!book.moves(&position(START)).is_empty());
        for (text, moves) in book.positions().unwrap() {
            let position = position(text);
            for known in moves {
                assert!(
                    crate::rules::notation::parse_move(&position, &known.turn).is_ok(),
                    "{text} {known:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let refused = |text: &str, reason: &str| {
            let said = ShogiBook::parse(text.to_owned()).unwrap_err().to_string();
            assert!(said.contains(reason), "'{said}' does not say '{reason}'");
        };
        refused("", "no book");
        refused("sfen lnsg b - 1\n7g7f\n", "no book");
        refused("#YANEURAOU-DB2016 1.00\n7g7f none 0 0 0\n", "line 2: a move before any position");
        refused("#YANEURAOU-DB2016 1.00\nsfen startpos\n", "line 2: board, side and hands");
        let start = format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n");
        refused(&format!("{start}7g7f 3c3d much\n"), "line 3: the value 'much' is not a number");
        refused(&format!("{start}7g7f 3c3d 1 -4\n"), "line 3: the depth '-4'");
        assert!(
            ShogiBook::read(Path::new("no-such-book.db")).unwrap_err().reason().contains("no-such-book.db")
        );
    }
}
