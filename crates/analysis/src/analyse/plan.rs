//! The whole work: which positions of which records of which inputs, numbered from 1.
//!
//! It is a pure function of the command line, the inputs and the files that options name, so every shard and
//! every resumed run makes the same one.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};

use super::analyst::{AnalysisQuestion, MATE_LENGTH, USUAL_MATE_LENGTH};
use super::effort::{AnalysisEffort, MemoryScope, Player, SearchLimit, TurnSelection, requested_effort};
use super::line::{ErrorLine, PositionLine, PositionOrigin, SCHEMA, hash, side_name};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_core::game::end_words::why_refused;
use kaeshi_core::game::options::OptionLine;
use kaeshi_core::game::root_report::RootReportRequest;
use kaeshi_engine::games::GameName;
use kaeshi_records as records;
use kaeshi_records::referee::{RefereeBoard, RefereeRules, rules_with_values};
use kaeshi_records::request::{RequestOptions, Restriction};
use kaeshi_records::{GameRecord, Item, RecordFault, RecordPly};
use kaeshi_system::crc32c::crc32c;
use kaeshi_system::output::is_same_file;

/// What the command line wants of the inputs.
#[derive(Clone, Debug)]
pub struct AnalysisOptions {
    /// The only game, or whatever comes.
    pub game: Option<GameName>,
    /// Which positions; by default all of a game, and the last one of a position line.
    pub turns: Option<TurnSelection>,
    /// Only where this side is to move.
    pub side: Option<Player>,
    /// The thought for each.
    pub effort: AnalysisEffort,
    /// Options of the engines.
    pub options: Vec<(String, String)>,
    /// What they forget between positions.
    pub memory: MemoryScope,
    /// Whether all turns are looked for that keep the exact value of a position of Reversi.
    pub lossless: bool,
}

/// Bytes at the beginning of a file that show whether an analysis wrote it.
pub const HEAD_BYTES: usize = 1 << 16;

/// A record with the lines that will come of it.
pub struct PlannedRecord {
    /// Index into [`AnalysisPlan::sources`].
    pub source: usize,
    /// Number in its source, from 1.
    pub number: usize,
    /// The record; `None` if it could not be read at all.
    pub record: Option<GameRecord>,
    /// Turns after which it is analysed.
    pub turns: Vec<usize>,
    /// What stopped it; makes one more line.
    pub fault: Option<RecordFault>,
    /// Number of its first line.
    pub first: u64,
}

impl PlannedRecord {
    /// How many lines it makes.
    pub fn lines(&self) -> u64 {
        self.turns.len() as u64 + u64::from(self.fault.is_some())
    }
}

/// All the work.
pub struct AnalysisPlan {
    /// Inputs, as named in the lines.
    pub sources: Vec<String>,
    /// The files of these inputs by their number: a name of a file need not be Unicode, as a name in a line is.
    pub paths: BTreeMap<usize, PathBuf>,
    /// What these files held when they were read, by their number: length and checksum.
    contents: BTreeMap<usize, (usize, u32)>,
    /// Records in order.
    pub entries: Vec<PlannedRecord>,
    /// Lines of all of them.
    pub lines: u64,
    /// What was passed over in the inputs, a line for people each.
    pub warnings: Vec<String>,
    wanted: AnalysisOptions,
    rules: Arc<Vec<(GameName, Arc<dyn RefereeRules>)>>,
    options_text: String,
    /// Options that count in searches for mates alone, one a line.
    mate_options: String,
}

/// A position to be analysed.
#[derive(Clone, Debug)]
pub struct AnalysisTask {
    /// The line, still without its analysis.
    pub line: PositionLine,
    /// Which game.
    pub game: GameName,
    /// How much thought.
    pub effort: AnalysisEffort,
    /// The exact identity; for a search for a mate with the options that count there alone.
    pub identity: Vec<u8>,
    /// Only these turns are considered; empty for all.
    pub only: Vec<String>,
    /// Options of the engine for this position alone.
    pub settings: Vec<(String, String)>,
    /// What is reported of the position beside its lines.
    pub root_report: RootReportRequest,
    /// Turns of which those are looked for that keep the exact value; empty if that is not asked for.
    pub lossless_among: Vec<String>,
}

