//! One position or game per line: USI and UGI `position` lines, SFEN, OBF, Sygo positions,
//! transcripts, lists of turns with or without numbers. Empty lines and lines that begin with `#` or `;`, or with
//! `%` as in OBF, are passed over, and so is what stands behind a `;` or `#`, and behind a `%` in Reversi. Behind
//! a tab may stand names, result and cause, as `kaeshi match` writes them.

use super::text::{DAMAGE, NO_ENCODING, lines, shown};
use super::{GameRecord, Headings, Item, RecordFault, RecordFormat};
use super::{kif, shogi_line, transcript, western};
use crate::referee::ending::{EndCause, Ending, GameResult};
use kaeshi_core::game::end_words::{is_end_word, is_of_every_game};
use kaeshi_core::game::facts::Recognition;
use kaeshi_engine::games::GameName;

const HEADINGS: Headings = Headings { players: [&["first"], &["second"]], event: &[], date: &[], limit: &[] };

/// Longest line, in bytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Whether a line begins as a position does.
pub fn is_position(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("position" | "startpos" | "sfen" | "fen" | "obf"))
        || guess(split(line).0, &[]).is_some()
}

/// Reads every line of a text; `game` settles what a line leaves open.
pub fn read(text: &str, game: Option<GameName>) -> Vec<Item> {
    lines(text)
        .filter(|line| !line.text.trim().is_empty() && !line.text.trim_start().starts_with(['#', '%', ';']))
        .map(|line| read_line(line.text.trim(), line.number, game))
        .collect()
}

/// Start and turns of what may follow the word `position`.
fn split(line: &str) -> (&str, Vec<&str>) {
    let body = match line.split_once(char::is_whitespace) {
        Some(("position", body)) => body.trim(),
        _ => line,
    };
    match body.find(" moves").filter(|&at| {
        body.get(at + 6..).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    }) {
        Some(at) => {
            let (start, turns) = body.split_at(at);
            (start.trim(), turns.split_whitespace().skip(1).collect())
        }
        None => (body, Vec::new()),
    }
}

