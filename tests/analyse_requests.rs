//! Requests to `kaeshi analyse --serve` that clients of KataGo's analysis engine write, and what only Kaeshi reports.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::child_lines::ChildLines;
use kaeshi_reversi::rules::notation;

/// The answers of one service to these requests.
fn served(arguments: &[&str], requests: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["analyse", "--serve", "--jobs", "1", "--no-timing"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // As some shells write it.
    input.write_all("\u{feff}".as_bytes()).unwrap();
    for request in requests {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let output = ChildLines::of(child.stdout.take().unwrap());
    let lines = output.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert!(child.wait().unwrap().success());
    lines
}

/// Interpositions between the rook and the king are useless.
#[test]
fn requests_count_mates_as_the_command_line_does() {
    let position = "sfen 8k/9/6NG1/9/9/9/9/8P/R8 b r2b3g4s3n4l17p 1";
    let request = |more: Value| {
        let mut request = json!({ "position": position, "mate": 20_000 });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let legal = json!({ "overrideSettings": { "MateLength": "legal" } });
    let tsume = json!({ "overrideSettings": { "MateLength": "tsume" } });
    for (arguments, more, mate) in [
        (&[][..], json!({}), 1),
        (&[], legal.clone(), 15),
        (&["--mate-length", "legal"], json!({}), 15),
        (&["--mate-length", "legal"], tsume, 1),
        (&["--option", "MateLength=legal"], json!({}), 15),
    ] {
        let answers = served(arguments, &[request(more)]);
        let text = answers[0].to_string();
        assert!(text.contains(&format!("{{\"mate\":{mate}}}")), "{arguments:?}: {text}");
    }
}

#[test]
fn searches_for_mates_leave_the_results_of_other_searches_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let (store, seed) = (store.to_str().unwrap(), format!("StoreFile={}", store.display()));
    let depth = json!({ "game": "shogi", "moves": ["7g7f"], "depth": 6 });
    let mate = json!({ "position": "sfen 8k/9/6NG1/9/9/9/9/8P/R8 b r2b3g4s3n4l17p 1", "mate": 20_000 });
    let rule = json!({ "game": "shogi", "depth": 1, "overrideSettings": { "MaxMovesToDraw": 9 } });
    let counted = |answer: &Value| answer["lines"][0]["score"]["mate"].clone();
    let stored = served(&["--store", store], &[mate.clone(), depth.clone()]);
    assert_eq!(counted(&stored[0]), 1);
    let legal = served(&["--store", store, "--mate-length", "legal"], std::slice::from_ref(&mate));
    assert_eq!(counted(&legal[0]), 15, "by other moves it is another question");
    let known = served(&["--option", &seed], &[mate, rule, depth]);
    assert_eq!((&known[2]["nodes"], &known[2]["lines"]), (&json!(0), &stored[1]["lines"]));
}

/// The shape of the first example in the documentation of KataGo's analysis engine, with one field after the other
/// written as Kaeshi says: each refusal names the field, until the request is answered.
#[test]
fn a_request_in_the_shape_of_katago_is_refused_by_field_until_it_is_translated() {
    let mut request = json!({
        "id": "foo",
        "initialStones": [["B", "Q4"], ["B", "C4"]],
        "moves": [["W", "P5"], ["B", "P6"]],
        "rules": "tromp-taylor",
        "komi": 7.5,
        "boardXSize": 19,
        "boardYSize": 19,
        "analyzeTurns": [0, 1, 2],
        "maxVisits": 100,
        "overrideSettings": {"wideRootNoise": 0.04},
        "includeOwnership": true,
        "includePolicy": true,
        "priority": 1,
        "reportDuringSearchEvery": 10.0
    });
    let mut refused = Vec::new();
    let answer = loop {
        let mut answers = served(&["--game", "sygo", "--nodes", "60"], std::slice::from_ref(&request));
        let answer = answers.remove(0);
        assert_eq!(answer["id"], "foo");
        let Some(error) = answer["error"].as_str() else { break answer };
        let field = answer["field"].as_str().unwrap_or_else(|| panic!("no field: {answer}")).to_owned();
        assert!(error.contains(&field), "{answer}");
        let fields = request.as_object_mut().unwrap();
        assert!(fields.remove(&field).is_some() && refused.len() < 20, "{answer}");
        match field.as_str() {
            "initialStones" => {
                fields.insert("position".into(), "fen 9/9/9/2b3b2/9/9/2w6/9/9 w - 0 4".into());
            }
            "moves" => {
                fields.insert("moves".into(), json!(["g3", "c9"]));
            }
            "maxVisits" => {
                fields.insert("nodes".into(), 60.into());
            }
            "overrideSettings" => {
                fields.insert("overrideSettings".into(), json!({"Searcher": "uct"}));
            }
            _ => {}
        }
        refused.push(field);
    };
    refused.sort();
    assert_eq!(
        refused,
        [
            "boardXSize",
            "boardYSize",
            "initialStones",
            "komi",
            "maxVisits",
            "moves",
            "overrideSettings",
            "rules"
        ]
    );
    assert_eq!(answer["ownership"].as_array().unwrap().len(), 81);
}

#[test]
fn candidates_policy_and_ownership_are_reported_on_request() {
    let settled = "fen bbbbbbb/b1bbb1b/bbbbbbb/2w1w2/wwwwwww/w1www1w/wwwwwww b g 0 40";
    let wanted = json!({"includeCandidates": true, "includePolicy": true, "includeOwnership": true});
    let with = |mut request: Value| {
        request.as_object_mut().unwrap().extend(wanted.as_object().unwrap().clone());
        request
    };
    let answers = served(
        &["--nodes", "2000"],
        &[
            with(json!({"id": "open", "game": "sygo", "position": "fen 5/1w3/5/3b1/5 w g 0 5"})),
            with(json!({"id": "settled", "position": settled})),
            with(json!({"id": "over", "position": "fen 1w1/www/bb1 w g 2 9"})),
            with(json!({"id": "greedy", "position": "fen 5/1w3/5/3b1/5 w g 0 5",
                "overrideSettings": {"Searcher": "greedy"}})),
            json!({"id": "plain", "position": "fen 5/1w3/5/3b1/5 w g 0 5"}),
            json!({"id": "shogi", "includeCandidates": true, "multipv": 2, "depth": 5}),
            json!({"id": "only", "includeCandidates": true, "searchMoves": ["7g7f", "2g2f"], "depth": 4}),
            json!({"id": "reversi", "game": "reversi", "moves": "f5", "includeCandidates": true}),
            json!({"id": "refused", "game": "reversi", "includePolicy": true}),
        ],
    );
    let one = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let candidates = |id: &str| one(id)["candidates"].as_array().unwrap().clone();
    let sum = |values: &Value| values.as_array().unwrap().iter().filter_map(Value::as_f64).sum::<f64>();

    let open = candidates("open");
    let visits: Vec<u64> = open.iter().map(|candidate| candidate["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted_by(|one, other| one >= other) && visits[0] > 0, "{visits:?}");
    let priors: f64 = open.iter().map(|candidate| candidate["prior"].as_f64().unwrap()).sum();
    assert!((priors - 1.0).abs() < 0.05, "{priors}");
    assert!(open.iter().any(|candidate| candidate["turn"] == one("open")["best"]));
    assert!(open[0]["score"]["cp"].is_i64() && open[0]["winrate"].is_f64());
    let policy = &one("open")["policy"];
    let placed: f64 =
        policy["placements"].as_array().unwrap().iter().filter_map(Value::as_f64).filter(|p| *p >= 0.0).sum();
    let whole = placed + policy["grow"].as_f64().unwrap() + policy["pass"].as_f64().unwrap();
    assert!((whole - 1.0).abs() < 0.02, "{policy}");

    // Black is to move: its half is nearly its own, White's the other's.
    let owners = one("settled")["ownership"].clone();
    let owners = owners.as_array().unwrap();
    let (top, bottom) = (Value::from(&owners[..21]), Value::from(&owners[28..]));
    assert!(sum(&top) > 15.0 && sum(&bottom) < -15.0, "{owners:?}");
    assert_eq!(one("over")["ownership"], json!([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 0.0]));
    assert!(one("over")["best"].is_null() && candidates("over").is_empty());
    assert_eq!(one("greedy")["ownership"].as_array().unwrap().len(), 25);
    assert!(candidates("greedy").is_empty());
    assert!(["candidates", "policy", "ownership"].iter().all(|field| one("plain").get(field).is_none()));

    let shogi = candidates("shogi");
    let nodes: u64 = shogi.iter().map(|candidate| candidate["nodes"].as_u64().unwrap()).sum();
    assert!(nodes > 0 && nodes <= one("shogi")["nodes"].as_u64().unwrap(), "{shogi:?}");
    assert_eq!(shogi.iter().filter(|candidate| candidate.get("score").is_some()).count(), 2, "{shogi:?}");
    assert_eq!(candidates("only").len(), 2);
    assert_eq!(candidates("reversi").len(), 3);
    assert_eq!(one("refused")["field"], "includePolicy");
}

#[test]
fn single_turns_of_a_request_are_terminated() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["analyse", "--serve", "--jobs", "1", "--no-timing"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = ChildLines::of(child.stdout.take().unwrap())
        .map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let request = json!({"id": "a", "moves": "7g7f 3c3d", "analyzeTurns": [0, 1, 2], "movetime": 60_000,
        "reportDuringSearchEvery": 0.05});
    writeln!(input, "{request}").unwrap();
    assert_eq!(output.next().unwrap()["isDuringSearch"], true);
    writeln!(input, r#"{{"id":"b","action":"terminate","terminateId":"a","turnNumbers":[1,2]}}"#).unwrap();
    // The first turn is searched on.
    let echo = output.find(|line| line["id"] == "b").unwrap();
    assert_eq!(echo["turnNumbers"], json!([1, 2]));
    assert_eq!(output.next().unwrap()["isDuringSearch"], true);
    writeln!(input, r#"{{"id":"c","action":"terminate","terminateId":"a","turnNumbers":[0]}}"#).unwrap();
    drop(input);
    let ends: Vec<Value> =
        output.filter(|line| line["id"] == "a" && line["isDuringSearch"] != true).collect();
    assert!(ends[0]["best"].is_string() && ends[0]["turn"] == 0, "{ends:?}");
    let silent: Vec<(&Value, &Value)> =
        ends[1..].iter().map(|end| (&end["turn"], &end["noResults"])).collect();
    assert_eq!(silent, [(&json!(1), &json!(true)), (&json!(2), &json!(true))]);
    assert!(child.wait().unwrap().success());
}

/// They are those that a search for all lines values as the best.
#[test]
fn moves_of_reversi_that_keep_the_exact_value_are_found() {
    // FFO 40, played on by the first legal moves until ten squares are empty.
    let text = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";
    let mut position = notation::parse_position(text).unwrap();
    while position.board.empties() > 10 {
        let turn = position.turns()[0];
        position.play(turn);
    }
    let start = format!("fen {}", notation::format_position(&position));
    let whole = json!({"id": "all", "position": start, "multipv": 60, "depth": 60});
    let lossless = json!({"id": "kept", "position": start, "lossless": true, "depth": 60});
    let open = json!({"id": "open", "game": "reversi", "lossless": true, "depth": 4});
    let refused = json!({"id": "shogi", "game": "shogi", "lossless": true});
    let answers = served(&[], &[whole, lossless, open, refused]);
    let one = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let best = &one("all")["lines"][0]["score"]["exact"];
    assert!(best.is_i64(), "{}", one("all"));
    let lines = one("all")["lines"].as_array().unwrap();
    let wanted =
        lines.iter().filter(|line| line["score"]["exact"] == *best).map(|line| line["pv"][0].to_string());
    let mut wanted: Vec<String> = wanted.collect();
    let kept = one("kept")["lossless"].as_array().unwrap();
    let mut kept: Vec<String> = kept.iter().map(Value::to_string).collect();
    wanted.sort();
    kept.sort();
    assert_eq!(kept, wanted);
    assert!(one("open").get("lossless").is_none());
    assert_eq!(one("shogi")["field"], "lossless");
}