impl AnalysisTask {
    /// Whether the answer depends on nothing but position, options of the run and effort, so that it may be stored.
    pub fn is_plain(&self) -> bool {
        self.only.is_empty()
            && self.settings.is_empty()
            && self.root_report.is_empty()
            && self.lossless_among.is_empty()
    }

    /// The question to an engine. `entry` has the record of the task; with `fresh` the engine forgets everything first.
    pub fn question<'a>(&'a self, entry: &'a PlannedRecord, fresh: bool) -> AnalysisQuestion<'a> {
        let (start, plies) = match &entry.record {
            Some(record) => (record.start.as_str(), record.plies.as_slice()),
            None => ("startpos", [].as_slice()),
        };
        AnalysisQuestion {
            start,
            turns: plies.iter().take(self.line.turn).map(|ply| ply.turn.as_str()).collect(),
            effort: self.effort,
            only: &self.only,
            settings: &self.settings,
            root_report: self.root_report,
            lossless_among: &self.lossless_among,
            fresh,
        }
    }
}

impl AnalysisPlan {
    /// A plan without entries.
    ///
    /// # Errors
    /// An option that fits none of the games, or `lossless` with a game that has no such search.
    pub fn new(wanted: AnalysisOptions) -> Result<AnalysisPlan, GameError> {
        let mut rules_of = Vec::new();
        let lines: Vec<OptionLine> = GameName::ALL.into_iter().flat_map(GameName::options).collect();
        let is_default = |name: &str, value: &str| {
            lines.iter().any(|line| line.name.eq_ignore_ascii_case(name) && line.kind.is_default(value))
        };
        let mate_options = mate_options(&lines, &wanted.options);
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for game in GameName::ALL {
            if wanted.game.is_none_or(|only| only == game) {
                let (rules, values) = rules_with_values(game, &wanted.options)?;
                rules_of.push((game, rules));
                for (name, value) in values {
                    known.entry(name).or_default().extend(value);
                }
            }
        }
        for (name, _) in &wanted.options {
            if !rules_of.iter().any(|(_, rules)| rules.has_option(name)) {
                return Err(GameError::option(format!("there is no option '{name}'")));
            }
        }
        if let Some(game) = wanted.game.filter(|game| wanted.lossless && !game.facts().search.lossless_turns)
        {
            return Err(GameError::option(format!("--lossless: {} has no such search", game.name())));
        }
        // Options of the engine alone. The last value counts.
        for (name, value) in wanted.options.iter().rev() {
            let values = || {
                let mut values = BTreeSet::new();
                if !is_default(name, value) {
                    values.insert(value.trim().to_owned());
                }
                values
            };
            known.entry(name.to_ascii_lowercase()).or_insert_with(values);
        }
        let mut options: Vec<String> = known
            .iter()
            .filter(|(name, _)| !mate_options.contains_key(*name))
            .flat_map(|(name, values)| values.iter().map(move |value| format!("{name}={value}")))
            .collect();
        options.extend((wanted.memory == MemoryScope::Game).then(|| "memory=game".to_owned()));
        let options_text = options.join("\n");
        let mate_options = mate_options.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        Ok(AnalysisPlan {
            sources: Vec::new(),
            paths: BTreeMap::new(),
            contents: BTreeMap::new(),
            entries: Vec::new(),
            lines: 0,
            warnings: Vec::new(),
            wanted,
            rules: Arc::new(rules_of),
            options_text,
            mate_options,
        })
    }

    /// Whether a file still holds what was read of it.
    pub fn holds(&self, source: usize, bytes: &[u8]) -> bool {
        self.contents.get(&source).is_none_or(|&read| read == content(bytes))
    }

    /// Another plan by the same rules, without entries.
    pub fn sibling(&self) -> AnalysisPlan {
        AnalysisPlan {
            sources: Vec::new(),
            paths: BTreeMap::new(),
            contents: BTreeMap::new(),
            entries: Vec::new(),
            lines: 0,
            warnings: Vec::new(),
            wanted: self.wanted.clone(),
            rules: Arc::clone(&self.rules),
            options_text: self.options_text.clone(),
            mate_options: self.mate_options.clone(),
        }
    }

