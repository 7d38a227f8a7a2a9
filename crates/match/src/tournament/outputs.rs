//! What a match writes beside its journal, checked before anything is made or any engine is started.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use kaeshi_system::output::{check_distinct, check_places_beside, named_files};

use super::config::Config;
use super::journal::JOURNAL;
use super::run::{CONFIG, LOGS, MATCHES, RECORDS};
use super::running;

/// Files that are made of a journal.
#[derive(Clone, Copy, Debug)]
pub struct MatchOutputs<'a> {
    /// The page for a browser.
    pub report: &'a Option<PathBuf>,
    /// The games in PGN.
    pub pgn: &'a Option<PathBuf>,
}

impl MatchOutputs<'_> {
    /// Whether all of them can be written, and none takes the place of the files that are `read`, of the journal or
    /// of another one. `folder` is made if it is not there.
    ///
    /// # Errors
    /// The option, and what is wrong with its file.
    pub fn check(
        self,
        read: &[(&'static str, &Path)],
        folder: &Path,
        journal: Option<&Path>,
    ) -> anyhow::Result<()> {
        let written = named_files(&[("--report", self.report), ("--pgn", self.pgn)]);
        check_places_beside(folder, &written)?;
        let plan = journal.map(|journal| journal.with_file_name(CONFIG));
        let own = [("the journal", journal), ("the plan", plan.as_deref())];
        let own = own.into_iter().filter_map(|(role, path)| Some((role, path?)));
        let folders = [LOGS, RECORDS, running::FOLDER].map(|name| folder.join(name));
        let folders = folders.iter().map(|path| ("a folder of the match", path.as_path()));
        check_distinct(&read.iter().copied().chain(own).chain(folders).collect::<Vec<_>>(), &written)
    }
}

impl Config {
    /// Whether the match can write what it is to write; `read` are the files that the command names.
    ///
    /// # Errors
    /// As for [`MatchOutputs::check`]; the folder of the match is a file.
    pub fn check_outputs(&self, read: &[(&'static str, &Path)]) -> anyhow::Result<()> {
        if let Some(out) = &self.out {
            ensure!(!out.exists() || out.is_dir(), "--out: {} is not a folder", out.display());
        }
        let programs: Vec<PathBuf> = self.engines.iter().flat_map(|engine| engine.files()).collect();
        let programs = programs.iter().map(|path| ("a file of an engine", path.as_path()));
        let openings = self.openings.as_deref().map(|path| ("--openings", path));
        let read: Vec<_> = read.iter().copied().chain(openings).chain(programs).collect();
        let journal = self.out.as_ref().map(|out| out.join(JOURNAL));
        let folder = self.out.as_deref().unwrap_or(Path::new(MATCHES));
        MatchOutputs { report: &self.report, pgn: &self.pgn }.check(&read, folder, journal.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::Scalar;
    use crate::tournament::config::EngineConfig;

    #[test]
    fn outputs_are_refused_before_anything_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let text = |name: &str| path(name).to_string_lossy().into_owned();
        for file in ["engine", "net.bin", "book"] {
            std::fs::write(path(file), "x").unwrap();
        }
        let engine = EngineConfig {
            cmd: Some(text("engine")),
            options: [("EvalFile".to_owned(), Scalar(text("net.bin")))].into(),
            ..EngineConfig::default()
        };
        let check = |report: &str, pgn: &str, out: &str| {
            let config = Config {
                engines: vec![engine.clone()],
                openings: Some(path("book")),
                out: Some(path(out)),
                report: Some(path(report)),
                pgn: Some(path(pgn)),
                ..Config::default()
            };
            config.check_outputs(&[("--config", &path("cup.toml"))]).map_err(|error| error.to_string())
        };
        for report in ["r.html", "new/r.html", "new/out/r.html"] {
            assert_eq!(check(report, "g.pgn", "new/out"), Ok(()), "{report}");
        }
        for (report, pgn, out, said) in [
            ("none/r.html", "g.pgn", "out", "there is no folder"),
            ("out/journal.jsonl", "g.pgn", "out", "is also the journal"),
            ("r.html", "out/./match.json", "out", "is also the plan"),
            ("out", "g.pgn", "out", "is to be a folder"),
            ("out/logs", "g.pgn", "out", "is also a folder of the match"),
            ("same", "same", "out", "is also --report"),
            ("engine", "g.pgn", "out", "is also a file of an engine"),
            ("r.html", "net.bin", "out", "is also a file of an engine"),
            ("book", "g.pgn", "out", "is also --openings"),
            ("cup.toml", "g.pgn", "out", "is also --config"),
            ("r.html", "g.pgn", "book", "is not a folder"),
        ] {
            let refused = check(report, pgn, out).unwrap_err();
            assert!(refused.contains(said), "{report} {pgn} {out}: {refused}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
