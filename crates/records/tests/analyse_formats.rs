//! The readers of records against files of other programs.
//!
//! `tests/data/tsshogi` holds four games of random moves, drawn by cshogi 1.1.0 and written by
//! tsshogi 2.2.0 (the record library of ShogiHome) in all forms it has; `games.usi` holds the
//! moves as cshogi made them.

use std::fs;
use std::path::Path;

use kaeshi_core::game::{GameNotation, GameOptions, GameRules};
use kaeshi_engine::games::GameName;
use kaeshi_records::text::{Encoding, encode};
use kaeshi_records::{RecordFormat, ki2, read};
use kaeshi_shogi::Shogi;
use kaeshi_shogi::rules::japanese;

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tsshogi").join(name)).unwrap()
}

fn turns(bytes: &[u8], form: RecordFormat) -> Vec<String> {
    let mut items = read(bytes, None);
    assert_eq!(items.len(), 1);
    let record = items.remove(0).unwrap();
    assert_eq!((record.game, record.form, record.fault), (GameName::Shogi, form, None));
    assert_eq!(record.start, "startpos");
    record.plies.into_iter().map(|ply| ply.turn).collect()
}

fn games() -> Vec<Vec<String>> {
    read(&data("games.usi"), None)
        .into_iter()
        .map(|item| item.unwrap().plies.into_iter().map(|ply| ply.turn).collect())
        .collect()
}

#[test]
fn every_form_tells_the_same_moves() {
    for (index, moves) in games().into_iter().enumerate() {
        assert!(moves.len() >= 20);
        for (extension, form) in [
            ("kif", RecordFormat::Kif),
            ("ki2", RecordFormat::Ki2),
            ("csa", RecordFormat::Csa),
            ("jkf", RecordFormat::Jkf),
        ] {
            let bytes = data(&format!("{index:03}.{extension}"));
            assert_eq!(turns(&bytes, form), moves, "game {index}, {extension}");
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(turns(&encode(&text, Encoding::ShiftJis), form), moves, "game {index}, {extension}");
        }
    }
}

/// Our official notation of every move, read back, is the move; and tsshogi writes the same.
#[test]
fn official_notation_is_that_of_tsshogi() {
    let shogi = Shogi::load(&Default::default()).unwrap();
    for (index, moves) in games().into_iter().enumerate() {
        let theirs = String::from_utf8(data(&format!("{index:03}.ki2"))).unwrap();
        let theirs = theirs.split(['▲', '△']).skip(1).map(|word| word.trim().lines().next().unwrap_or(""));
        let mut position = shogi.start();
        for (text, theirs) in moves.iter().zip(theirs) {
            let mv = shogi.parse_turn(&position, text).unwrap();
            let ours = japanese::format_move(&position, mv);
            let ours = ours.trim_start_matches(['▲', '△']);
            assert_eq!(ki2::find(&position, ours), Ok(mv), "{ours}");
            assert_eq!(ours, theirs.trim(), "game {index}, {text}");
            shogi.play(&mut position, &mv);
        }
    }
}
