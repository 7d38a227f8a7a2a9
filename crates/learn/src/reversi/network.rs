//! Trains the network over the patterns ([`kaeshi_reversi::evaluate::network`]) on self-played games: it learns the
//! correction of the value of the pattern weights, which stay fixed.
//!
//! Values of searches lean to one side, and a network that learns them plays the games that the next one learns from.
//! So it learns estimates of the final margin ([`kaeshi_reversi::search::estimate`]) where the file of the games says
//! how deep they were searched.
//!
//! The squared error is minimised by AdamW with a rate that falls along a cosine. The same games, weights and
//! hyperparameters make the same network bit by bit, with any number of threads: a batch is always cut into the same
//! parts, whose gradients are added in the same order.

mod model;
mod pass;

use rayon::prelude::*;

use crate::adam::{AdamRegion, StepFactors, descend};
use crate::gradient::Gradient;
use crate::reversi::record::{ReversiGameRecord, UNKNOWN};
use crate::reversi::train::{expected_values, held_out, learned, share, visit};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
use kaeshi_core::simd::SimdLevel;
use kaeshi_reversi::evaluate::network::{HIDDEN, NetworkContents, PatternNetwork};
use kaeshi_reversi::evaluate::pattern::Indices;
use kaeshi_reversi::evaluate::weights::{ReversiWeights, STAGES, UNITS, stage};
use kaeshi_reversi::rules::board::ReversiBoard;
use model::{HEAD, NetworkModel};
use pass::PatternNetworkPass;

/// Positions to a step.
const BATCH: usize = 16_384;
/// Parts of a batch, which threads take.
const PARTS: usize = 8;
/// The learning rate at the beginning and at the end.
const RATES: (f32, f32) = (2e-3, 2e-5);
/// Weight decay of the rows.
const DECAY: f32 = 1.25;
/// Stages of fewer positions take the layers of the nearest one with more.
const FEW: usize = 20_000;

/// How to train.
#[derive(Clone, Copy, Debug)]
pub struct NetworkHyperparameters {
    /// Passes over the positions.
    pub epochs: usize,
    /// Share of the value found one ply later in the value of a position, 0 to 1.
    pub later: f32,
    /// Share of the game's result in the target, the rest is the value that the search found.
    pub result: f32,
    /// Makes the training reproducible.
    pub seed: u64,
}

/// Errors after one pass over the positions: roots of the mean squares, in discs.
#[derive(Clone, Copy, Debug)]
pub struct NetworkEpoch {
    /// On the positions learned from, while they were learned; those of decided positions count for less.
    pub training: f64,
    /// On games held out, with the same weighting.
    pub validation: f64,
    /// The validation error without the network.
    pub without: f64,
    /// Positions learned from, and those of games that were not learned from.
    pub positions: [usize; 2],
}

/// A position, and the target of the network: the target value less the value of the weights, in discs.
#[derive(Clone, Copy, Debug)]
struct NetworkSample {
    board: ReversiBoard,
    missing: f32,
    /// Its weight.
    share: f32,
}

/// How many positions of these games each pass learns from.
pub fn positions(games: &[ReversiGameRecord]) -> usize {
    learned(games).map(|game| game.plies.iter().filter(|(_, value)| *value != UNKNOWN).count()).sum()
}

