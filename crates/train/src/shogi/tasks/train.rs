//! Training of shogi: the network, or the hand-crafted evaluation (HCE).

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::tasks::GameTask;
use crate::tasks::train::{TrainOptions, go_on};
use kaeshi_core::files::{self, FileKind};
use kaeshi_learn::shogi::dataset::{self, Filter};
use kaeshi_learn::shogi::train::{
    Model, ModelShape, Prepared, ShogiHyperparameters, ShogiTrainer, TrainingData, mixed,
};
use kaeshi_learn::threads;
use kaeshi_shogi::network::NetworkShape;
use kaeshi_shogi::nnue::Architecture;
use kaeshi_system::output::{beside, progress_bar, remark, say, write_whole};
use kaeshi_system::stop_signal::StopSignal;
use report::TrainingReport;

const HIDDEN: usize = 64;
/// In MiB: 44 million positions.
const MEMORY: u32 = 4096;
const RESULT: f32 = 0.0;
const LAMBDA: f32 = 0.9;
/// Steps between two looks at the clock.
const STEPS: usize = 8;
/// Interval at which the state of the training is saved, from which an interrupted training resumes.
const KEEP_EVERY: Duration = Duration::from_secs(20);
/// The interval is at least this multiple of the time that saving takes.
const KEEP_SHARE: u32 = 40;

/// The options of shogi alone.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Shogi")]
pub(super) struct ShogiTrainOptions {
    /// Hidden units: 16, 32, 64, 128, 256 or 512 [default: 64]
    #[arg(long)]
    hidden: Option<usize>,
    /// King buckets: sets of input weights, selected by the square of the own king: 1, 4, 9, 15 or 45 [default: 1]
    #[arg(long, value_name = "K", conflicts_with_all = ["architecture", "hand"])]
    king_buckets: Option<usize>,
    /// Output buckets: sets of output weights, selected by the number of pieces on the board: 1, 4 or 8 [default: 1]
    #[arg(long, value_name = "B", conflicts_with_all = ["architecture", "hand"])]
    output_buckets: Option<usize>,
    /// Train a network in the form of YaneuraOu's nn.bin, such as k_p_256x2-32-32 or halfkp_256x2-32-32
    #[arg(long, value_name = "NAME", conflicts_with_all = ["hidden", "hand"])]
    architecture: Option<String>,
    /// Train the hand-crafted evaluation (HCE), not a network
    #[arg(long = "hce", alias = "hand", conflicts_with = "hidden")]
    hand: bool,
    /// Begin with these weights, or with the state (--out with .state behind it) of another training,
    /// which has more precision; fewer hidden units or buckets become more, and K+P becomes HalfKP
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Batch size: positions in one step [default: 16384]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: Option<u32>,
    /// Learning rate at the beginning [default: 0.001]
    #[arg(long)]
    rate: Option<f32>,
    /// Learning rate at the end [default: 0.000027]
    #[arg(long)]
    last_rate: Option<f32>,
    /// Weight decay of AdamW, against overfitting
    /// [default: 0.01]
    #[arg(long)]
    decay: Option<f32>,
    /// Centipawns to one in the scale of the winning chance [default: fitted to the results]
    #[arg(long)]
    scale: Option<f64>,
    /// Leave positions out that were scored higher than this [default: 3000]
    #[arg(long, value_parser = clap::value_parser!(i16).range(100..=32_000))]
    highest_score: Option<i16>,
    /// Memory in MiB for the positions to learn from; if they need more, all are kept on disk beside --out
    /// [default: 4096]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
}

impl GameTask<TrainOptions> for ShogiTrainOptions {
    fn run(&self, common: &TrainOptions) -> anyhow::Result<ExitCode> {
        let recipe = self.recipe(common)?;
        common.check_start("--from", self.from.as_deref().map(Path::new))?;
        let from = self.from.as_deref().map(model).transpose()?;
        let lambda = common.lambda(LAMBDA)?;
        let threads = usize::from(common.threads());
        let given = common.data()?;
        if let Some(path) = given.iter().find(|path| common.lambda.is_some() && dataset::form(path).is_some())
        {
            let text = "its positions hold no values of later plies, --lambda does not apply to them";
            remark(format_args!("kaeshi: {}: {text}", path.display()));
        }
        let (data, counts) = self.read(given, &common.out, recipe.shape, lambda, threads)?;
        let mut trainer = ShogiTrainer::new(recipe.clone(), &data, from.as_ref(), threads)?;
        let kept = beside(&common.out, "state");
        if go_on(&kept, |bytes| trainer.resume(bytes))? {
            say(format_args!("going on after epoch {}", trainer.epochs().len()));
        }
        say(format_args!(
            "scale {:.0}, error of a constant {:.6}",
            trainer.scale(),
            trainer.constant_error()
        ));
        train(&mut trainer, &kept)?;

        write_whole(&common.out, &trainer.to_file())?;
        let report = TrainingReport { recipe: &recipe, lambda, counts, trainer: &trainer };
        write_whole(&beside(&common.out, "txt"), report.text().as_bytes())?;
        write_whole(&beside(&common.out, "svg"), report.chart().as_bytes())?;
        say(format_args!("error after rounding {:.6}", trainer.rounded_error()));
        Ok(ExitCode::SUCCESS)
    }
}

