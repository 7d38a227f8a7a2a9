//! What long work shows and leaves: files that are there whole or not at all, and a bar on the terminal.

mod places;
mod stdout;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

pub use kaeshi_core::stderr::remark;
pub use places::{check_distinct, check_no_input, check_places, check_places_beside, named_files};
pub use stdout::{Stdout, check_printed, draw, print, say};
pub use stdout::{exit_code, exit_code_of_usage};

/// Writes a file that is there either whole or not at all. A kill leaves at most a file with `.part`
/// behind its name, which the next try overwrites.
///
/// What is no regular file (`/dev/null`, `/dev/stdout`, a pipe) is written as it is; of a link, the file that it
/// leads to.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stream(path) {
        let written = open_stream(path).and_then(|mut file| file.write_all(bytes));
        return written.with_context(|| format!("cannot write {}", path.display()));
    }
    let place = followed(path);
    let part = beside(&place, "part");
    let write = || -> io::Result<()> {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        if let Ok(there) = std::fs::metadata(&place) {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()?;
        replace(&part, &place)
    };
    let written = write().inspect_err(|_| {
        // A full disk needs its room.
        let _ = std::fs::remove_file(&part);
    });
    written.with_context(|| format!("cannot write {}", path.display()))
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

/// Whether the path leads to what is written as it comes and never replaced: a device, a pipe, or what this process has
/// open (`/dev/stdout`), be it a regular file.
pub fn is_stream(path: &Path) -> bool {
    kaeshi_core::files::is_special(path) || leads_to_descriptor(path)
}

/// Whether both paths lead to one file, by links or other spellings. A file that is not there yet is known by the
/// folders above it.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    FileIdentity::of(one).zip(FileIdentity::of(other)).is_some_and(|(one, other)| one == other)
}

/// What distinguishes a file from all others, whatever path leads to it.
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

/// The path from the root without links; what is not there yet is known by the folders above it.
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

/// Opens a file to read it and to append to it; it is made if need be. The position is at its beginning: what is not
/// read to its end is passed to [`shorten`] before something is appended.
///
/// # Errors
/// The system's.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).append(true).create(true);
    // Who may only append cannot shorten a file on Windows.
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

/// Opens what [`is_stream`] for writing. A pipe is waited for until somebody reads it.
pub fn open_stream(path: &Path) -> io::Result<File> {
    File::options().append(true).open(path)
}

/// A file that is written piece by piece, and is there whole or not at all: until [`WholeFile::finish`] it has `.part`
/// behind its name. Work that fails before leaves nothing. What [`is_stream`] is written as it comes; of a link, the
/// file that it leads to.
pub struct WholeFile {
    /// Without links.
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
        let path = if is_part { followed(path) } else { path.to_owned() };
        let file = if is_part { File::create(beside(&path, "part")) } else { open_stream(&path) };
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
