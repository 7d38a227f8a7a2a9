//! The exit status of every command when its output is not read or cannot be written, and when it is asked to stop, by
//! the rule in docs/reference/guarantees.md.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::engine;
use kaeshi_match::tournament::journal::load::load;

/// Arguments for the two engines of a match.
fn engines(mode: &str) -> Vec<String> {
    let mode = format!("reversi:{mode}");
    ["a", "b"].iter().flat_map(|name| engine::arguments(name, &mode, &["nodes=1"])).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn kaeshi(folder: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(folder: &Path, text: &str, input: &str) -> Output {
    finish(kaeshi(folder, &words(text)), input)
}

fn finish(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().expect("the program starts");
    // It may end without reading.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// A folder with the files that the commands read.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("room");
    put("reversi.txt", &format!("{}O- X\n", "X".repeat(62)));
    put("sygo.txt", "3x2\n");
    put("line.txt", "position startpos\n");
    for text in
        ["selfplay --game shogi --nodes 30 --games 2 --out games", "data convert games --out positions.psv"]
    {
        let output = run(folder.path(), text, "");
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let played =
        [words("match --game reversi --random-plies 4 --games 2 --out played"), engines("good")].concat();
    assert!(finish(kaeshi(folder.path(), &played), "").status.success());
    folder
}

/// Commands that print something, with their input.
fn printing() -> Vec<(Vec<String>, &'static str)> {
    let rows = [
        ("--help", ""),
        ("--version", ""),
        ("match --help", ""),
        ("--game reversi", "ugi\nisready\nquit\n"),
        ("--game shogi", "usi\nisready\nposition startpos\ngo nodes 10\nquit\n"),
        ("perft 1", ""),
        ("perft --divide 2", ""),
        ("bench ideas --game reversi --depth 2", ""),
        ("bench cache --game reversi --nodes 100 --requests 1", ""),
        ("engines", ""),
        ("openings --game reversi --plies 4 --count 3", ""),
        ("solve --game reversi reversi.txt", ""),
        ("solve --game sygo sygo.txt", ""),
        ("solve --game sygo --json sygo.txt", ""),
        ("analyse line.txt --nodes 10", ""),
        ("analyse --csv --nodes 10", "position startpos\n"),
        ("analyse --serve --nodes 10", "{\"id\":1,\"moves\":[]}\n"),
        ("data count positions.psv", ""),
        ("data convert positions.psv --out other.psv", ""),
        ("data shuffle positions.psv --out other.psv", ""),
        ("data unique positions.psv --out other.psv", ""),
        ("selfplay stats games", ""),
        ("selfplay --game reversi --games 2 --depth 1 --exact 2 --out more", ""),
        ("tune --game sygo --size 4 --iteration 1 --pairs 1 --out tuned", ""),
        ("train --game sygo --size 4 --iteration 1 --pairs 1 --out trained", ""),
        ("match stats played", ""),
        ("match stats --json played", ""),
        ("play --no-open --once", ""),
        ("play --terminal --game reversi --level 1", "turns\nhint\nquit\n"),
        ("live --no-open played", ""),
        ("check kaeshi --game reversi", ""),
    ];
    let mut all: Vec<_> = rows.into_iter().map(|(text, input)| (words(text), input)).collect();
    all.push(([words("match --game reversi --random-plies 4 --games 2"), engines("good")].concat(), ""));
    all
}

#[test]
fn a_reader_that_has_gone_ends_every_command_quietly() {
    let folder = prepared();
    for (arguments, input) in printing() {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = kaeshi(folder.path(), &arguments);
        command.stdout(writer);
        let output = finish(command, input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        for word in ["panicked", "os error", "standard output"] {
            assert!(!said.contains(word), "{arguments:?}: {said}");
        }
    }
}

#[test]
fn an_output_that_is_full_is_an_error_of_every_command() {
    let folder = prepared();
    for (arguments, input) in printing() {
        let mut command = kaeshi(folder.path(), &arguments);
        command.stdout(File::options().write(true).open("/dev/full").expect("the device"));
        let output = finish(command, input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let message = "cannot write to standard output: No space left on device";
        assert_eq!(said.matches(message).count(), 1, "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
}

/// Work that ends in files is done all the same.
#[test]
fn a_match_is_played_to_its_end_though_nobody_can_read_of_it() {
    let folder = prepared();
    let arguments =
        [words("match --game reversi --random-plies 4 --games 2 --out unread"), engines("good")].concat();
    let mut command = kaeshi(folder.path(), &arguments);
    command.stdout(File::options().write(true).open("/dev/full").expect("the device"));
    assert_eq!(finish(command, "").status.code(), Some(2));
    let journal = std::fs::read_to_string(folder.path().join("unread/journal.jsonl")).expect("a journal");
    assert!(journal.contains("all-played"), "{journal}");
}

/// Waits until the process has a handler for SIGTERM, of which signals before would be the end.
fn wait_until_it_listens(child: &mut Child) {
    let begun = Instant::now();
    let listens = |child: &Child| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (libc::SIGTERM - 1) & 1 == 1
    };
    while !listens(child) {
        assert!(child.try_wait().expect("a child").is_none(), "it ended before it listened");
        assert!(begun.elapsed() < Duration::from_secs(60), "it never listens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, number: libc::c_int) {
    let process = libc::pid_t::try_from(child.id()).expect("a process");
    // SAFETY: a signal to our own child, which has not been waited for.
    unsafe { libc::kill(process, number) };
}

/// Commands that would take minutes, and the command that they name to resume.
fn endless() -> Vec<(Vec<String>, Option<&'static str>)> {
    let rows = [
        ("perft 12", None),
        ("bench cache --game shogi --time 60000 --requests 50", None),
        (
            "selfplay --game shogi --nodes 2000000 --games 1000 --out long",
            Some("kaeshi selfplay --game shogi"),
        ),
        ("tune --game sygo --size 9 --pairs 100000 --out long.tune", Some("kaeshi tune --game sygo")),
        ("train --game sygo --size 9 --pairs 100000 --out long.train", Some("kaeshi train --game sygo")),
        ("book --game reversi --depth 14 --positions 100000 --out long.book", Some("kaeshi book")),
        ("book --game shogi --nodes 2000000 --positions 100000 --out long.db", Some("kaeshi book")),
        ("solve --game sygo board.txt", None),
        ("analyse line.txt --movetime 600s", None),
        ("analyse line.txt --movetime 600s -o long.jsonl", Some("-o long.jsonl --resume")),
        ("analyse", None),
        ("analyse --serve", None),
        ("play --no-open", None),
        ("play --terminal --game reversi", None),
        ("live --no-open played", None),
    ];
    let mut all: Vec<_> = rows.into_iter().map(|(text, resume)| (words(text), resume)).collect();
    let silent = [words("match --game reversi --games 2 --out silent"), engines("silent")].concat();
    all.push((silent, Some("kaeshi match --resume silent")));
    all
}

#[test]
fn every_command_stops_after_one_signal_and_says_how_to_go_on() {
    for (number, status) in [(libc::SIGTERM, 143), (libc::SIGINT, 130)] {
        let folder = prepared();
        std::fs::write(folder.path().join("board.txt"), "7x6\n").expect("room");
        let started = endless().into_iter().map(|(arguments, resume)| {
            let mut child = kaeshi(folder.path(), &arguments).spawn().expect("the program starts");
            wait_until_it_listens(&mut child);
            (arguments, resume, child)
        });
        let started: Vec<_> = started.collect();
        // Time to begin; the match says how to go on once there is a journal.
        std::thread::sleep(Duration::from_secs(2));
        let begun = Instant::now();
        while !folder.path().join("silent/journal.jsonl").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the match does not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        for (_, _, child) in &started {
            signal(child, number);
        }
        let asked = Instant::now();
        for (arguments, resume, mut child) in started {
            let input = child.stdin.take();
            let output = child.wait_with_output().expect("it ends");
            drop(input);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
            assert!(asked.elapsed() < Duration::from_secs(25), "{arguments:?} after {:?}", asked.elapsed());
            let name = if number == libc::SIGINT { "Ctrl-C" } else { "SIGTERM" };
            assert!(said.contains(&format!("kaeshi: stopped by {name}")), "{arguments:?}: {said}");
            if arguments.contains(&"solve".to_owned()) {
                assert!(said.contains("kaeshi: 7x6: between -42 and +42  "), "{said}");
            }
            match resume {
                Some(command) => assert!(said.contains(command), "{arguments:?}: {said}"),
                None => assert!(!said.contains("go on with"), "{arguments:?}: {said}"),
            }
        }
        let journal = load(&folder.path().join("silent/journal.jsonl")).expect("a journal");
        assert!(journal.games.is_empty(), "a game that was broken off counts");
    }
}

#[test]
fn a_second_signal_ends_a_command_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = words("selfplay --game shogi --nodes 20000000 --games 1000 --out long");
    let mut child = kaeshi(folder.path(), &arguments).spawn().expect("the program starts");
    wait_until_it_listens(&mut child);
    std::thread::sleep(Duration::from_secs(1));
    let asked = Instant::now();
    for _ in 0..2 {
        signal(&child, libc::SIGINT);
        std::thread::sleep(Duration::from_millis(300));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[test]
fn a_program_that_ignores_hangups_still_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = words("selfplay --game shogi --nodes 20000000 --games 1000 --out long");
    let mut command = Command::new("nohup");
    command.arg(env!("CARGO_BIN_EXE_kaeshi")).args(arguments).current_dir(folder.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nohup is there");
    wait_until_it_listens(&mut child);
    signal(&child, libc::SIGHUP);
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().expect("a child").is_none(), "it has ended");
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

/// A terminal: our side of it, and that of the program.
fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (-1, -1);
    let (name, modes, size) = (
        std::ptr::null_mut(),
        std::ptr::null(),
        libc::winsize { ws_row: 25, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 },
    );
    // SAFETY: both places can be written, and the size is read only.
    let made = unsafe { libc::openpty(&raw mut ours, &raw mut theirs, name, modes, &raw const size) };
    assert_eq!(made, 0, "there are terminals");
    // SAFETY: the descriptors were opened for us, and no other code has them.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

#[test]
fn analyse_says_that_it_reads_from_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = terminal();
    let mut command = kaeshi(folder.path(), &words("analyse --nodes 10"));
    let child = command.stdin(theirs).spawn().expect("the program starts");
    // The end of input, as one types it.
    (&ours).write_all(b"position startpos\n\x04").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("from the terminal"), "{said}");
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 1);
}

#[test]
fn a_person_in_a_terminal_is_greeted_and_helped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = terminal();
    let child = kaeshi(folder.path(), &[]).stdin(theirs).spawn().expect("the program starts");
    (&ours).write_all(b"help\nquit\n").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    let greeting = String::from_utf8_lossy(&output.stderr);
    assert!(greeting.starts_with("Kaeshi ") && greeting.contains("`help`"), "{greeting}");
    assert_eq!(greeting.lines().count(), 1, "{greeting}");
    let said = String::from_utf8_lossy(&output.stdout);
    for word in ["position", "perft", "list_commands", "kaeshi play"] {
        assert!(said.contains(word), "no {word} in {said}");
    }
}

/// A program that starts the engine reads nothing that it did not ask for.
#[test]
fn nobody_is_greeted_in_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = kaeshi(folder.path(), &[]).stdin(Stdio::null()).output().expect("the program starts");
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_progress_bar_stays_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut ours, theirs) = terminal();
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/records/game.kif");
    let arguments =
        [words("analyse --movetime 300ms --jobs 1 --progress bar -o out.jsonl"), vec![game.into()]];
    let mut command = kaeshi(folder.path(), &arguments.concat());
    command.env("TERM", "xterm").stderr(theirs);
    let child = command.spawn().expect("the program starts");
    // Or the terminal is never closed.
    drop(command);
    let out = folder.path().join("out.jsonl");
    while std::fs::metadata(&out).map_or(0, |data| data.len()) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&child, libc::SIGINT);
    let shown = std::thread::spawn(move || {
        let mut shown = Vec::new();
        let mut bytes = [0; 4096];
        // A terminal that the program has left ends with an error.
        while let Ok(count @ 1..) = ours.read(&mut bytes) {
            shown.extend_from_slice(&bytes[..count]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(130));
    let shown = shown.join().expect("what it showed");
    let done = std::fs::read_to_string(&out).expect("lines").lines().count();
    assert!((1..6).contains(&done), "{done} lines: {shown}");
    let last = shown.rmatches("/6 ").next().and(shown.rfind("/6 ")).map(|at| &shown[at - 1..at]);
    assert_eq!(last, Some(done.to_string().as_str()), "{shown:?}");
}
