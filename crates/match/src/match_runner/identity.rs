//! What plays, by content: two programs of the same name are not the same engine.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::journal::EngineInfo;
use crate::dialogue::player::Spec;
use kaeshi_core::files;

/// Files of a folder that an option names are hashed up to this number.
const FOLDER_FILES: usize = 256;

/// Hashes of everything that an engine's play depends on and that this machine can read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Content {
    /// SHA-256 of the executable.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// SHA-256 of every file or folder that an argument or an option names, by that name.
    pub files: BTreeMap<String, String>,
}

impl Content {
    /// Reads what `spec` names.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub fn of(spec: &Spec) -> anyhow::Result<Content> {
        let program = &spec.program;
        let folder = program.directory.as_deref().unwrap_or(Path::new(""));
        let mut files = BTreeMap::new();
        let options = spec.options.iter().map(|(_, value)| value);
        for name in program.arguments.iter().chain(options) {
            let path = folder.join(name);
            if name.is_empty() || !path.exists() {
                continue;
            }
            let hash = if path.is_dir() { hash_folder(&path) } else { hash_file(&path) };
            files.insert(name.clone(), hash?);
        }
        Ok(Content { program: hash_file(&program.command)?, arguments: program.arguments.clone(), files })
    }
}

/// SHA-256 of a file in hexadecimal.
///
/// # Errors
/// The file cannot be read.
pub fn hash_file(path: &Path) -> anyhow::Result<String> {
    let about = || format!("cannot read {} to hash it", path.display());
    let mut hash = Sha256::new();
    files::visit(path, |bytes| hash.update(bytes)).with_context(about)?;
    Ok(format!("{:x}", hash.finalize()))
}

/// The files directly in a folder, by name.
fn hash_folder(path: &Path) -> anyhow::Result<String> {
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut files: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files.truncate(FOLDER_FILES);
    let mut hash = Sha256::new();
    for file in files {
        hash.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hash.update(hash_file(&file)?);
    }
    Ok(format!("{:x}", hash.finalize()))
}

/// SHA-256 of a text in hexadecimal.
pub fn hash_text(text: &str) -> String {
    hash_bytes(text.as_bytes())
}

/// SHA-256 of some bytes in hexadecimal.
pub fn hash_bytes(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

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
    use super::*;

    fn engine(name: &str, program: &str, file: &str) -> EngineInfo {
        let content = Content {
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

    #[test]
    fn content_is_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w.bin");
        std::fs::write(&file, "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash_file(&file).unwrap(), abc);
        assert_eq!(hash_text("abc"), abc);
        let before = hash_folder(folder.path()).unwrap();
        std::fs::write(&file, "abd").unwrap();
        assert_ne!(hash_folder(folder.path()).unwrap(), before);
        assert!(hash_file(&folder.path().join("x")).unwrap_err().to_string().contains("to hash it"));
    }
}
