//! The structure of the workspace is that of ARCHITECTURE.md: which crate imports which, which modules of a crate
//! import each other, and which files name a game.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where the tables stand.
const MAP: &str = include_str!("../ARCHITECTURE.md");
const GAMES: [&str; 3] = ["shogi", "reversi", "sygo"];
/// Where a name of a game decides: the list of the games, the notations of UCI's variants, names of openings,
/// and ends that only records of shogi have.
const DECIDING: [&str; 5] = [
    "crates/engine/src/games.rs",
    "crates/engine/src/protocol/uci/notation.rs",
    "crates/records/src/foul.rs",
    "crates/records/src/lines.rs",
    "crates/report/src/play/names.js",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates in the order of the table, each with its imports.
fn table() -> Vec<(String, BTreeSet<String>)> {
    let (_, table) = MAP.split_once("| crate | contents | imports |\n|---|---|---|\n").expect("the table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        (quoted(cells[0]).remove(0), quoted(cells[2]).into_iter().collect())
    })
    .collect()
}

/// The crates of the workspace that a manifest names in its section `[dependencies]`.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    // Dependencies of single systems count, too.
    let sections = manifest.split("\n[").filter_map(|section| section.split_once("dependencies]\n"));
    let normal = sections.filter(|(kind, _)| !kind.ends_with('-'));
    normal
        .flat_map(|(_, lines)| lines.lines())
        .filter_map(|line| line.strip_prefix("kaeshi-")?.split(['.', ' ', '=']).next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_crate_imports_those_of_its_row_and_all_stand_above_it() {
    let table = table();
    let mut above = BTreeSet::new();
    for (name, imports) in &table {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        assert_eq!(dependencies(&manifest), *imports, "crates/{name}/Cargo.toml and ARCHITECTURE.md");
        let below: Vec<_> = imports.difference(&above).collect();
        assert!(below.is_empty(), "{name} imports {below:?}, which stand below it");
        above.insert(name.clone());
    }
    let folders = std::fs::read_dir(root().join("crates")).expect("crates");
    let there: BTreeSet<String> =
        folders.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    // Only tests.
    let listed: BTreeSet<String> = above.into_iter().chain(["corpus", "fourth"].map(str::to_owned)).collect();
    assert_eq!(there, listed);
}

/// Crates that the engine as a library takes at most, ours among them.
const MOST_CRATES: usize = 25;

#[test]
fn the_engine_as_a_library_needs_few_crates() {
    let tree = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--package=kaeshi-engine", "--edges=normal", "--prefix=none", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8_lossy(&tree.stdout);
    let name = |line: &str| line.split(" (").next().unwrap_or_default().to_owned();
    let crates: BTreeSet<String> = text.lines().map(name).filter(|name| !name.is_empty()).collect();
    assert!(crates.len() <= MOST_CRATES, "{} crates: {crates:#?}", crates.len());
}

/// The same text with comments, strings and the modules of tests blanked.
fn code(text: &str) -> String {
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let mut found = String::new();
    for line in text.lines() {
        let mut inside = false;
        let mut before = ' ';
        for (at, sign) in line.char_indices() {
            if !inside && line[at..].starts_with("//") {
                break;
            }
            if sign == '"' && before != '\\' && before != '\'' {
                inside = !inside;
            } else if !inside {
                found.push(sign);
            }
            before = sign;
        }
        found.push('\n');
    }
    found
}

/// The files of a crate by the path of their module.
fn modules(source: &Path, at: &[String], found: &mut BTreeMap<Vec<String>, String>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(source).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if stem == "tests" {
            continue;
        }
        let module: Vec<String> = at.iter().cloned().chain([stem.clone()]).collect();
        if path.is_dir() {
            modules(&path, &module, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if at.is_empty() && (stem == "lib" || stem == "main") { Vec::new() } else { module };
            found.insert(module, code(&read(&path)));
        }
    }
}

/// The paths that begin with `crate::` or `super::` in a text, those of `use {…}` one by one.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' {
                continue;
            }
            expand(&text[at..], &mut Vec::new(), &mut found);
        }
    }
    found
}

