//! Steps of Adam (Kingma and Ba, 2015) over shuffled positions.

use bytemuck::Zeroable as _;
use rayon::prelude::*;

use super::backward::{Reversed, add};
use super::samples::{SygoSample, SymmetricSample};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
use kaeshi_sygo::network::{
    POINT_OUTPUTS, PointChannels, Policy, SygoForwardPass, SygoNetwork, WHOLE_OUTPUTS,
};
use kaeshi_sygo::rules::points::PointSet;
use kaeshi_sygo::rules::turn::{SygoTurn, TurnKind};

/// Positions of a step.
pub const BATCH: usize = 128;
/// Weights of the parts of the loss.
const KIND_WEIGHT: f32 = 1.0;
const GROUPS_WEIGHT: f32 = 0.4;
const WORTH_WEIGHT: f32 = 3.0;
const OWNED_WEIGHT: f32 = 3.0;
const DECAY: f32 = 1e-5;
/// Steps until the learning rate is at its highest.
const RISE: f32 = 200.0;
/// Parts of a batch, which threads share.
const PARTS: usize = 8;
const MAGIC: [u8; 8] = *b"KSYGOTR1";
/// Numbers of [`Errors`].
const ERRORS: usize = 8;

/// The parts of the loss, as sums over positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Positions.
    pub positions: f64,
    /// Positions with a turn.
    pub turns: f64,
    /// Logarithm of the likelihood of the kind of turn, or of the point placed.
    pub kind: f64,
    /// Groups that had a growth to choose, weighted by the shares of the turns.
    pub groups: f64,
    /// Logarithm of the likelihood of their choices.
    pub chosen: f64,
    /// Square of the error of the worth.
    pub worth: f64,
    /// Square of the error of points owned, mean of the board.
    pub owned: f64,
    /// Absolute error of the margin, as a share of the board.
    pub margin: f64,
}

impl Errors {
    fn numbers(&self) -> [f64; ERRORS] {
        [self.positions, self.turns, self.kind, self.groups, self.chosen, self.worth, self.owned, self.margin]
    }

    fn of_numbers([positions, turns, kind, groups, chosen, worth, owned, margin]: [f64; ERRORS]) -> Errors {
        Errors { positions, turns, kind, groups, chosen, worth, owned, margin }
    }
}

impl std::ops::AddAssign for Errors {
    fn add_assign(&mut self, other: Errors) {
        let (own, others) = (self.numbers(), other.numbers());
        *self = Errors::of_numbers(std::array::from_fn(|index| own[index] + others[index]));
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "kind {:.4} groups {:.4} worth {:.4} owned {:.4} margin {:.4}",
            self.kind / self.turns,
            self.chosen / self.groups,
            (self.worth / self.positions).sqrt(),
            (self.owned / self.positions).sqrt(),
            self.margin / self.positions,
        )
    }
}

/// How a network is trained.
#[derive(Clone, Copy, Debug)]
pub struct SygoHyperparameters {
    /// Passes over the samples.
    pub epochs: u16,
    /// The highest learning rate.
    pub rate: f32,
    /// Seed of the order of the samples and of their symmetries.
    pub seed: u64,
}

/// A network in training. The result does not depend on the number of threads or on interruptions.
pub struct SygoTrainer<'a> {
    recipe: SygoHyperparameters,
    samples: &'a [&'a SygoSample],
    /// Checksum of samples, recipe and the first network.
    fingerprint: u32,
    network: SygoNetwork,
    first: Vec<PointChannels>,
    second: Vec<PointChannels>,
    /// All steps so far.
    steps: usize,
    /// The order of the samples in this epoch.
    order: Vec<u32>,
    /// Errors of this epoch so far.
    errors: Errors,
}

/// The sums of a thread.
struct GradientPart {
    gradient: Vec<PointChannels>,
    errors: Errors,
    pass: Option<SygoForwardPass>,
    slopes: Vec<[f32; POINT_OUTPUTS]>,
}

