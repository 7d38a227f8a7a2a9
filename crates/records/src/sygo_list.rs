//! `.sygo`: headers in brackets, then numbered turns, comments in braces or behind a semicolon, and in parentheses
//! what might have been played instead of the turn before them, as PGN has it.
//!
//! ```text
//! [Sygo "1"] [Size "13"] [White "a"] [Black "b"]
//! 1. c4 {t 1.234 e +0.3 d 9 n 53211}
//! 2. +k11@c9   ; growth, then the balancing placement
//! ( 2. d4 3. e5 )
//! [Result "B+12"] [End "two-passes"]
//! ```

use super::text::{one_line, shown};
use super::{GameRecord, Headings, Item, PlyRemarks, RecordFault, RecordFormat, RecordPly, clock};
use crate::referee::ending::{EndCause, Ending, GameResult};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, Side};
use kaeshi_engine::games::GameName;
use kaeshi_sygo::rules::notation;
use kaeshi_sygo::rules::points::{SIZE_MAX, SIZE_MIN};
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;

/// The only game of this form.
pub const GAME: GameName = GameName::Sygo;

const HEADINGS: Headings =
    Headings { players: [&["White"], &["Black"]], event: &["Event"], date: &["Date"], limit: &["TC"] };

/// Reads all games of a text; each begins with `[Sygo "1"]`.
pub fn read(text: &str) -> Vec<Item> {
    let mut reader = SygoListParser { items: Vec::new(), record: None, lines: vec![0] };
    if let Err(fault) = reader.read(text) {
        reader.fail(fault);
    }
    reader.finish();
    reader.items
}

struct SygoListParser {
    items: Vec<Item>,
    record: Option<GameRecord>,
    /// The line that is read, behind those that it left.
    lines: Vec<usize>,
}

impl SygoListParser {
    fn finish(&mut self) {
        self.lines = vec![0];
        let Some(mut record) = self.record.take() else { return };
        record.take_headings(HEADINGS);
        record.ending = record.end.as_deref().and_then(|end| ending(end, record.tag("End")));
        self.items.push(Ok(record));
    }

    fn fail(&mut self, fault: RecordFault) {
        match &mut self.record {
            Some(record) if !record.start.is_empty() => record.fault = Some(fault),
            _ => {
                self.record = None;
                self.items.push(Err(fault));
            }
        }
    }

