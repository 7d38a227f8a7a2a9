use super::*;
use crate::RecordPly;
use Side::{First, Second};

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
fn what_is_wrong_is_reported_with_its_line() {
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

fn only(text: &str) -> GameRecord {
    let mut items = read(text);
    assert_eq!(items.len(), 1, "{text}");
    items.remove(0).unwrap()
}

#[test]
fn a_text_is_known_by_its_first_statement() {
    for text in [
        "'CSA encoding=UTF-8\n",
        "' a remark\n\nV2.2\n",
        "V3.0\n",
        "PI\n",
        "P1-KY\n",
        "P+59OU\n",
        "P-00AL\n",
        "+\n",
        "-\n",
        "+7776FU\n",
        "-3334FU\n",
        "N+a\n",
        "N-b\n",
        "$EVENT:x\n",
    ] {
        assert!(is_csa(text), "{text}");
    }
    for text in ["", "' a remark\n", "Vx\n", "PX\n", "P\n", "+x\n", "Nx\n", "f5d6\n", "startpos\n'CSA\n"] {
        assert!(!is_csa(text), "{text}");
    }
}

#[test]
fn commas_divide_statements_but_neither_names_nor_headers() {
    let record = only("N-b, the second\n$SITE:here,there\n$ODD\nPI\n+\n+7776FU,T3,-3334FU,T4.5\n");
    assert_eq!((record.tag("後手"), record.tag("SITE")), (Some("b, the second"), Some("here,there")));
    assert_eq!(record.tag("ODD"), Some(""));
    let used: Vec<_> = record.plies.iter().map(|ply| ply.remarks.as_ref().unwrap().used_us).collect();
    assert_eq!(used, [Some(3_000_000), Some(4_500_000)]);
}

#[test]
fn comments_belong_to_the_turn_before_and_its_side() {
    let record = only(
        "PI\n'*before the game\n'** 99 #9\n+\n+7776FU\n'** 120 -3334FU #77\n'*good\n'plain\n\
         -3334FU\n'** 120\n+2726FU\n'** ?\n",
    );
    let remarks: Vec<_> = record.plies.iter().map(|ply| ply.remarks.clone().unwrap_or_default()).collect();
    assert_eq!((remarks[0].score, remarks[0].nodes), (Some(Score::Cp(120)), Some(77)));
    assert_eq!(remarks[0].comments, ["good"]);
    assert_eq!((remarks[1].score, remarks[1].nodes), (Some(Score::Cp(-120)), None));
    assert_eq!((remarks[2].score, remarks[2].nodes), (None, None));
}

#[test]
fn every_statement_that_does_not_fit_is_refused_with_its_reason() {
    for (text, reason) in [
        ("%TORYO\n", "before the game"),
        ("PI\n+\n+7776FU\nT-1\n", "is no time"),
        ("PI\n+\n+7776FU\nT\n", "is no time"),
        ("PI\n+\nPI\n", "after the game began"),
        ("PI\n+\n%TORYO\n+7776FU\n", "after the end"),
        ("PI\n+7776FU\n", "before the line"),
        ("PI\n+\n+7776FUX\n", "is no move"),
        ("PI\n+\n+7776FU11\n", "is no move"),
        ("PI\n+\n+7776\n", "is no move"),
        ("PI\n+\n+7700FU\n", "is no move"),
        ("PI\n+\n+0776FU\n", "is no move"),
        ("PI\n+\n+3334FU\n", "no piece of the mover"),
        ("PI\n+\n+7776FU\n-3334FU\n+8822UM\n-5142OU\n+2231KA\n", "another piece"),
        ("PI\n+\n+7776KI\n", "another piece"),
        ("PI55FU\n", "sets up no position"),
        ("PI2\n", "sets up no position"),
        ("PI02FU\n", "sets up no position"),
        ("P\n", "sets up no position"),
        ("P0-KY\n", "sets up no position"),
        ("P*\n", "sets up no position"),
        ("P1-KY-KY-KY-KY-KY-KY-KY-KY-KY-KY\n", "sets up no position"),
        ("P1x  \n", "sets up no position"),
        ("P1+XX\n", "sets up no position"),
        ("P+00UM\n", "sets up no position"),
        ("P+00OU\n", "sets up no position"),
        ("P+55XX\n", "sets up no position"),
        ("P+70FU\n", "sets up no position"),
        ("P-07FU\n", "sets up no position"),
        ("P+5\n", "sets up no position"),
        ("P+55あFUx\n", "sets up no position"),
        ("Nx\n", "is no name"),
        ("what\n", "is no statement"),
    ] {
        let fault = match read(text).remove(0) {
            Ok(record) => record.fault.unwrap_or_else(|| panic!("{text} is refused")),
            Err(fault) => fault,
        };
        assert!(fault.reason.contains(reason), "{text}: {fault}");
        assert_eq!(fault.line, text.lines().count(), "{text}");
    }
}

#[test]
fn a_promoted_piece_goes_on_without_promoting_again() {
    let record = only("PI\n+\n+7776FU\n-3334FU\n+8822UM\n-5142OU\n+2231UM\n");
    assert_eq!(record.fault, None);
    assert_eq!(record.plies[2].turn, "8h2b+");
    assert_eq!(record.plies[4].turn, "2b3a");
}

#[test]
fn every_word_that_ends_a_game_is_understood() {
    for (word, winner, cause) in [
        ("%TORYO", Some(First), Some(EndCause::Resign)),
        ("%TSUMI", Some(First), Some(EndCause::Mate)),
        ("%TIME_UP", Some(First), Some(EndCause::Time)),
        ("%ILLEGAL_MOVE", Some(First), Some(EndCause::Illegal)),
        ("%+ILLEGAL_ACTION", Some(Second), Some(EndCause::Illegal)),
        ("%-ILLEGAL_ACTION", Some(First), Some(EndCause::Illegal)),
        ("%KACHI", Some(Second), Some(EndCause::Declare)),
        ("%SENNICHITE", None, Some(EndCause::Repetition)),
        ("%JISHOGI", None, Some(EndCause::Impasse)),
        ("%MAX_MOVES", None, Some(EndCause::MaxPlies)),
        ("%HIKIWAKE", None, None),
    ] {
        // White is to move.
        let record = only(&format!("PI\n+\n+7776FU\n{word}\n"));
        let end = record.ending.unwrap_or_else(|| panic!("{word} ends the game"));
        assert_eq!((end.winner, end.cause), (winner, cause), "{word}");
    }
    let broken_off = only("PI\n+\n+7776FU\n%CHUDAN\n");
    assert_eq!((broken_off.end.as_deref(), broken_off.ending), (Some("%CHUDAN"), None));
}

#[test]
fn games_of_one_file_begin_behind_their_slash() {
    let items = read("PI\n+\n/\n/\nPI\n+\n/\n");
    let lines: Vec<_> = items.iter().map(|item| item.as_ref().unwrap().line).collect();
    assert_eq!(lines, [1, 5]);
    let items = read("what\nPI\n+\n/\nPI\n+\n");
    assert!(items[0].is_err() && items[1].is_ok() && items.len() == 2);
}

fn record(start: &str, turns: &[&str]) -> GameRecord {
    let mut record = GameRecord::new(super::GAME, RecordFormat::Csa, 1, start);
    record.plies = turns.iter().map(|&turn| RecordPly::new(turn)).collect();
    record
}

#[test]
fn all_that_is_known_of_a_game_is_written() {
    let mut record = record("startpos", &["7g7f", "3c3d"]);
    record.players = ["a".into(), "b".into()];
    (record.event, record.date) = ("e".into(), "2026-11-20T16:00:00Z".into());
    record.limit = "tc=300/30".into();
    *record.plies[0].remarks_mut() = PlyRemarks {
        used_us: Some(61_234_567),
        score: Some(Score::Cp(55)),
        nodes: Some(12),
        expected: ["7g7f", "3c3d", "2g2f"].map(String::from).to_vec(),
        comments: vec!["one\ntwo".into()],
        ..PlyRemarks::default()
    };
    *record.plies[1].remarks_mut() =
        PlyRemarks { used_us: Some(2_000_000), score: Some(Score::MateIn(5)), ..PlyRemarks::default() };
    let moves = |first: &str| {
        format!("PI\n+\n+7776FU\n{first}\n'** 55 -3334FU +2726FU #12\n'*one two\n-3334FU\nT2\n'** -30000\n")
    };
    let head = "N+a\nN-b\n$EVENT:e\n$START_TIME:2026/11/20 16:00:00\n";
    let old = format!("'CSA encoding=UTF-8\nV2.2\n{head}$TIME_LIMIT:00:05+30\n{}%CHUDAN\n", moves("T61"));
    assert_eq!(write(&record, CsaVersion::V2).unwrap(), old);
    let new = format!("'CSA encoding=UTF-8\nV3.0\n{head}$TIME:300+30+0\n{}%CHUDAN\n", moves("T61.234"));
    assert_eq!(write(&record, CsaVersion::V3).unwrap(), new);
}

#[test]
fn the_reason_of_an_end_stands_before_its_word() {
    let mut record = record("startpos", &["7g7f"]);
    let mut ended = |cause: EndCause, detail: &str| {
        record.ending = Some(Ending { detail: detail.into(), ..Ending::new(Some(First), cause) });
        let text = write(&record, CsaVersion::V2).unwrap();
        text.split_once("T0\n").unwrap().1.to_owned()
    };
    assert_eq!(ended(EndCause::Resign, ""), "%TORYO\n");
    assert_eq!(ended(EndCause::Resign, "lost\nhope"), "'resign: lost hope\n%TORYO\n");
    assert_eq!(ended(EndCause::Time, ""), "'time: \n%TIME_UP\n");
}

#[test]
fn version_2_states_a_limit_of_whole_minutes_only() {
    for (limit, line) in [
        ("tc=300/30", "$TIME_LIMIT:00:05+30\n"),
        ("tc=7260", "$TIME_LIMIT:02:01+00\n"),
        ("byoyomi=10", "$TIME_LIMIT:00:00+10\n"),
        ("tc=61", ""),
        ("tc=60+1", ""),
        ("byoyomi=0.5", ""),
    ] {
        assert_eq!(time_line(RecordTimeControl::parse(limit).unwrap(), CsaVersion::V2), line, "{limit}");
    }
    let clock = RecordTimeControl { main: 10.0, increment: 0.1, byoyomi: 2.0 };
    assert_eq!(time_line(clock, CsaVersion::V3), "$TIME:10+2+0.1\n");
}

#[test]
fn a_board_with_hands_is_written_and_read_back() {
    let start = "sfen 4k4/9/4+P4/9/9/9/9/9/4K4 w 2Rg3p 1";
    let text = write(&record(start, &[]), CsaVersion::V2).unwrap();
    assert!(text.contains("P1 *  *  *  * -OU *  *  *  * \n"), "{text}");
    assert!(text.contains("P+00HI00HI\nP-00KI00FU00FU00FU\n-\n"), "{text}");
    assert_eq!(only(&text).start, start);
    let bare = write(&record("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", &[]), CsaVersion::V2).unwrap();
    assert!(!bare.contains("P+") && !bare.contains("P-") && bare.contains("\n+\n"), "{bare}");
}

#[test]
fn the_last_word_fits_winner_cause_and_side_to_move() {
    use EndCause::*;
    for (winner, cause, to_move, word) in [
        (None, Some(Repetition), First, "%SENNICHITE"),
        (None, Some(Impasse), First, "%JISHOGI"),
        (None, Some(MaxPlies), First, "%HIKIWAKE"),
        (None, None, First, "%HIKIWAKE"),
        (Some(First), Some(Declare), First, "%KACHI"),
        (Some(First), Some(Declare), Second, "%-ILLEGAL_ACTION"),
        (Some(Second), Some(Mate), First, "%TSUMI"),
        (Some(Second), Some(Mate), Second, "%+ILLEGAL_ACTION"),
        (Some(Second), Some(Time), First, "%TIME_UP"),
        (Some(First), Some(Time), First, "%-ILLEGAL_ACTION"),
        (Some(First), Some(Illegal), Second, "%ILLEGAL_MOVE"),
        (Some(First), Some(FalseClaim), Second, "%ILLEGAL_MOVE"),
        (Some(First), Some(Illegal), First, "%-ILLEGAL_ACTION"),
        (Some(First), Some(AdjWin), First, "%CHUDAN"),
        (Some(First), Some(AdjWin), Second, "%TORYO"),
        (Some(First), Some(Resign), Second, "%TORYO"),
        (Some(Second), Some(Resign), Second, "%+ILLEGAL_ACTION"),
        (Some(Second), None, First, "%TORYO"),
        (Some(Second), None, Second, "%+ILLEGAL_ACTION"),
        (Some(Second), Some(Crash), First, "%+ILLEGAL_ACTION"),
    ] {
        let end = Ending { winner, cause, ..Ending::default() };
        assert_eq!(end_word(&end, to_move, CsaVersion::V2), word, "{winner:?} {cause:?} {to_move:?}");
    }
    let longest = Ending::new(None, MaxPlies);
    assert_eq!(end_word(&longest, First, CsaVersion::V3), "%MAX_MOVES");
}

#[test]
fn comments_and_blanks_may_stand_among_the_statements_of_a_line() {
    let record = only("PI\n+\n+7776FU,'x, y\n-3334FU  ,T0  ,'*good\n+2726FU, T3\n%KACHI,'z\n");
    assert_eq!((record.plies.len(), record.end.as_deref(), record.fault), (3, Some("%KACHI"), None));
    let remarks = record.plies[1].remarks.as_ref().unwrap();
    assert_eq!((remarks.used_us, &*remarks.comments), (Some(0), &["good".to_owned()][..]));
}

#[test]
fn places_of_turns_are_those_of_their_statements() {
    let text = "PI\n+\n+7776FU,T1,-3334FU\nT2\n+2726FU,'*x\n";
    let ends: Vec<_> = only(text).plies.iter().map(|ply| &text[ply.end..]).collect();
    assert_eq!(ends, ["-3334FU\nT2\n+2726FU,'*x\n", "T2\n+2726FU,'*x\n", "'*x\n"]);
}

#[test]
fn blanks_of_a_board_do_not_count() {
    let row = |row: &str| {
        let text = format!("P1+OU\nP9 *  *  *  *  *  *  *  * -OU\n{row}\n+\n");
        let start = read(&text).remove(0).map(|record| record.start);
        start.map(|start| start.split('/').nth(1).unwrap().to_owned())
    };
    for same in [
        "P2 * -HI *  *  *  *  * -KA * ",
        "P2 * -HI * * * * * -KA *",
        "P2*-HI*****-KA*",
        "P2  *   -HI  *  *  * *\t*  -KA  *",
        "P2   -HI               -KA   ",
    ] {
        assert_eq!(row(same).as_deref(), Ok("1r5b1"), "{same}");
    }
    assert_eq!(row("P2 * -HI * *").as_deref(), Ok("1r7"));
    assert!(row("P2 * -HI * * * * * -KA * *").is_err());
    assert_eq!(
        only("PI82HI 22KA\nP+00FU 00FU\n-\n").start,
        "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 2P 1"
    );
}

#[test]
fn what_stands_behind_the_end_is_reported() {
    for (behind, moves) in
        [("-- \nTaro, Nobuo\nVoice: 1\nPlease\n", 0), ("%TORYO\n", 0), ("Tel\n", 0), ("+2726FU\n", 1)]
    {
        let record = only(&format!("PI\n+\n+7776FU\n%TORYO\nT4\n{behind}"));
        assert_eq!((record.plies.len(), record.end.as_deref()), (1, Some("%TORYO")), "{behind}");
        assert_eq!((record.fault.is_some(), record.warnings.len()), (moves > 0, 1 - moves), "{behind}");
        // The time before the end is not that of the last move.
        assert!(record.plies[0].remarks.is_none());
        assert_eq!(record.end_remarks.unwrap().used_us, Some(4_000_000));
    }
    // A game that begins without a slash before it.
    let games = read(&GAME.repeat(2));
    assert_eq!(games.len(), 2);
    assert!(
        games
            .iter()
            .all(|game| game.as_ref().is_ok_and(|game| game.fault.is_none() && game.plies.len() == 5))
    );
}

#[test]
fn what_a_record_says_is_written_back() {
    let text = "'CSA encoding=UTF-8\nV2.2\nN+a\nN-b\n$EVENT:e\n$START_TIME:2026/11/20\n$SITE:here\nPI\n+\n'*first\n\
        +7776FU\nT1\n'*good\n%MATTA\nT4\n'*last\n";
    assert_eq!(write(&only(text), CsaVersion::V2).unwrap(), text);
}
