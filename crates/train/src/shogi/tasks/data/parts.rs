//! Records that are sorted into files, each of which fits into memory.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use kaeshi_core::files::{self, FileKind};
use kaeshi_system::output::beside;
use kaeshi_system::stop_signal::StopSignal;

/// No more files are open at once.
const MOST: u64 = 500;
/// Memory of a part and of its result, as a multiple of its bytes.
const NEEDED: u64 = 2;
const MIB: u64 = 1 << 20;

/// Temporary files in a folder beside the result. The folder is deleted on drop; one left by a killed process is
/// removed by the next run.
pub(super) struct ShuffleParts {
    folder: PathBuf,
    files: Vec<BufWriter<File>>,
}

impl ShuffleParts {
    /// Parts for `bytes` bytes, each of which fits into `memory` MiB.
    ///
    /// # Errors
    /// If that would be too many files; or the folder cannot be written.
    pub(super) fn create(out: &Path, bytes: u64, memory: u64) -> anyhow::Result<ShuffleParts> {
        let count = (NEEDED * bytes).div_ceil(memory * MIB).max(1);
        if count > MOST {
            bail!("--memory is too little: {} MiB are needed", (NEEDED * bytes).div_ceil(MOST * MIB));
        }
        let folder = beside(out, "parts");
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut parts = ShuffleParts { folder, files: Vec::new() };
        for number in 0..count {
            let path = parts.path(number as usize);
            let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
            parts.files.push(BufWriter::new(file));
        }
        Ok(parts)
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Puts a record into the part that a random number stands for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn put(&mut self, drawn: u64, record: &[u8]) -> anyhow::Result<()> {
        let part = ((u128::from(drawn) * self.files.len() as u128) >> 64) as usize;
        if let Some(file) = self.files.get_mut(part) {
            file.write_all(record).with_context(|| format!("cannot write into {}", self.folder.display()))?;
        }
        Ok(())
    }

    /// Shows `take` the bytes of each part.
    ///
    /// # Errors
    /// A part cannot be written or read.
    pub(super) fn read_back(
        mut self,
        mut take: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for (number, mut file) in std::mem::take(&mut self.files).into_iter().enumerate() {
            StopSignal::of_process().check()?;
            let path = self.path(number);
            file.flush().with_context(|| format!("cannot write {}", path.display()))?;
            drop(file);
            take(
                &files::read(&path, FileKind::PART)
                    .with_context(|| format!("cannot read {}", path.display()))?,
            )?;
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for ShuffleParts {
    fn drop(&mut self) {
        // Files that remain are removed by the next run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
