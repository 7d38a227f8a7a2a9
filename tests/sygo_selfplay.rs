//! Games of Sygo against itself, and what `kaeshi selfplay stats` says of them.

use std::process::Command;

fn kaeshi(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kaeshi")).args(args).output().expect("the program starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn stats_show_each_board_size_of_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a name");
    for size in ["4", "5"] {
        let games = [
            "selfplay",
            "--game",
            "sygo",
            "--searcher",
            "monte-carlo",
            "--iteration",
            "2",
            "--random-from",
            "1",
            "--games",
            "20",
        ];
        kaeshi(&[&games[..], &["--size", size, "--out", out]].concat());
    }
    let printed = kaeshi(&["selfplay", "stats", "--game", "sygo", out]);
    for (size, other) in [("4x4", "5x5"), ("5x5", "4x4")] {
        let (_, board) = printed.split_once(&format!("board {size} games 20\n")).expect("the size");
        let board = board.split(&format!("board {other}")).next().unwrap_or_default();
        let line = board.lines().find(|line| line.starts_with("White won")).expect("results");
        let words = line.split([' ', ',']);
        let counts: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
        assert_eq!(counts.iter().sum::<u32>(), 20, "{line}");
        for heading in
            ["who grew first", "points that one more", "random first stones", "groups after turn 8"]
        {
            assert!(board.contains(heading), "{size} lacks {heading}: {board}");
        }
    }
}

#[test]
fn options_that_are_not_used_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("x"), "").expect("room");
    for (words, said) in [
        (&["selfplay", "--network", "x"][..], "--searcher alpha-beta has no network"),
        (&["selfplay", "--network", "x", "--searcher", "uct"], "give --searcher monte-carlo"),
        (&["train", "x", "--pairs", "5"], "name no files of games"),
        (&["train", "x", "--size", "5"], "name no files of games"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        let output =
            command.args(words).args(["--game", "sygo", "--out", "out"]).current_dir(&folder).output();
        let output = output.expect("the program starts");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && printed.contains(said), "{words:?}: {printed}");
    }
}
