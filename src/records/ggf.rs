//! GGF, the record of Othello servers: <https://www.skatgame.net/mburo/ggsa/ggf>.

use super::clock::{self, Clock};
use super::text::{one_line, shown};
use super::transcript::{self, Passing};
use super::{Fault, Form, Headings, Item, Record, Told};
use crate::game::score::Score;
use crate::game::{Rejected, Side};
use crate::games::GameName;
use crate::referee::ending::{EndCause, Ending};
use crate::reversi::rules::notation;
use crate::reversi::rules::position::Turn;

/// The only game of this form.
pub const GAME: GameName = GameName::Reversi;

const HEADINGS: Headings =
    Headings { players: [&["PB"], &["PW"]], event: &["PC"], date: &["DT"], limit: &[] };

/// Whether a first line begins a GGF game; archives number theirs.
pub fn is_ggf(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    line.starts_with("(;") && line.contains("GM[")
}

/// Reads all games of a GGF text.
pub fn read(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut rest, mut line, mut offset) = (text, 1, 0);
    while let Some(begin) = rest.find("(;") {
        line += rest.get(..begin).unwrap_or_default().matches('\n').count();
        let after = rest.get(begin + 2..).unwrap_or_default();
        let body = match after.find(";)") {
            Some(end) => after.get(..end).unwrap_or_default(),
            None => {
                items.push(Err(Fault::new(line, "the game does not end with ';)'")));
                break;
            }
        };
        offset += begin + 2;
        items.push(read_game(body, line, offset));
        line += body.matches('\n').count();
        rest = after.get(body.len() + 2..).unwrap_or_default();
        offset += body.len() + 2;
    }
    items
}

/// The properties of a game: key, value, and offset behind the value.
fn properties(body: &str) -> impl Iterator<Item = Option<(&str, &str, usize)>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = body.get(at..)?;
        if rest.trim().is_empty() {
            return None;
        }
        let found = rest.find('[').and_then(|open| {
            let close = open + rest.get(open..)?.find(']')?;
            let key = rest.get(..open)?.trim();
            let value = rest.get(open + 1..close)?;
            let end = at + close;
            at = end + 1;
            key.chars().all(|c| c.is_ascii_alphabetic()).then_some((key, value, end))
        });
        if found.is_none() {
            at = body.len();
        }
        Some(found)
    })
}

fn read_game(body: &str, line: usize, offset: usize) -> Item {
    let mut record = Record::new(GAME, Form::Ggf, line, "");
    let mut game = None;
    for property in properties(body) {
        let at = |end: usize| line + body.get(..end).unwrap_or_default().matches('\n').count();
        let Some((key, value, end)) = property else {
            record.fault = Some(Fault::new(line, "a property is not written KEY[value]"));
            break;
        };
        let fail = |reason: String| Fault::new(at(end), reason);
        match key {
            "GM" if !matches!(&*value.to_ascii_lowercase(), "othello" | "reversi") => {
                return Err(fail(format!("the game is '{}', not Othello", shown(value))));
            }
            "BO" => {
                let text = board(value).ok_or_else(|| fail("the board is not 8x8".to_owned()))?;
                let position = notation::parse_position(&text).map_err(|reason| fail(reason.0))?;
                record.start = notation::format_position(&position);
                game = Some(Passing::new(position));
            }
            "B" | "W" => {
                let Some(game) = &mut game else {
                    return Err(fail("a move before the board BO[…]".to_owned()));
                };
                let side = if key == "B" { Side::First } else { Side::Second };
                if let Err(fault) = make(&mut record, game, side, value, at(end), offset + end) {
                    record.fault = Some(fault);
                    break;
                }
            }
            "RE" => {
                record.end = Some(value.to_owned());
                record.ending = ending(value);
            }
            _ => record.tags.push((key.to_owned(), value.to_owned())),
        }
    }
    record.take_headings(HEADINGS);
    match record.fault.take() {
        Some(fault) if game.is_none() => Err(fault),
        None if game.is_none() => Err(Fault::new(line, "the board BO[…] is missing")),
        fault => {
            record.fault = fault;
            Ok(record)
        }
    }
}

/// `8 ---…--- *` as the position text of the game.
fn board(value: &str) -> Option<String> {
    let squares: String = value.trim().strip_prefix('8')?.split_whitespace().collect();
    let (board, side) = squares.split_at_checked(squares.len().checked_sub(1)?)?;
    let side = match side {
        "*" => 'X',
        "O" => 'O',
        _ => return None,
    };
    Some(format!("{} {side}", board.replace('*', "X")))
}

fn make(
    record: &mut Record,
    game: &mut Passing,
    side: Side,
    value: &str,
    line: usize,
    end: usize,
) -> Result<(), Fault> {
    let mut fields = value.split('/').map(str::trim);
    let word = fields.next().unwrap_or_default();
    let turn = notation::read_turn(word).map_err(|reason| Fault::new(line, reason.0))?;
    let before = record.plies.len();
    game.push(record, turn, line)?;
    let mover = game.position().side.other();
    if mover != side {
        record.plies.truncate(before);
        return Err(Fault::new(line, format!("{word}: the other side is to move")));
    }
    if let Some(ply) = record.plies.last_mut() {
        ply.end = end;
        let (score, used) = (fields.next(), fields.next());
        if score.is_some() {
            let told = ply.told_mut();
            told.score = score.and_then(hundredths).map(Score::Cp);
            told.used_us = used.and_then(clock::microseconds);
        }
    }
    Ok(())
}

/// Discs with or without a fraction, in hundredths.
fn hundredths(text: &str) -> Option<i32> {
    let discs: f64 = text.parse().ok()?;
    (-1e6..=1e6).contains(&discs).then(|| (discs * 100.0).round() as i32)
}

