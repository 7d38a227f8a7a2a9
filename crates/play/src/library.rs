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
use serde::Serialize;

use super::saved::{Saved, SavedSummary};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::time::wall;
use kaeshi_engine::games::GameName;

/// Games of a list, the latest first.
const LISTED: usize = 500;

/// The storage of the games.
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

/// The games that are kept.
#[derive(Debug, Default, Serialize)]
pub(super) struct GameList {
    /// The latest first.
    pub games: Vec<LibraryEntry>,
    pub unreadable: Vec<UnreadableGame>,
}

/// A game of the list.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LibraryEntry {
    /// The name of its file, which is that of its room.
    pub id: String,
    #[serde(flatten)]
    pub summary: SavedSummary,
}

/// A file of the list that holds no game of this program.
#[derive(Debug, Serialize)]
pub(super) struct UnreadableGame {
    /// Its id, as for a game.
    pub id: String,
    /// The reason.
    pub reason: String,
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
        /// Length and time of the content that was read or written last.
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

    /// The folder of this user's games: `kaeshi/games` in `$XDG_DATA_HOME` or `~/.local/share`, in `%APPDATA%` on
    /// Windows and in `~/Library/Application Support` on macOS.
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
    ///
    /// # Errors
    /// There is none, or its file cannot be read.
    pub(super) fn read(&self, id: &str) -> io::Result<(GameFile, Saved)> {
        let mut file = self.file(id).ok_or(io::ErrorKind::NotFound)?;
        let saved = file.read()?;
        if let FilePlace::Path { path, stamp } = &mut file.place {
            *stamp = stamp_of(path);
        }
        Ok((file, saved))
    }

    /// The latest games.
    pub(super) fn list(&self) -> GameList {
        let mut list = GameList::default();
        for id in self.ids() {
            match self.read(&id) {
                Ok((_, Saved { summary, .. })) => list.games.push(LibraryEntry { id, summary }),
                // The file has been removed in the meantime.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => list.unreadable.push(UnreadableGame { id, reason: error.to_string() }),
            }
        }
        // The times of a file system are coarser: 4 ms are usual.
        list.games.sort_by_key(|entry| Reverse(entry.summary.changed));
        list
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
    /// The name of the game; another one than that of the room where the game goes on in another file.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

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

    fn read(&self) -> io::Result<Saved> {
        let saved: Saved = match &self.place {
            FilePlace::Path { path, .. } => {
                serde_json::from_slice(&files::read(path, FileKind::PLAYED_GAME)?)?
            }
            FilePlace::Host(games) => {
                serde_json::from_slice(games.lock().games.get(&self.id).ok_or(io::ErrorKind::NotFound)?)?
            }
        };
        let game = &saved.summary.game;
        if GameName::parse(game).is_none() {
            return Err(io::Error::other(format!("there is no game '{}'", game.escape_debug())));
        }
        Ok(saved)
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
    use serde_json::json;

    #[test]
    fn games_are_kept_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(&folder.path().join("a/b")).unwrap();
        assert!(library.is_alone() && library.list().games.is_empty());
        let id = new_id();
        let saved = saved_game("reversi", &["f5", "d6"]);
        library.file(&id).unwrap().write(&saved).unwrap();
        let entries = library.list().games;
        assert_eq!((entries.len(), &entries[0].id, entries[0].summary.plies), (1, &id, 2));
        assert_eq!(library.read(&id).unwrap().1.nodes.len(), 3);
        let second = Library::open(&folder.path().join("a/b")).unwrap();
        assert!(!second.is_alone() && second.read(&id).is_ok());
        library.remove(&id).unwrap();
        library.remove(&id).unwrap();
        assert!(library.read(&id).is_err() && library.list().games.is_empty());
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
        let mut plies: Vec<usize> = library.list().games.iter().map(|entry| entry.summary.plies).collect();
        plies.sort_unstable();
        assert_eq!(plies, [2, 3]);
    }

    #[test]
    fn only_names_of_games_become_files() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        for wrong in ["", "..", "../../etc/passwd", &"A".repeat(32), &"/".repeat(32), &"0".repeat(33)] {
            assert!(library.file(wrong).is_none() && library.read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_that_hold_no_game_are_listed_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let sound = serde_json::to_value(saved_game("reversi", &["f5"])).unwrap();
        let with = |key: &str, value: serde_json::Value| {
            let mut game = sound.clone();
            game[key] = value;
            game.to_string()
        };
        let unreadable = [
            ("0", "{".to_owned(), "EOF"),
            ("1", with("nodes", json!(5)), "expected a sequence"),
            ("2", with("game", json!("go")), "no game 'go'"),
        ];
        let id = |digit: &str| digit.repeat(32);
        for (digit, content, _) in &unreadable {
            fs::write(folder.path().join(format!("{}.json", id(digit))), content).unwrap();
        }
        library.file(&id("3")).unwrap().write(&saved_game("reversi", &["f5"])).unwrap();
        let mut list = library.list();
        assert_eq!((list.games.len(), &list.games[0].id), (1, &id("3")));
        list.unreadable.sort_by(|a, b| a.id.cmp(&b.id));
        for (listed, (digit, _, reason)) in list.unreadable.iter().zip(&unreadable) {
            assert!(listed.id == id(digit) && listed.reason.contains(reason), "{listed:?}");
            assert!(library.read(&listed.id).is_err());
            library.remove(&listed.id).unwrap();
        }
        assert!(library.list().unreadable.is_empty());
    }
}
