//! CSA, the record of shogi servers and tournaments: versions 1 to 3 are read, 2.2 and 3.0 written.
//!
//! Formats: <http://www2.computer-shogi.org/protocol/record_v22.html> and `record_v3.html` there.

pub mod wire;

use super::clock::Clock;
use super::setup::{self, Man, Setup};
use super::text::{lines, one_line, shown};
use super::{Fault, Form, Headings, Item, Record, Remarks, clock, shogi_line};
use crate::game::score::Score;
use crate::game::{Rejected, Side};
use crate::games::GameName;
use crate::referee::ending::{EndCause, Ending};
use crate::shogi::rules::japanese;
use crate::shogi::rules::position::Position;
use crate::shogi::rules::types::{Kind, Move, Square};

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// What a mate is worth in the comment that floodgate made usual; its distance is lost.
pub const MATE_SCORE: i32 = 30_000;
/// Moves of an expected line that are written.
const LINE_SHOWN: usize = 12;

const HEADINGS: Headings =
    Headings { players: [&["先手"], &["後手"]], event: &["EVENT"], date: &["START_TIME"], limit: &[] };

/// Version of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Whole seconds; read by everything.
    V2,
    /// Times with fractions, maximum moves as an end of its own.
    V3,
}

/// Codes of the pieces with their letters and whether they are promoted.
const CODES: [(&str, char, bool); 14] = [
    ("FU", 'P', false),
    ("KY", 'L', false),
    ("KE", 'N', false),
    ("GI", 'S', false),
    ("KI", 'G', false),
    ("KA", 'B', false),
    ("HI", 'R', false),
    ("OU", 'K', false),
    ("TO", 'P', true),
    ("NY", 'L', true),
    ("NK", 'N', true),
    ("NG", 'S', true),
    ("UM", 'B', true),
    ("RY", 'R', true),
];

/// Whether a text begins as CSA does.
pub fn is_csa(text: &str) -> bool {
    for line in lines(text) {
        let line = line.text.trim_end();
        if line.starts_with("'CSA") {
            return true;
        }
        if line.is_empty() || line.starts_with('\'') {
            continue;
        }
        let version =
            line.strip_prefix('V').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let placed = line
            .strip_prefix(['P', '+', '-'])
            .is_some_and(|rest| rest.starts_with('I') || rest.starts_with(|c: char| c.is_ascii_digit()));
        return version
            || placed
            || matches!(line, "+" | "-")
            || line.starts_with("N+")
            || line.starts_with("N-")
            || line.starts_with("P+")
            || line.starts_with("P-")
            || line.starts_with('$');
    }
    false
}

/// Reads all games of a CSA text.
pub fn read(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut reader = Reader::new(1);
    // A game that cannot be read is passed over up to the `/` before the next one.
    let mut broken = false;
    for line in lines(text) {
        if line.text.trim_end() == "/" {
            items.extend((!broken).then(|| reader.finish()).flatten());
            (reader, broken) = (Reader::new(line.number + 1), false);
            continue;
        }
        if let Some(comment) = line.text.strip_prefix('\'') {
            reader.comment(comment.trim_end());
            continue;
        }
        if broken {
            continue;
        }
        for part in parts(line.text) {
            if let Err(reason) = reader.statement(part.trim_end(), line.number, line.end) {
                let fault = Fault::new(line.number, reason);
                broken = true;
                items.push(match reader.take() {
                    Some(mut record) => {
                        record.fault = Some(fault);
                        Ok(record)
                    }
                    None => Err(fault),
                });
                break;
            }
        }
    }
    items.extend((!broken).then(|| reader.finish()).flatten());
    items
}

/// The statements of a line; names and headers may hold commas.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let whole = line.starts_with(['N', '$']);
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        match text.split_once(',').filter(|_| !whole) {
            Some((first, after)) => {
                rest = Some(after);
                Some(first)
            }
            None => Some(text),
        }
    })
}

struct Reader {
    record: Record,
    setup: Setup,
    /// Whether the side to move was stated, which ends the set-up.
    begun: bool,
    /// Whether anything was read at all.
    touched: bool,
}

impl Reader {
    fn new(line: usize) -> Reader {
        let record = Record::new(GAME, Form::Csa, line, "startpos");
        Reader { record, setup: Setup::empty(), begun: false, touched: false }
    }

