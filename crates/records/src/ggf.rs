//! GGF, the record of Othello servers: <https://www.skatgame.net/mburo/ggsa/ggf>.

use super::clock::{self, RecordTimeControl};
use super::text::{lines, one_line, shown};
use super::transcript::{self, Passing};
use super::{GameRecord, Headings, Item, PlyRemarks, RecordFault, RecordFormat};
use crate::referee::ending::{EndCause, Ending};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;
use kaeshi_reversi::rules::notation;
use kaeshi_reversi::rules::position::ReversiTurn;

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
                items.push(Err(RecordFault::new(line, "the game does not end with ';)'")));
                return items;
            }
        };
        offset += begin + 2;
        items.push(read_game(body, line, offset));
        line += body.matches('\n').count();
        rest = after.get(body.len() + 2..).unwrap_or_default();
        offset += body.len() + 2;
    }
    if let (Some(Ok(record)), Some(behind)) =
        (items.last_mut(), lines(rest).find(|line| !line.text.trim().is_empty()))
    {
        record.pass_over(line + behind.number - 1, behind.text.trim());
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
    let mut record = GameRecord::new(GAME, RecordFormat::Ggf, line, "");
    let mut game = None;
    for property in properties(body) {
        let at = |end: usize| line + body.get(..end).unwrap_or_default().matches('\n').count();
        let Some((key, value, end)) = property else {
            record.fault = Some(RecordFault::new(line, "a property is not written KEY[value]"));
            break;
        };
        let fail = |reason: String| RecordFault::new(at(end), reason);
        match key {
            "GM" if !matches!(&*value.to_ascii_lowercase(), "othello" | "reversi") => {
                return Err(fail(format!("the game is '{}', not Othello", shown(value))));
            }
            "BO" => {
                let text = board(value).ok_or_else(|| fail("the board is not 8x8".to_owned()))?;
                let position = notation::parse_position(&text).map_err(|reason| fail(reason.into()))?;
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
    if record.fault.is_some() {
        // The result stands before the moves; the game that can be read has not ended.
        (record.end, record.ending) = (None, None);
    }
    record.take_headings(HEADINGS);
    match record.fault.take() {
        Some(fault) if game.is_none() => Err(fault),
        None if game.is_none() => Err(RecordFault::new(line, "the board BO[…] is missing")),
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
    record: &mut GameRecord,
    game: &mut Passing,
    side: Side,
    value: &str,
    line: usize,
    end: usize,
) -> Result<(), RecordFault> {
    let mut fields = value.split('/').map(str::trim);
    let word = fields.next().unwrap_or_default();
    let turn = notation::read_turn(word).map_err(|reason| RecordFault::new(line, reason))?;
    let before = record.plies.len();
    game.push(record, turn, line)?;
    let mover = game.position().side.other();
    if mover != side {
        record.plies.truncate(before);
        return Err(RecordFault::new(line, format!("{word}: the other side is to move")));
    }
    if let Some(ply) = record.plies.last_mut() {
        ply.end = end;
        let (score, used) = (fields.next(), fields.next());
        if score.is_some() {
            let remarks = ply.remarks_mut();
            remarks.score = score.and_then(hundredths).map(Score::Cp);
            remarks.used_us = used.and_then(clock::microseconds);
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
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let mut text = String::from("(;GM[Othello]");
    if !record.event.is_empty() {
        text += &format!("PC[{}]", property(&record.event));
    }
    if let Some(date) = record.date.get(..19) {
        text += &format!("DT[{} GMT]", date.replace('T', " "));
    }
    let [black, white] = [Side::First, Side::Second].map(|side| property(&record.name(side)));
    text += &format!("PB[{black}]PW[{white}]RE[{}]", result(record.ending.as_ref()));
    if let Some(clock) = RecordTimeControl::parse(&record.limit) {
        text += &format!("TI[{}/{}/]", time(clock.main), time(clock.increment.max(clock.byoyomi)));
    }
    let start = notation::parse_position(&record.start)?;
    text += &format!("TY[8]BO[8 {}]", notation::format_position(&start).replace('X', "*"));
    transcript::walk(record, |ply, position, turn| {
        let colour = if position.side == Side::First { 'B' } else { 'W' };
        let square = match turn {
            ReversiTurn::Pass => "PA".to_owned(),
            ReversiTurn::Place(_) => notation::format_turn(turn).to_ascii_uppercase(),
        };
        text += &format!("{colour}[{square}{}]", ply.remarks.as_deref().map(remarks).unwrap_or_default());
    })?;
    Ok(text + ";)\n")
}

/// `/score/seconds`; missing parts stay empty.
fn remarks(remarks: &PlyRemarks) -> String {
    let score = match remarks.score {
        Some(Score::Cp(value) | Score::Exact(value)) => format!("{:.2}", f64::from(value) / 100.0),
        Some(Score::MateIn(_) | Score::MatedIn(_)) | None => String::new(),
    };
    let used = remarks.used_us.map(|used| format!("{:.2}", used as f64 / 1e6)).unwrap_or_default();
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
    fn a_game_with_an_illegal_move_has_not_ended() {
        let record = read(&GAME.replace("W[D6", "W[A1")).remove(0).unwrap();
        assert_eq!((record.plies.len(), record.fault.is_some(), record.end), (1, true, None));
    }

    #[test]
    fn text_behind_the_last_game_is_reported() {
        let record = read(&format!("{GAME}\n\n-- \nTaro\n")).remove(0).unwrap();
        assert_eq!((record.fault, record.warnings[0].line), (None, 4));
        assert!(read(&format!("{GAME}\n")).remove(0).unwrap().warnings.is_empty());
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
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

    #[test]
    fn a_first_line_may_be_numbered() {
        for (line, known) in [
            ("(;GM[Othello]", true),
            ("12 (;PB[a]GM[Othello]", true),
            ("(;PB[a]", false),
            ("x(;GM[Othello]", false),
            ("GM[Othello]", false),
        ] {
            assert_eq!(is_ggf(line), known, "{line}");
        }
    }

    const START: &str = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    #[test]
    fn what_is_noted_of_a_turn_and_of_the_end_is_understood() {
        let text = format!("\n(;GM[reversi]{START}B[F5/0.505/1.23]\nW[d6//0.40]B[C3/x]W[D3]RE[-2.00];)");
        let record = read(&text).remove(0).unwrap();
        let remarks: Vec<_> = record.plies.iter().map(|ply| ply.remarks.as_deref().cloned()).collect();
        let values =
            |remarks: &Option<PlyRemarks>| remarks.as_ref().map(|remarks| (remarks.score, remarks.used_us));
        assert_eq!(values(&remarks[0]), Some((Some(Score::Cp(51)), Some(1_230_000))));
        assert_eq!(values(&remarks[1]), Some((None, Some(400_000))));
        assert_eq!(values(&remarks[2]), Some((None, None)));
        assert_eq!(values(&remarks[3]), None);
        assert_eq!((record.line, record.plies[0].line, record.plies[1].line), (2, 2, 3));
        assert_eq!(record.ending, Some(Ending::by_margin(-2)));
        let twice = text.repeat(2);
        for ply in read(&twice).into_iter().flat_map(|item| item.unwrap().plies) {
            assert!(twice[ply.end..].starts_with(']'), "{}", ply.turn);
        }
        assert_eq!(read(&twice)[1].as_ref().unwrap().line, 4);
        assert_eq!((hundredths("1000000.01"), hundredths("-1000000")), (None, Some(-100_000_000)));
        let end = |text: &str| ending(text).map(|end| (end.winner, end.cause, end.margin));
        assert_eq!(end("+12.00"), Some((Some(Side::First), None, Some(12))));
        assert_eq!(end("-64.00:r"), Some((Some(Side::Second), Some(EndCause::Resign), None)));
        assert_eq!(end("64:t "), Some((Some(Side::First), Some(EndCause::Time), None)));
        assert_eq!(end("64:?"), Some((Some(Side::First), None, None)));
        assert_eq!(end("?"), None);
    }

    #[test]
    fn a_board_has_64_squares_and_a_side() {
        let start =
            |board: &str| read(&format!("(;GM[Othello]BO[{board}];)")).remove(0).map(|record| record.start);
        let empty = "-".repeat(63);
        assert_eq!(start(&format!("8 {empty}* O")), Ok(format!("{empty}X O")));
        for board in
            [format!("8 {empty}* X"), format!("10 {empty}* *"), format!("8 {empty} *"), "8".to_owned()]
        {
            assert!(start(&board).is_err(), "{board}");
        }
        let missing = read("(;GM[Othello];)").remove(0).unwrap_err();
        assert!(missing.reason.contains("is missing"), "{missing}");
        let broken = read("(;GM[Othello]B1[x];)").remove(0).unwrap_err();
        assert!(broken.reason.contains("KEY[value]"), "{broken}");
    }

    #[test]
    fn what_is_known_of_a_game_is_written() {
        let mut record = GameRecord::new(super::GAME, RecordFormat::Ggf, 1, "startpos");
        record.plies = ["f5", "d6"].into_iter().map(crate::RecordPly::new).collect();
        record.plies[0].remarks_mut().score = Some(Score::Exact(-250));
        *record.plies[1].remarks_mut() =
            PlyRemarks { used_us: Some(1_234_000), score: Some(Score::MateIn(1)), ..PlyRemarks::default() };
        record.players = ["a[b]\\".into(), "c".into()];
        record.limit = "tc=60.5/30".into();
        let board = "---------------------------O*------*O--------------------------- *";
        let wanted = format!(
            "(;GM[Othello]PB[a(b)/]PW[c]RE[?]TI[01:01/00:30/]TY[8]BO[8 {board}]B[F5/-2.50/]W[D6//1.23];)\n"
        );
        assert_eq!(write(&record).unwrap(), wanted);
        record.limit = "tc=60".into();
        assert!(write(&record).unwrap().contains("TI[01:00//]"));
        let ends = [
            (Ending::by_margin(-2), "-2.00"),
            (Ending::by_margin(0), "+0.00"),
            (Ending::new(Some(Side::First), EndCause::Resign), "+64.00:r"),
            (Ending::new(Some(Side::Second), EndCause::Time), "-64.00:t"),
            (Ending::new(Some(Side::Second), EndCause::Crash), "-64.00"),
            (Ending::new(None, EndCause::MaxPlies), "+0.00"),
        ];
        for (end, text) in ends {
            assert_eq!(result(Some(&end)), text);
        }
    }

    #[test]
    fn passes_are_written_and_read_back() {
        // White has no move, and then Black plays on.
        let start = format!("{}XXXXXXO- O", "-".repeat(56));
        let mut record = GameRecord::new(super::GAME, RecordFormat::Ggf, 1, start);
        record.plies = ["pass", "h8"].into_iter().map(crate::RecordPly::new).collect();
        let text = write(&record).unwrap();
        assert!(text.contains("W[PA]B[H8]"), "{text}");
        let turns: Vec<_> = read(&text).remove(0).unwrap().plies.into_iter().map(|ply| ply.turn).collect();
        assert_eq!(turns, ["pass", "h8"]);
    }
}
