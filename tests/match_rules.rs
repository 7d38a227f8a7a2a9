//! The rules of an event beside those of the game: replays after repetition, counted impasses, handicaps,
//! knock-outs and pyramids.

use crate::engine;
use std::path::Path;
use std::process::{Command, Output};

use kaeshi_match::tournament::journal::load::load;
use kaeshi_match::tournament::journal::{EndCause, GameResult, GameWithMoves, Journal};

/// Arguments for a mock engine of shogi.
fn mock(name: &str, mode: &str, limit: &str) -> Vec<String> {
    engine::arguments(name, &format!("shogi:{mode}"), &[limit])
}

fn kaeshi(words: &[&str], out: &Path, more: &[Vec<String>]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(["match"]).args(words).arg("--out").arg(out).args(more.concat());
    command.output().expect("the runner starts")
}

fn journal(folder: &Path) -> Journal {
    load(&folder.join("journal.jsonl")).expect("a journal")
}

/// Both engines play `script` from `start` under `words`; two games.
fn scripted(out: &Path, start: &str, script: &str, limit: &str, words: &[&str]) -> Journal {
    let openings = out.with_extension("openings");
    std::fs::write(&openings, start).expect("a file");
    let openings = openings.display().to_string();
    let all = [&["--game", "shogi", "--games", "2", "--seed", "1", "--openings", &openings], words].concat();
    let mode = format!("plays-{}", script.replace(' ', "-"));
    let output = kaeshi(&all, out, &[mock("one", &mode, limit), mock("other", &mode, limit)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    journal(out)
}

const REPEATS: &str = "2h3h 3h2h 8b7b 7b8b";

#[test]
fn a_repetition_is_replayed_with_colours_exchanged_while_the_clocks_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("match");
    let words = ["--sennichite", "replays=2", "--records", "--report"];
    let page = folder.path().join("page.html").display().to_string();
    let journal = scripted(&out, "startpos", REPEATS, "tc=60", &[&words[..], &[&page]].concat());
    let legs = |played: &GameWithMoves| played.legs.iter().map(|leg| leg.game.clone()).collect::<Vec<_>>();
    assert_eq!((journal.games.len(), journal.all_games().count()), (2, 6));
    for (played, names) in journal.games.iter().zip([["one", "other"], ["other", "one"]]) {
        let legs = [legs(played), vec![played.game.clone()]].concat();
        for (index, game) in legs.iter().enumerate() {
            let mut names = names;
            names.rotate_left(index % 2);
            assert_eq!((game.leg, [game.first.as_str(), game.second.as_str()]), (index as u8, names));
            assert_eq!((game.cause, game.result, game.plies), (EndCause::Repetition, GameResult::Draw, 12));
        }
        for two in legs.windows(2) {
            assert!(two[1].rest_us[1] < two[0].rest_us[0], "{two:?}");
            assert!(two[1].rest_us[0] < two[0].rest_us[1], "{two:?}");
        }
    }
    let stats = Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(["match", "stats"]).arg(&out).output();
    let stats = String::from_utf8(stats.expect("runs").stdout).expect("text");
    assert!(stats.contains("Replayed: 4 games") && stats.contains("2 games, 1 of 1 pairs"), "{stats}");
    let records = out.join("records/kif");
    for name in ["00001-1.kifu", "00001-1-replay1.kifu", "00001-2-replay2.kifu"] {
        assert!(records.join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("1.2 replay 2"));
}

#[test]
fn a_match_that_was_killed_amid_a_replay_plays_all_of_the_game_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("match");
    let essence = |journal: &Journal| -> Vec<String> {
        let line = |played: &GameWithMoves| {
            let game = &played.game;
            let moves: Vec<&str> = played.moves.iter().map(|one| one.m.as_str()).collect();
            format!("{} {} {} {} {}", game.pair, game.game, game.leg, game.first, moves.join(" "))
        };
        journal.all_games().map(line).collect()
    };
    let words = ["--sennichite", "replays=1"];
    let whole = essence(&scripted(&out, "startpos", REPEATS, "nodes=1", &words));
    assert_eq!(whole.len(), 4);
    let path = out.join("journal.jsonl");
    let bytes = std::fs::read(&path).expect("a journal");
    let text = String::from_utf8_lossy(&bytes);
    let second_leg = text.rfind(r#""k":"leg""#).expect("a leg");
    std::fs::write(&path, &bytes[..second_leg + 300]).expect("room");
    let resumed = Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(["match", "--resume"]).arg(&out).output();
    let resumed = resumed.expect("runs");
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(essence(&journal(&out)), whole);
}

#[test]
fn an_impasse_is_counted_when_both_engines_see_no_mate() {
    let folder = tempfile::tempdir().expect("a folder");
    let entered = "4K4/9/4R4/9/9/9/4r4/9/4k4 b B2G2S2N2L9Pb2g2s2n2l9p 1";
    let kings = "5a4a 4a5a 5i4i 4i5i";
    let cases = [
        ("points=24", entered, EndCause::Impasse, GameResult::Draw),
        ("points=27", entered, EndCause::Impasse, GameResult::SecondWins),
        // White's king has not entered.
        (
            "points=27",
            "4K4/9/4R4/9/k8/9/4r4/9/9 b B2G2S2N2L9Pb2g2s2n2l9p 1",
            EndCause::Repetition,
            GameResult::Draw,
        ),
    ];
    for (number, (rule, start, cause, result)) in cases.into_iter().enumerate() {
        let out = folder.path().join(number.to_string());
        let script = format!("{kings} 9e9f 9f9e");
        let journal = scripted(&out, start, &script, "nodes=1", &["--impasse", rule, "movecount=2"]);
        for GameWithMoves { game, .. } in &journal.games {
            assert_eq!((game.cause, game.result), (cause, result), "{rule} {start}");
            if cause == EndCause::Impasse {
                assert_eq!((game.plies, game.detail.as_str()), (4, "27 points to 27"));
            }
        }
    }
    // Where drawn games are replayed, 24 points each are no result either; 27 points decide.
    for (rule, legs) in [("points=24", 1), ("points=27", 0)] {
        let out = folder.path().join(rule);
        let words = ["--impasse", rule, "movecount=2", "--sennichite", "replays=1"];
        let journal = scripted(&out, entered, kings, "nodes=1", &words);
        for GameWithMoves { game, legs: before, .. } in &journal.games {
            assert_eq!((before.len(), game.leg, game.cause), (legs, legs as u8, EndCause::Impasse), "{rule}");
            for GameWithMoves { game: leg, .. } in before {
                assert_eq!((leg.cause, leg.result), (EndCause::Impasse, GameResult::Draw));
                assert_eq!([&leg.first, &leg.second], [&game.second, &game.first], "colours are exchanged");
            }
        }
    }
}

#[test]
fn a_handicap_is_given_by_each_engine_once_or_always_by_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    let words =
        ["--game", "shogi", "--handicap", "2-piece", "--games", "2", "--max-plies", "6", "--seed", "5"];
    let engines = [mock("one", "good", "nodes=1"), mock("other", "good", "nodes=1")];
    let played = |name: &str, more: &[&str]| {
        let output = kaeshi(&[&words, more].concat(), &out(name), &engines);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        journal(&out(name))
    };
    let each = played("each", &[]);
    let takers: Vec<&str> = each.games.iter().map(|played| played.game.first.as_str()).collect();
    assert_eq!((takers, each.open.single), (vec!["one", "other"], false));
    for played in &each.games {
        assert!(played.game.start.starts_with("sfen lnsgkgsnl/9/"), "{}", played.game.start);
        assert_eq!(played.moves[0].side, 1, "White, the giver, begins");
    }
    assert_eq!(each.open.openings, "handicap 2-piece");
    let one = played("one", &["--handicap-for", "other", "--random-plies", "2"]);
    assert!(one.games.iter().all(|played| played.game.first == "other"));
    assert_eq!((one.games.len(), one.open.single), (2, true));
    assert_ne!(one.games[0].game.start, one.games[1].game.start);
}

#[test]
fn this_engine_plays_by_all_of_these_rules() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "kaeshi",
        "kaeshi:Threads=1",
        "--game",
        "shogi",
        "--nodes",
        "20",
        "--games",
        "2",
        "--max-plies",
        "30",
        "--handicap",
        "2-piece",
        "--sennichite",
        "replays=1",
        "floor=1m",
        "--impasse",
        "points=27",
        "--records",
    ];
    let output = kaeshi(&words, folder.path(), &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    assert_eq!((journal.games.len(), journal.faults.len()), (2, 0));
    let record = std::fs::read_to_string(folder.path().join("records/kif/00001-1.kifu")).expect("a record");
    assert!(record.contains("\n手合割：二枚落ち\n下手："), "{record}");
}

