//! Where the lines go: stdout or a file that an interrupted run can go on with.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

use super::effort::AnalysisEffort;
use super::line::{AnalysisLine, CSV_HEAD, SCHEMA};
use kaeshi_core::files::{self, FileKind};
use kaeshi_system::checksummed_json::{self, Seal};
use kaeshi_system::output::{Stdout, is_stream, open_stream, open_to_append, shorten};

/// Marks of lines that are written already.
#[derive(Debug, Default)]
pub struct Marks(HashSet<u128>);

impl Marks {
    /// The marks of these lines.
    pub fn of(lines: &[AnalysisLine]) -> Marks {
        Marks(lines.iter().map(AnalysisLine::mark).collect())
    }

    /// Whether a line with this mark is there.
    pub fn contains(&self, mark: u128) -> bool {
        self.0.contains(&mark)
    }
}

/// The stream of lines.
pub struct AnalysisOutput {
    out: Box<dyn Write + Send>,
    /// As messages call it.
    name: String,
    csv: bool,
    /// Whether lines of JSON get a checksum.
    sealed: bool,
}

impl AnalysisOutput {
    /// Stdout.
    ///
    /// # Errors
    /// If the reader is gone.
    pub fn stdout(csv: bool) -> anyhow::Result<AnalysisOutput> {
        AnalysisOutput::begin(Box::new(Stdout), "the output".to_owned(), csv, true)
    }

    /// A new file; one that holds something already is left alone unless `overwrite`. A device or a pipe is written as
    /// the lines come.
    ///
    /// # Errors
    /// If it cannot be written, or must not.
    pub fn create(path: &Path, csv: bool, overwrite: bool) -> anyhow::Result<AnalysisOutput> {
        let name = path.display().to_string();
        if is_stream(path) {
            let file = open_stream(path).with_context(|| format!("cannot write {name}"))?;
            return AnalysisOutput::begin(Box::new(file), name, csv, true);
        }
        let mut file = lock(path)?;
        let length = file.metadata().with_context(|| format!("cannot read {name}"))?.len();
        if length > 0 && !overwrite {
            bail!("{} holds something already: --resume continues it, --overwrite drops it", path.display());
        }
        shorten(&mut file, 0).with_context(|| format!("cannot empty {name}"))?;
        AnalysisOutput::begin(Box::new(file), name, csv, true)
    }

    /// A file that an earlier run has begun, and its lines. A torn last line is cut off.
    ///
    /// # Errors
    /// If it cannot be written, or holds something else.
    pub fn resume(path: &Path) -> anyhow::Result<(AnalysisOutput, Vec<AnalysisLine>)> {
        if is_stream(path) {
            bail!("{} is no regular file: there is nothing to resume", path.display());
        }
        let mut file = lock(path)?;
        let bytes = files::read_opened(&mut file, FileKind::ANALYSIS)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let (lines, good) = parse(&bytes).with_context(|| format!("in {}", path.display()))?;
        check_unique(&lines).with_context(|| format!("in {}", path.display()))?;
        let name = path.display().to_string();
        shorten(&mut file, good as u64).with_context(|| format!("cannot cut the torn end off {name}"))?;
        let mut output = AnalysisOutput::begin(Box::new(file), name, false, false)?;
        // A file of version 0.1 goes on as it was.
        output.sealed = good == 0 || first_seal(&bytes) != Seal::Missing;
        Ok((output, lines))
    }

    fn begin(
        out: Box<dyn Write + Send>,
        name: String,
        csv: bool,
        head: bool,
    ) -> anyhow::Result<AnalysisOutput> {
        let mut output = AnalysisOutput { out, name, csv, sealed: true };
        if csv && head {
            output.raw(&format!("{CSV_HEAD}\n"))?;
        }
        Ok(output)
    }

    /// Writes a line and flushes it.
    ///
    /// # Errors
    /// If the disk or the reader refuses.
    pub fn write(&mut self, line: &AnalysisLine) -> anyhow::Result<()> {
        let text = match self {
            AnalysisOutput { csv: true, .. } => line.csv(),
            AnalysisOutput { sealed: true, .. } => line.sealed(),
            _ => line.json(),
        };
        self.raw(&text)
    }

    fn raw(&mut self, text: &str) -> anyhow::Result<()> {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        written.with_context(|| format!("cannot write {}", self.name))
    }
}

/// Opens a file for appending, held against a second run.
fn lock(path: &Path) -> anyhow::Result<File> {
    let shown = path.display();
    let file = open_to_append(path).with_context(|| format!("cannot write {shown}"))?;
    match kaeshi_system::lock::lock(&file) {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => bail!("another run is writing {shown}"),
        // Some file systems know no locks.
        Err(std::fs::TryLockError::Error(_)) => Ok(file),
    }
}

/// The lines of an output, and how many of its bytes are whole lines.
///
/// # Errors
/// If a line before the last one is damaged.
pub fn parse(bytes: &[u8]) -> anyhow::Result<(Vec<AnalysisLine>, usize)> {
    let mut lines = Vec::new();
    let mut good = 0;
    let mut rest = bytes;
    // Version 0.1 wrote no checksums; no file has them in some of its lines only.
    let unsealed = first_seal(bytes) == Seal::Missing;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        let whole = (checksummed_json::look(&line[..end]) == Seal::Whole) != unsealed;
        match serde_json::from_slice::<AnalysisLine>(line) {
            Ok(line) if whole => lines.push(line),
            // Behind lines of an analysis it is the end of an interrupted write.
            _ if after.is_empty() && !lines.is_empty() => break,
            Ok(_) => bail!(
                "line {} was changed since it was written: its checksum is another one; without that line, or \
                 with the field crc taken out of all of them, the file is read",
                lines.len() + 1
            ),
            Err(error) => bail!("line {} is no line of an analysis: {error}", lines.len() + 1),
        }
        let version = match &lines[lines.len() - 1] {
            AnalysisLine::Error(line) => line.v,
            AnalysisLine::Position(line) => line.v,
        };
        if version != SCHEMA {
            bail!("line {} has schema {version}; this program knows {SCHEMA}", lines.len());
        }
        good += line.len();
        rest = after;
    }
    let begun = &rest[..rest.len().min(LINE_BEGIN.len())];
    if lines.is_empty() && !LINE_BEGIN.starts_with(begun) {
        bail!("line 1 is no line of an analysis");
    }
    Ok((lines, good))
}

