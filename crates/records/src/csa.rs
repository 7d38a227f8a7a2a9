//! CSA, the record of shogi servers and tournaments: versions 1 to 3 are read, 2.2 and 3.0 written.
//!
//! Formats: <http://www2.computer-shogi.org/protocol/record_v22.html> and `record_v3.html` there.

pub mod wire;

use super::clock::RecordTimeControl;
use super::setup::{self, SfenPiece, ShogiSetup};
use super::text::{lines, one_line, shown};
use super::{GameRecord, Headings, Item, PlyRemarks, RecordFault, RecordFormat, clock, shogi_line};
use crate::referee::ending::{EndCause, Ending};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;
use kaeshi_shogi::rules::japanese;
use kaeshi_shogi::rules::position::ShogiPosition;
use kaeshi_shogi::rules::types::{Move, PieceKind, Square};

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// The score of a mate in the comments of floodgate; its distance is lost.
pub const MATE_SCORE: i32 = 30_000;
/// Moves of an expected line that are written.
const LINE_SHOWN: usize = 12;

const HEADINGS: Headings =
    Headings { players: [&["先手"], &["後手"]], event: &["EVENT"], date: &["START_TIME"], limit: &[] };

/// Version of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsaVersion {
    /// Whole seconds; read by everything.
    V2,
    /// Times with fractions, maximum moves as a separate end.
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
        let moved =
            line.strip_prefix(['+', '-']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        return begins_game(line) || moved || matches!(line, "+" | "-");
    }
    false
}

/// Whether a statement can only stand before the moves of a game.
fn begins_game(text: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    text.strip_prefix('V').is_some_and(digit)
        || text.strip_prefix('P').is_some_and(|rest| digit(rest) || rest.starts_with(['I', '+', '-']))
        || text.starts_with("N+")
        || text.starts_with("N-")
        || text.starts_with('$')
}

/// Reads all games of a CSA text.
pub fn read(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut reader = CsaParser::new(1);
    // A game that cannot be read is passed over up to the `/` before the next one.
    let mut broken = false;
    for line in lines(text) {
        let ends = line.text.trim_end() == "/";
        if ends || !broken && reader.has_ended() && begins_game(line.text) {
            items.extend((!broken).then(|| reader.finish()).flatten());
            (reader, broken) = (CsaParser::new(line.number + usize::from(ends)), false);
        }
        if ends || broken {
            continue;
        }
        for part in parts(line.text) {
            let end = part.end.map_or(line.end, |end| line.start + end);
            if let Err(fault) = reader.statement(part.text, line.number, end) {
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

/// A statement of a line.
struct CsaStatement<'a> {
    /// Without blanks around it.
    text: &'a str,
    /// Offset in the line behind its comma; `None` for the last one.
    end: Option<usize>,
}

/// The statements of a line. Names, headers and comments may hold commas; a comment goes to the end of the line.
fn parts(line: &str) -> impl Iterator<Item = CsaStatement<'_>> {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let begin = at.take()?;
        let rest = line.get(begin..)?;
        let whole = rest.trim_start().starts_with(['N', '$', '\'']);
        let comma = rest.find(',').filter(|_| !whole);
        let text = rest.get(..comma.unwrap_or(rest.len()))?.trim();
        at = comma.map(|comma| begin + comma + 1);
        Some(CsaStatement { text, end: at })
    })
}

struct CsaParser {
    record: GameRecord,
    setup: ShogiSetup,
    /// Whether the side to move was stated, which ends the set-up.
    begun: bool,
    /// Whether anything was read at all.
    touched: bool,
    /// The side and the fault of a move that no board allows: it may be the foul that ends the game.
    illegal: Option<(Side, RecordFault)>,
}

impl CsaParser {
    fn new(line: usize) -> CsaParser {
        let record = GameRecord::new(GAME, RecordFormat::Csa, line, "startpos");
        CsaParser { record, setup: ShogiSetup::empty(), begun: false, touched: false, illegal: None }
    }

    /// The record so far, if its start is known.
    fn take(&mut self) -> Option<GameRecord> {
        let record = GameRecord::new(GAME, RecordFormat::Csa, self.record.line, "");
        self.record.take_headings(HEADINGS);
        self.begun.then(|| std::mem::replace(&mut self.record, record))
    }

