//! Each field of real answers has its row in docs/reference/formats.md.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::page;

/// Fields of the answers to actions, which have their table in docs/reference/analysis.md.
const OF_ACTIONS: [&str; 4] = ["action", "models", "name", "version"];
/// Fields that the page explains in its text.
const IN_TEXT: [&str; 1] = ["crc"];

fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                found.insert(name.clone());
                names(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

/// The output of a command, as one JSON value or one a line.
fn answers(folder: &Path, arguments: &[&str], input: &str) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it listens");
    let text = String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text");
    match serde_json::from_str(&text) {
        Ok(value) => vec![value],
        Err(_) => text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(),
    }
}

#[test]
fn every_field_of_real_answers_is_in_the_reference() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("mate.sfen", "4k4/9/4P4/9/9/9/9/9/9 b G 1\n");
    write("empty.obf", &format!("{}XO X\nx\n", "X".repeat(62)));
    write("board.txt", "3x3\n");
    write("game.kif", "手数----指手----\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ７七角(88)\n   4 投了\n");
    let request = r#"{"id":"a","game":"shogi","moves":["7g7f"],"nodes":50,"includeCandidates":true}"#;
    let sygo = r#"{"id":"b","game":"sygo","position":"startpos 5","nodes":20,"includePolicy":true,"includeOwnership":true}"#;
    let actions = r#"{"id":"v","action":"query_version"}"#;
    let played =
        ["match", "kaeshi", "kaeshi-alphabeta", "--game", "reversi", "--nodes", "20", "--games", "2"];
    let matched = [&played[..], &["--out", "out", "--output", "json"]].concat();
    let document = fs::read_to_string(page("formats.md")).expect("the page");
    for (arguments, input) in [
        (matched.as_slice(), String::new()),
        (&["match", "stats", "out", "--json"], String::new()),
        (&["solve", "--game", "shogi", "--cooks", "--json", "mate.sfen"], String::new()),
        (&["solve", "--game", "reversi", "--lossless", "--json", "empty.obf"], String::new()),
        (&["solve", "--game", "sygo", "--json", "board.txt"], String::new()),
        (&["analyse", "--nodes", "50", "--summary", "/dev/stdout", "-o", "lines", "game.kif"], String::new()),
        (&["analyse", "--mate", "50ms", "mate.sfen"], String::new()),
        (&["analyse", "--serve"], format!("{request}\n{sygo}\n{actions}\n")),
    ] {
        let values = answers(folder.path(), arguments, &input);
        assert!(!values.is_empty(), "{arguments:?}");
        let mut found = BTreeSet::new();
        values.iter().for_each(|value| names(value, &mut found));
        assert!(found.len() > 4, "{arguments:?}: {found:?}");
        for name in found
            .iter()
            .filter(|name| !OF_ACTIONS.contains(&name.as_str()) && !IN_TEXT.contains(&name.as_str()))
        {
            assert!(document.contains(&format!("| `{name}`")), "{arguments:?}: {name} is not in formats.md");
        }
    }
}
