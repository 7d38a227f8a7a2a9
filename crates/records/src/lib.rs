//! Game records and position lists: each form is read and written in one file, over one neutral
//! [`GameRecord`]. Forms are recognised by what a file holds, not by its name.
//!
//! | games | read | written |
//! |---|---|---|
//! | shogi | SFEN and USI `position` lines, KIF, BOD, KI2, CSA 2.2 and 3.0, JKF | USI lines, KIF, KI2, CSA, JKF |
//! | Reversi | OBF, GGF, move transcripts, WTHOR | GGF, transcripts, WTHOR |
//! | Sygo | position lines, `.sygo` turn lists | `.sygo`, SGF |
//! | all | JSON requests, one per line | |
//!
//! Text is UTF-8, UTF-16, Shift-JIS, EUC-JP or JIS (ISO-2022-JP). Readers turn every form into a [`GameRecord`] in the
//! words of the game's own protocol. They know the form, not the rules: whether a turn is legal is for the game to
//! say, except where a form cannot be read without that (KI2, transcripts without passes). Writers
//! play the turns on a board of the game and refuse a record that is not legal.
//!
//! ```
//! use kaeshi_records::{csa, kif, read};
//!
//! let text = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n";
//! let record = read(text.as_bytes(), None).remove(0).expect("a game");
//! let turns: Vec<&str> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
//! assert_eq!(turns, ["7g7f", "3c3d"]);
//! assert!(csa::write(&record, csa::CsaVersion::V2)?.contains("+7776FU\n"));
//! assert!(kif::write(&record)?.contains("７六歩(77)"));
//! # Ok::<(), kaeshi_core::game::GameError>(())
//! ```

#![warn(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)
)]

use std::fmt;
use std::path::Path;

use crate::referee::ending::Ending;
use kaeshi_core::files::MAX_RECORDS_BYTES;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;

pub mod clock;
pub mod csa;
mod foreign;
mod foul;
pub mod furigoma;
pub mod ggf;
pub mod jkf;
pub mod ki2;
pub mod kif;
pub mod lines;
pub mod position_line;
pub mod referee;
pub mod request;
pub mod setup;
pub mod sgf;
pub mod shogi_line;
pub mod sygo_list;
pub mod text;
pub mod transcript;
mod variation;
pub mod western;
pub mod wthor;

use request::RequestOptions;
pub use variation::RecordVariation;

/// Longest input that is read at once, in bytes.
pub const MAX_INPUT_BYTES: u64 = MAX_RECORDS_BYTES;
/// Most turns of one record.
pub const MAX_TURNS: usize = 10_000;

/// Longest reason of a fault, in characters: a reason may repeat what stands in a file.
const MAX_REASON: usize = 400;

/// A fault that a reader found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFault {
    /// Line of the input, from 1; in WTHOR files the number of the game.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

impl RecordFault {
    /// A fault at this line.
    pub fn new(line: usize, reason: impl Into<String>) -> RecordFault {
        RecordFault { line, reason: text::bounded(&reason.into(), MAX_REASON) }
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// The form of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RecordFormat {
    Line,
    Kif,
    Ki2,
    Csa,
    Jkf,
    Ggf,
    Transcript,
    Wthor,
    SygoList,
    Request,
}

impl RecordFormat {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            RecordFormat::Line => "position line",
            RecordFormat::Kif => "KIF",
            RecordFormat::Ki2 => "KI2",
            RecordFormat::Csa => "CSA",
            RecordFormat::Jkf => "JKF",
            RecordFormat::Ggf => "GGF",
            RecordFormat::Transcript => "transcript",
            RecordFormat::Wthor => "WTHOR",
            RecordFormat::SygoList => "Sygo list",
            RecordFormat::Request => "JSON request",
        }
    }

    /// Whether it is a whole game, so that every position of it counts.
    pub fn is_game(self) -> bool {
        !matches!(self, RecordFormat::Line | RecordFormat::Request)
    }
}

