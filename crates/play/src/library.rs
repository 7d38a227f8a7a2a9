//! The games that were played: one file a game in a folder, so that no closed tab and no ended program loses one.
//!
//! A file is replaced as a whole after each change. If another program has changed it in the meantime, the game goes
//! on in a separate file, and both are kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::saved::{Saved, SavedSummary};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::time::wall;

/// Games of a list, the latest first.
const LISTED: usize = 500;

/// Where the games are kept.
#[derive(Debug, Default)]
pub(super) enum Library {
    /// No game is kept.
    #[default]
    Nowhere,
    Folder {
        folder: PathBuf,
        /// Held while the program runs, if no other program has it.
        alone: Option<File>,
    },
    /// The host keeps them: a browser.
    Host {
        games: Arc<Mutex<HostGames>>,
        /// Whether no other page of the browser has the same games.
        alone: bool,
    },
}

/// Games that the host gave, and those that it has to keep.
#[derive(Debug, Default)]
pub(super) struct HostGames {
    games: BTreeMap<String, Vec<u8>>,
    changed: BTreeSet<String>,
}

/// A game of the list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LibraryEntry {
    /// The name of its file, which is that of its room.
    #[serde(default)]
    pub id: String,
    #[serde(flatten)]
    pub summary: SavedSummary,
}

/// The file of one game, as this program knows it.
#[derive(Clone, Debug)]
pub(super) struct GameFile {
    id: String,
    place: FilePlace,
}

#[derive(Clone, Debug)]
enum FilePlace {
    Path {
        path: PathBuf,
        /// Length and time of what was read or written last.
        stamp: Option<GameFileStamp>,
    },
    Host(Arc<Mutex<HostGames>>),
}

type GameFileStamp = (u64, SystemTime);

