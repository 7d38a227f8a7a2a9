//! Training of Sygo: the parameters that its weights are made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::network::NetworkTrainConfig;
use crate::tasks::GameTask;
use crate::tasks::spsa::{BATCH, TuningRun, TuningSubject};
use crate::tasks::train::TrainOptions;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_learn::sygo::train::pair;
use kaeshi_statistics::spsa::SpsaPace;
use kaeshi_sygo::SygoSearchMethod;
use kaeshi_sygo::evaluate::parameters::{PARAMETERS, Values, start, weights};
use kaeshi_sygo::evaluate::{SIZE_CLASSES, size_class};
use kaeshi_sygo::rules::points::{SIZE_MAX, SIZE_MIN};
use kaeshi_system::output::{beside, say, write_whole};

const SIZE: usize = 9;
const ITERATION: u16 = 2;
const PAIRS: u64 = 3_000;
const PACE: SpsaPace = SpsaPace { stride: 0.1, stability: 300.0, memory: 400.0 };
/// The size classes by the largest board of each.
const CLASSES: [&str; SIZE_CLASSES] = ["10x10", "15x15", "19x19"];

/// The options of Sygo alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Sygo")]
pub(super) struct SygoTrainOptions {
    /// Board size of the games; the parameters of its size class are tuned [default: 9]
    #[arg(long, value_parser = clap::value_parser!(u16).range(SIZE_MIN as i64..=SIZE_MAX as i64))]
    size: Option<u16>,
    /// Iteration of the search that decides a turn [default: 2]
    #[arg(long, alias = "rung", value_parser = clap::value_parser!(u16).range(1..=60))]
    iteration: Option<u16>,
    /// The search that plays; few iterations of alpha-beta are quick and say much of the weights
    /// [default: alpha-beta]
    #[arg(long, value_enum)]
    searcher: Option<SygoSearchMethod>,
    /// Pairs of games [default: 3000]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Begin with these parameters (--out with .toml behind it), not with the hand-crafted ones
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// The network: begin with this file, not with a new one
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// The network: residual blocks, added to those of a file that has fewer [default: 6, or the file's]
    #[arg(long, value_parser = clap::value_parser!(u16).range(0..=32))]
    blocks: Option<u16>,
    /// The network: the highest learning rate [default: 0.002]
    #[arg(long)]
    learning_rate: Option<f32>,
}

impl GameTask<TrainOptions> for SygoTrainOptions {
    fn run(&self, common: &TrainOptions) -> anyhow::Result<ExitCode> {
        if !common.data.is_empty() {
            let tuning = self.size.is_some()
                || self.iteration.is_some()
                || self.searcher.is_some()
                || self.pairs.is_some()
                || self.parameters.is_some();
            if tuning {
                bail!(
                    "--size, --iteration, --searcher, --pairs and --parameters tune the parameters by games of their \
                     own: name no files of games"
                );
            }
            common.check_start("--network", self.network.as_deref())?;
            let blocks = self.blocks.map(usize::from);
            return NetworkTrainConfig { start: self.network.clone(), blocks, rate: self.learning_rate }
                .run(common);
        }
        if self.network.is_some() || self.blocks.is_some() || self.learning_rate.is_some() {
            bail!("--network, --blocks and --learning-rate train the network: name the files of games too");
        }
        if common.epochs.is_some() || common.lambda.is_some() || common.result.is_some() {
            bail!("--epochs, --lambda and --result need games to learn from: name their files too");
        }
        common.check_start("--parameters", self.parameters.as_deref())?;
        let begun = match &self.parameters {
            Some(path) => read(path)?,
            None => [start(); SIZE_CLASSES],
        };
        let class = Class {
            begun,
            size: self.size.map_or(SIZE, usize::from),
            iteration: self.iteration.unwrap_or(ITERATION),
            searcher: self.searcher.unwrap_or(SygoSearchMethod::AlphaBeta),
            parameters: self.parameters.clone(),
        };
        let (out, pairs) = (common.out.clone(), self.pairs.unwrap_or(PAIRS));
        let job = TuningRun { out, pairs, batch: BATCH, seed: common.seed.unwrap_or(1) };
        let tuned = job.run(&class, common.threads())?;
        say(format_args!("pairs {} size class up to {}", tuned.pairs(), CLASSES[class.class()]));
        Ok(ExitCode::SUCCESS)
    }
}

/// The parameters of one size class.
struct Class {
    /// The start values of tuning, of all classes.
    begun: [Values; SIZE_CLASSES],
    size: usize,
    iteration: u16,
    searcher: SygoSearchMethod,
    /// The file they were read from.
    parameters: Option<PathBuf>,
}

impl Class {
    fn class(&self) -> usize {
        size_class(self.size)
    }
}

fn whole(values: &[f64]) -> Values {
    std::array::from_fn(|place| values[place])
}

impl TuningSubject for Class {
    fn numbers(&self) -> Vec<(String, f64)> {
        PARAMETERS.iter().map(|parameter| (parameter.name.to_owned(), parameter.step)).collect()
    }

    fn start(&self) -> Vec<f64> {
        self.begun[self.class()].to_vec()
    }

    fn pace(&self) -> SpsaPace {
        PACE
    }

    fn terms(&self) -> String {
        // The former name of --iteration: states of former versions go on.
        let begun = self.parameters.as_ref().map(|path| format!(" --parameters {}", path.display()));
        format!(
            "--size {} --rung {} --searcher {}{}",
            self.size,
            self.iteration,
            self.searcher.name(),
            begun.unwrap_or_default()
        )
    }

    fn pair(&self, first: &[f64], second: &[f64], seed: u64) -> Result<f64, GameError> {
        pair(&whole(first), &whole(second), self.searcher, self.size, self.iteration, seed)
    }

    fn write(&self, out: &Path, values: &[f64]) -> anyhow::Result<()> {
        let mut all = self.begun;
        all[self.class()] = whole(values);
        write(out, &all)
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
    let text = files::read_text(path, FileKind::SETTINGS)
        .with_context(|| format!("cannot read {}", path.display()))?;
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

    #[test]
    fn the_weights_in_the_program_are_made_of_the_parameters_beside_them() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../weights/");
        let values = read(&PathBuf::from(folder).join("sygo.toml")).unwrap();
        assert_eq!(weights(&values).to_bytes(), include_bytes!("../../../../../weights/sygo.bin"));
    }
}
