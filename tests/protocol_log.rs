//! The log of `KAESHI_LOG=debug` about a session, which needs no reader.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child_engine::ChildEngine;

const END_TIMEOUT: Duration = Duration::from_secs(30);

fn start(game: &str) -> ChildEngine {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    ChildEngine::of(command.args(["--game", game]).env("KAESHI_LOG", "debug").stderr(Stdio::piped()))
}

#[test]
fn commands_times_answers_options_and_searches_are_logged() {
    let mut engine = start("shogi");
    engine.say("usi\nsetoption name USI_Hash value 8\nisready\nposition startpos\ngo btime 1000 wtime 1000");
    engine.until("bestmove ");
    engine.say("go ponder btime 1000 wtime 1000\nponderhit");
    engine.until("bestmove ");
    engine.say("position startpos moves 5e5d\ngo\nquit");
    let mut log = String::new();
    engine.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    let mut rest = log.as_str();
    for wanted in [
        "] > usi\n",
        "] > setoption name USI_Hash value 8\n",
        "] option Hash is set to '8'\n",
        "] > go btime 1000 wtime 1000\n",
        "] search begins: soft limit ",
        "] ponderhit after ",
        "] no search: answered at once\n",
    ] {
        let at = rest.find(wanted).unwrap_or_else(|| panic!("'{wanted}' is missing:\n{log}"));
        rest = &rest[at..];
    }
    for wanted in ["] < usiok\n", "] search ends after ", "] < bestmove win\n"] {
        assert!(log.contains(wanted), "'{wanted}' is missing:\n{log}");
    }
    engine.ends_within(END_TIMEOUT);
}

/// A pipe holds 64 KiB of the log, and its reader does nothing.
#[test]
fn an_unread_log_stops_nothing() {
    let mut engine = start("reversi");
    let mut stdin = engine.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        stdin.write_all(&b"isready\n".repeat(5_000)).unwrap();
        stdin.write_all(b"position startpos\ngo movetime 20\n").unwrap();
        stdin
    });
    engine.until("bestmove ");
    let mut stdin = writer.join().unwrap();
    // Once the log is read, it states the missing lines.
    let mut stderr = engine.child.stderr.take().unwrap();
    let mut some = [0; 1 << 15];
    stderr.read_exact(&mut some).unwrap();
    stdin.write_all(b"isready\nquit\n").unwrap();
    engine.until("readyok");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(rest.contains(" lines of the log are lost: it was not read]\n"), "{rest}");
    engine.ends_within(END_TIMEOUT);
}

#[cfg(unix)]
#[test]
fn a_log_file_that_would_block_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut engine = start("shogi");
    engine.say(&format!("setoption name LogFile value {}\nisready\nquit", fifo.display()));
    let said: Vec<String> = engine.lines.by_ref().collect();
    assert!(said[0].starts_with("info string option LogFile: cannot write "), "{said:?}");
    assert_eq!(said.last().unwrap(), "readyok", "{said:?}");
    engine.ends_within(END_TIMEOUT);
}
