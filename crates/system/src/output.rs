//! The output of long work: files that are complete or absent, and a progress bar on the terminal.

mod places;
mod stdout;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::lock;
pub use kaeshi_core::stderr::remark;
pub use places::{
    check_distinct, check_folder, check_no_input, check_places, check_places_beside, named_files,
};
pub use stdout::{Stdout, check_printed, draw, print, say};
pub use stdout::{exit_code, exit_code_of_usage};

/// Writes a file that is there either whole or not at all. A kill leaves at most a file with `.part`
/// behind its name, which the next try overwrites.
///
/// A path that is no regular file (`/dev/null`, `/dev/stdout`, a pipe) is written directly; for a link, the file that
/// it leads to is replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        let written = open_stream(path).and_then(|mut file| file.write_all(bytes));
        return written.with_context(|| format!("cannot write {}", path.display()));
    }
    let place = followed(path);
    let part = beside(&place, "part");
    let written = begin_part(&part, WRITER_TIMEOUT).and_then(|mut file| {
        let mut write = || -> io::Result<()> {
            file.write_all(bytes)?;
            if let Ok(there) = std::fs::metadata(&place) {
                file.set_permissions(there.permissions())?;
            }
            file.sync_all()?;
            replace(&part, &place)
        };
        write().inspect_err(|_| {
            // A full disk needs its room.
            let _ = std::fs::remove_file(&part);
        })
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// How long a file is waited for that another process is writing at once.
const WRITER_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens a file with `.part` behind its name, empty and locked: two processes that write the same file at the same
/// time would share it, and the one that renames it first would leave a file that the other one is still writing.
fn begin_part(part: &Path, timeout: Duration) -> io::Result<File> {
    loop {
        let file = File::options().write(true).create(true).truncate(false).open(part)?;
        match lock::lock_within(&file, timeout) {
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another run is writing it"));
            }
            // Some file systems know no locks.
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => {}
        }
        // The process that held the lock may have put the file in its place.
        if is_at(&file, part) {
            file.set_len(0)?;
            return Ok(file);
        }
    }
}

/// Whether an open file is the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    let there = std::fs::metadata(path);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let number = |data: std::fs::Metadata| (data.dev(), data.ino());
        there.ok().map(number) == file.metadata().ok().map(number)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        there.is_ok()
    }
}

/// Renames a file, which takes the place of another one if that is there.
///
/// On Windows another program, such as one that looks for viruses, may hold the file for a moment without letting it
/// be replaced; so the system's refusal is final only after a second.
///
/// # Errors
/// The system's.
pub fn replace(from: &Path, to: &Path) -> io::Result<()> {
    const REPLACE_TIMEOUT: Duration = Duration::from_secs(1);
    const PAUSE: Duration = Duration::from_millis(20);
    let end = Instant::now() + REPLACE_TIMEOUT;
    loop {
        match std::fs::rename(from, to) {
            Err(error)
                if cfg!(windows)
                    && error.kind() == io::ErrorKind::PermissionDenied
                    && Instant::now() < end =>
            {
                std::thread::sleep(PAUSE);
            }
            outcome => return outcome,
        }
    }
}

/// Whether output to the path is written directly instead of replacing a file: a device, a pipe, or a file that this
/// process has open (`/dev/stdout`).
pub fn is_stream(path: &Path) -> bool {
    kaeshi_core::files::is_special(path) || leads_to_descriptor(path)
}

/// Whether both paths lead to one file, by links or other spellings. A file that is not there yet is known by the
/// folders above it.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    FileIdentity::of(one).zip(FileIdentity::of(other)).is_some_and(|(one, other)| one == other)
}

/// The identity of a file, whatever path leads to it.
#[derive(PartialEq, Eq, Hash)]
enum FileIdentity {
    /// Numbers of the device and of the inode of a file that is there.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The whole path of another one.
    Path(PathBuf),
}

impl FileIdentity {
    /// `None` if no folder above the file can be found.
    fn of(path: &Path) -> Option<FileIdentity> {
        #[cfg(unix)]
        if let Ok(data) = std::fs::metadata(path) {
            use std::os::unix::fs::MetadataExt as _;
            return Some(FileIdentity::Inode(data.dev(), data.ino()));
        }
        whole_path(path).map(FileIdentity::Path)
    }
}

