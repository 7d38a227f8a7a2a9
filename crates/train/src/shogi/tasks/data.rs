//! Files of positions for training: converted, counted, shuffled, deduplicated, searched again and compared with
//! evaluations, in bounded memory.

mod errors;
mod parts;
mod records;
mod rescore;
mod sample;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::tasks::GameTask;
use crate::tasks::data::{DataAction, DataOptions};
use kaeshi_core::random::{SplitMix, mix};
use kaeshi_learn::shogi::dataset;
use kaeshi_learn::shogi::labelled::{LabelledFormat, POSITION};
use kaeshi_learn::shogi::record::EXTENSION;
use kaeshi_shogi::evaluate::Evaluation;
use kaeshi_system::output::{WholeFile, check_no_input, print, progress_bar};
use parts::ShuffleParts;
use records::Records;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiDataOptions {
    /// With rescore: nodes after which no deeper search of a position begins [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Option<u64>,
    /// With rescore: search only this number of positions, drawn by chance [default: all]. With errors: compare at
    /// most this number of quiet positions [default: 100000]
    #[arg(long, value_name = "POSITIONS", value_parser = sample_size)]
    sample: Option<usize>,
    /// With rescore and errors: the evaluation, a file, `embedded`, `hand` or `article`; given several times,
    /// errors compares them [default: embedded]
    #[arg(long, value_name = "NAME")]
    evaluation: Vec<String>,
    /// With rescore and errors: threads [default: 1]
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
}

/// Positions that a sample can have: each takes some 60 bytes.
const MOST_SAMPLED: usize = 50_000_000;
/// Threads that searches can have.
const MOST_THREADS: usize = 1_024;

fn sample_size(text: &str) -> Result<usize, String> {
    within(text, MOST_SAMPLED)
}

fn threads(text: &str) -> Result<usize, String> {
    within(text, MOST_THREADS)
}

/// A number from 1 to `most`.
fn within(text: &str, most: usize) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("a number from 1 to {most} is wanted"))
}

impl ShogiDataOptions {
    /// The evaluations with their names.
    fn evaluations(&self) -> anyhow::Result<Vec<(String, Evaluation)>> {
        let names =
            if self.evaluation.is_empty() { vec![EMBEDDED.to_owned()] } else { self.evaluation.clone() };
        let named = |name: String| {
            if name.is_empty() {
                bail!("--evaluation: a name is wanted: embedded, hand, article or that of a file");
            }
            let evaluation = Evaluation::named(&name)
                .with_context(|| format!("--evaluation {name}: not embedded, hand or article, so a file"))?;
            Ok((name, evaluation))
        };
        names.into_iter().map(named).collect()
    }

    /// The evaluation, where there can be but one.
    fn single_evaluation(&self) -> anyhow::Result<Evaluation> {
        let mut evaluations = self.evaluations()?;
        match (evaluations.pop(), evaluations.is_empty()) {
            (Some((_, evaluation)), true) => Ok(evaluation),
            _ => bail!("--evaluation: rescore searches with one"),
        }
    }

    /// Refuses options that the action does not have.
    fn check(&self, common: &DataOptions) -> anyhow::Result<()> {
        let action = common.action;
        let writes = !matches!(action, DataAction::Errors | DataAction::Count);
        let searches = action == DataAction::Rescore;
        let values = searches || action == DataAction::Errors;
        for (given, known, name) in [
            (self.nodes.is_some(), searches, "--nodes"),
            (self.sample.is_some(), values, "--sample"),
            (!self.evaluation.is_empty(), values, "--evaluation"),
            (self.threads.is_some(), values, "--threads"),
            (common.out.is_some(), writes, "--out"),
        ] {
            if given && !known {
                bail!("{name}: {} has no such option", action.name());
            }
        }
        Ok(())
    }
}

/// The evaluation that comes with the program.
const EMBEDDED: &str = "embedded";

