//! The command line of `kaeshi match` and `kaeshi openings`: a file and arguments make the same match, and every
//! mistake is reported before the first game.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::engine::arguments as mock;
use kaeshi_match::tournament::journal::load::load;
use kaeshi_match::tournament::journal::{EndCause, Journal};

fn kaeshi(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.args(words);
    command
}

fn two_reversi_players(out: &Path, words: &[&str]) -> Output {
    let mut command = kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "4", "--seed", "3"]);
    command.args(words).arg("--out").arg(out);
    command.args(mock("a", "reversi:good", &[])).args(mock("b", "reversi:good", &["depth=2", "margin=5ms"]));
    command.output().expect("the runner starts")
}

fn journal(folder: &Path) -> Journal {
    load(&folder.join("journal.jsonl")).expect("a journal")
}

#[test]
fn a_file_and_words_make_the_same_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let (by_words, by_file) = (folder.path().join("words"), folder.path().join("file"));
    let openings = folder.path().join("book.txt");
    std::fs::write(&openings, "f5d6c3\nf5f6e6 ; the parallel one\nstartpos moves f5 d6 c5\n")
        .expect("a book");
    let book = openings.display().to_string();
    let output =
        two_reversi_players(&by_words, &["--openings", &book, "--random-plies", "2", "--max-plies", "40"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let program = std::env::current_exe().expect("this test");
    let engine = |name: &str, more: &str| {
        format!(
            "[[engines]]\nname = \"{name}\"\ncmd = '{}'\nargs = [\"mock_engine\", \"--exact\", \"--nocapture\", \
             \"--test-threads=1\", \"mode:reversi:good\"]\n{more}\n",
            program.display()
        )
    };
    let text = format!(
        "game = \"reversi\"\nnodes = 1\ngames = 4\nseed = 3\nrandom-plies = 2\nmax-plies = 40\nopenings = '{book}'\n{}{}",
        engine("a", ""),
        engine("b", "depth = 2\nmargin = \"5ms\"")
    );
    let config = folder.path().join("match.toml");
    std::fs::write(&config, text).expect("a file");
    let output =
        kaeshi(&["match", "--config"]).arg(&config).arg("--out").arg(&by_file).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (words, file) = (journal(&by_words), journal(&by_file));
    assert_eq!(words.open.plan, file.open.plan);
    assert_eq!(words.open.engines[1].limit, "depth=2");
    assert_eq!(words.open.engines[1].margin_us, 5000);
    let texts = |journal: &Journal| {
        journal.games.iter().map(|played| (played.game.start.clone(), played.game.plies)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&words), texts(&file));
    assert_eq!(words.games[0].game.start, words.games[1].game.start);
    assert_ne!(words.games[1].game.start, words.games[2].game.start);
    assert_eq!(words.games[0].game.first, "a");
    assert_eq!(words.games[1].game.first, "b");
    assert!(words.games.iter().all(|played| played.game.cause == EndCause::MaxPlies));

    let stats = kaeshi(&["match", "stats"]).arg(&by_words).output().expect("runs");
    assert!(String::from_utf8_lossy(&stats.stdout).contains("4 games"));
}

#[test]
fn mistakes_are_named_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.txt");
    std::fs::write(&book, "f5d6\nf5a1\n").expect("a book");
    let book = book.display().to_string();
    let config = folder.path().join("bad.toml");
    std::fs::write(&config, "game = \"reversi\"\nconcurency = 2\n").expect("a file");
    let config = config.display().to_string();
    let out = folder.path().join("out");
    let cases: &[(&[&str], &str)] = &[
        (&["nobody", "kaeshi", "--game", "reversi", "--nodes", "9"], "nobody"),
        (&["kaeshi", "kaeshi", "--game", "chess", "--nodes", "9"], "chess"),
        (&["kaeshi", "kaeshi", "--game", "reversi", "--tc", "10+x"], "10+x"),
        (&["kaeshi", "kaeshi", "--game", "reversi"], "--tc"),
        (&["kaeshi", "--game", "reversi", "--nodes", "9"], "two engines"),
        (&["kaeshi", "kaeshi", "--game", "reversi", "--nodes", "9", "--openings", &book], "line 2"),
        (&["kaeshi", "kaeshi", "--game", "reversi", "--nodes", "9", "--sprt", "elo0=5", "elo1=0"], "elo0"),
        (
            &["kaeshi", "--game", "reversi", "--nodes", "9", "--engine", "conf=kaeshi", "option.Hsah=5"],
            "Hsah",
        ),
        (&["kaeshi", "--game", "reversi", "--nodes", "9", "--engine", "cmd=/no/such"], "/no/such"),
        (&["kaeshi", "kaeshi", "--game", "reversi", "--nodes", "9", "--draw", "movecuont=3"], "movecuont"),
        (&["kaeshi", "kaeshi", "--game", "sygo", "--size", "20", "--nodes", "9"], "20"),
        (&["kaeshi", "fairy-stockfish", "--game", "sygo", "--nodes", "9"], "fairy-stockfish"),
        (
            &["kaeshi", "kaeshi", "--game", "shogi", "--entering-king-rule", "CSARule28", "--nodes", "9"],
            "CSARule28",
        ),
        (&["--config", &config], "concurency"),
    ];
    for (words, name) in cases {
        let output = kaeshi(&["match"]).args(*words).arg("--out").arg(&out).output().expect("runs");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{words:?}");
        assert!(printed.contains(name), "{words:?}: {printed}");
        assert!(!printed.contains("panicked"), "{words:?}: {printed}");
        assert!(!out.join("journal.jsonl").exists(), "{words:?}");
    }
}

