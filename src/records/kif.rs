//! KIF, the record of most shogi programs: numbered rows with destination and origin.
//!
//! Format: <http://kakinoki.o.oo7.jp/kif_format.html>.

use super::setup::{self, Setup};
use super::text::{Line, lines, one_line, shown};
use super::{Fault, Form, Headings, Item, Ply, Record, Remarks, clock, shogi_line};
use crate::game::score::Score;
use crate::game::{Rejected, Side};
use crate::games::GameName;
use crate::referee::ending::{EndCause, Ending};
use crate::shogi::rules::japanese;
use crate::shogi::rules::position::Position;
use crate::shogi::rules::sfen;
use crate::shogi::rules::types::Move;

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// Moves of an expected line that are written.
const LINE_SHOWN: usize = 12;

/// Headings of KIF and KI2, the even game's names first.
const HEADINGS: Headings = Headings {
    players: [&["先手", "下手"], &["後手", "上手"]],
    event: &["棋戦"],
    date: &["開始日時"],
    limit: &["持ち時間"],
};

/// Words of a row that end the game.
const ENDS: [&str; 14] = [
    "中断",
    "投了",
    "持将棋",
    "千日手",
    "詰み",
    "詰",
    "切れ負け",
    "反則勝ち",
    "反則負け",
    "入玉勝ち",
    "不戦敗",
    "不戦勝",
    "不詰",
    "封じ手",
];

/// Whether a line can only stand in a KIF file.
pub fn is_kif_line(line: &str) -> bool {
    let row = row(line).is_some_and(|(_, rest)| {
        rest.starts_with('同')
            || rest.chars().next().is_some_and(|c| !c.is_ascii() && japanese::digit(c).is_some())
    });
    row || line.starts_with("#KIF") || line.starts_with("手数---") || line.starts_with("# ----")
}

/// Whether a line stands in front of the turns of KIF and KI2. A text without turns, as a board
/// diagram (BOD) is, is read as KIF.
pub fn is_head_line(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("手合割：") || line.starts_with('|') && line.ends_with("|一")
}

/// Blank in half or full width.
pub fn is_blank(sign: char) -> bool {
    sign == ' ' || sign == '\t' || sign == '\u{3000}'
}

/// A header line, `key：value` with a colon of any width.
pub fn header(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['：', ':'])?;
    Some((key.trim_matches(is_blank), value.trim_matches(is_blank)))
}

/// Number and rest of a numbered row.
fn row(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(is_blank);
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = line.split_at(digits);
    Some((number.parse().ok()?, rest.trim_start_matches(is_blank)))
}

/// What the headers say of the start, shared with KI2.
pub(super) struct Head {
    /// The board as far as it is known.
    setup: Setup,
    /// Whether a diagram or handicap set it.
    custom: bool,
    rank: u8,
}

impl Head {
    /// Nothing said yet.
    pub fn new() -> Head {
        Head { setup: Setup::even(), custom: false, rank: 0 }
    }

