//! One part of a work: the local command as a child process.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::work::{Task, Work, is_inside};
use crate::dialogue::engine_process::system;

/// What is kept of the end of a failed child's messages, in bytes.
const TAIL: u64 = 2000;
/// `kaeshi analyse` where some items failed: the result has their error lines.
const SOME_FAILED: i32 = 1;

/// A work with its files, as a worker has it.
pub struct Kit {
    /// The work.
    pub work: Work,
    /// Where its files lie.
    folder: TempDir,
    /// The worker's roster of engines.
    roster: Option<PathBuf>,
}

/// A result that is there as long as this is.
pub struct Product {
    /// The file.
    pub file: std::fs::File,
    /// Its name.
    pub name: String,
    _folder: TempDir,
}

impl Kit {
    /// Checks the work and unpacks its files.
    ///
    /// # Errors
    /// If it asks for more than a part, or its files cannot be written.
    pub fn new(work: Work, archive: &[u8], roster: Option<PathBuf>) -> anyhow::Result<Kit> {
        // Before anything is touched.
        work.task.check()?;
        let folder = TempDir::new().context("no place for the files of a work")?;
        unpack(archive, folder.path()).context("the files of the work")?;
        Ok(Kit { work, folder, roster })
    }

    /// Does part `part`. Dropped before it is ready, it ends the child.
    ///
    /// # Errors
    /// If the child fails, with the end of what it said.
    pub async fn run(&self, part: u64) -> anyhow::Result<Product> {
        let out = TempDir::new().context("no place for a result")?;
        let messages = out.path().join("messages");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(self.work.task.command(part, self.work.parts, out.path())?);
        if let (Task::Match { .. }, Some(roster)) = (&self.work.task, &self.roster) {
            command.arg("--engines").arg(roster);
        }
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&messages)?);
        system::isolate(&mut command);
        let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        let status = child.wait().await?;
        let some_failed =
            matches!(self.work.task, Task::Analyse { .. }) && status.code() == Some(SOME_FAILED);
        if !status.success() && !some_failed {
            bail!("{}: {}", system::describe(status), tail(&messages).trim());
        }
        let path = self.work.task.result(out.path())?;
        let file = std::fs::File::open(&path).with_context(|| format!("no result {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Product { file, name, _folder: out })
    }
}

/// Unpacks plain files and folders, and nothing that leads out of `folder`: no links, no devices, no
/// absolute paths.
fn unpack(archive: &[u8], folder: &Path) -> anyhow::Result<()> {
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let kind = entry.header().entry_type();
        if !(kind.is_file() || kind.is_dir()) || !is_inside(&path) {
            bail!("the archive holds '{}', which is no plain file inside the work's folder", path.display());
        }
        entry.unpack_in(folder)?;
    }
    Ok(())
}

fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = std::fs::File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
