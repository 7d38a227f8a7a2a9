//! Training of Sygo's network from files of games.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;

use crate::output::write_whole;
use crate::random::SplitMix;
use crate::selfplay::files;
use crate::sygo::learn::network::{BATCH, Errors, Sample, Trainer, read};
use crate::sygo::network::Network;
use crate::tasks::train::Common;

const BLOCKS: usize = 3;
const EPOCHS: u16 = 4;
const RATE: f32 = 0.002;
/// One game of so many is not learned from, and judged in the end.
const HELD_OUT: usize = 40;
/// Steps between two lines of progress.
const SHOWN: usize = 200;

/// How a network is trained.
pub(super) struct Plan {
    /// Begin with this file.
    pub start: Option<PathBuf>,
    /// Residual blocks of a new one.
    pub blocks: Option<usize>,
    /// The highest learning rate.
    pub rate: Option<f32>,
}

impl Plan {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let mut games = Vec::new();
        for file in files(common.data()?, "sygo")? {
            games.extend(read(&file)?);
        }
        let held = |index: usize| index.is_multiple_of(HELD_OUT);
        let pick = |wanted: bool| -> Vec<&Sample> {
            let games = games.iter().enumerate().filter(|(index, _)| held(*index) == wanted);
            games.flat_map(|(_, game)| game).collect()
        };
        let (held_out, samples) = (pick(true), pick(false));
        if samples.is_empty() || held_out.is_empty() {
            bail!("no games in these files");
        }
        println!("games {} positions {} held out {}", games.len(), samples.len(), held_out.len());
        let seed = common.seed.unwrap_or(1);
        let network = match &self.start {
            Some(path) => Network::of_file(path)?,
            None => Network::new(self.blocks.unwrap_or(BLOCKS), seed),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(common.threads())).build()?;
        let epochs = common.epochs.unwrap_or(EPOCHS);
        let highest = self.rate.unwrap_or(RATE);
        let steps_an_epoch = samples.len().div_ceil(BATCH);
        let steps = f32::from(epochs) * steps_an_epoch as f32;
        let mut trainer = Trainer::new(network);
        let mut random = SplitMix::new(seed);
        for epoch in 0..epochs {
            let rate = |step: usize, errors: &Errors| {
                if step.is_multiple_of(SHOWN) && step > 0 {
                    eprint!("\repoch {} step {step} of {steps_an_epoch}: {errors} ", epoch + 1);
                }
                // Half a wave of the cosine, after a short rise.
                let done = (usize::from(epoch) * steps_an_epoch + step) as f32;
                let rise = ((done + 1.0) / 200.0).min(1.0);
                highest * rise * (0.02 + 0.49 * (1.0 + (std::f32::consts::PI * done / steps).cos()))
            };
            let errors = pool.install(|| trainer.epoch(&samples, &mut random, rate));
            let judged = pool.install(|| trainer.judge(&held_out));
            eprintln!();
            println!("epoch {} {errors}", epoch + 1);
            println!("held out {judged}");
            write_whole(&common.out, &trainer.network.to_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
