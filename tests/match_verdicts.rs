//! The twenty ways in which engines misbehave, each with its verdict: none of them stops, hangs or
//! falsifies a match, and nothing is left behind. And the repetitions that only a referee judges.

use crate::engine;
#[cfg(target_os = "linux")]
use crate::processes;
use std::path::Path;
use std::process::{Command, Output};

use kaeshi_match::tournament::journal::load::load;
use kaeshi_match::tournament::journal::{EndCause, GameResult, Journal, JournalGame};

/// Arguments for a mock engine that the list of processes shows as one of this test.
fn mock(name: &str, game: &str, mode: &str, more: &[&str]) -> Vec<String> {
    engine::arguments(name, &format!("{game}:{mode}"), &[&[&*engine::token()], more].concat())
}

/// Plays `mode` against a good engine; two games unless `more` says otherwise.
fn play(game: &str, mode: &str, words: &[&str], more: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["match", "--game", game, "--games", "2", "--seed", "1", "--random-plies", "2"]);
    command.args(["--timeout-scale", "0.5", "--stall", "1s", "--recover"]).args(more);
    command.arg("--out").arg(folder.path());
    command.args(mock("bad", game, mode, words));
    let peer = if mode.contains("ponder") { "predictable" } else { "good" };
    command.args(mock("good", game, peer, &["nodes=1"]));
    (command.output().expect("the runner starts"), folder)
}

/// Both engines play `script` from the position `start`; two games with colours exchanged.
fn scripted(start: &str, script: &str) -> Vec<JournalGame> {
    let folder = tempfile::tempdir().expect("a folder");
    let openings = folder.path().join("openings");
    std::fs::write(&openings, start).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["match", "--game", "shogi", "--games", "2", "--seed", "1", "--max-plies", "100"]);
    command.arg("--openings").arg(&openings).arg("--out").arg(folder.path().join("match"));
    for name in ["one", "other"] {
        command.args(mock(name, "shogi", &format!("plays-{}", script.replace(' ', "-")), NODES));
    }
    let output = command.output().expect("the runner starts");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}");
    let journal = journal(&folder.path().join("match"));
    assert_eq!((journal.games.len(), journal.faults.len()), (2, 0), "{printed}");
    journal.games.into_iter().map(|played| played.game).collect()
}

fn journal(folder: &Path) -> Journal {
    load(&folder.join("journal.jsonl")).expect("a journal")
}

/// Plays and demands that every game ended in this way, lost by the bad engine if it was a fault.
fn verdict(game: &str, mode: &str, words: &[&str], more: &[&str], cause: EndCause) -> Journal {
    let (output, folder) = play(game, mode, words, more);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{mode}: {printed}");
    let journal = journal(folder.path());
    assert_eq!(journal.games.len(), 2, "{mode}: {printed}");
    for played in &journal.games {
        assert_eq!(played.game.cause, cause, "{mode}: {printed}");
        if cause.is_fault() || cause == EndCause::Resign {
            assert_eq!(played.game.loser.as_deref(), Some("bad"), "{mode}");
        }
    }
    assert_eq!(journal.faults.len(), if cause.is_fault() { 2 } else { 0 }, "{mode}");
    journal
}

const NODES: &[&str] = &["nodes=1"];
const TIME: &[&str] = &["movetime=300ms"];

#[test]
fn v01_cannot_be_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |engine: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.args(["match", "--game", "reversi", "--nodes", "1", "--out"]).arg(folder.path());
        command.args(mock("good", "reversi", "good", &[])).arg("--engine").args(engine);
        let output = command.output().expect("the runner starts");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&["cmd=/nowhere/engine"]).contains("/nowhere/engine"));
    let exits = mock("bad", "reversi", "exits-at-once", &[]);
    let exits: Vec<&str> = exits.iter().skip(1).map(String::as_str).collect();
    let printed = run(&exits);
    assert!(
        printed.contains("engine bad") && printed.contains("127") && printed.contains("libnothing"),
        "{printed}"
    );
}

