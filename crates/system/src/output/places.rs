//! Which files a command may write: checked before any work, so that no output destroys an input or another output,
//! and none is found to be impossible after hours.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::{FileIdentity, followed, is_stream, whole_path};

/// The files that are given, each with its option.
pub fn named_files<'a>(options: &[(&'static str, &'a Option<PathBuf>)]) -> Vec<(&'static str, &'a Path)> {
    options.iter().filter_map(|&(option, path)| Some((option, path.as_deref()?))).collect()
}

/// Whether all outputs can be written where they shall be; each is given with its option.
///
/// # Errors
/// An output is a folder, or would lie in one that is not there or takes no files.
pub fn check_places(outputs: &[(&str, &Path)]) -> anyhow::Result<()> {
    check_in_folders(outputs, Path::is_dir)
}

/// [`check_places`] for a command that makes the folder `made` before it writes.
///
/// # Errors
/// As for [`check_places`]; an output is that folder, or one above it.
pub fn check_places_beside(made: &Path, outputs: &[(&str, &Path)]) -> anyhow::Result<()> {
    let made = whole_path(made);
    let leads_to_made =
        |path: &Path| made.as_ref().zip(whole_path(path)).is_some_and(|(made, path)| made.starts_with(path));
    if let Some((option, path)) = outputs.iter().find(|(_, path)| !path.exists() && leads_to_made(path)) {
        anyhow::bail!("{option}: {} is to be a folder", path.display());
    }
    check_in_folders(outputs, |folder| folder.is_dir() || (!folder.exists() && leads_to_made(folder)))
}

/// Whether a folder that a command makes and writes to is there, or can be made.
///
/// # Errors
/// It, or what lies above it, is no folder, or takes no files.
pub fn check_folder(option: &str, folder: &Path) -> anyhow::Result<()> {
    let spelt = |path: &Path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path.to_owned() };
    let Some(there) = folder.ancestors().map(spelt).find(|path| path.exists()) else { return Ok(()) };
    ensure!(there.is_dir(), "{option}: {} is not a folder", there.display());
    if let Some(error) = refusal(&there) {
        anyhow::bail!("{option}: cannot write in {}: {error}", there.display());
    }
    Ok(())
}

fn check_in_folders(outputs: &[(&str, &Path)], will_be_there: impl Fn(&Path) -> bool) -> anyhow::Result<()> {
    for (option, path) in outputs {
        ensure!(!path.is_dir(), "{option}: {} is a folder", path.display());
        if is_stream(path) {
            continue;
        }
        let place = followed(path);
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder {
            ensure!(
                will_be_there(folder),
                "{option}: cannot write {}: there is no folder {}",
                path.display(),
                folder.display()
            );
        }
        let refused = refusal(folder.unwrap_or(Path::new("."))).filter(|_| !place.exists());
        if let Some(error) = refused {
            anyhow::bail!("{option}: cannot write {}: {error}", path.display());
        }
    }
    Ok(())
}

/// Why the system makes no file in a folder that is there, as far as that is known without a try.
#[cfg(unix)]
fn refusal(folder: &Path) -> Option<std::io::Error> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: a string with its end, which lives through the call.
    let answer =
        unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK | libc::X_OK, libc::AT_EACCESS) };
    (answer != 0).then(std::io::Error::last_os_error).filter(|_| folder.is_dir())
}

#[cfg(not(unix))]
fn refusal(_folder: &Path) -> Option<std::io::Error> {
    None
}

/// Whether no output is an input or another output, by links or other spellings; each is given with its option, inputs
/// without one as "an input".
///
/// # Errors
/// A file would be lost.
pub fn check_distinct(inputs: &[(&str, &Path)], outputs: &[(&str, &Path)]) -> anyhow::Result<()> {
    let mut roles = HashMap::new();
    for (role, path) in inputs {
        if let Some(file) = FileIdentity::of(path) {
            roles.entry(file).or_insert(role);
        }
    }
    for (option, path) in outputs.iter().filter(|(_, path)| !is_stream(path)) {
        let Some(file) = FileIdentity::of(path) else { continue };
        if let Some(role) = roles.insert(file, option) {
            anyhow::bail!(
                "{option}: {} is also {role} of this command and would be lost; choose another name",
                path.display()
            );
        }
    }
    Ok(())
}

