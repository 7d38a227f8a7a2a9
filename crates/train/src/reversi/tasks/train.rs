//! Training of Reversi: pattern weights, and the widths of ProbCut.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::tasks::GameTask;
use crate::tasks::train::{NO_GAMES, TrainOptions};
use kaeshi_learn::reversi::network::{self, NetworkEpoch, NetworkHyperparameters};
use kaeshi_learn::reversi::train::{DAMPING, ReversiHyperparameters, StageFit, fit};
use kaeshi_learn::reversi::{calibrate, record};
use kaeshi_learn::selfplay::files;
use kaeshi_learn::threads;
use kaeshi_reversi::evaluate::weights::{ReversiWeights, STAGES};
use kaeshi_system::output::{progress_bar, say, write_whole};
use kaeshi_system::stop_signal::{self, OnSignal};

/// Epochs, lambda and weight of the result.
const DEFAULTS: (u16, f32, f32) = (10, 0.0, 0.3);
/// Defaults with `--pattern-network`: epochs, λ, weight of the result.
const NETWORK_DEFAULTS: (u16, f32, f32) = (8, 0.8, 0.0);
const STEP: u32 = 1000;
/// Weights beside a network are multiples of two to this power, 1/32 disc, so that their file is small.
const ZERO_BITS: u32 = 2;

/// The options of Reversi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Reversi")]
pub(super) struct ReversiTrainOptions {
    /// Instead of fitting weights, compare searches of up to N plies with the shallow ones of
    /// ProbCut, and print the fitted deviation; --out then receives the comparisons as text
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(3..=16))]
    probcut: Option<u32>,
    /// With --probcut, take one position in N [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    step: Option<u32>,
    /// Begin with this evaluation, or, with --probcut, compare its searches: a file, or `embedded`
    #[arg(long, value_name = "WEIGHTS")]
    start: Option<String>,
    /// How slowly the weights move, in squared discs [default: 400]
    #[arg(long)]
    damping: Option<f32>,
    /// Keep the weights that --start names [default: embedded], rounded to 1/32 disc, and train the
    /// network whose value is added to theirs; by default with 8 epochs, a lambda of 0.8 and 0 for
    /// the result
    #[arg(long, conflicts_with_all = ["probcut", "damping"])]
    pattern_network: bool,
}

impl GameTask<TrainOptions> for ReversiTrainOptions {
    fn run(&self, common: &TrainOptions) -> anyhow::Result<ExitCode> {
        // Nothing is written before the end.
        stop_signal::listen(OnSignal::Exit);
        common.check_start("--start", self.start.as_deref().map(Path::new))?;
        let recipe = self.recipe(common)?;
        let mut games = Vec::new();
        for path in files(common.data()?, "krg")? {
            games.extend(record::read(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
        if games.is_empty() {
            bail!(NO_GAMES);
        }
        say(format_args!("games {}", games.len()));
        if let Some(depth) = self.probcut {
            self.calibrate(common, &games, depth)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.pattern_network {
            self.train_network(common, &games, &recipe)?;
            return Ok(ExitCode::SUCCESS);
        }
        let bar = progress_bar(STAGES as u64, "stages");
        let report = |fit: StageFit| {
            bar.inc(1);
            let StageFit { stage, samples, error, bias: [even, odd] } = fit;
            bar.suspend(|| {
                say(format_args!(
                    "stage {stage} positions {samples} error {error:.2} bias {even:+.2} {odd:+.2}"
                ));
            });
        };
        let pool = threads::pool(common.threads().into())?;
        let weights = pool.install(|| fit(&games, &recipe, report));
        bar.finish_and_clear();
        write_whole(&common.out, &weights.to_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

impl ReversiTrainOptions {
    fn recipe(&self, common: &TrainOptions) -> anyhow::Result<ReversiHyperparameters> {
        let damping = self.damping.unwrap_or(DAMPING);
        if !(1.0..=1e9).contains(&damping) {
            bail!("--damping {damping} lies outside 1 to 1e9");
        }
        let (epochs, lambda, result) = if self.pattern_network { NETWORK_DEFAULTS } else { DEFAULTS };
        Ok(ReversiHyperparameters {
            start: self.start.as_deref().map(ReversiWeights::named).transpose()?,
            damping,
            later: common.lambda(lambda)?,
            epochs: usize::from(common.epochs.unwrap_or(epochs)),
            result: common.result(result)?,
        })
    }

    fn train_network(
        &self,
        common: &TrainOptions,
        games: &[record::ReversiGameRecord],
        recipe: &ReversiHyperparameters,
    ) -> anyhow::Result<()> {
        let weights = recipe.start.clone().map_or_else(|| ReversiWeights::named("embedded"), Ok)?;
        let weights = (*weights).clone().with_network(None).rounded(ZERO_BITS);
        if weights.is_by_hand() {
            bail!("--pattern-network needs trained weights in --start, not the hand-crafted evaluation");
        }
        let recipe = NetworkHyperparameters {
            epochs: recipe.epochs,
            later: recipe.later,
            result: recipe.result,
            seed: common.seed.unwrap_or(1),
        };
        let bar = progress_bar((network::positions(games) * recipe.epochs) as u64, "positions");
        let report = |NetworkEpoch { training, validation, without, positions: [learned, held_out] }| {
            bar.suspend(|| {
                say(format_args!(
                    "positions {learned} error {training:.4} held out {held_out} error {validation:.4} without \
                     network {without:.4}"
                ));
            });
        };
        let pool = threads::pool(common.threads().into())?;
        let network = pool
            .install(|| network::fit(games, &weights, &recipe, report, |learned| bar.inc(learned as u64)))?;
        bar.finish_and_clear();
        write_whole(&common.out, &weights.with_network(Some(network)).to_bytes())?;
        Ok(())
    }

    fn calibrate(
        &self,
        common: &TrainOptions,
        games: &[record::ReversiGameRecord],
        depth: u32,
    ) -> anyhow::Result<()> {
        let weights = ReversiWeights::named(self.start.as_deref().unwrap_or("embedded"))?;
        let step = self.step.unwrap_or(STEP) as usize;
        let comparisons = calibrate::compare(games, &weights, depth, step)?;
        let mut text = String::from("empties depth reduced difference\n");
        for c in &comparisons {
            text += &format!("{} {} {} {}\n", c.empties, c.depth, c.reduced, c.difference);
        }
        write_whole(&common.out, text.as_bytes())?;
        let [constant, empties, deep, shallow] = calibrate::fit(&comparisons);
        say(format_args!("comparisons {}", comparisons.len()));
        say(format_args!(
            "deviation {constant:.4} {empties:+.4} * empties {deep:+.4} * depth {shallow:+.4} * reduced"
        ));
        Ok(())
    }
}