impl Library {
    /// The games in this folder, which is made if need be.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub(super) fn open(folder: &Path) -> io::Result<Library> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join("in-use"))?;
        let alone = kaeshi_system::lock::lock(&lock).is_ok().then_some(lock);
        Ok(Library::Folder { folder: folder.to_owned(), alone })
    }

    /// Games that the host keeps.
    pub(super) fn of_host(alone: bool) -> Library {
        Library::Host { games: Arc::default(), alone }
    }

    /// Takes a game that the host has kept, or forgets one that it does not keep any more.
    pub(super) fn put(&self, id: &str, json: Option<&[u8]>) {
        let Library::Host { games, .. } = self else { return };
        let mut games = games.lock();
        if !is_id(id) || games.changed.contains(id) {
            return;
        }
        match json {
            Some(json) => drop(games.games.insert(id.to_owned(), json.to_owned())),
            None => drop(games.games.remove(id)),
        }
    }

    /// Games that have changed and that the host keeps now; those without bytes it removes.
    pub(super) fn take_changed(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let Library::Host { games, .. } = self else { return Vec::new() };
        let HostGames { games, changed } = &mut *games.lock();
        std::mem::take(changed).into_iter().map(|id| (id.clone(), games.get(&id).cloned())).collect()
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
        match self {
            Library::Folder { folder, .. } => Some(folder),
            Library::Nowhere | Library::Host { .. } => None,
        }
    }

    /// Whether the host keeps the games.
    pub(super) fn is_of_host(&self) -> bool {
        matches!(self, Library::Host { .. })
    }

    /// Whether no other program keeps its games in the same folder.
    pub(super) fn is_alone(&self) -> bool {
        match self {
            Library::Folder { alone, .. } => alone.is_some(),
            Library::Host { alone, .. } => *alone,
            Library::Nowhere => false,
        }
    }

    /// The file for a game of this name, which need not be there.
    pub(super) fn file(&self, id: &str) -> Option<GameFile> {
        is_id(id).then_some(())?;
        let place = match self {
            Library::Nowhere => return None,
            Library::Folder { folder, .. } => {
                FilePlace::Path { path: folder.join(format!("{id}.json")), stamp: None }
            }
            Library::Host { games, .. } => FilePlace::Host(Arc::clone(games)),
        };
        Some(GameFile { id: id.to_owned(), place })
    }

    /// The game of this name.
    pub(super) fn read(&self, id: &str) -> Option<(GameFile, Saved)> {
        let mut file = self.file(id)?;
        let saved = file.read()?;
        if let FilePlace::Path { path, stamp } = &mut file.place {
            *stamp = stamp_of(path);
        }
        Some((file, saved))
    }

    /// The latest games, the latest first.
    pub(super) fn list(&self) -> Vec<LibraryEntry> {
        let entry =
            |id: String| Some(LibraryEntry { id: id.clone(), ..self.file(&id)?.read::<LibraryEntry>()? });
        let mut entries: Vec<LibraryEntry> = self.ids().into_iter().filter_map(entry).collect();
        // The times of a file system are coarser: 4 ms are usual.
        entries.sort_by_key(|entry| Reverse(entry.summary.changed));
        entries.truncate(LISTED);
        entries
    }

    /// The games that may be listed.
    fn ids(&self) -> Vec<String> {
        let files = match self {
            Library::Host { games, .. } => return games.lock().games.keys().cloned().collect(),
            Library::Folder { folder, .. } => fs::read_dir(folder).ok(),
            Library::Nowhere => None,
        };
        let Some(files) = files else { return Vec::new() };
        let mut files: Vec<(SystemTime, String)> = files
            .filter_map(|file| {
                let file = file.ok()?;
                let id = file.file_name().to_str()?.strip_suffix(".json")?.to_owned();
                is_id(&id).then_some((file.metadata().ok()?.modified().ok()?, id))
            })
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        files.into_iter().take(LISTED).map(|(_, id)| id).collect()
    }

    /// Removes a game.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub(super) fn remove(&self, id: &str) -> io::Result<()> {
        match self.file(id).map(|file| file.place) {
            Some(FilePlace::Path { path, .. }) => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            Some(FilePlace::Host(games)) => {
                games.lock().remove(id);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl GameFile {
    /// Replaces the game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&mut self, saved: &Saved) -> anyhow::Result<()> {
        let bytes = serde_json::to_vec(saved)?;
        match &mut self.place {
            FilePlace::Path { path, stamp } => {
                let now = stamp_of(path);
                if now.is_some() && now != *stamp {
                    // Goes on in another file.
                    self.id = new_id();
                    path.set_file_name(format!("{}.json", self.id));
                }
                kaeshi_system::output::write_whole(path, &bytes)?;
                *stamp = stamp_of(path);
            }
            FilePlace::Host(games) => games.lock().write(&self.id, bytes),
        }
        Ok(())
    }

    fn read<T: for<'a> Deserialize<'a>>(&self) -> Option<T> {
        let (read, name) = match &self.place {
            FilePlace::Path { path, .. } => (
                serde_json::from_slice(&files::read(path, FileKind::PLAYED_GAME).ok()?),
                path.display().to_string(),
            ),
            FilePlace::Host(games) => {
                (serde_json::from_slice(games.lock().games.get(&self.id)?), self.id.clone())
            }
        };
        read.inspect_err(|error| log::warn!("play: {name}: {error}")).ok()
    }

    /// Removes the file, unless another process has changed it.
    pub(super) fn remove(&mut self) {
        match &mut self.place {
            FilePlace::Path { path, stamp } => {
                if stamp.is_some() && stamp_of(path) == *stamp {
                    let _ = fs::remove_file(path);
                }
                *stamp = None;
            }
            FilePlace::Host(games) => games.lock().remove(&self.id),
        }
    }
}

impl HostGames {
    fn write(&mut self, id: &str, json: Vec<u8>) {
        self.games.insert(id.to_owned(), json);
        self.changed.insert(id.to_owned());
    }

    fn remove(&mut self, id: &str) {
        if self.games.remove(id).is_some() {
            self.changed.insert(id.to_owned());
        }
    }
}

/// An unguessable name: 128 bits of the keys that the system gives to hash maps.
pub(super) fn new_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let half = |salt: u8| RandomState::new().hash_one((salt, wall(), process()));
    format!("{:016x}{:016x}", half(1), half(2))
}

/// The number of this process; a page has none.
fn process() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// Whether a text may be the name of a game: it becomes the name of a file.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn stamp_of(path: &Path) -> Option<GameFileStamp> {
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
        assert_eq!((entries.len(), &entries[0].id, entries[0].summary.plies), (1, &id, 2));
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
        let mut plies: Vec<usize> = library.list().iter().map(|entry| entry.summary.plies).collect();
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