/// Whether this output is none of the files that are read.
///
/// # Errors
/// A file would be lost.
pub fn check_no_input(files: &[PathBuf], output: (&str, &Path)) -> anyhow::Result<()> {
    let inputs: Vec<(&str, &Path)> = files.iter().map(|path| ("an input", path.as_path())).collect();
    check_distinct(&inputs, &[output])
}

#[cfg(test)]
mod tests {
    use super::super::is_same_file;
    use super::*;

    #[test]
    fn no_output_takes_the_place_of_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a"), "x").unwrap();
        std::fs::create_dir(path("inner")).unwrap();
        let (a, same, new) = (path("a"), path("inner").join("..").join("a"), path("new"));
        let refused = |inputs: &[(&str, &Path)], outputs: &[(&str, &Path)]| {
            check_distinct(inputs, outputs).unwrap_err().to_string()
        };
        check_distinct(&[("an input", &a)], &[("--out", &new), ("--report", &path("page"))]).unwrap();
        assert!(refused(&[("an input", &a)], &[("--out", &same)]).contains("also an input of this command"));
        assert!(refused(&[], &[("--out", &new), ("--report", &new)]).contains("is also --out of"));
    }

    #[test]
    fn outputs_need_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        check_places(&[("--out", &folder.path().join("new")), ("--out", Path::new("new"))]).unwrap();
        let refused = |path: &Path| check_places(&[("--out", path)]).unwrap_err().to_string();
        assert!(refused(folder.path()).ends_with("is a folder"));
        assert!(refused(&folder.path().join("none/new")).contains("there is no folder"));
    }

    #[test]
    fn a_folder_that_the_command_makes_counts_as_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let check = |output: &str| check_places_beside(&path("a/b"), &[("--report", &path(output))]);
        for output in ["new", "a/new", "a/b/new", "a/./b/new"] {
            check(output).unwrap();
        }
        for output in ["a/b/c/new", "a/c/new", "b/new"] {
            assert!(check(output).unwrap_err().to_string().contains("there is no folder"), "{output}");
        }
        for output in ["a", "a/b", "a/./b"] {
            assert!(check(output).unwrap_err().to_string().contains("is to be a folder"), "{output}");
        }
        let same = |one: &str, other: &str| is_same_file(&path(one), &path(other));
        assert!(same("a/b/new", "a/./b/new") && !same("a/b/new", "a/new"));
    }

    #[test]
    fn a_folder_to_write_to_is_there_or_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "x").unwrap();
        for good in ["", "new", "new/newer"] {
            check_folder("--annotate", &path(good)).unwrap();
        }
        check_folder("--annotate", Path::new("new")).unwrap();
        for bad in ["file", "file/new"] {
            let refused = check_folder("--annotate", &path(bad)).unwrap_err().to_string();
            assert!(
                refused.starts_with("--annotate: ") && refused.ends_with("file is not a folder"),
                "{refused}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stands_for_the_file_that_it_leads_to() {
        use super::super::{WholeFile, write_whole};
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("inner")).unwrap();
        for (link, target) in
            [("one", "inner/file"), ("two", "one"), ("astray", "none/file"), ("other", "inner/file")]
        {
            std::os::unix::fs::symlink(target, path(link)).unwrap();
        }
        check_places(&[("--out", &path("two"))]).unwrap();
        let refused = |checked: anyhow::Result<()>| checked.unwrap_err().to_string();
        assert!(refused(check_places(&[("--out", &path("astray"))])).contains("there is no folder"));
        let both = check_distinct(&[], &[("--out", &path("two")), ("--report", &path("other"))]);
        assert!(refused(both).contains("is also --out"), "before the file is there, too");
        let is_written = |text: &str| {
            let files = ["two", "inner/file"].map(|name| std::fs::read_to_string(path(name)).unwrap());
            let left = std::fs::read_dir(path("inner")).unwrap().count();
            assert_eq!((files, left), ([text.to_owned(), text.to_owned()], 1));
            assert!(path("one").is_symlink() && path("two").is_symlink());
        };
        write_whole(&path("two"), b"first").unwrap();
        is_written("first");
        let mut whole = WholeFile::create(&path("two")).unwrap();
        whole.write_all(b"next").unwrap();
        whole.finish().unwrap();
        is_written("next");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_takes_files_or_outputs_in_it_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
        let is_allowed = check_places(&[("--out", &folder.path().join("new"))]).is_ok();
        // The superuser may write everywhere.
        assert_eq!(is_allowed, std::fs::write(folder.path().join("tried"), "").is_ok());
    }
}
