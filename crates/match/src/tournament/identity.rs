//! What plays, by content: two programs of the same name are not the same engine.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::dialogue::player::Spec;
use kaeshi_core::files;

/// Files of a folder that an option names are hashed up to this number.
const FOLDER_FILES: usize = 256;

/// Hashes of everything that an engine's play depends on and that this machine can read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentHashes {
    /// SHA-256 of the executable.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// SHA-256 of every file or folder that an argument or an option names, by that name.
    pub files: BTreeMap<String, String>,
}

impl ContentHashes {
    /// Reads what `spec` names.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub fn of(spec: &Spec) -> anyhow::Result<ContentHashes> {
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
        Ok(ContentHashes {
            program: hash_file(&program.command)?,
            arguments: program.arguments.clone(),
            files,
        })
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
    Ok(hexadecimal(&hash.finalize()))
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
    Ok(hexadecimal(&hash.finalize()))
}

/// SHA-256 of a text in hexadecimal.
pub fn hash_text(text: &str) -> String {
    hash_bytes(text.as_bytes())
}

/// SHA-256 of some bytes in hexadecimal.
pub fn hash_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
