//! Files that are too large, no regular files, or slow: they are refused by name, and the engine goes on answering.

#![cfg(unix)]

use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::child_engine::ChildEngine;

/// Generous: the machine may have other things to do.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Time limit of a command with a file that does not answer, of which a second is allowed to the file.
const PROMPT: Duration = Duration::from_secs(6);

fn make_pipe(path: &Path) {
    let name = CString::new(path.as_os_str().as_bytes()).expect("a name");
    // SAFETY: the call only reads the name.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0, "{}", path.display());
}

/// Files that no option takes, each with a part of the reason.
fn wrong_files(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let (pipe, large) = (folder.join("pipe"), folder.join("large"));
    make_pipe(&pipe);
    File::create(&large).expect("room").set_len(6 << 30).expect("a sparse file");
    vec![
        (pipe, "no regular file"),
        (large, "large"),
        (folder.to_owned(), "no regular file"),
        ("/dev/zero".into(), "no regular file"),
        ("/dev/stdin".into(), "no regular file"),
    ]
}

#[test]
fn options_refuse_what_is_no_file_of_their_kind_and_the_engine_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = wrong_files(folder.path());
    for (game, options) in [
        ("shogi", &["EvalFile", "SearchFile", "BookFile"][..]),
        ("reversi", &["EvalFile", "BookFile"]),
        ("sygo", &["EvalFile", "SearchFile"]),
    ] {
        let mut engine = ChildEngine::start(&["--game", game]);
        for option in options {
            for (file, reason) in &files {
                let begun = Instant::now();
                engine.say(&format!("setoption name {option} value {}", file.display()));
                engine.say("isready");
                let said = engine.until("readyok").join("\n");
                let all = format!("{game} {option} {}: {said}", file.display());
                assert!(said.contains(reason) && said.contains(&file.display().to_string()), "{all}");
                assert!(begun.elapsed() < ANSWER_TIMEOUT, "{all}");
            }
        }
        // It is opened where it is first needed.
        for (file, reason) in &files {
            engine.say(&format!("setoption name StoreFile value {}", file.display()));
            engine.say("isready");
            let said = engine.until("readyok").join("\n");
            // The large file is no database.
            let reasoned = said.contains(reason) || file.ends_with("large");
            assert!(reasoned && said.contains(&file.display().to_string()), "{game} StoreFile: {said}");
        }
        engine.say("position startpos");
        engine.say("go nodes 1");
        engine.until("bestmove");
        engine.say("quit");
        engine.ends_within(ANSWER_TIMEOUT);
    }
}

#[test]
fn a_log_goes_to_devices_but_waits_for_no_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let mut engine = ChildEngine::start(&["--game", "shogi"]);
    engine.say("setoption name LogFile value /dev/null");
    engine.say(&format!("setoption name LogFile value {}", pipe.display()));
    engine.say("isready");
    let said = engine.until("readyok").join("\n");
    assert_eq!(said.matches("cannot write").count(), 1, "{said}");
    assert!(said.contains(&pipe.display().to_string()), "{said}");
    engine.say("quit");
    engine.ends_within(ANSWER_TIMEOUT);
}

#[test]
fn folders_of_options_may_hold_no_pipe_either() {
    let folder = tempfile::tempdir().expect("a folder");
    make_pipe(&folder.path().join("nn.bin"));
    make_pipe(&folder.path().join("book.db"));
    let mut engine = ChildEngine::start(&["--game", "shogi"]);
    for option in ["EvalDir", "BookDir"] {
        engine.say(&format!("setoption name {option} value {}", folder.path().display()));
    }
    engine.say("setoption name BookFile value book.db");
    engine.say("isready");
    let said = engine.until("readyok").join("\n");
    assert_eq!(said.matches("no regular file").count(), 2, "{said}");
    engine.say("quit");
    engine.ends_within(ANSWER_TIMEOUT);
}

/// A regular file that no process can open while this lives: its lease is not given back.
#[cfg(target_os = "linux")]
struct LeasedFile {
    path: PathBuf,
    _held: File,
}

