//! Files of self-played games: [`crate::blocks`] of whole games.
//!
//! The first block holds, behind the letter `H`, the [`ReversiFileHeader`] as JSON. Files of former versions have
//! none: they are read, but nothing is appended to them. Every other block holds games, and begins with a
//! number of random plies, which is never that of the letter.
//!
//! A game is one byte each for the number of random plies and of all plies, the final difference
//! seen by Black, then for each ply the square (64 for a pass) and the value found, in discs for the
//! side to move ([`UNKNOWN`] where none was searched).

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::blocks::{Appender, BlockMagic, Blocks, Tail};
use kaeshi_core::files::{self, FileKind};
use kaeshi_reversi::evaluate::weights::HAND_LABEL;
use kaeshi_reversi::rules::board::ReversiBoard;
use kaeshi_reversi::search::table::NO_MOVE;

/// No value.
pub const UNKNOWN: i8 = i8::MAX;
/// The extension of files of self-played games.
pub const EXTENSION: &str = "krg";
const MARK: BlockMagic = *b"KRG1";
const HEADER: u8 = b'H';
const _: () = assert!(HEADER > 60, "no game has that many random plies");

/// How the games of a file were made: with the same program, equal headers mean equal games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReversiFileHeader {
    /// The seed of the games.
    pub seed: u64,
    /// Number of the file's first game; the others follow it.
    pub first: u64,
    /// Plies searched for each move.
    pub depth: u32,
    /// From this many empty squares on everything is exact.
    pub exact: u32,
    /// Fewest and most random plies at the beginning.
    pub random: (u32, u32),
    /// After these one ply in `stray` is random, too; none if 0, as in files that do not say.
    #[serde(default)]
    pub stray: u32,
    /// How many discs of loss make a random ply rarer by the factor e; 0 if all moves are as likely, as in
    /// files that do not say.
    #[serde(default)]
    pub temperature: u32,
    /// The label of the evaluation.
    pub weights: String,
}

/// The search that found the values of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelSearch {
    /// Plies searched for each move.
    pub depth: u32,
    /// From this many empty squares on everything is exact.
    pub exact: u32,
}

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReversiGameRecord {
    /// How its values were found, by trained weights; `None` where that is not known.
    pub search: Option<LabelSearch>,
    /// Plies at the beginning that were played at random.
    pub random: u8,
    /// Black's discs less White's at the end, empty squares counted for the winner.
    pub result: i8,
    /// Square and value of each ply.
    pub plies: Vec<(u8, i8)>,
}

impl ReversiFileHeader {
    /// How the values of these games were found; `None` by the hand-crafted evaluation, whose values lean otherwise.
    fn label_search(&self) -> Option<LabelSearch> {
        (self.weights != HAND_LABEL).then_some(LabelSearch { depth: self.depth, exact: self.exact })
    }
}

impl ReversiGameRecord {
    /// Whether all squares are squares, and the result is one.
    fn is_possible(&self) -> bool {
        self.plies.iter().all(|&(square, _)| square <= NO_MOVE) && (-64..=64).contains(&self.result)
    }

    /// The number of plies up to the last one drawn by lot: from there on the result says what the
    /// positions are worth.
    pub fn last_random(&self) -> usize {
        self.plies.iter().rposition(|&ply| is_random(ply)).map_or(0, |at| at + 1)
    }
}

/// The board after a recorded ply: a stone on `square`, or a pass ([`NO_MOVE`]).
pub(super) fn board_after(board: ReversiBoard, square: u8) -> ReversiBoard {
    if square == NO_MOVE {
        return board.passed();
    }
    let square = usize::from(square & 63);
    board.after(square, board.flips(square))
}

/// Whether a ply was drawn by lot: no value was searched, though there was a move.
pub fn is_random((square, value): (u8, i8)) -> bool {
    value == UNKNOWN && square != NO_MOVE
}

/// The body of a block.
fn encode(games: &[ReversiGameRecord]) -> Vec<u8> {
    let mut body = Vec::new();
    for game in games {
        body.extend_from_slice(&[game.random, game.plies.len() as u8, game.result as u8]);
        body.extend(game.plies.iter().flat_map(|&(square, value)| [square, value as u8]));
    }
    body
}

/// The games of a block, whose values `search` found; `None` if it makes no sense.
fn decode(mut body: &[u8], search: Option<LabelSearch>) -> Option<Vec<ReversiGameRecord>> {
    let mut games = Vec::new();
    while let Some((&[random, plies, result], rest)) = body.split_first_chunk::<3>() {
        let (moves, rest) = rest.split_at_checked(2 * usize::from(plies))?;
        let plies = moves.chunks(2).map(|ply| (ply[0], ply[1] as i8)).collect();
        games.push(ReversiGameRecord { search, random, result: result as i8, plies });
        body = rest;
    }
    Some(games)
}

/// The header and the games of the whole blocks of a file; files of former versions have no header.
fn decode_all(bytes: &[u8]) -> io::Result<(Option<ReversiFileHeader>, Vec<ReversiGameRecord>)> {
    let mut blocks = Blocks::new(MARK, bytes);
    let (mut header, mut games): (Option<ReversiFileHeader>, _) = (None, Vec::new());
    for body in blocks.by_ref() {
        match body.strip_prefix(&[HEADER]) {
            Some(json) if header.is_none() && games.is_empty() => {
                let read = serde_json::from_slice(json);
                header = Some(read.map_err(|error| io::Error::other(format!("its header: {error}")))?);
            }
            _ => {
                let search = header.as_ref().and_then(ReversiFileHeader::label_search);
                let block =
                    decode(body, search).filter(|games| games.iter().all(ReversiGameRecord::is_possible));
                let senseless = || io::Error::other("a block with a good checksum makes no sense");
                games.extend(block.ok_or_else(senseless)?);
            }
        }
    }
    if blocks.tail() == Tail::Damaged {
        let at = bytes.len() - blocks.rest().len();
        return Err(io::Error::other(format!("it is damaged at byte {at}")));
    }
    Ok((header, games))
}

