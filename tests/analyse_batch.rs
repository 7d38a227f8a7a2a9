//! `kaeshi analyse` from outside: equal work gives equal bytes, however it is divided or broken off.

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::child_lines::ChildLines;

use serde_json::Value;

fn kaeshi() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
    command.arg("analyse");
    command
}

fn record(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/records").join(name).display().to_string()
}

fn records() -> String {
    record("")
}

/// The arguments of a small run that is the same every time.
const SAME: [&str; 5] = ["--nodes", "150", "--jobs", "2", "--no-timing"];

fn run(arguments: &[&str]) -> Output {
    kaeshi().args(arguments).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The lines of the undivided run over all records.
fn whole() -> String {
    let output = run(&[&SAME[..], &[&*records()]].concat());
    assert_eq!(output.status.code(), Some(1), "the records hold three broken items");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_position_has_its_line_and_every_bad_item_an_error() {
    let whole = whole();
    let lines: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &'static str| {
        lines.iter().filter(move |line| line["source"].as_str().unwrap().ends_with(name))
    };
    for (name, positions, errors) in [
        ("broken.csa", 3, 1),
        ("game-sjis.kif", 6, 0),
        ("game.kif", 6, 0),
        ("game.sygo", 6, 0),
        ("games.ggf", 6, 0),
        ("positions.txt", 4 + 7, 1),
        ("requests.jsonl", 4, 1),
    ] {
        assert_eq!(of(name).filter(|line| line.get("error").is_none()).count(), positions, "{name}");
        assert_eq!(of(name).filter(|line| line.get("error").is_some()).count(), errors, "{name}");
    }
    let broken = of("broken.csa").find(|line| line.get("error").is_some()).unwrap();
    assert_eq!(broken["line"], 8);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!((line["v"].as_u64(), line["n"].as_u64()), (Some(1), Some(index as u64 + 1)));
        assert_eq!(line["of"].as_u64(), Some(lines.len() as u64));
        if line.get("error").is_none() {
            assert!(line["best"].is_string() && line["nodes"].as_u64() > Some(0), "{line}");
            assert!(!line["lines"][0]["pv"].as_array().unwrap().is_empty(), "{line}");
            assert!(line.get("time_ms").is_none());
        }
    }
    let kif: Vec<_> = of("game.kif").map(|line| (line["key"].clone(), line["lines"].clone())).collect();
    let sjis: Vec<_> = of("game-sjis.kif").map(|line| (line["key"].clone(), line["lines"].clone())).collect();
    assert_eq!(kif, sjis, "the encoding makes no difference");
    let two = of("requests.jsonl").find(|line| line["id"] == "one").unwrap();
    assert_eq!(two["lines"].as_array().unwrap().len(), 2);
    assert!(two["lines"][0]["japanese"].as_str().unwrap().starts_with('▲'));
}

#[test]
fn shards_merge_into_the_bytes_of_the_undivided_run() {
    let records = records();
    let folder = tempfile::tempdir().unwrap();
    let whole = whole();
    let mut shards = Vec::new();
    for shard in ["1/7", "2/7", "3/7", "4/7", "5/7", "6/7", "7/7"] {
        let path = folder.path().join(shard.replace('/', "of"));
        run(&[&SAME[..], &["--shard", shard, "-o", text(&path), &records]].concat());
        shards.push(path);
    }
    let files: Vec<&str> = shards.iter().rev().map(|path| text(path)).collect();
    let merged = run(&[&["merge"], &files[..]].concat());
    assert_eq!(String::from_utf8(merged.stdout).unwrap(), whole);
    let missing = run(&[&["merge"], &files[1..]].concat());
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("lines are missing"));
}

