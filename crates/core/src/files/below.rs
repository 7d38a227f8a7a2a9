//! The files of a folder that a person names.

use std::fs;
use std::io::{self, Error};
use std::path::{Path, PathBuf};

/// The file itself, or all files below a folder in the order of their paths; hidden ones are left out.
///
/// # Errors
/// The file does not exist, a folder cannot be read, or a link leads back to a folder that it is in; the text of the
/// error names it.
pub fn files_below(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(path, &mut Vec::new(), &mut files)?;
    Ok(files)
}

/// Appends the files at or below `path` to `files`; `parents` are the folders that it is in.
fn collect(path: &Path, parents: &mut Vec<PathBuf>, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let named = |error: Error| Error::new(error.kind(), format!("cannot read {}: {error}", path.display()));
    if !fs::metadata(path).map_err(named)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let folder = fs::canonicalize(path).map_err(named)?;
    if parents.contains(&folder) {
        return Err(named(Error::other("the link leads back to a folder that it is in")));
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
    parents.push(folder);
    for path in inside {
        collect(&path, parents, files)?;
    }
    parents.pop();
    Ok(())
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

    #[cfg(unix)]
    #[test]
    fn links_are_followed_but_for_those_that_lead_back() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("a/b")).expect("a folder");
        fs::write(path("a/b/c"), "").expect("a file");
        symlink(path("a/b"), path("d")).expect("a link");
        assert_eq!(files_below(folder.path()).expect("a list"), ["a/b/c", "d/c"].map(path));
        symlink(path("a"), path("a/b/loop")).expect("a link");
        let error = files_below(folder.path()).expect_err("a loop").to_string();
        assert!(error.contains("a/b/loop: the link leads back"), "{error}");
    }
}