    fn read(&mut self, text: &str) -> Result<(), RecordFault> {
        let (mut at, mut line) = (0, 1);
        while let Some(sign) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = text.get(at..).unwrap_or_default();
            let length = match sign {
                '\n' => {
                    line += 1;
                    1
                }
                _ if sign.is_whitespace() => sign.len_utf8(),
                '[' => self.tag(rest, line)?,
                '(' => {
                    self.branch(line)?;
                    1
                }
                ')' if self.lines.len() > 1 => {
                    self.lines.pop();
                    1
                }
                ')' => return Err(RecordFault::new(line, "')' without '('")),
                '{' => {
                    let length =
                        rest.find('}').ok_or_else(|| RecordFault::new(line, "a comment '{' has no end"))? + 1;
                    line += rest.get(..length).unwrap_or_default().matches('\n').count();
                    self.comment(rest.get(1..length - 1).unwrap_or_default());
                    length
                }
                ';' => {
                    let length = rest.find('\n').unwrap_or(rest.len());
                    self.remark(rest.get(1..length).unwrap_or_default());
                    length
                }
                _ => {
                    let length = rest
                        .find(|c: char| c.is_whitespace() || matches!(c, '{' | ';' | '[' | '(' | ')'))
                        .unwrap_or(rest.len());
                    let word = rest.get(..length).unwrap_or_default();
                    self.word(word, line, at + length)?;
                    length
                }
            };
            at += length;
        }
        Ok(())
    }

    /// Reads a comment: an engine's data about the turn before, `t 1.234 e +0.30 d 9 n 53211`, or a remark.
    fn comment(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (pairs, rest) = words.as_chunks::<2>();
        let known = |pair: &[&str; 2]| matches!(pair, ["t" | "e" | "d" | "n", _]);
        if pairs.is_empty() || !rest.is_empty() || !pairs.iter().all(known) {
            self.remark(text);
            return;
        }
        let Some(remarks) = self.last_remarks() else { return };
        for [key, value] in pairs {
            match *key {
                "t" => remarks.used_us = clock::microseconds(value),
                "e" => remarks.score = hundredths(value).map(Score::Cp),
                "d" => remarks.depth = value.parse().ok(),
                _ => remarks.nodes = value.parse().ok(),
            }
        }
    }

    /// The line that is read.
    fn line(&self) -> usize {
        self.lines.last().copied().unwrap_or(0)
    }

    /// Begins what might have been played instead of the last turn.
    fn branch(&mut self, at: usize) -> Result<(), RecordFault> {
        let of = self.line();
        let record = self.record.as_mut().filter(|record| !record.line(of).is_empty());
        let record = record.ok_or_else(|| RecordFault::new(at, "'(' before a turn"))?;
        let after = record.after(of) + record.line(of).len() - 1;
        self.lines.push(record.begin(of, after, at)?);
        Ok(())
    }

    /// The remarks that a comment on the last turn is added to.
    fn last_remarks(&mut self) -> Option<&mut PlyRemarks> {
        let line = self.line();
        self.record.as_mut()?.last_remarks_of(line)
    }

    fn remark(&mut self, text: &str) {
        let Some(remarks) = self.last_remarks() else { return };
        remarks
            .comments
            .extend(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
    }

    /// `[Key "value"]`; returns its length.
    fn tag(&mut self, rest: &str, line: usize) -> Result<usize, RecordFault> {
        let refuse = || {
            let first = rest.lines().next().unwrap_or_default();
            RecordFault::new(line, format!("'{}' is not written [Key \"value\"]", shown(first)))
        };
        let open = rest.find('"').ok_or_else(refuse)?;
        let tail = rest.get(open + 1..).ok_or_else(refuse)?;
        let close = tail.find("\"]").ok_or_else(refuse)?;
        let key = rest.get(1..open).ok_or_else(refuse)?.trim();
        let value = tail.get(..close).ok_or_else(refuse)?;
        if key.contains(char::is_whitespace) || value.contains('\n') {
            return Err(refuse());
        }
        match key {
            "Sygo" if value != "1" => {
                return Err(RecordFault::new(line, format!("version '{}' is not known", shown(value))));
            }
            "Sygo" => {
                self.finish();
                self.record = Some(GameRecord::new(GAME, RecordFormat::SygoList, line, ""));
            }
            _ => {
                let record = self
                    .record
                    .as_mut()
                    .ok_or_else(|| RecordFault::new(line, "[Sygo \"1\"] must come first"))?;
                match key {
                    "Size" => {
                        record.start = empty_board(value).ok_or_else(|| {
                            RecordFault::new(
                                line,
                                format!("'{}' is no size from {SIZE_MIN} to {SIZE_MAX}", shown(value)),
                            )
                        })?
                    }
                    "Position" => record.start = format!("fen {value}"),
                    "Result" => record.end = Some(value.to_owned()),
                    _ => record.tags.push((key.to_owned(), value.to_owned())),
                }
            }
        }
        Ok(open + 1 + close + 2)
    }

    /// A number of a turn, which only orders the page, or a turn.
    fn word(&mut self, word: &str, line: usize, end: usize) -> Result<(), RecordFault> {
        let of = self.line();
        let record = self.record.as_mut().filter(|record| !record.start.is_empty());
        let record = record.ok_or_else(|| RecordFault::new(line, "turns before [Size …] or [Position …]"))?;
        if let Some(number) = word.strip_suffix('.') {
            let next = record.after(of) + record.line(of).len() + 1;
            let good = number.parse() == Ok(next);
            let reason = || format!("turn number {} where {next} should be", shown(word));
            return if good { Ok(()) } else { Err(RecordFault::new(line, reason())) };
        }
        record.push_to(of, RecordPly { turn: word.to_owned(), line, end, remarks: None })
    }
}