#[cfg(target_os = "linux")]
impl LeasedFile {
    fn new(folder: &Path) -> LeasedFile {
        use std::os::fd::AsRawFd as _;
        let path = folder.join("slow");
        let held = File::create(&path).expect("room");
        // SAFETY: the calls change this process alone, which gets a signal when another process opens the file.
        let leased = unsafe {
            libc::signal(libc::SIGIO, libc::SIG_IGN);
            libc::fcntl(held.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK)
        };
        let reason = std::io::Error::last_os_error();
        assert_eq!(
            leased, 0,
            "this test needs a file system with leases (TMPDIR names another one): {reason}"
        );
        LeasedFile { path, _held: held }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_file_delays_no_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, option) in [("shogi", "EvalFile"), ("reversi", "BookFile"), ("sygo", "SearchFile")] {
        let slow = LeasedFile::new(folder.path());
        for last in ["go nodes 1", "quit"] {
            let mut engine = ChildEngine::start(&["--game", game]);
            engine.say("isready");
            engine.until("readyok");
            engine.say(&format!("setoption name {option} value {}", slow.path.display()));
            let begun = Instant::now();
            engine.say(last);
            if last != "quit" {
                let said = engine.until("bestmove").join("\n");
                assert!(said.contains("too slow"), "{game}: {said}");
                assert!(begun.elapsed() < PROMPT, "{game}: {:?}", begun.elapsed());
                engine.say("quit");
            }
            engine.ends_within(PROMPT);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_does_not_answer_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let slow = LeasedFile::new(folder.path());
    let mut engine = ChildEngine::start(&["--game", "shogi"]);
    engine.say(&format!("setoption name EvalFile value {}", slow.path.display()));
    let begun = Instant::now();
    engine.say("isready");
    let said = engine.until("readyok").join("\n");
    assert!(said.contains("nothing came of it for 10 s") && begun.elapsed() < ANSWER_TIMEOUT, "{said}");
    engine.say("quit");
    engine.ends_within(ANSWER_TIMEOUT);
}

fn kaeshi(words: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > ANSWER_TIMEOUT {
            child.kill().expect("a child");
            panic!("{words:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("a child")
}

#[test]
fn messages_show_no_escape_sequences_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let empty = "-".repeat(64);
    for (words, text) in [
        (&["solve", "--game", "reversi"][..], format!("{empty} \x1b[2JX\n")),
        (&["solve", "--game", "shogi"], "sfen 4k4/9/9/9/9/9/9/9/4K4 b\x1b[2J - 1\n".to_owned()),
        (&["solve", "--game", "sygo"], "size 3 \x1b[2J\n".to_owned()),
        (&["engines", "--engines"], "\x1b[2J = 3\n".to_owned()),
        (&["match", "stats"], "{\"\x1b[2J\": 1}\n".to_owned()),
        (&["match", "--config"], "game = \"\x1b[2J\"\n".to_owned()),
        (&["train", "--game", "sygo", "--out", &path("out")], "[\u{9b}2J\u{202e}]\n".to_owned()),
    ] {
        let file = path("hostile");
        fs::write(&file, text).expect("room");
        let output = kaeshi(&[words, &[&file]].concat());
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!output.status.success() && !said.is_empty(), "{words:?}: {said}");
        let harmless = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || c == '\u{202e}');
        assert!(said.chars().all(harmless), "{words:?}: {said:?}");
    }
}

#[test]
fn no_output_takes_the_place_of_an_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (games, config, board, journal) =
        (path("g"), path("match.toml"), path("3x3"), path("m/journal.jsonl"));
    let done = |words: &[&str]| {
        let output = kaeshi(words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    done(&["selfplay", "--game", "reversi", "--games", "4", "--depth", "1", "--out", &games]);
    done(&[
        "match",
        "kaeshi",
        "kaeshi",
        "--game",
        "reversi",
        "--nodes",
        "9",
        "--games",
        "2",
        "--out",
        &path("m"),
    ]);
    let weights = path("w.bin");
    done(&["train", "--game", "reversi", &games, "--epochs", "1", "--out", &weights]);
    fs::write(&config, "game = \"reversi\"\nnodes = \"9\"\n").expect("room");
    fs::write(&board, "3x3\n").expect("room");
    let played = |words: &[&'static str]| [&["match", "kaeshi", "kaeshi"], words].concat();
    let record = path("g/games-1-00000.krg");
    let tune = [
        "tune",
        "--game",
        "shogi",
        "--engine",
        "kaeshi",
        "--param",
        "SlowMover=100,1,1000,50",
        "--pairs",
        "2",
    ];
    for (words, lost) in [
        (vec!["match", "stats", &path("m"), "--report", &journal], &journal),
        (vec!["match", "stats", &path("m"), "--pgn", &path("m/match.json")], &path("m/match.json")),
        ([&played(&["--games", "2", "--config"])[..], &[&config, "--report", &config]].concat(), &config),
        ([&played(&["--game", "reversi", "--openings"])[..], &[&board, "--pgn", &board]].concat(), &board),
        (vec!["train", "--game", "reversi", &games, "--epochs", "1", "--out", &record], &record),
        (vec!["train", "--game", "reversi", &games, "--start", &weights, "--out", &weights], &weights),
        (vec!["train", "--game", "shogi", &games, "--from", &weights, "--out", &weights], &weights),
        (vec!["train", "--game", "sygo", &games, "--network", &weights, "--out", &weights], &weights),
        (vec!["train", "--game", "sygo", "--parameters", &config, "--out", &path("match")], &config),
        (vec!["solve", "--game", "sygo", &board, "--certificate", &board], &board),
        ([&tune[..], &["--config", &config, "--out", &config]].concat(), &config),
        ([&tune[..], &["--out", &path("t"), "--report", &path("t.state")]].concat(), &path("t.state")),
    ] {
        let before = fs::read(lost).ok();
        let output = kaeshi(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("would be lost"), "{words:?}: {said}");
        assert_eq!(fs::read(lost).ok(), before, "{words:?}");
    }
    // The search would take long.
    let (none, few) = (path("none/new"), path("few"));
    fs::write(&few, format!("{}OX{}XO{} X\n", "-".repeat(27), "-".repeat(6), "-".repeat(27))).expect("room");
    for words in [
        &["solve", "--game", "reversi", &few, "--obf", &none][..],
        &["solve", "--game", "reversi", &few, "--make-problems", &none],
        &["book", "--game", "reversi", "--depth", "20", "--out", &none],
        &["book", "--game", "shogi", "--nodes", "1000000000", "--out", &none],
        &["bench", "ideas", "--depth", "100", "--svg", &none],
        &["bench", "cache", "--time", "100000", "--svg", &none],
        &["openings", "--game", "shogi", "--engine", "kaeshi", "--nodes", "1000000000", "--out", &none],
    ] {
        let output = kaeshi(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("there is no folder"), "{words:?}: {said}");
    }
    for place in [few.clone(), few.clone() + "/new"] {
        let output = kaeshi(&["analyse", "--nodes", "1000000000", &few, "--annotate", &place]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("is not a folder"), "{place}: {said}");
    }
}

#[test]
fn what_an_analysis_writes_into_its_folder_is_no_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (here, out, notes) = (folder.path().display().to_string(), path("out.jsonl"), path("notes"));
    fs::write(path("one.txt"), "startpos moves 7g7f\n").expect("room");
    let analysis = ["analyse", "--game", "shogi", "--nodes", "9", &here, "-o", &out];
    assert!(kaeshi(&analysis).status.success());
    let lines = fs::read_to_string(&out).expect("lines");
    assert!(kaeshi(&[&analysis[..], &["--resume"]].concat()).status.success());
    assert_eq!(fs::read_to_string(&out).expect("lines"), lines);
    // Nor is a file that is no analysis taken for a torn one.
    for text in ["my notes\n", "my notes", "{\"v\":1,\"changed\":0}\n"] {
        fs::write(&notes, text).expect("room");
        for words in [
            &["analyse", "--game", "shogi", "--nodes", "9", &path("one.txt"), "-o", &notes, "--resume"][..],
            &["analyse", "merge", &notes],
        ] {
            assert_eq!(kaeshi(words).status.code(), Some(2), "{words:?} {text:?}");
            assert_eq!(fs::read_to_string(&notes).expect("a file"), text, "{words:?}");
        }
    }
}

#[test]
fn a_file_without_records_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("old.kif");
    fs::write(&file, "# lines end with CR alone\r# and no game is in them\r").expect("room");
    let output = kaeshi(&["analyse", "--game", "shogi", &file.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("old.kif: there is neither a position nor a game in it"), "{said}");
}

#[test]
fn a_folder_without_files_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in ["analyse", "solve"] {
        let output = kaeshi(&[command, "--game", "shogi", &folder.path().display().to_string()]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("no files are in this folder"), "{said}");
    }
}

#[test]
fn tools_refuse_devices_and_what_is_too_large_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (large, out) = (path("large.psv"), path("out"));
    File::create(&large).expect("room").set_len(6 << 30).expect("a sparse file");
    for file in ["/dev/zero", &large] {
        for words in [
            &["match", "--config", file, "--out", &out][..],
            &[
                "match",
                "kaeshi",
                "kaeshi",
                "--game",
                "shogi",
                "--nodes",
                "1",
                "--openings",
                file,
                "--out",
                &out,
            ],
            &["match", "stats", file],
            &["engines", "--engines", file],
            &["train", "--game", "shogi", "--out", &out, file],
            &["train", "--game", "reversi", "--out", &out, file],
            &["train", "--game", "sygo", "--out", &out, file],
            &["book", "--game", "shogi", "--from", file, "--out", &out],
            &["play", "--game", "shogi", "--record", file],
            &["analyse", file],
            &["analyse", "--skip-done", file, "/dev/null"],
            &["analyse", "merge", file],
            &["solve", "--game", "reversi", file],
            &["solve", "--game", "sygo", file],
            &["csa", "localhost", "--name", "x", "--password-file", file],
            &["analyse", "--option", &format!("EvalFile={file}"), "--game", "shogi", "/dev/null"],
        ] {
            // A command that stands for the input of others is a pipe; a device is none.
            let output = kaeshi(words);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(file), "{words:?}: {said}");
        }
    }
    let output = kaeshi(&["data", "count", "/dev/zero"]);
    assert!(!output.status.success());
}

