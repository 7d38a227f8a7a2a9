//! Options that users of Japanese GUIs know have the effect that they expect.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// All that is printed in answer to these lines.
fn printed(program: &str, game: &str, lines: &[&str]) -> Vec<String> {
    let mut child = Command::new(program)
        .args(["--game", game])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let input = format!("setoption name OwnBook value false\n{}\n", lines.join("\n"));
    child.stdin.take().expect("stdin is piped").write_all(input.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("ASCII").lines().map(str::to_owned).collect()
}

fn kaeshi(game: &str, lines: &[&str]) -> Vec<String> {
    printed(env!("CARGO_BIN_EXE_kaeshi"), game, lines)
}

/// The number behind a word of the last line of analysis.
fn number(lines: &[String], word: &str) -> u64 {
    let line = lines.iter().rev().find(|line| line.starts_with("info depth")).expect("analysis");
    let mut words = line.split(' ').skip_while(|found| *found != word).skip(1);
    words.next().expect("a number").parse().expect("a number")
}

#[test]
fn levels_search_less_in_every_game() {
    for game in ["shogi", "reversi", "sygo"] {
        for name in ["SkillLevel", "Skill"] {
            let level = format!("setoption name {name} value 1");
            let answers = kaeshi(game, &[&level, "position startpos", "go depth 4"]);
            assert_eq!(number(&answers, "depth"), 1, "{game}: {answers:?}");
            assert!(answers.last().expect("an answer").starts_with("bestmove "), "{game}: {answers:?}");
        }
    }
}

#[test]
fn weak_play_varies_from_game_to_game() {
    for game in ["reversi", "sygo"] {
        // Each game in its own process: a search is stopped by the lines that follow.
        let moves: BTreeSet<String> = (0..12)
            .map(|_| {
                let lines = ["setoption name SkillLevel value 0", "position startpos", "go nodes 100"];
                kaeshi(game, &lines).pop().expect("an answer")
            })
            .collect();
        assert!(moves.iter().all(|line| line.starts_with("bestmove ")), "{game}: {moves:?}");
        assert!(moves.len() > 1, "{game}: always {moves:?}");
    }
}

#[test]
fn bounds_are_reported_when_they_are_asked_for() {
    let bounds = |game: &str, line: &str| {
        let lines = ["setoption name OutputFailLHPV value true", line, "go nodes 30000"];
        let count =
            |said_text: Vec<String>| said_text.iter().filter(|line| line.contains("bound nodes")).count();
        (count(kaeshi(game, &lines)), count(kaeshi(game, &lines[1..])))
    };
    for (game, line) in [
        // Both kings are in danger, so that the value of the root leaves the window with any evaluation.
        (
            "shogi",
            "position sfen 6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
        ),
        ("reversi", "position startpos moves f5 d6 c5"),
    ] {
        let (with, without) = bounds(game, line);
        assert!(with > without && without <= 2, "{game}: {with} and {without}");
    }
}

/// The pawn may enter the camp without promoting, which is of no use but a move.
#[test]
fn all_legal_moves_count_when_they_are_asked_for() {
    let position = "position sfen 4k4/9/9/4P4/9/9/9/4R4/4K4 b - 1";
    let nodes = |option: &str| number(&kaeshi("shogi", &[option, position, "go depth 6"]), "nodes");
    let without = nodes("setoption name GenerateAllLegalMoves value false");
    assert_ne!(nodes("setoption name GenerateAllLegalMoves value true"), without);
}

#[test]
fn a_file_beside_the_program_changes_the_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("kaeshi");
    std::fs::copy(env!("CARGO_BIN_EXE_kaeshi"), &program).expect("room");
    std::fs::write(folder.path().join("engine_options.txt"), "MultiPV 3\nUSI_Hash 2\n").expect("room");
    let program = program.to_str().expect("a name");
    let answers =
        printed(program, "shogi", &["usi", "position startpos", "go depth 2", "getoption USI_Hash"]);
    assert!(answers.contains(&"option name MultiPV type spin default 3 min 1 max 600".to_owned()));
    assert!(answers.contains(&"Options[USI_Hash] == 2".to_owned()));
    assert!(answers.iter().any(|line| line.contains(" multipv 3 ")), "{answers:?}");
}

/// `Skill` is another name of `SkillLevel`, in setoption and in getoption.
#[test]
fn an_alias_sets_and_shows_the_same_option() {
    let lines = [
        "setoption name Skill value 3",
        "getoption Skill",
        "getoption SkillLevel",
        "setoption name Skil value 3",
    ];
    let answers = kaeshi("shogi", &lines);
    let shown = answers.iter().filter(|line| *line == "Options[SkillLevel] == 3").count();
    assert_eq!(shown, 2, "{answers:?}");
    assert!(answers.iter().any(|line| line.contains("did you mean 'SkillLevel'?")), "{answers:?}");
}

#[test]
fn the_articles_searches_order_and_deepen_selectively() {
    let search = |set: &str, depth: &str| {
        let lines = ["setoption name ReferenceCache value false", set, "position startpos", depth];
        kaeshi("shogi", &lines)
    };
    let alphabeta = "setoption name Search value alphabeta";
    let unordered = format!("{alphabeta}\nsetoption name ReferenceOrdering value false");
    let ordered = number(&search(alphabeta, "go depth 3"), "nodes");
    let all = number(&search(&unordered, "go depth 3"), "nodes");
    assert!(ordered < all, "{ordered} nodes with ordering, {all} without");
    let selective = search("setoption name Search value selective", "go depth 2");
    assert_eq!(number(&selective, "seldepth"), 4, "{selective:?}");
}