/// Points with or without a fraction, in hundredths.
fn hundredths(text: &str) -> Option<i32> {
    let points: f64 = text.parse().ok()?;
    (-1e6..=1e6).contains(&points).then(|| (points * 100.0).round() as i32)
}

/// `W+12`, `B+R` or `0`, and the word of the cause. White is the first side.
fn ending(result: &str, cause: Option<&str>) -> Option<Ending> {
    let cause = cause.and_then(EndCause::parse);
    let (winner, by) = match (result.strip_prefix("W+"), result.strip_prefix("B+")) {
        (Some(by), _) => (Side::First, by),
        (_, Some(by)) => (Side::Second, by),
        _ if result == "0" => return Some(Ending { cause, ..Ending::default() }),
        _ => return None,
    };
    let sign = if winner == Side::First { 1 } else { -1 };
    Some(Ending {
        winner: Some(winner),
        cause,
        margin: by.parse::<u16>().ok().map(|points| sign * i32::from(points)),
        detail: String::new(),
    })
}

/// One game. White moves first; times are seconds, scores points from the mover's side. The turns
/// are written as they are.
///
/// # Errors
/// If the start is no position.
pub fn write(record: &GameRecord) -> Result<String, GameError> {
    let start = match record.start.trim() {
        "startpos" => empty_board(&USUAL_SIZE.to_string()).unwrap_or_default(),
        start => start.to_owned(),
    };
    let start = start.strip_prefix("fen ").unwrap_or(&start);
    let position = notation::parse_position(start)?;
    let size = position.board.size();
    let canonical = notation::format_position(&position);
    let [white, black] = &record.players;
    let size = if size.columns() == size.rows() { size.rows().to_string() } else { size.to_string() };
    let mut text = format!("[Sygo \"1\"] [Size \"{size}\"]");
    text += &tag("White", white);
    text += &tag("Black", black);
    for (name, value) in [("TC", &record.limit), ("Date", &record.date)] {
        if !value.is_empty() {
            text += &tag(name, value);
        }
    }
    if empty_board(&size).is_none_or(|empty| empty.strip_prefix("fen ") != Some(&canonical)) {
        text += &tag("Position", &canonical);
    }
    text.push('\n');
    write_line(record, 0, &mut text);
    let Some(end) = &record.ending else { return Ok(text) };
    text += &format!("[Result \"{}\"]", result(end));
    text += &end.cause.map(|cause| tag("End", cause.word())).unwrap_or_default();
    Ok(text + "\n")
}

/// The turns of a line, a row each, and behind each turn the variations that take its place.
fn write_line(record: &GameRecord, line: usize, text: &mut String) {
    let mut branches = record.branches(line);
    for (ply, number) in record.line(line).iter().zip(record.after(line) + 1..) {
        *text +=
            &format!("{number}. {}{}\n", ply.turn, ply.remarks.as_deref().map(remarks).unwrap_or_default());
        while let Some(branch) = branches.pop_if(|branch| record.after(*branch) < number) {
            *text += "(\n";
            write_line(record, branch, text);
            *text += ")\n";
        }
    }
}

/// A tag with its value in quotes.
fn tag(name: &str, value: &str) -> String {
    format!(" [{name} \"{}\"]", one_line(value).replace('"', "'"))
}