#[test]
fn pipes_are_read_where_tools_take_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let name = pipe.display().to_string();
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, "startpos moves 7g7f\n")
    });
    let output = kaeshi(&["analyse", "--nodes", "50", &name]);
    writer.join().expect("a thread").expect("it is read");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"best\":"));
    // One that lies in a folder is not waited for.
    let output = kaeshi(&["analyse", "--nodes", "50", &folder.path().display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(&name), "{said}");
}

#[test]
fn lines_of_an_analysis_go_to_devices_and_pipes() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.txt");
    fs::write(&input, "startpos moves 7g7f\n").expect("room");
    let input = input.display().to_string();
    let same = ["analyse", "--nodes", "50", "--no-timing", &input];
    let run = |words: &[&str]| {
        let output = kaeshi(&[&same[..], words].concat());
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let whole = run(&[]);
    assert!(whole.contains("\"best\":"));
    assert_eq!(run(&["-o", "/dev/null"]), "");
    assert_eq!(run(&["-o", "/dev/stdout"]), whole);
    assert_eq!(run(&["-o", "/dev/stdout", "--overwrite"]), whole);
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let name = pipe.display().to_string();
    let read = |pipe: PathBuf| {
        std::thread::spawn(move || {
            let mut text = String::new();
            File::open(pipe).expect("a pipe").read_to_string(&mut text).expect("text");
            text
        })
    };
    let reader = read(pipe.clone());
    assert_eq!(run(&["-o", &name]), "");
    assert_eq!(reader.join().expect("a thread"), whole);
    // Derived files are written in the same way, and replace no pipe.
    for option in ["--summary", "--report"] {
        let reader = read(pipe.clone());
        run(&[option, &name]);
        assert!(!reader.join().expect("a thread").is_empty(), "{option}");
        assert!(!fs::metadata(&pipe).expect("a pipe").is_file(), "{option}");
    }
    let output = kaeshi(&[&same[..], &["-o", &name, "--resume"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("no regular file") && said.contains(&name), "{said}");
    let output = kaeshi(&[&same[..], &["-o", "/dev/full"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot write /dev/full"), "{said}");
}

#[test]
fn standard_output_in_a_file_stays_that_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, out) = (folder.path().join("in.txt"), folder.path().join("out.txt"));
    fs::write(&input, "startpos moves 7g7f\n").expect("room");
    fs::write(&out, "before\n").expect("room");
    let status = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["analyse", "--nodes", "50", "-o", "/dev/stdout", "--summary", "/dev/stdout"])
        .arg(&input)
        .stdout(File::options().append(true).open(&out).expect("a file"))
        .status()
        .expect("it runs");
    let text = fs::read_to_string(&out).expect("text");
    assert!(status.success() && text.starts_with("before\n") && text.lines().count() == 3, "{text}");
    assert!(fs::symlink_metadata("/dev/stdout").expect("a link").is_symlink());
}

/// The code of a source file without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("text");
    text.split("\n#[cfg(test)]\n").next().unwrap_or_default().to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("tests") && !path.ends_with("benches") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Only `crates/core/src/files.rs` reads whole files: all other code relies on its bounds and on its handling of paths
/// that are no regular files.
#[test]
fn no_other_place_reads_a_whole_file() {
    const READERS: [&str; 6] = [
        "fs::read(",
        "fs::read_to_string(",
        "File::open(",
        ".read_to_end(",
        ".read_to_string(",
        "read(true).open(",
    ];
    /// Places that read up to another bound, or no file.
    const BOUNDED: [(&str, &str); 8] = [
        ("crates/core/src/files.rs", ""),
        ("crates/system/src/output.rs", "File::open(folder)"),
        ("crates/analysis/src/analyse/targets.rs", ".take("),
        ("crates/analysis/src/store/salvage.rs", ".take("),
        ("crates/shogi/src/nnue/file.rs", ".take("),
        ("crates/shogi/src/evaluate.rs", ".take("),
        ("crates/cluster/src/part.rs", ".take("),
        ("crates/core/src/files/relay.rs", ""),
    ];
    let wrong = uses(&READERS, &BOUNDED);
    assert!(wrong.is_empty(), "read these through crates/core/src/files.rs:\n{}", wrong.join("\n"));
}

/// Only `crates/system/src/output.rs` writes files whole or not at all: it keeps links, permissions and the room of a
/// full disk.
#[test]
fn no_other_place_replaces_a_file() {
    const REPLACERS: [&str; 4] =
        ["fs::rename(", "NamedTempFile::new_in(", ".persist(", ".persist_noclobber("];
    /// Databases, and a key that its owner alone may read.
    const OTHERS: [(&str, &str); 4] = [
        ("crates/system/src/output.rs", ""),
        ("crates/analysis/src/store.rs", "fs::rename("),
        ("crates/analysis/src/store/salvage.rs", "fs::rename("),
        ("crates/cluster/src/worker_key.rs", ""),
    ];
    let wrong = uses(&REPLACERS, &OTHERS);
    assert!(wrong.is_empty(), "write these through crates/system/src/output.rs:\n{}", wrong.join("\n"));
}

/// The lines of the program, without its tests, that have one of these words, but for the files with lines that may.
fn uses(words: &[&str], allowed: &[(&str, &str)]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("crates"), &mut files);
    assert!(files.len() > 100);
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).expect("below").display().to_string();
        for (index, line) in code(&path).lines().enumerate() {
            // `PositionFile::open` and the like are readers of the program that have bounds.
            let own = |before: &str| before.ends_with(|last: char| last.is_alphanumeric());
            let finds = |word: &str| {
                line.match_indices(word).any(|(at, _)| {
                    !word.starts_with(char::is_alphabetic) || !own(line.get(..at).unwrap_or_default())
                })
            };
            let is_used = words.iter().any(|word| finds(word)) && !line.trim().starts_with("//");
            if is_used && !allowed.iter().any(|(file, part)| name == *file && line.contains(part)) {
                found.push(format!("{name}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    found
}