/// Checks that no line is there twice, as where a part of the file was copied. Numbers of lines count, too: former
/// versions answered a request that names a turn several times.
fn check_unique(lines: &[AnalysisLine]) -> anyhow::Result<()> {
    let mut seen = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        let origin = line.origin();
        if let Some(first) = seen.insert((origin.n, origin.of, line.mark()), index) {
            bail!("line {} is line {} once more: without it, the file is read", index + 1, first + 1);
        }
    }
    Ok(())
}

/// The beginning of every line.
const LINE_BEGIN: &[u8] = b"{\"v\":";

fn first_seal(bytes: &[u8]) -> Seal {
    checksummed_json::look(bytes.split(|&byte| byte == b'\n').next().unwrap_or_default())
}

/// Positions that were analysed in other outputs, for `--skip-done`.
#[derive(Debug, Default)]
pub struct DonePositions(HashMap<String, Vec<AnalysisEffort>>);

impl DonePositions {
    /// Adds the positions of an output.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn add(&mut self, path: &Path) -> anyhow::Result<()> {
        let bytes = files::read_piped(path, FileKind::ANALYSIS)
            .with_context(|| format!("cannot read {}", path.display()))?;
        for line in parse(&bytes).with_context(|| format!("in {}", path.display()))?.0 {
            if let AnalysisLine::Position(line) = line
                && let Ok(effort) = line.effort.parse()
            {
                self.0.entry(line.key.clone()).or_default().push(effort);
            }
        }
        Ok(())
    }

    /// Whether the position with this key was given this effort, or more.
    pub fn covers(&self, key: &str, effort: AnalysisEffort) -> bool {
        self.0.get(key).is_some_and(|efforts| efforts.iter().any(|have| have.covers(effort)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::line::{ErrorLine, PositionOrigin};

    fn line(n: u64) -> AnalysisLine {
        let origin = PositionOrigin { n, source: "s".into(), line: n as usize, ..PositionOrigin::default() };
        AnalysisLine::Error(ErrorLine { v: SCHEMA, origin, error: "e".into() })
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_the_rest_kept() {
        let text = line(1).json() + &line(2).json();
        for cut in 0..=text.len() {
            let (lines, good) = parse(&text.as_bytes()[..cut]).unwrap();
            let whole = text[..cut].matches('\n').count();
            assert_eq!(lines.len(), whole);
            assert_eq!(good, text[..cut].rfind('\n').map_or(0, |at| at + 1));
        }
        let damaged = line(1).json() + "{\"v\":1,\n" + &line(2).json();
        assert!(parse(damaged.as_bytes()).unwrap_err().to_string().contains("line 2"));
        let torn = line(1).json() + "{\"v\":1,\n";
        assert_eq!(parse(torn.as_bytes()).unwrap().0.len(), 1);
    }

    #[test]
    fn a_file_goes_on_where_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let mut out = AnalysisOutput::create(&path, false, false).unwrap();
        out.write(&line(1)).unwrap();
        out.raw("{\"torn").unwrap();
        assert!(
            AnalysisOutput::create(&path, false, true).err().unwrap().to_string().contains("another run")
        );
        drop(out);
        assert!(AnalysisOutput::create(&path, false, false).err().unwrap().to_string().contains("--resume"));
        let (mut out, lines) = AnalysisOutput::resume(&path).unwrap();
        assert_eq!(lines, [line(1)]);
        out.write(&line(2)).unwrap();
        drop(out);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), line(1).sealed() + &line(2).sealed());
    }

    #[test]
    fn a_line_that_is_there_twice_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        std::fs::write(&path, [line(1), line(2), line(3), line(2)].map(|line| line.sealed()).concat())
            .unwrap();
        let refused = format!("{:#}", AnalysisOutput::resume(&path).err().unwrap());
        assert!(refused.contains("line 4 is line 2 once more"), "{refused}");
    }

    #[test]
    fn a_flipped_bit_in_any_line_but_the_last_is_refused() {
        let lines: Vec<String> = (1..=3).map(|n| line(n).sealed()).collect();
        let whole = lines.concat();
        for bit in 0..8 * whole.len() {
            let mut damaged = whole.clone().into_bytes();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // What is last, and be it two lines without a break between them, is taken for torn and made again.
            let last = bit / 8 + 1 >= lines[0].len() + lines[1].len();
            match parse(&damaged) {
                Ok((read, _)) => assert!(last && (read == [line(1)] || read == [line(1), line(2)]), "{bit}"),
                Err(_) => assert!(!last, "bit {bit}"),
            }
        }
    }

    /// Version 0.1 wrote none.
    #[test]
    fn a_file_without_checksums_goes_on_without() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        std::fs::write(&path, line(1).json()).unwrap();
        let (mut out, lines) = AnalysisOutput::resume(&path).unwrap();
        assert_eq!(lines, [line(1)]);
        out.write(&line(2)).unwrap();
        drop(out);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), line(1).json() + &line(2).json());
        assert!(parse((line(1).json() + &line(2).sealed() + &line(3).json()).as_bytes()).is_err());
    }
}
