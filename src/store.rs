//! Results that outlive the program: an embedded database keyed by the exact position.
//!
//! The key is the whole of what an answer depends on - program version, game, options, kind of
//! limit, and the bytes of [`crate::game::Game::identity`] - so a wrong hit is impossible. A
//! result is given where the effort behind it covers the one asked for. Every value carries its key
//! and a checksum of both: what does not fit is not there. Results are committed together, half a
//! second late at most; what a kill takes away is searched again.
//!
//! The database may be damaged, and then it panics or reports errors at any time: every access goes
//! through a guard, and a damaged file is set aside and made anew of what can be saved.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use parking_lot::{Mutex, RwLock};
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use serde::{Deserialize, Serialize};

use crate::game::score::Score;
use crate::games::GameName;
use crate::output::remark;

pub mod effort;
mod guard;
pub mod reader;
mod salvage;
mod value;

use effort::Effort;
use guard::{Trouble, guarded};

/// Key to value, both as [`value`] has them.
const RESULTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("results");
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

/// One line of play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variation {
    /// Value for the side to move.
    pub score: Score,
    /// The same as a probability to win.
    pub winrate: f64,
    /// In the words of the protocol.
    pub pv: Vec<String>,
    /// In Japanese notation; shogi only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub japanese: String,
    /// In Western notation; shogi only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub western: String,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The turn to play; `win` for a declaration; none when the game is over or no mate was found.
    pub best: Option<String>,
    /// Of a search for mate: `mate`, `nomate`, `timeout` or `notimplemented`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<String>,
    /// Nominal depth reached.
    pub depth: u16,
    /// Deepest ply reached.
    pub seldepth: u16,
    /// Confidence of selective pruning in per cent; 100 for none.
    pub confidence: u8,
    /// Nodes searched.
    pub nodes: u64,
    /// Time spent; left out with `--no-timing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Best first.
    pub lines: Vec<Variation>,
}

impl Analysis {
    /// The value of the best line.
    pub fn score(&self) -> Option<Score> {
        self.lines.first().map(|line| line.score)
    }
}

/// The database, open for reading and writing.
pub struct Store {
    path: PathBuf,
    /// `None` only while it is made anew, or after that failed.
    database: RwLock<Option<Database>>,
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
    /// about `max_mib` by dropping what came first. A damaged one is set aside and made anew, and
    /// stderr says so.
    ///
    /// # Errors
    /// If another process has it open, or it is no such database.
    pub fn open(path: &Path, options: &str, max_mib: u64) -> anyhow::Result<Store> {
        let shown = path.display();
        if !path.exists() {
            create(path, &[]).with_context(|| format!("cannot make the store {shown}"))?;
        }
        let database = match open_tables(path) {
            Ok(database) => database,
            Err(Trouble::Busy) => bail!("another run has the store {shown} open: give every shard its own"),
            Err(Trouble::Io(error)) => {
                return Err(error).with_context(|| format!("cannot open the store {shown}"));
            }
            Err(Trouble::Damaged(reason)) if salvage::is_store(path) => {
                remark(format_args!("{}", salvage::set_aside(path, &reason)?));
                open_tables(path).map_err(|trouble| anyhow!("cannot open the store {shown}: {trouble}"))?
            }
            Err(Trouble::Damaged(reason)) => bail!("{shown} is no store of results: {reason}"),
        };
        let pending = Mutex::new(Pending { results: HashMap::new(), arrived: 0, since: Instant::now() });
        Ok(Store {
            path: path.to_owned(),
            database: RwLock::new(Some(database)),
            options: options.to_owned(),
            max_bytes: max_mib.saturating_mul(1 << 20) / OVERHEAD,
            pending,
        })
    }

    fn key(&self, game: GameName, identity: &[u8], effort: Effort) -> Vec<u8> {
        value::key(&self.options, game.name(), effort.kind(), identity)
    }