/// The message on this system for `said`: Windows names a missing file in its own language, and there `kaeshi` binds no
/// threads to processors.
fn said_here(said: &str) -> &str {
    if !cfg!(windows) {
        said
    } else if said.contains("processors") {
        "binds no threads to processors"
    } else {
        said.split("No such file").next().unwrap_or(said)
    }
}

/// Each row of the table of wrong requests in docs/reference/errors.md: the command of the first column prints the
/// text of the second.
#[test]
fn wrong_experiments_say_what_the_documentation_says() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("illegal.txt"), "f5d6c3\nf5a1\n").expect("a book");
    std::fs::write(folder.path().join("slip.toml"), "game = \"reversi\"\nconcurency = 2\n").expect("a file");
    let rows = include_str!("../docs/reference/errors.md").lines().filter_map(|line| {
        let (command, said) = line.strip_prefix("| `kaeshi match ")?.split_once("` | `")?;
        Some((command, said.strip_suffix("` |").expect("the end of a row")))
    });
    let mut count = 0;
    for (command, said) in rows {
        let output =
            kaeshi(&["match"]).args(command.split(' ')).current_dir(folder.path()).output().expect("runs");
        let printed = String::from_utf8_lossy(&output.stderr).replace('\\', "/");
        assert!(!output.status.success(), "{command}: {printed}");
        let said = said_here(said);
        assert!(!said.is_empty() && printed.contains(said), "{command}: {printed}");
        assert!(!folder.path().join("matches").exists(), "{command}");
        count += 1;
    }
    assert!(count >= 30, "{count} rows");
}

#[test]
fn what_holds_for_each_engine_is_said_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let output =
        two_reversi_players(folder.path(), &["--each", "option.Level=9", "depth=3", "--csa-seconds=false"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    assert_eq!([&journal.open.engines[0].limit, &journal.open.engines[1].limit], ["depth=3", "depth=2"]);
}

#[test]
fn a_match_goes_on_though_nobody_reads_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "2", "--out"]);
    command.arg(folder.path()).args(mock("a", "reversi:good", &[])).args(mock("b", "reversi:good", &[]));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the runner starts");
    drop(child.stderr.take());
    let status = child.wait().expect("the runner ends");
    assert!(status.success(), "{status}");
    assert_eq!(journal(folder.path()).games.len(), 2);
}