    /// The record so far, if its start is known.
    fn take(&mut self) -> Option<Record> {
        let record = Record::new(GAME, Form::Csa, self.record.line, "");
        self.record.take_headings(HEADINGS);
        self.begun.then(|| std::mem::replace(&mut self.record, record))
    }

    /// `** 55 -3334FU #12345` behind a move, or a remark of people behind one star.
    fn comment(&mut self, text: &str) {
        // The side to move is the one that has not made the last move.
        let mover = self.setup.side.other();
        let Some(remarks) = self.record.last_remarks() else { return };
        let Some(words) = text.strip_prefix("**") else {
            remarks.comments.extend(text.strip_prefix('*').map(str::to_owned));
            return;
        };
        let mut words = words.split_whitespace();
        let score = words.next().and_then(|score| score.parse().ok());
        remarks.score = score.map(|cp| shogi_line::seen_by(mover, Score::Cp(cp)));
        remarks.nodes = words.last().and_then(|nodes| nodes.strip_prefix('#')?.parse().ok());
    }

    fn finish(&mut self) -> Option<Item> {
        if !self.touched {
            return None;
        }
        let line = self.record.line;
        Some(
            self.take()
                .ok_or_else(|| Fault::new(line, "the line '+' or '-', which begins the game, is missing")),
        )
    }

