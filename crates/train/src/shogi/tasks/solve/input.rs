//! The problems of a file or a folder.

use std::path::Path;

use anyhow::Context;

use crate::tasks::problems::files_of;
use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::games::GameName;
use kaeshi_records::{self as records, GameRecord, RecordFault, RecordFormat};
use kaeshi_shogi::rules::handicap::START;
use kaeshi_shogi::rules::notation::parse_move;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::sfen;
use kaeshi_shogi::rules::types::Square;

/// A position to solve.
pub(super) struct MateProblem {
    /// The file, where there are several.
    pub(super) source: Option<String>,
    /// Line of the file, from 1.
    pub(super) line: usize,
    /// Its name in the table.
    pub(super) name: String,
    /// The position, or why it cannot be read.
    pub(super) content: Result<ShogiPosition, String>,
    /// Plies of the solution that the record gives.
    pub(super) given: Option<usize>,
}

impl MateProblem {
    fn new(source: Option<&str>, line: usize, content: Result<ShogiPosition, String>) -> MateProblem {
        let name = match source {
            Some(source) => format!("{source}:{line}"),
            None => line.to_string(),
        };
        let content = content.and_then(with_king);
        MateProblem { source: source.map(str::to_owned), line, name, content, given: None }
    }

    /// The end of a game, which is known by the line where the game begins.
    fn of_game(source: Option<&str>, record: &GameRecord) -> MateProblem {
        let (line, content) = match end(record) {
            Ok(position) => (record.line, Ok(position)),
            Err(fault) => (fault.line, Err(fault.reason)),
        };
        MateProblem::new(source, line, content)
    }

    /// Its place in the input, for messages.
    pub(super) fn place(&self) -> String {
        match &self.source {
            Some(source) => format!("{source}, line {}", self.line),
            None => format!("line {}", self.line),
        }
    }
}

/// The problems of a file, of the files of a folder in the order of their names, or of stdin for `-`.
///
/// # Errors
/// A file cannot be read.
pub(super) fn problems(path: &Path) -> anyhow::Result<Vec<MateProblem>> {
    let mut problems = Vec::new();
    if path.as_os_str() == "-" {
        let bytes = files::read_opened(&mut std::io::stdin().lock(), FileKind::RECORDS);
        read(None, &bytes.context("cannot read stdin")?, &mut problems);
        return Ok(problems);
    }
    let is_folder = path.is_dir();
    for file in files_of(path)? {
        let shown = file.display().to_string();
        let read_file = if is_folder { files::read } else { files::read_piped };
        let bytes = read_file(&file, FileKind::RECORDS).with_context(|| format!("cannot read {shown}"))?;
        let name = file.file_name().map_or(shown, |name| name.to_string_lossy().into_owned());
        read(is_folder.then_some(name.as_str()), &bytes, &mut problems);
    }
    Ok(problems)
}

/// Adds the problems of one file: a line of a list each, or the start of each record.
fn read(source: Option<&str>, bytes: &[u8], problems: &mut Vec<MateProblem>) {
    let text = match records::decode(bytes) {
        Ok(decoded) => decoded.text,
        Err(fault) => {
            problems.push(MateProblem::new(source, fault.line, Err(fault.reason)));
            return;
        }
    };
    if records::recognise(&text) == RecordFormat::Line {
        for line in records::text::lines(&text) {
            let bare = line.text.trim();
            if !bare.is_empty() && !bare.starts_with(['#', '%', ';']) {
                problems.push(MateProblem::new(source, line.number, of_line(bare)));
            }
        }
        return;
    }
    for item in records::read(bytes, Some(GameName::Shogi)) {
        problems.push(match item {
            Ok(record) => of_record(source, &record),
            Err(fault) => MateProblem::new(source, fault.line, Err(fault.reason)),
        });
    }
}

/// The position, unless the side that is not to move has no king.
fn with_king(position: ShogiPosition) -> Result<ShogiPosition, String> {
    if position.king(position.side_to_move().other()) == Square::NONE {
        return Err("there is no king to mate".to_owned());
    }
    Ok(position)
}