    /// Adds everything that `bytes` hold, under the name `source`.
    pub fn add(&mut self, source: &str, bytes: &[u8]) {
        self.add_read(source, bytes, records::read(bytes, self.wanted.game));
    }

    /// Adds everything that the file at `path` holds, whose content is `bytes`, under the name `source`.
    fn add_file(&mut self, source: &str, path: PathBuf, bytes: &[u8]) {
        self.add_read(source, bytes, records::read_file(&path, bytes, self.wanted.game));
        self.contents.insert(self.sources.len() - 1, content(bytes));
        self.paths.insert(self.sources.len() - 1, path);
    }

    fn add_read(&mut self, source: &str, bytes: &[u8], items: Vec<Item>) {
        if items.is_empty() && !bytes.trim_ascii().is_empty() {
            self.warnings.push(format!("{source}: there is neither a position nor a game in it"));
        }
        self.add_items(source, items);
    }

    /// Adds what was read of `source` already.
    pub fn add_items(&mut self, source: &str, items: Vec<Item>) {
        self.sources.push(source.to_owned());
        for (index, item) in items.into_iter().enumerate() {
            let mut entry = PlannedRecord {
                source: self.sources.len() - 1,
                number: index + 1,
                record: None,
                turns: Vec::new(),
                fault: None,
                first: self.lines + 1,
            };
            match item {
                Ok(record) => {
                    self.warnings
                        .extend(record.warnings.iter().map(|warning| format!("{source}: {warning}")));
                    self.fill(&mut entry, record);
                }
                Err(fault) => entry.fault = Some(fault),
            }
            self.lines += entry.lines();
            self.entries.push(entry);
        }
    }

    fn rules(&self, game: GameName) -> Option<&dyn RefereeRules> {
        self.rules.iter().find(|(known, _)| *known == game).map(|(_, rules)| &**rules)
    }

    fn fill(&self, entry: &mut PlannedRecord, mut record: GameRecord) {
        entry.fault = record.fault.take();
        let Some(rules) = self.rules(record.game) else { return };
        let legal = match follow(rules, &record.start, &record.plies) {
            Ok((_, None)) => record.plies.len(),
            Ok((_, Some((legal, reason)))) => {
                let line = record.plies.get(legal).map_or(record.line, |ply| ply.line);
                entry.fault = Some(RecordFault::new(line, reason));
                legal
            }
            Err(reason) => {
                entry.fault = Some(RecordFault::new(record.line, reason));
                return;
            }
        };
        let asked = record.requested.as_ref().and_then(|requested| requested.turns.clone());
        entry.turns = match (asked, &self.wanted.turns) {
            (Some(turns), _) => turns.into_iter().filter(|&turn| turn <= legal).collect(),
            (None, Some(selection)) => selection.of(record.plies.len()),
            (None, None) if record.form.is_game() => TurnSelection::all().of(legal),
            (None, None) => TurnSelection::last().of(record.plies.len()),
        };
        entry.turns.retain(|&turn| turn <= legal);
        if let (Some(wanted), Ok(start)) = (self.wanted.side, rules.board(Some(&record.start))) {
            let first = start.side_to_move();
            let to_move = |turn: usize| if turn.is_multiple_of(2) { first } else { first.other() };
            entry.turns.retain(|&turn| wanted.is(to_move(turn), rules.facts()));
        }
        entry.record = Some(record);
    }

    fn origin(&self, entry: &PlannedRecord, index: u64, line: usize) -> PositionOrigin {
        PositionOrigin {
            n: entry.first + index,
            of: self.lines,
            id: entry.record.as_ref().and_then(|record| record.requested.as_ref()?.id.clone()),
            source: self.sources.get(entry.source).cloned().unwrap_or_default(),
            record: entry.number,
            line,
        }
    }