#[test]
fn a_run_killed_again_and_again_and_resumed_gives_the_same_bytes() {
    let records = records();
    let folder = tempfile::tempdir().unwrap();
    let whole = whole();
    let out = folder.path().join("out.jsonl");
    let arguments = [&SAME[..], &["-o", text(&out), "--resume", &records]].concat();
    for round in 0..20 {
        let mut child = kaeshi().args(&arguments).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let have = fs::read(&out).unwrap_or_default();
        assert!(whole.as_bytes().starts_with(&have), "whatever is there is the beginning of the whole");
        // A line torn by a power failure.
        if let Some(torn) = have.len().checked_sub(7 * round as usize) {
            fs::write(&out, &have[..torn]).unwrap();
        }
    }
    let last = run(&arguments);
    assert_eq!(last.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&out).unwrap(), whole);
    run(&arguments);
    assert_eq!(fs::read_to_string(&out).unwrap(), whole, "a finished run has nothing to add");
    let again = run(&[&SAME[..], &["-o", text(&out), &records]].concat());
    assert_eq!(again.status.code(), Some(2), "an output is not replaced unasked");
}

#[test]
fn what_is_stored_is_not_searched_again_and_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // Without the requests, which want more lines of positions that others have, too.
    let games = [record("broken.csa"), record("game.kif"), record("game.sygo"), record("positions.txt")];
    let games: Vec<&str> = games.iter().map(String::as_str).collect();
    let whole = String::from_utf8(run(&[&SAME[..], &games[..]].concat()).stdout).unwrap();
    let arguments = [&SAME[..], &["--store", text(&store)], &games[..]].concat();
    for round in 0..12 {
        let mut child =
            kaeshi().args(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(2 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for _ in 0..2 {
        let output = run(&arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(String::from_utf8(output.stdout).unwrap() == whole, "stored results are the same");
    }
    // A deeper question is searched, a shallower one answered from the store.
    let position = record("game.kif");
    let nodes = |limit: &str| {
        let output = run(&["--nodes", limit, "--turns", "0", "--store", text(&store), &position]);
        let line: Value = serde_json::from_slice(&output.stdout).unwrap();
        line["nodes"].as_u64().unwrap()
    };
    let deep = nodes("3000");
    assert!(deep > 1000);
    assert_eq!(nodes("200"), deep);
}

#[test]
fn an_engine_goes_on_from_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let seed = format!("StoreFile={}", text(&store));
    let game = record("game.kif");
    let lines = |arguments: &[&str]| -> Vec<Value> {
        let output = run(&[arguments, &["--no-timing", &game]].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        output.stdout.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
    };
    let stored = lines(&["--depth", "6", "--store", text(&store)]);
    let known = lines(&["--depth", "6", "--option", &seed]);
    let shallow = lines(&["--depth", "3", "--option", &seed]);
    let deeper = lines(&["--depth", "7", "--option", &seed]);
    assert_eq!(stored.len(), 6);
    for index in 0..stored.len() {
        assert!(stored[index]["nodes"].as_u64() > Some(0));
        for answer in [&known[index], &shallow[index]] {
            assert_eq!(answer["nodes"], 0, "nothing is left to search");
            assert_eq!(
                (&answer["depth"], &answer["lines"]),
                (&stored[index]["depth"], &stored[index]["lines"])
            );
        }
        assert_eq!(deeper[index]["depth"], 7);
        assert!(deeper[index]["nodes"].as_u64() > Some(0));
    }
    // Options at their defaults, and options that count in searches for mates alone, change no result.
    let usual = [
        "BookMoves=16",
        "BookFile=no_book",
        "maxmovestodraw=0",
        "EvalDir=<empty>",
        "MateHash=9",
        "SkillLevel=20",
    ];
    let usual: Vec<&str> = usual.iter().flat_map(|option| ["--option", option]).collect();
    let again = lines(&[&["--depth", "6", "--option", &seed], &usual[..]].concat());
    assert!(again.iter().all(|line| line["nodes"] == 0));
    assert!(lines(&[&["--depth", "6", "--store", text(&store)], &usual[..]].concat()) == stored);
    // Two lines are asked for and only one is there: everything is searched.
    assert!(lines(&["--depth", "3", "--multipv", "2", "--option", &seed])[0]["nodes"].as_u64() > Some(0));
}

#[test]
fn what_was_done_elsewhere_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("done.jsonl");
    let game = record("game.kif");
    run(&["--nodes", "150", "--turns", "0-2", "-o", text(&out), &game]);
    let rest = run(&["--nodes", "150", "--skip-done", text(&out), &game]);
    let turns: Vec<Value> = rest
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()["turn"].clone())
        .collect();
    assert_eq!(turns, [3, 4, 5]);
    let deeper = run(&["--nodes", "300", "--skip-done", text(&out), &game]);
    assert_eq!(deeper.stdout.lines().count(), 6);
}

#[test]
fn games_that_share_their_memory_are_resumed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.jsonl");
    let records = records();
    let arguments =
        ["--memory", "game", "--nodes", "150", "--no-timing", &records, "-o", text(&out), "--resume"];
    run(&arguments);
    let whole = fs::read_to_string(&out).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&out, lines[..8].join("\n") + "\n").unwrap();
    run(&arguments);
    assert_eq!(fs::read_to_string(&out).unwrap(), whole);
}