#[test]
fn the_protocol_of_a_program_is_found_out_by_asking() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "2", "--out"]);
    command.arg(folder.path()).args(mock("u", "reversi:good", &[])).args(mock("g", "reversi:gtp-only", &[]));
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    let protocols: Vec<&str> = journal.open.engines.iter().map(|engine| engine.protocol.as_str()).collect();
    assert_eq!(protocols, ["ugi", "gtp"]);
}

#[test]
fn an_option_that_an_engine_refuses_stops_the_match_before_its_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let cases = [
        ("reversi:good", "option.Level=10", "from 1 to 9"),
        ("reversi:good", "option.Level=many", "from 1 to 9"),
        ("reversi:good", "option.Style=rude", "calm, wild"),
        ("reversi:good", "option.USI_Ponder=yes", "true or false"),
        ("reversi:good", "option.Levle=3", "Level"),
        ("reversi:refuses-as-stockfish", "option.File=x.bin", "No such option: File"),
        ("reversi:refuses-as-yaneuraou", "option.File=x.bin", "failed to read nn.bin"),
        ("reversi:refuses-as-kaeshi", "option.File=x.bin", "the former value stays"),
    ];
    let match_ = |first: &[String], protocol: &str| {
        let mut command = kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "2"]);
        command.arg("--out").arg(&out).args(first).args(mock("other", "reversi:good", &[protocol]));
        let output = command.output().expect("runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (mode, option, words) in cases {
        let (success, printed) = match_(&mock("bad", mode, &[option]), "protocol=ugi");
        assert!(!success && printed.contains(words), "{mode} {option}: {printed}");
        assert!(printed.contains("bad") && !out.join("journal.jsonl").exists(), "{mode} {option}: {printed}");
    }
    let gtp = mock("bad", "reversi:good", &["protocol=gtp", "option.Level=3"]);
    assert!(match_(&gtp, "protocol=ugi").1.contains("Level"));
    let ours = ["--engine", "conf=kaeshi", "name=bad", "option.EvalFile=nets/w2.bin"].map(String::from);
    let (success, printed) = match_(&ours, "protocol=ugi");
    let said = said_here("nets/w2.bin: No such file");
    assert!(!success && printed.contains(said), "{printed}");
    let good = mock("good", "reversi:good", &["option.Level=9", "option.Style=WILD", "option.File=x"]);
    let (success, printed) = match_(&good, "protocol=ugi");
    assert!(success, "{printed}");
}

#[test]
fn colours_are_drawn_by_lot_in_a_single_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = two_reversi_players(folder.path(), &["--games", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    assert!(journal.open.single);
    assert_eq!(journal.games.len(), 1);
}

#[test]
fn protocols_are_mixed_in_a_gauntlet() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command =
        kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "2", "--format", "gauntlet"]);
    command.arg("--records").arg("--out").arg(folder.path());
    command.args(mock("g", "reversi:good", &["protocol=gtp"]));
    command.args(mock("u", "reversi:good", &[]));
    command.args(mock("n", "reversi:nboard", &["protocol=nboard"]));
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(folder.path());
    assert_eq!(journal.games.len(), 4);
    assert!(journal.games.iter().all(|played| played.game.cause == EndCause::NoMoves));
    assert!(folder.path().join("records/games.ggf").is_file());
}

#[test]
fn engines_that_keep_dying_end_the_match_unless_it_recovers() {
    let run = |words: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = kaeshi(&["match", "--game", "reversi", "--nodes", "1", "--games", "20"]);
        command.args(words).arg("--out").arg(folder.path());
        command.args(mock("bad", "reversi:exits", &[])).args(mock("good", "reversi:good", &[]));
        assert!(command.output().expect("runs").status.success());
        journal(folder.path())
    };
    let given_up = run(&[]);
    assert_eq!(given_up.games.len(), 4);
    assert!(given_up.close.expect("an end").why.contains("unreliable: bad"));
    assert_eq!(run(&["--recover"]).games.len(), 20);
}