/// The comment on a turn, in braces: values, then each remark.
fn remarks(remarks: &PlyRemarks) -> String {
    let mut words = Vec::new();
    if let Some(used_us) = remarks.used_us {
        words.push(format!("t {}.{:03}", used_us / 1_000_000, used_us / 1_000 % 1_000));
    }
    if let Some(Score::Cp(value) | Score::Exact(value)) = remarks.score {
        words.push(format!("e {:+.2}", f64::from(value) / 100.0));
    }
    words.extend(remarks.depth.map(|depth| format!("d {depth}")));
    words.extend(remarks.nodes.map(|nodes| format!("n {nodes}")));
    let mut text = if words.is_empty() { String::new() } else { format!(" {{{}}}", words.join(" ")) };
    for comment in &remarks.comments {
        text += &format!(" {{{}}}", one_line(comment).replace(['{', '}'], "|"));
    }
    text
}

/// `W+12`, `B+R` when the game did not come to its end, `0` for a draw.
fn result(end: &Ending) -> String {
    let letter = match end.result() {
        GameResult::Draw => return "0".into(),
        GameResult::FirstWins => 'W',
        GameResult::SecondWins => 'B',
    };
    match end.margin {
        Some(margin) => format!("{letter}+{}", margin.abs()),
        None => format!("{letter}+R"),
    }
}

/// The size of the board of `startpos`.
const USUAL_SIZE: usize = SIZE_MAX;