/// Reads one path, or a tree of them. Returns the rest of the text.
fn expand<'a>(mut text: &'a str, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> &'a str {
    let depth = prefix.len();
    loop {
        text = text.trim_start();
        if let Some(tree) = text.strip_prefix('{') {
            text = tree;
            loop {
                text = text.trim_start().trim_start_matches(',').trim_start();
                if let Some(rest) = text.strip_prefix('}') {
                    text = rest;
                    break;
                }
                let rest = expand(text, prefix, found);
                if rest.len() == text.len() {
                    break;
                }
                text = rest;
            }
            break;
        }
        let end = text.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(text.len());
        if end == 0 {
            break;
        }
        prefix.push(text[..end].to_owned());
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => {
                found.push(prefix.clone());
                let alias = text.trim_start().strip_prefix("as ");
                text = alias.map_or(text, |rest| {
                    rest.trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_')
                });
                break;
            }
        }
    }
    prefix.truncate(depth);
    text
}

/// The children of each module that import each other, also by way of others.
fn cycles(files: &BTreeMap<Vec<String>, String>) -> BTreeSet<(String, Vec<String>)> {
    let mut imports: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (module, text) in files {
        for path in paths(text) {
            let mut target = module.clone();
            for step in &path {
                match step.as_str() {
                    "crate" => target.clear(),
                    "super" => drop(target.pop()),
                    "self" => (),
                    step => target.push(step.to_owned()),
                }
            }
            while !target.is_empty() && !files.contains_key(&target) {
                target.pop();
            }
            let same = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(same), target.get(same)) {
                let siblings = imports.entry(module[..same].to_vec()).or_default();
                siblings.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    let mut found = BTreeSet::new();
    for (parent, siblings) in imports {
        let reached = |from: &String| {
            let mut seen = BTreeSet::new();
            let mut waiting: Vec<&String> = vec![from];
            while let Some(one) = waiting.pop() {
                for next in siblings.get(one).into_iter().flatten() {
                    if seen.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
            }
            seen
        };
        let reach: BTreeMap<&String, BTreeSet<String>> =
            siblings.keys().map(|one| (one, reached(one))).collect();
        for (one, seen) in &reach {
            if seen.contains(*one) {
                let ring =
                    seen.iter().filter(|other| reach.get(other).is_some_and(|back| back.contains(*one)));
                found.insert((parent.join("::"), ring.cloned().collect()));
            }
        }
    }
    found
}

#[test]
fn modules_of_a_crate_import_each_other_in_one_direction() {
    let mut found = BTreeSet::new();
    for (name, _) in table() {
        let mut files = BTreeMap::new();
        modules(&root().join("crates").join(&name).join("src"), &[], &mut files);
        found.extend(cycles(&files).into_iter().map(|(parent, ring)| (name.clone(), parent, ring)));
    }
    assert!(found.is_empty(), "modules that import each other, by crate and parent: {found:#?}");
}

#[test]
fn the_files_that_the_map_names_are_there() {
    let mut files = Vec::new();
    let mut waiting = vec![root().join("crates"), root().join("src"), root().join("tests")];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.push(path);
            }
        }
    }
    for name in MAP.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs")) {
        assert!(files.iter().any(|file| file.ends_with(name)), "ARCHITECTURE.md names {name}");
    }
}

/// The sources outside the games' folders and the tests, by their path below the root, without comments.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    inside.sort();
    for path in inside {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let of_a_game = ["crates", "crates/learn/src", "crates/train/src"]
            .map(|name| root().join(name))
            .contains(&folder.to_owned())
            && GAMES.contains(&&*stem);
        if of_a_game || ["tests", "benches", "fourth", "tictactoe"].contains(&&*stem) {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "js") {
            let text = read(&path);
            let code = text.split("\nmod tests {").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
            let name = path.strip_prefix(root()).expect("below the root").display().to_string();
            found.push((name, code.map(|line| format!("{line}\n")).collect()));
        }
    }
}

fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    sources(&root().join("src"), &mut found);
    sources(&root().join("crates"), &mut found);
    assert!(found.len() > 200, "{}", found.len());
    found
}

#[test]
fn the_list_of_files_that_name_a_game_is_complete() {
    let named = |code: &str| {
        let code = code.to_ascii_lowercase();
        GAMES.iter().any(|name| code.contains(name))
    };
    let naming: BTreeSet<String> =
        all().into_iter().filter(|(_, code)| named(code)).map(|(name, _)| name).collect();
    let (_, list) = MAP.split_once("## Files that name a game").expect("the list");
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned()))
        .collect();
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
            for name in GAMES {
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
