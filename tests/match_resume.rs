//! A match that was killed at any moment goes on as if nothing had happened.

use crate::engine;
#[cfg(target_os = "linux")]
use crate::processes;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kaeshi_match::tournament::journal::load::load;

const KILLS: u64 = 20;
/// Games enough that twenty kills all hit a running match.
const KILLED_GAMES: u64 = 400;

/// Arguments for a mock engine of Reversi that the list of processes shows as one of this test.
fn words(name: &str, mode: &str) -> Vec<String> {
    engine::arguments(name, &format!("reversi:{mode}"), &[&*engine::token(), "nodes=1"])
}

fn start(folder: &Path, mode: &str, games: u64, more: &[&str]) -> Child {
    command(folder, mode, games, more).spawn().expect("the runner starts")
}

fn command(folder: &Path, mode: &str, games: u64, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["match", "--game", "reversi", "--random-plies", "4", "--seed", "9", "--concurrency", "2"]);
    command.args(["--games", &games.to_string()]).args(more).arg("--out").arg(folder);
    command.args(words("a", mode)).args(words("b", mode)).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn resume(folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["match", "--resume"]).arg(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the runner starts")
}

/// The parts of a journal that do not depend on time.
fn essence(folder: &Path) -> Vec<String> {
    let journal = load(&folder.join("journal.jsonl")).expect("a journal");
    let mut lines = Vec::new();
    for played in &journal.games {
        let game = &played.game;
        let moves: Vec<&str> = played.moves.iter().map(|record| record.m.as_str()).collect();
        lines.push(format!(
            "{} {} {} {} {} {} {:?} {:?} {}",
            game.pair,
            game.game,
            game.first,
            game.second,
            game.start,
            game.result.text(),
            game.cause,
            game.margin,
            moves.join(" ")
        ));
    }
    lines.push(format!("{:?}", journal.close));
    lines
}

#[test]
fn twenty_kills_change_nothing() {
    let straight = tempfile::tempdir().expect("a folder");
    let status = start(straight.path(), "good", KILLED_GAMES, &[]).wait().expect("a status");
    assert!(status.success());

    let killed = tempfile::tempdir().expect("a folder");
    let mut child = start(killed.path(), "slow", KILLED_GAMES, &[]);
    let mut random = 7_u64;
    let mut kills = 0;
    let mut deadline = Instant::now();
    while kills < KILLS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        deadline = deadline.max(Instant::now()) + Duration::from_millis(40 + (random >> 33) % 300);
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        child.kill().expect("kill");
        let status = child.wait().expect("a status");
        kills += u64::from(!status.success());
        // Killed before it had written its paper, there is nothing to go on with.
        let begun = killed.path().join("match.json").is_file();
        child = if begun { resume(killed.path()) } else { start(killed.path(), "slow", KILLED_GAMES, &[]) };
        if status.success() {
            break;
        }
    }
    assert!(child.wait().expect("a status").success());
    assert_eq!(kills, KILLS, "the match was over before the last kill");
    assert_eq!(essence(killed.path()), essence(straight.path()), "after {kills} kills the journal differs");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_running_games_and_tells_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = command(folder.path(), "slow", 2000, &[]);
    let child = command.stderr(Stdio::piped()).spawn().expect("the runner starts");
    let journal = folder.path().join("journal.jsonl");
    let until = Instant::now() + Duration::from_secs(60);
    while load(&journal).map_or(0, |journal| journal.games.len()) < 3 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    // SAFETY: a signal to our own child.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().expect("an output");
    assert_eq!(output.status.code(), Some(130));
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains("kaeshi match --resume"), "{printed}");
    let journal = load(&journal).expect("a journal");
    assert!(journal.games.len() >= 3 && journal.games.len() < 2000 && journal.close.is_none());
    assert!(journal.games.iter().all(|played| !played.game.cause.is_fault()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_ctrl_c_ends_at_once_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = start(folder.path(), "silent", 2, &[]);
    let mark = format!("mode:reversi:silent token-{}", std::process::id());
    let engines = || {
        // The runner's own command line names its engines, too.
        processes::command_lines()
            .iter()
            .filter(|line| line.contains(&mark) && !line.contains("--engine"))
            .count()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while !(folder.path().join("match.json").is_file() && engines() == 4) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(engines(), 4);
    let pid = child.id() as i32;
    for _ in 0..2 {
        // SAFETY: a signal to our own child.
        unsafe { libc::kill(pid, libc::SIGINT) };
        std::thread::sleep(Duration::from_millis(300));
    }
    let asked = Instant::now();
    assert_eq!(child.wait_with_output().expect("an output").status.code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(20));
    while engines() > 0 && asked.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(engines(), 0);
}

#[test]
fn a_damaged_line_is_skipped_if_asked_for_up_to_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("m");
    assert!(start(&out, "good", 4, &[]).wait().expect("it ends").success());
    let journal = out.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    let damaged: String = lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            if index == 3 { format!("{}\n", line.replace("\"ply\"", "\"pIy\"")) } else { format!("{line}\n") }
        })
        .collect();
    assert_ne!(damaged, text);
    std::fs::write(&journal, damaged).expect("room");
    let report = folder.path().join("page.html");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.arg("match").args(words).output().expect("runs")
    };
    let (shown, page) = (out.display().to_string(), report.display().to_string());
    let refused = run(&["stats", &shown]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("line 4 is damaged") && said.contains("--salvage"),
        "{said}"
    );
    let resumed = run(&["--resume", &shown, "--salvage", "--report", &page]);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(String::from_utf8_lossy(&resumed.stdout).contains("4 games") && report.is_file());
    let counted = run(&["stats", &shown, "--salvage"]);
    let said = String::from_utf8_lossy(&counted.stderr);
    assert!(counted.status.success() && said.contains("line 4 is damaged and was skipped"), "{said}");
}

