//! Training of Sygo: the parameters that its weights are made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::sygo::evaluate::{SIZE_CLASSES, size_class};
use crate::sygo::points::{SIZE_MAX, SIZE_MIN};
use crate::sygo::train::{PARAMETERS, Plan, Values, start, tune, weights};
use crate::tools::progress_bar;
use crate::tools::train::Common;
use crate::tools::{beside, write_whole};

const SIZE: usize = 9;
const RUNG: u16 = 2;
const PAIRS: u64 = 3_000;
/// Pairs between two times that everything is written down.
const KEEP_EVERY: u64 = 50;
/// The size classes by the largest board of each.
const CLASSES: [&str; SIZE_CLASSES] = ["10x10", "15x15", "19x19"];

/// What only Sygo wants to know.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Sygo")]
pub(super) struct Options {
    /// Board size of the games; the parameters of its size class are tuned [default: 9]
    #[arg(long, value_parser = clap::value_parser!(u16).range(SIZE_MIN as i64..=SIZE_MAX as i64))]
    size: Option<u16>,
    /// Rung of the search that decides a turn [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=60))]
    rung: Option<u16>,
    /// Pairs of games [default: 3000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Begin with these parameters (--out with .toml behind it), not with those set by hand
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

impl Options {
    /// Tunes by playing; writes weights, and the parameters beside them, again and again.
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<()> {
        if !common.data.is_empty() {
            bail!("training of Sygo plays its own games and takes no files of games");
        }
        let mut values = match &self.parameters {
            Some(path) => read(path)?,
            None => [start(); SIZE_CLASSES],
        };
        let plan = Plan {
            size: self.size.map_or(SIZE, usize::from),
            rung: self.rung.unwrap_or(RUNG),
            pairs: self.pairs.unwrap_or(PAIRS),
            seed: common.seed.unwrap_or(1),
        };
        let class = size_class(plan.size);
        let bar = progress_bar(plan.pairs, "pairs of games");
        let mut kept = Ok(());
        values[class] = tune(plan, values[class], |pair, tuned| {
            bar.set_position(pair);
            if pair % KEEP_EVERY == 0 {
                let mut all = values;
                all[class] = *tuned;
                kept = write(&common.out, &all);
            }
            kept.is_ok()
        })?;
        bar.finish_and_clear();
        kept.and_then(|()| write(&common.out, &values))?;
        println!("pairs {} size class up to {}", plan.pairs, CLASSES[class]);
        Ok(())
    }
}

/// Parameters by name, by size class.
type Listed = BTreeMap<String, BTreeMap<String, f64>>;

/// Writes the weights, and the parameters beside them.
fn write(out: &Path, values: &[Values; SIZE_CLASSES]) -> anyhow::Result<()> {
    let named = |values: &Values| {
        let names = PARAMETERS.iter().map(|parameter| parameter.name.to_owned());
        names.zip(values.iter().copied()).collect()
    };
    let listed: Listed =
        CLASSES.iter().zip(values).map(|(class, values)| ((*class).to_owned(), named(values))).collect();
    write_whole(&beside(out, "toml"), toml::to_string(&listed)?.as_bytes())?;
    write_whole(out, &weights(values).to_bytes())
}

/// Reads what [`write`] wrote.
fn read(path: &Path) -> anyhow::Result<[Values; SIZE_CLASSES]> {
    let place = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(place)?;
    let listed: Listed = toml::from_str(&text).with_context(place)?;
    let mut values = [start(); SIZE_CLASSES];
    for (class, values) in CLASSES.iter().zip(&mut values) {
        let named = listed.get(*class).with_context(|| format!("{}: no [\"{class}\"]", place()))?;
        for (parameter, value) in PARAMETERS.iter().zip(values) {
            let missing = || format!("{}: [\"{class}\"] has no '{}'", place(), parameter.name);
            *value = *named.get(parameter.name).with_context(missing)?;
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("sygo.bin");
        let mut values = [start(); SIZE_CLASSES];
        values[1][3] = -12.345;
        write(&out, &values).unwrap();
        assert_eq!(read(&beside(&out, "toml")).unwrap(), values);
        std::fs::write(&out, "[\"10x10\"]\n").unwrap();
        assert!(read(&out).unwrap_err().to_string().contains("has no 'stone in a group"));
    }
}
