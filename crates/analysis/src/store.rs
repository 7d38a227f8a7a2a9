//! Results that outlive the program: an embedded database keyed by the exact position.
//!
//! The key is the whole of what an answer depends on - program version, game, options with the contents of
//! the files that they name, kind of limit, and the bytes of [`kaeshi_core::game::GameRules::identity`] - so
//! a wrong hit is impossible. A result is given where the effort behind it covers the one asked for. Every
//! value carries its key and a checksum of both: what does not fit is not there. Results are committed
//! together, half a second late at most; what a kill takes away is searched again.
//!
//! The database may be damaged, and then it panics or reports errors at any time: every access goes
//! through a guard, and a damaged file is set aside and made anew of what can be saved.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use parking_lot::{Mutex, RwLock};
use redb::{Database, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition};
use serde::{Deserialize, Serialize};

use kaeshi_core::files;
use kaeshi_core::game::root_report::RootPolicy;
use kaeshi_core::game::score::Score;
use kaeshi_engine::games::GameName;
use kaeshi_system::output::{beside, remark};

pub mod effort;
mod guard;
pub mod reader;
mod salvage;
mod value;

use effort::AnalysisEffort;
use guard::{StoreError, guarded};

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
/// After this many refusals the file is not read any more either.
const MOST_REFUSALS: u32 = 64;
/// Pages, free space and order cost about this much for each byte of keys and values.
const OVERHEAD: u64 = 3;

/// One line of play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysisVariation {
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

/// A turn at the root, and what the search made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysisCandidate {
    /// In the words of the protocol.
    pub turn: String,
    /// Simulations that began with it; of tree searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// Nodes below it, in the first thread; of alpha-beta searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Prior probability; of tree searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<f32>,
    /// Value for the side to move, where the search knows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The same as a probability to win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredAnalysis {
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
    pub lines: Vec<AnalysisVariation>,
    /// All turns that keep the exact value, the best line's first; on request, in Reversi. None where that is
    /// not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lossless: Option<Vec<String>>,
    /// The turns at the root, those with the most work first; on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<AnalysisCandidate>>,
    /// The priors of kinds of turns and of points; on request, in Sygo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<RootPolicy>,
    /// The expected owner of each point, rows from the top, from -1 to 1 for the side to move; on request, in Sygo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ownership: Option<Vec<f32>>,
}

impl StoredAnalysis {
    /// The value of the best line.
    pub fn score(&self) -> Option<Score> {
        self.lines.first().map(|line| line.score)
    }
}

/// The database, open for reading and writing.
pub struct AnalysisStore {
    path: PathBuf,
    /// `None` while it is made anew, and after an error that leaves nothing to read.
    database: RwLock<Option<Database>>,
    /// How often the system refused; nothing is stored after the first time, on a full disk for instance.
    refusals: AtomicU32,
    /// Options that analyses depend on.
    options: String,
    max_bytes: u64,
    pending: Mutex<PendingResults>,
}

struct PendingResults {
    results: HashMap<Vec<u8>, Waiting>,
    arrived: u64,
    since: Instant,
}

/// A result on its way to the disk.
struct Waiting {
    arrival: u64,
    value: Vec<u8>,
}

