//! Training of the network and of the hand-crafted evaluation: gradient descent on the positions of
//! self-played games.
//!
//! The target is the winning chance of the side to move: a mix of the scores found there and later ([`mixed`]) and of
//! the result of the game. The error is squared; the steps are those of AdamW (Loshchilov and Hutter, "Decoupled weight
//! decay regularization", 2019) with a rate that falls along a cosine.
//!
//! The same data, recipe and seed make the same network bit by bit, with any number of threads and
//! however often the training was interrupted: a batch is always cut into the same parts, whose
//! gradients are added in the same order.

mod backpropagation;
mod data;
mod factored;
mod factored_step;
mod hce;
mod model;
mod nnue;
mod optimizer;
mod region;
mod samples;
mod scale;
mod spilled;
mod state;
mod td_lambda;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::gradient::Gradient;
use crate::threads;
pub use data::{Prepared, TrainingData};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
pub use model::{Model, ModelShape};
use optimizer::OptimizerMoments;
use samples::SampleSet;
use spilled::SpilledSamples;
pub use td_lambda::mixed;

/// Positions in one part of a batch, which one thread takes. With fewer the sum of the parts' gradients
/// takes longer than the gradients.
const PART: usize = 1024;
/// Fewest and most parts of a batch; each has its own gradient in memory.
const PARTS: (usize, usize) = (8, 64);
/// Flag in the order of the positions: the mirror image is used.
const MIRRORED: u32 = 1 << 31;
/// Parts of the games that validate.
const VALIDATION_PARTS: usize = 256;

/// The hyperparameters of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct ShogiHyperparameters {
    /// The model to train.
    pub shape: ModelShape,
    /// Passes over the positions.
    pub epochs: u32,
    /// Positions to a step.
    pub batch: usize,
    /// The learning rate at the beginning and at the end.
    pub rates: (f32, f32),
    /// Weight decay of AdamW.
    pub decay: f32,
    /// Weight of the game's result in the target (WDL weight); the rest is the score.
    pub result: f32,
    /// Centipawns to one in the scale of the winning chance; `None`: fitted to the results.
    pub scale: Option<f64>,
    /// Makes the training reproducible.
    pub seed: u64,
}

impl Default for ShogiHyperparameters {
    fn default() -> ShogiHyperparameters {
        ShogiHyperparameters {
            shape: ModelShape::network(64),
            epochs: 30,
            batch: 16_384,
            rates: (1e-3, 2.7e-5),
            decay: 0.01,
            result: 0.0,
            scale: None,
            seed: 1,
        }
    }
}

/// Mean squared errors after one pass over the positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// On the positions learned from, while they were learned.
    pub training: f64,
    /// On games that were not learned from.
    pub validation: f64,
}

/// How far a training has come.
#[derive(Clone, Debug, Default, PartialEq)]
struct TrainingProgress {
    epochs: Vec<Epoch>,
    /// Steps made in the epoch that goes on.
    steps: usize,
    /// Sum of the squared errors in that epoch so far.
    error: f64,
}

/// A training under way.
pub struct ShogiTrainer<'a> {
    recipe: ShogiHyperparameters,
    data: &'a TrainingData,
    scale: f64,
    /// The target of each position, in training and in validation.
    targets: [Vec<f32>; 2],
    /// Checksum of recipe, positions and first weights.
    fingerprint: u32,
    model: Model,
    moments: OptimizerMoments,
    progress: TrainingProgress,
    /// Order of the training positions, or of those in the file that was read last.
    order: Vec<u32>,
    /// With positions on disk: the order of the files in this epoch, and the one in memory.
    files: Vec<usize>,
    loaded: Option<(usize, SampleSet)>,
    /// The mean of the targets.
    mean: f64,
    /// Positions in one part of a batch.
    part: usize,
    gradients: Vec<Gradient>,
    pool: ThreadPool,
}