/// The games count; the report says which engine's lines a GUI could not show.
#[test]
fn lines_that_are_illegal_short_or_of_another_move_are_reported() {
    for (mode, says) in [
        ("line-legal", None),
        ("line-illegal", Some("expected lines are wrong (first: pair 1 game 1 move ")),
        ("line-other", Some("not with the move")),
        ("line-short", Some("expected lines have one turn only")),
    ] {
        let (output, folder) = play("reversi", mode, NODES, &[]);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && journal(folder.path()).faults.is_empty(), "{mode}: {printed}");
        let note = printed.lines().find(|line| line.starts_with("NOTE: bad: "));
        assert_eq!(note.is_some(), says.is_some(), "{mode}: {printed}");
        assert!(note.unwrap_or_default().contains(says.unwrap_or_default()), "{mode}: {printed}");
    }
}

#[test]
fn v02_greets_late_or_never() {
    verdict("reversi", "banner", NODES, &[], EndCause::NoMoves);
    let (output, folder) = play("reversi", "mute", NODES, &["--timeout-scale", "0.1"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("engine bad: no answer to ugi"));
    assert!(!folder.path().join("journal.jsonl").exists());
}

#[test]
fn v03_is_not_ready() {
    let (output, folder) = play("reversi", "unready", NODES, &["--timeout-scale", "0.1"]);
    assert!(output.status.success());
    let causes: Vec<EndCause> = journal(folder.path()).games.iter().map(|played| played.game.cause).collect();
    assert_eq!(causes, [EndCause::NoMoves, EndCause::Stall]);
}

#[test]
fn v04_dies_while_thinking() {
    let journal = verdict("reversi", "exits", NODES, &[], EndCause::Crash);
    assert!(journal.games[0].game.detail.contains("exit code 3"));
    assert!(!journal.faults[0].tail.is_empty());
    let journal = verdict("reversi", "aborts", NODES, &[], EndCause::Crash);
    let ended = if cfg!(windows) { "exit code 0xc" } else { "signal 6" };
    assert!(journal.games[0].game.detail.contains(ended), "{}", journal.games[0].game.detail);
}

#[test]
fn v05_closes_its_pipes() {
    if cfg!(unix) {
        verdict("reversi", "closes-stdout", NODES, &[], EndCause::Crash);
        verdict("reversi", "closes-stdin", NODES, &[], EndCause::Crash);
    }
}

#[test]
fn v06_answers_too_late() {
    let journal = verdict("reversi", "late", TIME, &[], EndCause::Time);
    assert!(
        journal.games[0].game.detail.contains("0.300 s were allowed"),
        "{}",
        journal.games[0].game.detail
    );
}

#[test]
fn v07_never_answers() {
    verdict("reversi", "silent", TIME, &[], EndCause::Time);
    verdict("reversi", "chatty", TIME, &[], EndCause::Time);
    verdict("reversi", "silent", NODES, &[], EndCause::Stall);
    verdict("reversi", "chatty", NODES, &[], EndCause::Stall);
}

#[test]
fn v08_plays_an_illegal_move() {
    let journal = verdict("reversi", "illegal", NODES, &[], EndCause::Illegal);
    assert!(journal.games[0].game.detail.contains("a1a1\\u{1b}"), "{}", journal.games[0].game.detail);
}

#[test]
fn v09_answers_nothing() {
    verdict("reversi", "none", NODES, &[], EndCause::BadAnswer);
    verdict("shogi", "empty", NODES, &[], EndCause::BadAnswer);
}

#[test]
fn v10_claims_a_win_that_is_none() {
    verdict("shogi", "claims", NODES, &[], EndCause::FalseClaim);
}

#[test]
fn v11_resigns_when_winning() {
    let journal = verdict("shogi", "resigns", NODES, &[], EndCause::Resign);
    assert!(journal.games[0].game.detail.contains("score"));
}

#[test]
fn v12_answers_twice() {
    let journal = verdict("reversi", "twice", NODES, &[], EndCause::NoMoves);
    let warned = journal.games[0].moves.iter().any(|record| !record.warn.is_empty());
    assert!(warned || !journal.games[0].game.warn.is_empty());
}

#[test]
fn v13_ponders_badly() {
    let ponder = ["--ponder", "--max-plies", "12"];
    let early = verdict("shogi", "ponders-early", NODES, &ponder, EndCause::MaxPlies);
    assert!(early.games.iter().any(|played| played.moves.iter().any(|record| record.ponderhit)));
    let moves: Vec<&str> = early
        .games
        .iter()
        .flat_map(|played| &played.moves)
        .flat_map(|record| &record.warn)
        .map(String::as_str)
        .collect();
    assert!(moves.iter().any(|warning| warning.contains("before ponderhit")), "{moves:?}");
    let deaf = verdict("shogi", "deaf-ponder", NODES, &ponder, EndCause::Stall);
    assert!(deaf.games[0].game.plies > 0);
    let good = verdict("shogi", "ponders", NODES, &ponder, EndCause::MaxPlies);
    assert_eq!(good.faults, []);
}

#[test]
fn v14_writes_rubbish() {
    verdict("reversi", "garbage", NODES, &[], EndCause::NoMoves);
    verdict("reversi", "endless-line", NODES, &[], EndCause::BadAnswer);
}

#[test]
fn v15_floods_its_pipes() {
    verdict("reversi", "floods", NODES, &[], EndCause::NoMoves);
    verdict("reversi", "repeats", NODES, &[], EndCause::BadAnswer);
}

#[test]
fn v16_lies_about_its_scores() {
    let rules = ["--resign", "movecount=2", "score=500"];
    verdict("reversi", "lies", NODES, &rules, EndCause::NoMoves);
}

/// On Windows the job of the engine holds them, and `.ci/windows` looks for processes that are left.
#[cfg(any(target_os = "linux", windows))]
#[test]
fn v17_leaves_children_behind() {
    let (output, folder) = play("reversi", "daemon", NODES, &["--timeout-scale", "0.1"]);
    assert!(output.status.success());
    assert_eq!(journal(folder.path()).games.len(), 2);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("left behind"), "{printed}");
    #[cfg(target_os = "linux")]
    {
        let own = std::process::id();
        let marks = [format!("sleep 1000.{own}"), format!("mode:reversi:daemon token-{own}")];
        let mut left = processes::command_lines();
        left.retain(|line| marks.iter().any(|mark| line.contains(mark)));
        assert_eq!(left, Vec::<String>::new());
    }
}

