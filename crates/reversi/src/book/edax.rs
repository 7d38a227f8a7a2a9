//! Books of Edax 4, in the binary form that its command `book save` writes.
//!
//! Numbers are little-endian. The head has 42 bytes: the numbers `EDAX` and `BOOK` (four letters each, the last one
//! first), version and release (a byte each), the date (8 bytes), five settings of four bytes (level, fewest empty
//! squares, two errors, verbosity) and the number of positions (`u32`). A position is one of its eight images: discs of
//! the side to move and of the other one (`u64` each, a1 is bit 0), four counts of games (`u32`), value and bounds
//! (`i16`), the number of moves to other positions of the book and the level (a byte each), these moves, and the best
//! of the other moves. A move is its value in discs for the side to move (`i8`) and its square (a byte; 64 is a pass,
//! 65 no move).

use super::grow::{Next, next};
use super::{ReversiBook, ReversiBookMove, ReversiBookRecipe};
use crate::rules::board::{ReversiBoard, squares};
use kaeshi_core::game::GameError;

const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: u8 = 4;
/// The release of version 4 that is written.
const RELEASE: u8 = 4;
/// Bytes of the head.
const HEAD: usize = 42;
/// Offset of the level in the head.
const LEVEL_AT: usize = 18;
/// Offset of the number of positions in the head.
const COUNT_AT: usize = 38;
/// Bytes of a position before its moves.
const FIXED: usize = 40;
/// An absent move: the lowest value and square 65.
const NO_MOVE: [u8; 2] = [-127_i8 as u8, 65];
/// Squares of the board; a greater or equal number is a pass or no move.
const SQUARES: u8 = 64;

/// Whether a file is a book of Edax.
pub fn is_edax(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The book in a file of Edax. Passes are left out, and positions without any other move.
///
/// # Errors
/// The first fault, with the number of its position.
pub fn read(bytes: &[u8]) -> Result<ReversiBook, GameError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| GameError::file("this is no book of Edax"))?;
    let short = || GameError::file("the book is cut off");
    if rest.first() != Some(&VERSION) {
        return Err(GameError::file(format!("a book of Edax {:?}, not of Edax {VERSION}", rest.first())));
    }
    let (head, mut rest) = bytes.split_first_chunk::<HEAD>().ok_or_else(short)?;
    let number =
        |at: usize| head.get(at..).and_then(<[u8]>::first_chunk).map(|bytes| u32::from_le_bytes(*bytes));
    let (level, announced) = (number(LEVEL_AT).unwrap_or(0), number(COUNT_AT).unwrap_or(0));
    let mut book = ReversiBook::new(ReversiBookRecipe {
        depth: level.min(60),
        disc_plies: 0,
        evaluation: "edax".to_owned(),
    });
    let mut count = 0_u32;
    while !rest.is_empty() {
        count += 1;
        let at = |reason: &str| GameError::file(format!("position {count}: {reason}"));
        let (fixed, behind) = rest.split_first_chunk::<FIXED>().ok_or_else(short)?;
        let [me, opponent] = [0, 8]
            .map(|at| fixed.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |b| u64::from_le_bytes(*b)));
        let board = ReversiBoard { me, opponent };
        if me & opponent != 0 {
            return Err(at("two discs on one square"));
        }
        let links = usize::from(fixed.get(FIXED - 2).copied().unwrap_or(0));
        let (moves, behind) = behind.split_at_checked(2 * (links + 1)).ok_or_else(short)?;
        for pair in moves.chunks_exact(2) {
            let &[value, square] = pair else { continue };
            let value = value as i8;
            if square >= SQUARES {
                continue;
            }
            if board.moves() >> square & 1 == 0 || !(-64..=64).contains(&value) {
                return Err(at(&format!("square {square} with the value {value} is no move")));
            }
            book.add(board, ReversiBookMove { square, value });
        }
        rest = behind;
    }
    if count < announced {
        return Err(GameError::file(format!("{announced} positions are announced, {count} are there")));
    }
    Ok(book)
}