    /// The line of an entry's fault, if it has one.
    pub fn error(&self, entry: &PlannedRecord) -> Option<ErrorLine> {
        let fault = entry.fault.as_ref()?;
        let origin = self.origin(entry, entry.turns.len() as u64, fault.line);
        Some(ErrorLine { v: SCHEMA, origin, error: fault.reason.clone() })
    }

    /// The position of an entry at place `index` among its [`PlannedRecord::turns`].
    ///
    /// # Errors
    /// Never for a place that exists: everything was checked when the entry was made.
    pub fn task(&self, entry: &PlannedRecord, index: usize) -> Result<AnalysisTask, GameError> {
        let missing = || GameError::failed("there is no such position");
        let record = entry.record.as_ref().ok_or_else(missing)?;
        let turn = *entry.turns.get(index).ok_or_else(missing)?;
        let plies = record.plies.get(..turn).ok_or_else(missing)?;
        let rules = self.rules(record.game).ok_or_else(missing)?;
        let here = match follow(rules, &record.start, plies)? {
            (board, None) => board,
            (_, Some((_, reason))) => return Err(GameError::turn(reason)),
        };
        let mut identity = here.identity();
        let requested = record.requested.as_deref();
        let effort = requested_effort(self.wanted.effort, record.requested.as_deref());
        if matches!(effort.limit, SearchLimit::Mate(_)) {
            identity.extend(self.mate_options.bytes());
        }
        let line = plies.last().map_or(record.line, |ply| ply.line);
        // What else the answer depends on: a resumed run leaves no line as it is that was asked for otherwise.
        let mut special = requested.map(RequestOptions::special).unwrap_or_default();
        let lossless = self.wanted.lossless || requested.is_some_and(|requested| requested.lossless);
        let lossless = lossless && record.game.facts().search.lossless_turns;
        if lossless {
            special += "lossless\n";
        }
        let key = hash([
            record.game.name().as_bytes(),
            b"\n",
            self.options_text.as_bytes(),
            b"\n",
            special.as_bytes(),
            &identity,
        ]);
        let line = PositionLine {
            v: SCHEMA,
            origin: self.origin(entry, index as u64, line),
            turn,
            game: record.game.name().to_owned(),
            position: here.text(),
            key: format!("{key:032x}"),
            side: side_name(here.side_to_move()).to_owned(),
            played: record.plies.get(turn).map(|ply| ply.turn.clone()),
            effort: effort.text(),
            during_search: false,
            analysis: super::line::StoredAnalysis::default(),
        };
        let only = match requested.map(|requested| &requested.restriction).filter(|wanted| !wanted.is_empty())
        {
            Some(wanted) => considered(&*here, wanted)?,
            None => Vec::new(),
        };
        let settings = requested.map(|requested| requested.settings.clone()).unwrap_or_default();
        let root_report = requested.map(|requested| requested.root_report).unwrap_or_default();
        let lossless_among = match (lossless, only.is_empty()) {
            (false, _) => Vec::new(),
            (true, true) => here.turns(),
            (true, false) => only.clone(),
        };
        let game = record.game;
        Ok(AnalysisTask { line, game, effort, identity, only, settings, root_report, lossless_among })
    }

    /// Options as one text, without those for mates alone: part of what an analysis depends on.
    pub fn options_text(&self) -> &str {
        &self.options_text
    }

    /// The effort unless a request wants another.
    pub fn effort(&self) -> AnalysisEffort {
        self.wanted.effort
    }
}

/// The turns that a request considers at this position; empty for all.
///
/// # Errors
/// If none is left.
fn considered(here: &dyn RefereeBoard, wanted: &Restriction) -> Result<Vec<String>, GameError> {
    let wanted = wanted.rewritten(|turn| here.check(turn).unwrap_or_else(|_| turn.to_owned()));
    let mut legal = here.turns();
    // Where there are too many turns to list, those that the request names still count.
    for turn in wanted.named() {
        if !legal.iter().any(|known| known == turn) && here.check(turn).is_ok() {
            legal.push(turn.to_owned());
        }
    }
    match wanted.of(here.side_to_move(), &legal) {
        Some(turns) if turns.is_empty() && here.outcome().is_none() => {
            Err(GameError::option("searchMoves, allowMoves and avoidMoves leave no legal turn"))
        }
        turns => Ok(turns.unwrap_or_default()),
    }
}

