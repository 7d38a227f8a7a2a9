//! Who outside the games' folders still names a game: the list in ARCHITECTURE.md, and no `match`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::GameName;
use crate::game::level::Level;

const NAMES: [&str; 3] = ["shogi", "reversi", "sygo"];
/// The list of the games, the notations of UCI's variants, the ends that only records of shogi have, and the names of
/// openings.
const DECIDING: [&str; 5] = [
    "src/games.rs",
    "src/protocol/uci/notation.rs",
    "src/records/foul.rs",
    "src/records/lines.rs",
    "src/page/play/names.js",
];
/// Where the list stands.
const MAP: &str = include_str!("../../ARCHITECTURE.md");

/// The sources outside the games' folders and the tests, by their path below the crate's root.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    inside.sort();
    for path in inside {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let ours = folder == root.join("src") && (NAMES.contains(&&*stem) || stem == "tictactoe");
        if ours || stem == "tests" {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "js") {
            let text = std::fs::read_to_string(&path).expect("text");
            let code = text.split("\nmod tests {").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            found.push((name, code.map(|line| format!("{line}\n")).collect()));
        }
    }
}

fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 200, "{}", found.len());
    found
}

#[test]
fn the_list_of_files_that_name_a_game_is_complete() {
    let named = |code: &str| {
        let code = code.to_ascii_lowercase();
        NAMES.iter().any(|name| code.contains(name))
    };
    let naming: BTreeSet<String> =
        all().into_iter().filter(|(_, code)| named(code)).map(|(name, _)| name).collect();
    let (_, list) = MAP.split_once("## Files that name a game").expect("the list");
    let files = list.lines().filter_map(|line| line.strip_prefix("| `src/")?.split_once("` |"));
    let listed: BTreeSet<String> = files.map(|(file, _)| format!("src/{file}")).collect();
    let [new, gone] = [naming.difference(&listed), listed.difference(&naming)].map(Vec::from_iter);
    assert!(
        new.is_empty() && gone.is_empty(),
        "not in the list: {new:#?}\nno longer naming a game: {gone:#?}"
    );
}

#[test]
fn nobody_decides_by_the_name_of_a_game() {
    for (file, code) in all().iter().filter(|(file, _)| !DECIDING.contains(&&**file)) {
        for line in code.lines() {
            let line: String = line.chars().filter(|sign| !sign.is_whitespace()).collect();
            for name in NAMES {
                let capital = name[..1].to_ascii_uppercase() + &name[1..];
                for name in [format!("GameName::{capital}"), format!("\"{name}\"")] {
                    let arm = line.trim_start_matches('|').starts_with(&name) && line.contains("=>");
                    let compared = ["==", "!="].iter().any(|sign| {
                        line.contains(&format!("{sign}{name}")) || line.contains(&format!("{name}{sign}"))
                    });
                    assert!(!arm && !compared, "{file} decides by the name of a game: {line}");
                }
            }
        }
    }
}

#[test]
fn higher_levels_think_longer_and_err_less() {
    for game in GameName::ALL {
        for pair in game.facts().levels.windows(2) {
            assert!(pair[0].error >= pair[1].error && pair[0] != pair[1], "{game:?} {pair:?}");
            // Where nodes are not limited, the first iteration is the last.
            let nodes = |level: Level| level.nodes.unwrap_or(0);
            assert!(nodes(pair[0]) <= nodes(pair[1]), "{game:?} {pair:?}");
            assert!(pair[0].nodes.is_some() || pair[0].depth == Some(1), "{game:?} {pair:?}");
        }
    }
}
