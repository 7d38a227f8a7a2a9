//! Names of players and of tournaments, which WTHOR has in files beside the game bases (`WTHOR.JOU`, `WTHOR.TRN`).
//!
//! A header of 16 bytes, with the number of names at byte 8, then names of 20 or 26 bytes in Latin-1, ended by a zero.

use std::path::{Path, PathBuf};

use kaeshi_core::files::{self, FileKind};

use super::{HEADER_BYTES, is_dated, u16_at, u32_at};
use crate::{GameRecord, Item, RecordFault};

/// The kind of names in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Player,
    Tournament,
}

impl NameKind {
    pub(crate) const ALL: [NameKind; 2] = [NameKind::Player, NameKind::Tournament];

    /// Bytes of a name.
    const fn width(self) -> usize {
        match self {
            NameKind::Player => 20,
            NameKind::Tournament => 26,
        }
    }

    /// The ending of the names of such files, in lower case.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            NameKind::Player => "jou",
            NameKind::Tournament => "trn",
        }
    }

    /// Whether the bytes are such a file.
    pub(crate) fn is_kind_of(self, bytes: &[u8]) -> bool {
        let count = u16_at(bytes, 8).map_or(0, usize::from);
        is_dated(bytes)
            && u32_at(bytes, 4) == Some(0)
            && count > 0
            && bytes.len() == HEADER_BYTES + count * self.width()
    }

    /// The names of a file, in the order of their numbers from 0.
    fn names(self, bytes: &[u8]) -> Vec<String> {
        let body = bytes.get(HEADER_BYTES..).unwrap_or_default();
        body.chunks_exact(self.width()).map(latin1).collect()
    }
}

/// The text before the first zero.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
}

/// Whether the bytes are a file of names: no game base, but part of one.
pub fn is_names(bytes: &[u8]) -> bool {
    NameKind::ALL.into_iter().any(|kind| kind.is_kind_of(bytes))
}

/// Names the players and the tournament of games from the base at `base`, by the files in the folder of the base.
/// Numbers stay where there is no such file, or more than one, and where the file has no name. A file that cannot be
/// read or is damaged makes a warning of the first game.
pub(crate) fn name_games(base: &Path, items: &mut [Item]) {
    for kind in NameKind::ALL {
        let Some(path) = file_beside(base, kind) else { continue };
        let names =
            files::read(&path, FileKind::RECORDS).map_err(|error| error.to_string()).and_then(|bytes| {
                let is_whole = kind.is_kind_of(&bytes);
                is_whole.then(|| kind.names(&bytes)).ok_or_else(|| "it is damaged".to_owned())
            });
        match names {
            Ok(names) => items.iter_mut().flatten().for_each(|record| name(record, kind, &names)),
            Err(reason) => {
                if let Some(record) = items.iter_mut().flatten().next() {
                    let reason = format!("no names from {}: {reason}", path.display());
                    record.warnings.push(RecordFault::new(record.line, reason));
                }
            }
        }
    }
}

/// The only file of this kind in the folder of `base`.
fn file_beside(base: &Path, kind: NameKind) -> Option<PathBuf> {
    let folder = base.parent().map_or(Path::new("."), |parent| match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    });
    let paths = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut found = paths.filter(|path| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind.extension()))
            && path.is_file()
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

fn name(record: &mut GameRecord, kind: NameKind, names: &[String]) {
    let replace = |number: &mut String| {
        let name = number.parse::<usize>().ok().and_then(|number| names.get(number));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            number.clone_from(name);
        }
    };
    match kind {
        NameKind::Player => record.players.iter_mut().for_each(replace),
        NameKind::Tournament => replace(&mut record.event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wthor;

    fn names(kind: NameKind, names: &[&str]) -> Vec<u8> {
        let mut bytes = vec![20, 26, 11, 20, 0, 0, 0, 0];
        bytes.extend((names.len() as u16).to_le_bytes());
        bytes.extend([0; 6]);
        for name in names {
            let mut padded: Vec<u8> = name.chars().map(|letter| letter as u8).collect();
            padded.resize(kind.width(), 0);
            bytes.extend(padded);
        }
        bytes
    }

    /// A base of one game, between the players 1 and 3 in the tournament 0.
    fn base() -> Vec<u8> {
        let mut bytes = vec![20, 26, 11, 20, 1, 0, 0, 0, 0, 0, 0xea, 7, 8, 0, 0, 0];
        let mut game = [0; 68];
        game[..9].copy_from_slice(&[0, 0, 1, 0, 3, 0, 33, 33, 56]);
        bytes.extend(game);
        bytes
    }

    fn read(path: &Path) -> GameRecord {
        crate::read_file(path, &std::fs::read(path).unwrap(), None).remove(0).unwrap()
    }

    #[test]
    fn games_are_named_by_the_files_beside_the_base() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("WTH_2026.wtb");
        std::fs::write(&path, base()).unwrap();
        let record = read(&path);
        assert_eq!((&record.players, record.event.as_str()), (&["1".to_owned(), "3".to_owned()], "0"));

        let players = names(NameKind::Player, &["???", "Rose Brian", "Tastet Marc"]);
        let tournaments = names(NameKind::Tournament, &["Préqualif de Paris"]);
        std::fs::write(folder.path().join("WTHOR.JOU"), &players).unwrap();
        std::fs::write(folder.path().join("wthor.trn"), &tournaments).unwrap();
        let record = read(&path);
        assert_eq!(record.players, ["Rose Brian", "3"], "there is no name of number 3");
        assert_eq!(record.event, "Préqualif de Paris");
        assert_eq!(record.tag("black"), Some("1"), "headers stay as they are in the file");

        std::fs::write(folder.path().join("WTHOR.JOU"), &players[..players.len() - 1]).unwrap();
        let record = read(&path);
        assert_eq!(record.players, ["1", "3"]);
        let warning = record.warnings[0].to_string();
        assert!(warning.contains("WTHOR.JOU") && warning.ends_with("it is damaged"), "{warning}");

        std::fs::write(folder.path().join("other.jou"), &players).unwrap();
        let record = read(&path);
        assert_eq!((record.players, record.warnings.len()), (["1".to_owned(), "3".to_owned()], 0));
    }

    #[test]
    fn files_of_names_are_known_by_their_length() {
        let [players, tournaments] = NameKind::ALL.map(|kind| names(kind, &["a", "b"]));
        assert!(NameKind::Player.is_kind_of(&players) && !NameKind::Tournament.is_kind_of(&players));
        assert!(NameKind::Tournament.is_kind_of(&tournaments) && is_names(&tournaments));
        assert!(!is_names(&players[..players.len() - 1]) && !is_names(&base()) && !is_names(b""));
        assert!(!wthor::is_wthor(&players) && !is_names(b"f5d6c3d3f5d6c3d3f5d6"));
    }
}
