//! `kaeshi analyse merge`: the outputs of all shards as one, equal to that of an undivided run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::line::AnalysisLine;
use super::output::{self, AnalysisOutput};
use kaeshi_core::files::{self, FileKind};
use kaeshi_system::output::check_no_input;

/// Put the outputs of shards together, in order, and check that nothing is missing.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Outputs of the shards
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where to write; stdout without it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace an output that exists
    #[arg(long)]
    pub overwrite: bool,
    /// Accept missing lines
    #[arg(long)]
    pub partial: bool,
}

impl MergeArgs {
    /// Writes the lines of all files in order; duplicates once.
    ///
    /// # Errors
    /// If lines are missing, contradict each other, or belong to different work.
    pub fn run(self) -> anyhow::Result<()> {
        let mut whole = Merge::default();
        for file in &self.files {
            let bytes = files::read_piped(file, FileKind::ANALYSIS)
                .with_context(|| format!("cannot read {}", file.display()))?;
            whole.add(&bytes).with_context(|| format!("in {}", file.display()))?;
        }
        whole.check(self.partial)?;
        if let Some(path) = &self.output {
            check_no_input(&self.files, ("--output", path))?;
        }
        let mut out = match &self.output {
            Some(path) => AnalysisOutput::create(path, false, self.overwrite)?,
            None => AnalysisOutput::stdout(false)?,
        };
        whole.write(&mut out)
    }
}

/// The lines seen so far.
#[derive(Debug, Default)]
pub struct Merge {
    lines: BTreeMap<u64, AnalysisLine>,
    of: Option<u64>,
}

impl Merge {
    /// Adds the lines of one output.
    ///
    /// # Errors
    /// If they do not fit those that are there.
    pub fn add(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        for line in output::parse(bytes)?.0 {
            let origin = line.origin();
            let (number, of) = (origin.n, origin.of);
            if *self.of.get_or_insert(of) != of {
                bail!("a line is one of {of}, others are of {}: other inputs?", self.of.unwrap_or(0));
            }
            match self.lines.entry(number) {
                Entry::Vacant(free) => {
                    free.insert(line);
                }
                Entry::Occupied(there) if there.get().mark() == line.mark() => {}
                Entry::Occupied(_) => bail!("line number {number} is there twice, with different content"),
            }
        }
        Ok(())
    }

    /// Writes all lines in order.
    ///
    /// # Errors
    /// If the disk or the reader refuses.
    pub fn write(&self, out: &mut AnalysisOutput) -> anyhow::Result<()> {
        self.lines.values().try_for_each(|line| out.write(line))
    }

    /// Whether every line is there.
    ///
    /// # Errors
    /// If not, and not `partial`.
    pub fn check(&self, partial: bool) -> anyhow::Result<()> {
        let of = self.of.unwrap_or(0);
        if let Some(number) = self.lines.keys().find(|&&number| number == 0 || number > of) {
            bail!("line number {number} of {of}?");
        }
        // The numbers that are there lie between 1 and `of`, which a damaged file may say to be huge.
        let missing = of - self.lines.len() as u64;
        if missing == 0 || partial {
            return Ok(());
        }
        let absent = (1..=of).filter(|number| !self.lines.contains_key(number));
        let first: Vec<String> = absent.take(5).map(|number| number.to_string()).collect();
        let more = if missing > 5 { ", …" } else { "" };
        bail!("{missing} of {of} lines are missing: {}{more} (--partial puts up with it)", first.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::line::{ErrorLine, PositionOrigin, SCHEMA};

    fn line(n: u64, of: u64, error: &str) -> Vec<u8> {
        let origin = PositionOrigin { n, of, ..PositionOrigin::default() };
        AnalysisLine::Error(ErrorLine { v: SCHEMA, origin, error: error.into() }).json().into_bytes()
    }

    #[test]
    fn shards_become_one_in_order_and_duplicates_are_dropped() {
        let mut whole = Merge::default();
        for n in [2, 3, 1, 3] {
            whole.add(&line(n, 3, "e")).unwrap();
        }
        whole.check(false).unwrap();
        assert_eq!(whole.lines.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut whole = Merge::default();
        whole.add(&line(1, 3, "e")).unwrap();
        assert!(whole.add(&line(1, 3, "other")).unwrap_err().to_string().contains("twice"));
        assert!(whole.add(&line(2, 4, "e")).unwrap_err().to_string().contains("other inputs"));
        let missing = whole.check(false).unwrap_err().to_string();
        assert!(missing.contains("2 of 3 lines are missing: 2, 3"), "{missing}");
        whole.check(true).unwrap();
        let mut wild = Merge::default();
        wild.add(&line(5, 3, "e")).unwrap();
        assert!(wild.check(true).is_err());
    }
}
