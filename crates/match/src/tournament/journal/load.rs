//! Reading a journal: checks every line, cuts off a torn tail, refuses damage inside.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

use super::{EngineFault, GameWithMoves, Journal, JournalEntry, JournalGame, JournalMove, SCHEMA};
use kaeshi_core::files::{self, FileKind};
use kaeshi_system::checksummed_json::{self, Seal};

/// How an opening line states its kind, and where that begins at the latest.
const OPENING_KIND: &[u8] = b"\"k\":\"open\"";
const OPENING_KIND_END: usize = 64;

/// What a file of lines held.
#[derive(Debug)]
pub struct LoadedJournal {
    /// The match; `None` if not even the opening line is whole.
    pub journal: Option<Journal>,
    /// Length of the good part in bytes: all whole games, nothing of a torn one.
    pub good: usize,
    /// Number of the line that follows the good part.
    pub seq: u64,
    /// Oddities a person should know: duplicates, damage that was skipped.
    pub warnings: Vec<String>,
}

/// Reads the journal at `path`, ignoring a torn tail.
///
/// # Errors
/// A file that cannot be read, damage before the last line, an unknown schema, no opening line.
pub fn load(path: &Path) -> anyhow::Result<Journal> {
    Ok(load_whole(path, false)?.0)
}

/// Likewise, with the warnings; with `salvage`, damaged lines inside are skipped with one each.
///
/// # Errors
/// As those of [`load`], but for damage inside.
pub fn load_whole(path: &Path, salvage: bool) -> anyhow::Result<(Journal, Vec<String>)> {
    let bytes = files::read_piped(path, FileKind::JOURNAL)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let loaded = parse(&bytes, salvage).with_context(|| format!("in {}", path.display()))?;
    let journal = loaded.journal.with_context(|| format!("{} holds no match", path.display()))?;
    Ok((journal, loaded.warnings))
}

