//! Names of types: exported ones are unique in the workspace, and few others are shared.

use std::collections::BTreeMap;
use std::path::Path;

/// Definitions in percent whose name another definition has, at most.
const MOST_SHARED: usize = 15;
/// Files of one platform: their types have the names of those of the others.
const PLATFORMS: [&str; 4] = ["amx.rs", "neon.rs", "wasm.rs", "windows.rs"];
/// Types called `Args` at most.
const MOST_ARGS: usize = 3;

/// A definition of a type.
struct Definition {
    place: String,
    name: String,
    exported: bool,
    in_tests: bool,
}

/// The definition that a line of source begins. Associated types are none.
fn definition(line: &str) -> Option<(bool, &str)> {
    let unindented = line.trim_start();
    let indented = unindented.len() < line.len();
    let (visibility, rest) = match unindented.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => ("pub(…)", rest.split_once(") ")?.1),
        Some(rest) => ("pub", rest.strip_prefix(' ')?),
        None => ("", unindented),
    };
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (kind, rest) = rest.split_once(' ')?;
    let name = rest.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next()?;
    let is_type = matches!(kind, "struct" | "enum" | "union" | "trait")
        || kind == "type" && (!indented || !visibility.is_empty());
    (is_type && name.starts_with(|sign: char| sign.is_ascii_uppercase()))
        .then_some((visibility == "pub", name))
}

/// Collects the definitions below a folder. Definitions of one name in one file are one type for several targets.
fn collect(folder: &Path, found: &mut Vec<Definition>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !PLATFORMS.iter().any(|name| path.ends_with(name))
        {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let place =
                path.strip_prefix(env!("CARGO_MANIFEST_DIR")).expect("below the root").display().to_string();
            let of_tests =
                place.split(['/', '\\']).any(|part| matches!(part, "tests" | "benches" | "tests.rs"));
            let mut in_module = false;
            let mut names = Vec::new();
            for line in text.lines() {
                in_module |= line.trim_start().starts_with("mod tests {");
                if let Some((exported, name)) = definition(line).filter(|(_, name)| !names.contains(name)) {
                    names.push(name);
                    let in_tests = of_tests || in_module;
                    let (place, name) = (place.clone(), name.to_owned());
                    found.push(Definition { place, name, exported: exported && !in_tests, in_tests });
                }
            }
        }
    }
}

fn definitions() -> Vec<Definition> {
    let mut found = Vec::new();
    for folder in ["src", "crates", "tests"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    assert!(found.len() > 500, "only {} definitions", found.len());
    found
}

/// The names that several definitions have, with their places.
fn shared<'a>(definitions: impl Iterator<Item = &'a Definition>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for definition in definitions {
        places.entry(&definition.name).or_default().push(&definition.place);
    }
    places.retain(|_, places| places.len() > 1);
    places
}

#[test]
fn names_of_exported_types_are_unique() {
    let definitions = definitions();
    let exported = shared(definitions.iter().filter(|definition| definition.exported));
    assert!(exported.is_empty(), "{exported:#?}");
}

#[test]
fn few_types_share_their_name() {
    let definitions = definitions();
    for with_tests in [false, true] {
        let counted = || definitions.iter().filter(|definition| with_tests || !definition.in_tests);
        let (all, shared) = (counted().count(), shared(counted()));
        let of_shared_name: usize = shared.values().map(Vec::len).sum();
        assert!(
            of_shared_name * 100 <= MOST_SHARED * all,
            "{of_shared_name} of {all} definitions share their name: {shared:#?}"
        );
    }
    let arguments = definitions.iter().filter(|definition| definition.name == "Args").count();
    assert!(arguments <= MOST_ARGS, "{arguments} types are called Args");
}

#[test]
fn definitions_are_recognised() {
    assert_eq!(definition("pub struct Board {"), Some((true, "Board")));
    assert_eq!(definition("    pub(super) enum Kind<T> {"), Some((false, "Kind")));
    assert_eq!(definition("unsafe trait Lane: Copy {"), Some((false, "Lane")));
    assert_eq!(definition("type Pairs = Vec<(u8, u8)>;"), Some((false, "Pairs")));
    assert_eq!(definition("    type Output = u8;"), None);
    assert_eq!(definition("pub fn enum_of(x: Kind) {"), None);
}
