//! Forward and backward pass of the own network, position by position.
//!
//! The first layer is a sum of rows of weights, its gradient an addition to the same rows; both
//! run over blocks of a size known to the compiler. The order of all additions is fixed.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use std::ops::Range;

use super::model::{Model, ModelParts, ModelShape, parts_mut};
use super::samples::{InputRows, PackedSample, SampleSet, views};
use super::{MIRRORED, hce, nnue};
use crate::gradient::{Gradient, Touched};
use kaeshi_core::simd::{SimdJob, SimdLevel};
use kaeshi_shogi::network::NetworkShape;
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
    if let Some(shape) = model.shape().factored() {
        order.sort_by_cached_key(|&index| shape_order(shape, &set.samples[place(index)]));
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
        ModelShape::Network(shape) => {
            let (samples, targets, gradient) = (&samples[..], &targets[..], Some(gradient));
            SimdLevel::best().run(NetworkPass { model, shape, samples, targets, gradient })
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
        ModelShape::Network(shape) => {
            SimdLevel::best().run(NetworkPass { model, shape, samples, targets, gradient: None })
        }
        ModelShape::Nnue(architecture) => {
            let (architecture, values) = (&architecture, model.values.get());
            SimdLevel::best().run(nnue::NnuePass { architecture, values, samples, targets, gradient: None })
        }
    }
}

/// One bucket after the other, so that the weights of each are fetched once.
fn shape_order(shape: NetworkShape, sample: &PackedSample) -> usize {
    let [our, their] = sample.king_buckets.map(usize::from);
    our * shape.king_buckets + their
}

/// Forward over the samples and, if a gradient is wanted, backward.
struct NetworkPass<'a> {
    model: &'a Model,
    shape: NetworkShape,
    samples: &'a [PackedSample],
    targets: &'a [f32],
    gradient: Option<&'a mut Gradient>,
}

impl SimdJob for NetworkPass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        match self.shape.width {
            16 => self.over_all::<16, 16>(),
            32 => self.over_all::<32, 32>(),
            64 => self.over_all::<64, 64>(),
            128 => self.over_all::<128, 64>(),
            256 => self.over_all::<256, 64>(),
            _ => self.over_all::<512, 64>(),
        }
    }
}

/// The sums to which the gradient of a position is added.
struct GradientParts<'a> {
    parts: ModelParts<&'a mut [f32]>,
    /// The gradients of the input weights, with king buckets.
    touched: Option<&'a mut Touched>,
}

impl NetworkPass<'_> {
    #[inline(always)]
    fn over_all<const WIDTH: usize, const BLOCK: usize>(self) -> f64 {
        let NetworkPass { model, shape, samples, targets, gradient } = self;
        let all = model.parts(shape);
        let mut gradient = gradient.map(|Gradient { dense, touched }| GradientParts {
            parts: parts_mut(shape, dense.get_mut()),
            touched: (shape.king_buckets > 1).then_some(touched),
        });
        let views = views();
        let mut sum = 0.0;
        for (sample, &target) in samples.iter().zip(targets) {
            let rows = sample.rows(views, shape.king_buckets);
            let bucket = usize::from(sample.output_bucket).min(shape.output_buckets - 1);
            let output = &all.output[bucket * 2 * WIDTH..][..2 * WIDTH];
            let weights = ModelParts { output, bias: &all.bias[bucket..], ..all };
            let mut units = [[0.0; WIDTH]; 2];
            let value = forward::<WIDTH, BLOCK>(&weights, &rows, &mut units);
            let chance = 1.0 / (1.0 + (-value).exp());
            let error = chance - target;
            sum += f64::from(error * error);
            if let Some(gradient) = &mut gradient {
                let slope = 2.0 * error * chance * (1.0 - chance);
                backward::<WIDTH, BLOCK>(output, &rows, &units, slope, bucket, gradient);
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
            for &row in rows {
                let row = &weights.inputs[row as usize * WIDTH + begin..][..BLOCK];
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
        let psqt: f32 = rows.iter().map(|&row| weights.psqt[row as usize]).sum();
        value += if half == 0 { 0.5 * psqt } else { -0.5 * psqt };
    }
    value
}

/// Adds the gradient of a position, where `slope` is that of the error by the value, and `output` are the weights of
/// its output bucket.
#[inline(always)]
fn backward<const WIDTH: usize, const BLOCK: usize>(
    output: &[f32],
    rows: &InputRows,
    units: &[[f32; WIDTH]; 2],
    slope: f32,
    bucket: usize,
    gradient: &mut GradientParts<'_>,
) {
    let GradientParts { parts, touched } = gradient;
    parts.bias[bucket] += slope;
    for (half, units) in units.iter().enumerate() {
        let rows = rows.of(half);
        let mut by_unit = [0.0; WIDTH];
        let output = &output[half * WIDTH..][..WIDTH];
        let to_output = &mut parts.output[(2 * bucket + half) * WIDTH..][..WIDTH];
        let to_biases = &mut parts.biases[..WIDTH];
        for index in 0..WIDTH {
            let clipped = units[index].clamp(0.0, 1.0);
            to_output[index] += slope * clipped * clipped;
            let active = if clipped < 1.0 { clipped } else { 0.0 };
            by_unit[index] = 2.0 * slope * output[index] * active;
            to_biases[index] += by_unit[index];
        }
        match touched {
            Some(touched) => rows.iter().for_each(|&row| touched.add(row as usize, &by_unit)),
            None => {
                for begin in (0..WIDTH).step_by(BLOCK) {
                    let mut block = [0.0; BLOCK];
                    block.copy_from_slice(&by_unit[begin..][..BLOCK]);
                    for &row in rows {
                        let row = &mut parts.inputs[row as usize * WIDTH + begin..][..BLOCK];
                        for i in 0..BLOCK {
                            row[i] += block[i];
                        }
                    }
                }
            }
        }
        let own = if half == 0 { 0.5 * slope } else { -0.5 * slope };
        for &row in rows {
            parts.psqt[row as usize] += own;
        }
    }
}
