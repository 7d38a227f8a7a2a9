//! An opening book: positions with the values of their moves, and the text file that holds them.
//!
//! ```text
//! kaeshi reversi book 1
//! depth 12 disc-plies 2 evaluation 5f2a77c1
//! ---------------------------OX------XO--------------------------- X d3 0
//! end 1
//! ```
//!
//! A line holds a position, turned so that it comes first among its mirror images and with the side to move as X, then
//! its moves, each with the value that a search found for it, in discs for that side. Of several moves to mirror images
//! of one position, only the first is listed. The last line counts the positions: a file without it is incomplete.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod choice;
pub mod edax;
mod grow;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::Path;

pub use choice::ReversiBookSettings;
pub use grow::Grower;

use crate::rules::board::{ReversiBoard, symmetric};
use crate::rules::notation;
use crate::rules::position::{ReversiPosition, ReversiTurn};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::{GameError, Side};

/// Files of books.
const BOOK: FileKind = FileKind::new("books of Reversi", 256 << 20);
const MAGIC: &str = "kaeshi reversi book 1";

/// The settings by which a book was made. Only a command with the same settings can extend it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReversiBookRecipe {
    /// Plies searched, the move itself included.
    pub depth: u32,
    /// A move one disc worse than the best is followed as if it were this many plies deeper.
    pub disc_plies: u32,
    /// The label of the weights.
    pub evaluation: String,
}

impl fmt::Display for ReversiBookRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "depth {} disc-plies {} evaluation {}", self.depth, self.disc_plies, self.evaluation)
    }
}

impl ReversiBookRecipe {
    fn parse(text: &str) -> Option<ReversiBookRecipe> {
        let mut words = text.split_whitespace();
        let mut value = |name: &str| words.next().filter(|word| *word == name).and_then(|_| words.next());
        let depth = value("depth")?.parse().ok()?;
        let disc_plies = value("disc-plies")?.parse().ok()?;
        Some(ReversiBookRecipe { depth, disc_plies, evaluation: value("evaluation")?.to_owned() })
    }
}

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReversiBookMove {
    /// The square on which the disc is placed.
    pub square: u8,
    /// Discs by which the side to move will win.
    pub value: i8,
}

/// Positions, each in the first of its mirror images, with their moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReversiBook {
    /// How it came about.
    pub recipe: ReversiBookRecipe,
    positions: BTreeMap<ReversiBoard, Vec<ReversiBookMove>>,
}

