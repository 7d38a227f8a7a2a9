//! Steps of Adam (Kingma and Ba, 2015) over shuffled positions.

use bytemuck::Zeroable as _;
use rayon::prelude::*;

use super::backward::{Reversed, add};
use super::samples::{Sample, Seen};
use crate::random::SplitMix;
use crate::sygo::network::{Cell, Network, POINT_OUTPUTS, Pass, Policy, WHOLE_OUTPUTS};
use crate::sygo::rules::points::PointSet;
use crate::sygo::rules::turn::{Kind, Turn};
use crate::sygo::search::montecarlo::Parameters;

/// Positions of a step.
pub const BATCH: usize = 128;
/// Weights of the parts of the loss.
const KIND_WEIGHT: f32 = 1.0;
const GROUPS_WEIGHT: f32 = 0.4;
const WORTH_WEIGHT: f32 = 3.0;
const OWNED_WEIGHT: f32 = 3.0;
const DECAY: f32 = 1e-5;

/// The parts of the loss, as sums over positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// Positions.
    pub positions: f64,
    /// Those with a turn.
    pub turns: f64,
    /// Logarithm of the likelihood of the kind of turn, or of the point placed.
    pub kind: f64,
    /// Groups that chose.
    pub groups: f64,
    /// Logarithm of the likelihood of what they chose.
    pub chosen: f64,
    /// Square of the error of the worth.
    pub worth: f64,
    /// Square of the error of points owned, mean of the board.
    pub owned: f64,
    /// Absolute error of the margin, as a share of the board.
    pub margin: f64,
}

