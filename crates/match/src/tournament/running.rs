//! The games that are being played, for spectators: a small file for each table of the match.
//!
//! Nothing else depends on them. They are written whole but never synced, and a file that cannot be written is not
//! missed: the journal is the truth about a match.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use kaeshi_core::files::{self, FileKind};
use kaeshi_system::output::replace;

/// The folder beside the journal.
pub const FOLDER: &str = "running";
/// A file is written no more often than this: at short clocks a turn takes less.
const PACE: Duration = Duration::from_millis(100);
/// The most tables that are looked at.
const MOST: usize = 64;

/// One game as it stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunningGame {
    /// Index of the pair.
    pub pair: u64,
    /// Which game of it.
    pub game: u8,
    /// The names of the first player and of the second.
    pub names: [String; 2],
    /// The start as in the journal, turns of the opening included.
    pub start: String,
    /// The turns since.
    pub turns: Vec<String>,
    /// What each player said last, for the first one: hundredths, or beyond 100,000 a mate.
    pub scores: [Option<i32>; 2],
    /// Microseconds on both clocks; `None` where no clock runs.
    pub rest_us: [Option<u64>; 2],
    /// When the side to move began to think, in milliseconds since 1970.
    pub since_ms: u64,
}

/// The file of one table.
#[derive(Debug, Default)]
pub struct RunningGameFile {
    path: Option<PathBuf>,
    written: Option<Instant>,
}

impl RunningGameFile {
    /// That of table `slot` of the match in `folder`.
    pub fn new(folder: &Path, slot: usize) -> RunningGameFile {
        let folder = folder.join(FOLDER);
        if let Err(error) = fs::create_dir_all(&folder) {
            log::debug!("{}: {error}", folder.display());
        }
        RunningGameFile { path: Some(folder.join(format!("{slot}.json"))), written: None }
    }

    /// Shows what `running` says, if it is time to show anything.
    pub fn show(&mut self, running: impl FnOnce() -> RunningGame) {
        let Some(path) = &self.path else { return };
        if self.written.is_some_and(|written| written.elapsed() < PACE) {
            return;
        }
        self.written = Some(Instant::now());
        if let Err(error) = write(path, &running()) {
            log::debug!("{}: {error}", path.display());
        }
    }
}

impl Drop for RunningGameFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The last of them takes the folder along.
            let _ = fs::remove_file(path);
            let _ = path.parent().map(fs::remove_dir);
        }
    }
}

fn write(path: &Path, running: &RunningGame) -> std::io::Result<()> {
    let part = path.with_extension("part");
    let text = serde_json::to_vec(running)?;
    let written = fs::write(&part, text).and_then(|()| replace(&part, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })
}

/// Now, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The games that are being played in the match of this folder, by their tables. What cannot be read is left out.
pub fn read(folder: &Path) -> Vec<RunningGame> {
    let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else { return Vec::new() };
    let slot = |path: &Path| path.file_stem()?.to_str()?.parse::<usize>().ok();
    let mut tables: Vec<(usize, PathBuf)> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|path| Some((slot(&path)?, path)))
        .collect();
    tables.sort();
    tables.truncate(MOST);
    tables.iter().filter_map(|(_, path)| read_one(path)).collect()
}

fn read_one(path: &Path) -> Option<RunningGame> {
    serde_json::from_slice(&files::read(path, FileKind::RUNNING).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn onlookers_see_what_is_played_until_it_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let shown = |slot: usize, turns: &[&str]| {
            let turns = turns.iter().map(|&turn| turn.to_owned()).collect();
            let mut window = RunningGameFile::new(folder.path(), slot);
            window.show(|| RunningGame { pair: slot as u64, turns, ..RunningGame::default() });
            window
        };
        let tables = [shown(1, &["a1"]), shown(0, &[])];
        let turns = || read(folder.path()).into_iter().map(|running| running.turns.len()).collect::<Vec<_>>();
        assert_eq!(turns(), [0, 1]);
        fs::write(folder.path().join(FOLDER).join("7.json"), "{").expect("room");
        assert_eq!(turns(), [0, 1], "what is no game is left out");
        fs::remove_file(folder.path().join(FOLDER).join("7.json")).expect("it was there");
        drop(tables);
        assert!(!folder.path().join(FOLDER).exists());
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = RunningGameFile::new(folder.path(), 0);
        let place = folder.path().join(FOLDER).join("0.json");
        fs::create_dir(&place).expect("room");
        window.show(RunningGame::default);
        fs::remove_dir(&place).expect("it is empty");
        drop(window);
        assert!(!folder.path().join(FOLDER).exists());
    }

    #[test]
    fn a_table_is_shown_no_more_often_than_anybody_looks() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = RunningGameFile::new(folder.path(), 0);
        let mut asked = 0;
        for _ in 0..100 {
            window.show(|| {
                asked += 1;
                RunningGame::default()
            });
        }
        assert!(asked < 50, "{asked}");
        RunningGameFile::default().show(|| panic!("not shown"));
    }
}
