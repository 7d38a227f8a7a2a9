//! KIF, the record of most shogi programs: numbered rows with destination and origin.
//!
//! Format: <http://kakinoki.o.oo7.jp/kif_format.html>.

mod closing;
mod games;
mod head;
mod write;

use super::text::{TextLine, is_blank, lines, shown};
use super::{GameRecord, Headings, Item, RecordFault, RecordFormat, RecordPly, clock, setup, shogi_line};
use crate::referee::ending::EndCause;
use kaeshi_core::game::end_words::{NO_PASSES_IN_SHOGI, is_pass};
use kaeshi_core::game::score::Score;
use kaeshi_engine::games::GameName;
use kaeshi_shogi::rules::japanese;

use closing::bare_word;
pub(super) use closing::{closing, end_word, ending, is_known_end, said};
pub(super) use games::{KifLineRole, divide};
pub(super) use head::KifHeader;
pub use write::{SIDES, end_words, move_text, side_names, write, write_head};
pub(super) use write::{comments, kept_end, kept_headers, starred};

/// The only game of this form.
pub const GAME: GameName = GameName::Shogi;

/// Headings of KIF and KI2, the even game's names first.
const HEADINGS: Headings = Headings {
    players: [&["先手", "下手"], &["後手", "上手"]],
    event: &["棋戦"],
    date: &["開始日時"],
    limit: &["持ち時間"],
};

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

/// A header line, `key：value` with a colon of any width.
pub fn header(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['：', ':'])?;
    Some((key.trim_matches(is_blank), value.trim_matches(is_blank)))
}

/// The number of a line `変化：3手`, which announces a variation; `None` for any other line.
pub(super) fn variation(line: &str) -> Option<Option<usize>> {
    let number = line.strip_prefix("変化：").or_else(|| line.strip_prefix("変化:"))?;
    Some(number.trim_matches(is_blank).trim_end_matches('手').parse().ok())
}

/// Number and rest of a numbered row.
fn row(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(is_blank);
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = line.split_at(digits);
    Some((number.parse().ok()?, rest.trim_start_matches(is_blank)))
}

