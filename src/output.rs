//! What long work shows and leaves: files that are there whole or not at all, and a bar on the terminal.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
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

/// The file of this name with `.extension` behind it.
pub(crate) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
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