impl ShogiTrainOptions {
    fn recipe(&self, common: &TrainOptions) -> anyhow::Result<ShogiHyperparameters> {
        let usual = ShogiHyperparameters::default();
        let recipe = ShogiHyperparameters {
            shape: match (self.hand, self.hidden, &self.architecture) {
                (true, _, _) => ModelShape::Hce,
                (_, _, Some(name)) => ModelShape::Nnue(Architecture::named(name)?),
                (_, width, _) => ModelShape::Network(NetworkShape {
                    width: width.unwrap_or(HIDDEN),
                    king_buckets: self.king_buckets.unwrap_or(1),
                    output_buckets: self.output_buckets.unwrap_or(1),
                }),
            },
            epochs: common.epochs.map_or(usual.epochs, u32::from),
            batch: self.batch.map_or(usual.batch, |batch| batch as usize),
            rates: (self.rate.unwrap_or(usual.rates.0), self.last_rate.unwrap_or(usual.rates.1)),
            result: common.result(RESULT)?,
            decay: self.decay.unwrap_or(usual.decay),
            scale: self.scale,
            seed: common.seed.unwrap_or(usual.seed),
        };
        if let ModelShape::Network(shape) = recipe.shape {
            shape.checked()?;
        }
        for (name, rate) in [("--rate", recipe.rates.0), ("--last-rate", recipe.rates.1)] {
            if !(0.0..=0.1).contains(&rate) {
                bail!("{name} {rate} lies outside 0 to 0.1");
            }
        }
        if !(0.0..=10.0).contains(&recipe.decay) {
            bail!("--decay {} lies outside 0 to 10", recipe.decay);
        }
        if let Some(scale) = recipe.scale.filter(|scale| !(50.0..=10_000.0).contains(scale)) {
            bail!("--scale {scale} lies outside 50 to 10000");
        }
        Ok(recipe)
    }

    fn read(
        &self,
        given: &[PathBuf],
        out: &Path,
        shape: ModelShape,
        lambda: f32,
        threads: usize,
    ) -> anyhow::Result<(TrainingData, dataset::DatasetCounts)> {
        let files = dataset::files(given)?;
        let mut filter = Filter::default();
        if let Some(highest) = self.highest_score {
            filter.highest_score = highest;
        }
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let memory = self.memory.unwrap_or(MEMORY);
        let mut data = TrainingData::bounded(folder, u64::from(memory) << 20);
        let pack = |sample: dataset::ShogiSample<'_>| {
            // A record of PSV or hcpe holds no values of later plies.
            let lambda = if sample.in_game { lambda } else { 0.0 };
            let score = mixed(sample.scores, sample.result, lambda);
            Prepared::new(shape, sample.position, score, sample.result, sample.validates)
        };
        let pool = threads::pool(threads)?;
        let counts = pool.install(|| dataset::collect(&files, &filter, pack, |sample| data.add(sample)))?;
        data.complete()?;
        let (training, validation) = data.counts();
        say(format_args!(
            "files {} games {} positions {} taken {} training {training} validation {validation}",
            files.len(),
            counts.games,
            counts.positions,
            counts.taken
        ));
        if data.is_on_disk() {
            remark(format_args!("kaeshi: the positions are on disk: they need more than {memory} MiB"));
        }
        Ok((data, counts))
    }
}

/// Trains to the end, prints each epoch and keeps the state in the file `kept`.
fn train(trainer: &mut ShogiTrainer<'_>, kept: &Path) -> anyhow::Result<()> {
    let bar = progress_bar(trainer.steps() as u64, "steps");
    let (mut begun, mut written, mut learned) = (Instant::now(), Instant::now(), 0);
    let mut keep_every = KEEP_EVERY;
    while !trainer.is_finished() {
        let epochs = trainer.epochs().len();
        learned += trainer.advance(STEPS)?;
        bar.inc(STEPS as u64);
        let finished = trainer.epochs().get(epochs).copied();
        let stop = StopSignal::of_process().check();
        if finished.is_some() || stop.is_err() || written.elapsed() >= keep_every {
            let writing = Instant::now();
            write_whole(kept, &trainer.to_bytes())?;
            written = Instant::now();
            keep_every = KEEP_EVERY.max(KEEP_SHARE * writing.elapsed());
        }
        if let Some(epoch) = finished {
            let speed = learned as f64 / begun.elapsed().as_secs_f64();
            bar.suspend(|| {
                say(format_args!(
                    "epoch {} training {:.6} validation {:.6}, {speed:.0} positions/s",
                    epochs + 1,
                    epoch.training,
                    epoch.validation
                ));
            });
            bar.reset();
            (begun, learned) = (Instant::now(), 0);
        }
        if !trainer.is_finished() {
            stop?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// The weights in a file of the engine or of a training.
fn model(path: &Path) -> anyhow::Result<Model> {
    let bytes =
        files::read(path, FileKind::TRAINING).with_context(|| format!("cannot read {}", path.display()))?;
    Model::from_bytes(&bytes).with_context(|| path.display().to_string())
}
