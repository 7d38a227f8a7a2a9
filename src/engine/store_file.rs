//! `StoreFile`: results of `kaeshi analyse --store` as what the engine knows of a position.
//!
//! The database is only read, by as many engines as like. Its keys hold everything that a result
//! depends on, the exact position among it, so what is found is true of the position asked for;
//! the search then goes on behind the iteration that was reached.

use std::path::Path;

use redb::{Database, DatabaseError, ReadOnlyDatabase, ReadableDatabase, TableDefinition};
use serde::Deserialize;

use crate::game::score::Score;
use crate::game::search::{Bound, Line, Stage};
use crate::game::{Game, Rejected};

/// Key to effort and analysis: `nodes 1000 multipv 2`, a line feed, and the analysis as JSON.
pub const RESULTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("results");

/// Kinds of limits whose results a search can go on from.
const KINDS: [&str; 3] = ["nodes", "movetime", "depth"];

/// The key of a result: program version, options (`name=value`, names in lower case, sorted, one a
/// line), game, kind of limit, and the bytes of [`Game::identity`].
pub fn key(options: &str, game: &str, kind: &str, identity: &[u8]) -> Vec<u8> {
    let head = [env!("CARGO_PKG_VERSION"), "\n", options, "\n", game, "\n", kind, "\n"].concat();
    [head.as_bytes(), identity].concat()
}

/// A database that is open for reading.
pub struct StoreFile(ReadOnlyDatabase);

/// What the engine needs of an analysis.
#[derive(Deserialize)]
struct Analysis {
    depth: u16,
    seldepth: u16,
    confidence: u8,
    lines: Vec<Variation>,
}

#[derive(Deserialize)]
struct Variation {
    score: Value,
    pv: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Value {
    Cp(i32),
    Exact(i32),
    Mate(i32),
}

impl Value {
    fn score(&self) -> Option<Score> {
        Some(match *self {
            Value::Cp(value) => Score::Cp(value),
            Value::Exact(value) => Score::Exact(value),
            Value::Mate(plies) if plies > 0 => Score::MateIn(u16::try_from(plies).ok()?),
            Value::Mate(plies) => Score::MatedIn(u16::try_from(plies.unsigned_abs()).ok()?),
        })
    }
}

/// Lines of a position, how deep they are, and how many were asked for.
pub struct Known<G: Game> {
    /// The iteration.
    pub stage: Stage,
    /// Best first.
    pub lines: Vec<Line<G>>,
    /// Lines asked for; a position may have fewer turns.
    pub wanted: usize,
}

impl StoreFile {
    /// Opens the database at `path`.
    ///
    /// # Errors
    /// If there is none, somebody is writing it, or it cannot be read.
    pub fn open(path: &Path) -> Result<StoreFile, Rejected> {
        let refuse =
            |error: &dyn std::fmt::Display| Rejected(format!("StoreFile {}: {error}", path.display()));
        let database = match ReadOnlyDatabase::open(path) {
            // A writer was killed: only one who may write can put that in order.
            Err(DatabaseError::RepairAborted) => {
                drop(Database::open(path).map_err(|error| refuse(&error))?);
                ReadOnlyDatabase::open(path)
            }
            opened => opened,
        };
        database.map(StoreFile).map_err(|error| refuse(&error))
    }

