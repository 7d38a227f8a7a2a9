//! `kaeshi selfplay --game shogi` as a process: killed at any moment, and judged by others.

use crate::independent;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use independent::translate;
use kaeshi_core::game::{GameOptions, GameRules, Side};
use kaeshi_learn::shogi::record::{self, ShogiEndCause, ShogiGameRecord};
use kaeshi_shogi::Shogi;
use kaeshi_shogi::rules::types::Move;
use shogi_core::PartialPosition;

/// More than one file holds.
const GAMES: usize = 520;
/// The quickest games there are: a search of one ply, given up when a minor piece is lost.
const QUICK: &str = "--nodes 1 --adjudicate 600";

fn start(folder: &Path, games: usize, threads: u32, settings: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["selfplay", "--game", "shogi", "--weights", "hand", "--seed", "9"]);
    command.args(settings.split(' '));
    command.args(["--games", &games.to_string(), "--threads", &threads.to_string(), "--out"]).arg(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// A folder with 120 games that are played to their end.
fn played_out() -> &'static Path {
    static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(start(folder.path(), 120, 2, "--nodes 10").wait().expect("a status").success());
        folder
    });
    FOLDER.path()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("readable"))
        })
        .collect()
}

fn games(folder: &Path) -> Vec<ShogiGameRecord> {
    let names = files(folder).into_keys().filter(|name| name.ends_with(record::EXTENSION));
    names.flat_map(|name| record::read(&folder.join(name)).expect("games").games).collect()
}

#[test]
fn twenty_kills_and_another_number_of_threads_change_nothing() {
    let straight = tempfile::tempdir().expect("a folder");
    assert!(start(straight.path(), GAMES, 1, QUICK).wait().expect("a status").success());
    let killed = tempfile::tempdir().expect("a folder");
    let mut interrupted = 0;
    for round in 0..20u64 {
        let mut child = start(killed.path(), GAMES, 2, QUICK);
        std::thread::sleep(Duration::from_millis(20 + round * 37 % 80));
        interrupted += u32::from(child.try_wait().expect("a status").is_none());
        // SIGKILL: nothing can be tidied up.
        child.kill().expect("the program can be killed");
        child.wait().expect("a status");
    }
    assert!(interrupted >= 3, "only {interrupted} runs were interrupted");
    assert!(start(killed.path(), GAMES, 2, QUICK).wait().expect("a status").success());
    assert_eq!(files(straight.path()), files(killed.path()));
    assert_eq!(games(straight.path()).len(), GAMES);
}

/// Whether the kernel groups processes by session.
#[cfg(target_os = "linux")]
fn autogroup(process: u32) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{process}/autogroup")).ok()
}

#[cfg(target_os = "linux")]
#[test]
fn background_play_gives_way_leaves_its_session_alone_and_ends_with_its_parent() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args("selfplay --game shogi --nodes 1000 --games 100000 --background --out".split(' '));
    let mut parent = command.arg(folder.path()).stderr(Stdio::null()).spawn().expect("the program starts");
    let children = format!("/proc/{0}/task/{0}/children", parent.id());
    let within_a_minute = |done: &dyn Fn() -> bool| {
        let begun = std::time::Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it takes too long");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    // The first file is made after the priority is lowered.
    within_a_minute(&|| !files(folder.path()).is_empty());
    let child: u32 = std::fs::read_to_string(children).expect("a child").trim().parse().expect("one child");
    let statistics = std::fs::read_to_string(format!("/proc/{child}/stat")).expect("it runs");
    // Behind the name in brackets come the fields from the third one on; the policy is the 41st.
    let fields: Vec<&str> = statistics.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    assert_eq!(fields[41 - 3], "5", "SCHED_IDLE");
    if let (Some(own), Some(its)) = (autogroup(std::process::id()), autogroup(child)) {
        assert!(its.trim_end().ends_with("nice 19"), "{its}");
        assert_eq!(autogroup(parent.id()), Some(own));
    }
    parent.kill().expect("it can be killed");
    parent.wait().expect("a status");
    within_a_minute(&|| !Path::new(&format!("/proc/{child}")).exists());
}

/// The rows of a table that `kaeshi selfplay stats` prints under a heading that begins so.
fn table<'a>(printed: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = printed.lines().skip_while(|line| !line.starts_with(heading)).skip(1).peekable();
    assert!(lines.peek().is_some(), "no {heading} in {printed}");
    lines.take_while(|line| !line.is_empty()).collect()
}

