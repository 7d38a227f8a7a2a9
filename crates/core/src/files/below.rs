//! The files of a folder that a person names.

use std::fs;
use std::io::{self, Error};
use std::path::{Path, PathBuf};

/// The file itself, or all files below a folder in the order of their paths; hidden ones are left out.
///
/// # Errors
/// The file does not exist, or a folder cannot be read; the text of the error names it.
pub fn files_below(path: &Path) -> io::Result<Vec<PathBuf>> {
    let named = |error: Error| Error::new(error.kind(), format!("cannot read {}: {error}", path.display()));
    if !fs::metadata(path).map_err(named)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path).map_err(named)? {
        let path = entry.map_err(named)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden {
            inside.push(path);
        }
    }
    inside.sort();
    let mut all = Vec::new();
    for path in inside {
        all.extend(files_below(&path)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    #[test]
    fn folders_inside_a_folder_are_read_and_hidden_files_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/c")).expect("a folder");
        for name in [".hidden", "a", "b/c/d", "e"] {
            fs::write(path(name), "").expect("a file");
        }
        assert_eq!(files_below(folder.path()).expect("a list"), ["a", "b/c/d", "e"].map(path));
        assert_eq!(files_below(&path("a")).expect("a file"), [path("a")]);
        let missing = files_below(&path("f")).expect_err("no file").to_string();
        assert!(missing.starts_with("cannot read ") && missing.contains("f: "), "{missing}");
    }
}
