//! Forward and backward through what is trained, position by position; here the network's way.
//!
//! The first layer is a sum of rows of weights, its gradient an addition to the same rows; both
//! run over blocks of a size known to the compiler. The order of all additions is fixed.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use std::ops::Range;

use super::gradient::Gradient;
use super::model::{Model, ModelParts, ModelShape, parts_mut};
use super::samples::{InputRows, PackedSample, SampleSet, views};
use super::{MIRRORED, hce, nnue};
use kaeshi_core::simd::{SimdJob, SimdLevel};
use kaeshi_shogi::network::INPUTS;
use kaeshi_shogi::nnue::own_king;

/// Partial sums of a dot product.
const LANES: usize = 16;

/// Sets `gradient` to that of the squared errors of the positions in `order`, or, of those marked with
/// [`MIRRORED`], of their mirror images; their sum.
pub(super) fn learn(
    model: &Model,
    set: &SampleSet,
    targets: &[f32],
    order: &[u32],
    gradient: &mut Gradient,
) -> f64 {
    // Fetched together, the positions do not make the work wait one by one.
    let place = |index: u32| (index & !MIRRORED) as usize;
    let mut order = order.to_vec();
    if let ModelShape::Nnue(architecture) = model.shape()
        && architecture.features.follows_king()
    {
        // One king after the other: the weights for each lie together and are fetched once.
        order.sort_by_cached_key(|&index| {
            let sample = &set.samples[place(index)];
            (index & MIRRORED, sample.numbers().iter().copied().filter(|&n| n >= own_king(0) as u16).min())
        });
    }
    let mut samples: Vec<PackedSample> = order.iter().map(|&index| set.samples[place(index)]).collect();
    let targets: Vec<f32> = order.iter().map(|&index| targets[place(index)]).collect();
    gradient.clear();
    match model.shape() {
        ModelShape::Hce => {
            let terms = order.iter().map(|&index| &set.terms[index as usize]);
            let positions = samples.iter().zip(terms).zip(targets);
            let positions = positions.map(|((sample, terms), target)| (sample, terms, target));
            hce::pass(model.values.get(), positions, Some(gradient.dense.get_mut()))
        }
        ModelShape::Network(width) => {
            let gradient = Some(parts_mut(width, gradient.dense.get_mut()));
            SimdLevel::best().run(NetworkPass {
                model,
                width,
                samples: &samples,
                targets: &targets,
                gradient,
            })
        }
        ModelShape::Nnue(architecture) => {
            let (architecture, values) = (&architecture, model.values.get());
            let images = samples.iter_mut().zip(&order).filter(|(_, index)| *index & MIRRORED != 0);
            images.for_each(|(sample, _)| sample.mirror());
            let (samples, targets, gradient) = (&samples[..], &targets[..], Some(gradient));
            SimdLevel::best().run(nnue::NnuePass { architecture, values, samples, targets, gradient })
        }
    }
}

/// The sum of the squared errors of the positions in `range`.
pub(super) fn error(model: &Model, set: &SampleSet, targets: &[f32], range: Range<usize>) -> f64 {
    let (samples, targets) = (&set.samples[range.clone()], &targets[range.clone()]);
    match model.shape() {
        ModelShape::Hce => {
            let positions = samples.iter().zip(&set.terms[range]).zip(targets);
            let positions = positions.map(|((sample, terms), &target)| (sample, terms, target));
            hce::pass(model.values.get(), positions, None)
        }
        ModelShape::Network(width) => {
            SimdLevel::best().run(NetworkPass { model, width, samples, targets, gradient: None })
        }
        ModelShape::Nnue(architecture) => {
            let (architecture, values) = (&architecture, model.values.get());
            SimdLevel::best().run(nnue::NnuePass { architecture, values, samples, targets, gradient: None })
        }
    }
}

/// Forward over the samples and, if a gradient is wanted, backward.
struct NetworkPass<'a> {
    model: &'a Model,
    width: usize,
    samples: &'a [PackedSample],
    targets: &'a [f32],
    gradient: Option<ModelParts<&'a mut [f32]>>,
}

impl SimdJob for NetworkPass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        match self.width {
            16 => self.over_all::<16, 16>(),
            32 => self.over_all::<32, 32>(),
            64 => self.over_all::<64, 64>(),
            128 => self.over_all::<128, 64>(),
            _ => self.over_all::<256, 64>(),
        }
    }
}