/// The path from the root without links; a file that does not exist yet is identified by its existing parent folder.
fn whole_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let path = followed(path);
        let name = path.file_name()?;
        let folder = match path.parent()? {
            folder if folder.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        Some(whole_path(folder)?.join(name))
    })
}

/// The path, and those that its links lead to, one after the other.
fn along_links(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |here: &PathBuf| {
        let link = std::fs::read_link(here).ok()?;
        Some(here.parent().unwrap_or(Path::new("")).join(link))
    };
    // The system follows no more links.
    std::iter::successors(Some(path.to_owned()), next).take(40)
}

/// The file that a path leads to, which need not be there.
fn followed(path: &Path) -> PathBuf {
    along_links(path).last().unwrap_or_default()
}

fn leads_to_descriptor(path: &Path) -> bool {
    along_links(path).any(|here| here.starts_with("/proc") || here.starts_with("/dev/fd"))
}

/// Opens a file to read it and to append to it; it is made if need be. The position is at its beginning: if it is not
/// read to its end, call [`shorten`] before appending.
///
/// # Errors
/// The system's.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true);
    // A handle that may only append cannot shorten a file on Windows.
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;
        use windows_sys::Win32::Storage::FileSystem::{FILE_GENERIC_READ, FILE_GENERIC_WRITE};
        options.access_mode(FILE_GENERIC_READ | FILE_GENERIC_WRITE);
    }
    options.open(path)
}

/// Cuts a file of [`open_to_append`] to its first `length` bytes, and goes on behind them.
///
/// # Errors
/// The system's.
pub fn shorten(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0)).map(drop)
}

/// Opens what [`is_stream`] for writing. Opening a pipe waits for its reader.
pub fn open_stream(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

/// A file that is written piece by piece, and is there whole or not at all: until [`WholeFile::finish`] it has `.part`
/// behind its name, and no other process can begin it. Work that fails before leaves no file. A path that [`is_stream`]
/// is written directly; for a link, the file that it leads to is replaced.
pub struct WholeFile {
    /// Without links.
    path: PathBuf,
    out: BufWriter<File>,
    /// Whether it is written to a file with `.part` behind its name.
    is_part: bool,
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if self.is_part {
            // A file that cannot be removed does no harm.
            let _ = std::fs::remove_file(beside(&self.path, "part"));
        }
    }
}

impl WholeFile {
    /// Begins the file; what a kill left of another try is overwritten.
    ///
    /// # Errors
    /// The file cannot be made, or another process is writing it.
    pub fn create(path: &Path) -> anyhow::Result<WholeFile> {
        let is_part = !is_stream(path);
        let path = if is_part { followed(path) } else { path.to_owned() };
        let file =
            if is_part { begin_part(&beside(&path, "part"), lock::LOCK_TIMEOUT) } else { open_stream(&path) };
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(WholeFile { path, out: BufWriter::with_capacity(1 << 20, file), is_part })
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
                replace(&beside(&self.path, "part"), &self.path)?;
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

/// A progress bar on stderr for a number of `things`, if stderr is a terminal.
pub fn progress_bar(length: u64, things: &'static str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {things} {{elapsed}} {{msg}}");
    // Work that ends early leaves its bar where it was.
    let bar = progress(&template).with_finish(ProgressFinish::Abandon);
    bar.set_length(length);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// A line on stderr that says how far work is whose length is not known, if stderr is a terminal.
pub fn progress_line() -> ProgressBar {
    progress("{msg}").with_finish(ProgressFinish::AndClear)
}

fn progress(template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_writers_of_one_file_leave_one_of_their_texts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        // Long enough for writes to meet.
        let texts = [b'a', b'b'].map(|letter| vec![letter; 1 << 20]);
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..40).for_each(|_| write_whole(&path, text).unwrap()));
            }
            for _ in 0..200 {
                if let Ok(read) = std::fs::read(&path) {
                    assert!(texts.contains(&read), "{} bytes", read.len());
                }
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_being_written_is_not_begun_by_another_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut first = WholeFile::create(&path).unwrap();
        let refused = format!("{:#}", WholeFile::create(&path).err().unwrap());
        assert!(refused.contains("another run is writing it"), "{refused}");
        first.write_all(b"first").unwrap();
        first.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        // A killed process holds no lock.
        std::fs::write(beside(&path, "part"), b"half of something longer").unwrap();
        write_whole(&path, b"next").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"next");
    }
}