    /// What is known of a position, if the effort behind it covers `effort`.
    ///
    /// # Errors
    /// If the database cannot be read, nor made anew.
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
            return Ok(value::read(key, &waiting.value));
        }
        self.with(|database| {
            let table = database.begin_read()?.open_table(RESULTS)?;
            let found = table.get(key)?;
            Ok(found.and_then(|found| value::read(key, found.value())))
        })
    }

    /// Does `work` with the database; where that finds it damaged, once again with a new one.
    fn with<T>(&self, work: impl Fn(&Database) -> Result<T, redb::Error>) -> anyhow::Result<T> {
        let reason = {
            let database = self.database.read();
            let Some(database) = &*database else { bail!("the store {} is lost", self.path.display()) };
            match guarded(|| work(database)) {
                Ok(done) => return Ok(done),
                Err(Trouble::Damaged(reason)) => reason,
                Err(trouble) => return Err(anyhow!("the store {}: {trouble}", self.path.display())),
            }
        };
        let mut database = self.database.write();
        // Another thread may have come first; setting a sound file aside loses nothing.
        guard::close(database.take());
        remark(format_args!("{}", salvage::set_aside(&self.path, &reason)?));
        let fresh = open_tables(&self.path).map_err(|trouble| anyhow!("the store is lost: {trouble}"))?;
        let fresh = database.insert(fresh);
        guarded(|| work(fresh)).map_err(|trouble| anyhow!("the store {}: {trouble}", self.path.display()))
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
        let value = value::write(&key, effort, analysis)?;
        let mut pending = self.pending.lock();
        pending.arrived += 1;
        let arrival = pending.arrived;
        pending.results.insert(key, Waiting { arrival, value });
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
        let mut waiting: Vec<_> = pending.results.iter().collect();
        waiting.sort_by_key(|(_, waiting)| waiting.arrival);
        let waiting: Vec<(&[u8], &[u8])> =
            waiting.into_iter().map(|(key, waiting)| (key.as_slice(), waiting.value.as_slice())).collect();
        self.with(|database| insert(database, &waiting, self.max_bytes))?;
        pending.results.clear();
        Ok(())
    }

    /// How many results the disk has.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn len(&self) -> anyhow::Result<u64> {
        self.with(|database| Ok(database.begin_read()?.open_table(RESULTS)?.len()?))
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
        guard::close(self.database.get_mut().take());
    }
}

/// Opens a database with all its tables.
fn open_tables(path: &Path) -> Result<Database, Trouble> {
    guarded(|| {
        let database = Database::open(path)?;
        let begin = database.begin_write()?;
        begin.open_table(RESULTS)?;
        begin.open_table(ORDER)?;
        begin.open_table(NUMBERS)?;
        begin.commit()?;
        Ok(database)
    })
}

/// Makes a database of these keys and values under another name first: a kill in the midst of it must
/// not leave half of one under `path`.
fn create(path: &Path, entries: &[(&[u8], &[u8])]) -> anyhow::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    if Path::new(&unfinished).exists() {
        std::fs::remove_file(&unfinished)?;
    }
    let database = Database::create(&unfinished)?;
    insert(&database, entries, u64::MAX)?;
    drop(database);
    Ok(std::fs::rename(&unfinished, path)?)
}

/// Adds keys and values in order of their arrival, and drops the oldest beyond `max_bytes`.
fn insert(database: &Database, entries: &[(&[u8], &[u8])], max_bytes: u64) -> Result<(), redb::Error> {
    let write = database.begin_write()?;
    {
        let mut results = write.open_table(RESULTS)?;
        let mut order = write.open_table(ORDER)?;
        let mut numbers = write.open_table(NUMBERS)?;
        let mut bytes = numbers.get(BYTES)?.map_or(0, |bytes| bytes.value());
        let mut next = order.last()?.map_or(0, |(last, _)| last.value().saturating_add(1));
        for &(key, value) in entries {
            let former = results.insert(key, value)?;
            match former {
                Some(former) => bytes = bytes.saturating_sub(former.value().len() as u64),
                None => {
                    order.insert(next, key)?;
                    next = next.saturating_add(1);
                    bytes = bytes.saturating_add(key.len() as u64);
                }
            }
            bytes = bytes.saturating_add(value.len() as u64);
        }
        while bytes > max_bytes {
            let Some((_, key)) = order.pop_first()? else { break };
            if let Some(dropped) = results.remove(key.value())? {
                let size = (key.value().len() + dropped.value().len()) as u64;
                bytes = bytes.saturating_sub(size);
            }
        }
        numbers.insert(BYTES, bytes)?;
    }
    Ok(write.commit()?)
}

#[cfg(test)]
mod tests;