/// All games of the whole blocks of a file.
///
/// # Errors
/// The file cannot be read, is damaged, or a block makes no sense.
pub fn read(path: &Path) -> io::Result<Vec<ReversiGameRecord>> {
    Ok(decode_all(&files::read(path, FileKind::GAMES)?)?.1)
}

/// A file that games are appended to.
#[derive(Debug)]
pub struct ReversiRecordWriter(Appender);

impl ReversiRecordWriter {
    /// Opens or creates a file; what an interruption left incomplete is cut off. Also gives the games
    /// that are there.
    ///
    /// # Errors
    /// The file cannot be read or written, or was made by other settings than `header` says.
    pub fn open(
        path: &Path,
        header: &ReversiFileHeader,
    ) -> io::Result<(ReversiRecordWriter, Vec<ReversiGameRecord>)> {
        let (mut file, bytes) = Appender::open(path, MARK)?;
        match decode_all(&bytes)? {
            (Some(known), games) if known == *header => Ok((ReversiRecordWriter(file), games)),
            (Some(known), _) => Err(io::Error::other(format!(
                "this file was made with other settings:\n  there {}\n  here  {}",
                serde_json::to_string(&known)?,
                serde_json::to_string(header)?
            ))),
            (None, games) if games.is_empty() => {
                let mut body = vec![HEADER];
                serde_json::to_writer(&mut body, header)?;
                file.append(&body)?;
                Ok((ReversiRecordWriter(file), games))
            }
            (None, _) => Err(io::Error::other(
                "this file of a former version does not name its settings: it can be learned from, but not \
                 be continued; take another folder or --seed",
            )),
        }
    }

    /// Appends games as one block.
    pub fn append(&mut self, games: &[ReversiGameRecord]) -> io::Result<()> {
        self.0.append(&encode(games))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use kaeshi_reversi::rules::board::squares;

    /// A game of moves that `draw` chooses (an index below its argument), with the value `value` at each of them and
    /// none at passes.
    pub(in crate::reversi) fn drawn_game(
        mut draw: impl FnMut(u32) -> usize,
        value: impl Fn(ReversiBoard) -> i8,
    ) -> ReversiGameRecord {
        let (mut board, mut plies) = (ReversiBoard::START, Vec::new());
        while !board.is_over() {
            let moves = board.moves();
            let ply = if moves == 0 {
                (NO_MOVE, UNKNOWN)
            } else {
                let square = squares(moves).nth(draw(moves.count_ones())).expect("a move");
                (square as u8, value(board))
            };
            plies.push(ply);
            board = board_after(board, ply.0);
        }
        ReversiGameRecord { search: None, random: 0, result: 0, plies }
    }

    fn header(depth: u32) -> ReversiFileHeader {
        ReversiFileHeader {
            seed: 4,
            first: 1000,
            depth,
            exact: 12,
            random: (6, 40),
            stray: 0,
            temperature: 0,
            weights: "0123abcd".to_owned(),
        }
    }

    fn game(n: u8) -> ReversiGameRecord {
        ReversiGameRecord {
            search: Some(LabelSearch { depth: 5, exact: 12 }),
            random: n,
            result: -4,
            plies: vec![(n, -1), (64, UNKNOWN)],
        }
    }

    #[test]
    fn an_interrupted_file_goes_on_behind_its_last_whole_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let (mut writer, before) = ReversiRecordWriter::open(&path, &header(5)).expect("a new file");
        assert_eq!(before, []);
        writer.append(&[game(1), game(2)]).expect("room");
        writer.append(&[game(3)]).expect("room");
        drop(writer);
        let whole = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("room");
        let (mut writer, before) = ReversiRecordWriter::open(&path, &header(5)).expect("a damaged file");
        assert_eq!(before, [game(1), game(2)]);
        writer.append(&[game(4)]).expect("room");
        drop(writer);
        assert_eq!(read(&path).expect("readable"), [game(1), game(2), game(4)]);
        let said = ReversiRecordWriter::open(&path, &header(6)).expect_err("other settings").to_string();
        assert!(said.contains("\"depth\":5") && said.contains("\"depth\":6"), "{said}");
    }

    #[test]
    fn a_file_without_a_header_is_read_and_not_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let (mut file, _) = Appender::open(&path, MARK).expect("a new file");
        file.append(&encode(&[game(60), game(0)])).expect("room");
        drop(file);
        let games = [60, 0].map(|n| ReversiGameRecord { search: None, ..game(n) });
        assert_eq!(read(&path).expect("readable"), games);
        let said = ReversiRecordWriter::open(&path, &header(5)).expect_err("no header").to_string();
        assert!(said.contains("former version"), "{said}");
        assert_eq!(read(&path).expect("readable"), games);
    }

    #[test]
    fn values_of_the_hand_crafted_evaluation_are_left_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let by_hand = ReversiFileHeader { weights: HAND_LABEL.to_owned(), ..header(5) };
        let (mut writer, _) = ReversiRecordWriter::open(&path, &by_hand).expect("a new file");
        writer.append(&[game(1)]).expect("room");
        drop(writer);
        assert_eq!(read(&path).expect("readable"), [ReversiGameRecord { search: None, ..game(1) }]);
    }
}