fn read_line(text: &str, line: usize, game: Option<GameName>) -> Item {
    let refuse = |reason: String| Err(RecordFault::new(line, reason));
    if text.len() > MAX_LINE_BYTES {
        return refuse(format!("the line is longer than {MAX_LINE_BYTES} bytes"));
    }
    if let Some((text, remarks)) = text.split_once('\t') {
        let mut record = read_line(text.trim(), line, game)?;
        for (key, value) in
            ["first", "second", "result", "cause", "margin"].into_iter().zip(remarks.split('\t'))
        {
            record.tags.push((key.to_owned(), value.trim().to_owned()));
        }
        record.take_headings(HEADINGS);
        record.ending = ending(&record);
        return Ok(record);
    }
    if text.contains(DAMAGE) {
        return refuse(format!("this line is {NO_ENCODING}"));
    }
    let bare = text.split([';', '#']).next().unwrap_or_default().trim();
    // In shogi `%` begins words that end a game.
    let bare = match bare.split_once('%') {
        Some((moves, _))
            if transcript::is_transcript(moves) || board_and_transcript(moves.trim()).is_some() =>
        {
            moves.trim()
        }
        _ => bare,
    };
    let text = without_numbers(bare);
    let (text, end_word) = split_end(&text);
    if game.is_none_or(|game| game == transcript::GAME) && transcript::is_transcript(text) {
        let record = transcript::read(text, line)?;
        return Ok(GameRecord { end: end_word.map(str::to_owned), ..record });
    }
    let (start, turns) = split(text);
    let plain = start.split(['%', ';']).next().unwrap_or_default().trim();
    let start = if guess(plain, &[]).is_some() { plain } else { start };
    if let Some((start, moves)) = board_and_transcript(start) {
        return transcript::read_from(start, moves, line);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    // Turns of several games look alike; only a stated game makes them a list.
    let turns_of = |game: GameName| {
        let own: Vec<&str> = words.iter().copied().filter(|word| !is_of_every_game(word)).collect();
        (game.facts().notation.recognise_turns)(if own.is_empty() { &words } else { &own })
    };
    let list = game.is_some_and(|game| turns_of(game) != Recognition::No);
    let (form, start, turns) = if list && !is_position(text) {
        (RecordFormat::Transcript, "startpos", words)
    } else {
        (RecordFormat::Line, start, turns)
    };
    let game = match guess(start, &turns).or(game) {
        Some(game) => game,
        None if start == "startpos" && turns.is_empty() => GameName::USUAL,
        None if start == "startpos" => {
            let known = GameName::NAMES.join(", ");
            return refuse(format!("moves of which game? Tell the game: {known}"));
        }
        None => return refuse(format!("'{}' is no position and no transcript", shown(text))),
    };
    let bare = match start.split_once(char::is_whitespace) {
        Some(("sfen" | "fen" | "obf", rest)) => rest.trim(),
        _ => start,
    };
    let start =
        if bare == "startpos" { bare.to_owned() } else { game.facts().notation.position_argument(bare) };
    let mut record = GameRecord::new(game, form, line, start);
    for turn in turns {
        record.push(turn, line, 0)?;
    }
    western::into_usi(&mut record);
    record.ending = end_word.and_then(|word| ended_by(word, &record));
    record.end = end_word.map(str::to_owned);
    Ok(record)
}

/// A line without the words behind its last turn that say how the game ended, and the first of these.
fn split_end(line: &str) -> (&str, Option<&str>) {
    let (mut text, mut end) = (line, None);
    while let Some((before, word)) = text.rsplit_once(char::is_whitespace)
        && is_end_word(word)
    {
        (text, end) = (before.trim_end(), Some(word));
    }
    (text, end)
}

/// The end of a game of shogi by the word behind its last turn.
fn ended_by(word: &str, record: &GameRecord) -> Option<Ending> {
    if record.game != GameName::Shogi {
        return None;
    }
    let to_move = shogi_line::mover(record, record.plies.len());
    let bare = word.strip_prefix('%').unwrap_or(word).to_ascii_lowercase();
    let (winner, cause) = match bare.as_str() {
        "resign" | "toryo" => (Some(to_move.other()), EndCause::Resign),
        "win" | "kachi" | "nyugyoku_win" => (Some(to_move), EndCause::Declare),
        "rep_draw" | "sennichite" => (None, EndCause::Repetition),
        "jishogi" => (None, EndCause::Impasse),
        "illegal" | "illegal_move" => (Some(to_move.other()), EndCause::Illegal),
        "tsumi" => (Some(to_move.other()), EndCause::Mate),
        "draw" | "hikiwake" => return Some(Ending::default()),
        word => return kif::ending(word, to_move),
    };
    Some(Ending::new(winner, cause))
}

/// A line without the numbers of its turns: `1. f5 2. d6` is `f5 d6`.
fn without_numbers(text: &str) -> String {
    let is_number = |word: &&str| {
        word.strip_suffix('.')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if !text.split_whitespace().any(|word| is_number(&word)) {
        return text.to_owned();
    }
    text.split_whitespace().filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

/// The end of a game by what stands behind its tabs.
fn ending(record: &GameRecord) -> Option<Ending> {
    Some(Ending {
        winner: GameResult::parse(record.tag("result")?)?.winner(),
        cause: record.tag("cause").and_then(EndCause::parse),
        margin: record.tag("margin").and_then(|margin| margin.parse().ok()),
        detail: String::new(),
    })
}

/// Position and moves of `---…--- X f5d6c3`, or of a board as FEN writes it.
fn board_and_transcript(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once(' ')?;
    let (side, moves) = rest.trim_start().split_once(' ')?;
    let start = text.get(..text.len() - moves.len())?.trim();
    let known = side.len() == 1 && guess(start, &[]) == Some(transcript::GAME);
    (known && transcript::is_transcript(moves)).then_some((start, moves))
}

/// The game that a start position or, from `startpos`, the turns can only belong to. Passes and end words say nothing
/// about that.
pub fn guess(start: &str, turns: &[&str]) -> Option<GameName> {
    let turns: Vec<&str> = turns.iter().copied().filter(|turn| !is_of_every_game(turn)).collect();
    let words: Vec<&str> = start.split_whitespace().collect();
    let owns: &dyn Fn(GameName) -> bool = match words.as_slice() {
        [] => return None,
        ["startpos", ..] => &|game| (game.facts().notation.recognise_turns)(&turns) == Recognition::Sure,
        ["fen", rest @ ..] => &|game| (game.facts().notation.owns_position)(rest),
        all => &|game| (game.facts().notation.owns_position)(all),
    };
    GameName::ALL.into_iter().find(|&game| owns(game))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position_line::write;
    use GameName::{Reversi, Shogi, Sygo};
    use kaeshi_core::game::Side;

    #[track_caller]
    fn one(text: &str, game: Option<GameName>) -> GameRecord {
        let mut items = read(text, game);
        assert_eq!(items.len(), 1, "{text}");
        items.remove(0).unwrap()
    }

    #[test]
    fn every_form_is_known_by_itself() {
        let obf = "---------------------------OX------XO--------------------------- X";
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        for (text, game, start, turns) in [
            ("position startpos", Shogi, "startpos", 0),
            ("startpos moves 7g7f 3c3d", Shogi, "startpos", 2),
            (&*format!("position sfen {sfen} moves 7g7f"), Shogi, &*format!("sfen {sfen}"), 1),
            (sfen, Shogi, &format!("sfen {sfen}"), 0),
            (obf, Reversi, &format!("fen {obf}"), 0),
            (&format!("{obf}; G8:+18; H1:+12;"), Reversi, &format!("fen {obf}"), 0),
            (&format!("{obf} % FFO 40"), Reversi, &format!("fen {obf}"), 0),
            (&format!("position fen {obf} moves d3"), Reversi, &format!("fen {obf}"), 1),
            ("8/8/8/3ox3/3xo3/8/8/8 x", Reversi, "fen 8/8/8/3ox3/3xo3/8/8/8 x", 0),
            ("f5d6c3d3", Reversi, "startpos", 4),
            ("5/5/5/5/5 w - 0 1", Sygo, "fen 5/5/5/5/5 w - 0 1", 0),
            ("9/9/9/9/9/9/9/9/9 b g 0 7", Sygo, "fen 9/9/9/9/9/9/9/9/9 b g 0 7", 0),
            ("startpos moves d4 q16 +d5", Sygo, "startpos", 3),
            ("position fen 5/5/5/5/5 w - 0 1 moves c3", Sygo, "fen 5/5/5/5/5 w - 0 1", 1),
        ] {
            let record = one(text, None);
            assert_eq!((record.game, &*record.start, record.plies.len()), (game, start, turns), "{text}");
        }
    }

    #[test]
    fn comments_of_obf_are_passed_over() {
        let start = "--------------------------OOO------XX--------------------------- X";
        let text =
            format!("% FForum 1-19; A1:+3\n{start}; C3:+2; % 40: easy\n F5D6C3 % tiger\n{start} c3 % x\n");
        let items = crate::read(text.as_bytes(), None);
        let found: Vec<_> = items
            .into_iter()
            .map(|item| item.unwrap())
            .map(|one| (one.game, one.plies.len(), one.line))
            .collect();
        assert_eq!(found, [(Reversi, 0, 2), (Reversi, 3, 3), (Reversi, 1, 4)]);
    }

    #[test]
    fn the_game_given_settles_what_is_open() {
        let text = "startpos moves c4 d3";
        assert!(read(text, None).remove(0).is_err_and(|fault| fault.reason.contains("Tell the game")));
        assert_eq!(one(text, Some(Reversi)).game, Reversi);
        assert_eq!(one(text, Some(Sygo)).game, Sygo);
        assert_eq!(one("c4 k10 f7 +k11@c9", Some(Sygo)).plies.len(), 4);
        assert_eq!(one("startpos", Some(Sygo)).game, Sygo);
        assert_eq!(one("1. 7g7f 2. 3c3d", Some(Shogi)).plies.len(), 2);
        assert_eq!(one("1. f5 2. d6 3. c3 ; the tiger", None).plies.len(), 3);
        assert_eq!(one("startpos moves 7g7f 3c3d ; score 12 # kept", None).plies.len(), 2);
    }

    #[test]
    fn lines_of_a_match_are_read() {
        let record = one("position startpos moves 7g7f 3c3d\ta\tb\t1-0\tmate", None);
        assert_eq!(
            (record.plies.len(), record.tag("second"), record.tag("cause")),
            (2, Some("b"), Some("mate"))
        );
        let record = one("f5d6c3\ta\tb\t0-1\tno-moves\t-4", None);
        assert_eq!((record.game, record.plies.len(), record.tag("margin")), (Reversi, 3, Some("-4")));
        let start = "--------------------------OOO------XX--------------------------- X";
        let record = one(&format!("{start} c3c2\ta\tb\t1-0\tno-moves"), None);
        assert_eq!((&*record.start, record.plies.len(), record.fault), (start, 2, None));
    }

    #[test]
    fn blanks_and_remarks_are_passed_over_and_numbers_stay_right() {
        let items = read("# list\n\nstartpos\nnonsense\nf5d6\n", None);
        let lines: Vec<_> = items
            .iter()
            .map(|item| match item {
                Ok(record) => (true, record.line),
                Err(fault) => (false, fault.line),
            })
            .collect();
        assert_eq!(lines, [(true, 3), (false, 4), (true, 5)]);
    }

    #[test]
    fn lines_that_begin_as_positions_are_known() {
        let obf = "---------------------------OX------XO--------------------------- X";
        for line in ["position startpos", "startpos", "sfen x", "fen x", "obf x", obf, "5/5/5/5/5 w - 0 1"] {
            assert!(is_position(line), "{line}");
        }
        for line in ["", "f5d6", "7g7f 3c3d", "▲７六歩"] {
            assert!(!is_position(line), "{line}");
        }
    }

    #[test]
    fn words_that_end_a_game_are_no_turns() {
        for (text, game, turns, winner) in [
            ("startpos moves 7g7f resign", None, 1, Some(Side::First)),
            ("position startpos moves 7g7f 3c3d rep_inf", None, 2, None),
            ("startpos moves 7g7f win", None, 1, Some(Side::Second)),
            ("startpos moves 7g7f TORYO", None, 1, Some(Side::First)),
            ("startpos moves 7g7f %TORYO", None, 1, Some(Side::First)),
            ("startpos moves 7g7f sennichite", None, 1, None),
            ("startpos moves 7g7f jishogi", None, 1, None),
            ("startpos moves 7g7f 3c3d 8h4c illegal", None, 2, Some(Side::Second)),
            ("startpos moves 7g7f 投了", None, 1, Some(Side::First)),
            ("7g7f 3c3d resign", Some(Shogi), 2, Some(Side::Second)),
            ("startpos moves d4 q16 +d5 resign", None, 3, None),
            ("f5d6c3 resign", None, 3, None),
        ] {
            let record = crate::read(text.as_bytes(), game).remove(0).unwrap();
            assert_eq!((record.plies.len(), record.fault.is_none()), (turns, true), "{text}");
            assert_eq!(record.end.as_deref(), text.rsplit(' ').next());
            assert_eq!(record.ending.and_then(|end| end.winner), winner, "{text}");
        }
    }

    #[test]
    fn passes_and_end_words_do_not_hide_the_game() {
        for (text, game) in [
            ("startpos moves 7g7f pass", None),
            ("startpos moves 7g7f null", None),
            ("startpos moves 7g7f 0000 3c3d", None),
            ("startpos moves 7g7f resign 3c3d", None),
            ("7g7f pass", Some(Shogi)),
            ("7g7f resign 3c3d", Some(Shogi)),
        ] {
            let record = one(text, game);
            let why = shogi_line::walk(&record, |_, _, _| {}).unwrap_err().to_string();
            let wanted = if text.contains("resign") {
                "turn 2: moves stand behind 'resign', which ends a game"
            } else {
                "turn 2: passes are not supported in shogi"
            };
            assert_eq!((record.game, why.as_str()), (Shogi, wanted), "{text}");
        }
        assert_eq!(one("startpos moves d4 pass +d5", None).game, Sygo);
    }

    #[test]
    fn what_is_nothing_is_reported() {
        let reason = |text: &str| read(text, None).remove(0).unwrap_err().reason;
        for text in ["nonsense", "nonsense X f5"] {
            assert_eq!(reason(text), format!("'{text}' is no position and no transcript"));
        }
        assert!(reason("startpos moves c4 d3").contains("Tell the game"));
    }

    #[test]
    fn the_word_moves_stands_alone() {
        assert_eq!(one("startpos moves", None).plies.len(), 0);
        assert_eq!(one("position startpos moves\u{3000}7g7f", None).plies.len(), 1);
        assert!(read("startpos movesx 7g7f", None)[0].is_err());
    }

    #[test]
    fn a_line_has_an_end() {
        let line = |length: usize| read(&format!("startpos{}f5", " ".repeat(length - 10)), None).remove(0);
        let too_long = |item: Item| item.is_err_and(|fault| fault.reason.contains("longer than"));
        assert!(!too_long(line(MAX_LINE_BYTES)) && too_long(line(MAX_LINE_BYTES + 1)));
    }

    #[test]
    fn what_stands_behind_the_turns_is_read_as_it_is_written() {
        let mut record = one("position startpos moves 7g7f 3c3d\ta\tb\t1-0\tmate\t-3", None);
        let end = Ending { margin: Some(-3), ..Ending::new(Some(Side::First), EndCause::Mate) };
        assert_eq!((&record.players, &record.ending), (&["a".to_owned(), "b".to_owned()], &Some(end)));
        assert_eq!(write(&record), "position startpos moves 7g7f 3c3d\ta\tb\t1-0\tmate\t-3\n");
        record.players[0] = "a\tc".into();
        record.ending = Some(Ending::default());
        record.plies.clear();
        assert_eq!(write(&record), "position startpos\ta c\tb\t1/2-1/2\t\n");
        record.ending = None;
        assert_eq!(write(&record), "position startpos\n");
        assert_eq!(one("startpos\ta\tb\tnobody", None).ending, None);
    }

    #[test]
    fn a_board_stands_before_its_moves() {
        let start = "--------------------------OOO------XX--------------------------- X";
        for (rest, form, plies) in [
            (" c3", RecordFormat::Transcript, 1),
            (" c3c2", RecordFormat::Transcript, 2),
            (" zz", RecordFormat::Line, 0),
            ("X c3", RecordFormat::Line, 0),
        ] {
            let record = one(&format!("{start}{rest}"), None);
            assert_eq!((record.form, record.plies.len()), (form, plies), "{rest}");
        }
        assert!(read(&format!("-{start} c3"), None)[0].is_err());
        let fen = one("8/8/8/3ox3/3xo3/8/8/8 x f5d6", None);
        assert_eq!((fen.form, fen.plies.len(), fen.fault), (RecordFormat::Transcript, 2, None));
    }

    #[test]
    fn numbers_of_turns_are_digits_and_a_dot() {
        assert_eq!(without_numbers("1. f5 22. d6"), "f5 d6");
        for text in ["a. f5", ". f5", "1 f5", "f5  d6"] {
            assert_eq!(without_numbers(text), text);
        }
    }
}
