//! Networks in the form of `nn.bin`: weights in floating point, forward and backward.
//!
//! A fully active unit is 1 here and 127 in the file, and the output is the logarithm of the odds of the side
//! to move. Values are ordered: for each input the weights of all hidden units, their biases, then for each of
//! the three layers its weights, output by output, and its biases.
//!
//! A position sets 38 or 40 of up to 125,388 inputs, so gradients of the first weights are kept for those inputs
//! alone that positions set ([`crate::gradient::Touched`]).

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use super::region::Region;
use super::samples::{PackedSample, numbers};
use crate::gradient::Gradient;
use kaeshi_core::driver::pages::prefer_large;
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
use kaeshi_core::simd::{Aligned, SimdJob};
use kaeshi_shogi::network::SCALE;
use kaeshi_shogi::nnue::{
    ACTIVE, Architecture, DEFAULT_SCALE, FeatureIndices, QuantizedNnue, WEIGHT, enemy_king,
};

/// Largest weight of the hidden units: 40 of them and a bias stay within 16 bits.
const UNIT_LIMIT: f32 = 4.0;
const BIAS_LIMIT: f32 = 60.0;
/// Largest weight of 8 bits.
const LARGEST: f32 = 127.0;
/// The number of a weight of 1 in the last layer.
const LAST_WEIGHT: f32 = SCALE as f32 * DEFAULT_SCALE as f32 / ACTIVE as f32;
/// Partial sums of a dot product.
const LANES: usize = 32;

/// Values of the weights of hidden units by input.
pub(super) fn rows(architecture: &Architecture) -> usize {
    architecture.features.inputs() * architecture.width
}

/// Values behind those: the biases of the hidden units, then weights and biases of each layer.
fn sizes(architecture: &Architecture) -> [usize; 7] {
    let (inputs, outputs) = (architecture.layer_inputs(), architecture.layer_outputs());
    let weights = |layer: usize| inputs[layer] * outputs[layer];
    [architecture.width, weights(0), outputs[0], weights(1), outputs[1], weights(2), outputs[2]]
}

/// All values.
pub(super) fn count(architecture: &Architecture) -> usize {
    rows(architecture) + sizes(architecture).into_iter().sum::<usize>()
}

/// The values behind the weights of hidden units, part by part.
#[inline(always)]
fn parts<'a>(architecture: &Architecture, mut values: &'a [f32]) -> [&'a [f32]; 7] {
    sizes(architecture).map(|size| {
        let (part, rest) = values.split_at(size);
        values = rest;
        part
    })
}

#[inline(always)]
fn parts_mut<'a>(architecture: &Architecture, values: &'a mut [f32]) -> [&'a mut [f32]; 7] {
    let mut values = Some(values);
    sizes(architecture).map(|size| {
        let (part, rest) = values.take().unwrap_or_default().split_at_mut(size);
        values = Some(rest);
        part
    })
}

/// How the values are trained.
pub(super) fn regions(architecture: &Architecture) -> Vec<Region> {
    let mut begin = 0;
    let mut region = |count: usize, decays, limit, row| {
        let range = begin..begin + count;
        begin += count;
        Region { range, rate: 1.0, decays, limit, row }
    };
    let first = region(rows(architecture), true, UNIT_LIMIT, architecture.width);
    let weight = LARGEST / WEIGHT as f32;
    let limits = [UNIT_LIMIT, weight, BIAS_LIMIT, weight, BIAS_LIMIT, LARGEST / LAST_WEIGHT, BIAS_LIMIT];
    let behind = sizes(architecture).into_iter().zip(limits).enumerate();
    let behind = behind.map(|(part, (size, limit))| region(size, part % 2 == 1, limit, 0));
    [first].into_iter().chain(behind).collect()
}

/// All values 0.
fn zeros(architecture: &Architecture) -> Aligned<f32> {
    let mut values = Aligned::zeros(count(architecture));
    prefer_large(values.get_mut());
    values
}

