//! `kaeshi play --terminal`: its output, and the moves that it accepts.

use std::io::Write;
use std::process::{Command, Stdio};

fn played(options: &[&str], input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["play", "--terminal", "--level", "1", "--games"])
        .arg(folder.path())
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn moves_are_taken_in_three_notations() {
    for first in ["7g7f", "P-7f", "７六歩", "▲76歩"] {
        let said = played(&[], &format!("{first}\nquit\n"));
        // Kaeshi has answered: Black is to move again, and the pawn stands on 7f.
        assert_eq!(said.matches("Black to move.").count(), 2, "{first}: {said}");
        let row = said.lines().rfind(|line| line.starts_with(" f")).unwrap();
        assert!(row.contains(" P"), "{first}: {row}");
    }
    let wrong = played(&[], "５五歩\nquit\n");
    assert_eq!(wrong.matches("Black to move.").count(), 1, "{wrong}");
}

#[test]
fn pieces_are_kanji_if_wanted_and_no_colours_go_into_a_file() {
    let said = played(&["--kanji"], "７六歩\nquit\n");
    assert!(said.contains("九  香") && said.contains("v香") && said.contains("v飛"), "{said}");
    assert!(!said.contains('\u{1b}'), "a pipe is no terminal");
    let letters = played(&[], "quit\n");
    assert!(letters.contains(" i  L  N  S") && !letters.contains('香'), "{letters}");
    let marks = played(&["--game", "reversi"], "quit\n");
    assert_eq!(marks.matches("+ .").count(), 4, "four squares are marked: {marks}");
}

#[test]
fn what_cannot_be_done_is_named() {
    let said = played(&[], "undo\nclaim\nsave game.foo\nsave\nlevel\nquit\n");
    let answers = [
        "There is no turn of yours to take back.",
        "cannot claim a win by the entering king",
        "The game cannot be written: 'foo' is none of the forms",
        "Write 'save FILE'.",
        "Write 'level N'.",
    ];
    assert!(answers.iter().all(|answer| said.contains(answer)), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my game");
    played(&[], &format!("7g7f\nsave {}\nquit\n", path.display()));
    assert!(std::fs::read_to_string(path).unwrap().contains("７六歩"), "the usual form");
}

#[test]
fn a_record_has_a_form_in_which_its_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, game: &str, input: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(["play", "--terminal", "--game", game, "--level", "1", "--record", name])
            .args(["--games", "games"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may end without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    std::fs::write(folder.path().join("empty.txt"), "\n").unwrap();
    std::fs::write(folder.path().join("line.ggf"), "position startpos moves 7g7f\n").unwrap();
    for (name, game, forms) in [
        ("game.kif", "reversi", Some("ggf, txt")),
        ("game.sgf", "sygo", Some("sygo")),
        ("game.xyz", "shogi", Some("kif, ki2")),
        ("line.ggf", "shogi", Some("kif, ki2")),
        ("game.ggf", "reversi", None),
        ("game", "sygo", None),
        ("empty.txt", "reversi", None),
    ] {
        let (status, said) = run(name, game, "quit\n");
        assert_eq!(status, Some(if forms.is_some() { 2 } else { 0 }), "{name}: {said}");
        let refusal = |forms| format!("--record {name}: the name ends with none of the forms {forms}");
        assert!(forms.is_none_or(|forms| said.contains(&refusal(forms))), "{name}: {said}");
    }
}

#[test]
fn a_recorded_game_goes_on_as_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("game.kif");
    let record = record.to_str().unwrap();
    played(&["--record", record], "7g7f\nquit\n");
    let run = |options: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
            .args(["play", "--terminal", "--record", record, "--games"])
            .arg(folder.path().join("games"))
            .args(options)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = run(&["--game", "reversi"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("it holds a game of shogi, and --game asks for reversi"), "{said}");
    let (status, said) = run(&["--game", "shogi", "--handicap", "2-piece", "--lot"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("goes on as it began; not used: --handicap, --lot."), "{said}");
}