/// A board after the legal turns of a record, and which turn fails there and why.
type Followed = (Box<dyn RefereeBoard>, Option<(usize, String)>);

/// The board after as many of `plies` as are legal, and where the next one fails and why.
///
/// # Errors
/// If the start is no position.
fn follow(rules: &dyn RefereeRules, start: &str, plies: &[RecordPly]) -> Result<Followed, GameError> {
    let mut board = rules.board(Some(start))?;
    for (index, ply) in plies.iter().enumerate() {
        if let Err(reason) = board.play(&ply.turn) {
            let reason = why_refused(&ply.turn, reason);
            return Ok((board, Some((index, format!("turn {}: {reason}", index + 1)))));
        }
    }
    Ok((board, None))
}

/// Reads every input: files, directories with all files in them (sorted by name) but those of `written`, which this run
/// or the one before writes, records that the run before `annotated`, pages and summaries of other runs, and names of
/// WTHOR; `-` for stdin.
///
/// # Errors
/// If one of the named inputs cannot be read, or is a folder without files.
pub fn read_inputs(
    plan: &mut AnalysisPlan,
    inputs: &[PathBuf],
    written: &[&Path],
    annotated: &[PathBuf],
) -> anyhow::Result<()> {
    let whole = |file: &PathBuf| file.canonicalize().unwrap_or_else(|_| file.clone());
    let annotated: HashSet<PathBuf> = annotated.iter().map(whole).collect();
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for input in inputs {
        if input.as_os_str() == "-" {
            let bytes = files::read_opened(&mut std::io::stdin().lock(), FileKind::RECORDS);
            let bytes = bytes.context("cannot read stdin")?;
            plan.add("-", &bytes);
        } else {
            let found = files::files_below(input)?;
            ensure!(!found.is_empty(), "{}: no files are in this folder", input.display());
            for file in found {
                if file != *input && written.iter().any(|path| is_same_file(path, &file)) {
                    continue;
                }
                // A file that is named twice, in whatever words, is read once.
                let path = whole(&file);
                if file != *input && annotated.contains(&path) || !seen.insert(path) {
                    continue;
                }
                let shown = source_name(&file);
                // A pipe that is named is read, but not one that lies in a folder.
                let read = if file == *input { files::read_piped } else { files::read };
                let bytes = read(&file, FileKind::RECORDS).with_context(|| format!("cannot read {shown}"))?;
                if file != *input && (is_report(&bytes) || is_summary(&bytes)) {
                    plan.warnings.push(format!("{shown}: an analysis wrote this; it is no input"));
                    continue;
                }
                if file != *input && records::is_part_of_base(&bytes) {
                    continue;
                }
                plan.add_file(&shown, file, &bytes);
            }
        }
    }
    Ok(())
}

/// What distinguishes the bytes of a file from those that it has after a change.
fn content(bytes: &[u8]) -> (usize, u32) {
    (bytes.len(), crc32c(bytes))
}

/// Options that count in searches for mates alone, by their names in lower case; the last value counts.
fn mate_options<'a>(lines: &[OptionLine], options: &'a [(String, String)]) -> BTreeMap<String, &'a str> {
    let counts =
        |name: &str| lines.iter().any(|line| line.mates_only && line.name.eq_ignore_ascii_case(name));
    let mut values = BTreeMap::new();
    values.insert(MATE_LENGTH.to_ascii_lowercase(), USUAL_MATE_LENGTH);
    for (name, value) in options.iter().filter(|(name, _)| counts(name)) {
        values.insert(name.to_ascii_lowercase(), value.trim());
    }
    values
}

/// The name of a file in the lines. Bytes that are not Unicode are escaped, so that files with different names have
/// different ones there.
fn source_name(file: &Path) -> String {
    let mut name = String::new();
    for chunk in file.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    name
}

/// Whether a file begins as what `--report` writes.
pub fn is_report(file: &[u8]) -> bool {
    let head = head(file);
    head.to_ascii_lowercase().starts_with("<!doctype html>")
        && head.contains("<title>Kaeshi analysis</title>")
}