    /// `** 55 -3334FU #12345` behind a move, or a remark of people behind one star.
    fn comment(&mut self, text: &str) {
        // The side to move is the one that has not made the last move.
        let mover = self.setup.side.other();
        let Some(words) = text.strip_prefix("**") else {
            if let Some(comment) = text.strip_prefix('*') {
                self.record.comment(0, comment);
            }
            return;
        };
        let Some(remarks) = self.record.last_remarks() else { return };
        let mut words = words.split_whitespace();
        let score = words.next().and_then(|score| score.parse().ok());
        remarks.score = score.map(|cp| shogi_line::seen_by(mover, Score::Cp(cp)));
        remarks.nodes = words.last().and_then(|nodes| nodes.strip_prefix('#')?.parse().ok());
    }

    fn has_ended(&self) -> bool {
        self.record.end.is_some()
    }

    fn finish(&mut self) -> Option<Item> {
        if !self.touched {
            return None;
        }
        let line = self.record.line;
        let fault = self.illegal.take().map(|(_, fault)| fault);
        let item = self
            .take()
            .map(|record| GameRecord { fault, ..record })
            .ok_or_else(|| RecordFault::new(line, "the line '+' or '-', which begins the game, is missing"));
        Some(item)
    }

    fn statement(&mut self, text: &str, line: usize, end: usize) -> Result<(), RecordFault> {
        let Some(first) = text.chars().next() else { return Ok(()) };
        if let Some(comment) = text.strip_prefix('\'') {
            self.comment(comment);
            return Ok(());
        }
        self.touched = true;
        if let Some((_, fault)) = self.illegal.as_ref().filter(|_| !matches!(first, '%' | 'T')) {
            return Err(fault.clone());
        }
        if self.has_ended() && first != 'T' && !is_move(text) {
            self.record.pass_over(line, text);
            return Ok(());
        }
        let done = match first {
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
            'T' => self.time(text, line, end),
            '%' if !self.begun => Err(format!("'{}' before the game", shown(text))),
            '%' => return self.end(text),
            _ => Err(format!("'{}' is no statement of CSA", shown(text))),
        };
        done.map_err(|reason| RecordFault::new(line, reason))
    }

    /// The time used for the last move, or before the end of the game.
    fn time(&mut self, text: &str, line: usize, end: usize) -> Result<(), String> {
        let time = text.get(1..).unwrap_or_default();
        let good = time.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0);
        if self.has_ended() || self.illegal.is_some() {
            match clock::microseconds(time) {
                Some(used) => self.record.end_remarks.get_or_insert_default().used_us = Some(used),
                None => self.record.pass_over(line, text),
            }
            return Ok(());
        }
        if let Some(ply) = self.record.plies.last_mut() {
            ply.remarks_mut().used_us = clock::microseconds(time);
            // A comment on the move stands behind its time, if both are on one line.
            if ply.line == line {
                ply.end = end;
            }
        }
        if good { Ok(()) } else { Err(format!("'{}' is no time", shown(text))) }
    }

    fn end(&mut self, text: &str) -> Result<(), RecordFault> {
        let ending = ending(text, self.setup.side);
        let by_foul = ending.as_ref().is_some_and(|end| end.cause == Some(EndCause::Illegal));
        self.record.ending = match self.illegal.take() {
            Some((_, fault)) if !by_foul => return Err(fault),
            Some((offender, fault)) => {
                let end = Ending::new(Some(offender.other()), EndCause::Illegal);
                Some(Ending { detail: fault.reason, ..end })
            }
            None => ending,
        };
        self.record.end = Some(text.to_owned());
        Ok(())
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
                self.setup = ShogiSetup::even();
                for piece in chunks(&without_blanks(rest), 4).ok_or_else(refuse)? {
                    let (file, rank, ..) = piece_at(piece).ok_or_else(refuse)?;
                    if self.setup.man(file, rank).is_none() {
                        return Err(refuse());
                    }
                    self.setup.put(file, rank, None);
                }
            }
            Some(row @ '1'..='9') => {
                let rank = u8::try_from(row.to_digit(10).unwrap_or(0)).unwrap_or(0);
                let squares: Vec<&str> = match squares(rest) {
                    Some(squares) => squares,
                    None => chunks(rest.trim_end(), 3).ok_or_else(refuse)?.collect(),
                };
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
                for piece in chunks(&without_blanks(rest), 4).ok_or_else(refuse)? {
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
        if self.has_ended() {
            return Err(format!("'{}' after the end of the game", shown(text)));
        }
        let side = if text.starts_with('+') { Side::First } else { Side::Second };
        let mut pieces = chunks(text.get(1..).unwrap_or_default(), 2).ok_or_else(refuse)?;
        let (Some(from), Some(to), Some(name), None) =
            (pieces.next(), pieces.next(), pieces.next(), pieces.next())
        else {
            return Err(refuse());
        };
        let from = square(from).ok_or_else(refuse)?;
        let to = square(to).filter(|&to| to != (0, 0)).ok_or_else(refuse)?;
        let man = code(name, side).ok_or_else(refuse)?;
        let (from, promote) = match self.origin(from, man) {
            Ok(origin) => origin,
            Err(why) => {
                self.illegal = Some((side, RecordFault::new(line, format!("'{}': {why}", shown(text)))));
                return Ok(());
            }
        };
        let turn = setup::usi(from, to, man.letter, promote);
        self.setup.make(from, to, man);
        self.record.push(turn, line, end).map_err(|fault| fault.reason)
    }

    /// The origin of `man`, or the reason why it is impossible.
    fn origin(&self, from: (u8, u8), man: SfenPiece) -> Result<CsaOrigin, &'static str> {
        if man.side != self.setup.side {
            return Err("the other side is to move");
        }
        if from == (0, 0) {
            return if man.promoted { Err("nothing is dropped promoted") } else { Ok((None, false)) };
        }
        let before = self.setup.man(from.0, from.1).filter(|before| before.side == man.side);
        let before = before.ok_or("no piece of the mover there")?;
        if before.letter != man.letter || before.promoted && !man.promoted {
            return Err("another piece stands there");
        }
        Ok((Some(from), man.promoted && !before.promoted))
    }
}

