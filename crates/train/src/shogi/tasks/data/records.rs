//! The records of files, one after the other.

use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::ProgressBar;

use kaeshi_learn::shogi::dataset::{self, Filter};
use kaeshi_learn::shogi::labelled::{Labelled, LabelledFormat};
use kaeshi_learn::shogi::position_file::PositionFile;
use kaeshi_learn::shogi::record::EXTENSION;
use kaeshi_system::stop_signal::StopSignal;

/// A position takes this multiple of the bytes in the other formats that it takes in a file of games, at most.
const OF_GAMES: u64 = 16;

/// Bytes that a position takes in a file of games, about.
const BYTES_IN_GAMES: u64 = 4;

/// Records read at once.
const BLOCK: usize = 16_384;

/// Files of positions and of games.
pub(super) struct Records<'a> {
    pub(super) files: &'a [PathBuf],
    /// Progress bar of the bytes read.
    pub(super) bar: &'a ProgressBar,
}

fn is_games(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// Bytes of all files.
pub(super) fn bytes(files: &[PathBuf]) -> anyhow::Result<u64> {
    files.iter().map(|path| size(path)).sum()
}

/// Bytes that their records take in `form`, at most.
pub(super) fn bytes_as(files: &[PathBuf], form: LabelledFormat) -> anyhow::Result<u64> {
    let one = |path: &PathBuf| {
        let bytes = size(path)?;
        if is_games(path) {
            return Ok(bytes.saturating_mul(OF_GAMES));
        }
        let its = LabelledFormat::of(path)?;
        Ok(bytes / its.size() as u64 * form.size() as u64)
    };
    files.iter().map(one).sum()
}

fn size(path: &Path) -> anyhow::Result<u64> {
    let known = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    Ok(known.len())
}

impl Records<'_> {
    /// Shows `take` every record.
    ///
    /// # Errors
    /// A file that cannot be read, or holds something else; names the file and the record.
    pub(super) fn labelled(
        &self,
        mut take: impl FnMut(Labelled) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for path in self.files {
            if is_games(path) {
                self.games(path, &mut take)?;
            } else {
                let form = LabelledFormat::of(path)?;
                self.raw(path, form, |record| take(form.read(record)?))?;
            }
        }
        Ok(())
    }

    /// Shows `take` every record in `form`. Records that have that form already are checked and passed on unchanged.
    ///
    /// # Errors
    /// As [`Records::labelled`].
    pub(super) fn packed(
        &self,
        form: LabelledFormat,
        mut take: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut bytes = Vec::with_capacity(form.size());
        for path in self.files {
            if !is_games(path) && LabelledFormat::of(path)? == form {
                self.raw(path, form, |record| {
                    form.read(record)?;
                    take(record)
                })?;
                continue;
            }
            let one = Records { files: std::slice::from_ref(path), bar: self.bar };
            one.labelled(|sample| {
                bytes.clear();
                form.write(&sample, &mut bytes)?;
                take(&bytes)
            })?;
        }
        Ok(())
    }

    fn games(
        &self,
        path: &Path,
        take: &mut impl FnMut(Labelled) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        StopSignal::of_process().check()?;
        let mut done = Ok(());
        let mut left = size(path)?;
        dataset::visit(&[path.to_owned()], &Filter::NONE, |sample| {
            if done.is_ok() {
                let moved = left.min(BYTES_IN_GAMES);
                left -= moved;
                self.bar.inc(moved);
                let (position, value) = (sample.position.clone(), sample.score());
                done = take(Labelled { position, value, best: sample.played, result: sample.result });
            }
        })?;
        self.bar.inc(left);
        done
    }

    fn raw(
        &self,
        path: &Path,
        form: LabelledFormat,
        mut take: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut file = PositionFile::open(path, form)?;
        let mut block = Vec::new();
        while let Some(before) = file.read_block(BLOCK, &mut block)? {
            StopSignal::of_process().check()?;
            for (record, number) in block.chunks_exact(form.size()).zip(before..) {
                take(record).with_context(|| file.place(number))?;
            }
            self.bar.inc(block.len() as u64);
        }
        Ok(())
    }
}
