//! Files of blocks with checksums, appended whole: the form of self-played games.
//!
//! A block is a mark of four bytes, the length and the CRC-32 of its body (little-endian `u32` each), and the body.
//! Bytes that an interruption left behind the last whole block are ignored.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use kaeshi_core::files::{self, FileKind};
use kaeshi_system::lock::lock;

/// The beginning of every block of a kind of file.
pub type BlockMagic = [u8; 4];

/// Bytes of a block before its body.
const HEAD: usize = 12;

/// The bodies of the whole blocks that `bytes` begin with.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    mark: BlockMagic,
    rest: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// The blocks with this mark.
    pub fn new(mark: BlockMagic, bytes: &'a [u8]) -> Blocks<'a> {
        Blocks { mark, rest: bytes }
    }

    /// The bytes behind the blocks that were taken so far.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

/// The bytes behind the whole blocks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// No bytes.
    Empty,
    /// Bytes of a block whose writing was interrupted.
    Torn(usize),
    /// Bytes that no interruption leaves.
    Damaged,
}

impl Blocks<'_> {
    /// The kind of the bytes behind the blocks taken so far, where no whole block begins.
    pub fn tail(&self) -> Tail {
        let rest = self.rest;
        if rest.is_empty() {
            return Tail::Empty;
        }
        let begins = rest.iter().zip(self.mark).all(|(&byte, mark)| byte == mark);
        let length = rest.get(4..8).and_then(|length| length.first_chunk::<4>());
        let whole = length.map(|&length| HEAD.saturating_add(u32::from_le_bytes(length) as usize));
        // A whole block follows: the length itself may be wrong.
        let mut later = rest.windows(self.mark.len()).enumerate().skip(1);
        let follows = later.any(|(at, bytes)| {
            bytes == self.mark
                && rest.get(at..).is_some_and(|rest| Blocks::new(self.mark, rest).next().is_some())
        });
        if begins && !follows && whole.is_none_or(|whole| whole > rest.len()) {
            Tail::Torn(rest.len())
        } else {
            Tail::Damaged
        }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.strip_prefix(&self.mark)?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (sum, rest) = rest.split_first_chunk::<4>()?;
        let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return None;
        }
        self.rest = rest;
        Some(body)
    }
}

/// A file that blocks are appended to. No other process can open it at the same time.
#[derive(Debug)]
pub struct Appender {
    file: File,
    mark: BlockMagic,
}

impl Appender {
    /// Opens or creates a file and cuts off an incomplete block at the end. Also returns the bytes of the whole blocks.
    ///
    /// # Errors
    /// The file cannot be read or written, is held by another process, or is of another kind.
    pub fn open(path: &Path, mark: BlockMagic) -> io::Result<(Appender, Vec<u8>)> {
        files::check_regular(path)?;
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        lock(&file).map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another process is writing this file"),
            TryLockError::Error(error) => error,
        })?;
        let mut bytes = files::read_opened(&mut file, FileKind::GAMES)?;
        if !bytes.iter().zip(mark).all(|(&byte, mark)| byte == mark) {
            let mark = mark.escape_ascii();
            return Err(io::Error::other(format!(
                "this is another kind of file: it does not begin with {mark}"
            )));
        }
        let mut blocks = Blocks::new(mark, &bytes);
        blocks.by_ref().for_each(drop);
        let whole = bytes.len() - blocks.rest().len();
        bytes.truncate(whole);
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::Start(whole as u64))?;
        Ok((Appender { file, mark }, bytes))
    }

    /// Appends a block; returns when it is on the disk.
    ///
    /// # Errors
    /// The file cannot be written, or `body` is longer than 4 GiB.
    pub fn append(&mut self, body: &[u8]) -> io::Result<()> {
        let length = u32::try_from(body.len()).map_err(|_| io::Error::other("a block of more than 4 GiB"))?;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend_from_slice(&self.mark);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
        bytes.extend_from_slice(body);
        let before = self.file.stream_position()?;
        self.file.write_all(&bytes).and_then(|()| self.file.sync_data()).inspect_err(|_| {
            // The next block begins where this one did.
            let _ = self.file.set_len(before);
            let _ = self.file.seek(SeekFrom::Start(before));
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: BlockMagic = *b"TEST";

    fn bodies(bytes: &[u8]) -> Vec<Vec<u8>> {
        Blocks::new(MARK, bytes).map(<[u8]>::to_vec).collect()
    }

    fn written(folder: &Path, given: &[&[u8]]) -> Vec<u8> {
        let path = folder.join("blocks");
        let (mut file, before) = Appender::open(&path, MARK).expect("a new file");
        assert!(before.is_empty());
        given.iter().for_each(|body| file.append(body).expect("room"));
        std::fs::read(&path).expect("readable")
    }

    #[test]
    fn a_file_cut_anywhere_goes_on_behind_its_last_whole_block() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = written(folder.path(), &[b"first", b"", b"third"]);
        assert_eq!(bodies(&whole), [b"first".to_vec(), vec![], b"third".to_vec()]);
        let path = folder.path().join("cut");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("room");
            let (mut file, kept) = Appender::open(&path, MARK).expect("a torn file");
            let kept = bodies(&kept).len();
            assert_eq!(kept, usize::from(length >= 17) + usize::from(length >= 29), "cut at {length}");
            [b"first".as_slice(), b"", b"third"][kept..]
                .iter()
                .for_each(|body| file.append(body).expect("room"));
            assert_eq!(std::fs::read(&path).expect("readable"), whole, "cut at {length}");
        }
    }

    #[test]
    fn what_was_interrupted_is_told_from_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = written(folder.path(), &[b"first", b"", b"third"]);
        let tail = |bytes: &[u8]| {
            let mut blocks = Blocks::new(MARK, bytes);
            blocks.by_ref().for_each(drop);
            blocks.tail()
        };
        for length in 0..=whole.len() {
            let torn = [17, 29, 46]
                .into_iter()
                .fold(length, |torn, end| if length >= end { length - end } else { torn });
            let expected = if torn == 0 { Tail::Empty } else { Tail::Torn(torn) };
            assert_eq!(tail(&whole[..length]), expected, "cut at {length}");
        }
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // A length of the last block that is too large looks like an interruption.
            let in_last_length = (33..37).contains(&(bit / 8));
            assert!(tail(&bytes) == Tail::Damaged || in_last_length, "bit {bit}");
        }
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let whole = written(folder.path(), &[b"first", b"second"]);
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let good = usize::from(bit / 8 >= 17);
            assert_eq!(bodies(&bytes).len(), good, "bit {bit}");
        }
    }

    #[test]
    fn foreign_and_busy_files_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("letter");
        std::fs::write(&path, "Dear friend").expect("room");
        let said = Appender::open(&path, MARK).expect_err("no file of blocks").to_string();
        assert!(said.contains("another kind of file"), "{said}");
        assert_eq!(std::fs::read(&path).expect("readable"), b"Dear friend");
        let path = folder.path().join("busy");
        let _held = Appender::open(&path, MARK).expect("a new file");
        let said = Appender::open(&path, MARK).expect_err("held").to_string();
        assert!(said.contains("another process"), "{said}");
    }
}