/// Reads journal lines. With `salvage`, damaged lines inside are skipped with a warning.
///
/// # Errors
/// Damage before the last line unless `salvage`; an unknown schema.
pub fn parse(bytes: &[u8], salvage: bool) -> anyhow::Result<LoadedJournal> {
    let mut reading = JournalParser::default();
    let mut loaded = LoadedJournal { journal: None, good: 0, seq: 0, warnings: Vec::new() };
    let mut at = 0;
    let (mut number, mut expected) = (0, 0);
    while at < bytes.len() {
        number += 1;
        let rest = &bytes[at..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else { break };
        let next = at + length + 1;
        match parse_line(&rest[..length]) {
            Ok((seq, entry)) => {
                // Where a match goes on, the lines of a game that was cut short were cut off.
                let goes_on = matches!(entry, Some(JournalEntry::Open(_))) && seq > expected;
                if seq != expected && !goes_on {
                    let why = format!(
                        "line {number} is the one that was written as number {seq}, but number {expected} is due: \
                         lines are missing or stand there twice"
                    );
                    if !salvage {
                        bail!(
                            "{why}; --salvage of `match --resume`, `match stats` and `live` uses what is there"
                        );
                    }
                    loaded.warnings.push(why);
                }
                expected = seq.saturating_add(1);
                if reading.take(entry, &mut loaded.warnings) {
                    (loaded.good, loaded.seq) = (next, expected);
                }
            }
            Err(UnreadableLine::Schema(found)) => {
                bail!("line {number} has schema v{found}, this program reads v{SCHEMA}")
            }
            Err(UnreadableLine::Damaged(why)) if next >= bytes.len() => {
                loaded.warnings.push(format!("line {number}, the last one, is torn: {why}"));
            }
            Err(UnreadableLine::Damaged(why)) if salvage => {
                expected = expected.saturating_add(1);
                loaded.warnings.push(format!("line {number} is damaged and was skipped: {why}"));
            }
            Err(UnreadableLine::Damaged(why)) => {
                bail!(
                    "line {number} is damaged ({why}); --salvage of `match --resume`, `match stats` and `live` does without it"
                )
            }
        }
        at = next;
    }
    loaded.journal = reading.finish();
    Ok(loaded)
}

/// The number of pairs that the runs of a match planned at most; 0 if no opening line is whole.
///
/// # Errors
/// A file that cannot be read.
pub fn planned_pairs(path: &Path) -> anyhow::Result<u64> {
    let bytes = files::read_piped(path, FileKind::JOURNAL)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let opening = |line: &[u8]| match parse_line(line) {
        Ok((_, Some(JournalEntry::Open(open)))) => Some(open.pairs),
        _ => None,
    };
    // Parsing every move of a long match would take seconds.
    let may_open =
        |line: &&[u8]| line.windows(OPENING_KIND.len()).take(OPENING_KIND_END).any(|at| at == OPENING_KIND);
    Ok(bytes.split(|&byte| byte == b'\n').filter(may_open).filter_map(opening).max().unwrap_or(0))
}

enum UnreadableLine {
    Schema(u32),
    Damaged(String),
}

#[derive(Deserialize)]
struct JournalLineHeader {
    v: u32,
    seq: u64,
}

/// Kinds of a later version of the same schema are `None`.
fn parse_line(line: &[u8]) -> Result<(u64, Option<JournalEntry>), UnreadableLine> {
    let damaged = |why: String| UnreadableLine::Damaged(why);
    match checksummed_json::look(line) {
        Seal::Missing => return Err(damaged("no checksum".into())),
        Seal::Broken => return Err(damaged("wrong checksum".into())),
        Seal::Whole => {}
    }
    let head: JournalLineHeader = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
    if head.v != SCHEMA {
        return Err(UnreadableLine::Schema(head.v));
    }
    match serde_json::from_slice(line) {
        Ok(entry) => Ok((head.seq, Some(entry))),
        Err(error) if error.to_string().contains("unknown variant") => Ok((head.seq, None)),
        Err(error) => Err(damaged(error.to_string())),
    }
}

#[derive(Default)]
struct JournalParser {
    journal: Option<Journal>,
    games: BTreeMap<(u64, u8), GameWithMoves>,
    moves: Vec<JournalMove>,
    faults: Vec<EngineFault>,
    legs: Vec<GameWithMoves>,
}

impl JournalParser {
    /// Takes one entry; whether everything before it is complete with it.
    fn take(&mut self, entry: Option<JournalEntry>, warnings: &mut Vec<String>) -> bool {
        match entry {
            Some(JournalEntry::Open(open)) => {
                if let Some(journal) = &mut self.journal {
                    // An extended match plans more than it did at first.
                    journal.open.pairs = journal.open.pairs.max(open.pairs);
                    // A later run replaced what an earlier one said of the end.
                    journal.close = None;
                } else {
                    let journal =
                        Journal { open: *open, games: vec![], faults: vec![], load: None, close: None };
                    self.journal = Some(journal);
                }
            }
            Some(JournalEntry::Move(played)) => {
                self.moves.push(*played);
                return false;
            }
            Some(JournalEntry::Fault(fault)) => {
                self.faults.push(fault);
                return false;
            }
            Some(JournalEntry::Leg(game)) => {
                let moves = self.moves_of(&game);
                self.legs.push(GameWithMoves::new(*game, moves));
                return false;
            }
            Some(JournalEntry::Game(game)) => {
                let key = (game.pair, game.game);
                let moves = self.moves_of(&game);
                self.faults.retain(|fault| (fault.pair, fault.game) == key);
                let mut legs = std::mem::take(&mut self.legs);
                legs.retain(|leg| (leg.game.pair, leg.game.game) == key);
                match self.games.entry(key) {
                    Slot::Occupied(_) => {
                        let (pair, game) = key;
                        warnings
                            .push(format!("pair {pair} game {game} stands there twice; the first counts"));
                    }
                    Slot::Vacant(slot) => {
                        slot.insert(GameWithMoves::new(*game, moves).after(legs));
                        if let Some(journal) = &mut self.journal {
                            journal.faults.append(&mut self.faults);
                        }
                    }
                }
                self.faults.clear();
            }
            Some(JournalEntry::Close(close)) => {
                if let Some(journal) = &mut self.journal {
                    journal.close = Some(close);
                }
            }
            Some(JournalEntry::Load(load)) => {
                if let Some(journal) = &mut self.journal {
                    journal.load = Some(load);
                }
            }
            Some(JournalEntry::Stat(_)) | None => {}
        }
        self.moves.is_empty() && self.faults.is_empty() && self.legs.is_empty()
    }

    /// The moves of a game whose line has come. Where the line of another one before it was damaged, the moves of that
    /// one are dropped, be it another leg of the same game.
    fn moves_of(&mut self, game: &JournalGame) -> Vec<JournalMove> {
        let mut moves = std::mem::take(&mut self.moves);
        moves.retain(|played| (played.pair, played.game) == (game.pair, game.game));
        let first = moves.iter().rposition(|played| played.ply == 1).unwrap_or(0);
        moves.split_off(first)
    }

    fn finish(self) -> Option<Journal> {
        let mut journal = self.journal?;
        journal.games = self.games.into_values().collect();
        Some(journal)
    }
}