/// Whether a file begins as what `--summary` writes.
pub fn is_summary(file: &[u8]) -> bool {
    let head = head(file);
    head.starts_with("{\"v\":") && head.contains("\"sides\":[") && head.contains("\"source\":")
}

/// The first [`HEAD_BYTES`] of a file.
fn head(file: &[u8]) -> String {
    String::from_utf8_lossy(file.get(..HEAD_BYTES).unwrap_or(file)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(turns: Option<&str>, texts: &[&str]) -> AnalysisPlan {
        let wanted = AnalysisOptions {
            game: None,
            turns: turns.map(|turns| turns.parse().unwrap()),
            side: None,
            effort: AnalysisEffort { limit: SearchLimit::Nodes(100), multipv: 1 },
            options: Vec::new(),
            memory: MemoryScope::Fresh,
            lossless: false,
        };
        let mut plan = AnalysisPlan::new(wanted).unwrap();
        for (index, text) in texts.iter().enumerate() {
            plan.add(&format!("{index}"), text.as_bytes());
        }
        plan
    }

    #[test]
    fn a_game_gives_all_its_positions_and_a_line_its_last() {
        let all = plan(None, &["f5d6c3", "startpos moves 7g7f 3c3d"]);
        assert_eq!(all.lines, 4 + 1);
        assert_eq!(all.entries[1].turns, [2]);
        assert_eq!(plan(Some("1-"), &["f5d6c3", "startpos moves 7g7f 3c3d"]).lines, 3 + 2);
    }

    #[test]
    fn what_is_illegal_makes_an_error_behind_what_is_legal() {
        let plan = plan(
            None,
            &["f5d6\nnonsense\n", "startpos moves 7g7f 7g7f", "[Sygo \"1\"][Size \"5\"] 1. c3 2. c3"],
        );
        let lines: Vec<_> = plan.entries.iter().map(|entry| (entry.first, entry.turns.len())).collect();
        assert_eq!(lines, [(1, 3), (4, 0), (5, 0), (6, 2)]);
        let error = plan.error(&plan.entries[2]).unwrap();
        assert_eq!((error.origin.n, error.origin.of), (5, 8));
        assert!(error.error.contains("turn 2"), "{}", error.error);
        assert!(plan.error(&plan.entries[3]).unwrap().error.contains("c3"));
    }

    #[test]
    fn text_behind_the_end_is_reported_and_no_error() {
        let kif = "手合割：平手\n手数----指手--\n   1 ７六歩(77)\n   2 投了\n-- \nTaro\n";
        let plan = plan(None, &[kif]);
        assert_eq!((plan.lines, plan.warnings.len()), (2, 1));
        assert!(plan.warnings[0].starts_with("0: line 5: '-- '"), "{}", plan.warnings[0]);
    }

    #[test]
    fn a_foul_ends_a_game_without_an_error() {
        let plan = plan(None, &["PI\n+\n+7776FU\n-3335FU\n%ILLEGAL_MOVE\n"]);
        assert_eq!((plan.lines, plan.entries[0].fault.as_ref()), (2, None));
    }

    #[test]
    fn a_task_knows_its_position() {
        let plan = plan(None, &["startpos moves 7g7f"]);
        let task = plan.task(&plan.entries[0], 0).unwrap();
        assert!(task.line.position.starts_with("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/"));
        assert_eq!((&*task.line.side, task.line.turn, task.line.played), ("second", 1, None));
        assert_eq!(task.line.key.len(), 32);
    }

    #[test]
    fn requests_have_options() {
        let plan = plan(None, &[r#"{"id":"q","moves":["7g7f","3c3d"],"analyzeTurns":[0,1],"depth":3}"#]);
        let task = plan.task(&plan.entries[0], 1).unwrap();
        assert_eq!(task.line.effort, "depth 3 multipv 1");
        assert_eq!(task.line.played.as_deref(), Some("3c3d"));
        assert_eq!(task.line.origin.id.as_deref(), Some("q"));
    }
}