impl std::ops::AddAssign for Errors {
    fn add_assign(&mut self, other: Errors) {
        self.positions += other.positions;
        self.turns += other.turns;
        self.kind += other.kind;
        self.groups += other.groups;
        self.chosen += other.chosen;
        self.worth += other.worth;
        self.owned += other.owned;
        self.margin += other.margin;
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

/// A network in training.
pub struct Trainer {
    /// As it is now.
    pub network: Network,
    first: Vec<Cell>,
    second: Vec<Cell>,
    steps: i32,
}

/// What a thread adds up.
struct Part {
    gradient: Vec<Cell>,
    errors: Errors,
    pass: Option<Pass>,
    slopes: Vec<[f32; POINT_OUTPUTS]>,
}

impl Trainer {
    /// Begins with this network.
    pub fn new(network: Network) -> Trainer {
        let zeros = || vec![Cell::zeroed(); network.rows.len()];
        Trainer { first: zeros(), second: zeros(), steps: 0, network }
    }

    /// One pass over the samples; `rate` gives the learning rate of each step; it sees the errors so far.
    pub fn epoch(
        &mut self,
        samples: &[&Sample],
        random: &mut SplitMix,
        mut rate: impl FnMut(usize, &Errors) -> f32,
    ) -> Errors {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u32 + 1) as usize);
        }
        let mut errors = Errors::default();
        for (step, batch) in order.chunks(BATCH).enumerate() {
            let drawn: Vec<(&Sample, u32)> =
                batch.iter().map(|&index| (samples[index], random.below(8))).collect();
            let (gradient, batch_errors) = self.gradient(&drawn);
            errors += batch_errors;
            let rate = rate(step, &errors);
            self.step(&gradient, 1.0 / batch.len() as f32, rate);
        }
        errors
    }

    /// The errors on samples that it does not learn from.
    pub fn judge(&self, samples: &[&Sample]) -> Errors {
        let reversed = None;
        let drawn: Vec<(&Sample, u32)> = samples.iter().map(|sample| (*sample, 0)).collect();
        self.add_up(&drawn, reversed.as_ref()).1
    }

    fn gradient(&self, drawn: &[(&Sample, u32)]) -> (Vec<Cell>, Errors) {
        let reversed = Reversed::new(&self.network);
        self.add_up(drawn, Some(&reversed))
    }

    fn add_up(&self, drawn: &[(&Sample, u32)], reversed: Option<&Reversed>) -> (Vec<Cell>, Errors) {
        let share = drawn.len().div_ceil(rayon::current_num_threads()).max(1);
        let part = |drawn: &[(&Sample, u32)]| {
            let gradient = vec![Cell::zeroed(); self.network.rows.len()];
            let mut part = Part { gradient, errors: Errors::default(), pass: None, slopes: Vec::new() };
            drawn
                .iter()
                .for_each(|(sample, symmetry)| part.add(&self.network, reversed, &sample.seen(*symmetry)));
            part
        };
        let parts: Vec<Part> = drawn.par_chunks(share).map(part).collect();
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

    fn step(&mut self, gradient: &[Cell], share: f32, rate: f32) {
        const FIRST: f32 = 0.9;
        const SECOND: f32 = 0.999;
        self.steps += 1;
        let first_whole = 1.0 - FIRST.powi(self.steps);
        let second_whole = 1.0 - SECOND.powi(self.steps);
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

impl Part {
    fn add(&mut self, network: &Network, reversed: Option<&Reversed>, seen: &Seen) {
        let size = seen.position.board.size();
        let pass = self.pass.get_or_insert_with(|| Pass::new(network, size));
        pass.run(network, &seen.position);
        self.slopes.clear();
        self.slopes.resize(pass.outputs.grid.cells(), [0.0; POINT_OUTPUTS]);
        let mut whole = [0.0; WHOLE_OUTPUTS];
        self.errors.positions += 1.0;
        let points = pass.outputs.grid.points() as f32;
        // Whose the points are, and the worth.
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
        let error = found - Parameters::default().worth(ended, points);
        self.errors.worth += f64::from(error * error);
        whole[2] = WORTH_WEIGHT * error * (1.0 - found * found);
        if let Some(turn) = &seen.turn {
            let policy = Policy::new(&pass.outputs, &seen.position);
            self.errors.turns += 1.0;
            learn_kind(&policy, turn, pass, &mut self.slopes, &mut whole, &mut self.errors);
            if !turn.growth().is_empty() {
                learn_groups(&policy, turn, seen, pass, &mut self.slopes, &mut self.errors);
            }
        }
        if let Some(reversed) = reversed {
            add(network, reversed, pass, &self.slopes, &whole, &mut self.gradient);
        }
    }
}

fn learn_kind(
    policy: &Policy,
    turn: &Turn,
    pass: &Pass,
    slopes: &mut [[f32; POINT_OUTPUTS]],
    whole: &mut [f32; WHOLE_OUTPUTS],
    errors: &mut Errors,
) {
    let grows = matches!(turn.kind(), Kind::Growth | Kind::Balance);
    let passes = turn.kind() == Kind::Pass;
    whole[0] = KIND_WEIGHT * (policy.grow.exp() - f32::from(u8::from(grows)));
    whole[1] = KIND_WEIGHT * (policy.pass.exp() - f32::from(u8::from(passes)));
    let mut found = if grows { policy.grow } else { policy.pass };
    for (point, likelihood) in policy.placement_likelihoods() {
        let played = !grows && turn.placement() == Some(point);
        if played {
            found = likelihood;
        }
        slopes[pass.outputs.grid.cell(point)][1] +=
            KIND_WEIGHT * (likelihood.exp() - f32::from(u8::from(played)));
    }
    errors.kind -= f64::from(found.max(-20.0));
}

fn learn_groups(
    policy: &Policy,
    turn: &Turn,
    seen: &Seen,
    pass: &Pass,
    slopes: &mut [[f32; POINT_OUTPUTS]],
    errors: &mut Errors,
) {
    let board = &seen.position.board;
    let played: PointSet = turn.growth().iter().copied().collect();
    for (_, group) in board.groups_of(seen.position.side) {
        let outputs = || policy.choices.iter().filter(|choice| group.liberties.contains(choice.point));
        // None of the points is the output 0.
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
            slopes[pass.outputs.grid.cell(choice.point)][0] += GROUPS_WEIGHT * slope;
        }
        errors.groups += 1.0;
        errors.chosen -= f64::from(likelihood);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sygo::learn::network::read;

    fn samples() -> Vec<Sample> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sygo");
        let head = "[Sygo \"1\"] [Size \"5\"] [White \"a\"] [Black \"b\"]\n";
        let turns = "1. b2\n2. d4\n3. +b3\n4. +d3\n5. +c3\n6. +c4\n7. pass\n8. pass\n";
        std::fs::write(&path, format!("{head}{turns}[Result \"W+1\"] [End \"two-passes\"]\n")).unwrap();
        read(&path).unwrap().remove(0)
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
        let drawn: Vec<(&Sample, u32)> = samples.iter().enumerate().map(|(i, s)| (s, i as u32)).collect();
        let mut trainer = Trainer::new(Network::new(2, 5));
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
