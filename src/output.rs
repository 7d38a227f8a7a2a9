//! What long work shows and leaves: files that are there whole or not at all, and a bar on the terminal.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

/// Writes a file that is there either whole or not at all. A kill leaves at most a file with `.part`
/// behind its name, which the next try overwrites.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let write = || -> io::Result<()> {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        if let Ok(there) = std::fs::metadata(path) {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// A file that is written piece by piece, and is there whole or not at all: until [`WholeFile::finish`] it has `.part`
/// behind its name. Work that fails before leaves nothing.
pub(crate) struct WholeFile {
    path: PathBuf,
    part: BufWriter<File>,
    finished: bool,
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.finished {
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
    pub(crate) fn create(path: &Path) -> anyhow::Result<WholeFile> {
        let part = beside(path, "part");
        let file = File::create(&part).with_context(|| format!("cannot write {}", part.display()))?;
        Ok(WholeFile {
            path: path.to_owned(),
            part: BufWriter::with_capacity(1 << 20, file),
            finished: false,
        })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let mut put = || {
            self.part.flush()?;
            self.part.get_ref().sync_all()?;
            std::fs::rename(beside(&self.path, "part"), &self.path)
        };
        put().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.finished = true;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.part.flush()
    }
}

/// The file of this name with `.extension` behind it.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Says something on stderr. Nobody need listen there: `eprintln!` would end the work with a panic then.
pub(crate) fn remark(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says something on stdout. Work that ends in a file goes on when nobody reads it any more.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// A bar on stderr for so many `things`, if someone looks at it.
pub(crate) fn progress_bar(length: u64, things: &'static str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:30}} {{pos}}/{{len}} {things} {{elapsed}} {{msg}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