#[cfg(unix)]
#[test]
fn v18_is_killed_by_the_system() {
    let journal = verdict("reversi", "killed", NODES, &[], EndCause::Crash);
    assert!(journal.games[0].game.detail.contains("signal 9"));
}

#[test]
fn v19_keeps_state_between_games() {
    let journal = verdict("reversi", "leaky", NODES, &["--restart"], EndCause::NoMoves);
    assert_eq!(journal.faults, []);
}

#[test]
fn v20_loses_its_place_in_the_dialogue() {
    let gtp = &["protocol=gtp", "nodes=1"][..];
    verdict("reversi", "good", gtp, &[], EndCause::NoMoves);
    verdict("reversi", "gtp-no-ids", gtp, &[], EndCause::NoMoves);
    verdict("reversi", "gtp-refuses-once", gtp, &[], EndCause::NoMoves);
    verdict("reversi", "gtp-refuses", gtp, &[], EndCause::BadAnswer);
    verdict("reversi", "nboard-pass", &["protocol=nboard", "depth=1"], &[], EndCause::NoMoves);
}

#[test]
fn perpetual_check_loses_for_the_checker() {
    // At the fourth time the checker is to move, or the other side.
    for start in ["R8/8k/9/9/9/9/9/9/4K4 b - 1", "R7k/9/9/9/9/9/9/9/4K4 w - 1"] {
        for game in scripted(start, "9a9b 9b9a 1a1b 1b1a") {
            assert_eq!((game.cause, game.result), (EndCause::Perpetual, GameResult::SecondWins), "{start}");
            assert_eq!((game.loser, game.plies), (Some(game.first), 12), "{start}");
        }
    }
    // White checks.
    for game in scripted("4k4/9/9/9/9/9/9/K8/8r w - 1", "1i1h 1h1i 9h9i 9i9h") {
        assert_eq!((game.cause, game.result), (EndCause::Perpetual, GameResult::FirstWins));
        assert_eq!(game.loser, Some(game.second));
    }
}

#[test]
fn the_fourth_repetition_is_a_draw() {
    for game in scripted("startpos", "2h3h 3h2h 8b7b 7b8b") {
        assert_eq!((game.cause, game.result), (EndCause::Repetition, GameResult::Draw));
        assert_eq!((game.loser, game.plies), (None, 12));
    }
    // A rook that checks on one of two ranks only.
    for game in scripted("R8/8k/9/9/9/9/9/9/4K4 b - 1", "9a9c 9c9a 1a1b 1b1a") {
        assert_eq!((game.cause, game.result), (EndCause::Repetition, GameResult::Draw));
    }
}