/// The position text of an empty board, whose size is written `9` or `9x7`.
pub fn empty_board(size: &str) -> Option<String> {
    Some(format!("fen {}", notation::format_position(&SygoPosition::new(BoardSize::parse(size)?))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "[Sygo \"1\"] [Size \"5\"] [White \"a\"] [Black \"b; {c}\"]\n1. c4 {t 1.234 e +0.3\nd 9}\n2. d2\n\
        3. e5   ; +a1, a comment\n4. +d1@a1\n5. pass\n[Result \"B+12\"] [End \"two-passes\"]\n";

    #[test]
    fn games_are_read() {
        let items = read(&GAME.repeat(2));
        assert_eq!(items.len(), 2);
        for item in &items {
            let record = item.as_ref().unwrap();
            let turns: Vec<_> = record.plies.iter().map(|ply| ply.turn.as_str()).collect();
            assert_eq!(turns, ["c4", "d2", "e5", "+d1@a1", "pass"]);
            assert_eq!(record.start, "fen 5/5/5/5/5 w - 0 1");
            assert_eq!((record.tag("Black"), record.end.as_deref()), (Some("b; {c}"), Some("B+12")));
            assert_eq!(record.fault, None);
        }
        let first = items[0].as_ref().unwrap();
        assert!(GAME[..first.plies[0].end].ends_with("c4"));
        assert_eq!(first.plies[1].line, 4);
    }

    #[test]
    fn variations_are_read_and_written() {
        let text = GAME.replace("3. e5", "(2. a1 {t 1.000} 3. b2 (3. c3))\n( 2. e5 )\n3. e5");
        let record = read(&text).remove(0).unwrap();
        assert_eq!((record.fault.as_ref(), record.plies.len()), (None, 5));
        let shown = |record: &GameRecord| -> Vec<(usize, usize, String)> {
            let text =
                |line| record.line(line).iter().map(|ply| ply.turn.as_str()).collect::<Vec<_>>().join(" ");
            let lines = record.variations.iter().zip(1..);
            lines.map(|(variation, line)| (variation.of, variation.after, text(line))).collect()
        };
        let expected = [(0, 1, "a1 b2"), (1, 2, "c3"), (0, 1, "e5")];
        assert_eq!(shown(&record), expected.map(|(of, after, turns)| (of, after, turns.to_owned())));
        let mut back = read(&write(&record).unwrap()).remove(0).unwrap();
        back.variations.sort_by_key(|variation| (variation.of, variation.plies.len()));
        assert_eq!(back.variations.len(), 3);
        assert_eq!(back.plies.len(), 5);
        for (bad, reason) in
            [("1. c4)", "without"), ("(1. c4", "before a turn"), ("(1. c4 2. d5", "before a turn")]
        {
            let fault = read(&GAME.replace("1. c4", bad)).remove(0).unwrap().fault.unwrap();
            assert!(fault.reason.contains(reason), "{fault}");
        }
    }

    #[test]
    fn ends_are_understood() {
        let end = |result: &str| ending(result, Some("resign")).map(|end| (end.winner, end.margin));
        assert_eq!(end("W+12"), Some((Some(Side::First), Some(12))));
        assert_eq!(end("B+3"), Some((Some(Side::Second), Some(-3))));
        assert_eq!(end("B+R"), Some((Some(Side::Second), None)));
        assert_eq!(end("0"), Some((None, None)));
        assert_eq!((end("?"), end("")), (None, None));
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        for (from, to, line, reason) in [
            ("\"5\"", "\"2\"", 1, "no size"),
            ("[Size", "[Sise", 2, "before [Size"),
            ("2. d2", "3. d2", 4, "should be"),
            ("{t", "{{t", 0, ""),
            ("9}", "9", 2, "no end"),
            ("[Result \"B+12\"]", "[Result B+12]", 8, "not written"),
            ("[Sygo \"1\"]", "[Sygo \"2\"]", 1, "version"),
        ] {
            let text = GAME.replacen(from, to, 1);
            let fault = match read(&text).remove(0) {
                Ok(record) => record.fault,
                Err(fault) => Some(fault),
            };
            match fault {
                None => assert_eq!(line, 0, "{to}"),
                Some(fault) => {
                    assert_eq!(fault.line, line, "{to}: {fault}");
                    assert!(fault.reason.contains(reason), "{to}: {fault}");
                }
            }
        }
    }

    fn only(text: &str) -> GameRecord {
        let mut items = read(text);
        assert_eq!(items.len(), 1, "{text}");
        items.remove(0).unwrap()
    }

    const HEAD: &str = "[Sygo \"1\"] [Size \"5\"]\n";

    #[test]
    fn comments_hold_values_or_remarks() {
        let record = only(&format!(
            "{HEAD}{{before}} 1. c4{{t 1.234 e -0.305\nd 9 n 77}}　2. d2 {{t 1 x 2}}{{t}}{{t 1 d}} {{}} ; one ; two\n\
             3. e5 {{e 1000001}}{{t 1 d x}} {{first\n\n second}}\n4. +d1@a1[Result \"0\"]"
        ));
        let remarks: Vec<_> = record.plies.iter().map(|ply| ply.remarks.as_deref().cloned()).collect();
        let values = |remarks: &PlyRemarks| (remarks.used_us, remarks.score, remarks.depth, remarks.nodes);
        let [first, second, third, fourth] = remarks.as_slice() else { panic!("{remarks:?}") };
        let (first, second, third) =
            (first.as_ref().unwrap(), second.as_ref().unwrap(), third.as_ref().unwrap());
        assert_eq!(values(first), (Some(1_234_000), Some(Score::Cp(-31)), Some(9), Some(77)));
        assert_eq!(first.comments, [""; 0]);
        assert_eq!(
            (values(second), &*second.comments),
            ((None, None, None, None), &["t 1 x 2", "t", "t 1 d", "one ; two"].map(String::from)[..])
        );
        assert_eq!(values(third), (Some(1_000_000), None, None, None));
        assert_eq!(third.comments, ["first", "second"]);
        assert_eq!(
            (fourth, record.plies[3].turn.as_str(), record.end.as_deref()),
            (&None, "+d1@a1", Some("0"))
        );
    }

    #[test]
    fn tags_that_make_no_sense_are_refused_with_their_line() {
        for (text, line, reason) in [
            ("\n[Size \"5\"]", 2, "must come first"),
            ("[Sygo \"1\"]\n[Size 5]", 2, "is not written"),
            ("[Sygo \"1\"]\n[Size \"5\" x]", 2, "is not written"),
            ("[Sygo \"1\"]\n[The Size \"5\"]", 2, "is not written"),
            ("[Sygo \"1\"]\n[Size \"5\n\"]", 2, "is not written"),
            ("[Sygo \"1\"]\n[Size \"20\"]", 2, "is no size"),
            ("[Sygo \"1\"]\n[Size \"x\"]", 2, "is no size"),
            ("[Sygo \"1\"]\n\nc3", 3, "turns before"),
            ("c3", 1, "turns before"),
        ] {
            let items = read(text);
            assert_eq!(items.len(), 1, "{text}");
            let fault = items[0].as_ref().unwrap_err();
            assert!(fault.line == line && fault.reason.contains(reason), "{text}: {fault}");
        }
    }

    #[test]
    fn a_fault_keeps_the_turns_before_it() {
        for (rest, line, turns) in [
            ("1. c4 {two\nlines}\n3. d2", 4, 1),
            ("1. c4\n2. d2 {no end", 3, 2),
            ("1. c4\n[Odd]", 3, 1),
            ("0. c4", 2, 0),
            ("x. c4", 2, 0),
        ] {
            let record = only(&format!("{HEAD}{rest}"));
            assert_eq!((record.plies.len(), record.fault.as_ref().unwrap().line), (turns, line), "{rest}");
        }
        let record = only("[Sygo \"1\"] [Position \"5/5/5/5/5 b - 0 2\"]\nc3");
        assert_eq!((&*record.start, record.plies.len()), ("fen 5/5/5/5/5 b - 0 2", 1));
    }

    #[test]
    fn what_is_known_of_a_game_is_written() {
        let mut record = GameRecord::new(super::GAME, RecordFormat::SygoList, 1, "fen 5/5/5/5/5 w - 0 1");
        record.plies = ["c4", "d2", "e5"].into_iter().map(crate::RecordPly::new).collect();
        *record.plies[0].remarks_mut() = PlyRemarks {
            used_us: Some(61_234_567),
            score: Some(Score::Exact(-130)),
            depth: Some(9),
            nodes: Some(7),
            comments: vec!["a {b}".into()],
            ..PlyRemarks::default()
        };
        record.plies[1].remarks_mut().score = Some(Score::MateIn(3));
        record.players = ["a \"b\"".into(), "c".into()];
        record.limit = "tc=10".into();
        let moves = "1. c4 {t 61.234 e -1.30 d 9 n 7} {a |b|}\n2. d2\n3. e5\n";
        let head = "[Sygo \"1\"] [Size \"5\"] [White \"a 'b'\"] [Black \"c\"] [TC \"tc=10\"]";
        assert_eq!(write(&record).unwrap(), format!("{head}\n{moves}"));
        for (ending, last) in [
            (Ending::by_margin(12), "[Result \"W+12\"]"),
            (Ending::by_margin(-3), "[Result \"B+3\"]"),
            (Ending::new(Some(Side::Second), EndCause::Resign), "[Result \"B+R\"] [End \"resign\"]"),
            (Ending::new(None, EndCause::MaxPlies), "[Result \"0\"] [End \"max-plies\"]"),
        ] {
            record.ending = Some(ending);
            assert_eq!(write(&record).unwrap(), format!("{head}\n{moves}{last}\n"));
        }
        record.start = "startpos".into();
        record.ending = None;
        assert!(write(&record).unwrap().starts_with(&format!("[Sygo \"1\"] [Size \"{SIZE_MAX}\"] [White")));
        record.start = "fen 5/5/2w2/5/5 b - 0 2".into();
        assert!(write(&record).unwrap().contains("[Position \"5/5/2w2/5/5 b - 0 2\"]"));
    }

    #[test]
    fn boards_have_a_least_and_a_greatest_size() {
        assert_eq!(empty_board("5").as_deref(), Some("fen 5/5/5/5/5 w - 0 1"));
        for (size, known) in
            [(SIZE_MIN - 1, false), (SIZE_MIN, true), (SIZE_MAX, true), (SIZE_MAX + 1, false)]
        {
            assert_eq!(empty_board(&size.to_string()).is_some(), known, "{size}");
        }
    }
}