/// The square that a move comes from, `None` for a drop, and whether it promotes.
type CsaOrigin = (Option<(u8, u8)>, bool);

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
pub fn write(record: &GameRecord, version: CsaVersion) -> Result<String, GameError> {
    let mut text = String::from("'CSA encoding=UTF-8\n");
    text += if version == CsaVersion::V2 { "V2.2\n" } else { "V3.0\n" };
    text += &format!("N+{}\nN-{}\n", record.name(Side::First), record.name(Side::Second));
    if !record.event.is_empty() {
        text += &format!("$EVENT:{}\n", one_line(&record.event));
    }
    if !record.date.is_empty() {
        text += &format!("$START_TIME:{}\n", clock::slashed(&record.date));
    }
    text +=
        &RecordTimeControl::parse(&record.limit).map(|clock| time_line(clock, version)).unwrap_or_default();
    text += &kept_headers(record);
    let start = shogi_line::position(&record.start)?;
    text += &if shogi_line::is_usual(&start) { "PI\n".to_owned() } else { write_board(&start) };
    text += if start.side_to_move() == Side::First { "+\n" } else { "-\n" };
    text += &starred(&record.comments);
    let mut seconds = clock::whole_seconds(record);
    let last = shogi_line::walk(record, |ply, position, mv| {
        text += &format!("{}\n", move_text(position, mv));
        let used = seconds.next().unwrap_or(0);
        match ply.remarks.as_ref().and_then(|remarks| remarks.used_us) {
            Some(used_us) if version == CsaVersion::V3 && used_us % 1_000_000 != 0 => {
                text += &format!("T{}.{:03}\n", used_us / 1_000_000, used_us / 1_000 % 1_000);
            }
            _ => text += &format!("T{used}\n"),
        }
        if let Some(remarks) = &ply.remarks {
            text += &comments(remarks, position);
        }
    })?;
    let remarks = record.end_remarks.as_deref();
    let word = match &record.ending {
        Some(end) => {
            if let Some(cause) = end.cause.filter(|cause| !end.detail.is_empty() || cause.is_fault()) {
                text += &format!("'{}: {}\n", cause.word(), one_line(&end.detail));
            }
            end_word(end, last.side_to_move(), version)
        }
        None => kept_end(record).unwrap_or("%CHUDAN"),
    };
    text += &format!("{word}\n");
    if let Some(used) = remarks.and_then(|remarks| remarks.used_us) {
        text += &format!("T{}\n", used / 1_000_000);
    }
    Ok(text + &starred(remarks.map_or(&[], |remarks| &remarks.comments)))
}

/// The word of an end whose cause is not known, if it is one of CSA.
fn kept_end(record: &GameRecord) -> Option<&str> {
    let plain = |word: &&str| {
        word.strip_prefix('%')
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_uppercase() || b"+-_".contains(&byte)))
    };
    record.end.as_deref().filter(|_| record.form == RecordFormat::Csa).filter(plain)
}

