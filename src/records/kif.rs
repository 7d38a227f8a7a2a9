//! KIF, the record of most shogi programs: numbered rows with destination and origin.
//!
//! Format: <http://kakinoki.o.oo7.jp/kif_format.html>.

use super::japanese;
use super::setup::{self, Setup};
use super::text::{Line, lines, shown};
use super::{Fault, Form, Item, Record};
use crate::game::Side;
use crate::games::GameName;

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
pub struct Head {
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
                    match japanese::handicap(value) {
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

impl Default for Head {
    fn default() -> Head {
        Head::new()
    }
}

/// Reads a KIF text: its main line; variations are passed over.
///
/// # Errors
/// If the start position cannot be read.
pub fn read(text: &str) -> Item {
    let mut record = Record::new(GameName::Shogi, Form::Kif, 1, "startpos");
    let mut head = Some(Head::new());
    let mut last = None;
    for line in lines(text) {
        let bare = line.text.trim_start_matches(is_blank);
        if bare.starts_with("変化：") || bare.starts_with("変化:") {
            break;
        }
        if bare.is_empty() || bare.starts_with(['*', '&', '#']) {
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
        if record.end.is_some() {
            break;
        }
        if let Err(reason) = read_row(&mut record, line, number, rest, &mut last) {
            record.fault = Some(Fault::new(line.number, reason));
            break;
        }
    }
    if let Some(head) = head {
        record.start = head.start(1)?;
    }
    Ok(record)
}

fn read_row(
    record: &mut Record,
    line: Line<'_>,
    number: usize,
    rest: &str,
    last: &mut Option<(u8, u8)>,
) -> Result<(), String> {
    let expected = record.plies.len() + 1;
    if number != expected {
        return Err(format!("row {number} where row {expected} should be"));
    }
    if let Some(end) = ENDS.iter().find(|end| rest.starts_with(**end)) {
        record.end = Some((*end).to_owned());
        return Ok(());
    }
    let (turn, to) = read_move(rest, *last).ok_or_else(|| format!("'{}' is no move", shown(rest)))?;
    *last = Some(to);
    record.push(turn, line.number, line.end).map_err(|fault| fault.reason)
}

/// The move that begins `text`, in USI, and its destination.
fn read_move(text: &str, last: Option<(u8, u8)>) -> Option<(String, (u8, u8))> {
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
    if rest.starts_with('打') {
        return Some((setup::usi(None, to, letter, false), to));
    }
    let inside = rest.strip_prefix('(')?.split_once(')')?.0;
    let (from, after) = japanese::take_square(inside)?;
    after.is_empty().then(|| (setup::usi(Some(from), to, letter, promote), to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "#KIF version=2.0 encoding=UTF-8\r\n手合割：平手\r\n先手：甲\r\n後手：乙\r\n\
        手数----指手---------消費時間--\r\n   1 ７六歩(77)   ( 0:01/00:00:01)\r\n*評価値 55\r\n\
        \u{20}  2 ３四歩(33)   ( 0:01/00:00:01)\r\n   3 ２二角成(88) ( 0:02/00:00:03)\r\n\
        \u{20}  4 同　銀(31)   ( 0:01/00:00:02)\r\n   5 ４五角打     ( 0:03/00:00:06)\r\n\
        \u{20}  6 投了         ( 0:04/00:00:06)\r\nまで5手で先手の勝ち\r\n\r\n変化：3手\r\n   3 ２六歩(27)\r\n";

    fn turns(record: &Record) -> Vec<&str> {
        record.plies.iter().map(|ply| ply.turn.as_str()).collect()
    }

    #[test]
    fn the_main_line_is_read() {
        let record = read(GAME).unwrap();
        assert_eq!(turns(&record), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
        assert_eq!(record.start, "startpos");
        assert_eq!(record.end.as_deref(), Some("投了"));
        assert_eq!((record.tag("先手"), record.tag("後手")), (Some("甲"), Some("乙")));
        assert_eq!(record.fault, None);
        assert_eq!(record.plies[2].line, 9);
        assert!(GAME[..record.plies[0].end].ends_with("( 0:01/00:00:01)\r\n"));
    }

    #[test]
    fn handicaps_begin_with_white() {
        let record = read("手合割：二枚落ち　　\n下手：a\n上手：b\n手数----指手--\n 1 ６二銀(71)\n").unwrap();
        assert_eq!(record.start, "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
        assert_eq!(turns(&record), ["7a6b"]);
    }

    #[test]
    fn a_board_and_hands_are_read() {
        let text = "後手の持駒：飛二　角　金　桂　歩十八　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
            +---------------------------+\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
            | ・ ・ ・ ・ と ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n\
            | ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・v馬|八\n\
            | ・ ・ ・ ・ 玉 ・ ・ ・ 香|九\n+---------------------------+\n先手の持駒：金二　\n後手番\n\
            手数----指手--\n 1 投了\n";
        let record = read(text).unwrap();
        assert_eq!(record.start, "sfen 4k4/9/4+P4/9/9/9/9/8+b/4K3L w 2G2rbgn18p 1");
    }

    #[test]
    fn faults_tell_the_line_and_keep_what_was_good() {
        for (bad, line, turns) in [
            (GAME.replace("３四歩(33)", "３四歩（33）"), 8, 1),
            (GAME.replace("   4 同", "   5 同"), 10, 3),
            (GAME.replace("   1 ７六歩(77)", "   1 同　歩(77)"), 6, 0),
            (GAME.replace("４五角打", "４五角"), 11, 4),
        ] {
            let record = read(&bad).unwrap();
            assert_eq!(record.fault.as_ref().map(|fault| fault.line), Some(line), "{:?}", record.fault);
            assert_eq!(record.plies.len(), turns);
        }
        assert_eq!(read("手合割：十九枚落ち\n").map_err(|fault| fault.line), Err(1));
        assert!(read("後手の持駒：玉\n").is_err());
        assert!(read("|v香v桂|一\n").is_err());
    }
}