#[test]
fn another_match_is_not_continued() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(start(folder.path(), "good", 4, &[]).wait().expect("a status").success());
    let refused = |games, more: &[&str]| {
        let output = command(folder.path(), "good", games, more).stderr(Stdio::piped()).output();
        let output = output.expect("the runner starts");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(4, &["--max-plies", "20"]);
    assert!(said.contains("holds another match: max-plies none there, 20 here. "), "{said}");
    let said = refused(6, &[]);
    assert!(said.contains("planned for 2 pairs, not 3; --resume with --extend changes that"), "{said}");
    let mut longer = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    longer.args(["match", "--extend", "--games", "6", "--resume"]).arg(folder.path());
    assert!(longer.output().expect("the runner starts").status.success());
    assert_eq!(load(&folder.path().join("journal.jsonl")).expect("a journal").games.len(), 6);
}

/// `match.json` has the number of games that the match began with.
#[test]
fn an_extended_match_goes_on_to_its_extended_end() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(start(folder.path(), "good", 4, &[]).wait().expect("a status").success());
    let resume = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        let output = command.args(["match", "--resume"]).arg(folder.path()).args(more).output();
        let output = output.expect("the runner starts");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert!(resume(&["--extend", "--games", "8"]).0);
    // As if the extension had been interrupted: its last game and its end are missing.
    let journal = folder.path().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.contains(r#""k":"game""#)).expect("a game");
    std::fs::write(&journal, lines[..last].join("\n") + "\n").expect("room");
    for fewer in [&["--games", "4"][..], &["--games", "4", "--extend"]] {
        let (success, said) = resume(fewer);
        assert!(!success && said.contains("--extend plans more, not fewer"), "{said}");
    }
    let (success, said) = resume(&[]);
    assert!(success && said.contains("7 of 8 games are played already"), "{said}");
    assert_eq!(load(&journal).expect("a journal").games.len(), 8);
}