    fn statement(&mut self, text: &str, line: usize, end: usize) -> Result<(), String> {
        let Some(first) = text.chars().next() else { return Ok(()) };
        self.touched = true;
        match first {
            'V' => Ok(()),
            'N' => self.name(text),
            '$' => {
                let (key, value) = text.split_once(':').unwrap_or((text, ""));
                let key = key.trim_start_matches('$').to_owned();
                self.record.tags.push((key, value.to_owned()));
                Ok(())
            }
            'P' => self.place(text),
            '+' | '-' if text.len() == 1 => self.begin(if first == '+' { Side::First } else { Side::Second }),
            '+' | '-' => self.make(text, line, end),
            'T' => {
                let time = text.get(1..).unwrap_or_default();
                let good = time.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0);
                if let Some(remarks) = self.record.last_remarks() {
                    remarks.used_us = clock::microseconds(time);
                }
                if good { Ok(()) } else { Err(format!("'{}' is no time", shown(text))) }
            }
            '%' => {
                if !self.begun {
                    return Err(format!("'{}' before the game", shown(text)));
                }
                self.record.end = Some(text.to_owned());
                self.record.ending = ending(text, self.setup.side);
                Ok(())
            }
            _ => Err(format!("'{}' is no statement of CSA", shown(text))),
        }
    }

    fn name(&mut self, text: &str) -> Result<(), String> {
        let key = match text.get(..2) {
            Some("N+") => "先手",
            Some("N-") => "後手",
            _ => return Err(format!("'{}' is no name", shown(text))),
        };
        self.record.tags.push((key.to_owned(), text.get(2..).unwrap_or_default().trim().to_owned()));
        Ok(())
    }

    /// `PI…`, `P1…` to `P9…`, `P+…`, `P-…`.
    fn place(&mut self, text: &str) -> Result<(), String> {
        let refuse = || format!("'{}' sets up no position", shown(text));
        if self.begun {
            return Err(format!("'{}' after the game began", shown(text)));
        }
        let rest = text.get(2..).ok_or_else(refuse)?;
        match text.chars().nth(1) {
            Some('I') => {
                self.setup = Setup::even();
                for piece in chunks(rest, 4).ok_or_else(refuse)? {
                    let (file, rank, ..) = piece_at(piece).ok_or_else(refuse)?;
                    if self.setup.man(file, rank).is_none() {
                        return Err(refuse());
                    }
                    self.setup.put(file, rank, None);
                }
            }
            Some(row @ '1'..='9') => {
                let rank = u8::try_from(row.to_digit(10).unwrap_or(0)).unwrap_or(0);
                let squares: Vec<&str> = chunks(rest.trim_end(), 3).ok_or_else(refuse)?.collect();
                if squares.len() > 9 {
                    return Err(refuse());
                }
                for (file, square) in (1..=9u8).rev().zip(squares) {
                    let man = match square.get(..1) {
                        Some("+") => Some(code(square.get(1..).unwrap_or_default(), Side::First)),
                        Some("-") => Some(code(square.get(1..).unwrap_or_default(), Side::Second)),
                        _ if matches!(square.trim(), "*" | "") => None,
                        _ => return Err(refuse()),
                    };
                    let man = man.map(|man| man.ok_or_else(refuse)).transpose()?;
                    self.setup.put(file, rank, man);
                }
            }
            Some(sign @ ('+' | '-')) => {
                let side = if sign == '+' { Side::First } else { Side::Second };
                for piece in chunks(rest, 4).ok_or_else(refuse)? {
                    if piece == "00AL" {
                        self.setup.hold_the_rest(side);
                        continue;
                    }
                    let (file, rank, name) = piece_at(piece).ok_or_else(refuse)?;
                    let man = code(name, side).ok_or_else(refuse)?;
                    let done = if (file, rank) == (0, 0) {
                        !man.promoted && self.setup.hold(side, man.letter, 1)
                    } else {
                        self.setup.put(file, rank, Some(man))
                    };
                    done.then_some(()).ok_or_else(refuse)?;
                }
            }
            _ => return Err(refuse()),
        }
        Ok(())
    }

    fn begin(&mut self, side: Side) -> Result<(), String> {
        if self.begun {
            return Err("the game begins a second time".to_owned());
        }
        self.begun = true;
        self.setup.side = side;
        self.record.start = self.setup.text();
        Ok(())
    }

    fn make(&mut self, text: &str, line: usize, end: usize) -> Result<(), String> {
        let refuse = || format!("'{}' is no move", shown(text));
        if !self.begun {
            return Err(format!("'{}' before the line '+' or '-' that begins the game", shown(text)));
        }
        if self.record.end.is_some() {
            return Err(format!("'{}' after the end of the game", shown(text)));
        }
        let side = if text.starts_with('+') { Side::First } else { Side::Second };
        if side != self.setup.side {
            return Err(format!("'{}': the other side is to move", shown(text)));
        }
        let mut pieces = chunks(text.get(1..).unwrap_or_default(), 2).ok_or_else(refuse)?;
        let (Some(from), Some(to), Some(name), None) =
            (pieces.next(), pieces.next(), pieces.next(), pieces.next())
        else {
            return Err(refuse());
        };
        let from = square(from).ok_or_else(refuse)?;
        let to = square(to).filter(|&to| to != (0, 0)).ok_or_else(refuse)?;
        let man = code(name, side).ok_or_else(refuse)?;
        let (from, promote) = if from == (0, 0) {
            if man.promoted {
                return Err(format!("'{}': nothing is dropped promoted", shown(text)));
            }
            (None, false)
        } else {
            let before = self.setup.man(from.0, from.1).filter(|before| before.side == side);
            let before = before.ok_or_else(|| format!("'{}': no piece of the mover there", shown(text)))?;
            if before.letter != man.letter || before.promoted && !man.promoted {
                return Err(format!("'{}': another piece stands there", shown(text)));
            }
            (Some(from), man.promoted && !before.promoted)
        };
        let turn = setup::usi(from, to, man.letter, promote);
        self.setup.make(from, to, man);
        self.record.push(turn, line, end).map_err(|fault| fault.reason)
    }
}

/// The end of a game by its word, whose subject is the side to move.
pub(super) fn ending(word: &str, to_move: Side) -> Option<Ending> {
    let (winner, cause) = match word {
        "%TORYO" => (Some(to_move.other()), EndCause::Resign),
        "%TSUMI" => (Some(to_move.other()), EndCause::Mate),
        "%TIME_UP" => (Some(to_move.other()), EndCause::Time),
        "%ILLEGAL_MOVE" => (Some(to_move.other()), EndCause::Illegal),
        "%+ILLEGAL_ACTION" => (Some(Side::Second), EndCause::Illegal),
        "%-ILLEGAL_ACTION" => (Some(Side::First), EndCause::Illegal),
        "%KACHI" => (Some(to_move), EndCause::Declare),
        "%SENNICHITE" => (None, EndCause::Repetition),
        "%JISHOGI" => (None, EndCause::Impasse),
        "%MAX_MOVES" => (None, EndCause::MaxPlies),
        "%HIKIWAKE" => return Some(Ending::default()),
        _ => return None,
    };
    Some(Ending::new(winner, cause))
}

