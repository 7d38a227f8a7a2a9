//! A damaged database is set aside, and a new one made of the values that are whole.
//!
//! Values are found by their mark and their checksum wherever they lie, so nothing of the damaged
//! structure is needed. Pages that the database has freed may hold former values; they are true, too,
//! and the greater effort is kept.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::value::{self, LONGEST, MARK};
use kaeshi_core::files;

/// What a redb file begins with.
const REDB: [u8; 9] = [b'r', b'e', b'd', b'b', 0x1a, 0x0a, 0xa9, 0x0d, 0x0a];
/// Bits of that which may be wrong in a damaged store.
const WRONG_BITS: u32 = 2;
/// Bytes read at once.
const CHUNK: usize = 8 << 20;

/// Whether the file begins as a database does, apart from damage; an empty file does.
pub fn is_store(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = files::open(path).and_then(|file| file.take(REDB.len() as u64).read_to_end(&mut head));
    let wrong: u32 = head.iter().zip(REDB).map(|(have, want)| (have ^ want).count_ones()).sum();
    read.is_ok() && wrong <= WRONG_BITS
}

/// Renames the damaged database at `path` and puts a new one of what it holds in its place. Returns the message about
/// it.
///
/// # Errors
/// If the disk refuses; then the damaged database is still at `path`.
pub fn set_aside(path: &Path, reason: &str) -> anyhow::Result<String> {
    let shown = path.display();
    let saved = values(path).with_context(|| format!("cannot read the damaged store {shown}"))?;
    let entries: Vec<(&[u8], &[u8])> =
        saved.iter().map(|(key, value)| (key.as_slice(), value.as_slice())).collect();
    let new = super::build(path, &entries)
        .with_context(|| format!("the store {shown} is damaged ({reason}), and cannot be made anew"))?;
    let aside = free_name(path);
    let renamed = std::fs::rename(path, &aside).and_then(|()| {
        std::fs::rename(&new, path).inspect_err(|_| {
            // If that fails, too, the damaged file keeps its new name.
            let _ = std::fs::rename(&aside, path);
        })
    });
    if renamed.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    renamed.with_context(|| format!("cannot rename the damaged store {shown}"))?;
    Ok(format!(
        "the store {shown} is damaged ({reason}): it is kept as {}, {} results of it were saved",
        aside.display(),
        saved.len()
    ))
}

/// `results.db.damaged-1`, or the first higher number that is free.
fn free_name(path: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        PathBuf::from(name)
    };
    (1..).map(name).find(|name| !name.exists()).unwrap_or_else(|| name(0))
}

/// All whole values of a file, in the order in which their keys appear first.
fn values(path: &Path) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut keep = |key: &[u8], value: &[u8]| match places.entry(key.to_vec()) {
        Entry::Vacant(free) => {
            free.insert(found.len());
            found.push((key.to_vec(), value.to_vec()));
        }
        Entry::Occupied(place) => {
            if let Some((_, former)) = found.get_mut(*place.get())
                && let (Some((have, _)), Some((new, _))) = (value::read(key, former), value::read(key, value))
                && new.covers(have)
            {
                *former = value.to_vec();
            }
        }
    };
    let mut file = files::open(path)?;
    let mut window: Vec<u8> = Vec::new();
    loop {
        let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut window)?;
        let mut at = 0;
        loop {
            let rest = window.get(at..).unwrap_or_default();
            let Some(next) = rest.windows(MARK.len()).position(|bytes| bytes == MARK) else {
                at = at.max((window.len() + 1).saturating_sub(MARK.len()));
                break;
            };
            at += next;
            let candidate = rest.get(next..).unwrap_or_default();
            match value::split(candidate) {
                Some((key, _, length)) => {
                    keep(key, candidate.get(..length).unwrap_or_default());
                    at += length;
                }
                // It may go on behind the window.
                None if read > 0 && candidate.len() < LONGEST => break,
                None => at += 1,
            }
        }
        if read == 0 {
            return Ok(found);
        }
        window.drain(..at.min(window.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoredAnalysis;
    use crate::store::effort::{AnalysisEffort, SearchLimit};

    fn entry(name: &[u8], nodes: u64) -> (Vec<u8>, Vec<u8>) {
        let effort = AnalysisEffort { limit: SearchLimit::Nodes(nodes), multipv: 1 };
        let analysis = StoredAnalysis { nodes, ..StoredAnalysis::default() };
        let key = value::key("", "shogi", "nodes", name);
        let value = value::write(&key, effort, &analysis).unwrap();
        (key, value)
    }

    #[test]
    fn whole_values_are_found_among_rubbish_and_the_greater_effort_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rubbish");
        let (a, a_more, b, c) = (entry(b"a", 5), entry(b"a", 9), entry(b"b", 1), entry(b"c", 1));
        let mut broken = c.1.clone();
        broken[40] ^= 1;
        let rubbish =
            [&b"redb"[..], &a.1, b"KaS\x01KaS", &a_more.1, &a.1, &broken, b"--", &b.1, &c.1[..30]].concat();
        std::fs::write(&path, &rubbish).unwrap();
        assert_eq!(values(&path).unwrap(), [(a.0, a_more.1), b]);
    }

    #[test]
    fn values_across_the_chunks_of_reading_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let (a, b) = (entry(b"a", 5), entry(b"b", 9));
        for gap in [CHUNK - 100, CHUNK - LONGEST - 3, 2 * CHUNK - 1] {
            let bytes = [vec![b'K'; gap], a.1.clone(), vec![0; CHUNK], b.1.clone()].concat();
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(values(&path).unwrap(), [a.clone(), b.clone()], "{gap}");
        }
    }

    #[test]
    fn a_store_is_known_by_its_first_bytes_even_if_a_bit_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (head, known) in [
            (&b"redb\x1a\x0a\xa9\x0d\x0a"[..], true),
            (b"sedb\x1a\x0a\xa9\x0d\x0a", true),
            (b"", true),
            (b"a text of", false),
        ] {
            std::fs::write(&path, head).unwrap();
            assert_eq!(is_store(&path), known, "{head:?}");
        }
        assert!(!is_store(&folder.path().join("none")));
    }
}
