//! What long work shows and leaves: files that are there whole or not at all, and a bar on the terminal.

mod stdout;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

pub use crate::stderr::remark;
pub use stdout::{Stdout, check_printed, print, say};
pub use stdout::{exit_code, exit_code_of_usage};

/// Writes a file that is there either whole or not at all. A kill leaves at most a file with `.part`
/// behind its name, which the next try overwrites.
///
/// What is no regular file (`/dev/null`, `/dev/stdout`, a pipe) is written as it is.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        let written = open_stream(path).and_then(|mut file| file.write_all(bytes));
        return written.with_context(|| format!("cannot write {}", path.display()));
    }
    let part = beside(path, "part");
    let write = || -> io::Result<()> {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        if let Ok(there) = std::fs::metadata(path) {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    let written = write().inspect_err(|_| {
        // A full disk needs its room.
        let _ = std::fs::remove_file(&part);
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Whether the path leads to what is written as it comes and never replaced: a device, a pipe, or what this process has
/// open (`/dev/stdout`), be it a regular file.
pub fn is_stream(path: &Path) -> bool {
    kaeshi_core::files::is_special(path) || leads_to_descriptor(path)
}

/// Whether both paths lead to one file, by links or other spellings. A file that is not there yet is known by its folder.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (std::fs::metadata(one), std::fs::metadata(other)) {
        use std::os::unix::fs::MetadataExt as _;
        return one.dev() == other.dev() && one.ino() == other.ino();
    }
    whole_path(one).zip(whole_path(other)).is_some_and(|(one, other)| one == other)
}

/// The path from the root without links, of a file whose folder is there.
fn whole_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = match path.parent()? {
            folder if folder.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    })
}

fn leads_to_descriptor(path: &Path) -> bool {
    let mut here = path.to_owned();
    // The system follows no more links.
    for _ in 0..40 {
        if here.starts_with("/proc") || here.starts_with("/dev/fd") {
            return true;
        }
        match std::fs::read_link(&here) {
            Ok(link) => here = here.parent().unwrap_or(Path::new("")).join(link),
            Err(_) => return false,
        }
    }
    false
}

/// Opens what [`is_stream`] for writing. A pipe is waited for until somebody reads it.
pub fn open_stream(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

/// A file that is written piece by piece, and is there whole or not at all: until [`WholeFile::finish`] it has `.part`
/// behind its name. Work that fails before leaves nothing. What [`is_stream`] is written as it comes.
pub struct WholeFile {
    path: PathBuf,
    out: BufWriter<File>,
    /// There is a file with `.part` behind its name.
    is_part: bool,
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.is_part {
            // It is of no use, but does no harm either.
            let _ = std::fs::remove_file(beside(&self.path, "part"));
        }
    }
}

impl WholeFile {
    /// Begins the file; what a kill left of another try is overwritten.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: &Path) -> anyhow::Result<WholeFile> {
        let is_part = !is_stream(path);
        let part = beside(path, "part");
        let file = if is_part { File::create(&part) } else { open_stream(path) };
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(WholeFile { path: path.to_owned(), out: BufWriter::with_capacity(1 << 20, file), is_part })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let mut put = || {
            self.out.flush()?;
            if self.is_part {
                self.out.get_ref().sync_all()?;
                std::fs::rename(beside(&self.path, "part"), &self.path)?;
            }
            Ok::<(), io::Error>(())
        };
        put().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.is_part = false;
        Ok(())
    }
}

impl Write for WholeFile {
    /// Names the file where the disk refuses.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(|error| named(&self.path, error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(|error| named(&self.path, error))
    }
}

/// The error of a write with the name of the file.
fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}

/// Makes the names in a folder last through a loss of power; systems that cannot are left alone.
///
/// # Errors
/// The folder cannot be opened or written.
pub fn sync_folder(folder: &Path) -> anyhow::Result<()> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.with_context(|| format!("cannot sync the folder {}", folder.display()))?;
    }
    Ok(())
}

/// The file of this name with `.extension` behind it.
pub fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// A bar on stderr for so many `things`, if someone looks at it.
pub fn progress_bar(length: u64, things: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    // Work that ends early leaves its bar where it was.
    let bar = ProgressBar::new(length).with_finish(ProgressFinish::Abandon);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {things} {{elapsed}} {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