/// Headers of a record in CSA that are written back as they were.
fn kept_headers(record: &GameRecord) -> String {
    let written = |key: &str| matches!(key, "" | "EVENT" | "START_TIME");
    let limited = RecordTimeControl::parse(&record.limit).is_some();
    let kept = |key: &str| {
        let stated = written(key) || limited && key.starts_with("TIME");
        key.is_ascii() && !stated
    };
    let tags = record.tags.iter().filter(|(key, _)| record.form == RecordFormat::Csa && kept(key));
    tags.map(|(key, value)| format!("${}:{}\n", one_line(key), one_line(value))).collect()
}

fn starred(comments: &[String]) -> String {
    comments.iter().map(|comment| format!("'*{}\n", one_line(comment))).collect()
}

/// The limit as the header states it.
fn time_line(clock: RecordTimeControl, version: CsaVersion) -> String {
    let whole = clock.main as u64;
    match version {
        CsaVersion::V2 => {
            let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
            // V2.2 counts minutes, and knows neither seconds nor increments.
            if rest != 0 || clock.increment != 0.0 || clock.byoyomi.fract() != 0.0 {
                return String::new();
            }
            format!("$TIME_LIMIT:{hours:02}:{minutes:02}+{:02}\n", clock.byoyomi as u64)
        }
        CsaVersion::V3 => format!("$TIME:{}+{}+{}\n", clock.main, clock.byoyomi, clock.increment),
    }
}

/// The comments on a move from `position`.
fn comments(remarks: &PlyRemarks, position: &ShogiPosition) -> String {
    let mut text = String::new();
    if let Some(score) = remarks.score {
        let score = black_score(position, score);
        text += &value(score, position, &remarks.expected, 1, remarks.nodes);
        text.push('\n');
    }
    text + &starred(&remarks.comments)
}

/// The value of a move from `position` for Black.
fn black_score(position: &ShogiPosition, score: Score) -> i32 {
    match shogi_line::seen_by(position.side_to_move(), score) {
        Score::Cp(cp) | Score::Exact(cp) => cp,
        mate => mate.clamped(MATE_SCORE),
    }
}

/// `'** 55 -3334FU #12345`: a value from Black's side, the expected line without its first `skip`
/// moves, nodes.
pub fn value(
    score: i32,
    position: &ShogiPosition,
    line: &[String],
    skip: usize,
    nodes: Option<u64>,
) -> String {
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
pub fn move_text(position: &ShogiPosition, mv: Move) -> String {
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
pub(super) fn code_of(kind: PieceKind) -> &'static str {
    CODES
        .iter()
        .find(|(_, letter, promoted)| *letter == kind.letter() && *promoted == kind.is_promoted())
        .map_or("OU", |&(code, ..)| code)
}

/// The lines that set a board up.
fn write_board(position: &ShogiPosition) -> String {
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
        for kind in japanese::HAND.into_iter().filter_map(PieceKind::from_letter) {
            for _ in 0..position.hand(side).count(kind) {
                text += &format!("00{}", code_of(kind));
            }
        }
        text.push('\n');
    }
    text
}

/// The word that ends the game.
pub(super) fn end_word(end: &Ending, to_move: Side, version: CsaVersion) -> &'static str {
    use EndCause::*;
    let Some(winner) = end.winner else {
        return match end.cause {
            Some(Repetition) => "%SENNICHITE",
            Some(Impasse) => "%JISHOGI",
            Some(MaxPlies) if version == CsaVersion::V3 => "%MAX_MOVES",
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

/// Whether a text is shaped as a move: `+7776FU`.
fn is_move(text: &str) -> bool {
    matches!(text.as_bytes(), [b'+' | b'-', squares @ .., _, _] if squares.len() == 4 && squares.is_ascii()
        && squares.iter().all(u8::is_ascii_digit))
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The nine squares of a row, `*` or `+FU` each, however many blanks stand between them; `None` for any other number.
fn squares(row: &str) -> Option<Vec<&str>> {
    let mut squares = Vec::new();
    let mut rest = row.trim();
    while let Some(first) = rest.chars().next() {
        let (square, after) = rest.split_at_checked(if first == '*' { 1 } else { 3 })?;
        if first != '*' && !square.starts_with(['+', '-']) {
            return None;
        }
        squares.push(square);
        rest = after.trim_start();
    }
    (squares.len() == 9).then_some(squares)
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

fn code(name: &str, side: Side) -> Option<SfenPiece> {
    piece(name).map(|(letter, promoted)| SfenPiece { side, letter, promoted })
}

#[cfg(test)]
mod tests;