/// The book as Edax reads it. The format has room for one move to a position outside the book: the best one.
pub fn write(book: &ReversiBook) -> Vec<u8> {
    let level = book.recipe.depth.min(60);
    let fewest = book.positions.keys().map(|board| board.empties()).min().unwrap_or(60);
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, RELEASE]);
    bytes.extend([0; 8]);
    for setting in [level, fewest, 0, 0, 0, book.len() as u32] {
        bytes.extend(setting.to_le_bytes());
    }
    for (&board, moves) in &book.positions {
        let linked = |square: u8| match next(board, square) {
            Next::Position(child, false) if book.positions.contains_key(&child) => Some(child),
            _ => None,
        };
        // Edax also links the moves that lead to other images of a position; the book has one of them.
        let links: Vec<[u8; 2]> = squares(board.moves())
            .filter_map(|square| {
                let child = linked(square as u8)?;
                let known = moves.iter().find(|known| linked(known.square) == Some(child))?;
                Some([known.value as u8, square as u8])
            })
            .collect();
        let others = moves.iter().filter(|known| linked(known.square).is_none());
        let best = moves.iter().map(|known| known.value).max().unwrap_or(0);
        bytes.extend(board.me.to_le_bytes());
        bytes.extend(board.opponent.to_le_bytes());
        bytes.extend([0; 16]);
        for bound in [i16::from(best), -64, 64] {
            bytes.extend(bound.to_le_bytes());
        }
        // A position has at most 33 moves.
        bytes.extend([links.len() as u8, level as u8]);
        links.iter().for_each(|link| bytes.extend(link));
        let leaf = others.max_by_key(|known| (known.value, std::cmp::Reverse(known.square)));
        bytes.extend(leaf.map_or(NO_MOVE, |known| [known.value as u8, known.square]));
    }
    bytes
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// A book of two positions as `book.c` of Edax 4.6 writes it: the start and what f5 leads to, level 21.
    fn of_edax() -> Vec<u8> {
        let mut bytes = b"XADEKOOB\x04\x06\xea\x07\x0b\x1c\x06\x00\x00\x00".to_vec();
        for setting in [21_u32, 58, 0, 0, 0, 2] {
            bytes.extend(setting.to_le_bytes());
        }
        let after = ReversiBoard::START.after(37, ReversiBoard::START.flips(37));
        for (board, moves) in
            [(ReversiBoard::START, &[[0, 37], NO_MOVE][..]), (after, &[[0xff, 43], [0xfd, 45]])]
        {
            bytes.extend(board.me.to_le_bytes());
            bytes.extend(board.opponent.to_le_bytes());
            bytes.extend([7, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend([0, 0, 0xc0, 0xff, 0x40, 0]);
            bytes.extend([moves.len() as u8 - 1, 21]);
            moves.iter().for_each(|pair| bytes.extend(pair));
        }
        bytes
    }

    #[test]
    fn positions_values_and_level_are_read() {
        let book = read(&of_edax()).expect("a book");
        let text = book.format();
        assert!(text.contains(" X d3 0\n") && text.contains(" -1") && text.contains(" -3"), "{text}");
        assert!(text.starts_with("kaeshi reversi book 1\ndepth 21 disc-plies 0 evaluation edax\n"));
        assert_eq!(ReversiBook::parse(&text).expect("our own text"), book);
    }

    #[test]
    fn what_is_written_is_read_again_but_for_lesser_moves_out_of_the_book() {
        let book = read(&of_edax()).expect("a book");
        let again = read(&write(&book)).expect("a book");
        assert_eq!((again.len(), &again.recipe), (2, &book.recipe));
        let text = book.format();
        assert_eq!(again.format(), text.replace(" f6 -3", ""));
        assert_eq!(read(&write(&again)).expect("a book"), again);
    }

    #[test]
    fn all_moves_to_images_of_a_position_are_links() {
        let book = read(&of_edax()).expect("a book");
        let bytes = write(&book);
        let start = bytes.windows(8).position(|bytes| bytes == ReversiBoard::START.me.to_le_bytes());
        let links = &bytes[start.expect("the start") + FIXED - 2..];
        assert_eq!((links[0], &links[2..10]), (4, &[0, 19, 0, 26, 0, 37, 0, 44][..]), "d3, c4, f5 and e6");
        assert_eq!(links[10..12], NO_MOVE);
    }

    #[test]
    fn damaged_books_are_refused() {
        let good = of_edax();
        for (length, reason) in
            [(8, "not of Edax"), (30, "cut off"), (good.len() - 1, "cut off"), (84 + 2, "announced")]
        {
            let said = read(&good[..length]).expect_err("cut off").to_string();
            assert!(said.contains(reason), "{length}: {said}");
        }
        for (at, value, reason) in
            [(8, 3, "not of Edax"), (45, 0x18, "two discs"), (83, 0, "square 0"), (82, 100, "value 100")]
        {
            let mut bad = good.clone();
            bad[at] = value;
            let said = read(&bad).expect_err("damaged").to_string();
            assert!(said.contains(reason), "{at}: {said}");
        }
        let mut random = kaeshi_core::random::SplitMix::new(5);
        for _ in 0..2_000 {
            let mut bad = good.clone();
            let at = random.below(bad.len() as u32) as usize;
            bad[at] ^= 1 << random.below(8);
            let _ = read(&bad);
        }
    }
}
