//! The file of `--record`: one game, written after each change, and never at the cost of what the file held before.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use parking_lot::Mutex;

use super::files;
use kaeshi_engine::games::GameName;
use kaeshi_system::output::{beside, remark, write_whole};

/// Names tried for the copy of what the file held.
const COPIES: usize = 1_000;

/// The form that is written for other programs alone: a game in it could not go on.
const ONLY_WRITTEN: &str = "sgf";

/// The forms in which a game goes on.
fn kept_forms(game: GameName) -> impl Iterator<Item = &'static str> {
    files::forms(game).into_iter().filter(|&form| form != ONLY_WRITTEN)
}

/// The file of `--record`.
#[derive(Clone, Debug)]
pub(super) struct RecordFile {
    path: PathBuf,
    state: Arc<Mutex<RecordState>>,
}

#[derive(Debug, Default)]
struct RecordState {
    /// The content of the file when it was read, until it is written.
    original: Option<Vec<u8>>,
    /// The game that the file holds, in the file's form.
    current: Option<Vec<u8>>,
    /// Why the last write failed.
    failure: Option<String>,
}

impl RecordFile {
    /// The file at `path`, which holds `original`, or is not there.
    pub(super) fn new(path: &Path, original: Option<Vec<u8>>) -> RecordFile {
        let state = RecordState { original, ..RecordState::default() };
        RecordFile { path: path.to_owned(), state: Arc::new(Mutex::new(state)) }
    }

    /// Refuses a name that ends with a form of none of `games`.
    ///
    /// # Errors
    /// Says which forms there are.
    pub(super) fn check_form(&self, games: &[GameName]) -> anyhow::Result<()> {
        if games.iter().any(|&game| kept_forms(game).any(|known| known == self.form(game))) {
            return Ok(());
        }
        let known: Vec<&str> = games.iter().flat_map(|&game| kept_forms(game)).collect();
        bail!("--record {}: the name ends with none of the forms {}", self.path.display(), known.join(", "))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The form that the name ends with; the usual one of the game without an ending.
    pub(super) fn form(&self, game: GameName) -> String {
        match self.path.extension().and_then(|ending| ending.to_str()) {
            Some(ending) => ending.to_ascii_lowercase(),
            None => files::forms(game)[0].to_owned(),
        }
    }

    /// Says how the game that was read from the file is written while nothing in it has changed. `is_line`: it was a
    /// position with moves, which needs no copy if the file held nothing else.
    pub(super) fn set_current(&self, bytes: Vec<u8>, is_line: bool) {
        let mut state = self.state.lock();
        state.original.take_if(|text| is_line && !text.trim_ascii().iter().any(|byte| b"\n#".contains(byte)));
        state.current = Some(bytes);
    }

    /// Writes the game, unless the file holds it already. If the game's form cannot keep all of the existing file
    /// (other text, unknown headers), a copy of that file is kept beside it.
    ///
    /// # Errors
    /// The file or the copy cannot be written; [`RecordFile::failure`] has the reason until a write succeeds.
    pub(super) fn write(&self, bytes: Vec<u8>) -> anyhow::Result<()> {
        let mut state = self.state.lock();
        if state.failure.is_none() && state.current.as_ref() == Some(&bytes) {
            return Ok(());
        }
        let written = self.copy(&state).and_then(|()| write_whole(&self.path, &bytes));
        state.failure = written.as_ref().err().map(|error| format!("{error:#}"));
        if written.is_ok() {
            (state.original, state.current) = (None, Some(bytes));
        }
        written
    }

    /// The form of the file does not know the game: remembers that as the failure.
    pub(super) fn refused(&self, reason: String) -> anyhow::Error {
        let failure = format!("cannot write {}: {reason}", self.path.display());
        self.state.lock().failure = Some(failure.clone());
        anyhow::Error::msg(failure)
    }

    /// Copies the original file if this program did not write it.
    fn copy(&self, state: &RecordState) -> anyhow::Result<()> {
        let Some(original) =
            state.original.as_ref().filter(|original| state.current.as_ref() != Some(original))
        else {
            return Ok(());
        };
        for number in 0..COPIES {
            let ending = if number == 0 { "before".to_owned() } else { format!("before-{number}") };
            let path = beside(&self.path, &ending);
            let shown = path.display();
            match File::create_new(&path) {
                Ok(mut file) => {
                    let written = file.write_all(original).and_then(|()| file.sync_all());
                    if written.is_err() {
                        let _ = std::fs::remove_file(&path);
                    }
                    written.with_context(|| format!("cannot write {shown}"))?;
                    remark(format_args!("What {} held before is in {shown}.", self.path.display()));
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
            }
        }
        bail!("{} has {COPIES} copies already", self.path.display())
    }

    /// Why the game is not in the file, if the last write failed.
    pub(super) fn failure(&self) -> Option<String> {
        self.state.lock().failure.clone()
    }
}