/// One turn of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordPly {
    /// In the words of the game's protocol.
    pub turn: String,
    /// Line of the input, from 1.
    pub line: usize,
    /// Offset in the decoded text behind the turn: where a comment on it belongs.
    pub end: usize,
    /// The remarks of the record on it; `None` for a bare turn.
    pub remarks: Option<Box<PlyRemarks>>,
}

/// The data of a record about a turn. Each form keeps the fields that it has a place for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyRemarks {
    /// Time used, microseconds.
    pub used_us: Option<u64>,
    /// Value for the side that made the turn.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The line that was expected, the turn itself first. Written, not read back.
    pub expected: Vec<String>,
    /// Comments, a line each.
    pub comments: Vec<String>,
}

impl RecordPly {
    /// A bare turn that stands in no file.
    pub fn new(turn: impl Into<String>) -> RecordPly {
        RecordPly { turn: turn.into(), ..RecordPly::default() }
    }

    /// The remarks on it, added if there are none.
    fn remarks_mut(&mut self) -> &mut PlyRemarks {
        self.remarks.get_or_insert_default()
    }
}

/// One game or position.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Which game is played.
    pub game: GameName,
    /// The form that it was read from.
    pub form: RecordFormat,
    /// Line of its beginning, from 1.
    pub line: usize,
    /// For [`kaeshi_core::game::GameNotation::parse_position`].
    pub start: String,
    /// Names of the first side and of the second; empty where they are not known.
    pub players: [String; 2],
    /// The event or the program that made the game.
    pub event: String,
    /// When the game began, `2026-11-20T16:00:00Z`; empty where that is not known.
    pub date: String,
    /// The time limit that both sides had, for example `tc=10+0.1`; empty where that is not known.
    pub limit: String,
    /// All headers as they were read. KIF, KI2, JKF and CSA write the headers of their own form back.
    pub tags: Vec<(String, String)>,
    /// The turns made.
    pub plies: Vec<RecordPly>,
    /// Lines that were tried out, where the form has a place for them (KIF, JKF, `.sygo`).
    pub variations: Vec<RecordVariation>,
    /// Comments before the first turn, a line each.
    pub comments: Vec<String>,
    /// How it ended, in the words of the form.
    pub end: Option<String>,
    /// The end as a cause and a result, if the words are understood.
    pub ending: Option<Ending>,
    /// The remarks of the record on the end: the time used before it, comments.
    pub end_remarks: Option<Box<PlyRemarks>>,
    /// The fault that stopped the reader; everything before it is valid.
    pub fault: Option<RecordFault>,
    /// Skipped parts that belong to no game: text behind the end, bytes of an unknown encoding.
    pub warnings: Vec<RecordFault>,
    /// The options of a request.
    pub requested: Option<Box<RequestOptions>>,
}

impl GameRecord {
    /// A record without turns.
    pub fn new(game: GameName, form: RecordFormat, line: usize, start: impl Into<String>) -> GameRecord {
        GameRecord {
            game,
            form,
            line,
            start: start.into(),
            players: Default::default(),
            event: String::new(),
            date: String::new(),
            limit: String::new(),
            tags: Vec::new(),
            plies: Vec::new(),
            variations: Vec::new(),
            comments: Vec::new(),
            end: None,
            ending: None,
            end_remarks: None,
            fault: None,
            warnings: Vec::new(),
            requested: None,
        }
    }

    /// Adds a turn, unless there are too many already.
    fn push(&mut self, turn: impl Into<String>, line: usize, end: usize) -> Result<(), RecordFault> {
        self.push_to(0, RecordPly { turn: turn.into(), line, end, remarks: None })
    }

    /// Adds a comment behind line `line`: to the end once the game has ended, before the first turn to the start.
    fn comment(&mut self, line: usize, comment: &str) {
        if line == 0 && self.end.is_some() {
            self.end_remarks.get_or_insert_default().comments.push(comment.to_owned());
        } else if let Some(remarks) = self.last_remarks_of(line) {
            remarks.comments.push(comment.to_owned());
        } else if line == 0 {
            self.comments.push(comment.to_owned());
        }
    }