#[test]
fn a_match_is_not_continued_with_another_engine_under_the_same_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (out, weights) = (folder.path().join("out"), folder.path().join("w.bin"));
    std::fs::write(&weights, "one").expect("weights");
    let play = |more: &[&str]| {
        let option = format!("option.File={}", weights.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.args(["match", "--game", "reversi", "--nodes", "1", "--seed", "3", "--openings", "none"]);
        command.args(more).arg("--out").arg(&out).args(words("a", "good")).arg(option);
        command.args(words("b", "good"));
        let output = command.output().expect("the runner starts");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (success, printed) = play(&["--games", "4"]);
    assert!(success, "{printed}");
    // The warnings were printed before the first game, and are in the journal.
    assert!(printed.contains("WARNING: all games begin with the usual start"), "{printed}");
    let journal = load(&out.join("journal.jsonl")).expect("a journal");
    assert_eq!(journal.open.engines[0].content.program.len(), 64);
    assert_eq!(journal.open.engines[0].content.files.len(), 1);
    assert!(journal.open.warnings.iter().any(|warning| warning.contains("usual start")));
    assert!(journal.load.is_some());
    // Both engines answer always the same: two games, and their repetitions.
    let stats = Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(["match", "stats"]).arg(&out).output();
    let stats = String::from_utf8_lossy(&stats.expect("runs").stdout).into_owned();
    assert!(stats.contains("2 of 4 games are repetitions"), "{stats}");
    assert!(stats.contains("2 games, 1 of 2 pairs"), "{stats}");

    assert!(play(&["--games", "4"]).0, "the same engine is welcome");
    std::fs::write(&weights, "two").expect("weights");
    let (success, printed) = play(&["--games", "4"]);
    assert!(!success && printed.contains("w.bin' of a is another one"), "{printed}");
}

#[test]
fn a_journal_of_the_first_version_is_refused_by_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(start(folder.path(), "good", 2, &[]).wait().expect("a status").success());
    // As version 0.1.0 wrote it: a fingerprint of Rust's debug text.
    let path = folder.path().join("journal.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    let plan = load(&path).expect("a journal").open.plan;
    let mut old = String::new();
    for line in text.replace(&plan, "fnv:0123456789abcdef").lines() {
        let (body, _) = line.rsplit_once(",\"crc\"").expect("a checksum");
        let crc = kaeshi_system::crc32c::crc32c(body.as_bytes());
        old.push_str(&format!("{body},\"crc\":\"{crc:08x}\"}}\n"));
    }
    std::fs::write(&path, old).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["match", "--resume"])
        .arg(folder.path())
        .output()
        .expect("the runner starts");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && printed.contains("did not record what its engines were"),
        "{printed}"
    );
}

/// Resident memory of a process in KiB.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Between the first tenth and the last of the games the runner grows by the results alone, which
/// the tables are made of; the moves are in the journal, read once more at the end.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_flat() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = start(folder.path(), "good", 1000, &[]);
    let journal = folder.path().join("journal.jsonl");
    let mut samples = Vec::new();
    while child.try_wait().expect("a status").is_none() {
        let written = std::fs::metadata(&journal).map_or(0, |file| file.len());
        samples.extend(resident(child.id()).map(|held| (written, held)));
        std::thread::sleep(Duration::from_millis(20));
    }
    let all = std::fs::metadata(&journal).expect("a journal").len();
    let running = all / 10..all / 10 * 9;
    let held: Vec<u64> =
        samples.iter().filter(|(at, _)| running.contains(at)).map(|&(_, held)| held).collect();
    let (first, most) = (*held.first().expect("samples"), *held.iter().max().expect("samples"));
    println!("{first} KiB after 100 of 1000 games, at most {most} KiB until 900");
    assert!(most < first + 4 * 1024, "from {first} KiB to {most} KiB");
}

/// Figures for the README: `cargo test --release --test match_resume -- --ignored --nocapture overhead`.
#[test]
#[ignore = "a measurement"]
fn overhead() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    assert!(start(folder.path(), "good", 1000, &[]).wait().expect("a status").success());
    let seconds = begun.elapsed().as_secs_f64();
    let journal = load(&folder.path().join("journal.jsonl")).expect("a journal");
    let moves: usize = journal.games.iter().map(|played| played.moves.len()).sum();
    println!("{moves} moves in {seconds:.2} s: {:.0} moves a second", moves as f64 / seconds);
}