/// The number in a column, counted from the end of the row.
fn column(row: &str, from_end: usize) -> f64 {
    let word = row.split_whitespace().nth_back(from_end).unwrap_or_else(|| panic!("{row}"));
    word.parse().unwrap_or_else(|_| panic!("{row}"))
}

#[test]
fn stats_tell_results_lengths_scores_and_openings() {
    let folder = played_out();
    let mut stats = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    let output = stats.args(["selfplay", "stats"]).arg(folder).output().expect("the program starts");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");

    let games = games(folder);
    let positions: usize = games.iter().map(|game| game.scores.len()).sum();
    let bytes: usize = files(folder).values().map(Vec::len).sum();
    assert!(bytes <= 5 * positions, "{bytes} bytes for {positions} positions");
    assert!(printed.starts_with(&format!("files 1 games 120 positions {positions}\n")), "{printed}");
    let won = |side| games.iter().filter(|game| game.end.winner == side).count() as f64;
    let winners = [Some(Side::First), None, Some(Side::Second)];
    let counted = |rows: &[&str]| -> Vec<f64> {
        rows.iter().map(|row| column(row.trim_end_matches('#').trim_end(), 2)).collect()
    };
    assert_eq!(counted(&table(&printed, "results")), winners.map(won), "{printed}");
    for heading in ["causes", "plies"] {
        assert_eq!(counted(&table(&printed, heading)).iter().sum::<f64>(), 120.0, "{printed}");
    }
    let scores = table(&printed, "scores");
    assert_eq!(scores.iter().map(|row| column(row, 1)).sum::<f64>(), positions as f64, "{printed}");
    assert!(column(scores[0], 0) < column(scores[scores.len() - 1], 0), "whoever is ahead wins: {printed}");

    let openings = table(&printed, "openings");
    assert_eq!(openings.len(), 12, "{printed}");
    for row in &openings {
        let moves: Vec<&str> = row.split_whitespace().take(4).collect();
        let begin = |game: &&ShogiGameRecord| {
            game.moves.iter().take(4).map(Move::to_string).eq(moves.iter().map(|text| (*text).to_owned()))
        };
        let same: Vec<&ShogiGameRecord> = games.iter().filter(begin).collect();
        let points: i32 = same.iter().map(|game| 1 + i32::from(game.end.result(Side::First))).sum();
        assert_eq!(column(row, 1), same.len() as f64, "{row}");
        assert!((column(row, 0) - 50.0 * f64::from(points) / same.len() as f64).abs() < 0.06, "{row}");
    }
    assert!(openings.is_sorted_by(|a, b| column(a, 1) >= column(b, 1)), "{printed}");
    assert!(column(openings[0], 1) > 1.0, "usual openings come more than once: {printed}");
}

#[test]
fn games_are_legal_for_an_independent_library_and_end_as_they_say() {
    let game = Shogi::load(&Default::default()).expect("default settings");
    for record in games(played_out()) {
        let mut theirs = PartialPosition::startpos();
        let mut position = game.start();
        for &mv in &record.moves {
            assert_eq!(game.outcome(&position), None, "{record:?}");
            let mv_there = translate(mv, position.side_to_move());
            shogi_legality_lite::is_legal_partial(&theirs, mv_there).expect("a legal move");
            theirs.make_move(mv_there).expect("a legal move");
            game.play(&mut position, &mv);
        }
        let last = *record.scores.last().expect("a searched move");
        let last_for_winner = i32::from(last) * i32::from(record.end.result(position.side_to_move().other()));
        match record.end.cause {
            ShogiEndCause::Mate | ShogiEndCause::Repetition | ShogiEndCause::PerpetualCheck => {
                assert_eq!(game.outcome(&position).expect("an end").winner, record.end.winner);
            }
            ShogiEndCause::MateSeen => assert!(last_for_winner > 31_000, "{record:?}"),
            ShogiEndCause::Score => assert!(last_for_winner >= 4_000, "{record:?}"),
            ShogiEndCause::EnteringKing => assert_eq!(record.end.winner, Some(position.side_to_move())),
            ShogiEndCause::MaxPlies => assert_eq!((record.moves.len(), record.end.winner), (320, None)),
        }
    }
}
