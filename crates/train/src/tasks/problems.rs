//! Problems made from games: positions with one best turn, found by the exact solvers of the games.
//!
//! A line of a file is `GRADE | POSITION | TURNS`, followed by ` | BEST SECOND` where turns have values: the values of
//! the best turn and of the second-best one for the side to move. Turns that solve the last step as well stand behind
//! the last turn, separated by slashes.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};

use super::solve::SolveOptions;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::{Game, GameNotation, GameRules};
use kaeshi_engine::games::GameName;
use kaeshi_records::{self as records, RecordFault};
use kaeshi_system::output::{check_no_input, check_places, print, progress_bar, remark, write_whole};
use kaeshi_system::stop_signal::StopSignal;

/// A position with one best turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedProblem {
    /// How difficult it is; a larger one is more difficult.
    pub grade: u32,
    /// In the form that the game's protocol reads.
    pub position: String,
    /// The solution: turns of both sides, the side to move first and last.
    pub turns: Vec<String>,
    /// Other turns that solve the last step.
    pub also: Vec<String>,
    /// Values of the best turn and of the second-best one for the side to move, in points.
    pub values: Option<[i32; 2]>,
}

impl fmt::Display for GradedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {}", self.grade, self.position, self.turns.join(" "))?;
        for other in &self.also {
            write!(f, "/{other}")?;
        }
        match self.values {
            Some([best, second]) => write!(f, " | {best:+} {second:+}"),
            None => Ok(()),
        }
    }
}

/// Recognises problems of one game.
pub trait Poser<G: GameRules> {
    /// The grades of its problems, the easiest first.
    const GRADES: &'static [u32];
    /// Positions before the end of a game that are looked at, the last one first.
    const LAST: usize;
    /// The problem that a position is, if it is one of a wanted grade.
    fn pose(
        &mut self,
        game: &G,
        position: &G::Position,
        wanted: &dyn Fn(u32) -> bool,
    ) -> Option<GradedProblem>;
}

/// One game to look for problems in.
pub struct GameLine {
    /// For [`GameNotation::parse_position`].
    pub start: String,
    /// The turns, in the words of the protocol.
    pub turns: Vec<String>,
}

/// The games of a file.
#[derive(Default)]
pub struct GameLines {
    /// The games that could be read, at least up to a fault.
    pub games: Vec<GameLine>,
    /// How many could not be read, or not to their ends.
    pub unreadable: u64,
}

/// The games of a file of records. Records that cannot be read are reported.
///
/// # Errors
/// The file cannot be read.
pub fn records_of<G: Game>(game: &G, path: &Path) -> anyhow::Result<GameLines> {
    let bytes =
        files::read(path, FileKind::RECORDS).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = GameLines::default();
    if records::is_part_of_base(&bytes) {
        return Ok(lines);
    }
    for item in records::read(&bytes, GameName::parse(G::NAME)) {
        if let Some(fault) = fault_of(game, &item) {
            remark(format_args!("kaeshi: {}, {fault}", path.display()));
            lines.unreadable += 1;
        }
        if let Ok(record) = item {
            let turns = record.plies.into_iter().map(|ply| ply.turn).collect();
            lines.games.push(GameLine { start: record.start, turns });
        }
    }
    Ok(lines)
}

/// The fault of an item of a file of records: it cannot be read, or not to its end, or a turn is illegal.
pub fn fault_of<G: GameNotation>(game: &G, item: &records::Item) -> Option<RecordFault> {
    let record = match item {
        Ok(record) => record,
        Err(fault) => return Some(fault.clone()),
    };
    let mut position = match game.parse_position(&record.start) {
        Ok(position) => position,
        Err(error) => return Some(RecordFault::new(record.line, error.to_string())),
    };
    for (index, ply) in record.plies.iter().enumerate() {
        match game.parse_turn(&position, &ply.turn) {
            Ok(turn) => game.play(&mut position, &turn),
            Err(error) => return Some(RecordFault::new(ply.line, format!("turn {}: {error}", index + 1))),
        }
    }
    record.fault.clone()
}

/// Makes problems from the games of `common.file`, which may be a folder, and writes them to `out`: of each
/// game at most one, of each grade at most `common.per_grade`. `read` reads the games of a file.
///
/// # Errors
/// A file cannot be read or written, `out` is one of the files, or there are no games.
pub fn make<G: Game, P: Poser<G>>(
    game: &G,
    poser: &mut P,
    common: &SolveOptions,
    out: &Path,
    read: &dyn Fn(&Path) -> anyhow::Result<GameLines>,
) -> anyhow::Result<ExitCode> {
    check_places(&[("--make-problems", out)])?;
    let files = files_of(&common.file)?;
    check_no_input(&files, ("--make-problems", out))?;
    let most = common.per_grade as usize;
    let mut kept: BTreeMap<u32, Vec<GradedProblem>> =
        P::GRADES.iter().map(|&grade| (grade, Vec::new())).collect();
    let mut known = HashSet::new();
    let (mut games, mut unreadable) = (0_u64, 0);
    let bar = progress_bar((most * P::GRADES.len()) as u64, "problems");
    'files: for file in &files {
        let lines = read(file)?;
        unreadable += lines.unreadable;
        for line in lines.games {
            if StopSignal::of_process().check().is_err() {
                break 'files;
            }
            let open = |grade: u32| kept.get(&grade).is_some_and(|problems| problems.len() < most);
            if !P::GRADES.iter().any(|&grade| open(grade)) {
                break 'files;
            }
            games += 1;
            let last = positions(game, &line).into_iter().rev().take(P::LAST);
            let mut found = last.filter_map(|position| poser.pose(game, &position, &open));
            let Some(problem) = found.find(|problem| !known.contains(&problem.position)) else { continue };
            known.insert(problem.position.clone());
            kept.entry(problem.grade).or_default().push(problem);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if games == 0 {
        StopSignal::of_process().check()?;
        bail!("{} holds no games of {}", common.file.display(), G::FACTS.title);
    }
    let mut text = format!("# Problems of {}: grade | position | solution", G::FACTS.title);
    text += if kept.values().flatten().any(|problem| problem.values.is_some()) {
        " | best and second value\n"
    } else {
        "\n"
    };
    for problem in kept.values().flatten() {
        text += &format!("{problem}\n");
    }
    write_whole(out, text.as_bytes())?;
    // Problems found before a signal are kept.
    StopSignal::of_process().check()?;
    let counts: Vec<String> = kept.iter().map(|(grade, of)| format!("grade {grade}: {}", of.len())).collect();
    let all: usize = kept.values().map(Vec::len).sum();
    print(format_args!("problems {all} of {games} games ({})", counts.join(", ")))?;
    Ok(ExitCode::from(u8::from(unreadable > 0)))
}

/// The file itself, or the regular files below a folder in the order of their paths.
///
/// # Errors
/// The folder cannot be read, or there are none.
pub fn files_of(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = files::files_below(path)?;
    files.retain(|file| file.is_file());
    ensure!(!files.is_empty(), "{}: no files are in this folder", path.display());
    Ok(files)
}

/// The positions of a game before each of its turns and at its end, up to a turn that is illegal.
fn positions<G: GameNotation>(game: &G, line: &GameLine) -> Vec<G::Position> {
    let Ok(mut position) = game.parse_position(&line.start) else { return Vec::new() };
    let mut all = vec![position.clone()];
    for text in &line.turns {
        let Ok(turn) = game.parse_turn(&position, text) else { break };
        game.play(&mut position, &turn);
        all.push(position.clone());
    }
    all
}