impl<'a> ShogiTrainer<'a> {
    /// A training that begins with the weights of `from`, or with random ones.
    ///
    /// # Errors
    /// No positions, a width that is not that of `from` and cannot be made of it, or no threads.
    pub fn new(
        recipe: ShogiHyperparameters,
        data: &'a TrainingData,
        from: Option<&Model>,
        threads: usize,
    ) -> Result<ShogiTrainer<'a>, GameError> {
        let (training, validation) = data.counts();
        if data.training.samples.len() >= MIRRORED as usize {
            return Err(GameError::resources("more positions than a training can hold in memory"));
        }
        if training == 0 || validation == 0 {
            return Err(GameError::file(format!(
                "{training} positions to learn from and {validation} for validation: both are needed, and one game in \
                 twenty is for validation; play more games by `kaeshi selfplay --game shogi`"
            )));
        }
        let pool = threads::pool(threads)?;
        // With positions on disk, those of a random file represent all.
        let loaded = match &data.spilled {
            Some(spilled) => Some((0, read_back(spilled, 0, &pool)?)),
            None => None,
        };
        let some = loaded.as_ref().map_or(&data.training, |(_, set)| set);
        let model = match from {
            Some(from) => from.widened(recipe.shape, recipe.seed, &some.samples)?,
            None => Model::fresh(recipe.shape, recipe.seed)?,
        };
        let scale = recipe.scale.unwrap_or_else(|| scale::fit(&some.samples));
        let learned = targets(some, scale, recipe.result);
        let mean = learned.iter().map(|&target| f64::from(target)).sum::<f64>() / learned.len() as f64;
        // Parts that use rows have gradients of these alone, and the fewer parts, the more they share.
        let (rows, _) = recipe.shape.rows();
        let most = if rows > 0 { usize::MAX } else { PART };
        let part = recipe.batch.div_ceil(PARTS.0).min(most).max(recipe.batch.div_ceil(PARTS.1));
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&part.to_le_bytes());
        hasher.update(format!("{recipe:?}").as_bytes());
        hasher.update(bytemuck::cast_slice(model.values.get()));
        hasher.update(bytemuck::cast_slice(&data.training.samples));
        hasher.update(bytemuck::cast_slice(&data.validation.samples));
        hasher.update(bytemuck::cast_slice(data.training.terms.as_flattened()));
        if let Some(spilled) = &data.spilled {
            hasher.update(&spilled.checksum().to_le_bytes());
        }
        let count = model.values.get().len();
        let mut trainer = ShogiTrainer {
            scale,
            targets: [learned, targets(&data.validation, scale, recipe.result)],
            fingerprint: hasher.finalize(),
            moments: OptimizerMoments::zeros(count, recipe.shape.stepped_rows()),
            progress: TrainingProgress::default(),
            order: Vec::new(),
            files: Vec::new(),
            loaded,
            mean,
            gradients: (0..recipe.batch.div_ceil(part)).map(|_| recipe.shape.gradient()).collect(),
            part,
            model,
            recipe,
            data,
            pool,
        };
        trainer.shuffle();
        Ok(trainer)
    }

    /// Centipawns to one in the scale of the winning chance.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Error of the best constant on the games that are not learned from.
    pub fn constant_error(&self) -> f64 {
        let targets = &self.targets[1];
        targets.iter().map(|&t| (f64::from(t) - self.mean).powi(2)).sum::<f64>() / targets.len() as f64
    }

    /// The finished epochs.
    pub fn epochs(&self) -> &[Epoch] {
        &self.progress.epochs
    }

    /// Whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        self.progress.epochs.len() >= self.recipe.epochs as usize
    }

    /// Steps of one epoch.
    pub fn steps(&self) -> usize {
        let of = |count: usize| count.div_ceil(self.recipe.batch);
        match &self.data.spilled {
            Some(spilled) => spilled.counts().map(of).sum(),
            None => of(self.data.training.samples.len()),
        }
    }

    /// Makes up to `steps` steps, to the end of the epoch at most; the number of positions learned from.
    ///
    /// # Errors
    /// Positions cannot be read back from disk.
    pub fn advance(&mut self, steps: usize) -> Result<usize, GameError> {
        let mut learned = 0;
        for _ in 0..steps {
            if self.is_finished() {
                break;
            }
            learned += self.step()?;
            if self.progress.steps == self.steps() {
                let training = self.progress.error / self.data.counts().0 as f64;
                let validation = self.validate(&self.model);
                self.progress.epochs.push(Epoch { training, validation });
                self.progress.steps = 0;
                self.progress.error = 0.0;
                self.shuffle();
                break;
            }
        }
        Ok(learned)
    }

    /// The error of the finished weights, which are rounded, on games not learned from.
    pub fn rounded_error(&self) -> f64 {
        self.validate(&self.model.rounded())
    }

    /// The weights so far as a file of the engine.
    pub fn to_file(&self) -> Vec<u8> {
        self.model.to_file()
    }

    /// The model in its present state.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The order of the positions, or of their files, in the epoch that begins.
    fn shuffle(&mut self) {
        let mut random =
            SplitMix::new(kaeshi_core::random::mix(self.recipe.seed) ^ self.progress.epochs.len() as u64);
        match &self.data.spilled {
            Some(spilled) => {
                let order = permutation(spilled.counts().count(), &mut random);
                self.files = order.into_iter().map(|number| number as usize).collect();
                self.loaded = None;
            }
            None => self.order = self.order_of(self.data.training.samples.len(), random),
        }
    }

    fn order_of(&self, count: usize, mut random: SplitMix) -> Vec<u32> {
        let mut order = permutation(count, &mut random);
        // The networks of Kaeshi see every position mirrored so that the king is on one side of the board; those
        // in the form of `nn.bin` do not, and learn from one of the two images, drawn anew for each epoch.
        if let ModelShape::Nnue(_) = self.recipe.shape {
            order.iter_mut().for_each(|index| *index |= MIRRORED * random.below(2));
        }
        order
    }

    /// The index in the order at which the next batch begins. Reads the next file of positions from disk if needed.
    fn next_batch(&mut self) -> Result<usize, GameError> {
        let Some(spilled) = &self.data.spilled else {
            return Ok(self.progress.steps * self.recipe.batch);
        };
        let counts: Vec<usize> = spilled.counts().collect();
        let mut steps = self.progress.steps;
        let number = self.files.iter().copied().find(|&number| {
            let of_file = counts[number].div_ceil(self.recipe.batch);
            let found = steps < of_file;
            steps -= if found { 0 } else { of_file };
            found
        });
        let number = number.ok_or_else(|| GameError::file("the state has more steps than an epoch"))?;
        if self.loaded.as_ref().is_none_or(|(loaded, _)| *loaded != number) {
            self.loaded = None;
            let set = read_back(spilled, number, &self.pool)?;
            self.targets[0] = targets(&set, self.scale, self.recipe.result);
            let seed = [self.recipe.seed, self.progress.epochs.len() as u64, number as u64 + 1];
            let seed = seed.into_iter().fold(0, |mixed, part| kaeshi_core::random::mix(mixed ^ part));
            self.order = self.order_of(set.samples.len(), SplitMix::new(seed));
            self.loaded = Some((number, set));
        }
        Ok(steps * self.recipe.batch)
    }

    fn step(&mut self) -> Result<usize, GameError> {
        let begin = self.next_batch()?;
        let batch = &self.order[begin..self.order.len().min(begin + self.recipe.batch)];
        let set = self.loaded.as_ref().map_or(&self.data.training, |(_, set)| set);
        let (model, targets, part) = (&self.model, &self.targets[0], self.part);
        let gradients = &mut self.gradients;
        let errors: Vec<f64> = self.pool.install(|| {
            gradients
                .par_iter_mut()
                .zip(batch.par_chunks(part))
                .map(|(gradient, part)| backpropagation::learn(model, set, targets, part, gradient))
                .collect()
        });
        self.progress.error += errors.iter().sum::<f64>();
        let made = self.progress.epochs.len() * self.steps() + self.progress.steps;
        let share = made as f64 / (self.steps() * self.recipe.epochs as usize) as f64;
        let (first, last) = self.recipe.rates;
        let rate = last + (first - last) * (0.5 + 0.5 * (std::f64::consts::PI * share).cos()) as f32;
        let step = optimizer::OptimizerStep {
            rate,
            decay: self.recipe.decay,
            number: made + 1,
            positions: batch.len(),
            gradients: &self.gradients[..errors.len()],
        };
        let (model, moments) = (&mut self.model, &mut self.moments);
        self.pool.install(|| {
            if let Some(shape) = model.shape().factored() {
                let Model { values, merged, .. } = &mut *model;
                factored_step::step(&step, shape, values.get_mut(), moments, merged);
            }
            step.make(model, moments);
        });
        self.progress.steps += 1;
        Ok(batch.len())
    }

    fn validate(&self, model: &Model) -> f64 {
        let (set, targets) = (&self.data.validation, &self.targets[1]);
        let count = set.samples.len();
        let part = count.div_ceil(VALIDATION_PARTS);
        let errors: Vec<f64> = self.pool.install(|| {
            (0..VALIDATION_PARTS)
                .into_par_iter()
                .map(|number| {
                    let range = (number * part).min(count)..((number + 1) * part).min(count);
                    backpropagation::error(model, set, targets, range)
                })
                .collect()
        });
        errors.iter().sum::<f64>() / count as f64
    }
}

/// The numbers below `count` in random order.
fn permutation(count: usize, random: &mut SplitMix) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u32 + 1) as usize);
    }
    order
}

/// The target of each position.
fn targets(set: &SampleSet, scale: f64, result: f32) -> Vec<f32> {
    set.samples.par_iter().map(|sample| sample.target(scale, result)).collect()
}

/// The positions in a file.
fn read_back(spilled: &SpilledSamples, number: usize, pool: &ThreadPool) -> Result<SampleSet, GameError> {
    let samples = pool.install(|| spilled.load(number))?;
    Ok(SampleSet { samples, terms: Vec::new() })
}

#[cfg(test)]
mod tests;
