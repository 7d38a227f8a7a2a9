//! Files of self-played games: blocks with checksums, appended whole.
//!
//! A game is one byte each for the number of random plies and of all plies, the final difference
//! seen by Black, then for each ply the square (64 for a pass) and the value found, in discs for the
//! side to move ([`UNKNOWN`] where none was searched).

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// No value.
pub const UNKNOWN: i8 = i8::MAX;
const MAGIC: [u8; 4] = *b"KRG1";

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

/// Encodes games as one block: mark, length, checksum, content.
fn block(games: &[Record]) -> Vec<u8> {
    let mut body = Vec::new();
    for game in games {
        body.extend_from_slice(&[game.random, game.plies.len() as u8, game.result as u8]);
        body.extend(game.plies.iter().flat_map(|&(square, value)| [square, value as u8]));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// The first block of `bytes` and how long it is; `None` if it is not whole.
fn first_block(bytes: &[u8]) -> Option<(Vec<Record>, usize)> {
    let rest = bytes.strip_prefix(&MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let mut body = rest.get(..length)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    let mut games = Vec::new();
    while let Some((&[random, plies, result], rest)) = body.split_first_chunk::<3>() {
        let (moves, rest) = rest.split_at_checked(2 * usize::from(plies))?;
        let plies = moves.chunks(2).map(|ply| (ply[0], ply[1] as i8)).collect();
        games.push(Record { random, result: result as i8, plies });
        body = rest;
    }
    Some((games, length + 12))
}

/// All games of the whole blocks of a file, and the length of these blocks in bytes.
pub fn read(path: &Path) -> io::Result<(Vec<Record>, u64)> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    let (mut games, mut at) = (Vec::new(), 0);
    while let Some((more, length)) = first_block(&bytes[at..]) {
        games.extend(more);
        at += length;
    }
    Ok((games, at as u64))
}

/// A file that games are appended to.
#[derive(Debug)]
pub struct Writer(File);

impl Writer {
    /// Opens or creates a file; what an interruption left incomplete is cut off. Also tells how many
    /// games are there.
    pub fn open(path: &Path) -> io::Result<(Writer, usize)> {
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        let (games, length) = read(path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok((Writer(file), games.len()))
    }

    /// Appends games as one block.
    pub fn append(&mut self, games: &[Record]) -> io::Result<()> {
        self.0.write_all(&block(games))?;
        self.0.sync_data()
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
        assert_eq!(read(&path).expect("readable").0, [game(1), game(2), game(4)]);
    }
}