impl<'a> SygoTrainer<'a> {
    /// Begins with this network; there must be some samples.
    pub fn new(
        network: SygoNetwork,
        samples: &'a [&'a SygoSample],
        recipe: SygoHyperparameters,
    ) -> SygoTrainer<'a> {
        let mut hasher = crc32fast::Hasher::new();
        // Earlier states of a training have the fingerprint of this name.
        hasher.update(format!("{recipe:?}").replacen("SygoHyperparameters", "Recipe", 1).as_bytes());
        hasher.update(bytemuck::cast_slice(&network.rows));
        samples.iter().for_each(|sample| hasher.update(&sample.digest()));
        let zeros = || vec![PointChannels::zeroed(); network.rows.len()];
        let mut trainer = SygoTrainer {
            recipe,
            samples,
            fingerprint: hasher.finalize(),
            first: zeros(),
            second: zeros(),
            network,
            steps: 0,
            order: Vec::new(),
            errors: Errors::default(),
        };
        trainer.shuffle();
        trainer
    }

    /// The network in its present state.
    pub fn network(&self) -> &SygoNetwork {
        &self.network
    }

    /// Steps of an epoch.
    pub fn steps_an_epoch(&self) -> usize {
        self.samples.len().div_ceil(BATCH)
    }

    /// Whole epochs so far.
    pub fn epochs(&self) -> usize {
        self.steps / self.steps_an_epoch()
    }

    /// Whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        self.epochs() >= usize::from(self.recipe.epochs)
    }

    /// One step; the errors of the epoch if it was its last one.
    pub fn advance(&mut self) -> Option<Errors> {
        let (epoch, step) = (self.epochs(), self.steps % self.steps_an_epoch());
        let begin = step * BATCH;
        let batch = &self.order[begin..self.order.len().min(begin + BATCH)];
        let turned = |index: u32| {
            let mut random = SplitMix::new(
                kaeshi_core::random::mix(self.recipe.seed ^ (epoch as u64) << 32) ^ u64::from(index),
            );
            (self.samples[index as usize], random.below(8))
        };
        let drawn: Vec<(&SygoSample, u32)> = batch.iter().map(|&index| turned(index)).collect();
        let (gradient, errors) = self.gradient(&drawn);
        self.errors += errors;
        self.step(&gradient, 1.0 / drawn.len() as f32, self.rate());
        self.steps.is_multiple_of(self.steps_an_epoch()).then(|| {
            self.shuffle();
            std::mem::take(&mut self.errors)
        })
    }

    /// The learning rate: half a wave of the cosine, after a short rise.
    fn rate(&self) -> f32 {
        let whole = (self.steps_an_epoch() * usize::from(self.recipe.epochs)) as f32;
        let done = self.steps as f32;
        let rise = ((done + 1.0) / RISE).min(1.0);
        self.recipe.rate * rise * (0.02 + 0.49 * (1.0 + (std::f32::consts::PI * done / whole).cos()))
    }

    fn shuffle(&mut self) {
        let mut random = SplitMix::new(kaeshi_core::random::mix(self.recipe.seed) ^ self.epochs() as u64);
        self.order = (0..self.samples.len() as u32).collect();
        for last in (1..self.order.len()).rev() {
            self.order.swap(last, random.below(last as u32 + 1) as usize);
        }
    }

    /// The errors on samples that it does not learn from.
    pub fn judge(&self, samples: &[&SygoSample]) -> Errors {
        let drawn: Vec<(&SygoSample, u32)> = samples.iter().map(|sample| (*sample, 0)).collect();
        self.add_up(&drawn, None).1
    }

    /// The training as it is, for [`SygoTrainer::resume`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.fingerprint.to_le_bytes());
        bytes.extend((self.steps as u64).to_le_bytes());
        bytes.extend(self.errors.numbers().iter().flat_map(|number| number.to_le_bytes()));
        for rows in [&self.network.rows, &self.first, &self.second] {
            bytes.extend(rows.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Goes on from what [`SygoTrainer::to_bytes`] gave.
    ///
    /// # Errors
    /// It is damaged, or of another training.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<(), GameError> {
        let length = self.to_bytes().len();
        let Some((rest, sum)) = bytes.split_last_chunk::<4>().filter(|_| bytes.starts_with(&MAGIC)) else {
            return Err(GameError::file("not the state of a training of Sygo's network"));
        };
        if crc32fast::hash(rest) != u32::from_le_bytes(*sum) {
            return Err(GameError::file("the state is damaged: its check sum is wrong"));
        }
        let rest = &rest[MAGIC.len()..];
        if bytes.len() != length || rest[..4] != self.fingerprint.to_le_bytes() {
            return Err(GameError::file(
                "made with other games, another network to begin with, or other options",
            ));
        }
        let (head, numbers) = rest[4..].split_at(8 + 8 * ERRORS);
        let words = head.as_chunks::<8>().0;
        self.steps = u64::from_le_bytes(words[0]) as usize;
        self.errors = Errors::of_numbers(std::array::from_fn(|index| f64::from_le_bytes(words[1 + index])));
        let mut numbers = numbers.as_chunks::<4>().0.iter();
        for rows in [&mut self.network.rows, &mut self.first, &mut self.second] {
            for (place, bytes) in rows.as_flattened_mut().iter_mut().zip(&mut numbers) {
                *place = f32::from_le_bytes(*bytes);
            }
        }
        self.shuffle();
        Ok(())
    }

    fn gradient(&self, drawn: &[(&SygoSample, u32)]) -> (Vec<PointChannels>, Errors) {
        let reversed = Reversed::new(&self.network);
        self.add_up(drawn, Some(&reversed))
    }

    fn add_up(
        &self,
        drawn: &[(&SygoSample, u32)],
        reversed: Option<&Reversed>,
    ) -> (Vec<PointChannels>, Errors) {
        let part = |drawn: &[(&SygoSample, u32)]| {
            let gradient = vec![PointChannels::zeroed(); self.network.rows.len()];
            let mut part =
                GradientPart { gradient, errors: Errors::default(), pass: None, slopes: Vec::new() };
            drawn
                .iter()
                .for_each(|(sample, symmetry)| part.add(&self.network, reversed, &sample.seen(*symmetry)));
            part
        };
        // The same parts whatever the number of threads: sums depend on their order.
        let parts: Vec<GradientPart> =
            drawn.par_chunks(drawn.len().div_ceil(PARTS).max(1)).map(part).collect();
        let mut parts = parts.into_iter();
        let Some(mut sum) = parts.next() else { return (Vec::new(), Errors::default()) };
        for part in parts {
            for (sum, row) in sum.gradient.as_flattened_mut().iter_mut().zip(part.gradient.as_flattened()) {
                *sum += row;
            }
            sum.errors += part.errors;
        }
        (sum.gradient, sum.errors)
    }

    fn step(&mut self, gradient: &[PointChannels], share: f32, rate: f32) {
        const FIRST: f32 = 0.9;
        const SECOND: f32 = 0.999;
        self.steps += 1;
        let first_whole = 1.0 - FIRST.powi(self.steps as i32);
        let second_whole = 1.0 - SECOND.powi(self.steps as i32);
        let numbers = self.network.rows.as_flattened_mut().iter_mut().zip(gradient.as_flattened());
        let moments = self.first.as_flattened_mut().iter_mut().zip(self.second.as_flattened_mut());
        for ((number, slope), (first, second)) in numbers.zip(moments) {
            let slope = slope * share;
            *first = FIRST * *first + (1.0 - FIRST) * slope;
            *second = SECOND * *second + (1.0 - SECOND) * slope * slope;
            let step = *first / first_whole / ((*second / second_whole).sqrt() + 1e-8);
            *number -= rate * (step + DECAY * *number);
        }
    }
}