/// The network that takes most from the errors of `weights`. Calls `epoch` after each pass, and
/// `learned_from` with how many positions were learned from since the last call.
///
/// # Errors
/// There are no positions to learn from or none for validation.
pub fn fit(
    games: &[ReversiGameRecord],
    weights: &ReversiWeights,
    recipe: &NetworkHyperparameters,
    mut epoch: impl FnMut(NetworkEpoch),
    learned_from: impl Fn(usize),
) -> Result<PatternNetwork, GameError> {
    let training = samples(learned(games), weights, recipe);
    let validation = samples(held_out(games), weights, recipe);
    if training.is_empty() || validation.is_empty() {
        return Err(GameError::file(format!(
            "{} positions to learn from and {} for validation: both are needed",
            training.len(),
            validation.len()
        )));
    }
    let without = root(validation.iter().map(NetworkSample::loss).sum(), validation.len());
    let counts = [training.len(), validation.len()];
    let mut trainer = NetworkTrainer::new(*recipe, training);
    for _ in 0..recipe.epochs {
        let training = trainer.pass_over(&learned_from);
        let validation = trainer.error(&validation);
        epoch(NetworkEpoch { training, validation, without, positions: counts });
    }
    trainer.model.fill_heads(&trainer.stages, FEW);
    PatternNetwork::new(trainer.model.to_parameters())
}

fn root(squares: f64, count: usize) -> f64 {
    (squares / count as f64).sqrt()
}

fn samples<'a>(
    games: impl Iterator<Item = &'a ReversiGameRecord>,
    weights: &ReversiWeights,
    recipe: &NetworkHyperparameters,
) -> Vec<NetworkSample> {
    let mut samples = Vec::new();
    for game in games {
        visit(game, &expected_values(game), (recipe.later, recipe.result), |board, target, _| {
            let value = weights.pattern_value(board, &Indices::new(board));
            let missing = target - value as f32 / UNITS as f32;
            samples.push(NetworkSample { board, missing, share: share(target) });
        });
    }
    samples
}

impl NetworkSample {
    /// Its part in the sum of squared errors if the network's output is 0.
    fn loss(&self) -> f64 {
        f64::from(self.share * self.missing * self.missing)
    }
}

struct NetworkTrainer {
    recipe: NetworkHyperparameters,
    samples: Vec<NetworkSample>,
    /// Positions of each stage.
    stages: [usize; STAGES],
    contents: NetworkContents,
    model: NetworkModel,
    /// The running means of the gradients and of their squares.
    moments: [Vec<f32>; 2],
    /// Steps of each row: only those in which a position used it.
    row_steps: Vec<u32>,
    gradients: Vec<Gradient>,
    steps: usize,
    epochs: usize,
}

impl NetworkTrainer {
    fn new(recipe: NetworkHyperparameters, samples: Vec<NetworkSample>) -> NetworkTrainer {
        let mut stages = [0; STAGES];
        samples.iter().for_each(|sample| stages[stage(sample.board.empties())] += 1);
        let model = NetworkModel::fresh(recipe.seed);
        let (count, rows) = (model.values.len(), model.rows());
        NetworkTrainer {
            recipe,
            samples,
            stages,
            contents: NetworkContents::default(),
            moments: [vec![0.0; count], vec![0.0; count]],
            row_steps: vec![0; rows],
            gradients: (0..PARTS).map(|_| Gradient::new(count, (rows, HIDDEN))).collect(),
            model,
            steps: 0,
            epochs: 0,
        }
    }

    /// One pass; the error on the way.
    fn pass_over(&mut self, positions: &impl Fn(usize)) -> f64 {
        let mut random = SplitMix::new(kaeshi_core::random::mix(self.recipe.seed) ^ self.epochs as u64);
        for last in (1..self.samples.len()).rev() {
            self.samples.swap(last, random.below(last as u32 + 1) as usize);
        }
        let mut squares = 0.0;
        for begin in (0..self.samples.len()).step_by(BATCH) {
            let end = self.samples.len().min(begin + BATCH);
            squares += self.step(begin, end);
            positions(end - begin);
        }
        self.epochs += 1;
        root(squares, self.samples.len())
    }