impl NetworkPass<'_> {
    #[inline(always)]
    fn over_all<const WIDTH: usize, const BLOCK: usize>(mut self) -> f64 {
        let weights = self.model.parts();
        let views = views();
        let mut sum = 0.0;
        for (sample, &target) in self.samples.iter().zip(self.targets) {
            let rows = sample.rows(views);
            let mut units = [[0.0; WIDTH]; 2];
            let value = forward::<WIDTH, BLOCK>(&weights, &rows, &mut units);
            let chance = 1.0 / (1.0 + (-value).exp());
            let error = chance - target;
            sum += f64::from(error * error);
            if let Some(gradient) = &mut self.gradient {
                let slope = 2.0 * error * chance * (1.0 - chance);
                backward::<WIDTH, BLOCK>(&weights, &rows, &units, slope, gradient);
            }
        }
        sum
    }
}

/// The value of a position; `units` receives its hidden units.
#[inline(always)]
fn forward<const WIDTH: usize, const BLOCK: usize>(
    weights: &ModelParts<&[f32]>,
    rows: &InputRows,
    units: &mut [[f32; WIDTH]; 2],
) -> f32 {
    let mut value = weights.bias[0];
    for (half, units) in units.iter_mut().enumerate() {
        let rows = rows.of(half);
        for begin in (0..WIDTH).step_by(BLOCK) {
            let mut block = [0.0; BLOCK];
            block.copy_from_slice(&weights.biases[begin..][..BLOCK]);
            for &input in rows {
                let row = &weights.inputs[usize::from(input) * WIDTH + begin..][..BLOCK];
                for i in 0..BLOCK {
                    block[i] += row[i];
                }
            }
            units[begin..][..BLOCK].copy_from_slice(&block);
        }
        let mut lanes = [0.0; LANES];
        let output = &weights.output[half * WIDTH..][..WIDTH];
        for begin in (0..WIDTH).step_by(LANES) {
            let (units, output) = (&units[begin..][..LANES], &output[begin..][..LANES]);
            for i in 0..LANES {
                let clipped = units[i].clamp(0.0, 1.0);
                lanes[i] += clipped * clipped * output[i];
            }
        }
        value += lanes.iter().sum::<f32>();
        let skip: f32 = rows.iter().map(|&input| weights.skip[usize::from(input) % INPUTS]).sum();
        value += if half == 0 { 0.5 * skip } else { -0.5 * skip };
    }
    value
}

/// Adds the gradient of a position, where `slope` is that of the error by the value.
#[inline(always)]
fn backward<const WIDTH: usize, const BLOCK: usize>(
    weights: &ModelParts<&[f32]>,
    rows: &InputRows,
    units: &[[f32; WIDTH]; 2],
    slope: f32,
    gradient: &mut ModelParts<&mut [f32]>,
) {
    gradient.bias[0] += slope;
    for (half, units) in units.iter().enumerate() {
        let rows = rows.of(half);
        let mut by_unit = [0.0; WIDTH];
        let output = &weights.output[half * WIDTH..][..WIDTH];
        let to_output = &mut gradient.output[half * WIDTH..][..WIDTH];
        let to_biases = &mut gradient.biases[..WIDTH];
        for index in 0..WIDTH {
            let clipped = units[index].clamp(0.0, 1.0);
            to_output[index] += slope * clipped * clipped;
            let active = if clipped < 1.0 { clipped } else { 0.0 };
            by_unit[index] = 2.0 * slope * output[index] * active;
            to_biases[index] += by_unit[index];
        }
        for begin in (0..WIDTH).step_by(BLOCK) {
            let mut block = [0.0; BLOCK];
            block.copy_from_slice(&by_unit[begin..][..BLOCK]);
            for &input in rows {
                let row = &mut gradient.inputs[usize::from(input) * WIDTH + begin..][..BLOCK];
                for i in 0..BLOCK {
                    row[i] += block[i];
                }
            }
        }
        let own = if half == 0 { 0.5 * slope } else { -0.5 * slope };
        for &input in rows {
            gradient.skip[usize::from(input) % INPUTS] += own;
        }
    }
}