/// Reads all games of a KIF text. A variation takes the place of the turns from its number on in the line above it.
pub fn read(text: &str) -> Vec<Item> {
    let mut branch = None;
    let mut moves = false;
    let parts: Vec<(TextLine<'_>, KifLineRole)> = lines(text)
        .map(|line| {
            let part = part(line.text, moves, &mut branch);
            moves |= matches!(part, KifLineRole::Moves | KifLineRole::FirstMove);
            (line, part)
        })
        .collect();
    divide(&parts).iter().map(|game| read_game(game)).collect()
}

/// The role of a line; `branch` keeps the number of the variation that was announced last.
fn part(line: &str, moves: bool, branch: &mut Option<usize>) -> KifLineRole {
    let bare = line.trim_start_matches(is_blank);
    if let Some(number) = variation(bare) {
        *branch = number;
        return if moves { KifLineRole::Moves } else { KifLineRole::Header };
    }
    match row(line) {
        Some((number, rest)) if is_row(rest) => {
            // The first move of a variation may be the first one of its game.
            let varied = branch.take() == Some(number) && moves;
            if number == 1 && !varied { KifLineRole::FirstMove } else { KifLineRole::Moves }
        }
        _ if bare.starts_with("#KIF") || bare.starts_with("# ----") || bare.starts_with("手数---") => {
            KifLineRole::Header
        }
        _ if bare.starts_with(['*', '&', '#']) || bare.starts_with("まで") => KifLineRole::Other,
        _ if bare.starts_with('|') || header(bare).is_some() => KifLineRole::Header,
        _ => KifLineRole::Other,
    }
}

/// Whether the rest of a numbered row is a move or an end.
fn is_row(rest: &str) -> bool {
    rest.starts_with('同') || japanese::take_square(rest).is_some() || bare_word(rest).is_some()
}

fn read_game(game: &[TextLine<'_>]) -> Item {
    let begin = game.first().map_or(1, |line| line.number);
    let mut record = GameRecord::new(GAME, RecordFormat::Kif, begin, "startpos");
    let mut head = Some(KifHeader::new());
    let mut rows = KifRows::default();
    // The closing sentence has come, with the number of moves: no more of the game are to be expected.
    let mut closed: Option<(usize, &str)> = None;
    for &line in game {
        let bare = line.text.trim_start_matches(is_blank);
        if let Some(number) = variation(bare) {
            match &mut head {
                Some(head) => head.first = number,
                None => {
                    if let Err(fault) = rows.branch(&mut record, number, line.number) {
                        record.fault = Some(fault);
                        break;
                    }
                }
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
        let ended = closed.is_some() || record.end.is_some();
        let row = row(line.text).filter(|(_, rest)| !ended || is_row(rest));
        if (bare.starts_with("手数---") || row.is_some())
            && let Some(head) = head.take()
        {
            record.start = head.start(line.number)?;
            rows.announced = head.first;
        }
        if let Some(head) = &mut head {
            head.read(line, &mut record)?;
            continue;
        }
        let Some((number, rest)) = row else {
            if let Some(sentence) = bare.strip_prefix("まで") {
                closed.get_or_insert((record.plies.len(), sentence));
            } else if bare.starts_with("手数---") {
                // The list goes on.
            } else if ended {
                record.pass_over(line.number, bare);
            } else if let Some((key, value)) = header(bare) {
                record.tags.push((key.to_owned(), value.to_owned()));
            } else {
                record.fault = Some(RecordFault::new(
                    line.number,
                    format!("'{}' is no row of a KIF record", shown(bare)),
                ));
                break;
            }
            continue;
        };
        if let Err(reason) = rows.read(&mut record, line, number, rest) {
            record.fault = Some(RecordFault::new(line.number, reason));
            break;
        }
    }
    if let Some(head) = head {
        record.start = head.start(begin)?;
    }
    if let Some((_, sentence)) = closed.filter(|&(moves, _)| moves == record.plies.len()) {
        close(&mut record, sentence);
    }
    take_headings(&mut record);
    Ok(record)
}

/// Takes the end from the closing sentence where no row has it, or where the sentence names a foul.
fn close(record: &mut GameRecord, sentence: &str) {
    let end = closing(sentence, shogi_line::mover(record, record.plies.len()));
    let said = said(sentence);
    if record.end.is_none() && !said.is_empty() {
        record.end = Some(said.to_owned());
        record.ending = end;
    } else if end.as_ref().is_some_and(|end| record.ending.is_none() || end.cause == Some(EndCause::Illegal))
    {
        record.ending = end;
    }
}

/// Whether a line is a header that only a new game has.
pub(super) fn heads_game(line: &str) -> bool {
    let [first, second] = HEADINGS.players;
    let keys = [first, second, HEADINGS.event, HEADINGS.date, HEADINGS.limit, &["手合割"]].concat();
    header(line).is_some_and(|(key, _)| keys.contains(&key))
}

/// Names, event, date and limit from the headers of KIF and KI2.
pub fn take_headings(record: &mut GameRecord) {
    record.take_headings(HEADINGS);
}

/// A comment behind the last turn of a line: one of the keys that [`write`] uses, or a remark.
pub(super) fn read_comment(record: &mut GameRecord, line: usize, text: &str) {
    let last = record.line(line).len().checked_sub(1).filter(|_| line > 0 || record.end.is_none());
    let Some(last) = last else { return record.comment(line, text) };
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

/// Microseconds of `( 0:01/00:00:01)`.
fn read_time(text: &str) -> Option<u64> {
    let (minutes, seconds) =
        text.trim_matches(is_blank).strip_prefix('(')?.split_once('/')?.0.split_once(':')?;
    let minutes: u64 = minutes.trim().parse().ok().filter(|&minutes| minutes < 1_000_000)?;
    clock::microseconds(seconds.trim())?.checked_add(minutes * 60_000_000)
}

/// The place in the rows of a record.
struct KifRows {
    /// The number of the first row: that of a variation that stands alone, else 1.
    first: usize,
    /// The number of a variation that was announced before there were moves.
    announced: Option<usize>,
    /// The line that is read.
    line: usize,
    /// For each turn from the start to here the line that it belongs to, and its destination.
    path: Vec<(usize, (u8, u8))>,
    /// The line has come to its end.
    ended: bool,
}

impl Default for KifRows {
    fn default() -> KifRows {
        KifRows { first: 1, announced: None, line: 0, path: Vec::new(), ended: false }
    }
}

impl KifRows {
    /// Begins the variation that `変化：N手` announces.
    fn branch(
        &mut self,
        record: &mut GameRecord,
        number: Option<usize>,
        at: usize,
    ) -> Result<(), RecordFault> {
        let after = number
            .and_then(|number| number.checked_sub(self.first))
            .filter(|&after| after <= self.path.len());
        let refuse = || {
            RecordFault::new(at, format!("a variation from a move that the {} moves lack", self.path.len()))
        };
        let after = after.ok_or_else(refuse)?;
        let of = self.path.get(after).or(self.path.last()).map_or(0, |&(line, _)| line);
        self.line = record.begin(of, after, at)?;
        self.path.truncate(after);
        self.ended = false;
        Ok(())
    }

    fn read(
        &mut self,
        record: &mut GameRecord,
        line: TextLine<'_>,
        number: usize,
        rest: &str,
    ) -> Result<(), String> {
        let word = end_word(rest);
        if self.ended && word.is_some() {
            record.pass_over(line.number, rest);
            return Ok(());
        }
        if self.ended {
            let of = if self.line == 0 { "game" } else { "variation" };
            return Err(format!("'{}' after the end of the {of}", shown(rest)));
        }
        if self.path.is_empty() && self.line == 0 && self.announced == Some(number) {
            self.first = number;
        }
        let expected = self.path.len() + self.first;
        if number != expected {
            return Err(format!("row {number} where row {expected} should be"));
        }
        if let Some(word) = word {
            if is_pass(word) {
                return Err(NO_PASSES_IN_SHOGI.to_owned());
            }
            self.ended = true;
            if self.line == 0 {
                record.end = Some(word.to_owned());
                record.ending = ending(word, shogi_line::mover(record, record.plies.len()));
                if let Some(used) = rest.get(word.len()..).and_then(read_time) {
                    record.end_remarks.get_or_insert_default().used_us = Some(used);
                }
            }
            return Ok(());
        }
        let last = self.path.last().map(|&(_, to)| to);
        let (turn, to, rest) =
            read_move(rest, last).ok_or_else(|| format!("'{}' is no move", shown(rest)))?;
        self.path.push((self.line, to));
        let ply = RecordPly { turn, line: line.number, end: line.end, remarks: None };
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

#[cfg(test)]
mod tests;