    /// Reports text that was passed over, once for a record.
    fn pass_over(&mut self, line: usize, text: &str) {
        if self.warnings.is_empty() {
            let reason = format!("'{}' behind the end of the game is passed over", text::shown(text));
            self.warnings.push(RecordFault::new(line, reason));
        }
    }

    /// The remarks that a comment on the last turn is added to; `None` before the first turn.
    fn last_remarks(&mut self) -> Option<&mut PlyRemarks> {
        self.last_remarks_of(0)
    }

    /// The name of the player on `side`, on one line.
    fn name(&self, side: Side) -> String {
        let [first, second] = &self.players;
        text::one_line(if side == Side::First { first } else { second })
    }

    /// Takes names, event, date and limit from the headers of these names.
    fn take_headings(&mut self, names: Headings) {
        let value = |keys: &[&str]| keys.iter().find_map(|key| self.tag(key)).unwrap_or_default().to_owned();
        let players = names.players.map(value);
        let [event, date, limit] = [names.event, names.date, names.limit].map(value);
        (self.players, self.event, self.date, self.limit) = (players, event, clock::utc(&date), limit);
    }

    /// The value of a header.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The names of the common headings in a form; the first name that is there counts.
#[derive(Clone, Copy, Default)]
struct Headings {
    players: [&'static [&'static str]; 2],
    event: &'static [&'static str],
    date: &'static [&'static str],
    limit: &'static [&'static str],
}

/// A form in which games are written.
pub struct WritableFormat {
    /// The extension of its files, which is also its name in options.
    pub extension: &'static str,
    /// The game of this form.
    pub game: GameName,
    /// The separator of the games of one file; `None` where a file holds one game.
    pub between: Option<&'static str>,
    /// Writes a record; refuses one that is not legal.
    pub write: fn(&GameRecord) -> Result<String, GameError>,
}

/// The record forms of a game, the usual one of each game first.
const WRITTEN: [WritableFormat; 10] = [
    WritableFormat { extension: "kif", game: kif::GAME, between: None, write: kif::write },
    WritableFormat { extension: "ki2", game: ki2::GAME, between: None, write: ki2::write },
    WritableFormat {
        extension: "csa",
        game: csa::GAME,
        between: Some("/\n"),
        write: |record| csa::write(record, csa::CsaVersion::V2),
    },
    WritableFormat { extension: "jkf", game: jkf::GAME, between: None, write: jkf::write },
    WritableFormat {
        extension: "usi",
        game: kif::GAME,
        between: Some(""),
        write: |record| Ok(position_line::write(record)),
    },
    WritableFormat { extension: "txt", game: western::GAME, between: Some(""), write: western::write },
    WritableFormat { extension: "ggf", game: ggf::GAME, between: Some(""), write: ggf::write },
    WritableFormat { extension: "txt", game: transcript::GAME, between: Some(""), write: transcript::write },
    WritableFormat { extension: "sygo", game: sygo_list::GAME, between: Some("\n"), write: sygo_list::write },
    WritableFormat { extension: "sgf", game: sgf::GAME, between: Some("\n"), write: sgf::write },
];

/// The forms in which `game` is written, the usual one first: its own, or position lines where it has none.
pub fn written(game: GameName) -> Vec<WritableFormat> {
    let mut forms: Vec<WritableFormat> = WRITTEN.into_iter().filter(|form| form.game == game).collect();
    if forms.is_empty() {
        let write = |record: &GameRecord| Ok(position_line::write(record));
        forms.push(WritableFormat { extension: "ugi", game, between: Some(""), write });
    }
    forms
}

/// The result of a reader for one item.
pub type Item = Result<GameRecord, RecordFault>;

/// Reads everything that `bytes` hold. `game` settles what the content leaves open, and items of
/// another game are faults.
pub fn read(bytes: &[u8], game: Option<GameName>) -> Vec<Item> {
    let mut items = if wthor::is_wthor(bytes) {
        wthor::read(bytes)
    } else {
        match decode(bytes) {
            Ok(decoded) => read_decoded(&decoded, game),
            Err(fault) => vec![Err(fault)],
        }
    };
    for record in items.iter_mut().flatten() {
        foul::settle(record);
    }
    if let Some(wanted) = game {
        for item in &mut items {
            if let Ok(record) = item
                && record.game != wanted
            {
                let reason = format!("this is {}, not {}", record.game.name(), wanted.name());
                *item = Err(RecordFault::new(record.line, reason));
            }
        }
    }
    items
}

