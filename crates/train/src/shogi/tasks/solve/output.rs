//! The output of solved mates: a table, JSON or CSV.

use std::fmt::Write as _;

use serde::Serialize;

use super::input::MateProblem;
use kaeshi_report::text::csv_cell;
use kaeshi_shogi::mate::tsume::{SecondSolutionKind, SecondSolutions, TsumeSolution};
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::Move;
use kaeshi_shogi::rules::{japanese, sfen, western};

/// How moves are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MateNotation {
    #[default]
    Usi,
    Japanese,
    Western,
}

impl MateNotation {
    pub(super) const NAMES: [&'static str; 3] = ["usi", "japanese", "western"];

    pub(super) fn from_name(name: &str) -> Option<MateNotation> {
        let all = [MateNotation::Usi, MateNotation::Japanese, MateNotation::Western];
        MateNotation::NAMES.iter().position(|&known| known == name).and_then(|at| all.get(at).copied())
    }
}

/// A move in every notation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct WrittenMove {
    /// In USI.
    pub(super) usi: String,
    /// In Japanese notation.
    japanese: String,
    /// In Western notation.
    western: String,
}

impl WrittenMove {
    fn new(position: &ShogiPosition, mv: Move) -> WrittenMove {
        WrittenMove {
            usi: mv.to_string(),
            japanese: japanese::format_move(position, mv),
            western: western::format_move(position, mv),
        }
    }

    fn text(&self, notation: MateNotation) -> &str {
        match notation {
            MateNotation::Usi => &self.usi,
            MateNotation::Japanese => &self.japanese,
            MateNotation::Western => &self.western,
        }
    }
}

/// Another check that mates, as printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct SecondSolutionOutput {
    /// Number of the move in the solution, from 1.
    pub(super) at: usize,
    /// The check.
    #[serde(rename = "move")]
    pub(super) check: WrittenMove,
    /// The kind of second solution: a cook, or another line of the same length.
    pub(super) kind: &'static str,
}

/// The output for one position.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MateSolveOutput {
    #[serde(skip)]
    name: String,
    /// The file, where a folder was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Line of the file.
    line: usize,
    /// The position in SFEN.
    position: String,
    /// Whether the side to move mates by checks; `null` where it was not decided.
    pub(super) mate: Option<bool>,
    /// Plies of the solution.
    pub(super) plies: Option<usize>,
    /// Whether no mate is shorter; `null` where that was not looked for.
    pub(super) shortest: Option<bool>,
    /// The solution in USI.
    pub(super) pv: Vec<String>,
    /// The same in Japanese notation.
    japanese: String,
    /// The same in Western notation.
    western: String,
    /// Pieces that the attacker holds at the end.
    pub(super) left_in_hand: Option<u32>,
    /// Whether the solution is the only one; `null` where that was not looked for or not decided.
    pub(super) unique: Option<bool>,
    /// Other checks that mate.
    pub(super) second_solutions: Vec<SecondSolutionOutput>,
    /// Checks of which it was not decided whether they mate.
    undecided: usize,
    /// Plies of the solution that the record gives.
    given: Option<usize>,
    /// Nodes searched.
    pub(super) nodes: u64,
    /// Time spent.
    pub(super) seconds: f64,
    #[serde(skip)]
    moves: Vec<WrittenMove>,
    #[serde(skip)]
    looked_for_cooks: bool,
}

impl MateSolveOutput {
    pub(super) fn new(problem: &MateProblem) -> MateSolveOutput {
        MateSolveOutput {
            name: problem.name.clone(),
            source: problem.source.clone(),
            line: problem.line,
            position: problem.content.as_ref().map(sfen::format).unwrap_or_default(),
            mate: None,
            plies: None,
            shortest: None,
            pv: Vec::new(),
            japanese: String::new(),
            western: String::new(),
            left_in_hand: None,
            unique: None,
            second_solutions: Vec::new(),
            undecided: 0,
            given: problem.given,
            nodes: 0,
            seconds: 0.0,
            moves: Vec::new(),
            looked_for_cooks: false,
        }
    }

