//! Reading files that people name: regular files, or pipes where a tool takes them, each kind up to a bound.
//!
//! No other module reads a whole file; `tests/files.rs` checks that. A [`FileKind`] has the bound. The file
//! of an option is read on a separate thread ([`interruptible`]): a disk that does not answer delays commands
//! by [`STALL`] at most.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

mod below;
mod digest;
mod relay;

use std::ffi::OsStr;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::time::Instant;
use digest::RunningDigest;

pub use below::files_below;
pub use digest::{FileDigest, digested};
pub use relay::{STALL, URGENT_STALL, interruptible, open_store};

/// Longest file of game records, positions or openings, in bytes.
pub const MAX_RECORDS_BYTES: u64 = 512 << 20;

/// A kind of file, and the most bytes that are read of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// Its name in messages.
    name: &'static str,
    most: u64,
}

impl FileKind {
    /// `engines.toml`, `match.toml`, rules of a pool, lists of parameters, keys, passwords.
    pub const SETTINGS: FileKind = FileKind { name: "files of settings", most: 4 << 20 };
    /// The state of a match beside its journal, and of a tuning.
    pub const STATE: FileKind = FileKind { name: "states of matches and tunings", most: 256 << 20 };
    /// Game records, positions and openings.
    pub const RECORDS: FileKind = FileKind { name: "files of records", most: MAX_RECORDS_BYTES };
    /// Journals of matches.
    pub const JOURNAL: FileKind = FileKind { name: "journals", most: 4 << 30 };
    /// Lines of `kaeshi analyse`.
    pub const ANALYSIS: FileKind = FileKind { name: "outputs of an analysis", most: 4 << 30 };
    /// Games of self-play.
    pub const GAMES: FileKind = FileKind { name: "files of self-played games", most: 4 << 30 };
    /// Weights of this program.
    pub const WEIGHTS: FileKind = FileKind { name: "files of weights", most: 16 << 20 };
    /// The state of a training, with the numbers of its optimiser.
    pub const TRAINING: FileKind = FileKind { name: "networks and states of a training", most: 4 << 30 };
    /// Positions that are sorted into parts; `--memory` bounds them further.
    pub const PART: FileKind = FileKind { name: "parts", most: 1 << 40 };
    /// A game in progress, for the page of a match.
    pub const RUNNING: FileKind = FileKind { name: "games in progress", most: 1 << 20 };
    /// A game of `kaeshi play` in the folder of its games.
    pub const PLAYED_GAME: FileKind = FileKind { name: "games of kaeshi play", most: 16 << 20 };
    /// The engine of an exported page.
    pub const WASM: FileKind = FileKind { name: "WebAssembly", most: 64 << 20 };
    /// Files that the system makes.
    pub const SYSTEM: FileKind = FileKind { name: "files of the system", most: 4 << 20 };

    /// A kind with its plural name in messages and the most bytes that are read of one.
    pub const fn new(name: &'static str, most: u64) -> FileKind {
        FileKind { name, most }
    }

    /// The most bytes that are read.
    pub const fn most(self) -> u64 {
        self.most
    }

    /// The error about a file that is larger.
    fn too_large(self) -> io::Error {
        let (size, unit) =
            if self.most >= 1 << 30 { (self.most >> 30, "GiB") } else { (self.most >> 20, "MiB") };
        io::Error::new(
            ErrorKind::FileTooLarge,
            format!("it is larger than {size} {unit}, the limit for {}", self.name),
        )
    }
}

/// Reads a regular file.
///
/// # Errors
/// It is no regular file, larger than its kind may be, or cannot be read. The text does not name the file.
pub fn read(path: &Path, kind: FileKind) -> io::Result<Vec<u8>> {
    let mut source = InputFile::open(path)?;
    let length = source.length();
    bounded(&mut source, length, kind)
}

/// Reads a regular file that holds text in UTF-8.
///
/// # Errors
/// Those of [`read`]; or it holds something else.
pub fn read_text(path: &Path, kind: FileKind) -> io::Result<String> {
    text(read(path, kind)?)
}

/// Reads a regular file or a pipe, such as a shell's `<(command)`, to its end; `/dev/null` is empty.
///
/// # Errors
/// Those of [`read`].
pub fn read_piped(path: &Path, kind: FileKind) -> io::Result<Vec<u8>> {
    let mut file = open_piped(path)?;
    read_opened(&mut file, kind)
}

/// Reads a regular file or a pipe that holds text in UTF-8.
///
/// # Errors
/// Those of [`read_text`].
pub fn read_text_piped(path: &Path, kind: FileKind) -> io::Result<String> {
    text(read_piped(path, kind)?)
}

/// Reads the rest of an open file, or of standard input.
///
/// # Errors
/// It is larger than its kind may be, or cannot be read.
pub fn read_opened(file: &mut (impl Read + Measured), kind: FileKind) -> io::Result<Vec<u8>> {
    let length = file.length();
    bounded(file, length, kind)
}

/// Reads a text that the system makes, such as those in `/proc`; empty where there is none.
pub fn system(path: impl AsRef<Path>) -> String {
    String::from_utf8_lossy(&system_bytes(path).unwrap_or_default()).into_owned()
}