impl GradientPart {
    fn add(&mut self, network: &SygoNetwork, reversed: Option<&Reversed>, seen: &SymmetricSample) {
        let size = seen.position.board.size();
        let pass = self.pass.get_or_insert_with(|| SygoForwardPass::new(network, size));
        pass.run(network, &seen.position);
        self.slopes.clear();
        self.slopes.resize(pass.outputs.grid.cells(), [0.0; POINT_OUTPUTS]);
        let mut whole = [0.0; WHOLE_OUTPUTS];
        self.errors.positions += 1.0;
        let points = pass.outputs.grid.points() as f32;
        // Owners of the points, and the worth.
        let [own, other] = &seen.owned;
        let mut margin = 0.0;
        for point in size.all().iter() {
            let cell = pass.outputs.grid.cell(point);
            let target =
                f32::from(u8::from(own.contains(point))) - f32::from(u8::from(other.contains(point)));
            let found = pass.outputs.points[cell][2].tanh();
            margin += found;
            let error = found - target;
            self.errors.owned += f64::from(error * error / points);
            self.slopes[cell][2] = OWNED_WEIGHT * error * (1.0 - found * found) / points;
        }
        let ended = own.len() as f32 - other.len() as f32;
        self.errors.margin += f64::from((margin - ended).abs() / points);
        let found = pass.outputs.worth();
        let error = found - seen.worth;
        self.errors.worth += f64::from(error * error);
        whole[2] = WORTH_WEIGHT * error * (1.0 - found * found);
        if !seen.turns.is_empty() {
            let policy = Policy::new(&pass.outputs, &seen.position);
            self.errors.turns += 1.0;
            for (turn, share) in &seen.turns {
                learn_kind(&policy, turn, *share, pass, &mut self.slopes, &mut whole, &mut self.errors);
                if !turn.growth().is_empty() {
                    learn_groups(&policy, turn, *share, seen, pass, &mut self.slopes, &mut self.errors);
                }
            }
        }
        if let Some(reversed) = reversed {
            add(network, reversed, pass, &self.slopes, &whole, &mut self.gradient);
        }
    }
}

