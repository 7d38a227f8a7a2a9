//! Files of positions for training: converted, counted, shuffled, deduplicated, in bounded memory.

mod parts;
mod records;

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
use kaeshi_system::output::{WholeFile, is_same_file, print, progress_bar};
use parts::ShuffleParts;
use records::Records;

/// Shogi has no further options.
#[derive(Debug, Default, PartialEq, clap::Args)]
pub(super) struct ShogiDataOptions {}

impl GameTask<DataOptions> for ShogiDataOptions {
    fn run(&self, common: &DataOptions) -> anyhow::Result<ExitCode> {
        let files = dataset::files(&common.files).context("cannot list the files")?;
        if let Some(out) = common.out.as_ref().filter(|out| files.iter().any(|file| is_same_file(file, out)))
        {
            bail!("--out: {} is also an input and would be lost; choose another name", out.display());
        }
        match common.action {
            DataAction::Count => count(&files)?,
            DataAction::Convert => convert(&files, common)?,
            DataAction::Shuffle => shuffle(&files, common)?,
            DataAction::Unique => unique(&files, common)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What the records of some files say.
#[derive(Debug, Default, PartialEq)]
struct RecordCounts {
    positions: u64,
    /// Won, drawn, lost by the side to move.
    results: [u64; 3],
    in_check: u64,
    mates: u64,
    /// Of the values that are no mates, without their signs.
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