impl AnalysisStore {
    /// Opens the database at `path`, made if need be, for engines with `options`; its file is kept at
    /// about `max_mib` by dropping what came first. A damaged one is set aside and made anew, and
    /// stderr says so.
    ///
    /// # Errors
    /// If another process has it open, or it is no such database.
    pub fn open(path: &Path, options: &str, max_mib: u64) -> anyhow::Result<AnalysisStore> {
        let shown = path.display();
        if files::is_special(path) {
            bail!("cannot open the store {shown}: it is no regular file");
        }
        if !path.exists() {
            create(path, &[]).with_context(|| format!("cannot make the store {shown}"))?;
        }
        let database = match open_tables(path) {
            Ok(database) => database,
            Err(StoreError::Busy) => {
                bail!("another run has the store {shown} open: give every shard its own")
            }
            Err(StoreError::Io(error)) => {
                return Err(error).with_context(|| format!("cannot open the store {shown}"));
            }
            Err(StoreError::Damaged(reason)) if salvage::is_store(path) => {
                remark(format_args!("{}", salvage::set_aside(path, &reason)?));
                open_tables(path).map_err(|trouble| anyhow!("cannot open the store {shown}: {trouble}"))?
            }
            Err(StoreError::Damaged(reason)) => bail!("{shown} is no store of results: {reason}"),
        };
        let pending =
            Mutex::new(PendingResults { results: HashMap::new(), arrived: 0, since: Instant::now() });
        Ok(AnalysisStore {
            path: path.to_owned(),
            database: RwLock::new(Some(database)),
            refusals: AtomicU32::new(0),
            options: options.to_owned(),
            max_bytes: max_mib.saturating_mul(1 << 20) / OVERHEAD,
            pending,
        })
    }

    fn key(&self, game: GameName, identity: &[u8], effort: AnalysisEffort) -> Vec<u8> {
        value::key(&self.options, game.name(), effort.kind(), identity)
    }

    /// What is known of a position, if the effort behind it covers `effort`.
    pub fn get(&self, game: GameName, identity: &[u8], effort: AnalysisEffort) -> Option<StoredAnalysis> {
        let key = self.key(game, identity, effort);
        let (_, mut analysis) = self.find(&key).filter(|(have, _)| have.covers(effort))?;
        analysis.lines.truncate(effort.multipv);
        Some(analysis)
    }

    fn find(&self, key: &[u8]) -> Option<(AnalysisEffort, StoredAnalysis)> {
        if let Some(waiting) = self.pending.lock().results.get(key) {
            return value::read(key, &waiting.value);
        }
        let found = self.with(|database| {
            let table = database.begin_read()?.open_table(RESULTS)?;
            let found = table.get(key)?;
            Ok(found.and_then(|found| value::read(key, found.value())))
        });
        found.flatten()
    }

    /// Does `work` with the database; where that finds it damaged, once again with a new one. `None` where the system
    /// refuses, which is reported once: the run goes on without storing.
    fn with<T>(&self, work: impl Fn(&Database) -> Result<T, redb::Error>) -> Option<T> {
        let trouble =
            match guarded(|| work(self.database.read().as_ref().ok_or(redb::Error::DatabaseClosed)?)) {
                Ok(done) => return Some(done),
                Err(trouble) => trouble,
            };
        let mut database = self.database.write();
        // `None`: another thread gave it up.
        guard::close(Some(database.take()?));
        let trouble = match trouble {
            // Another thread may have made it anew; setting a sound file aside loses nothing.
            StoreError::Damaged(reason) => match self.make_anew(&reason) {
                Ok(fresh) => match guarded(|| work(database.insert(fresh))) {
                    Ok(done) => return Some(done),
                    Err(trouble) => {
                        guard::close(database.take());
                        trouble.to_string()
                    }
                },
                Err(error) => format!("{error:#}"),
            },
            trouble => trouble.to_string(),
        };
        self.give_up(&mut database, &trouble);
        None
    }

    fn is_given_up(&self) -> bool {
        self.refusals.load(Ordering::Relaxed) > 0
    }

    fn make_anew(&self, reason: &str) -> anyhow::Result<Database> {
        remark(format_args!("{}", salvage::set_aside(&self.path, reason)?));
        open_tables(&self.path).map_err(|trouble| anyhow!("it cannot be opened: {trouble}"))
    }

    /// Stores no more from now on. What the file holds is still used where it can be opened once more.
    fn give_up(&self, database: &mut Option<Database>, trouble: &str) {
        let before = self.refusals.fetch_add(1, Ordering::Relaxed);
        // Several threads may have met the same refusal.
        if before < MOST_REFUSALS {
            *database = guarded(|| Ok(Database::open(&self.path)?)).ok();
        }
        if before > 0 {
            return;
        }
        let read = if database.is_some() { "; what it holds is still read" } else { "" };
        remark(format_args!(
            "the store {}: {trouble}: the run goes on without storing{read}",
            self.path.display()
        ));
    }

