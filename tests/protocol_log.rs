//! What `KAESHI_LOG=debug` says of a session, and that it needs no reader.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::child_lines::ChildLines;

fn start(game: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["--game", game])
        .env("KAESHI_LOG", "debug")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

fn end(mut child: Child) {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(30) {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn commands_times_answers_options_and_searches_are_logged() {
    let mut child = start("shogi");
    let input =
        "usi\nsetoption name USI_Hash value 8\nisready\nposition startpos\ngo btime 1000 wtime 1000\n";
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let mut lines = ChildLines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.starts_with("bestmove ")));
    stdin.write_all(b"go ponder btime 1000 wtime 1000\nponderhit\n").unwrap();
    assert!(lines.any(|line| line.starts_with("bestmove ")));
    stdin.write_all(b"position startpos moves 5e5d\ngo\nquit\n").unwrap();
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
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
    end(child);
}

/// A pipe holds 64 KiB of the log, and its reader does nothing.
#[test]
fn an_unread_log_stops_nothing() {
    let mut child = start("reversi");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        stdin.write_all(&b"isready\n".repeat(5_000)).unwrap();
        stdin.write_all(b"position startpos\ngo movetime 20\n").unwrap();
        stdin
    });
    let mut lines = ChildLines::of(child.stdout.take().unwrap());
    assert!(lines.any(|line| line.starts_with("bestmove ")));
    let mut stdin = writer.join().unwrap();
    // Once somebody reads, the log says what is missing.
    let mut stderr = child.stderr.take().unwrap();
    let mut some = [0; 1 << 15];
    stderr.read_exact(&mut some).unwrap();
    stdin.write_all(b"isready\nquit\n").unwrap();
    assert!(lines.any(|line| line == "readyok"));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert!(rest.contains(" lines of the log are lost: it was not read]\n"), "{rest}");
    end(child);
}

#[cfg(unix)]
#[test]
fn a_log_file_that_would_block_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut child = start("shogi");
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "setoption name LogFile value {}\nisready\nquit", fifo.display()).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.starts_with("info string option LogFile: cannot write "), "{said}");
    assert!(said.ends_with("readyok\n"), "{said}");
    end(child);
}