impl ReversiBook {
    /// A book that holds nothing yet.
    pub fn new(recipe: ReversiBookRecipe) -> ReversiBook {
        ReversiBook { recipe, positions: BTreeMap::new() }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// A board with one of its moves, turned to the first of their images.
    pub fn first_move(board: ReversiBoard, square: u8) -> (ReversiBoard, u8) {
        let turned = |symmetry: usize| {
            let [me, opponent] = [board.me, board.opponent].map(|discs| symmetric(discs, symmetry));
            (ReversiBoard { me, opponent }, symmetric(1 << square, symmetry).trailing_zeros() as u8)
        };
        (1..8).map(turned).fold(turned(0), |first, other| first.min(other))
    }

    /// Adds a legal move of `board`, or replaces what the book says of it.
    pub fn add(&mut self, board: ReversiBoard, known: ReversiBookMove) {
        let (first, square) = ReversiBook::first_move(board, known.square);
        let moves = self.positions.entry(first).or_default();
        match moves.binary_search_by_key(&square, |known| known.square) {
            Ok(at) => moves.iter_mut().skip(at).take(1).for_each(|old| old.value = known.value),
            Err(at) => moves.insert(at, ReversiBookMove { square, ..known }),
        }
    }

    /// Reads a file, in the text of this program or in the form of Edax.
    ///
    /// # Errors
    /// The file cannot be read or is no whole book; the line or the position is named.
    pub fn read(path: &Path) -> Result<ReversiBook, GameError> {
        let fault = |reason: String| GameError::file(format!("{}: {reason}", path.display()));
        let bytes = files::read(path, BOOK).map_err(|error| fault(error.to_string()))?;
        if edax::is_edax(&bytes) {
            return edax::read(&bytes).map_err(|reason| fault(reason.into()));
        }
        let text = String::from_utf8(bytes).map_err(|_| fault("this is no text in UTF-8".to_owned()))?;
        ReversiBook::parse(&text).map_err(|reason| fault(reason.into()))
    }

    /// Reads the text of a book.
    ///
    /// # Errors
    /// The first fault, with the number of its line.
    pub fn parse(text: &str) -> Result<ReversiBook, GameError> {
        let mut lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
        if lines.next().map(|(line, _)| line) != Some(MAGIC) {
            return Err(GameError::file(format!("no book of Reversi: the first line is not '{MAGIC}'")));
        }
        let recipe = lines.next().and_then(|(line, _)| ReversiBookRecipe::parse(line));
        let mut book = ReversiBook::new(recipe.ok_or_else(|| GameError::file("line 2: no recipe"))?);
        for (line, number) in lines {
            let fault = |reason: String| GameError::file(format!("line {number}: {reason}"));
            if let Some(count) = line.strip_prefix("end ") {
                return if count == book.len().to_string() {
                    Ok(book)
                } else {
                    Err(fault(format!("{count} positions are announced, {} are there", book.len())))
                };
            }
            let (board, moves) = parse_line(line).map_err(|reason| fault(reason.into()))?;
            if book.positions.insert(board, moves).is_some() {
                return Err(fault("this position was there before".to_owned()));
            }
        }
        Err(GameError::file("the book is not whole: its last line ('end' and a number) is missing"))
    }

    /// The text that [`ReversiBook::parse`] reads.
    pub fn format(&self) -> String {
        let mut text = format!("{MAGIC}\n{}\n", self.recipe);
        for (&board, moves) in &self.positions {
            text += &notation::format_position(&ReversiPosition { board, side: Side::First });
            for known in moves {
                let name = notation::square_name(usize::from(known.square));
                // Writing to a string does not fail.
                let _ = write!(text, " {name} {}", known.value);
            }
            text.push('\n');
        }
        text + &format!("end {}\n", self.len())
    }
}

/// One position with its moves.
fn parse_line(line: &str) -> Result<(ReversiBoard, Vec<ReversiBookMove>), GameError> {
    let mut words = line.split_whitespace();
    let (squares, side) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let board = notation::parse_position(&format!("{squares} {side}"))?.board;
    if side != "X" || first_image(board).0 != board {
        return Err(GameError::file("the position is not the first of its mirror images with X to move"));
    }
    let mut moves = Vec::new();
    while let Some(name) = words.next() {
        let legal = match notation::read_turn(name)? {
            ReversiTurn::Place(square) if board.moves() >> square & 1 == 1 => Some(square),
            _ => None,
        };
        let square = legal.ok_or_else(|| GameError::file(format!("{name} is not legal there")))?;
        let value = words.next().and_then(|value| value.parse().ok());
        let value = value.filter(|value| (-64..=64).contains(value));
        let value = value.ok_or_else(|| GameError::file(format!("{name} has no value from -64 to 64")))?;
        moves.push(ReversiBookMove { square, value });
    }
    if moves.is_empty() {
        return Err(GameError::file("a position without moves"));
    }
    Ok((board, moves))
}

/// The first of the mirror images of a board, and a symmetry that leads there.
pub(crate) fn first_image(board: ReversiBoard) -> (ReversiBoard, usize) {
    let image = |s| (ReversiBoard { me: symmetric(board.me, s), opponent: symmetric(board.opponent, s) }, s);
    (1..8).map(image).fold((board, 0), |first, other| first.min(other))
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const TEXT: &str = "kaeshi reversi book 1\ndepth 4 disc-plies 2 evaluation hand\n\
        ---------------------------OX------XO--------------------------- X d3 -1\nend 1\n";

    #[test]
    fn a_book_survives_its_text() {
        let book = ReversiBook::parse(TEXT).expect("a book");
        assert_eq!((book.len(), book.recipe.depth), (1, 4));
        assert_eq!(book.format(), TEXT);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let cases = [
            ("book 1", "book 7", "first line"),
            ("depth 4", "deep 4", "line 2"),
            (" X d3", " O d3", "line 3"),
            (" d3 -1", " d4 -1", "line 3: d4 is not legal"),
            (" d3 -1", " d3 -99", "line 3: d3 has no value"),
            (" d3 -1", "", "line 3: a position without moves"),
            ("end 1", "end 2", "line 4: 2 positions are announced, 1 are there"),
            ("end 1\n", "", "not whole"),
        ];
        for (right, wrong, expected) in cases {
            assert!(TEXT.contains(right));
            let said = ReversiBook::parse(&TEXT.replace(right, wrong)).expect_err(wrong).to_string();
            assert!(said.contains(expected), "{said}");
        }
    }
}