    /// A step by the positions from `begin` to `end`; the sum of their squared errors.
    fn step(&mut self, begin: usize, end: usize) -> f64 {
        let batch = &self.samples[begin..end];
        let (values, contents) = (&self.model.values[..], &self.contents);
        let errors: Vec<f64> = self
            .gradients
            .par_iter_mut()
            .zip(batch.par_chunks(batch.len().div_ceil(PARTS)))
            .map(|(gradient, samples)| {
                gradient.clear();
                let gradient = Some(gradient);
                SimdLevel::best().run(PatternNetworkPass { values, contents, samples, gradient })
            })
            .collect();
        let steps = self.samples.len().div_ceil(BATCH) * self.recipe.epochs;
        let fallen = 0.5 - 0.5 * (std::f64::consts::PI * self.steps as f64 / steps as f64).cos();
        let rate = RATES.0 + (RATES.1 - RATES.0) * fallen as f32;
        self.steps += 1;
        self.step_rows(rate, batch.len(), errors.len());
        self.step_heads(rate, end - begin, errors.len());
        errors.iter().sum()
    }

    /// Steps the rows that some position of a batch used, by the gradients of the first `parts`.
    fn step_rows(&mut self, rate: f32, positions: usize, parts: usize) {
        let region = AdamRegion { rate, decay: rate * DECAY, limit: NetworkModel::ROW_LIMIT };
        let gradients = &self.gradients[..parts];
        let count = self.row_steps.len() * HIDDEN;
        let [first, second] = &mut self.moments;
        let values = self.model.values[..count].par_chunks_exact_mut(HIDDEN);
        let moments =
            first[..count].par_chunks_exact_mut(HIDDEN).zip(second[..count].par_chunks_exact_mut(HIDDEN));
        let rows = values.zip(moments).zip(&mut self.row_steps);
        rows.enumerate().for_each(|(row, ((values, (first, second)), steps))| {
            let mut sums = [0.0; HIDDEN];
            let mut used = false;
            for part in gradients.iter().filter_map(|gradient| gradient.touched.of(row)) {
                sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
                used = true;
            }
            if used {
                *steps = steps.saturating_add(1);
                descend(&StepFactors::new(*steps, positions, region), &sums, values, first, second);
            }
        });
    }

    fn step_heads(&mut self, rate: f32, positions: usize, parts: usize) {
        let rows = self.row_steps.len() * HIDDEN;
        let mut sums = vec![0.0; STAGES * HEAD];
        for gradient in &self.gradients[..parts] {
            sums.iter_mut().zip(gradient.dense.get()).for_each(|(sum, part)| *sum += part);
        }
        let number = u32::try_from(self.steps).unwrap_or(u32::MAX);
        let [first, second] = &mut self.moments;
        for (range, limit) in NetworkModel::regions() {
            let factors = StepFactors::new(number, positions, AdamRegion { rate, decay: 0.0, limit });
            for head in 0..STAGES {
                let (begin, end) = (head * HEAD + range.start, head * HEAD + range.end);
                descend(
                    &factors,
                    &sums[begin..end],
                    &mut self.model.values[rows + begin..rows + end],
                    &mut first[rows + begin..rows + end],
                    &mut second[rows + begin..rows + end],
                );
            }
        }
    }