/// Hidden units half active, each a little different.
pub(super) fn random(architecture: &Architecture, seed: u64) -> Aligned<f32> {
    let mut values = zeros(architecture);
    let mut random = SplitMix::new(seed);
    let mut uniform = |bound: f32| bound * (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
    let (first, behind) = values.get_mut().split_at_mut(rows(architecture));
    first.fill_with(|| uniform(0.06));
    let [biases, layers @ ..] = parts_mut(architecture, behind);
    biases.fill(0.5);
    for (part, inputs) in layers.into_iter().step_by(2).zip(architecture.layer_inputs()) {
        part.fill_with(|| uniform((3.0 / inputs as f32).sqrt()));
    }
    values
}

/// The values of a network of K+P in one whose inputs are pairs of a king and a piece: the weights of the own king go
/// to all pieces in equal parts; the enemy's king, which is no input there, is replaced by its average contribution to
/// the biases, by the frequencies `kings` of its squares.
pub(super) fn folded(
    from: &Architecture,
    values: &[f32],
    to: &Architecture,
    kings: &[f32; 81],
) -> Aligned<f32> {
    let width = from.width;
    let row = |number: usize| &values[number * width..][..width];
    let mut folded = zeros(to);
    let (first, behind) = folded.get_mut().split_at_mut(rows(to));
    behind.copy_from_slice(&values[rows(from)..]);
    for (input, units) in first.chunks_exact_mut(width).enumerate() {
        let [piece, king] = to.features.piece_and_king(input).map(row);
        for ((unit, piece), king) in units.iter_mut().zip(piece).zip(king) {
            *unit = piece + king / (FeatureIndices::COUNT - 2) as f32;
        }
    }
    let total: f32 = kings.iter().sum();
    for (square, often) in kings.iter().enumerate() {
        for (bias, weight) in behind.iter_mut().zip(row(enemy_king(square))) {
            *bias += often / total * weight;
        }
    }
    folded
}

/// The numbers of 1 among the weights and among the biases of each layer.
const LAYER_UNITS: [[f32; 2]; 3] = [
    [WEIGHT as f32, (WEIGHT * ACTIVE) as f32],
    [WEIGHT as f32, (WEIGHT * ACTIVE) as f32],
    [LAST_WEIGHT, (SCALE * DEFAULT_SCALE) as f32],
];
/// Sums of all layers but the last are rounded down: half a unit more in the bias, and they are rounded.
const ROUNDING: [i32; 3] = [WEIGHT / 2, WEIGHT / 2, 0];

/// The values rounded, as the file has them.
pub(super) fn to_quantized(architecture: &Architecture, values: &[f32]) -> QuantizedNnue {
    let (first, behind) = values.split_at(rows(architecture));
    let [biases, w1, b1, w2, b2, w3, b3] = parts(architecture, behind);
    let short = |values: &[f32]| values.iter().map(|v| (v * ACTIVE as f32).round() as i16).collect();
    let layers = [(w1, b1), (w2, b2), (w3, b3)];
    QuantizedNnue {
        architecture: *architecture,
        biases: short(biases),
        weights: short(first),
        layers: [0, 1, 2].map(|layer| {
            let ((weights, biases), [unit, bias_unit]) = (layers[layer], LAYER_UNITS[layer]);
            (
                biases.iter().map(|v| (v * bias_unit).round() as i32 + ROUNDING[layer]).collect(),
                weights.iter().map(|v| (v * unit).round() as i8).collect(),
            )
        }),
    }
}

/// The values of a file.
pub(super) fn from_quantized(quantized: &QuantizedNnue) -> Aligned<f32> {
    let architecture = &quantized.architecture;
    let mut values = zeros(architecture);
    let (first, behind) = values.get_mut().split_at_mut(rows(architecture));
    let [biases, layers @ ..] = parts_mut(architecture, behind);
    let fill = |to: &mut [f32], from: &[i16]| {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / ACTIVE as f32);
    };
    fill(first, &quantized.weights);
    fill(biases, &quantized.biases);
    for (part, to) in layers.into_iter().enumerate() {
        let layer = part / 2;
        let ((biases, weights), [unit, bias_unit]) = (&quantized.layers[layer], LAYER_UNITS[layer]);
        if part % 2 == 0 {
            to.iter_mut().zip(weights).for_each(|(to, &from)| *to = f32::from(from) / unit);
        } else {
            let biases = biases.iter().map(|bias| bias - ROUNDING[layer]);
            to.iter_mut().zip(biases).for_each(|(to, from)| *to = from as f32 / bias_unit);
        }
    }
    values
}

