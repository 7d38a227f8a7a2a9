//! Files of self-played games: [`crate::blocks`] of whole games.
//!
//! A game is one byte each for the number of random plies and of all plies, the final difference
//! seen by Black, then for each ply the square (64 for a pass) and the value found, in discs for the
//! side to move ([`UNKNOWN`] where none was searched).

use std::io;
use std::path::Path;

use crate::blocks::{Appender, Blocks, Mark};

/// No value.
pub const UNKNOWN: i8 = i8::MAX;
const MARK: Mark = *b"KRG1";

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Plies at the beginning that were played at random.
    pub random: u8,
    /// Black's discs less White's at the end, empty squares counted for the winner.
    pub result: i8,
    /// Square and value of each ply.
    pub plies: Vec<(u8, i8)>,
}

/// The body of a block.
fn encode(games: &[Record]) -> Vec<u8> {
    let mut body = Vec::new();
    for game in games {
        body.extend_from_slice(&[game.random, game.plies.len() as u8, game.result as u8]);
        body.extend(game.plies.iter().flat_map(|&(square, value)| [square, value as u8]));
    }
    body
}

/// The games of a block; `None` if it makes no sense.
fn decode(mut body: &[u8]) -> Option<Vec<Record>> {
    let mut games = Vec::new();
    while let Some((&[random, plies, result], rest)) = body.split_first_chunk::<3>() {
        let (moves, rest) = rest.split_at_checked(2 * usize::from(plies))?;
        let plies = moves.chunks(2).map(|ply| (ply[0], ply[1] as i8)).collect();
        games.push(Record { random, result: result as i8, plies });
        body = rest;
    }
    Some(games)
}

fn decode_all(bytes: &[u8]) -> io::Result<Vec<Record>> {
    let mut games = Vec::new();
    for body in Blocks::new(MARK, bytes) {
        let block = decode(body);
        games.extend(block.ok_or_else(|| io::Error::other("a block with a good checksum makes no sense"))?);
    }
    Ok(games)
}

/// All games of the whole blocks of a file.
pub fn read(path: &Path) -> io::Result<Vec<Record>> {
    decode_all(&std::fs::read(path)?)
}

/// A file that games are appended to.
#[derive(Debug)]
pub struct Writer(Appender);

impl Writer {
    /// Opens or creates a file; what an interruption left incomplete is cut off. Also tells how many
    /// games are there.
    pub fn open(path: &Path) -> io::Result<(Writer, usize)> {
        let (file, bytes) = Appender::open(path, MARK)?;
        Ok((Writer(file), decode_all(&bytes)?.len()))
    }

    /// Appends games as one block.
    pub fn append(&mut self, games: &[Record]) -> io::Result<()> {
        self.0.append(&encode(games))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_file_goes_on_behind_its_last_whole_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games");
        let game = |n: u8| Record { random: n, result: -4, plies: vec![(n, -1), (64, UNKNOWN)] };
        let (mut writer, before) = Writer::open(&path).expect("a new file");
        assert_eq!(before, 0);
        writer.append(&[game(1), game(2)]).expect("room");
        writer.append(&[game(3)]).expect("room");
        drop(writer);
        let whole = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("room");
        let (mut writer, before) = Writer::open(&path).expect("a damaged file");
        assert_eq!(before, 2);
        writer.append(&[game(4)]).expect("room");
        assert_eq!(read(&path).expect("readable"), [game(1), game(2), game(4)]);
    }
}