fn learn_kind(
    policy: &Policy,
    turn: &SygoTurn,
    share: f32,
    pass: &SygoForwardPass,
    slopes: &mut [[f32; POINT_OUTPUTS]],
    whole: &mut [f32; WHOLE_OUTPUTS],
    errors: &mut Errors,
) {
    let grows = matches!(turn.kind(), TurnKind::Growth | TurnKind::Balance);
    let passes = turn.kind() == TurnKind::Pass;
    let weight = KIND_WEIGHT * share;
    whole[0] += weight * (policy.grow.exp() - f32::from(u8::from(grows)));
    whole[1] += weight * (policy.pass.exp() - f32::from(u8::from(passes)));
    let mut found = if grows { policy.grow } else { policy.pass };
    for (point, likelihood) in policy.placement_likelihoods() {
        let played = !grows && turn.placement() == Some(point);
        if played {
            found = likelihood;
        }
        slopes[pass.outputs.grid.cell(point)][1] += weight * (likelihood.exp() - f32::from(u8::from(played)));
    }
    errors.kind -= f64::from(share * found.max(-20.0));
}

fn learn_groups(
    policy: &Policy,
    turn: &SygoTurn,
    share: f32,
    seen: &SymmetricSample,
    pass: &SygoForwardPass,
    slopes: &mut [[f32; POINT_OUTPUTS]],
    errors: &mut Errors,
) {
    let board = &seen.position.board;
    let played: PointSet = turn.growth().iter().copied().collect();
    for (_, group) in board.groups_of(seen.position.side) {
        let outputs = || policy.choices.iter().filter(|choice| group.liberties.contains(choice.point));
        // Choosing none of the points has the output 0.
        let most = outputs().map(|choice| choice.output).fold(0.0, f32::max);
        let sum = (-most).exp() + outputs().map(|choice| (choice.output - most).exp()).sum::<f32>();
        let total = most + sum.ln();
        let mut likelihood = -total;
        for choice in outputs() {
            let chosen = played.contains(choice.point);
            if chosen {
                likelihood = choice.output - total;
            }
            let slope = (choice.output - total).exp() - f32::from(u8::from(chosen));
            slopes[pass.outputs.grid.cell(choice.point)][0] += GROUPS_WEIGHT * share * slope;
        }
        errors.groups += f64::from(share);
        errors.chosen -= f64::from(share * likelihood);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sygo::network::read;

    fn samples() -> Vec<SygoSample> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sygo");
        let head = "[Sygo \"1\"] [Size \"5\"] [White \"a\"] [Black \"b\"] [Visits \"1\"]\n";
        let visits = "{visits +0.300 +b3 5 +c2 4 c4 2 pass 1}";
        let turns = "1. b2\n2. d4\n3. +b3 VISITS\n4. +d3\n5. +c3\n6. +c4\n7. pass\n8. pass\n"
            .replace("VISITS", visits);
        std::fs::write(&path, format!("{head}{turns}[Result \"0\"] [End \"two-passes\"]\n")).unwrap();
        read(&path, 0.9).unwrap().remove(0)
    }

    const RECIPE: SygoHyperparameters = SygoHyperparameters { epochs: 3, rate: 0.01, seed: 4 };

    fn trained(trainer: &mut SygoTrainer<'_>, steps: usize) {
        for _ in 0..steps {
            trainer.advance();
        }
    }

    #[test]
    fn an_interrupted_training_comes_to_the_same() {
        // More samples than a batch has.
        let games: Vec<Vec<SygoSample>> = (0..BATCH / 4).map(|_| samples()).collect();
        let samples: Vec<&SygoSample> = games.iter().flatten().collect();
        let begin = || SygoTrainer::new(SygoNetwork::new(1, 5), &samples, RECIPE);
        let (mut straight, mut stopped, mut resumed) = (begin(), begin(), begin());
        let steps = straight.steps_an_epoch();
        assert_eq!(steps, 2);
        trained(&mut straight, 3 * steps);
        trained(&mut stopped, 3);
        let state = stopped.to_bytes();
        resumed.resume(&state).unwrap();
        assert_eq!(resumed.epochs(), 1);
        trained(&mut resumed, 3 * steps - 3);
        assert!(straight.is_finished() && resumed.is_finished());
        assert!(straight.network() == resumed.network() && straight.to_bytes() == resumed.to_bytes());

        let mut other = SygoTrainer::new(SygoNetwork::new(1, 6), &samples, RECIPE);
        assert!(other.resume(&state).unwrap_err().reason().contains("another network"));
        let mut damaged = state.clone();
        damaged[1000] ^= 1;
        assert!(other.resume(&damaged).unwrap_err().reason().contains("damaged"));
        assert!(other.resume(&state[..20]).is_err());
    }

    #[test]
    fn any_number_of_threads_comes_to_the_same() {
        let games: Vec<Vec<SygoSample>> = (0..BATCH / 8).map(|_| samples()).collect();
        let samples: Vec<&SygoSample> = games.iter().flatten().collect();
        let found = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut trainer = SygoTrainer::new(SygoNetwork::new(1, 5), &samples, RECIPE);
            pool.install(|| trained(&mut trainer, 2));
            trainer.to_bytes()
        });
        assert!(found[0] == found[1]);
    }

    fn loss(errors: &Errors) -> f64 {
        f64::from(KIND_WEIGHT) * errors.kind
            + f64::from(GROUPS_WEIGHT) * errors.chosen
            + 0.5 * f64::from(WORTH_WEIGHT) * errors.worth
            + 0.5 * f64::from(OWNED_WEIGHT) * errors.owned
    }

    #[test]
    fn gradients_are_those_of_small_differences() {
        let samples = samples();
        let drawn: Vec<(&SygoSample, u32)> = samples.iter().enumerate().map(|(i, s)| (s, i as u32)).collect();
        let refs: Vec<&SygoSample> = samples.iter().collect();
        let mut trainer = SygoTrainer::new(SygoNetwork::new(2, 5), &refs, RECIPE);
        let (gradient, _) = trainer.gradient(&drawn);
        let mut random = SplitMix::new(3);
        let numbers = gradient.as_flattened().len() as u32;
        let (mut compared, mut apart) = (0, 0);
        while compared < 300 {
            let place = random.below(numbers) as usize;
            let slope = f64::from(gradient.as_flattened()[place]);
            if slope.abs() < 0.02 {
                continue;
            }
            let before = trainer.network.rows.as_flattened()[place];
            let mut at = |number: f32| {
                trainer.network.rows.as_flattened_mut()[place] = number;
                loss(&trainer.add_up(&drawn, None).1)
            };
            let step = 1e-3;
            let found = (at(before + step) - at(before - step)) / (2.0 * f64::from(step));
            at(before);
            compared += 1;
            // A step may pass a corner of a ReLU.
            apart += usize::from((found - slope).abs() > 0.02 + 0.05 * slope.abs());
        }
        assert!(apart <= 9, "{apart} of {compared}");
    }
}
