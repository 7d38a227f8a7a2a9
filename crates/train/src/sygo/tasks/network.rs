//! Training of Sygo's network from files of games.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};

use crate::tasks::train::{NO_GAMES, TrainOptions, go_on};
use kaeshi_learn::selfplay::files;
use kaeshi_learn::sygo::network::{SygoHyperparameters, SygoSample, SygoTrainer, read};
use kaeshi_learn::threads;
use kaeshi_sygo::network::SygoNetwork;
use kaeshi_system::output::{beside, progress_bar, say, write_whole};
use kaeshi_system::stop_signal::StopSignal;

const BLOCKS: usize = 6;
const EPOCHS: u16 = 4;
const RATE: f32 = 0.002;
/// Share of later values in the target worth of a position (λ of TD(λ)).
const LAMBDA: f32 = 0.9;
/// One game in this many is held out and evaluated in the end.
const HELD_OUT: usize = 40;
/// Interval at which the state of the training is saved, from which an interrupted training resumes.
const KEEP_EVERY: Duration = Duration::from_secs(20);

/// How a network is trained.
pub(super) struct NetworkTrainConfig {
    /// Begin with this file.
    pub start: Option<PathBuf>,
    /// Residual blocks; more than those of the file are added to it.
    pub blocks: Option<usize>,
    /// The highest learning rate.
    pub rate: Option<f32>,
}

impl NetworkTrainConfig {
    pub(super) fn run(&self, common: &TrainOptions) -> anyhow::Result<ExitCode> {
        if common.result.is_some() {
            bail!(
                "--result is not for Sygo: the result counts where no later value does (--lambda 1: alone)"
            );
        }
        let lambda = common.lambda(LAMBDA)?;
        let mut games = Vec::new();
        for file in files(common.data()?, "sygo")? {
            games.extend(read(&file, lambda)?);
        }
        let held = |index: usize| index.is_multiple_of(HELD_OUT);
        let pick = |wanted: bool| -> Vec<&SygoSample> {
            let games = games.iter().enumerate().filter(|(index, _)| held(*index) == wanted);
            games.flat_map(|(_, game)| game).collect()
        };
        let (held_out, samples) = (pick(true), pick(false));
        if games.is_empty() {
            bail!(NO_GAMES);
        }
        if samples.is_empty() || held_out.is_empty() {
            bail!(
                "one game: a second one is needed, since one game in twenty is for validation; play more by `kaeshi \
                 selfplay --game sygo`"
            );
        }
        say(format_args!("games {} positions {} held out {}", games.len(), samples.len(), held_out.len()));
        let seed = common.seed.unwrap_or(1);
        let network = match &self.start {
            Some(path) => {
                let network = SygoNetwork::of_file(path)?;
                let blocks = self.blocks.unwrap_or(network.blocks());
                ensure!(
                    blocks >= network.blocks(),
                    "{} has {} blocks, more than --blocks {blocks}",
                    path.display(),
                    network.blocks(),
                );
                network.deepened(blocks, seed)
            }
            None => SygoNetwork::new(self.blocks.unwrap_or(BLOCKS), seed),
        };
        let epochs = common.epochs.unwrap_or(EPOCHS);
        let recipe = SygoHyperparameters { epochs, rate: self.rate.unwrap_or(RATE), seed };
        let mut trainer = SygoTrainer::new(network, &samples, recipe);
        let kept = beside(&common.out, "state");
        if go_on(&kept, |bytes| trainer.resume(bytes))? {
            say(format_args!("going on after epoch {}", trainer.epochs()));
        }
        let pool = threads::pool(usize::from(common.threads()))?;
        pool.install(|| train(&mut trainer, &held_out, &kept, &common.out))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Trains to the end, prints each epoch, and keeps the state in the file `kept`.
fn train(
    trainer: &mut SygoTrainer<'_>,
    held_out: &[&SygoSample],
    kept: &Path,
    out: &Path,
) -> anyhow::Result<()> {
    let bar = progress_bar(trainer.steps_an_epoch() as u64, "steps");
    let mut written = Instant::now();
    while !trainer.is_finished() {
        let finished = trainer.advance();
        bar.inc(1);
        if let Some(errors) = finished {
            let judged = trainer.judge(held_out);
            bar.suspend(|| say(format_args!("epoch {} {errors}\nheld out {judged}", trainer.epochs())));
            bar.reset();
            write_whole(out, &trainer.network().to_bytes())?;
        }
        let stop = StopSignal::of_process().check();
        if finished.is_some() || stop.is_err() || written.elapsed() >= KEEP_EVERY {
            write_whole(kept, &trainer.to_bytes())?;
            written = Instant::now();
        }
        if !trainer.is_finished() {
            stop?;
        }
    }
    bar.finish_and_clear();
    write_whole(out, &trainer.network().to_bytes())
}