    /// Notes a mate and its line.
    pub(super) fn tell_line(&mut self, position: &ShogiPosition, line: &[Move], shortest: Option<bool>) {
        let attacker = position.side_to_move();
        let mut at = position.clone();
        for &mv in line {
            self.moves.push(WrittenMove::new(&at, mv));
            at.make(mv);
        }
        self.mate = Some(true);
        self.plies = Some(line.len());
        self.shortest = shortest;
        self.left_in_hand = Some(at.hand(attacker).total());
        self.pv = self.moves.iter().map(|mv| mv.usi.clone()).collect();
        self.japanese = self.written(MateNotation::Japanese);
        self.western = self.written(MateNotation::Western);
    }

    /// Notes what stands beside the solution.
    pub(super) fn tell_second_solutions(
        &mut self,
        position: &ShogiPosition,
        solution: &TsumeSolution,
        found: &SecondSolutions,
    ) {
        self.looked_for_cooks = true;
        self.unique = found.is_unique().filter(|_| solution.is_shortest);
        self.undecided = found.undecided.len();
        let mut at = position.clone();
        for (ply, &mv) in solution.line.iter().enumerate() {
            let here = found.found.iter().filter(|second| second.ply == ply);
            let cooks = here.map(|second| (second.check, second.kind.name()));
            let here = found.equal_defences.iter().filter(|(other, _)| *other == ply);
            let defences = here.map(|&(_, defence)| (defence, EQUAL_DEFENCE));
            self.second_solutions.extend(cooks.chain(defences).map(|(mv, kind)| SecondSolutionOutput {
                at: ply + 1,
                check: WrittenMove::new(&at, mv),
                kind,
            }));
            at.make(mv);
        }
    }

    fn written(&self, notation: MateNotation) -> String {
        let words: Vec<&str> = self.moves.iter().map(|mv| mv.text(notation)).collect();
        words.join(" ")
    }

    /// The length as the table has it: `<=` where a shorter mate is possible.
    fn length(&self) -> String {
        match (self.mate, self.plies) {
            (Some(true), Some(plies)) if self.shortest == Some(false) => format!("<={plies}"),
            (Some(true), Some(plies)) => plies.to_string(),
            (Some(false), _) => "nomate".to_owned(),
            _ => "unknown".to_owned(),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.unique {
            _ if !self.looked_for_cooks => "-",
            Some(true) => "unique",
            Some(false) => "cook",
            None => "unknown",
        }
    }

    /// How the length differs from that of the solution that the record gives.
    fn difference(&self) -> Option<String> {
        let (given, found) = (self.given?, self.plies?);
        match given.cmp(&found) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => {
                Some(format!("the record has {given} plies: a shorter mate (早詰)"))
            }
            std::cmp::Ordering::Less => {
                Some(format!("the record has {given} plies: a longer defence (変化長手数)"))
            }
        }
    }
}

/// A defence as long as that of the solution.
const EQUAL_DEFENCE: &str = "equal-defence";

/// The Japanese name of a kind.
fn in_japanese(kind: &str) -> &'static str {
    let name = |known: SecondSolutionKind| known.name() == kind;
    if name(SecondSolutionKind::SameLength) || name(SecondSolutionKind::Longer) {
        "余詰"
    } else if name(SecondSolutionKind::LastMove) {
        "最終手余詰"
    } else if name(SecondSolutionKind::Promotion) {
        "成・不成非限定"
    } else if name(SecondSolutionKind::DropSquare) {
        "打ち場所非限定"
    } else {
        "変化同手数"
    }
}

/// Totals.
#[derive(Default, Serialize)]
pub(super) struct MateSummary {
    /// Positions that were searched.
    pub(super) solved: usize,
    /// Positions with a mate.
    mates: usize,
    /// Positions without a mate.
    no_mates: usize,
    /// Positions that were not decided.
    unknown: usize,
    /// Mates that are the only solution.
    unique: usize,
    /// Mates with another solution.
    cooks: usize,
    /// Mates of which it is not known whether they are the only ones; all of them where that was not looked for.
    not_checked: usize,
    /// Lines that could not be read.
    pub(super) bad_lines: usize,
    /// Nodes of all positions.
    nodes: u64,
    /// Time of all positions.
    seconds: f64,
}

impl MateSummary {
    pub(super) fn add(&mut self, answer: &MateSolveOutput) {
        self.solved += 1;
        match answer.mate {
            Some(true) => self.mates += 1,
            Some(false) => self.no_mates += 1,
            None => self.unknown += 1,
        }
        match answer.unique {
            Some(true) => self.unique += 1,
            Some(false) => self.cooks += 1,
            None => self.not_checked += usize::from(answer.mate == Some(true)),
        }
        self.nodes += answer.nodes;
        self.seconds += answer.seconds;
    }
}