    /// The deepest result for `position` with at least `lines` lines asked for.
    pub fn find<G: Game>(
        &self,
        game: &G,
        options: &str,
        position: &G::Position,
        lines: usize,
    ) -> Option<Known<G>> {
        let table = self.0.begin_read().ok()?.open_table(RESULTS).ok()?;
        let identity = game.identity(position);
        KINDS
            .iter()
            .filter_map(|kind| {
                let value = table.get(key(options, G::NAME, kind, &identity).as_slice()).ok()??;
                read(game, position, value.value())
            })
            .filter(|known| known.wanted >= lines)
            .max_by_key(|known| (known.stage.depth, known.stage.confidence))
    }
}

/// Reads a result; `None` if anything in it does not fit the position.
fn read<G: Game>(game: &G, position: &G::Position, value: &[u8]) -> Option<Known<G>> {
    let (effort, json) = std::str::from_utf8(value).ok()?.split_once('\n')?;
    let wanted = effort.rsplit(' ').next()?.parse().ok()?;
    let analysis: Analysis = serde_json::from_str(json).ok()?;
    let line = |variation: &Variation| -> Option<Line<G>> {
        let mut here = position.clone();
        let mut turns = Vec::new();
        for text in &variation.pv {
            let turn = game.parse_turn(&here, text).ok()?;
            game.play(&mut here, &turn);
            turns.push(turn);
        }
        let score = variation.score.score()?;
        (!turns.is_empty()).then_some(Line { score, bound: Bound::Exact, turns, seldepth: analysis.seldepth })
    };
    let lines: Vec<Line<G>> = analysis.lines.iter().map(line).collect::<Option<_>>()?;
    let stage = Stage { depth: analysis.depth, confidence: analysis.confidence };
    (!lines.is_empty()).then_some(Known { stage, lines, wanted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reversi::Reversi;

    fn value(effort: &str, depth: u16, pv: &str) -> Vec<u8> {
        let json = format!(
            r#"{{"best":"f5","depth":{depth},"seldepth":9,"confidence":80,"nodes":7,
                "lines":[{{"score":{{"cp":-30}},"winrate":0.4,"pv":[{pv}]}}]}}"#
        );
        format!("{effort}\n{json}").into_bytes()
    }

    #[test]
    fn the_deepest_result_of_the_very_position_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let game = Reversi::load(&Default::default()).unwrap();
        let start = game.start();
        let identity = game.identity(&start);
        let database = Database::create(&path).unwrap();
        let write = database.begin_write().unwrap();
        {
            let mut table = write.open_table(RESULTS).unwrap();
            let mut put = |options: &str, kind: &str, value: Vec<u8>| {
                table.insert(key(options, "reversi", kind, &identity).as_slice(), value.as_slice()).unwrap();
            };
            put("", "nodes", value("nodes 100 multipv 2", 8, r#""f5","d6""#));
            put("", "depth", value("depth 12 multipv 1", 12, r#""f5","f6""#));
            put("x=1", "depth", value("depth 30 multipv 1", 30, r#""f5""#));
            put("bad", "depth", value("depth 30 multipv 1", 30, r#""f5","a1""#));
        }
        write.commit().unwrap();
        assert!(StoreFile::open(&path).is_err(), "somebody is writing it");
        drop(database);
        let (one, two) = (StoreFile::open(&path).unwrap(), StoreFile::open(&path).unwrap());
        let depth = |store: &StoreFile, options, position: &_, lines| {
            store.find(&game, options, position, lines).map(|known| known.stage.depth)
        };
        assert_eq!(depth(&one, "", &start, 1), Some(12));
        assert_eq!(depth(&two, "", &start, 2), Some(8));
        assert_eq!(depth(&one, "", &start, 3), None);
        assert_eq!(depth(&one, "bad", &start, 1), None);
        assert_eq!(depth(&one, "y=1", &start, 1), None);
        let mut later = start;
        game.play(&mut later, &game.parse_turn(&start, "f5").unwrap());
        assert_eq!(depth(&one, "", &later, 1), None);
        let known = one.find(&game, "", &start, 1).unwrap();
        assert_eq!(known.lines[0].score, Score::Cp(-30));
        assert_eq!(known.lines[0].turns.len(), 2);
    }

    #[test]
    fn what_is_no_store_is_refused_by_name() {
        let refused = StoreFile::open(Path::new("Cargo.toml")).err().unwrap();
        assert!(refused.0.contains("Cargo.toml"), "{refused}");
        assert!(StoreFile::open(Path::new("there/is/none")).is_err());
    }
}
