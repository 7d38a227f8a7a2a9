use proptest::prelude::*;

use super::text::{Encoding, encode};
use super::*;
use GameName::{Reversi, Shogi, Sygo};
use kaeshi_shogi::rules::japanese;

const KIF: &str = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n";
const KI2: &str = "先手：a\n後手：b\n\n▲７六歩 △３四歩\n";
const CSA: &str = "V2.2\nPI\n+\n+7776FU\n";
const JKF: &str =
    r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}]}"#;
const GGF: &str =
    "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)";
const SYGO: &str = "[Sygo \"1\"] [Size \"5\"]\n1. c3\n";

#[test]
fn every_form_is_recognised_by_what_it_holds() {
    for (text, form, game) in [
        (KIF, RecordFormat::Kif, Shogi),
        ("先手：a\n\n   1 ２六歩(27)\n", RecordFormat::Kif, Shogi),
        (KI2, RecordFormat::Ki2, Shogi),
        (CSA, RecordFormat::Csa, Shogi),
        ("PI\n+\n", RecordFormat::Csa, Shogi),
        ("N+a\nN-b\nPI\n+\n", RecordFormat::Csa, Shogi),
        (JKF, RecordFormat::Jkf, Shogi),
        (GGF, RecordFormat::Ggf, Reversi),
        (SYGO, RecordFormat::SygoList, Sygo),
        ("startpos", RecordFormat::Line, Shogi),
        ("f5d6", RecordFormat::Transcript, Reversi),
        ("{\"moves\":[]}", RecordFormat::Request, Shogi),
    ] {
        let items = read(text.as_bytes(), None);
        assert_eq!(items.len(), 1, "{text}");
        let record = items[0].as_ref().unwrap();
        assert_eq!((record.form, record.game), (form, game), "{text}");
        assert_eq!(record.fault, None, "{text}");
    }
}

#[test]
fn shift_jis_and_line_ends_make_no_difference() {
    for text in [KIF, KI2] {
        let plain = read(text.as_bytes(), None);
        for encoding in
            [Encoding::ShiftJis, Encoding::Utf8Marked, Encoding::Jis, Encoding::Utf16Le, Encoding::Utf16Be]
        {
            let crlf = text.replace('\n', "\r\n");
            let other = read(&encode(&crlf, encoding), None);
            let turns = |items: &[Item]| {
                items[0].as_ref().unwrap().plies.iter().map(|p| (p.turn.clone(), p.line)).collect::<Vec<_>>()
            };
            assert_eq!(turns(&plain), turns(&other));
        }
    }
}

#[test]
fn another_game_than_the_one_asked_for_is_a_fault() {
    let fault = read(KIF.as_bytes(), Some(Reversi)).remove(0).unwrap_err();
    assert!(fault.reason.contains("this is shogi, not reversi"));
}

#[test]
fn a_board_diagram_alone_is_a_record() {
    let start = "sfen 4k4/9/4+P4/9/9/9/9/9/4K4 w 2R 1";
    let text = japanese::diagram(&shogi_line::position(start).unwrap());
    let record = read(text.as_bytes(), None).remove(0).unwrap();
    assert_eq!((record.form, &*record.start, record.plies.len()), (RecordFormat::Kif, start, 0));
}

#[test]
fn one_undecodable_byte_costs_its_line() {
    let lines = b"f5d6\nf5\xffd6\nc4c3\ne6f4\nf5f6\n";
    let items = read(lines, None);
    let lines: Vec<_> = items.iter().map(|item| item.as_ref().map(|record| record.plies.len())).collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[1].is_err_and(|fault| fault.line == 2 && fault.reason.contains("UTF-8")));
    assert!([0, 2, 3, 4].iter().all(|&index| lines[index] == Ok(2)));
    // In a comment nothing is lost but the comment.
    let kif = KIF.replace("手数---", "*note: ?\n手数---");
    let bytes: Vec<u8> = kif.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
    let record = read(&bytes, None).remove(0).unwrap();
    assert_eq!((record.plies.len(), record.fault), (1, None));
}

#[test]
fn a_fault_does_not_repeat_a_megabyte() {
    let long = "x".repeat(1 << 19);
    for text in [
        long.clone(),
        format!("{{\"{long}\":1}}"),
        format!("{{\"game\":\"{long}\"}}"),
        format!("PI\n+\n+{long}\n"),
    ] {
        for item in read(text.as_bytes(), None) {
            let fault = item.map_or_else(Some, |record| record.fault);
            assert!(fault.is_some_and(|fault| fault.to_string().len() < 2_000));
        }
    }
}

