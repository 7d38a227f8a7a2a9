//! One part of a job: the local command as a child process.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::engines::EngineLocation;
use super::job::{ClusterJob, JobKind, STEP};
use super::permitted::is_inside;
use kaeshi_core::files;
use kaeshi_match::dialogue::engine_process::system;
use kaeshi_match::tournament::identity::hash_file;

/// What is kept of the end of a failed child's messages, in bytes.
const TAIL: u64 = 2000;
/// `kaeshi analyse` where some items failed: the result has their error lines.
const SOME_FAILED: i32 = 1;

/// A job with its files, as a worker has it.
pub struct Kit {
    /// The job.
    pub job: ClusterJob,
    /// Where its files lie.
    folder: TempDir,
}

/// A result that is there as long as this is.
pub struct Product {
    /// The file.
    pub file: std::fs::File,
    /// Its name.
    pub name: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    _folder: TempDir,
}

impl Kit {
    /// Checks the job and unpacks its files. `ways` say how its engines are started, and `contents` has the
    /// files that travel by their SHA-256.
    ///
    /// # Errors
    /// If it asks for more than a part, or its files cannot be written.
    pub fn new(
        mut job: ClusterJob,
        archive: &[u8],
        ways: Vec<EngineLocation>,
        contents: &BTreeMap<String, Vec<u8>>,
    ) -> anyhow::Result<Kit> {
        // Before anything is touched.
        job.task.check()?;
        let folder = TempDir::new().context("no place for the files of a job")?;
        unpack(archive, folder.path()).context("the files of the job")?;
        let engines = job.task.engines().to_vec();
        if let Some(config) = job.task.config_mut() {
            for ((engine, sealed), way) in config.engines.iter_mut().zip(&engines).zip(ways) {
                for (place, hash) in &sealed.files {
                    place_file(&folder.path().join(place), contents.get(hash).context("a file is missing")?)?;
                }
                let (command, directory) = match way {
                    EngineLocation::Here(command, directory) => (command, directory),
                    EngineLocation::Fetched => {
                        let hash = &sealed.content.program;
                        let command = folder.path().join("programs").join(hash);
                        place_file(&command, contents.get(hash).context("a program is missing")?)?;
                        make_executable(&command)?;
                        (command, None)
                    }
                };
                *engine = sealed.configure(engine, &command, directory, folder.path());
            }
        }
        Ok(Kit { job, folder })
    }

    /// Does part `part`, of this `input` if it needs one. Dropped before it is ready, it ends the child.
    ///
    /// # Errors
    /// If the child fails, with the end of what it said.
    pub async fn run(&self, part: u64, input: Option<&[u8]>) -> anyhow::Result<Product> {
        let out = TempDir::new().context("no place for a result")?;
        if let Some(input) = input {
            std::fs::write(out.path().join(STEP), input).context("no place for the input of a part")?;
        }
        let messages = out.path().join("messages");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(self.job.task.command(part, self.job.parts, out.path())?);
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&messages)?);
        system::isolate(&mut command);
        let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
        let status = child.wait().await?;
        let some_failed =
            matches!(self.job.task, JobKind::Analyse { .. }) && status.code() == Some(SOME_FAILED);
        let result = self.job.task.result(out.path());
        let is_there = result.as_ref().is_ok_and(|path| path.is_file());
        let is_usable = status.success() || (some_failed && is_there);
        if !is_usable {
            bail!("{}: {}", system::describe(status), tail(&messages).trim());
        }
        let path = result?;
        let file = files::open(&path).with_context(|| format!("no result {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sha256 = hash_file(&path)?;
        Ok(Product { file, name, sha256, _folder: out })
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
            bail!("the archive holds '{}', which is no plain file inside the job's folder", path.display());
        }
        entry.unpack_in(folder)?;
    }
    Ok(())
}

/// Writes a file inside the folder of a job; the job's own archive may hold it already.
fn place_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?)
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> anyhow::Result<()> {
    Ok(())
}

fn tail(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = files::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
