//! `kaeshi tune --engine`: declared options are tuned by games, whatever the number of threads and of interruptions.

use std::path::Path;
use std::process::{Command, Output};

use kaeshi_match::tournament::journal::load::load;

const ENGINE: [&str; 6] = ["--game", "reversi", "--engine", "kaeshi", "depth=6", "option.OwnBook=false"];
/// More nodes play better, and a search limited by nodes always answers the same.
const PARAM: &str = "NodesLimit=60,20,3000,40";

fn tune(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.arg("tune").args(ENGINE).args(words).current_dir(folder);
    command.output().expect("the program starts")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_limit_rises_as_the_stronger_one_wins() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let words = ["--param", PARAM, "--stride", "0.5", "--seed", "5"];
    let run = |out: &str, pairs: &str, threads: &str, more: &[&str]| {
        let run = ["--out", out, "--pairs", pairs, "--threads", threads];
        let output = tune(folder, &[&words, &run[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let text = run("one", "24", "1", &["--report", "page.html"]);
    let tuned: toml::Table = read(folder, "one").parse().expect("a table");
    let limit = tuned["options"]["NodesLimit"].as_integer().expect("a number");
    assert!((70..=3000).contains(&limit), "{limit}: {text}");
    assert!(text.starts_with("NodesLimit                     60 "), "{text}");
    assert!(read(folder, "page.html").contains("24 pairs of games"));

    // The engine may stand in the file of conditions.
    let engine = "depth = 6\n[[engines]]\nconf = \"kaeshi\"\noptions = { OwnBook = false }\n";
    std::fs::write(folder.join("games.toml"), engine).expect("room");
    let printed =
        ["tune", "--game", "reversi", "--config", "games.toml", "--out", "printed", "--pairs", "24"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    let output = command.args(printed).args(words).current_dir(folder).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(folder, "one"), read(folder, "printed"));

    run("two", "8", "2", &[]);
    run("two", "24", "2", &[]);
    assert_eq!(read(folder, "one.state"), read(folder, "two.state"));

    // The result is tested against the start; once more, nothing is left to play.
    for _ in 0..2 {
        let text =
            run("one", "24", "2", &["--report", "page.html", "--test", "elo0=0", "elo1=150", "games=8"]);
        assert!(text.contains("tuned") && text.contains("SPRT"), "{text}");
    }
    let journal = load(&folder.join("one.test/journal.jsonl")).expect("a journal");
    assert_eq!((journal.games.len(), journal.faults.len()), (8, 0));
    let values = journal.open.engines.iter().map(|engine| {
        let option = engine.options.iter().find(|(name, _)| name == "NodesLimit");
        option.expect("the parameter").1.clone()
    });
    assert_eq!(values.collect::<Vec<_>>(), [limit.to_string(), "60".to_owned()]);
    assert!(read(folder, "page.html").contains("SPRT"));
}

#[test]
fn mistakes_are_named_before_the_first_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("shogi.toml");
    std::fs::write(&other, "game = \"shogi\"\n").expect("room");
    let cases: &[(&[&str], &str)] = &[
        (&["--param", "SkillLevel=4,1,20"], "write NAME=START,MIN,MAX,STEP"),
        (&["--param", "SkilLevel=4,1,20,3"], "the engine has no such option; did you mean 'SkillLevel'?"),
        (&["--param", "SkillLevel=4,1,99,3"], "'99' is not a whole number from"),
        (
            &["--param", "EvalFile=4,1,9,3"],
            "of type filename, and only options of type spin can be tuned: Threads",
        ),
        (&["--param", "SkillLevel=4,1,20,3", "--param", "skilllevel=4,1,20,3"], "skilllevel is given twice"),
        (&["--param", "SkillLevel=4,1,20,3", "--stride", "0"], "--stride 0 is not above 0"),
        (
            &["--param", "SkillLevel=4,1,20,3", "--config", "shogi.toml"],
            "of another game than --game reversi",
        ),
        (
            &["--param", "SkillLevel=4,1,20,3", "--test", "elo0=5", "elo1=0"],
            "elo0 (5) must be below elo1 (0)",
        ),
        (
            &["--param", "SkillLevel=4,1,20,3", "--test", "elo1=5", "games=few"],
            "games=few is no number of games",
        ),
        (&["--param", "SkillLevel=4,1,20,3", "--nodes", "9"], "for tuning shogi's own search"),
        (&["--param", "SkillLevel=4,1,20,3", "--batch", "0"], "it must be from 1 to 100000"),
        (&[], "--param"),
    ];
    for (words, said) in cases {
        let output = tune(folder.path(), &[words, &["--out", "tuned", "--pairs", "2"][..]].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(said), "{words:?}: {message}");
        assert!(!folder.path().join("tuned.state").exists(), "{words:?}");
    }
    // A tuning on other terms is not resumed.
    let run = |param: &str| tune(folder.path(), &["--param", param, "--out", "tuned", "--pairs", "1"]);
    assert!(run("SkillLevel=4,1,20,3").status.success());
    let message = String::from_utf8_lossy(&run("SkillLevel=5,1,20,3").stderr).into_owned();
    assert!(message.contains("was made with --seed 1 --param 'SkillLevel=4,1,20,3'"), "{message}");
}
