//! Results that outlive the program: an embedded database keyed by the exact position.
//!
//! The key is the whole of what an answer depends on - program version, game, options, kind of
//! limit, and the bytes of [`crate::game::Game::identity`] - so a wrong hit is impossible. A
//! result is given where the effort behind it covers the one asked for. Results are committed
//! together, half a second late at most; what a kill takes away is searched again.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use parking_lot::Mutex;
use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
};

use super::effort::{Effort, Limit};
use super::line::Analysis;
use crate::engine::store_file::{self, RESULTS};
use crate::games::GameName;

/// Order of arrival to key: the oldest ones make room.
const ORDER: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("order");
/// Single numbers.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
/// The bytes of keys and values, in [`NUMBERS`].
const BYTES: &str = "bytes";

/// How late a result may reach the disk.
const COMMIT_EVERY: Duration = Duration::from_millis(500);
/// Results that may wait for that.
const COMMIT_AT: usize = 1000;
/// Pages, free space and order cost about this much for each byte of keys and values.
const OVERHEAD: u64 = 3;

/// The database.
pub struct Store {
    database: Database,
    /// Options that analyses depend on.
    options: String,
    max_bytes: u64,
    pending: Mutex<Pending>,
}

struct Pending {
    results: HashMap<Vec<u8>, Waiting>,
    arrived: u64,
    since: Instant,
}

/// A result on its way to the disk.
struct Waiting {
    arrival: u64,
    value: Vec<u8>,
}

impl Store {
    /// Opens the database at `path`, made if need be, for engines with `options`; its file is kept at
    /// about `max_mib` by dropping what came first.
    ///
    /// # Errors
    /// If another process has it open, or it is no such database.
    pub fn open(path: &Path, options: &str, max_mib: u64) -> anyhow::Result<Store> {
        let shown = path.display();
        if !path.exists() {
            // A kill in the midst of this must not leave half a database under the name.
            let mut unfinished = path.as_os_str().to_owned();
            unfinished.push(".unfinished");
            let context = || format!("cannot make the store {shown}");
            if Path::new(&unfinished).exists() {
                std::fs::remove_file(&unfinished).with_context(context)?;
            }
            drop(Database::create(&unfinished).with_context(context)?);
            std::fs::rename(&unfinished, path).with_context(context)?;
        }
        let database = match Database::open(path) {
            Ok(database) => database,
            Err(DatabaseError::DatabaseAlreadyOpen) => {
                bail!("another run has the store {shown} open: give every shard its own")
            }
            Err(error) => return Err(error).with_context(|| format!("cannot open the store {shown}")),
        };
        let begin = database.begin_write()?;
        begin.open_table(RESULTS)?;
        begin.open_table(ORDER)?;
        begin.open_table(NUMBERS)?;
        begin.commit()?;
        let pending = Mutex::new(Pending { results: HashMap::new(), arrived: 0, since: Instant::now() });
        Ok(Store {
            database,
            options: options.to_owned(),
            max_bytes: max_mib.saturating_mul(1 << 20) / OVERHEAD,
            pending,
        })
    }

    fn key(&self, game: GameName, identity: &[u8], effort: Effort) -> Vec<u8> {
        let kind = match effort.limit {
            Limit::Nodes(_) => "nodes",
            Limit::Movetime(_) => "movetime",
            Limit::Depth(_) => "depth",
            Limit::Mate(_) => "mate",
        };
        store_file::key(&self.options, game.name(), kind, identity)
    }

