//! What a person runs besides a GUI.

pub mod analyse;
pub mod bench;
pub mod book;
pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod engines;
pub mod match_runner;
pub mod perft;
pub mod play;
pub mod roster;
pub mod selfplay;
pub mod solve;
pub(crate) mod spsa_job;
pub mod train;
pub mod tune;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::games::GameName;

/// Lets a reader that goes away, such as `head`, end the program without a word, as it ends others.
pub(crate) fn end_with_the_reader() {
    #[cfg(unix)]
    // SAFETY: the default disposition needs no handler.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

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

/// Refuses options of games other than `game`; `given` says of each game whether it has any.
fn refuse_others(game: GameName, given: [(GameName, bool); 3]) -> anyhow::Result<()> {
    match given.into_iter().find(|&(other, given)| given && other != game) {
        Some((other, _)) => bail!("an option was given that only {} has, not {}", other.name(), game.name()),
        None => Ok(()),
    }
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