    /// Keeps a result, unless a better one is there, or the disk refused to store one.
    ///
    /// # Errors
    /// If the result is too long.
    pub fn put(
        &self,
        game: GameName,
        identity: &[u8],
        effort: AnalysisEffort,
        analysis: &StoredAnalysis,
    ) -> anyhow::Result<()> {
        let key = self.key(game, identity, effort);
        if self.is_given_up() || self.find(&key).is_some_and(|(have, _)| have.covers(effort)) {
            return Ok(());
        }
        let value = value::write(&key, effort, analysis)?;
        let mut pending = self.pending.lock();
        pending.arrived += 1;
        let arrival = pending.arrived;
        pending.results.insert(key, Waiting { arrival, value });
        if pending.results.len() >= COMMIT_AT || pending.since.elapsed() >= COMMIT_EVERY {
            self.commit(&mut pending);
        }
        Ok(())
    }

    /// Brings everything to the disk. Where that refuses, stderr says so.
    pub fn flush(&self) {
        self.commit(&mut self.pending.lock());
    }

    fn commit(&self, pending: &mut PendingResults) {
        pending.since = Instant::now();
        if pending.results.is_empty() || self.is_given_up() {
            return;
        }
        let mut waiting: Vec<_> = pending.results.iter().collect();
        waiting.sort_by_key(|(_, waiting)| waiting.arrival);
        let waiting: Vec<(&[u8], &[u8])> =
            waiting.into_iter().map(|(key, waiting)| (key.as_slice(), waiting.value.as_slice())).collect();
        // What could not be stored stays known to this run.
        if self.with(|database| insert(database, &waiting, self.max_bytes)).is_some() {
            pending.results.clear();
        }
    }

    /// How many results the disk has; 0 where it cannot be read.
    pub fn len(&self) -> u64 {
        self.with(|database| Ok(database.begin_read()?.open_table(RESULTS)?.len()?)).unwrap_or(0)
    }

    /// Whether the disk has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Drop for AnalysisStore {
    fn drop(&mut self) {
        self.flush();
        guard::close(self.database.get_mut().take());
    }
}

/// Opens a database with all its tables.
fn open_tables(path: &Path) -> Result<Database, StoreError> {
    guarded(|| {
        let database = Database::open(path)?;
        // A sound store is not written to be opened: the disk may be full.
        if database.begin_read().is_ok_and(|read| {
            read.open_table(RESULTS).is_ok()
                && read.open_table(ORDER).is_ok()
                && read.open_table(NUMBERS).is_ok()
        }) {
            return Ok(database);
        }
        let begin = database.begin_write()?;
        begin.open_table(RESULTS)?;
        begin.open_table(ORDER)?;
        begin.open_table(NUMBERS)?;
        begin.commit()?;
        Ok(database)
    })
}

/// Makes a database of these keys and values at `path`.
fn create(path: &Path, entries: &[(&[u8], &[u8])]) -> anyhow::Result<()> {
    let new = build(path, entries)?;
    std::fs::rename(&new, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&new);
    })?;
    Ok(())
}

/// Makes a database of these keys and values beside `path`, and returns its name: a kill in the midst of it must not
/// leave half of one under `path`. Where the disk refuses, nothing is left.
fn build(path: &Path, entries: &[(&[u8], &[u8])]) -> anyhow::Result<PathBuf> {
    let unfinished = beside(path, "unfinished");
    if unfinished.exists() {
        std::fs::remove_file(&unfinished)
            .with_context(|| format!("cannot remove {}", unfinished.display()))?;
    }
    let built = guarded(|| {
        let database = Database::create(&unfinished)?;
        insert(&database, entries, u64::MAX)
    });
    match built {
        Ok(()) => Ok(unfinished),
        Err(trouble) => {
            let _ = std::fs::remove_file(&unfinished);
            Err(anyhow!("cannot write {}: {trouble}", unfinished.display()))
        }
    }
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
