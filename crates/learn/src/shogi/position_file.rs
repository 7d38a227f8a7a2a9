//! A file of positions in a form of other programs, read in blocks: such files may be larger than the memory.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shogi::labelled::LabelledFormat;
use kaeshi_core::files;

/// An open file of positions.
#[derive(Debug)]
pub struct PositionFile {
    path: PathBuf,
    form: LabelledFormat,
    file: File,
    /// Records in the file.
    records: u64,
    /// Records read so far.
    done: u64,
}

impl PositionFile {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, or its size is no multiple of a record's.
    pub fn open(path: &Path, form: LabelledFormat) -> anyhow::Result<PositionFile> {
        let cannot = || format!("cannot read {}", path.display());
        let file = files::open(path).with_context(cannot)?;
        let (bytes, record) = (file.metadata().with_context(cannot)?.len(), form.size() as u64);
        if bytes % record != 0 {
            bail!(
                "{} ends within a record: {} bytes after {} records of {record}",
                path.display(),
                bytes % record,
                bytes / record
            );
        }
        Ok(PositionFile { path: path.to_owned(), form, file, records: bytes / record, done: 0 })
    }

    /// Records in the file.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Reads at most `most` records into `block`. Returns how many came before them, `None` at the end of the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_block(&mut self, most: usize, block: &mut Vec<u8>) -> anyhow::Result<Option<u64>> {
        let before = self.done;
        let count = (self.records - before).min(most as u64) as usize;
        if count == 0 {
            return Ok(None);
        }
        block.resize(count * self.form.size(), 0);
        self.file.read_exact(block).with_context(|| self.place(before))?;
        self.done += count as u64;
        Ok(Some(before))
    }

    /// The place of the record with `before` others in front of it, for messages.
    pub fn place(&self, before: u64) -> String {
        let byte = before * self.form.size() as u64;
        format!("{}, record {} (byte {byte})", self.path.display(), before + 1)
    }
}