/// `+12.00`, `-64.00:r`: discs by which Black is ahead, and why it ended early.
fn ending(text: &str) -> Option<Ending> {
    let (discs, why) = text.split_once(':').unwrap_or((text, ""));
    let end = Ending::by_margin(hundredths(discs.trim())? / 100);
    let cause = match why.trim() {
        "" => return Some(end),
        "r" => Some(EndCause::Resign),
        "t" => Some(EndCause::Time),
        _ => None,
    };
    Some(Ending { cause, margin: None, ..end })
}

/// One game on one line: moves with the score in discs from the mover's side and the seconds used.
///
/// # Errors
/// A record that is not legal Reversi.
pub fn write(record: &Record) -> Result<String, Rejected> {
    let mut text = String::from("(;GM[Othello]");
    if !record.event.is_empty() {
        text += &format!("PC[{}]", property(&record.event));
    }
    if let Some(date) = record.date.get(..19) {
        text += &format!("DT[{} GMT]", date.replace('T', " "));
    }
    let [black, white] = [Side::First, Side::Second].map(|side| property(&record.name(side)));
    text += &format!("PB[{black}]PW[{white}]RE[{}]", result(record.ending.as_ref()));
    if let Some(clock) = Clock::parse(&record.limit) {
        text += &format!("TI[{}/{}/]", time(clock.main), time(clock.increment.max(clock.byoyomi)));
    }
    let start = notation::parse_position(&record.start)?;
    text += &format!("TY[8]BO[8 {}]", notation::format_position(&start).replace('X', "*"));
    transcript::walk(record, |ply, position, turn| {
        let colour = if position.side == Side::First { 'B' } else { 'W' };
        let square = match turn {
            Turn::Pass => "PA".to_owned(),
            Turn::Place(_) => notation::format_turn(turn).to_ascii_uppercase(),
        };
        text += &format!("{colour}[{square}{}]", ply.told.as_deref().map(told).unwrap_or_default());
    })?;
    Ok(text + ";)\n")
}

/// `/score/seconds`; what is missing leaves its place empty.
fn told(told: &Told) -> String {
    let score = match told.score {
        Some(Score::Cp(value) | Score::Exact(value)) => format!("{:.2}", f64::from(value) / 100.0),
        Some(Score::MateIn(_) | Score::MatedIn(_)) | None => String::new(),
    };
    let used = told.used_us.map(|used| format!("{:.2}", used as f64 / 1e6)).unwrap_or_default();
    format!("/{score}/{used}")
}

/// A text that cannot end its bracket.
fn property(text: &str) -> String {
    one_line(text).replace('[', "(").replace(']', ")").replace('\\', "/")
}

/// `mm:ss`; empty for none.
fn time(seconds: f64) -> String {
    let whole = seconds.ceil() as u64;
    if whole == 0 { String::new() } else { format!("{:02}:{:02}", whole / 60, whole % 60) }
}

/// Discs by which Black is ahead; a game that was broken off counts as all discs.
fn result(end: Option<&Ending>) -> String {
    let Some(end) = end else { return "?".to_owned() };
    let discs = match (end.margin, end.winner) {
        (Some(margin), _) => margin,
        (None, None) => 0,
        (None, Some(Side::First)) => 64,
        (None, Some(Side::Second)) => -64,
    };
    let why = match end.cause {
        Some(EndCause::Resign) => ":r",
        Some(EndCause::Time) => ":t",
        _ => "",
    };
    format!("{:+.2}{why}", f64::from(discs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "(;GM[Othello]PC[kaeshi]DT[2026-11-20 16:00:00 GMT]PB[a]PW[b]RE[+12.00]TI[01:00//]TY[8]\
        BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5/0.50/1.23]W[D6//0.40]\nB[C3];)";

    fn turns(item: &Item) -> Vec<&str> {
        item.as_ref().unwrap().plies.iter().map(|ply| ply.turn.as_str()).collect()
    }

    #[test]
    fn games_are_read_one_after_the_other() {
        let items = read(&format!("{GAME}\n2 {GAME}{GAME}"));
        assert_eq!(items.len(), 3);
        for item in &items {
            assert_eq!(turns(item), ["f5", "d6", "c3"]);
        }
        let first = items[0].as_ref().unwrap();
        assert_eq!((first.tag("PB"), first.end.as_deref()), (Some("a"), Some("+12.00")));
        assert!(first.start.ends_with(" X"));
        assert!(GAME[..first.plies[0].end].ends_with("F5/0.50/1.23"));
        assert_eq!((first.plies[2].line, items[1].as_ref().unwrap().line), (2, 3));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (from, to, reason) in [
            ("GM[Othello]", "GM[Chess]", "not Othello"),
            ("BO[8", "BO[10", "8x8"),
            ("BO[8", "XX[8", "before the board"),
            ("W[D6", "W[A1", "not legal"),
            ("W[D6", "B[D6", "other side"),
            ("C3]", "C3", "KEY[value]"),
            ("C3]", "Z3]", "no square"),
            (";)", ")", "does not end"),
        ] {
            let text = GAME.replacen(from, to, 1);
            let fault = match read(&text).remove(0) {
                Ok(record) => record.fault.unwrap(),
                Err(fault) => fault,
            };
            assert!(fault.reason.contains(reason), "{to}: {fault}");
        }
        assert_eq!(
            read(&format!("\n\n{}", GAME.replace("C3", "A1")))[0]
                .as_ref()
                .unwrap()
                .fault
                .as_ref()
                .unwrap()
                .line,
            4
        );
    }
}
