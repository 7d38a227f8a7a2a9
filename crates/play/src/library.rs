//! The games that were played: one file a game in a folder, so that no closed tab and no ended program loses one.
//!
//! A file is replaced as a whole after each change. If another program has changed it in the meantime, the game goes
//! on in a file of its own, and both are kept.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::room::Saved;
use super::view::{Mode, Over, Seat};
use kaeshi_core::files::{self, FileKind};

/// Games of a list, the latest first.
const LISTED: usize = 500;

/// The folder of the games; without one, no game is kept.
#[derive(Debug, Default)]
pub(super) struct Library {
    folder: Option<PathBuf>,
    /// Held while the program runs, if no other program has it.
    alone: Option<File>,
}

/// What a list of games shows of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The name of its file, which is that of its room.
    #[serde(default)]
    pub id: String,
    pub game: String,
    #[serde(default)]
    pub title: String,
    pub seats: [Seat; 2],
    pub mode: Mode,
    /// How it ended, where it stands.
    #[serde(default)]
    pub over: Option<Over>,
    /// Turns up to where it stands.
    #[serde(default)]
    pub plies: usize,
    #[serde(default)]
    pub handicap: String,
    /// Columns of the board.
    #[serde(default)]
    pub columns: usize,
    /// Milliseconds since 1970 at its last change.
    #[serde(default)]
    pub changed: u64,
}

/// The file of one game, as this program knows it.
#[derive(Clone, Debug)]
pub(super) struct GameFile {
    id: String,
    path: PathBuf,
    /// Length and time of what was read or written last.
    stamp: Option<Stamp>,
}

type Stamp = (u64, SystemTime);

impl Library {
    /// The games in this folder, which is made if need be.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(super) fn open(folder: &Path) -> io::Result<Library> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join("in-use"))?;
        let alone = kaeshi_system::lock::lock(&lock).is_ok().then_some(lock);
        Ok(Library { folder: Some(folder.to_owned()), alone })
    }

    /// Where the games of this user are kept: `kaeshi/games` in `$XDG_DATA_HOME` or `~/.local/share`, in `%APPDATA%`
    /// on Windows and in `~/Library/Application Support` on macOS.
    pub(super) fn usual_folder() -> Option<PathBuf> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let data = if cfg!(windows) {
            variable("APPDATA")
        } else {
            let below =
                if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
            let usual = || Some(variable("HOME")?.join(below));
            variable("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(usual)
        };
        Some(data?.join("kaeshi").join("games"))
    }

    /// The folder.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Whether no other program keeps its games in the same folder.
    pub(super) fn is_alone(&self) -> bool {
        self.alone.is_some()
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        is_id(id).then_some(())?;
        Some(self.folder.as_ref()?.join(format!("{id}.json")))
    }

    /// The file for a game of this name, which need not be there.
    pub(super) fn file(&self, id: &str) -> Option<GameFile> {
        Some(GameFile { id: id.to_owned(), path: self.path(id)?, stamp: None })
    }

    /// The game of this name.
    pub(super) fn read(&self, id: &str) -> Option<(GameFile, Saved)> {
        let mut file = self.file(id)?;
        let saved = read_json(&file.path)?;
        file.stamp = stamp(&file.path);
        Some((file, saved))
    }

    /// The latest games, the latest first.
    pub(super) fn list(&self) -> Vec<Entry> {
        let Some(files) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else {
            return Vec::new();
        };
        let mut files: Vec<(SystemTime, String)> = files
            .filter_map(|file| {
                let file = file.ok()?;
                let id = file.file_name().to_str()?.strip_suffix(".json")?.to_owned();
                is_id(&id).then_some((file.metadata().ok()?.modified().ok()?, id))
            })
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        let entry = |(_, id): (SystemTime, String)| {
            let entry: Entry = read_json(&self.path(&id)?)?;
            Some(Entry { id, ..entry })
        };
        let mut entries: Vec<Entry> = files.into_iter().take(LISTED).filter_map(entry).collect();
        // The times of a file system are coarser: 4 ms are usual.
        entries.sort_by_key(|entry| Reverse(entry.changed));
        entries
    }

    /// Removes a game.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub(super) fn remove(&self, id: &str) -> io::Result<()> {
        match self.path(id).map(fs::remove_file) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl GameFile {
    /// Replaces the game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&mut self, saved: &Saved) -> anyhow::Result<()> {
        let now = stamp(&self.path);
        if now.is_some() && now != self.stamp {
            self.leave();
        }
        kaeshi_system::output::write_whole(&self.path, &serde_json::to_vec(saved)?)?;
        self.stamp = stamp(&self.path);
        Ok(())
    }

    /// Removes the file, if nobody else has changed it.
    pub(super) fn remove(&mut self) {
        if self.stamp.is_some() && stamp(&self.path) == self.stamp {
            let _ = fs::remove_file(&self.path);
        }
        self.stamp = None;
    }

    /// Goes on in another file.
    fn leave(&mut self) {
        self.id = new_id();
        self.path.set_file_name(format!("{}.json", self.id));
        self.stamp = None;
    }
}

/// A name that nobody can guess: 128 bits of the keys that the system gives to hash maps.
pub(super) fn new_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let half = |salt: u8| RandomState::new().hash_one((salt, SystemTime::now(), std::process::id()));
    format!("{:016x}{:016x}", half(1), half(2))
}

/// Whether a text may be the name of a game: it becomes the name of a file.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Milliseconds since 1970.
pub(super) fn now_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    match serde_json::from_slice(&files::read(path, FileKind::PLAYED_GAME).ok()?) {
        Ok(read) => Some(read),
        Err(error) => {
            log::warn!("play: {}: {error}", path.display());
            None
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::tests::saved_game;

    #[test]
    fn games_are_kept_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(&folder.path().join("a/b")).unwrap();
        assert!(library.is_alone() && library.list().is_empty());
        let id = new_id();
        let saved = saved_game("reversi", &["f5", "d6"]);
        library.file(&id).unwrap().write(&saved).unwrap();
        let entries = library.list();
        assert_eq!((entries.len(), &entries[0].id, entries[0].plies), (1, &id, 2));
        assert_eq!(library.read(&id).unwrap().1.nodes.len(), 3);
        let second = Library::open(&folder.path().join("a/b")).unwrap();
        assert!(!second.is_alone() && second.read(&id).is_some());
        library.remove(&id).unwrap();
        library.remove(&id).unwrap();
        assert!(library.read(&id).is_none() && library.list().is_empty());
    }

    #[test]
    fn what_another_program_wrote_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let id = new_id();
        let mut first = library.file(&id).unwrap();
        first.write(&saved_game("reversi", &["f5"])).unwrap();
        let (mut second, _) = library.read(&id).unwrap();
        second.write(&saved_game("reversi", &["f5", "d6", "c3"])).unwrap();
        first.write(&saved_game("reversi", &["f5", "f6"])).unwrap();
        let mut plies: Vec<usize> = library.list().iter().map(|entry| entry.plies).collect();
        plies.sort_unstable();
        assert_eq!(plies, [2, 3]);
    }

    #[test]
    fn only_names_of_games_become_files() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        for wrong in ["", "..", "../../etc/passwd", &"A".repeat(32), &"/".repeat(32), &"0".repeat(33)] {
            assert!(library.file(wrong).is_none() && library.read(wrong).is_none(), "{wrong}");
        }
        fs::write(folder.path().join(format!("{}.json", "0".repeat(32))), "{").unwrap();
        assert!(library.list().is_empty() && library.read(&"0".repeat(32)).is_none());
    }
}