/// An SFEN, or a position line of USI, whose last position counts.
fn of_line(line: &str) -> Result<ShogiPosition, String> {
    if let Ok(position) = sfen::parse(line.strip_prefix("sfen ").unwrap_or(line)) {
        return Ok(position);
    }
    match records::read(line.as_bytes(), Some(GameName::Shogi)).into_iter().next() {
        Some(Ok(record)) => end(&record).map_err(|fault| fault.reason),
        Some(Err(fault)) => Err(fault.reason),
        None => Err("there is no position".to_owned()),
    }
}

/// The start of a record, whose moves are the solution; of a game from the usual start its end.
fn of_record(source: Option<&str>, record: &GameRecord) -> MateProblem {
    let begun = start(record);
    let is_game = begun
        .as_ref()
        .is_ok_and(|position| sfen::parse(START).is_ok_and(|usual| usual.key() == position.key()));
    if is_game {
        return MateProblem::of_game(source, record);
    }
    let given = Some(record.plies.len()).filter(|&plies| plies > 0);
    MateProblem { given, ..MateProblem::new(source, record.line, begun) }
}

fn start(record: &GameRecord) -> Result<ShogiPosition, String> {
    let text = if record.start == "startpos" { START } else { record.start.as_str() };
    sfen::parse(text.strip_prefix("sfen ").unwrap_or(text)).map_err(String::from)
}

fn end(record: &GameRecord) -> Result<ShogiPosition, RecordFault> {
    let mut position = start(record).map_err(|reason| RecordFault::new(record.line, reason))?;
    for ply in &record.plies {
        let mv = parse_move(&position, &ply.turn).map_err(|error| RecordFault::new(ply.line, error))?;
        position.make(mv);
    }
    record.fault.clone().map_or(Ok(position), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<MateProblem> {
        let mut problems = Vec::new();
        read(None, text.as_bytes(), &mut problems);
        problems
    }

    #[test]
    fn lists_hold_positions_position_lines_and_remarks() {
        let head = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
        let text =
            format!("# remark\n{head}\n\nsfen {head}\nposition sfen {head} moves G*4b 5a6b\nnonsense\n");
        let problems = read_all(&text);
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 4, 5, 6]);
        let moved = problems[2].content.as_ref().expect("a position");
        assert_eq!(moved.move_number(), 3);
        assert!(problems[3].content.is_err());
    }

    #[test]
    fn a_fault_is_known_by_its_own_line() {
        for (text, line) in [
            ("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 １一歩(77)\n", 4),
            ("手合割：平手\n   1 ７六歩(77)\nnonsense\n", 3),
            ("手合割：平手\n   1 ７六歩(77)\n", 1),
        ] {
            let problems = read_all(text);
            assert_eq!((problems.len(), problems[0].line), (1, line), "{text}");
            assert_eq!(problems[0].content.is_ok(), line == 1, "{text}");
        }
    }

    #[test]
    fn a_position_without_a_king_to_mate_is_no_problem() {
        let problems =
            read_all("9/9/9/9/9/9/9/9/9 b - 1\n9/9/9/9/9/9/9/9/4K4 b G 1\n4k4/9/9/9/9/9/9/9/9 b G 1\n");
        let can_be_read = problems.iter().map(|problem| problem.content.is_ok());
        assert_eq!(can_be_read.collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn a_record_from_another_start_is_a_problem_and_its_moves_the_solution() {
        let csa = "V2.2\nP-51OU\nP+53FU\nP+00KI\nP-00AL\n+\n+0052KI\n%TSUMI\n";
        let problems = read_all(csa);
        assert_eq!((problems.len(), problems[0].given), (1, Some(1)));
        let position = problems[0].content.as_ref().expect("a position");
        assert_eq!(sfen::format(position), "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
        let game = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n";
        let problems = read_all(game);
        assert_eq!(problems[0].given, None);
        assert_eq!(problems[0].content.as_ref().expect("a position").move_number(), 3);
    }
}
