//! Which files an analysis may write: checked before the first search, so that no output destroys an input, another
//! output, or a file that Kaeshi did not make.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::bail;

use super::annotate;
use super::plan::{AnalysisPlan, HEAD_BYTES, is_report, is_summary};
use kaeshi_core::files::is_special;
use kaeshi_system::output::{check_distinct, check_folder, check_places, is_stream};

/// The files that a run writes beside its lines.
pub struct Targets<'a> {
    /// `--output`.
    pub output: Option<&'a Path>,
    /// `--summary`.
    pub summary: Option<&'a Path>,
    /// `--report`.
    pub report: Option<&'a Path>,
    /// `--annotate`.
    pub annotate: Option<&'a Path>,
    /// `--overwrite`.
    pub overwrite: bool,
    /// `--resume`: annotated records of the run before are replaced.
    pub resume: bool,
}

impl Targets<'_> {
    /// Whether all of them may be written. `others` are files that the run reads beside the inputs of the plan, or
    /// keeps, with the option that names them.
    ///
    /// # Errors
    /// An output is an input or another output, or holds something else and `--overwrite` is missing.
    pub fn check<'p>(
        &self,
        plan: &'p AnalysisPlan,
        others: impl IntoIterator<Item = (&'static str, &'p Path)>,
    ) -> anyhow::Result<()> {
        let annotated = self.annotate.map(|folder| annotate::targets(plan, folder)).unwrap_or_default();
        let inputs = plan.paths.values().map(|path| ("an input", path.as_path()));
        let read: Vec<(&str, &Path)> = inputs.chain(others).collect();
        // An output that goes on is read as one.
        let output = self.output.filter(|_| !self.resume);
        let named = [("--output", output), ("--summary", self.summary), ("--report", self.report)];
        let mut written: Vec<(&str, &Path)> =
            named.into_iter().filter_map(|(option, path)| Some((option, path?))).collect();
        check_places(&written)?;
        if let Some(folder) = self.annotate {
            check_folder("--annotate", folder)?;
        }
        let mut annotated_inputs = annotated.keys().filter_map(|source: &usize| plan.paths.get(source));
        if let Some(path) = annotated_inputs.find(|path| is_special(path)) {
            bail!("--annotate: {} is no regular file, and cannot be read a second time", path.display());
        }
        written.extend(annotated.values().map(|path| ("--annotate", path.as_path())));
        check_distinct(&read, &written)?;
        if self.overwrite {
            return Ok(());
        }
        let kinds = [(self.summary, is_summary as fn(&[u8]) -> bool), (self.report, is_report)];
        for (path, is_former) in kinds.into_iter().filter_map(|(path, is_former)| Some((path?, is_former))) {
            // What cannot be read is not known to be a former one.
            let is_free = is_stream(path)
                || !path.exists()
                || head(path).is_ok_and(|head| head.is_empty() || is_former(&head));
            if !is_free {
                bail!("{} holds something else; --overwrite replaces it", path.display());
            }
        }
        match annotated.values().find(|path| !self.resume && path.exists()) {
            Some(path) => bail!("{} exists; --overwrite replaces it", path.display()),
            None => Ok(()),
        }
    }
}

/// The first [`HEAD_BYTES`] of a file.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}