    /// What is known of a position, if the effort behind it covers `effort`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn get(&self, game: GameName, identity: &[u8], effort: Effort) -> anyhow::Result<Option<Analysis>> {
        let key = self.key(game, identity, effort);
        let Some((have, mut analysis)) = self.find(&key)? else { return Ok(None) };
        if !have.covers(effort) {
            return Ok(None);
        }
        analysis.lines.truncate(effort.multipv);
        Ok(Some(analysis))
    }

    fn find(&self, key: &[u8]) -> anyhow::Result<Option<(Effort, Analysis)>> {
        if let Some(waiting) = self.pending.lock().results.get(key) {
            return Ok(decode(&waiting.value));
        }
        let table = self.database.begin_read()?.open_table(RESULTS)?;
        let value = table.get(key)?;
        Ok(value.and_then(|value| decode(value.value())))
    }

    /// Keeps a result, unless a better one is there.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn put(
        &self,
        game: GameName,
        identity: &[u8],
        effort: Effort,
        analysis: &Analysis,
    ) -> anyhow::Result<()> {
        let key = self.key(game, identity, effort);
        if self.find(&key)?.is_some_and(|(have, _)| have.covers(effort)) {
            return Ok(());
        }
        let value = effort.text() + "\n" + &serde_json::to_string(analysis)?;
        let mut pending = self.pending.lock();
        pending.arrived += 1;
        let arrival = pending.arrived;
        pending.results.insert(key, Waiting { arrival, value: value.into_bytes() });
        if pending.results.len() >= COMMIT_AT || pending.since.elapsed() >= COMMIT_EVERY {
            self.commit(&mut pending)?;
        }
        Ok(())
    }

    /// Brings everything to the disk.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn flush(&self) -> anyhow::Result<()> {
        self.commit(&mut self.pending.lock())
    }

    fn commit(&self, pending: &mut Pending) -> anyhow::Result<()> {
        pending.since = Instant::now();
        if pending.results.is_empty() {
            return Ok(());
        }
        let write = self.database.begin_write()?;
        {
            let mut results = write.open_table(RESULTS)?;
            let mut order = write.open_table(ORDER)?;
            let mut numbers = write.open_table(NUMBERS)?;
            let mut bytes = numbers.get(BYTES)?.map_or(0, |bytes| bytes.value());
            let mut next = order.last()?.map_or(0, |(last, _)| last.value() + 1);
            let mut waiting: Vec<_> = pending.results.iter().collect();
            waiting.sort_by_key(|(_, waiting)| waiting.arrival);
            for (key, Waiting { value, .. }) in waiting {
                let former = results.insert(key.as_slice(), value.as_slice())?;
                match former {
                    Some(former) => bytes = bytes.saturating_sub(former.value().len() as u64),
                    None => {
                        order.insert(next, key.as_slice())?;
                        next += 1;
                        bytes += key.len() as u64;
                    }
                }
                bytes += value.len() as u64;
            }
            while bytes > self.max_bytes {
                let Some((_, key)) = order.pop_first()? else { break };
                if let Some(dropped) = results.remove(key.value())? {
                    let size = (key.value().len() + dropped.value().len()) as u64;
                    bytes = bytes.saturating_sub(size);
                }
            }
            numbers.insert(BYTES, bytes)?;
        }
        write.commit()?;
        pending.results.clear();
        Ok(())
    }

    /// How many results the disk has.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn len(&self) -> anyhow::Result<u64> {
        Ok(self.database.begin_read()?.open_table(RESULTS)?.len()?)
    }

    /// Whether the disk has none.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn is_empty(&self) -> anyhow::Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            log::error!("the store lost its last results: {error:#}");
        }
    }
}

fn decode(value: &[u8]) -> Option<(Effort, Analysis)> {
    let (effort, json) = std::str::from_utf8(value).ok()?.split_once('\n')?;
    Some((effort.parse().ok()?, serde_json::from_str(json).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort(nodes: u64) -> Effort {
        Effort { limit: Limit::Nodes(nodes), multipv: 1 }
    }

    fn analysis(nodes: u64) -> Analysis {
        Analysis { best: Some("7g7f".into()), nodes, ..Analysis::default() }
    }

    #[test]
    fn a_result_is_found_again_where_it_covers_the_question() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let (shogi, here) = (GameName::Shogi, b"here".as_slice());
        let store = Store::open(&path, "", 64).unwrap();
        assert!(store.is_empty().unwrap());
        store.put(shogi, here, effort(100), &analysis(100)).unwrap();
        let get = |store: &Store, game, identity: &[u8], nodes| {
            store.get(game, identity, effort(nodes)).unwrap().map(|found| found.nodes)
        };
        assert_eq!(get(&store, shogi, here, 100), Some(100));
        assert!(Store::open(&path, "", 64).err().unwrap().to_string().contains("another run"));
        drop(store);
        let store = Store::open(&path, "", 64).unwrap();
        assert_eq!(get(&store, shogi, here, 100), Some(100));
        assert_eq!(get(&store, shogi, here, 50), Some(100));
        assert_eq!(get(&store, shogi, here, 101), None);
        assert_eq!(get(&store, shogi, b"her", 100), None);
        assert_eq!(get(&store, GameName::Sygo, here, 100), None);
        assert_eq!(store.get(shogi, here, Effort { limit: Limit::Depth(1), multipv: 1 }).unwrap(), None);
        store.put(shogi, here, effort(50), &analysis(50)).unwrap();
        store.put(shogi, here, effort(200), &analysis(200)).unwrap();
        assert_eq!(get(&store, shogi, here, 100), Some(200));
        store.flush().unwrap();
        assert_eq!((get(&store, shogi, here, 200), store.len().unwrap()), (Some(200), 1));
    }

    #[test]
    fn other_options_are_another_question() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = Store::open(&path, "boardsize=5", 64).unwrap();
        store.put(GameName::Sygo, b"x", effort(1), &analysis(1)).unwrap();
        drop(store);
        let store = Store::open(&path, "boardsize=7", 64).unwrap();
        assert_eq!(store.get(GameName::Sygo, b"x", effort(1)).unwrap(), None);
    }

    #[test]
    fn the_oldest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let store = Store::open(&path, "", 1).unwrap();
        let mut big = analysis(7);
        big.best = Some("x".repeat(1000));
        for index in 0..3000u32 {
            store.put(GameName::Shogi, &index.to_le_bytes(), effort(1), &big).unwrap();
        }
        store.flush().unwrap();
        let kept = store.len().unwrap();
        assert!((200..400).contains(&kept), "{kept}");
        assert_eq!(store.get(GameName::Shogi, &0u32.to_le_bytes(), effort(1)).unwrap(), None);
        assert!(store.get(GameName::Shogi, &2999u32.to_le_bytes(), effort(1)).unwrap().is_some());
    }

    #[test]
    fn what_is_no_store_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        std::fs::write(&path, "a text of somebody's, long enough to be no database").unwrap();
        assert!(Store::open(&path, "", 1).is_err());
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("a text"));
    }
}