#[test]
fn wrong_usage_has_a_status_of_its_own() {
    for arguments in [
        &["--nodes", "0"][..],
        &["--nodes", "5", "--depth", "5"],
        &["--game", "shogi", "--lossless", "--nodes", "1", "tests/data/records/game.kif"],
        &["--turns", "9-3"],
        &["no/such/file"],
        &["--option", "NoSuchOption=1", "--nodes", "1", "tests/data/records/game.kif"],
        &["--shard", "3/2", "tests/data/records/game.kif"],
        &["--resume"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn games_are_summed_up_annotated_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let records = records();
    run(&[
        &SAME[..],
        &["--summary", text(&path("s")), "--annotate", text(&path("a")), "--report", text(&path("r.html"))],
        &["-o", text(&path("out")), &records],
    ]
    .concat());
    let summary = fs::read_to_string(path("s")).unwrap();
    let first: Value = serde_json::from_str(summary.lines().next().unwrap()).unwrap();
    assert_eq!((first["game"].as_str(), first["positions"].as_u64()), (Some("shogi"), Some(3)));
    let kif = fs::read_to_string(path("a").join("game.kif")).unwrap();
    assert_eq!(kif.matches("**評価値=").count() + kif.matches("**詰み=").count(), 5);
    let page = fs::read_to_string(path("r.html")).unwrap();
    let positions =
        fs::read_to_string(path("out")).unwrap().lines().filter(|line| !line.contains("\"error\"")).count();
    assert_eq!(page.matches("{\"turn\":").count(), positions);
    for name in ["game-sjis.kif", "games.ggf", "game.sygo", "broken.csa"] {
        assert!(path("a").join(name).exists(), "{name}");
    }
    // Annotated games are analysed as the same games.
    let again = run(&[&SAME[..], &[text(&path("a").join("game-sjis.kif"))]].concat());
    assert_eq!((again.status.code(), again.stdout.lines().count()), (Some(0), 6));
}

/// The last value of an option that is given twice counts, and a file of weights is identified by its content.
#[test]
fn stored_results_belong_to_the_weights_that_found_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let position = path("position");
    fs::write(&position, "startpos\n").unwrap();
    let analysed = |more: &[&str]| {
        let output = run(&[&SAME[..], &["--game", "shogi"], more, &[&position]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let twice = |first: &str, last: &str, more: &[&str]| {
        let options = [format!("EvalFile={first}"), format!("EvalFile={last}")];
        analysed(&[&["--option", &options[0], "--option", &options[1]], more].concat())
    };
    let store = path("store");
    let [embedded, hand] = [("hand", "embedded"), ("embedded", "hand")].map(|(first, last)| {
        let searched = twice(first, last, &[]);
        assert_eq!(twice(first, last, &["--store", &store]), searched);
        assert_eq!(twice(first, last, &["--store", &store]), searched);
        searched
    });
    assert_ne!(embedded, hand);

    let weights = path("weights.bin");
    let option = format!("EvalFile={weights}");
    let keys: Vec<String> = ["shogi.bin", "shogi-hand.bin"]
        .iter()
        .map(|name| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("weights").join(name);
            fs::copy(file, &weights).unwrap();
            let line = analysed(&["--option", &option, "--store", &store]);
            serde_json::from_str::<Value>(&line).unwrap()["key"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_ne!(keys[0], keys[1]);
}

/// Standard input can be read only once.
#[test]
fn a_resumed_run_with_annotations_reads_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("commented")).unwrap();
    for _ in 0..2 {
        let mut child = kaeshi()
            .args(SAME)
            .args(["--resume", "--annotate", text(&path("commented")), "-o", text(&path("out")), "-"])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"startpos moves 7g7f\nf5d6\n").unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(fs::read_to_string(path("out")).unwrap().lines().count(), 4);
    }
}

/// Files that an earlier run annotated below its inputs are no inputs; all other files are.
#[test]
fn records_may_be_annotated_in_a_folder_below() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("games")).unwrap();
    fs::copy(Path::new(&records()).join("game.kif"), path("games").join("game.kif")).unwrap();
    let (games, commented, out) = (path("games"), path("games").join("commented"), path("out"));
    for more in [&[][..], &["--resume"], &["--resume"]] {
        let words = [&SAME[..], more, &["--annotate", text(&commented), "-o", text(&out), text(&games)]];
        let output = run(&words.concat());
        assert_eq!(output.status.code(), Some(0), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 6, "{more:?}");
        assert!(commented.join("game.kif").exists());
    }
    // A file there that was not made from the other inputs is an input, and would be lost.
    fs::copy(Path::new(&records()).join("game.kif"), commented.join("other.kif")).unwrap();
    for more in ["--resume", "--overwrite"] {
        let words = [&SAME[..], &[more, "--annotate", text(&commented), "-o", text(&out), text(&games)]];
        assert_eq!(run(&words.concat()).status.code(), Some(2), "{more}");
    }
    // A folder of inputs is none for outputs.
    let output = run(&[&SAME[..], &["--annotate", text(&games), text(&games)]].concat());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_service_answers_many_requests_in_order_of_priority() {
    let mut child = kaeshi()
        .args(["--serve", "--jobs", "1", "--nodes", "100", "--no-timing"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = ChildLines::of(child.stdout.take().unwrap())
        .map(|line| serde_json::from_str::<Value>(&line).unwrap());
    // One long search holds the only engine while the others queue up.
    let long = r#"{"id":"long","movetime":60000,"reportDuringSearchEvery":0.05}"#;
    writeln!(input, "{long}").unwrap();
    let report = output.next().unwrap();
    assert_eq!((report["id"].as_str(), report["isDuringSearch"].as_bool()), (Some("long"), Some(true)));
    for request in [
        r#"{"id":"low","priority":-5}"#,
        r#"{"id":"high","priority":5,"moves":["7g7f"],"analyzeTurns":[0,1]}"#,
        r#"{"id":"never","priority":-9,"movetime":60000}"#,
        r#"{"id":"wrong","moves":["7g7e"]}"#,
        r#"{"id":"odd","colour":"red"}"#,
        r#"not json"#,
        r#"{"id":"v","action":"query_version"}"#,
        r#"{"id":"t","action":"terminate","terminateId":"never"}"#,
        r#"{"id":"u","action":"terminate","terminateId":"long"}"#,
    ] {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let lines: Vec<Value> = output.filter(|line| line["isDuringSearch"] != true).collect();
    let with = |id: &str| lines.iter().filter(|line| line["id"] == id).collect::<Vec<_>>();
    assert!(with("wrong")[0]["error"].as_str().unwrap().contains("7g7e"));
    assert!(with("odd")[0]["error"].as_str().unwrap().contains("colour"));
    assert!(with("v")[0]["version"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")));
    assert!(lines.iter().any(|line| line.get("id").is_none() && line["error"].is_string()));
    let answered: Vec<(&str, u64)> =
        lines.iter().filter_map(|line| Some((line["id"].as_str()?, line.get("turn")?.as_u64()?))).collect();
    assert_eq!(answered, [("long", 0), ("high", 0), ("high", 1), ("low", 0), ("never", 0)]);
    assert!(with("long")[0]["best"].is_string());
    assert_eq!(with("never")[0]["noResults"], true);
    assert!(child.wait().unwrap().success());
}

#[test]
fn requests_restrict_turns_set_options_and_are_refused_by_field() {
    let mut child = kaeshi()
        .args(["--serve", "--jobs", "1", "--nodes", "300", "--no-timing"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for request in [
        r#"{"id":"only","searchMoves":["1g1f","9z9z"]}"#,
        r#"{"id":"allowed","moves":"7g7f","analyzeTurns":[0,1],"priorities":[1,2],"multipv":9,
            "allowMoves":[{"player":"W","moves":["1c1d","9c9d"],"untilDepth":1}]}"#,
        r#"{"id":"avoided","game":"reversi","multipv":9,
            "avoidMoves":[{"player":"B","moves":["f5","d3"],"untilDepth":1}]}"#,
        r#"{"id":"sygo","game":"sygo","position":"fen 5/5/1w1w1/5/2b2 w g 0 5","searchMoves":["+d4,b4"]}"#,
        r#"{"id":"none","searchMoves":["1a1b"]}"#,
        r#"{"id":"level","overrideSettings":{"SkillLevel":3}}"#,
        r#"{"id":"hash","overrideSettings":{"Hash":3}}"#,
        r#"{"id":"komi","komi":6.5}"#,
        r#"{"id":"cleared","action":"clear_cache"}"#,
        r#"{"id":"models","action":"query_models"}"#,
        r#"{"id":"odd","action":"dance"}"#,
        r#"["terminate",1,2]"#,
        "startpos moves 7g7f",
        r#"{"id":"t","action":"terminate","terminateId":"x","turnNumbers":[1]}"#,
    ] {
        writeln!(input, "{}", request.replace('\n', " ")).unwrap();
    }
    drop(input);
    let output = ChildLines::of(child.stdout.take().unwrap());
    let lines: Vec<Value> = output.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert!(child.wait().unwrap().success());
    let with = |id: &str| lines.iter().filter(|line| line["id"] == id).collect::<Vec<_>>();
    let one = |id: &str| {
        let found = with(id);
        assert_eq!(found.len(), 1, "{id}: {lines:?}");
        found[0].clone()
    };
    let first_turns = |line: &Value| {
        let lines = line["lines"].as_array().unwrap().iter();
        let mut turns: Vec<String> = lines.map(|line| line["pv"][0].as_str().unwrap().to_owned()).collect();
        turns.sort();
        turns
    };
    assert_eq!(one("only")["best"], "1g1f");
    let allowed = with("allowed");
    assert_eq!(
        (allowed.len(), &allowed[0]["turn"], &allowed[1]["turn"]),
        (2, &1.into(), &0.into()),
        "{lines:?}"
    );
    assert_eq!(first_turns(allowed[0]), ["1c1d", "9c9d"]);
    assert_eq!(first_turns(allowed[1]).len(), 9);
    assert_eq!(first_turns(&one("avoided")), ["c4", "e6"]);
    assert_eq!(one("sygo")["best"], "+b4,d4");
    assert!(one("none")["error"].as_str().unwrap().contains("no legal turn"));
    assert!(one("level")["best"].is_string());
    assert!(one("hash")["error"].as_str().unwrap().contains("'Hash' is set for the whole service"));
    assert_eq!((one("komi")["field"].as_str(), one("odd")["field"].as_str()), (Some("komi"), Some("action")));
    assert_eq!(one("hash")["field"], "overrideSettings");
    let no_json = lines.iter().filter_map(|line| line["error"].as_str());
    assert!(
        no_json.filter(|error| error.starts_with("a request is one line with an object of JSON")).count()
            == 2
    );
    assert_eq!(one("cleared")["action"], "clear_cache");
    assert_eq!(one("models")["models"].as_array().unwrap()[0]["game"], "shogi");
    assert_eq!((one("t")["turnNumbers"][0].as_u64(), one("t")["terminateId"].as_str()), (Some(1), Some("x")));
}

#[test]
fn one_side_alone_is_analysed() {
    let files = tempfile::tempdir().unwrap();
    let game = files.path().join("game.txt");
    fs::write(&game, "startpos moves 7g7f 3c3d 2g2f\n").unwrap();
    for (side, turns) in [("black", [0, 2]), ("gote", [1, 3])] {
        let output = kaeshi()
            .args(["--nodes", "20", "--turns", "all", "--side", side, game.to_str().unwrap()])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let found: Vec<u64> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["turn"].as_u64().unwrap())
            .collect();
        assert_eq!(found, turns, "{side}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let refused = kaeshi().args(["--side", "black", "--report", "x.html"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_request_that_is_too_long_costs_one_error_and_numbers_stay_numbers() {
    let mut child = kaeshi()
        .args(["--serve", "--jobs", "1", "--nodes", "10", "--no-timing"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = ChildLines::of(child.stdout.take().unwrap());
    let writer = std::thread::spawn(move || {
        writeln!(input, r#"{{"id":7}}"#).unwrap();
        writeln!(input, r#"{{"id":"long","moves":"{}"}}"#, "x".repeat(3 << 20)).unwrap();
        writeln!(input, r#"{{"id":8.5,"moves":["7g7e"]}}"#).unwrap();
        writeln!(input, r#"{{"id":"text"}}"#).unwrap();
        writeln!(input, r#"{{"id":9,"action":"terminate","terminateId":7}}"#).unwrap();
    });
    let lines: Vec<Value> = output.map(|line| serde_json::from_str(&line).unwrap()).collect();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(lines.len(), 5, "{lines:?}");
    let count = |id: Value| lines.iter().filter(|line| line["id"] == id).count();
    assert_eq!((count(7.into()), count(8.5.into()), count("text".into()), count(9.into())), (1, 1, 1, 1));
    let long =
        lines.iter().filter(|line| line["error"].as_str().is_some_and(|error| error.contains("longer than")));
    assert_eq!(long.count(), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_line_in_hand_and_the_rest_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.jsonl");
    let game = record("game.kif");
    let arguments =
        ["--movetime", "150ms", "--jobs", "1", "-o", text(&out), "--resume", "--progress", "json", &game];
    let child = kaeshi().args(arguments).stderr(Stdio::piped()).spawn().unwrap();
    while fs::metadata(&out).map_or(0, |data| data.len()) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to our own child.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let printed = String::from_utf8(output.stderr).unwrap();
    let progress: Value =
        serde_json::from_str(printed.lines().rfind(|line| line.starts_with('{')).unwrap()).unwrap();
    let have = fs::read_to_string(&out).unwrap();
    assert_eq!(progress["done"].as_u64(), Some(have.lines().count() as u64));
    assert!(have.ends_with('\n') && (1..6).contains(&have.lines().count()), "{have}");
    assert!(run(&arguments).status.success());
    let whole = fs::read_to_string(&out).unwrap();
    assert!(whole.starts_with(&have));
    let turns: Vec<u64> = whole
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["turn"].as_u64().unwrap())
        .collect();
    assert_eq!(turns, [0, 1, 2, 3, 4, 5]);
}