#[test]
fn nothing_is_read_from_nothing() {
    assert!(read(b"", None).is_empty());
    assert!(read(b"\n \n# a remark\n", None).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever part is cut out of a good file, nothing panics, and the valid part before it stays.
    #[test]
    fn damaged_files_are_faults_and_never_panics(which in 0usize..6, at in 0usize..200, length in 0usize..9, junk in ".{0,6}") {
        let text = [KIF, KI2, CSA, JKF, GGF, SYGO][which];
        let mut signs: Vec<char> = text.chars().collect();
        let at = at.min(signs.len());
        let end = (at + length).min(signs.len());
        signs.splice(at..end, junk.chars());
        let damaged: String = signs.into_iter().collect();
        for item in read(damaged.as_bytes(), None) {
            match item {
                Ok(record) => prop_assert!(record.line >= 1),
                Err(fault) => prop_assert!(fault.line >= 1 && !fault.reason.is_empty()),
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), wthor in any::<bool>()) {
        let mut bytes = bytes;
        if wthor {
            bytes.splice(0..0, [20, 26, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0]);
        }
        read(&bytes, None);
    }

    /// Places of turns lie on the borders of characters, behind one another.
    #[test]
    fn places_grow(which in 0usize..6) {
        let text = [KIF, KI2, CSA, JKF, GGF, SYGO][which];
        for record in read(text.as_bytes(), None).into_iter().flatten() {
            for pair in record.plies.windows(2) {
                prop_assert!(pair[0].end <= pair[1].end);
            }
            prop_assert!(record.plies.iter().all(|ply| text.is_char_boundary(ply.end)));
        }
    }
}

#[test]
fn every_form_has_its_name() {
    use RecordFormat::*;
    let forms = [Line, Kif, Ki2, Csa, Jkf, Ggf, Transcript, Wthor, SygoList, Request];
    let names = forms.map(RecordFormat::name);
    assert_eq!(
        names,
        [
            "position line",
            "KIF",
            "KI2",
            "CSA",
            "JKF",
            "GGF",
            "transcript",
            "WTHOR",
            "Sygo list",
            "JSON request"
        ]
    );
    assert_eq!(forms.map(RecordFormat::is_game), forms.map(|form| !matches!(form, Line | Request)));
}

#[test]
fn a_list_that_begins_with_a_position_is_a_list() {
    assert_eq!(recognise("startpos moves 7g7f\n▲７六歩\n"), RecordFormat::Line);
    assert_eq!(recognise("先手：a\n▲７六歩\n"), RecordFormat::Ki2);
}

#[test]
fn names_in_another_encoding_do_not_keep_a_game_from_being_read() {
    let csa = "V2.2\nN+羽生善治\nN-谷川浩司\n'*好手\nPI\n+\n+7776FU\n";
    let record = read(&encode(csa, Encoding::EucJp), None).remove(0).unwrap();
    assert_eq!((&*record.players[0], record.plies.len(), record.warnings.len()), ("羽生善治", 1, 0));
    let latin = |text: &str| text.chars().map(|sign| u32::from(sign) as u8).collect::<Vec<u8>>();
    for text in ["N+René\nN-Zoë\nPI\n+\n+7776FU\n", "N+é\nPI\n+\n'*é\n'*é\n'*é\n+7776FU\n"] {
        let record = read(&latin(text), None).remove(0).unwrap();
        assert_eq!((record.plies.len(), record.fault, record.warnings.len()), (1, None, 1), "{text}");
        assert!(record.warnings[0].reason.contains("letters are lost"));
        assert!(record.players[0].contains(char::REPLACEMENT_CHARACTER));
    }
    let ggf = GGF.replace("BO[", "PB[André]PW[Günter]BO[");
    let record = read(&latin(&ggf), None).remove(0).unwrap();
    assert_eq!((record.plies.len(), record.fault, record.warnings.len()), (1, None, 1));
    // Moves that are damaged are not passed over.
    let record = read(&latin("PI\n+\n+7776Fé\n"), None).remove(0).unwrap();
    assert!(record.fault.is_some() && record.plies.is_empty());
}
