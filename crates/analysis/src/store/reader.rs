//! What engines read of the store (`StoreFile`): as many of them as like at once.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::{Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase};

use super::guard::{self, StoreError, guarded};
use super::{RESULTS, StoredAnalysis, salvage, value};
use kaeshi_core::driver::root_cache::{Earlier, EarlierResults};
use kaeshi_core::files;
use kaeshi_core::game::GameError;
use kaeshi_core::game::search::IterationStage;

/// Kinds of limits whose results a search can go on from.
const KINDS: [&str; 3] = ["nodes", "movetime", "depth"];

/// A database that is open for reading.
pub struct StoreReader {
    database: Option<ReadOnlyDatabase>,
    /// It turned out to be damaged, and is left alone from then on.
    damaged: AtomicBool,
}

/// Opens the database at `path`. A damaged one is set aside and made anew, which is reported beside the
/// results.
///
/// # Errors
/// If there is none, somebody is writing it, or it cannot be read.
pub fn open(path: &Path) -> Result<(Box<dyn EarlierResults>, Option<String>), GameError> {
    let refuse =
        |error: &dyn std::fmt::Display| GameError::file(format!("StoreFile {}: {error}", path.display()));
    let reader = |database| -> Box<dyn EarlierResults> {
        Box::new(StoreReader { database: Some(database), damaged: AtomicBool::new(false) })
    };
    if files::is_special(path) {
        return Err(refuse(&"it is no regular file"));
    }
    match open_reading(path) {
        Ok(database) => Ok((reader(database), None)),
        Err(StoreError::Damaged(reason)) if salvage::is_store(path) => {
            let message = salvage::set_aside(path, &reason).map_err(|error| refuse(&format!("{error:#}")))?;
            let database = open_reading(path).map_err(|trouble| refuse(&trouble))?;
            Ok((reader(database), Some(message)))
        }
        Err(trouble) => Err(refuse(&trouble)),
    }
}

fn open_reading(path: &Path) -> Result<ReadOnlyDatabase, StoreError> {
    guarded(|| {
        let database = match ReadOnlyDatabase::open(path) {
            // A writer was killed: only one who may write can put that in order.
            Err(DatabaseError::RepairAborted) => {
                drop(Database::open(path)?);
                ReadOnlyDatabase::open(path)?
            }
            opened => opened?,
        };
        // What is damaged shows itself at the first reading.
        database.begin_read()?.open_table(RESULTS)?;
        Ok(database)
    })
}

impl EarlierResults for StoreReader {
    fn find(&self, options: &str, game: &str, identity: &[u8], wanted: usize) -> Option<Earlier> {
        if self.damaged.load(Ordering::Relaxed) {
            return None;
        }
        let database = self.database.as_ref()?;
        let read = guarded(|| {
            let table = database.begin_read()?.open_table(RESULTS)?;
            let mut all = Vec::new();
            for kind in KINDS {
                let key = value::key(options, game, kind, identity);
                all.extend(table.get(key.as_slice())?.and_then(|value| value::read(&key, value.value())));
            }
            Ok(all)
        });
        match read {
            Ok(all) => all
                .into_iter()
                .filter(|(effort, _)| effort.multipv >= wanted)
                .map(|(effort, analysis)| earlier(effort.multipv, analysis))
                .max_by_key(|earlier| (earlier.stage.depth, earlier.stage.confidence)),
            Err(trouble) => {
                self.damaged.store(true, Ordering::Relaxed);
                log::warn!("StoreFile is not read any more: {trouble}");
                None
            }
        }
    }
}

impl Drop for StoreReader {
    fn drop(&mut self) {
        guard::close(self.database.take());
    }
}

fn earlier(wanted: usize, analysis: StoredAnalysis) -> Earlier {
    Earlier {
        stage: IterationStage { depth: analysis.depth, confidence: analysis.confidence },
        seldepth: analysis.seldepth,
        lines: analysis.lines.into_iter().map(|line| (line.score, line.pv)).collect(),
        wanted,
    }
}