/// One game, with a comment `'** score line #nodes` behind each move (score from Black's side).
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &Record, version: Version) -> Result<String, Rejected> {
    let mut text = String::from("'CSA encoding=UTF-8\n");
    text += if version == Version::V2 { "V2.2\n" } else { "V3.0\n" };
    text += &format!("N+{}\nN-{}\n", record.name(Side::First), record.name(Side::Second));
    if !record.event.is_empty() {
        text += &format!("$EVENT:{}\n", one_line(&record.event));
    }
    if let Some(date) = clock::slashed(&record.date) {
        text += &format!("$START_TIME:{date}\n");
    }
    text += &Clock::parse(&record.limit).map(|clock| time_line(clock, version)).unwrap_or_default();
    let start = shogi_line::position(&record.start)?;
    text += &if shogi_line::is_usual(&start) { "PI\n".to_owned() } else { write_board(&start) };
    text += if start.side_to_move() == Side::First { "+\n" } else { "-\n" };
    let mut seconds = clock::whole_seconds(record);
    let last = shogi_line::walk(record, |ply, position, mv| {
        text += &format!("{}\n", move_text(position, mv));
        let used = seconds.next().unwrap_or(0);
        match ply.remarks.as_ref().and_then(|remarks| remarks.used_us) {
            Some(used_us) if version == Version::V3 && used_us % 1_000_000 != 0 => {
                text += &format!("T{}.{:03}\n", used_us / 1_000_000, used_us / 1_000 % 1_000);
            }
            _ => text += &format!("T{used}\n"),
        }
        if let Some(remarks) = &ply.remarks {
            text += &comments(remarks, position);
        }
    })?;
    let Some(end) = &record.ending else { return Ok(text + "%CHUDAN\n") };
    if let Some(cause) = end.cause.filter(|cause| !end.detail.is_empty() || cause.is_fault()) {
        text += &format!("'{}: {}\n", cause.word(), one_line(&end.detail));
    }
    Ok(text + &format!("{}\n", end_word(end, last.side_to_move(), version)))
}

/// The limit as the header states it.
fn time_line(clock: Clock, version: Version) -> String {
    let whole = clock.main as u64;
    match version {
        Version::V2 => {
            let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
            // V2.2 counts minutes, and knows neither seconds nor increments.
            if rest != 0 || clock.increment != 0.0 || clock.byoyomi.fract() != 0.0 {
                return String::new();
            }
            format!("$TIME_LIMIT:{hours:02}:{minutes:02}+{:02}\n", clock.byoyomi as u64)
        }
        Version::V3 => format!("$TIME:{}+{}+{}\n", clock.main, clock.byoyomi, clock.increment),
    }
}

/// The comments on a move from `position`.
fn comments(remarks: &Remarks, position: &Position) -> String {
    let mut text = String::new();
    if let Some(score) = remarks.score {
        let score = black_score(position, score);
        text += &value(score, position, &remarks.expected, 1, remarks.nodes);
        text.push('\n');
    }
    for comment in &remarks.comments {
        text += &format!("'*{}\n", one_line(comment));
    }
    text
}

/// The value of a move from `position` for Black.
fn black_score(position: &Position, score: Score) -> i32 {
    match shogi_line::seen_by(position.side_to_move(), score) {
        Score::Cp(cp) | Score::Exact(cp) => cp,
        mate => mate.clamped(MATE_SCORE),
    }
}

/// `'** 55 -3334FU #12345`: a value from Black's side, the expected line without its first `skip`
/// moves, nodes.
pub fn value(score: i32, position: &Position, line: &[String], skip: usize, nodes: Option<u64>) -> String {
    let mut text = format!("'** {score}");
    let mut index = 0;
    shogi_line::follow(position, line.get(..LINE_SHOWN).unwrap_or(line), |position, mv| {
        index += 1;
        if index > skip {
            text += &format!(" {}", move_text(position, mv));
        }
    });
    if let Some(nodes) = nodes {
        text += &format!(" #{nodes}");
    }
    text
}