/// The players and the result of each game.
fn games(journal: &Journal) -> Vec<String> {
    let line = |played: &GameWithMoves| {
        let game = &played.game;
        format!(
            "{}.{} {} {} {} {}",
            game.pair,
            game.game,
            game.first,
            game.second,
            game.start,
            game.result.text()
        )
    };
    journal.games.iter().map(line).collect()
}

fn resume(folder: &Path) {
    let resumed = Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(["match", "--resume"]).arg(folder).output();
    let resumed = resumed.expect("runs");
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
}

#[test]
fn a_knock_out_is_the_same_with_any_number_of_tables_and_interruptions() {
    let folder = tempfile::tempdir().expect("a folder");
    // Players that are equal tie all their pairs, so that the better seed goes on.
    let engine = |name: &str, mode: &str| engine::arguments(name, &format!("reversi:{mode}"), &["nodes=1"]);
    let engines = [
        engine("a", "resigns"),
        engine("b", "good"),
        engine("c", "good"),
        engine("d", "resigns"),
        engine("e", "good"),
    ];
    let words =
        ["--game", "reversi", "--format", "knockout", "--games", "4", "--tiebreaks", "1", "--seed", "3"];
    let played = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        let output = kaeshi(&[&words, more].concat(), &out, &engines);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (journal(&out), String::from_utf8(output.stdout).expect("text"))
    };
    let page = folder.path().join("page.html").display().to_string();
    let (one, text) = played("one", &["--report", &page]);
    let (three, _) = played("three", &["--concurrency", "3"]);
    assert_eq!(games(&one), games(&three));
    let mut longer = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    longer.args(["match", "--extend", "--games", "8", "--resume"]).arg(folder.path().join("one"));
    let refused = longer.output().expect("runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("--extend: who plays next in a knock-out"), "{said}");
    assert_eq!(one.games.len(), 4 + 4 + 6 + 6);
    assert_eq!(one.close.as_ref().map(|close| close.why.as_str()), Some("all-played"));
    let bracket = [
        ["quarter-final", "1 a : –", "0 : 0", "a (bye)"],
        ["quarter-final", "4 d : 5 e", "0 : 4", "e"],
        ["quarter-final", "2 b : –", "0 : 0", "b (bye)"],
        ["quarter-final", "3 c : –", "0 : 0", "c (bye)"],
        ["semi-final", "1 a : 5 e", "0 : 4", "e"],
        ["semi-final", "2 b : 3 c", "3 : 3", "b (better seed)"],
        ["final", "2 b : 5 e", "3 : 3", "b (better seed)"],
    ];
    let cells = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(String::from).collect()
    };
    let rows: Vec<Vec<String>> = text.lines().filter(|line| line.contains(" : ")).map(cells).collect();
    assert_eq!(rows, bracket, "{text}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("Bracket") && page.contains("b wins the knock-out after 20 games"));
    // Cut within the semi-finals, it goes on to the same end.
    let path = folder.path().join("three/journal.jsonl");
    let bytes = std::fs::read(&path).expect("a journal");
    for share in [30, 60, 95] {
        std::fs::write(&path, &bytes[..bytes.len() * share / 100]).expect("room");
        resume(&folder.path().join("three"));
        assert_eq!(games(&journal(&folder.path().join("three"))), games(&one), "cut at {share} %");
    }
}

#[test]
fn a_pyramid_grows_engine_by_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let engines = ["a", "b", "c"].map(|name| engine::arguments(name, "reversi:good", &["nodes=1"]));
    let words =
        ["--game", "reversi", "--format", "pyramid", "--games", "4", "--max-plies", "12", "--seed", "3"];
    let output = kaeshi(&words, folder.path(), &engines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    let met: Vec<&str> = journal.games.iter().map(|played| played.game.second.as_str()).step_by(2).collect();
    assert_eq!(met, ["b", "b", "c", "c", "c", "c"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("12 games, 6 of 6 pairs, ended: all-played"), "{text}");
}

#[test]
fn this_engine_plays_a_knock_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = [
        "kaeshi:SkillLevel=20",
        "kaeshi",
        "kaeshi:SkillLevel=1",
        "--game",
        "reversi",
        "--nodes",
        "30",
        "--games",
        "2",
        "--tiebreaks",
        "1",
        "--format",
        "knockout",
        "--concurrency",
        "2",
    ];
    let output = kaeshi(&words, folder.path(), &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("\nfinal "), "{text}");
    assert!((4..=8).contains(&journal(folder.path()).games.len()), "{text}");
}
