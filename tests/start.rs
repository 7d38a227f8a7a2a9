//! The start and the end of the engine: a quick hello, little memory, and a process that ends.

use std::io::Write;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::child_engine::ChildEngine;
use crate::child_lines::ChildLines;

fn kaeshi(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn ask(child: &mut Child, line: &str, answer: &str) {
    writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    assert!(ChildLines::of(child.stdout.take().unwrap()).any(|line| line == answer), "no {answer}");
}

/// A GUI waits two seconds at most; the benchmark of start-up has the true figure.
#[test]
fn the_hello_is_answered_at_once() {
    for game in ["shogi", "reversi", "sygo"] {
        let started = Instant::now();
        let mut child = kaeshi(&["--game", game]);
        ask(&mut child, "usi", "usiok");
        assert!(started.elapsed() < Duration::from_secs(1), "{game}: {:?}", started.elapsed());
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn go_does_not_search_the_position_before_one_that_is_too_long() {
    for (game, turn) in [("shogi", "2h3h 8b7b 3h2h 7b8b"), ("reversi", "pass"), ("sygo", "pass")] {
        let mut engine = ChildEngine::start(&["--game", game]);
        engine.say("position startpos");
        engine.say(&format!("position startpos moves {}", format!("{turn} ").repeat((1 << 20) / turn.len())));
        engine.say("go nodes 5");
        let said = engine.until("bestmove").join("\n");
        assert!(said.contains("a line of more than 1048576 bytes is ignored"), "{game}: {said}");
        assert!(said.contains("no search: the last position was refused"), "{game}: {said}");
        engine.say("position startpos");
        engine.say("go nodes 5");
        let said = engine.until("bestmove").join("\n");
        assert!(!said.contains("refused"), "{game}: {said}");
        engine.say("quit");
        engine.ends_within(Duration::from_secs(10));
    }
}

#[test]
fn a_rule_that_was_set_outlasts_the_default_of_uci_and_that_ends_with_uci() {
    let asked = |engine: &mut ChildEngine| {
        engine.say("getoption EnteringKingRule");
        engine.until("Options[EnteringKingRule]").pop().unwrap()
    };
    let mut engine = ChildEngine::start(&["--option", "EnteringKingRule=TryRule"]);
    for hello in ["usi", "uci", "usi"] {
        engine.say(hello);
        engine.until(&format!("{hello}ok"));
        assert!(asked(&mut engine).ends_with("== TryRule"), "{hello}");
    }
    let mut engine = ChildEngine::start(&[]);
    for (hello, rule) in [("usi", "CSARule27"), ("uci", "NoEnteringKing"), ("usi", "CSARule27")] {
        engine.say(hello);
        engine.until(&format!("{hello}ok"));
        assert!(asked(&mut engine).ends_with(rule), "{hello}");
    }
    engine.say("uci");
    engine.say("setoption name EnteringKingRule value CSARule24");
    engine.say("usi");
    assert!(asked(&mut engine).ends_with("CSARule24"), "what is set stays");
}

#[test]
fn a_search_is_answered_in_the_dialect_in_which_it_began() {
    let mut engine = ChildEngine::start(&[]);
    engine.say("uci");
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 2");
    engine.say("ugi");
    let said = engine.until("ugiok");
    let answer = said.iter().find(|line| line.starts_with("bestmove ")).expect("an answer before ugiok");
    let word = answer.split_whitespace().nth(1).unwrap();
    assert!(word.as_bytes()[0].is_ascii_lowercase() && word.as_bytes()[1].is_ascii_digit(), "{answer}");
}

#[test]
fn lines_that_are_too_long_are_answered_in_gtp_and_nboard() {
    let long = "x".repeat(1 << 20);
    let mut gtp = ChildEngine::start(&["--game", "reversi"]);
    gtp.say("1 protocol_version");
    gtp.say(&format!("2 play b {long}"));
    gtp.say("3 quit");
    let said = gtp.until("=3").join("\n");
    assert!(said.contains("?2 a line of more than 1048576 bytes is ignored"), "{said}");
    gtp.ends_within(Duration::from_secs(10));
    let mut nboard = ChildEngine::start(&["--game", "reversi"]);
    nboard.say("nboard 2");
    nboard.say(&format!("set game (;GM[Othello]{long}"));
    nboard.say("go");
    let said = nboard.until("===").join("\n");
    assert!(said.contains("status no search: the last position was refused (a line of more than"), "{said}");
    nboard.say("quit");
    nboard.ends_within(Duration::from_secs(10));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_before_isready_is_below_30_megabytes() {
    for game in ["shogi", "reversi", "sygo"] {
        let mut child = kaeshi(&["--game", game]);
        ask(&mut child, "usi", "usiok");
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let resident = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        let kib: u64 = resident.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(kib < 30_000, "{game}: {kib} KiB");
        writeln!(child.stdin.as_mut().unwrap(), "quit").unwrap();
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_profile_sets_game_and_options_and_typing_goes_first() {
    let roster = concat!(env!("CARGO_MANIFEST_DIR"), "/engines.toml");
    let mut child = kaeshi(&["--engines", roster, "--profile", "sygo13"]);
    writeln!(child.stdin.as_mut().unwrap(), "d\nquit").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("13/13/13/13/13/13/13/13/13/13/13/13/13 w - 0 1"), "{text}");

    let child = kaeshi(&["--engines", roster, "--profile", "sygo14"]);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("sygo14") && error.contains("sygo13"), "{error}");
}

#[test]
fn perft_ends_with_the_number_of_nodes() {
    for (game, depth, nodes) in [("shogi", "3", "25470"), ("reversi", "5", "1396")] {
        for more in [&[][..], &["--no-bulk"], &["--divide", "--no-bulk"]] {
            let arguments = [&["perft", "--game", game, depth], more].concat();
            let output = kaeshi(&arguments).wait_with_output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(text.lines().last(), Some(format!("nodes {nodes}").as_str()), "{arguments:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_a_command_without_a_word() {
    let output = with_nobody_reading(&["perft", "--divide", "1"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

#[cfg(unix)]
#[test]
fn work_that_ends_in_a_file_does_not_end_with_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let games =
        ["selfplay", "--game", "sygo", "--size", "3", "--iteration", "1", "--games", "20", "--out", out];
    let output = with_nobody_reading(&games);
    assert_eq!(output.status.signal(), None);
    let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let games = files.filter(|name| !name.to_string_lossy().ends_with(".program")).count();
    assert_eq!(games, 1, "the games are all there");

    let weights = folder.path().join("network.bin");
    let weights = weights.to_str().unwrap();
    let output = with_nobody_reading(&[
        "train", "--game", "sygo", out, "--blocks", "1", "--epochs", "2", "--out", weights,
    ]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(std::path::Path::new(weights).exists());
}

#[cfg(unix)]
#[test]
fn quit_ends_the_program_behind_output_that_is_not_read() {
    for end in ["quit\n", ""] {
        let mut child = kaeshi(&[]);
        let mut stdin = child.stdin.take().expect("a pipe");
        // Its own thread: the program may stop reading before it has taken everything.
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(("usi\n".repeat(22_000) + end).as_bytes());
        });
        let start = Instant::now();
        // Two seconds are guaranteed; the rest is for a busy machine.
        while child.try_wait().expect("a child").is_none() && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let ended = child.try_wait().expect("a child");
        let _ = child.kill();
        let _ = writer.join();
        assert!(ended.is_some_and(|status| status.success()), "{end:?}: {ended:?}");
    }
}

/// The result of a command whose output never has a reader.
#[cfg(unix)]
fn with_nobody_reading(arguments: &[&str]) -> std::process::Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(arguments).stdin(Stdio::null()).stdout(writer).output().unwrap()
}