impl GameTask<DataOptions> for ShogiDataOptions {
    fn run(&self, common: &DataOptions) -> anyhow::Result<ExitCode> {
        let files = listed(&common.files)?;
        if let Some(out) = &common.out {
            check_no_input(&files, ("--out", out))?;
        }
        self.check(common)?;
        match common.action {
            DataAction::Rescore => rescore::rescore(&files, common, self)?,
            DataAction::Errors => errors::errors(&files, common, self)?,
            DataAction::Count => count(&files)?,
            DataAction::Convert => convert(&files, common)?,
            DataAction::Shuffle => shuffle(&files, common)?,
            DataAction::Unique => unique(&files, common)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The files, and those of games in the folders.
///
/// # Errors
/// A folder cannot be read, or has no games.
fn listed(given: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        let mut inside = dataset::files(std::slice::from_ref(path)).context("cannot list the files")?;
        if inside.is_empty() {
            bail!(
                "{}: no games (.{EXTENSION}) are in this folder; files of positions are named one by one",
                path.display()
            );
        }
        files.append(&mut inside);
    }
    Ok(files)
}

/// Counts of the records of some files.
#[derive(Debug, Default, PartialEq)]
struct RecordCounts {
    positions: u64,
    /// Won, drawn, lost by the side to move.
    results: [u64; 3],
    in_check: u64,
    mates: u64,
    /// Sum of the absolute values that are no mates.
    sum: u64,
}

/// From this value on it is a mate.
const MATE: u16 = 31_000;

fn count(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut counts = RecordCounts::default();
    let bar = progress_bar(records::bytes(files)?, "bytes");
    Records { files, bar: &bar }.labelled(|sample| {
        counts.positions += 1;
        counts.results[(1 - sample.result) as usize] += 1;
        counts.in_check += u64::from(sample.position.in_check());
        match sample.value.unsigned_abs() {
            MATE.. => counts.mates += 1,
            value => counts.sum += u64::from(value),
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let RecordCounts { positions, results: [won, drawn, lost], in_check, mates, sum } = counts;
    print(format_args!("positions        {positions}"))?;
    print(format_args!("side to move     won {won}, drawn {drawn}, lost {lost}"))?;
    print(format_args!("in check         {in_check}"))?;
    print(format_args!("value a mate     {mates}"))?;
    Ok(print(format_args!(
        "mean of values   {:.1} without their signs",
        sum as f64 / (positions - mates).max(1) as f64
    ))?)
}

fn convert(files: &[PathBuf], common: &DataOptions) -> anyhow::Result<()> {
    let form = LabelledFormat::of(common.out()?)?;
    let mut out = WholeFile::create(common.out()?)?;
    let mut positions = 0_u64;
    let bar = progress_bar(records::bytes(files)?, "bytes");
    let mut record = Vec::with_capacity(form.size());
    Records { files, bar: &bar }.labelled(|sample| {
        record.clear();
        form.write(&sample, &mut record)?;
        positions += 1;
        Ok(out.write_all(&record)?)
    })?;
    bar.finish_and_clear();
    out.finish()?;
    Ok(print(format_args!("{positions} positions"))?)
}

/// The files' records in the form of --out, sorted into parts by what `part` draws from a position.
fn sorted(
    files: &[PathBuf],
    common: &DataOptions,
    mut part: impl FnMut(&[u8]) -> u64,
) -> anyhow::Result<(LabelledFormat, ShuffleParts)> {
    let out = common.out()?;
    let form = LabelledFormat::of(out)?;
    let mut parts = ShuffleParts::create(out, records::bytes_as(files, form)?, common.memory)?;
    let bar = progress_bar(records::bytes(files)?, "bytes");
    Records { files, bar: &bar }.packed(form, |record| {
        let drawn = part(record.get(..POSITION).unwrap_or_default());
        parts.put(drawn, record)
    })?;
    bar.finish_and_clear();
    Ok((form, parts))
}

/// Each record goes into a part by lot, and each part is shuffled: every order is as likely as any other.
fn shuffle(files: &[PathBuf], common: &DataOptions) -> anyhow::Result<()> {
    let mut random = SplitMix::new(common.seed);
    let mut lots = SplitMix::new(mix(common.seed.wrapping_add(1)));
    let (form, parts) = sorted(files, common, |_| lots.draw())?;
    let mut out = WholeFile::create(common.out()?)?;
    let mut positions = 0;
    parts.read_back(|bytes| {
        let mut records: Vec<&[u8]> = bytes.chunks_exact(form.size()).collect();
        for last in (1..records.len()).rev() {
            records.swap(last, random.below(last as u32 + 1) as usize);
        }
        positions += records.len();
        Ok(records.into_iter().try_for_each(|record| out.write_all(record))?)
    })?;
    out.finish()?;
    Ok(print(format_args!("{positions} positions"))?)
}

/// Equal positions go into one part, where the first record of each is kept.
fn unique(files: &[PathBuf], common: &DataOptions) -> anyhow::Result<()> {
    let hash = |position: &[u8]| position.iter().fold(0, |hash, &byte| mix(hash ^ u64::from(byte)));
    let (form, parts) = sorted(files, common, hash)?;
    let mut out = WholeFile::create(common.out()?)?;
    let (mut kept, mut dropped) = (0_u64, 0_u64);
    parts.read_back(|bytes| {
        let mut seen = HashSet::new();
        for record in bytes.chunks_exact(form.size()) {
            if seen.insert(record.get(..POSITION)) {
                out.write_all(record)?;
                kept += 1;
            } else {
                dropped += 1;
            }
        }
        Ok(())
    })?;
    out.finish()?;
    Ok(print(format_args!("{kept} positions, {dropped} left out that came before"))?)
}

#[cfg(test)]
mod tests;