/// Reads what the system makes, such as the files in `/proc`.
///
/// # Errors
/// Those of [`read`].
pub fn system_bytes(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut file = open(path.as_ref())?;
    bounded(&mut file, 0, FileKind::SYSTEM)
}

/// The byte order mark that some programs write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The longest line of [`lines`], in bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// The lines of a text without their ends, and without the byte order mark before the first one.
///
/// # Errors
/// A line is longer than [`LONGEST_LINE`], or cannot be read.
pub fn lines(mut input: impl BufRead) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut begun = false;
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match (&mut input).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => {
                line.pop_if(|last| *last == b'\n');
                if !std::mem::replace(&mut begun, true) && line.starts_with(BYTE_ORDER_MARK) {
                    line.drain(..BYTE_ORDER_MARK.len());
                }
                let fits = line.len() <= LONGEST_LINE;
                let too_long = || io::Error::new(ErrorKind::InvalidData, "a line is longer than 1 MiB");
                Some(if fits { Ok(line) } else { Err(too_long()) })
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// Shows `take` a regular file of any size piece by piece, and returns its size in bytes.
///
/// # Errors
/// It is no regular file, or cannot be read.
pub fn visit(path: &Path, mut take: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut file = open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(bytes),
            Ok(length) => {
                take(buffer.get(..length).unwrap_or_default());
                bytes += length as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The path of a file named by an option: relative to the working directory or, if nothing is there, to the program's
/// folder.
pub fn located(path: &Path) -> PathBuf {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join(path));
    match beside().filter(|beside| !path.exists() && beside.exists()) {
        Some(beside) => beside,
        None => path.to_path_buf(),
    }
}

/// Opens a regular file, to be read in pieces.
///
/// # Errors
/// It is no regular file, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    open_if(path, |kind| kind.is_file(), "it is no regular file")
}

/// Opens a regular file or a pipe, to be read in pieces.
///
/// # Errors
/// It is neither, or cannot be opened.
pub fn open_piped(path: &Path) -> io::Result<File> {
    let is_empty = std::fs::canonicalize(path).is_ok_and(|path| path == Path::new("/dev/null"));
    if is_empty || std::fs::metadata(path).is_ok_and(|data| is_pipe(data.file_type())) {
        // Waits for the program that writes, as every tool does.
        return File::open(path);
    }
    open_if(path, |kind| kind.is_file() || is_pipe(kind), "it is no regular file, and no pipe")
}

/// Whether the path leads to something that is there and is no regular file: a device, a pipe, a folder.
pub fn is_special(path: &Path) -> bool {
    (cfg!(windows) && is_device_name(path)) || std::fs::metadata(path).is_ok_and(|data| !data.is_file())
}

/// Whether Windows keeps the name for a device, whatever extension it has and in every folder.
fn is_device_name(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    matches!(stem.as_str(), "NUL" | "CON" | "PRN" | "AUX" | "CONIN$" | "CONOUT$")
        || numbered.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

/// Checks that a file which is to be written and read again is a regular one, if it is there.
///
/// # Errors
/// It is something else; opening or reading a pipe could block forever.
pub fn check_regular(path: &Path) -> io::Result<()> {
    if is_special(path) {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    } else {
        Ok(())
    }
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

/// How long a file that another program is about to release is tried again.
const RELEASE: Duration = Duration::from_secs(60);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens a file of the right type. The type is looked at first, for opening alone may wait (a pipe) or do something (a
/// device); and again when it is open, for the name may lead to another file by then.
fn open_if(path: &Path, right: fn(FileType) -> bool, refusal: &str) -> io::Result<File> {
    let refused = || Err(io::Error::new(ErrorKind::InvalidInput, refusal));
    if !right(std::fs::metadata(path)?.file_type()) {
        return refused();
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let begun = Instant::now();
    let file = loop {
        match options.open(path) {
            // Another process, for instance a file server, holds a lease on it and was asked to give it back.
            Err(error) if error.kind() == ErrorKind::WouldBlock && begun.elapsed() < RELEASE => {
                std::thread::sleep(PAUSE);
            }
            opened => break opened?,
        }
    };
    if right(file.metadata()?.file_type()) { Ok(file) } else { refused() }
}

/// A regular file that is being read: on this thread, or where [`interruptible`] says so on another one. [`digested`]
/// returns its digest.
pub struct InputFile {
    source: InputSource,
    digest: Option<RunningDigest>,
}

enum InputSource {
    Here(File, u64),
    Relayed(relay::Relay),
}

impl InputFile {
    /// Opens the file.
    ///
    /// # Errors
    /// It is no regular file, or cannot be opened in time.
    pub fn open(path: &Path) -> io::Result<InputFile> {
        let source = match relay::Relay::open(path) {
            Some(relay) => InputSource::Relayed(relay?),
            None => {
                let file = open(path)?;
                let length = file.metadata()?.len();
                InputSource::Here(file, length)
            }
        };
        Ok(InputFile { source, digest: RunningDigest::new() })
    }
}

impl Read for InputFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = match &mut self.source {
            InputSource::Here(file, _) => file.read(bytes)?,
            InputSource::Relayed(relay) => relay.read(bytes)?,
        };
        if let Some(digest) = &mut self.digest {
            digest.add(bytes.get(..length).unwrap_or_default());
        }
        Ok(length)
    }
}

/// A source whose size is known approximately.
pub trait Measured {
    /// Its size in bytes as far as it is known; 0 otherwise.
    fn length(&self) -> u64;
}

impl Measured for InputFile {
    fn length(&self) -> u64 {
        match &self.source {
            InputSource::Here(_, length) => *length,
            InputSource::Relayed(relay) => relay.length(),
        }
    }
}

impl Measured for File {
    fn length(&self) -> u64 {
        self.metadata().map_or(0, |data| data.len())
    }
}

impl Measured for io::StdinLock<'_> {
    fn length(&self) -> u64 {
        0
    }
}

fn bounded(source: &mut impl Read, length: u64, kind: FileKind) -> io::Result<Vec<u8>> {
    if length > kind.most {
        return Err(kind.too_large());
    }
    let mut bytes = Vec::new();
    let no_room = || io::Error::new(ErrorKind::OutOfMemory, format!("no memory for its {length} bytes"));
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|_| no_room())?;
    // Files of the system say that they have no bytes, and any file may grow.
    source.take(kind.most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > kind.most { Err(kind.too_large()) } else { Ok(bytes) }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    let fault = |error: std::string::FromUtf8Error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("it is no text in UTF-8: byte {at}"))
    };
    String::from_utf8(bytes).map_err(fault)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn windows_keeps_some_names_for_devices() {
        for name in ["NUL", "nul.txt", "games/con", "Com1", "LPT9.log", "conout$"] {
            assert!(is_device_name(Path::new(name)), "{name}");
        }
        for name in ["null", "com", "COM10", "con1", "nul/games", "", "lpt0"] {
            assert!(!is_device_name(Path::new(name)), "{name}");
        }
    }

    const SMALL: FileKind = FileKind { name: "small files", most: 2 << 20 };

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (length, fits) in [(0, true), (2 << 20, true), ((2 << 20) + 1, false), (1 << 40, false)] {
            File::create(&path).unwrap().set_len(length).unwrap();
            let read = [read(&path, SMALL), read_piped(&path, SMALL)];
            for read in read {
                match read {
                    Ok(bytes) => assert!(fits && bytes.len() as u64 == length, "{length}"),
                    Err(error) => {
                        assert!(!fits && error.to_string().contains("larger than 2 MiB"), "{error}")
                    }
                }
            }
        }
    }

    #[test]
    fn lines_have_a_bound() {
        let text = [b"one\n\n".as_slice(), &vec![b'x'; LONGEST_LINE], b"\nlast"].concat();
        let read: Vec<Vec<u8>> = lines(&text[..]).map(Result::unwrap).collect();
        assert_eq!(read.iter().map(Vec::len).collect::<Vec<_>>(), [3, 0, LONGEST_LINE, 4]);
        assert!(lines(&vec![b'x'; LONGEST_LINE + 1][..]).next().unwrap().is_err());
        let marked: Vec<Vec<u8>> = lines(&b"\xef\xbb\xbfone\n\xef\xbb\xbf"[..]).map(Result::unwrap).collect();
        assert_eq!(marked, [b"one".as_slice(), BYTE_ORDER_MARK]);
    }

    #[test]
    fn text_is_in_utf8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "将棋").unwrap();
        assert_eq!(read_text(&path, SMALL).unwrap(), "将棋");
        std::fs::write(&path, b"abc\xff").unwrap();
        assert!(read_text(&path, SMALL).unwrap_err().to_string().contains("byte 3"));
    }

    #[test]
    fn a_folder_is_no_regular_file_and_what_is_not_there_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path(), SMALL).unwrap_err().to_string().contains("no regular file"));
        let missing = folder.path().join("none");
        assert_eq!(read(&missing, SMALL).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(read_piped(&missing, SMALL).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(system(&missing), "");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_pipes_where_none_is_expected() {
        use std::os::unix::ffi::OsStrExt as _;
        let [zero, null] = ["/dev/zero", "/dev/null"].map(Path::new);
        assert!(read(zero, SMALL).is_err() && read(null, SMALL).is_err());
        assert!(read_piped(zero, SMALL).unwrap_err().to_string().contains("no pipe"));
        assert!(read_piped(null, SMALL).unwrap().is_empty());
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let name = std::ffi::CString::new(pipe.as_os_str().as_bytes()).unwrap();
        // SAFETY: the call only reads the name.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert!(read(&pipe, SMALL).unwrap_err().to_string().contains("no regular file"));
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, vec![b'x'; 4 << 20])
        });
        assert!(read_piped(&pipe, SMALL).unwrap_err().to_string().contains("larger than"));
        // The rest is not read.
        assert!(writer.join().unwrap().is_err());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::write(pipe, "text")
        });
        assert_eq!(read_text_piped(&pipe, SMALL).unwrap(), "text");
        writer.join().unwrap().unwrap();
    }
}