    /// Reads one line before the moves; headers go to `record`.
    ///
    /// # Errors
    /// If a board, a hand or a handicap cannot be read.
    pub fn read(&mut self, line: Line<'_>, record: &mut Record) -> Result<(), Fault> {
        let refuse = |reason: String| Err(Fault::new(line.number, reason));
        let text = line.text.trim_end_matches(is_blank);
        let bare = text.trim_start_matches(is_blank);
        if bare.starts_with('|') {
            self.customise();
            self.rank += 1;
            if self.rank > 9 || self.setup.read_bod_row(bare, self.rank).is_none() {
                return refuse(format!("'{}' is no row of a board", shown(bare)));
            }
            return Ok(());
        }
        match bare {
            "先手番" | "下手番" => self.setup.side = Side::First,
            "後手番" | "上手番" => self.setup.side = Side::Second,
            _ => {
                let Some((key, value)) = header(text) else { return Ok(()) };
                let hand = match key {
                    "先手の持駒" | "下手の持駒" | "先手の持ち駒" | "下手の持ち駒" => {
                        Some(Side::First)
                    }
                    "後手の持駒" | "上手の持駒" | "後手の持ち駒" | "上手の持ち駒" => {
                        Some(Side::Second)
                    }
                    _ => None,
                };
                if let Some(side) = hand {
                    self.customise();
                    return match self.read_hand(side, value) {
                        Some(()) => Ok(()),
                        None => refuse(format!("'{}' is no hand", shown(value))),
                    };
                }
                if key == "手合割" && !value.starts_with("その他") {
                    match setup::handicap(value) {
                        Some(setup) => self.setup = setup,
                        None => return refuse(format!("handicap '{}' is not known", shown(value))),
                    }
                }
                record.tags.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    /// A diagram begins, with its first row or with the hand above it.
    fn customise(&mut self) {
        if !self.custom {
            let side = self.setup.side;
            self.setup = Setup::empty();
            self.setup.side = side;
            self.custom = true;
        }
    }

    fn read_hand(&mut self, side: Side, text: &str) -> Option<()> {
        if matches!(text, "なし" | "") {
            return Some(());
        }
        for word in text.split(is_blank).filter(|word| !word.is_empty()) {
            let ((letter, promoted), count) = japanese::take_man(word)?;
            let held = !promoted && self.setup.hold(side, letter, japanese::count(count)?);
            held.then_some(())?;
        }
        Some(())
    }

    /// The start position.
    ///
    /// # Errors
    /// If a board was begun and not finished.
    pub fn start(&self, line: usize) -> Result<String, Fault> {
        match self.rank {
            0 if self.custom => Err(Fault::new(line, "there are hands, but no board")),
            0 | 9 => Ok(self.setup.text()),
            rows => Err(Fault::new(line, format!("the board has {rows} rows instead of 9"))),
        }
    }
}

/// Reads a KIF text. A variation takes the place of the turns from its number on in the line above it.
///
/// # Errors
/// If the start position cannot be read.
pub fn read(text: &str) -> Item {
    let mut record = Record::new(GAME, Form::Kif, 1, "startpos");
    let mut head = Some(Head::new());
    let mut rows = Rows::default();
    for line in lines(text) {
        let bare = line.text.trim_start_matches(is_blank);
        if let Some(number) = bare.strip_prefix("変化：").or_else(|| bare.strip_prefix("変化:")) {
            if let Err(fault) = rows.branch(&mut record, number, line.number) {
                record.fault = Some(fault);
                break;
            }
            continue;
        }
        if let Some(comment) = bare.strip_prefix('*') {
            read_comment(&mut record, rows.line, comment);
            continue;
        }
        if bare.is_empty() || bare.starts_with(['&', '#']) {
            continue;
        }
        let row = row(line.text);
        if (bare.starts_with("手数---") || row.is_some())
            && let Some(head) = head.take()
        {
            record.start = head.start(line.number)?;
        }
        if let Some(head) = &mut head {
            head.read(line, &mut record)?;
            continue;
        }
        let Some((number, rest)) = row else {
            if bare.starts_with("手数---") || bare.starts_with("まで") || header(bare).is_some() {
                continue;
            }
            record.fault =
                Some(Fault::new(line.number, format!("'{}' is no row of a KIF record", shown(bare))));
            break;
        };
        if rows.ended {
            break;
        }
        if let Err(reason) = rows.read(&mut record, line, number, rest) {
            record.fault = Some(Fault::new(line.number, reason));
            break;
        }
    }
    if let Some(head) = head {
        record.start = head.start(1)?;
    }
    take_headings(&mut record);
    Ok(record)
}

/// Names, event, date and limit from the headers of KIF and KI2.
pub fn take_headings(record: &mut Record) {
    record.take_headings(HEADINGS);
}

/// A comment behind the last turn of a line: one of the keys that [`write`] uses, or a remark.
pub(super) fn read_comment(record: &mut Record, line: usize, text: &str) {
    let Some(last) = record.line(line).len().checked_sub(1) else { return };
    let mover = shogi_line::mover(record, record.after(line) + last);
    let Some(remarks) = record.last_remarks_of(line) else { return };
    match text.strip_prefix('*').and_then(|text| text.split_once('=')) {
        Some(("評価値", value)) => {
            remarks.score = value.trim().parse().ok().map(|cp| shogi_line::seen_by(mover, Score::Cp(cp)));
        }
        Some(("詰み", value)) => {
            remarks.score = read_mate(value).map(|mate| shogi_line::seen_by(mover, mate))
        }
        Some(("深さ", value)) => remarks.depth = value.trim().parse().ok(),
        Some(("ノード数", value)) => remarks.nodes = value.trim().parse().ok(),
        Some(("読み筋", _)) => {}
        _ => remarks.comments.push(text.to_owned()),
    }
}

/// `先手勝ち:5手` as Black sees it.
fn read_mate(text: &str) -> Option<Score> {
    let (winner, plies) = text.split_once(':')?;
    let plies = plies.trim().strip_suffix('手')?.parse().ok()?;
    match winner {
        "先手勝ち" => Some(Score::MateIn(plies)),
        "後手勝ち" => Some(Score::MatedIn(plies)),
        _ => None,
    }
}

/// The end of a game by its word, whose subject is the side to move.
fn ending(word: &str, to_move: Side) -> Option<Ending> {
    let (winner, cause) = match word {
        "投了" => (Some(to_move.other()), EndCause::Resign),
        "詰み" | "詰" => (Some(to_move.other()), EndCause::Mate),
        "切れ負け" => (Some(to_move.other()), EndCause::Time),
        "反則負け" => (Some(to_move.other()), EndCause::Illegal),
        "反則勝ち" => (Some(to_move), EndCause::Illegal),
        "入玉勝ち" => (Some(to_move), EndCause::Declare),
        "千日手" => (None, EndCause::Repetition),
        "持将棋" => (None, EndCause::Impasse),
        _ => return None,
    };
    Some(Ending::new(winner, cause))
}

/// Microseconds of `( 0:01/00:00:01)`.
fn read_time(text: &str) -> Option<u64> {
    let (minutes, seconds) =
        text.trim_matches(is_blank).strip_prefix('(')?.split_once('/')?.0.split_once(':')?;
    let minutes: u64 = minutes.trim().parse().ok().filter(|&minutes| minutes < 1_000_000)?;
    clock::microseconds(seconds.trim())?.checked_add(minutes * 60_000_000)
}

/// The place in the rows of a record.
#[derive(Default)]
struct Rows {
    /// The line that is read.
    line: usize,
    /// Of each turn from the start to here: the line that it belongs to, and its destination.
    path: Vec<(usize, (u8, u8))>,
    /// The line has come to its end.
    ended: bool,
}

impl Rows {
    /// Begins the variation that `変化：N手` announces.
    fn branch(&mut self, record: &mut Record, number: &str, at: usize) -> Result<(), Fault> {
        let number = number.trim_matches(is_blank).trim_end_matches('手').parse::<usize>().ok();
        let after = number.and_then(|number| number.checked_sub(1)).filter(|&after| after <= self.path.len());
        let refuse =
            || Fault::new(at, format!("a variation from a move that the {} moves lack", self.path.len()));
        let after = after.ok_or_else(refuse)?;
        let of = self.path.get(after).or(self.path.last()).map_or(0, |&(line, _)| line);
        self.line = record.begin(of, after, at)?;
        self.path.truncate(after);
        self.ended = false;
        Ok(())
    }

    fn read(&mut self, record: &mut Record, line: Line<'_>, number: usize, rest: &str) -> Result<(), String> {
        let expected = self.path.len() + 1;
        if number != expected {
            return Err(format!("row {number} where row {expected} should be"));
        }
        if let Some(end) = ENDS.iter().find(|end| rest.starts_with(**end)) {
            self.ended = true;
            if self.line == 0 {
                record.end = Some((*end).to_owned());
                record.ending = ending(end, shogi_line::mover(record, record.plies.len()));
            }
            return Ok(());
        }
        let last = self.path.last().map(|&(_, to)| to);
        let (turn, to, rest) =
            read_move(rest, last).ok_or_else(|| format!("'{}' is no move", shown(rest)))?;
        self.path.push((self.line, to));
        let ply = Ply { turn, line: line.number, end: line.end, remarks: None };
        record.push_to(self.line, ply).map_err(|fault| fault.reason)?;
        if let Some(used) = read_time(rest)
            && let Some(remarks) = record.last_remarks_of(self.line)
        {
            remarks.used_us = Some(used);
        }
        Ok(())
    }
}

/// The move that begins `text`, in USI, its destination, and what follows.
fn read_move(text: &str, last: Option<(u8, u8)>) -> Option<(String, (u8, u8), &str)> {
    let (to, rest) = match text.strip_prefix('同') {
        Some(rest) => (last?, rest.trim_start_matches(is_blank)),
        None => japanese::take_square(text)?,
    };
    let ((letter, _), rest) = japanese::take_man(rest)?;
    let (promote, rest) = match rest.strip_prefix("不成") {
        Some(rest) => (false, rest),
        None => match rest.strip_prefix('成') {
            Some(rest) => (true, rest),
            None => (false, rest),
        },
    };
    if let Some(rest) = rest.strip_prefix('打') {
        return Some((setup::usi(None, to, letter, false), to, rest));
    }
    let (inside, rest) = rest.strip_prefix('(')?.split_once(')')?;
    let (from, after) = japanese::take_square(inside)?;
    after.is_empty().then(|| (setup::usi(Some(from), to, letter, promote), to, rest))
}

/// One game in UTF-8. Scores are from Black's side, with the keys that ShogiHome reads.
///
/// # Errors
/// A record that is not legal shogi.
pub fn write(record: &Record) -> Result<String, Rejected> {
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    text += &write_head(record)?;
    text += "手数----指手---------消費時間--\n";
    let mut sums = [0u64; 2];
    let (mut number, mut seconds) = (0, clock::whole_seconds(record));
    let last = shogi_line::walk(record, |ply, position, mv| {
        number += 1;
        let side = position.side_to_move();
        let used = seconds.next().unwrap_or(0);
        let [first, second] = &mut sums;
        let sum = if side == Side::First { first } else { second };
        *sum += used;
        text += &row_text(number, &move_text(position, mv), used, *sum);
        if let Some(remarks) = &ply.remarks {
            text += &comments(remarks, position);
        }
    })?;
    if let Some(end) = &record.ending {
        let (word, sentence) = end_words(end, last.side_to_move());
        let [first, second] = sums;
        text +=
            &row_text(number + 1, word, 0, if last.side_to_move() == Side::First { first } else { second });
        if let Some(cause) = end.cause.filter(|cause| !end.detail.is_empty() || cause.is_fault()) {
            text += &format!("*{}: {}\n", cause.word(), one_line(&end.detail));
        }
        text += &format!("まで{number}手で{sentence}\n");
    }
    for line in record.nested() {
        let mut number = record.after(line);
        text += &format!("\n変化：{}手\n", number + 1);
        shogi_line::walk_variation(record, line, |ply, position, mv| {
            number += 1;
            text += &row_text(number, &move_text(position, mv), 0, 0);
            if let Some(remarks) = &ply.remarks {
                text += &comments(remarks, position);
            }
        })?;
    }
    Ok(text)
}

/// The headers of KIF and KI2, with the diagram of a start that is not the usual one.
///
/// # Errors
/// If the start is no position.
pub fn write_head(record: &Record) -> Result<String, Rejected> {
    let mut text = String::new();
    if let Some(date) = clock::slashed(&record.date) {
        text += &format!("開始日時：{date}\n");
    }
    if !record.event.is_empty() {
        text += &format!("棋戦：{}\n", one_line(&record.event));
    }
    if !record.limit.is_empty() {
        text += &format!("持ち時間：{}\n", one_line(&record.limit));
    }
    let start = shogi_line::position(&record.start)?;
    let mut titles = ["先手", "後手"];
    if shogi_line::is_usual(&start) {
        text += "手合割：平手\n";
    } else if let Some(name) = setup::handicap_name(&sfen::format(&start)) {
        text += &format!("手合割：{name}\n");
        titles = ["下手", "上手"];
    } else {
        text += "手合割：その他\n";
        text += &japanese::diagram(&start);
    }
    let [first, second] = titles;
    Ok(text + &format!("{first}：{}\n{second}：{}\n", record.name(Side::First), record.name(Side::Second)))
}

/// The same text for programs that read only Shift_JIS with CRLF; `None` if a name needs letters
/// that Shift_JIS lacks.
pub fn shift_jis(text: &str) -> Option<Vec<u8>> {
    let text = text.replacen("encoding=UTF-8", "encoding=Shift_JIS", 1).replace('\n', "\r\n");
    // An unknown letter would become a numeric reference.
    let (bytes, _, lossy) = encoding_rs::SHIFT_JIS.encode(&text);
    (!lossy).then(|| bytes.into_owned())
}

/// A legal move as KIF writes it, without the time: `７六歩(77)`, `同　銀(31)`, `４五角打`.
pub fn move_text(position: &Position, mv: Move) -> String {
    let last = position.last_move();
    let place = if last.is_some() && last.to() == mv.to() {
        "同　".to_owned()
    } else {
        japanese::square_name(mv.to())
    };
    let piece = japanese::piece_name(japanese::mover(position, mv));
    if mv.is_drop() {
        return format!("{place}{piece}打");
    }
    let promotes = if mv.is_promotion() { "成" } else { "" };
    format!("{place}{piece}{promotes}({}{})", mv.from().file() + 1, mv.from().rank() + 1)
}

/// One row of the list of moves.
fn row_text(number: usize, what: &str, seconds: u64, sum: u64) -> String {
    format!(
        "{number:4} {what}   ({:2}:{:02}/{:02}:{:02}:{:02})\n",
        seconds / 60,
        seconds % 60,
        sum / 3600,
        sum / 60 % 60,
        sum % 60
    )
}

/// The comments on a move from `position`, behind its row.
pub(super) fn comments(remarks: &Remarks, position: &Position) -> String {
    let mut text = String::new();
    match remarks.score.map(|score| shogi_line::seen_by(position.side_to_move(), score)) {
        Some(Score::MateIn(plies)) => text += &format!("**詰み=先手勝ち:{plies}手\n"),
        Some(Score::MatedIn(plies)) => text += &format!("**詰み=後手勝ち:{plies}手\n"),
        Some(Score::Cp(cp) | Score::Exact(cp)) => text += &format!("**評価値={cp}\n"),
        None => {}
    }
    let line = line_text(position, &remarks.expected);
    if !line.is_empty() {
        text += &format!("**読み筋={line}\n");
    }
    if let Some(depth) = remarks.depth {
        text += &format!("**深さ={depth}\n");
    }
    if let Some(nodes) = remarks.nodes {
        text += &format!("**ノード数={nodes}\n");
    }
    for comment in &remarks.comments {
        text += &format!("*{}\n", one_line(comment));
    }
    text
}

/// An expected line behind its first move, which is the move played.
fn line_text(position: &Position, line: &[String]) -> String {
    let mut text = String::new();
    let shown = line.get(..LINE_SHOWN).unwrap_or(line);
    let mut first = true;
    shogi_line::follow(position, shown, |position, mv| {
        if !std::mem::take(&mut first) {
            text.push(if position.side_to_move() == Side::First { '▲' } else { '△' });
            text += &move_text(position, mv);
        }
    });
    text
}

/// The word that ends the list, whose subject is the side to move, and the closing sentence.
pub fn end_words(end: &Ending, to_move: Side) -> (&'static str, String) {
    use EndCause::*;
    let name = |side: Side| if side == Side::First { "先手" } else { "後手" };
    let Some(winner) = end.winner else {
        return match end.cause {
            Some(Repetition) => ("千日手", "千日手".into()),
            _ => ("持将棋", "持将棋".into()),
        };
    };
    let mover_won = winner == to_move;
    let won = format!("{}の勝ち", name(winner));
    match end.cause {
        Some(Declare | Impasse) if mover_won => ("入玉勝ち", format!("{}の入玉勝ち", name(winner))),
        Some(Mate) if !mover_won => ("詰み", won),
        Some(Time) if !mover_won => ("切れ負け", format!("時間切れにより{won}")),
        Some(AdjWin) if mover_won => ("中断", "中断".into()),
        None | Some(Resign | AdjWin | Impasse) if !mover_won => ("投了", won),
        _ if mover_won => ("反則勝ち", format!("{}の反則負け", name(winner.other()))),
        _ => ("反則負け", format!("{}の反則負け", name(to_move))),
    }
}

#[cfg(test)]
mod tests;