/// How often the enemy's king stands on each square, with the mirror image of each position; once more everywhere.
pub(super) fn enemy_kings(samples: &[PackedSample]) -> [f32; 81] {
    let mut kings = [1.0; 81];
    for sample in samples {
        for &number in sample.numbers() {
            if let Some(square) = usize::from(number).checked_sub(enemy_king(0)) {
                kings[square] += 1.0;
                kings[(8 - square / 9) * 9 + square % 9] += 1.0;
            }
        }
    }
    kings
}

/// Forward over the samples and, if a gradient is wanted, backward.
pub(super) struct NnuePass<'a> {
    pub(super) architecture: &'a Architecture,
    pub(super) values: &'a [f32],
    pub(super) samples: &'a [PackedSample],
    pub(super) targets: &'a [f32],
    pub(super) gradient: Option<&'a mut Gradient>,
}

impl SimdJob for NnuePass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        if self.architecture.width.is_multiple_of(64) { self.over_all::<64>() } else { self.over_all::<32>() }
    }
}

/// The sums, outputs and slopes of a layer, or of the hidden units, for a position.
struct Activations {
    /// Sums of weights.
    sums: Vec<f32>,
    /// The sums clipped to 0 to 1.
    active: Vec<f32>,
    /// The slope of the error by the sums.
    slopes: Vec<f32>,
}

impl Activations {
    fn new(units: usize) -> Activations {
        Activations { sums: vec![0.0; units], active: vec![0.0; units], slopes: vec![0.0; units] }
    }

    #[inline(always)]
    fn clip(&mut self) {
        let sums = &self.sums[..self.active.len()];
        for i in 0..sums.len() {
            self.active[i] = sums[i].clamp(0.0, 1.0);
        }
    }

    /// Slopes become 0 where a change of the sum changes nothing.
    #[inline(always)]
    fn clip_slopes(&mut self) {
        let sums = &self.sums[..self.slopes.len()];
        for i in 0..sums.len() {
            self.slopes[i] = if sums[i] > 0.0 && sums[i] < 1.0 { self.slopes[i] } else { 0.0 };
        }
    }
}

impl NnuePass<'_> {
    #[inline(always)]
    fn over_all<const BLOCK: usize>(mut self) -> f64 {
        let Architecture { features, width, hidden, .. } = *self.architecture;
        let (first, behind) = self.values.split_at(rows(self.architecture));
        let [biases, w1, b1, w2, b2, w3, b3] = parts(self.architecture, behind);
        let numbers = numbers();
        let mut units = Activations::new(2 * width);
        let mut second = Activations::new(hidden[0]);
        let mut third = Activations::new(hidden[1]);
        let mut set = [Vec::new(), Vec::new()];
        let mut error_sum = 0.0;
        for (sample, &target) in self.samples.iter().zip(self.targets) {
            for (half, set) in set.iter_mut().enumerate() {
                set.clear();
                let (numbers_of, mirrored) = (sample.numbers(), sample.is_mirrored());
                numbers.inputs(features, numbers_of, half == 1, mirrored, |input| set.push(input));
                add_rows::<BLOCK>(first, biases, set, &mut units.sums[half * width..][..width]);
            }
            units.clip();
            layer(w1, b1, &units.active, &mut second.sums);
            second.clip();
            layer(w2, b2, &second.active, &mut third.sums);
            third.clip();
            let value = b3[0] + dot(w3, &third.active);
            let chance = 1.0 / (1.0 + (-value).exp());
            let error = chance - target;
            error_sum += f64::from(error * error);
            let Some(gradient) = &mut self.gradient else { continue };
            let slope = 2.0 * error * chance * (1.0 - chance);
            let Gradient { dense, touched } = &mut **gradient;
            let [g_biases, g1, g_b1, g2, g_b2, g3, g_b3] = parts_mut(self.architecture, dense.get_mut());
            g_b3[0] += slope;
            add_scaled(g3, &third.active, slope);
            third.slopes.iter_mut().zip(w3).for_each(|(to, weight)| *to = slope * weight);
            third.clip_slopes();
            back(&third.slopes, w2, &second.active, &mut second.slopes, g2, g_b2);
            second.clip_slopes();
            back(&second.slopes, w1, &units.active, &mut units.slopes, g1, g_b1);
            units.clip_slopes();
            for (half, set) in set.iter().enumerate() {
                let slopes = &units.slopes[half * width..][..width];
                add_scaled(g_biases, slopes, 1.0);
                set.iter().for_each(|&input| touched.add(input, slopes));
            }
        }
        error_sum
    }
}

