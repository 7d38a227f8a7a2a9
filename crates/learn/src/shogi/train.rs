//! Training of the network and of the hand-crafted evaluation: gradient descent on the positions of
//! self-played games.
//!
//! What is learned is the winning chance of the side to move: a mix of what the search found there
//! and later ([`mixed`]), and of how the game ended. The error is squared; the steps are those of AdamW (Loshchilov and
//! Hutter, "Decoupled weight decay regularization", 2019) with a rate that falls along a cosine.
//!
//! The same data, recipe and seed make the same network bit by bit, with any number of threads and
//! however often the training was interrupted: a batch is always cut into the same parts, whose
//! gradients are added in the same order.

mod backpropagation;
mod gradient;
mod hce;
mod model;
mod nnue;
mod optimizer;
mod region;
mod samples;
mod scale;
mod state;
mod td_lambda;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::threads;
use gradient::Gradient;
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
pub use model::{Model, ModelShape};
use optimizer::OptimizerMoments;
use samples::SampleSet;
pub use samples::{Prepared, TrainingData};
pub use td_lambda::mixed;

/// Positions in one part of a batch, which one thread takes. With fewer the sum of the parts' gradients
/// takes longer than the gradients.
const PART: usize = 1024;
/// Fewest and most parts of a batch; each has a gradient of its own in memory.
const PARTS: (usize, usize) = (8, 64);
/// In the order of the positions: the mirror image is learned from.
const MIRRORED: u32 = 1 << 31;
/// Parts of the games that validate.
const VALIDATION_PARTS: usize = 256;

/// The hyperparameters of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct ShogiHyperparameters {
    /// What to train.
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
            shape: ModelShape::Network(64),
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
    /// What is to be learned of each position: training, validation.
    targets: [Vec<f32>; 2],
    /// Of recipe, positions and first weights.
    fingerprint: u32,
    model: Model,
    moments: OptimizerMoments,
    progress: TrainingProgress,
    order: Vec<u32>,
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
        if data.training.samples.len() >= MIRRORED as usize {
            return Err(GameError::new("more positions than a training can hold"));
        }
        if data.training.samples.is_empty() || data.validation.samples.is_empty() {
            return Err(GameError(format!(
                "{} positions to learn from and {} for validation: both are needed",
                data.training.samples.len(),
                data.validation.samples.len()
            )));
        }
        let model = match from {
            Some(from) => from.widened(recipe.shape, recipe.seed, &data.training.samples)?,
            None => Model::fresh(recipe.shape, recipe.seed)?,
        };
        let scale = recipe.scale.unwrap_or_else(|| scale::fit(&data.training.samples));
        let targets = |set: &SampleSet| set.samples.iter().map(|s| s.target(scale, recipe.result)).collect();
        // Parts that use rows have gradients of these alone, and the fewer parts, the more they share.
        let (rows, _) = recipe.shape.rows();
        let most = if rows > 0 { usize::MAX } else { PART };
        let part = recipe.batch.div_ceil(PARTS.0).min(most).max(recipe.batch.div_ceil(PARTS.1));
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&part.to_le_bytes());
        // Earlier states of a training have the fingerprint of this name.
        hasher.update(format!("{recipe:?}").replacen("ShogiHyperparameters", "Recipe", 1).as_bytes());
        hasher.update(bytemuck::cast_slice(model.values.get()));
        hasher.update(bytemuck::cast_slice(&data.training.samples));
        hasher.update(bytemuck::cast_slice(&data.validation.samples));
        hasher.update(bytemuck::cast_slice(data.training.terms.as_flattened()));
        let pool = threads::pool(threads)?;
        let count = model.values.get().len();
        let mut trainer = ShogiTrainer {
            scale,
            targets: [targets(&data.training), targets(&data.validation)],
            fingerprint: hasher.finalize(),
            moments: OptimizerMoments::zeros(count, rows),
            progress: TrainingProgress::default(),
            order: Vec::new(),
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
        let mean = |values: &[f32]| values.iter().map(|&t| f64::from(t)).sum::<f64>() / values.len() as f64;
        let constant = mean(&self.targets[0]);
        self.targets[1].iter().map(|&t| (f64::from(t) - constant).powi(2)).sum::<f64>()
            / self.targets[1].len() as f64
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
        self.data.training.samples.len().div_ceil(self.recipe.batch)
    }

    /// Makes up to `steps` steps, to the end of the epoch at most; the number of positions learned from.
    pub fn advance(&mut self, steps: usize) -> usize {
        let mut learned = 0;
        for _ in 0..steps {
            if self.is_finished() {
                break;
            }
            learned += self.step();
            if self.progress.steps == self.steps() {
                let training = self.progress.error / self.data.training.samples.len() as f64;
                let validation = self.validate(&self.model);
                self.progress.epochs.push(Epoch { training, validation });
                self.progress.steps = 0;
                self.progress.error = 0.0;
                self.shuffle();
                break;
            }
        }
        learned
    }

    /// The error of the finished weights, which are rounded, on games not learned from.
    pub fn rounded_error(&self) -> f64 {
        self.validate(&self.model.rounded())
    }

    /// The weights so far as a file of the engine.
    pub fn to_file(&self) -> Vec<u8> {
        self.model.to_file()
    }

    /// What is trained, as it came to be.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The order of the positions in the epoch that begins.
    fn shuffle(&mut self) {
        let mut random =
            SplitMix::new(kaeshi_core::random::mix(self.recipe.seed) ^ self.progress.epochs.len() as u64);
        self.order = (0..self.data.training.samples.len() as u32).collect();
        for last in (1..self.order.len()).rev() {
            self.order.swap(last, random.below(last as u32 + 1) as usize);
        }
        // The networks of Kaeshi see every position mirrored so that the king is on one side of the board; those
        // in the form of `nn.bin` do not, and learn from one of the two images, drawn anew for each epoch.
        if let ModelShape::Nnue(_) = self.recipe.shape {
            self.order.iter_mut().for_each(|index| *index |= MIRRORED * random.below(2));
        }
    }

    fn step(&mut self) -> usize {
        let begin = self.progress.steps * self.recipe.batch;
        let batch = &self.order[begin..self.order.len().min(begin + self.recipe.batch)];
        let (model, set, targets, part) = (&self.model, &self.data.training, &self.targets[0], self.part);
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
        self.pool.install(|| step.make(model, moments));
        self.progress.steps += 1;
        batch.len()
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

#[cfg(test)]
mod tests;
