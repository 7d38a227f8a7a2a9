//! Networks with king buckets: the weights of an input are those that all buckets share and, added to them, those of
//! the bucket alone. So a bucket that few positions use starts from the knowledge of the others; weight decay draws it
//! towards them. The file has the sums.
//!
//! Values are ordered by input, then by bucket: the row of an input in a bucket is `input * buckets + bucket`.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use super::region::{BIAS_LIMIT, PSQT_LIMIT, PSQT_RATE, Region, WEIGHT_LIMIT};
use kaeshi_core::driver::pages::prefer_large;
use kaeshi_core::simd::Aligned;
use kaeshi_shogi::network::{INPUTS, NetworkShape};

/// The values of a network with king buckets by name, in their order.
pub(super) struct FactoredValues<T> {
    /// Weights of the hidden units by row that a bucket adds to the shared ones.
    pub(super) delta: T,
    pub(super) output: T,
    pub(super) biases: T,
    pub(super) bias: T,
    /// PSQT terms by row that a bucket adds to the shared ones.
    pub(super) delta_psqt: T,
    /// Shared weights of the hidden units by input.
    pub(super) shared: T,
    /// Shared PSQT terms by input.
    pub(super) shared_psqt: T,
}

/// How many there are of each.
pub(super) fn sizes(shape: NetworkShape) -> [usize; 7] {
    let NetworkShape { width, output_buckets, .. } = shape;
    let rows = shape.rows();
    [rows * width, output_buckets * 2 * width, width, output_buckets, rows, INPUTS * width, INPUTS]
}

/// Values whose gradient is kept: all but the shared ones, whose gradient is the sum over the buckets.
pub(super) fn with_gradient(shape: NetworkShape) -> usize {
    sizes(shape)[..5].iter().sum()
}

#[inline(always)]
pub(super) fn parts(shape: NetworkShape, mut values: &[f32]) -> FactoredValues<&[f32]> {
    let [delta, output, biases, bias, delta_psqt, shared, shared_psqt] = sizes(shape).map(|size| {
        let (part, rest) = values.split_at(size);
        values = rest;
        part
    });
    FactoredValues { delta, output, biases, bias, delta_psqt, shared, shared_psqt }
}

pub(super) fn parts_mut(shape: NetworkShape, values: &mut [f32]) -> FactoredValues<&mut [f32]> {
    let mut values = Some(values);
    let [delta, output, biases, bias, delta_psqt, shared, shared_psqt] = sizes(shape).map(|size| {
        let (part, rest) = values.take().unwrap_or_default().split_at_mut(size);
        values = Some(rest);
        part
    });
    FactoredValues { delta, output, biases, bias, delta_psqt, shared, shared_psqt }
}

/// How the values are trained, in their order.
pub(super) fn regions(shape: NetworkShape) -> Vec<Region> {
    let mut begin = 0;
    let kinds = [
        (1.0, true, WEIGHT_LIMIT, shape.width),
        (1.0, true, WEIGHT_LIMIT, 0),
        (1.0, false, BIAS_LIMIT, 0),
        (1.0, false, PSQT_LIMIT, 0),
        (PSQT_RATE, true, PSQT_LIMIT, 1),
        (1.0, true, WEIGHT_LIMIT, shape.width),
        (PSQT_RATE, false, PSQT_LIMIT, 1),
    ];
    let regions = sizes(shape).into_iter().zip(kinds).map(|(size, (rate, decays, limit, row))| {
        let range = begin..begin + size;
        begin += size;
        Region { range, rate, decays, limit, row }
    });
    regions.collect()
}

/// The sums of shared and own weights, which the network calculates with.
#[derive(Clone, Debug)]
pub(super) struct MergedWeights {
    pub(super) inputs: Aligned<f32>,
    pub(super) psqt: Vec<f32>,
}

impl MergedWeights {
    /// Empty, for a network of one bucket.
    pub(super) fn none() -> MergedWeights {
        MergedWeights { inputs: Aligned::zeros(0), psqt: Vec::new() }
    }

    pub(super) fn of(shape: NetworkShape, values: &[f32]) -> MergedWeights {
        let parts = parts(shape, values);
        let mut merged =
            MergedWeights { inputs: Aligned::zeros(parts.delta.len()), psqt: vec![0.0; shape.rows()] };
        prefer_large(merged.inputs.get_mut());
        let (buckets, width) = (shape.king_buckets, shape.width);
        let inputs = merged.inputs.get_mut().chunks_exact_mut(buckets * width);
        let deltas = parts.delta.chunks_exact(buckets * width).zip(parts.shared.chunks_exact(width));
        inputs.zip(deltas).for_each(|(to, (delta, shared))| add(to, delta, shared, WEIGHT_LIMIT));
        let deltas = parts.delta_psqt.chunks_exact(buckets).zip(parts.shared_psqt.chunks_exact(1));
        let psqt = merged.psqt.chunks_exact_mut(buckets);
        psqt.zip(deltas).for_each(|(to, (delta, shared))| add(to, delta, shared, PSQT_LIMIT));
        merged
    }
}

/// The sums of the weights that all buckets share and of those of each bucket; within the limit of the file.
#[inline(always)]
pub(super) fn add(to: &mut [f32], delta: &[f32], shared: &[f32], limit: f32) {
    let width = shared.len();
    for bucket in 0..to.len() / width {
        let (to, delta) = (&mut to[bucket * width..][..width], &delta[bucket * width..][..width]);
        for i in 0..width {
            to[i] = (shared[i] + delta[i]).clamp(-limit, limit);
        }
    }
}