#[test]
fn openings_are_balanced_and_unique() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.txt");
    let words = ["openings", "--game", "reversi", "--plies", "4", "--count", "12", "--seed", "2", "--out"];
    let mut command = kaeshi(&words);
    command.arg(&book).args(["--window", "400", "--nodes", "200", "--engine", "kaeshi"]);
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&book).expect("a book");
    assert_eq!(text.lines().count(), 12);
    for line in text.lines() {
        let score: i32 = line.rsplit(' ').next().expect("a score").parse().expect("a number");
        assert!(score.abs() <= 400, "{line}");
    }
    let path = book.display().to_string();
    let out = folder.path().join("out");
    assert!(two_reversi_players(&out, &["--openings", &path]).status.success());
    // No score is within less than nothing.
    let refused = kaeshi(&["openings", "--game", "reversi", "--engine", "kaeshi", "--window=-1"]).output();
    assert_eq!(refused.expect("runs").status.code(), Some(2));
}

/// Without `--game`: it is asked for the game as UGI has it, by an option.
#[test]
fn an_engine_of_several_games_plays_the_one_of_the_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("match");
    let program = env!("CARGO_BIN_EXE_kaeshi");
    let mut command = kaeshi(&["match", "--game", "sygo", "--size", "5", "--nodes", "20", "--games", "2"]);
    for name in ["a", "b"] {
        command.args(["--engine", &format!("name={name}"), &format!("cmd={program}"), "protocol=ugi"]);
    }
    let output = command.arg("--out").arg(&out).output().expect("the runner starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = journal(&out);
    let causes: Vec<EndCause> = journal.games.iter().map(|played| played.game.cause).collect();
    assert_eq!(causes, [EndCause::TwoPasses; 2], "they play by the rules to the end");
}

/// Three engines of one program, two of them over UCI, by the words that people type for cutechess and fastchess.
#[test]
fn a_command_line_of_other_runners_plays_over_uci_and_writes_pgn() {
    for (variant, game) in [("flipello", "reversi"), ("shogi", "shogi")] {
        let folder = tempfile::tempdir().expect("a folder");
        let pgn = folder.path().join("games.pgn");
        let line = "-engine conf=kaeshi name=a proto=uci -engine conf=kaeshi name=b -engine conf=kaeshi name=c proto=uci \
                    -each nodes=30 timemargin=50 -rounds 1 -games 2 -repeat -maxplies 60 -ratinginterval 10 -srand 7 \
                    -concurrency 2 --output json";
        let line = line.replace("-maxplies", "--max-plies");
        let mut command = kaeshi(&["match", "-variant", variant]);
        command.args(line.split_whitespace()).arg("-pgnout").arg(format!("file={}", pgn.display()));
        let output = command.arg("--out").arg(folder.path()).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("-ratinginterval has no effect"), "{said}");
        let numbers: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
        assert_eq!((&numbers["all"]["games"], &numbers["all"]["faulted"]), (&6.into(), &0.into()), "{said}");
        assert_eq!(numbers["all"]["ratings"]["engines"].as_array().map(Vec::len), Some(3));
        assert_eq!(numbers["all"]["engines"][0]["lines"]["wrong"], 0, "{numbers}");
        let journal = journal(folder.path());
        assert_eq!((&*journal.open.game, &*journal.open.engines[0].protocol), (game, "uci"));
        let text = std::fs::read_to_string(&pgn).expect("games");
        assert_eq!(text.matches(&format!("[Variant \"{variant}\"]")).count(), 6, "{text}");
        assert!(text.contains("[White \"a\"]") && text.contains("1. "), "{text}");
    }
}