/// A legal move: `+7776FU`.
pub fn move_text(position: &Position, mv: Move) -> String {
    let sign = if position.side_to_move() == Side::First { '+' } else { '-' };
    let moved = japanese::mover(position, mv);
    let kind = if mv.is_promotion() { moved.promoted() } else { moved };
    let from = if mv.is_drop() { "00".to_owned() } else { square_text(mv.from()) };
    format!("{sign}{from}{}{}", square_text(mv.to()), code_of(kind))
}

fn square_text(square: Square) -> String {
    format!("{}{}", square.file() + 1, square.rank() + 1)
}

/// The two letters of a piece.
pub(super) fn code_of(kind: Kind) -> &'static str {
    CODES
        .iter()
        .find(|(_, letter, promoted)| *letter == kind.letter() && *promoted == kind.is_promoted())
        .map_or("OU", |&(code, ..)| code)
}

/// The lines that set a board up.
fn write_board(position: &Position) -> String {
    let mut text = String::new();
    for rank in 0..9 {
        text += &format!("P{}", rank + 1);
        for file in (0..9).rev() {
            match position.piece_on(Square::new(file, rank)).some() {
                None => text += " * ",
                Some(piece) => {
                    text.push(if piece.side() == Side::First { '+' } else { '-' });
                    text += code_of(piece.kind());
                }
            }
        }
        text.push('\n');
    }
    for (sign, side) in [('+', Side::First), ('-', Side::Second)] {
        if position.hand(side).is_empty() {
            continue;
        }
        text += &format!("P{sign}");
        for kind in japanese::HAND.into_iter().filter_map(Kind::from_letter) {
            for _ in 0..position.hand(side).count(kind) {
                text += &format!("00{}", code_of(kind));
            }
        }
        text.push('\n');
    }
    text
}

/// The word that ends the game.
pub(super) fn end_word(end: &Ending, to_move: Side, version: Version) -> &'static str {
    use EndCause::*;
    let Some(winner) = end.winner else {
        return match end.cause {
            Some(Repetition) => "%SENNICHITE",
            Some(Impasse) => "%JISHOGI",
            Some(MaxPlies) if version == Version::V3 => "%MAX_MOVES",
            _ => "%HIKIWAKE",
        };
    };
    let mover_won = winner == to_move;
    match end.cause {
        Some(Declare | Impasse) if mover_won => "%KACHI",
        Some(Mate) if !mover_won => "%TSUMI",
        Some(Time) if !mover_won => "%TIME_UP",
        Some(Illegal | FalseClaim) if !mover_won => "%ILLEGAL_MOVE",
        Some(AdjWin) if mover_won => "%CHUDAN",
        None | Some(Resign | AdjWin | Impasse) if !mover_won => "%TORYO",
        _ if winner == Side::First => "%-ILLEGAL_ACTION",
        _ => "%+ILLEGAL_ACTION",
    }
}

/// The pieces of `text`, `size` ASCII characters each; `None` if it does not divide so.
fn chunks(text: &str, size: usize) -> Option<impl Iterator<Item = &str>> {
    let whole = text.is_ascii() && (text.len().is_multiple_of(size) || size == 3);
    whole.then(|| {
        let mut rest = text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (first, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            Some(first)
        })
    })
}

/// Two digits: file and rank, or `00`.
fn square(text: &str) -> Option<(u8, u8)> {
    let mut digits = text.chars().map(|c| c.to_digit(10).and_then(|d| u8::try_from(d).ok()));
    let (file, rank) = (digits.next()??, digits.next()??);
    ((file == 0) == (rank == 0)).then_some((file, rank))
}

/// Square and code of `77FU`.
fn piece_at(text: &str) -> Option<(u8, u8, &str)> {
    let (file, rank) = square(text.get(..2)?)?;
    Some((file, rank, text.get(2..)?))
}

/// Letter and promotion of a piece by its code.
pub fn piece(name: &str) -> Option<(char, bool)> {
    CODES.iter().find(|(code, ..)| *code == name).map(|&(_, letter, promoted)| (letter, promoted))
}

fn code(name: &str, side: Side) -> Option<Man> {
    piece(name).map(|(letter, promoted)| Man { side, letter, promoted })
}

#[cfg(test)]
mod tests;
