//! CSA, the record of shogi servers and tournaments, versions 1 to 3.
//!
//! Formats: <http://www2.computer-shogi.org/protocol/record_v22.html> and `record_v3.html` there.

use super::setup::{self, Man, Setup};
use super::text::{lines, shown};
use super::{Fault, Form, Item, Record};
use crate::game::Side;
use crate::games::GameName;

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
        if broken || line.text.starts_with('\'') {
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
    /// Whether the side to move was told, which ends the set-up.
    begun: bool,
    /// Whether anything was read at all.
    touched: bool,
}

impl Reader {
    fn new(line: usize) -> Reader {
        let record = Record::new(GameName::Shogi, Form::Csa, line, "startpos");
        Reader { record, setup: Setup::empty(), begun: false, touched: false }
    }

    /// The record so far, if its start is known.
    fn take(&mut self) -> Option<Record> {
        let record = Record::new(GameName::Shogi, Form::Csa, self.record.line, "");
        self.begun.then(|| std::mem::replace(&mut self.record, record))
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
                let good = !time.is_empty() && time.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0);
                if good { Ok(()) } else { Err(format!("'{}' is no time", shown(text))) }
            }
            '%' => {
                if !self.begun {
                    return Err(format!("'{}' before the game", shown(text)));
                }
                self.record.end = Some(text.to_owned());
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
mod tests {
    use super::*;

    const GAME: &str = "'CSA encoding=UTF-8\nV3.0\nN+engineA, the first\nN-engineB\n$EVENT:kaeshi match\nPI\n+\n+7776FU\nT1.234\n\
        '** 55 -3334FU #12345\n-3334FU\nT1\n+8822UM,T2\n-3122GI\n+0045KA\n%TORYO\nT4\n";

    fn turns(item: &Item) -> Vec<&str> {
        item.as_ref().unwrap().plies.iter().map(|ply| ply.turn.as_str()).collect()
    }

    #[test]
    fn a_game_is_read() {
        let items = read(GAME);
        assert_eq!(items.len(), 1);
        let record = items[0].as_ref().unwrap();
        assert_eq!(turns(&items[0]), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
        assert_eq!((record.start.as_str(), record.end.as_deref()), ("startpos", Some("%TORYO")));
        assert_eq!(record.tag("先手"), Some("engineA, the first"));
        assert_eq!(record.fault, None);
    }

    #[test]
    fn several_games_are_divided_by_slashes_and_one_broken_harms_no_other() {
        let three = format!("{GAME}/\n{}/\n{GAME}", GAME.replace("-3122GI", "-3122KI"));
        let items = read(&three);
        assert_eq!(items.len(), 3);
        assert_eq!(turns(&items[1]).len(), 3);
        let fault = items[1].as_ref().unwrap().fault.as_ref().unwrap();
        assert_eq!(fault.line, 18 + 14);
        assert!(fault.reason.contains("another piece"), "{fault}");
        assert_eq!(turns(&items[2]).len(), 5);
    }

    #[test]
    fn positions_are_set_up_in_all_three_ways() {
        let start = |text: &str| read(text).remove(0).unwrap().start;
        let handicap = "sfen lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(start("PI82HI\n-\n-3334FU\n"), handicap);
        let rows = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n\
            P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  *\n\
            P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n";
        assert_eq!(start(rows), "startpos");
        assert_eq!(
            start("P-11OU21FU22FU23FU24FU25FU26FU27FU28FU29FU\nP+59OU53TO00HI\nP-00AL\n+\n"),
            "sfen 7pk/7p1/4+P2p1/7p1/7p1/7p1/7p1/7p1/4K2p1 b Rr2b4g4s4n4l8p 1"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (from, to, line, reason) in [
            ("+7776FU", "+7776XX", 8, "no move"),
            ("+7776FU", "-7776FU", 8, "other side"),
            ("+7776FU", "+7576FU", 8, "no piece"),
            ("+0045KA", "+0045UM", 15, "promoted"),
            ("T1\n", "Tx\n", 12, "no time"),
            ("-3122GI", "what", 14, "no statement"),
            ("PI\n+\n", "PI\n", 7, "before the line"),
            ("+\n", "+\n+\n", 8, "second time"),
            ("PI\n", "P1-KY-KE-QQ\n", 6, "no position"),
        ] {
            let text = GAME.replacen(from, to, 1);
            let fault = match read(&text).remove(0) {
                Ok(record) => record.fault.unwrap(),
                Err(fault) => fault,
            };
            assert_eq!(fault.line, line, "{to}: {fault}");
            assert!(fault.reason.contains(reason), "{to}: {fault}");
        }
        assert!(read("V2.2\nN+a\n").remove(0).is_err());
        assert!(read("").is_empty());
    }
}