    fn error(&self, samples: &[NetworkSample]) -> f64 {
        let (values, contents) = (&self.model.values[..], &self.contents);
        let squares: Vec<f64> = samples
            .par_chunks(samples.len().div_ceil(PARTS))
            .map(|samples| {
                SimdLevel::best().run(PatternNetworkPass { values, contents, samples, gradient: None })
            })
            .collect();
        root(squares.iter().sum(), samples.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reversi::record::tests::drawn_game;
    use kaeshi_reversi::rules::board::CORNERS;

    /// Random games in which a corner is worth four discs, and both corners of an edge are worth eight more.
    fn games(count: usize) -> Vec<ReversiGameRecord> {
        const EDGES: [u64; 4] = [0x81, 0x81 << 56, 1 | 1 << 56, 1 << 7 | 1 << 63];
        let worth = |discs: u64| {
            let edges = EDGES.iter().filter(|&&edge| discs & edge == edge).count() as i8;
            4 * (discs & CORNERS).count_ones() as i8 + 8 * edges
        };
        let mut random = SplitMix::new(3);
        let mut draw = |moves| random.below(moves) as usize;
        let value = |board: ReversiBoard| worth(board.me) - worth(board.opponent);
        (0..count).map(|_| drawn_game(&mut draw, value)).collect()
    }

    fn trained(games: &[ReversiGameRecord], threads: usize) -> (PatternNetwork, Vec<NetworkEpoch>) {
        let recipe = NetworkHyperparameters { epochs: 30, later: 0.0, result: 0.0, seed: 4 };
        let weights = ReversiWeights::from_discs(&[]);
        let mut epochs = Vec::new();
        let pool = crate::threads::pool(threads).expect("threads");
        let network = pool.install(|| fit(games, &weights, &recipe, |epoch| epochs.push(epoch), |_| ()));
        (network.expect("a network"), epochs)
    }

    #[test]
    fn a_network_learns_what_patterns_are_worth_and_any_number_of_threads_finds_it() {
        let games = games(300);
        let (network, epochs) = trained(&games, 1);
        let last = epochs.last().expect("epochs");
        assert_eq!(last.positions[0], positions(&games));
        assert!(last.validation < 0.8 * last.without, "{epochs:?}");
        let (again, _) = trained(&games, 3);
        assert!(again.parameters() == network.parameters());
    }

    #[test]
    fn without_positions_there_is_nothing_to_learn() {
        let recipe = NetworkHyperparameters { epochs: 1, later: 0.0, result: 0.0, seed: 4 };
        let weights = ReversiWeights::from_discs(&[]);
        assert!(fit(&games(1), &weights, &recipe, |_| (), |_| ()).is_err());
    }

    /// The slopes against differences of the error, for each kind of value that a position uses.
    #[test]
    fn slopes_are_those_of_the_error() {
        let model = NetworkModel::fresh(5);
        let (rows, contents) = (model.rows(), NetworkContents::default());
        let board = ReversiBoard::START;
        let samples = [NetworkSample { board, missing: 3.0, share: 0.7 }];
        let mut values = model.values;
        let begin = values.len() - STAGES * HEAD;
        let mut random = SplitMix::new(6);
        values[begin..].iter_mut().for_each(|value| *value += 0.1 * random.below(100) as f32 / 100.0);
        fn pass<'a>(
            values: &'a [f32],
            contents: &'a NetworkContents,
            samples: &'a [NetworkSample],
            gradient: Option<&'a mut Gradient>,
        ) -> f64 {
            SimdLevel::PORTABLE.run(PatternNetworkPass { values, contents, samples, gradient })
        }
        let mut gradient = Gradient::new(values.len(), (rows, HIDDEN));
        pass(&values, &contents, &samples, Some(&mut gradient));
        let mut row = None;
        contents.visit(&Indices::new(board), |number| row = Some(number));
        let row = row.expect("rows");
        let of_row = gradient.touched.of(row).expect("a row that is used").to_vec();
        let slope =
            |at: usize| if at < begin { of_row[at - row * HIDDEN] } else { gradient.dense.get()[at - begin] };
        let stage = stage(board.empties()) * HEAD;
        // A content may be that of several instances.
        let places = (row * HIDDEN..(row + 1) * HIDDEN).chain(begin + stage..begin + stage + HEAD);
        let mut checked = 0;
        for at in places {
            const STEP: f32 = 1e-2;
            let mut error = |by: f32| {
                let before = values[at];
                values[at] = before + by;
                let error = pass(&values, &contents, &samples, None);
                values[at] = before;
                error
            };
            // The error is twice what the slopes are of.
            let expected = (error(STEP) - error(-STEP)) / f64::from(4.0 * STEP);
            let found = f64::from(slope(at));
            assert!((expected - found).abs() < 0.02 + 0.02 * expected.abs(), "{at}: {expected} {found}");
            checked += usize::from(found != 0.0);
        }
        assert!(checked > 300, "{checked}");
    }
}