/// The form of the output.
pub(super) enum MateForm {
    /// The width of the first column.
    Table(usize),
    Json,
    Csv,
}

const CSV_HEAD: &str = "source,line,position,mate,plies,shortest,solution,left_in_hand,check,second_solutions,given,\
                        nodes,seconds\n";

impl MateForm {
    /// A table for problems of these names.
    pub(super) fn table<'a>(names: impl Iterator<Item = &'a str>) -> MateForm {
        MateForm::Table(names.map(|name| name.chars().count()).max().unwrap_or(0).max("problem".len()))
    }

    /// The text above the rows.
    pub(super) fn head(&self) -> String {
        match self {
            MateForm::Table(width) => format!(
                "{:<width$}  {:>7}  {:>4}  {:<7}  {:>9}  {:>11}  solution\n",
                "problem", "plies", "left", "check", "seconds", "nodes"
            ),
            MateForm::Json => String::new(),
            MateForm::Csv => CSV_HEAD.to_owned(),
        }
    }

    /// The row of one position; in the table, second solutions stand below it.
    pub(super) fn row(&self, answer: &MateSolveOutput, notation: MateNotation) -> String {
        match self {
            MateForm::Json => serde_json::to_string(answer).unwrap_or_default() + "\n",
            MateForm::Csv => csv_row(answer, notation),
            MateForm::Table(width) => {
                let left = answer.left_in_hand.map_or_else(String::new, |left| left.to_string());
                let mut text = format!(
                    "{:<width$}  {:>7}  {left:>4}  {:<7}  {:>9.3}  {:>11}  {}",
                    answer.name,
                    answer.length(),
                    answer.verdict(),
                    answer.seconds,
                    answer.nodes,
                    answer.written(notation)
                );
                text.truncate(text.trim_end().len());
                text.push('\n');
                for line in notes(answer, notation) {
                    let _ = writeln!(text, "{:width$}  {line}", "");
                }
                text
            }
        }
    }

    /// The text below the rows.
    pub(super) fn end(&self, summary: &MateSummary) -> String {
        let MateSummary { solved, mates, no_mates, unknown, unique, cooks, bad_lines, .. } = summary;
        match self {
            MateForm::Json => serde_json::to_string(summary).unwrap_or_default() + "\n",
            MateForm::Csv => String::new(),
            MateForm::Table(_) => format!(
                "{solved} problems: {mates} mates, {no_mates} without mate, {unknown} unknown; {unique} unique, \
                 {cooks} cooked; {bad_lines} not readable; {} nodes, {:.1} s\n",
                summary.nodes, summary.seconds
            ),
        }
    }
}

/// The lines below the row of a problem: its second solutions, and its differences from the record.
fn notes(answer: &MateSolveOutput, notation: MateNotation) -> Vec<String> {
    let second = answer.second_solutions.iter().map(|second| {
        let SecondSolutionOutput { at, check, kind } = second;
        format!("move {at}: {} ({kind}, {})", check.text(notation), in_japanese(kind))
    });
    let undecided = (answer.undecided > 0).then(|| format!("{} checks undecided", answer.undecided));
    second.chain(undecided).chain(answer.difference()).collect()
}

fn csv_row(answer: &MateSolveOutput, notation: MateNotation) -> String {
    let optional = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
    let yes = |value: Option<bool>| value.map_or_else(String::new, |value| value.to_string());
    let second: Vec<String> = answer
        .second_solutions
        .iter()
        .map(|second| format!("{} {} {}", second.at, second.check.text(notation), second.kind))
        .collect();
    let cells = [
        answer.source.clone().unwrap_or_default(),
        answer.line.to_string(),
        answer.position.clone(),
        yes(answer.mate),
        optional(answer.plies),
        yes(answer.shortest),
        answer.written(notation),
        answer.left_in_hand.map_or_else(String::new, |left| left.to_string()),
        answer.verdict().to_owned(),
        second.join("; "),
        optional(answer.given),
        answer.nodes.to_string(),
        format!("{:.3}", answer.seconds),
    ];
    cells.map(|cell| csv_cell(&cell)).join(",") + "\n"
}