/// Sums up the rows of the inputs in `set`.
#[inline(always)]
fn add_rows<const BLOCK: usize>(weights: &[f32], biases: &[f32], set: &[usize], sums: &mut [f32]) {
    let width = biases.len();
    for begin in (0..width).step_by(BLOCK) {
        let mut block = [0.0; BLOCK];
        block.copy_from_slice(&biases[begin..][..BLOCK]);
        for &input in set {
            let row = &weights[input * width + begin..][..BLOCK];
            for i in 0..BLOCK {
                block[i] += row[i];
            }
        }
        sums[begin..][..BLOCK].copy_from_slice(&block);
    }
}

/// The sums of a layer.
#[inline(always)]
fn layer(weights: &[f32], biases: &[f32], inputs: &[f32], sums: &mut [f32]) {
    let width = inputs.len();
    for output in 0..sums.len() {
        sums[output] = biases[output] + dot(&weights[output * width..][..width], inputs);
    }
}

/// From the slopes of a layer's sums to those of its inputs, and to the gradient of its weights and biases.
#[inline(always)]
fn back(
    slopes: &[f32],
    weights: &[f32],
    inputs: &[f32],
    to_inputs: &mut [f32],
    to_weights: &mut [f32],
    to_biases: &mut [f32],
) {
    to_inputs.fill(0.0);
    let width = inputs.len();
    for output in 0..slopes.len() {
        let slope = slopes[output];
        if slope != 0.0 {
            to_biases[output] += slope;
            add_scaled(&mut to_weights[output * width..][..width], inputs, slope);
            add_scaled(to_inputs, &weights[output * width..][..width], slope);
        }
    }
}

#[inline(always)]
fn add_scaled(to: &mut [f32], from: &[f32], factor: f32) {
    let from = &from[..to.len()];
    for i in 0..to.len() {
        to[i] += factor * from[i];
    }
}

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let b = &b[..a.len()];
    let whole = a.len() / LANES * LANES;
    for begin in (0..whole).step_by(LANES) {
        let (a, b) = (&a[begin..][..LANES], &b[begin..][..LANES]);
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    for i in whole..a.len() {
        lanes[i - whole] += a[i] * b[i];
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Refuses networks that this trainer cannot train.
pub(super) fn check(architecture: &Architecture) -> Result<(), GameError> {
    if !architecture.features.follows_from_numbers() {
        return Err(GameError::unsupported(format!(
            "{architecture} cannot be trained; inputs can be HalfKP and K+P"
        )));
    }
    // The states of trainings hold this number.
    if Architecture::of_number(architecture.number()) != Some(*architecture) {
        return Err(GameError::unsupported(format!("{architecture} is too large to be trained")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_products_of_any_length() {
        for length in [0, 1, 8, 31, 32, 33, 512] {
            let a: Vec<f32> = (0..length).map(|i| i as f32 % 7.0).collect();
            let b: Vec<f32> = (0..length).map(|i| 1.0 - i as f32 % 3.0).collect();
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - expected).abs() < 1e-3, "{length}");
        }
    }
}
