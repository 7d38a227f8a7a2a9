//! `kaeshi check`: our own engine keeps to every protocol it speaks, and faults of others are found.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether no fault was found, and the report.
fn check(words: &[&str]) -> (bool, String) {
    // Options that name files make the engine write them where it runs.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    let output = command.arg("check").args(words).current_dir(folder.path()).output().expect("runs");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn ours(game: &str, protocol: &str) {
    let (right, report) = check(&["kaeshi", "--game", game, "--protocol", protocol]);
    assert!(right && report.contains(" 0 faults"), "{report}");
}

#[test]
fn our_usi() {
    ours("shogi", "usi");
}

#[test]
fn our_ugi() {
    for game in ["shogi", "reversi", "sygo"] {
        ours(game, "ugi");
    }
}

#[test]
fn our_gtp() {
    ours("reversi", "gtp");
}

#[test]
fn our_nboard() {
    ours("reversi", "nboard");
}

#[test]
fn faults_are_named() {
    let program = std::env::current_exe().expect("this test").display().to_string();
    let of = |mode: &str, protocol: &str| {
        let mode = format!("mode:reversi:{mode}");
        let words = ["--exact", "mock_engine", "--nocapture", "--test-threads=1", mode.as_str()];
        check(&[&[program.as_str(), "--game", "reversi", "--protocol", protocol, "--"], &words[..]].concat())
    };
    for (mode, protocol, fault) in [
        ("mute", "ugi", "ugi is not answered with ugiok"),
        ("exits-at-once", "ugi", "ended with exit code 127"),
        ("exits", "ugi", "no move after f5 f6: the engine ended with exit code 3"),
        ("good", "ugi", "go infinite is answered before stop"),
        ("gtp-no-ids", "gtp", "an answer does not begin with = or ? and the id"),
        ("good", "gtp", "list_commands lacks"),
        ("good", "ugi", "the line (pv) 'x' at the start: 'x': "),
        ("line-illegal", "ugi", "at the start: '"),
    ] {
        let (right, report) = of(mode, protocol);
        assert!(!right && report.contains("FAULT") && report.contains(fault), "{mode}: {report}");
        assert!(mode != "mute" || report.contains("waiting for the engine, at most 30 s"), "{report}");
    }
}

/// A GUI shows these lines, and ponders on their second turn.
#[test]
fn lines_that_are_short_or_of_another_move_are_noted() {
    let program = std::env::current_exe().expect("this test").display().to_string();
    let of = |mode: &str| {
        let mode = format!("mode:reversi:{mode}");
        let words = ["--exact", "mock_engine", "--nocapture", "--test-threads=1", mode.as_str()];
        check(&[&[program.as_str(), "--game", "reversi", "--protocol", "ugi", "--"], &words[..]].concat()).1
    };
    let [legal, other, short] = ["line-legal", "line-other", "line-short"].map(of);
    for report in [&legal, &other, &short] {
        assert!(report.contains("lines (pv) are legal"), "{report}");
    }
    assert!(other.contains("does not begin with the answer"), "{other}");
    assert!(short.contains("3 of 3 lines (pv) have one turn though the search was deeper"), "{short}");
    assert!(!legal.contains("does not begin") && !legal.contains("have one turn"), "{legal}");
}

/// Commands that come while the end of the former answer is still being written lose nothing.
#[test]
fn gtp_commands_may_come_all_at_once() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["--game", "reversi"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let moves: String =
        (0..10).map(|index| format!("genmove {}\n", if index % 2 == 0 { "b" } else { "w" })).collect();
    let words = format!("protocol_version\nclear_board\ntime_settings 0 1 100\n{moves}quit\n");
    child.stdin.take().expect("a pipe").write_all(words.as_bytes()).expect("reads");
    let output = child.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains('?') && said.matches('=').count() == 14, "{said}");
}