/// Reads everything that the file at `path` holds, whose content is `bytes`. Games of a WTHOR base are named by the
/// files of players and tournaments in the same folder.
pub fn read_file(path: &Path, bytes: &[u8], game: Option<GameName>) -> Vec<Item> {
    let mut items = read(bytes, game);
    if wthor::is_wthor(bytes) {
        wthor::names::name_games(path, &mut items);
    }
    items
}

/// Whether the bytes are a file that belongs to game bases in the same folder and holds no games: names of WTHOR.
pub fn is_part_of_base(bytes: &[u8]) -> bool {
    wthor::names::is_names(bytes)
}

/// The text of a file of records.
///
/// # Errors
/// If it is none, or damaged where moves may stand.
pub fn decode(bytes: &[u8]) -> Result<text::Decoded, RecordFault> {
    if let Some(name) = foreign::name(bytes) {
        return Err(RecordFault::new(1, format!("this is {name}")));
    }
    let decoded = text::decode(bytes);
    match decoded.refusal() {
        // Their moves are ASCII: undecodable bytes are in names and comments, or cause a fault elsewhere.
        Some(fault) if !matches!(recognise(&decoded.text), RecordFormat::Csa | RecordFormat::Ggf) => {
            Err(fault)
        }
        _ => Ok(decoded),
    }
}

fn read_decoded(decoded: &text::Decoded, game: Option<GameName>) -> Vec<Item> {
    let mut items = read_text(&decoded.text, game);
    let first = items.iter_mut().flatten().next();
    if let Some(record) = first.filter(|record| decoded.damaged_lines > 0 && record.form.is_game()) {
        let reason = format!(
            "text that is {} (lines: {}); letters are lost, moves are not",
            text::NO_ENCODING,
            decoded.damaged_lines
        );
        record.warnings.push(RecordFault::new(decoded.first_damage, reason));
    }
    items
}

/// The form of a text; [`RecordFormat::Line`] where each line speaks for itself.
pub fn recognise(text: &str) -> RecordFormat {
    let head = || text::lines(text).map(|line| line.text.trim_start()).filter(|line| !line.is_empty());
    let Some(first) = head().next() else { return RecordFormat::Line };
    if first.starts_with('{') {
        return if jkf::is_jkf(text) { RecordFormat::Jkf } else { RecordFormat::Request };
    }
    if ggf::is_ggf(first) {
        return RecordFormat::Ggf;
    }
    if first.starts_with("[Sygo") {
        return RecordFormat::SygoList;
    }
    if csa::is_csa(text) {
        return RecordFormat::Csa;
    }
    let by_turns = head().find_map(|line| {
        if kif::is_kif_line(line) {
            Some(RecordFormat::Kif)
        } else if ki2::is_ki2_line(line) {
            Some(RecordFormat::Ki2)
        } else {
            None
        }
    });
    match by_turns.or_else(|| head().any(kif::is_head_line).then_some(RecordFormat::Kif)) {
        Some(form) if !lines::is_position(first) => form,
        _ => RecordFormat::Line,
    }
}

fn read_text(text: &str, game: Option<GameName>) -> Vec<Item> {
    match recognise(text) {
        RecordFormat::Kif => kif::read(text),
        RecordFormat::Ki2 => ki2::read(text),
        RecordFormat::Csa => csa::read(text),
        RecordFormat::Jkf => vec![jkf::read(text)],
        RecordFormat::Ggf => ggf::read(text),
        RecordFormat::SygoList => sygo_list::read(text),
        RecordFormat::Request => request::read(text, game),
        RecordFormat::Line | RecordFormat::Transcript | RecordFormat::Wthor => lines::read(text, game),
    }
}

#[cfg(test)]
mod tests;
