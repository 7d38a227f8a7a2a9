//! Whether two participants are the same engine.

use super::journal::EngineInfo;

/// In what two records of the same participant differ; `None` if it is the same engine.
pub fn difference(before: &EngineInfo, now: &EngineInfo) -> Option<String> {
    let name = &now.name;
    if before.id != now.id {
        return Some(format!("{name} called itself '{}' and is '{}' now", before.id, now.id));
    }
    if before.content.program != now.content.program {
        return Some(format!("the program of {name} is another one"));
    }
    let (old, new) = (&before.content.files, &now.content.files);
    if let Some((file, _)) = new.iter().chain(old).find(|(file, _)| old.get(*file) != new.get(*file)) {
        return Some(format!("the file '{file}' of {name} is another one"));
    }
    (before.content != now.content).then(|| format!("the arguments of {name} are others"))
}

/// Participants that are the same program with the same options and limit, in pairs of names.
pub fn equals(engines: &[EngineInfo]) -> Vec<[&str; 2]> {
    let what = |engine: &EngineInfo| {
        (engine.id.clone(), engine.content.clone(), engine.options.clone(), engine.limit.clone())
    };
    let mut found = Vec::new();
    for (index, first) in engines.iter().enumerate() {
        for second in &engines[index + 1..] {
            if !first.content.program.is_empty() && what(first) == what(second) {
                found.push([first.name.as_str(), second.name.as_str()]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::tournament::identity::ContentHashes;

    fn engine(name: &str, program: &str, file: &str) -> EngineInfo {
        let content = ContentHashes {
            program: program.into(),
            arguments: vec!["--x".into()],
            files: BTreeMap::from([("w.bin".to_owned(), file.to_owned())]),
        };
        EngineInfo { name: name.into(), id: "E 1".into(), content, ..EngineInfo::default() }
    }

    #[test]
    fn a_difference_is_named() {
        let one = engine("a", "p", "f");
        assert_eq!(difference(&one, &one), None);
        assert!(difference(&one, &engine("a", "q", "f")).unwrap().contains("program of a"));
        assert!(difference(&one, &engine("a", "p", "g")).unwrap().contains("'w.bin' of a"));
        let renamed = EngineInfo { id: "E 2".into(), ..one.clone() };
        assert!(difference(&one, &renamed).unwrap().contains("'E 1' and is 'E 2'"));
        let mut without = one.clone();
        without.content.files.clear();
        assert!(difference(&one, &without).unwrap().contains("w.bin"));
        assert!(difference(&without, &one).unwrap().contains("w.bin"));
        let mut other = one.clone();
        other.content.arguments.clear();
        assert!(difference(&one, &other).unwrap().contains("arguments"));
    }

    #[test]
    fn equal_participants_are_found_whatever_their_names() {
        let mut engines = vec![engine("a", "p", "f"), engine("b", "q", "f"), engine("c", "p", "f")];
        assert_eq!(equals(&engines), [["a", "c"]]);
        engines[2].limit = "nodes=9".into();
        assert!(equals(&engines).is_empty());
    }
}
