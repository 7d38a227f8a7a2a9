//! The step of networks with king buckets. Only rows that some position of a batch uses are stepped, as in
//! [`super::nnue`], and what all buckets share where one of them is.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use rayon::prelude::*;

use super::factored::{MergedWeights, add, parts_mut, regions, with_gradient};
use super::optimizer::{OptimizerMoments, OptimizerStep};
use super::region::{PSQT_LIMIT, Region, WEIGHT_LIMIT};
use crate::adam::descend;
use crate::gradient::Gradient;
use kaeshi_core::simd::{SimdJob, SimdLevel};
use kaeshi_shogi::network::NetworkShape;

/// Inputs that one thread steps at a time.
const CHUNK: usize = 16;
/// The widest hidden layer.
const WIDEST: usize = 512;

/// Values with their moments.
struct Trained<'a> {
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Trained<'_> {
    /// Steps those from `begin` on, as many as `sums` has.
    #[inline(always)]
    fn step(&mut self, step: &OptimizerStep<'_>, region: &Region, number: u32, begin: usize, sums: &[f32]) {
        let range = begin..begin + sums.len();
        let (values, first) = (&mut self.values[range.clone()], &mut self.first[range.clone()]);
        descend(&step.factors(region, number), sums, values, first, &mut self.second[range]);
    }
}

/// Values and their moments, in chunks of this size.
fn trained<'a>(
    size: usize,
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
) -> impl IndexedParallelIterator<Item = Trained<'a>> {
    let chunks = (values.par_chunks_mut(size), first.par_chunks_mut(size), second.par_chunks_mut(size));
    chunks.into_par_iter().map(|(values, first, second)| Trained { values, first, second })
}

/// Steps the weights by input, and their sums.
pub(super) fn step(
    step: &OptimizerStep<'_>,
    shape: NetworkShape,
    values: &mut [f32],
    moments: &mut OptimizerMoments,
    merged: &mut MergedWeights,
) {
    let (buckets, width) = (shape.king_buckets, shape.width);
    let regions = regions(shape);
    let (own_steps, shared_steps) = moments.steps.split_at_mut(shape.rows());
    let [values, first, second] =
        [values, &mut moments.first, &mut moments.second].map(|values| parts_mut(shape, values));
    let rows = (
        trained(buckets * width, values.delta, first.delta, second.delta),
        trained(width, values.shared, first.shared, second.shared),
        trained(buckets, values.delta_psqt, first.delta_psqt, second.delta_psqt),
        trained(1, values.shared_psqt, first.shared_psqt, second.shared_psqt),
        own_steps.par_chunks_mut(buckets),
        shared_steps.par_iter_mut(),
        merged.inputs.get_mut().par_chunks_mut(buckets * width),
        merged.psqt.par_chunks_mut(buckets),
    );
    let psqt_at = with_gradient(shape) - shape.rows() - shape.rows() * width;
    let rows = rows.into_par_iter().with_min_len(CHUNK).enumerate();
    rows.for_each(
        |(input, (delta, shared, delta_psqt, shared_psqt, own_steps, shared_steps, inputs, psqt))| {
            SimdLevel::best().run(FactoredInput {
                step,
                regions: &regions,
                first_row: input * buckets,
                psqt_at,
                delta,
                shared,
                delta_psqt,
                shared_psqt,
                own_steps,
                shared_steps,
                inputs,
                psqt,
            });
        },
    );
}

/// The step of one input in all buckets.
struct FactoredInput<'a> {
    step: &'a OptimizerStep<'a>,
    regions: &'a [Region],
    first_row: usize,
    /// Index of the first gradient of a PSQT term among the dense gradients.
    psqt_at: usize,
    delta: Trained<'a>,
    shared: Trained<'a>,
    delta_psqt: Trained<'a>,
    shared_psqt: Trained<'a>,
    own_steps: &'a mut [u32],
    shared_steps: &'a mut u32,
    inputs: &'a mut [f32],
    psqt: &'a mut [f32],
}

impl SimdJob for FactoredInput<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (step, regions, width) = (self.step, self.regions, self.shared.values.len());
        let (mut sums, mut shared_sums) = ([0.0; WIDEST], [0.0; WIDEST]);
        let (sums, shared_sums) = (&mut sums[..width], &mut shared_sums[..width]);
        let (mut shared_psqt, mut used) = (0.0, false);
        for bucket in 0..self.own_steps.len() {
            let row = self.first_row + bucket;
            let mut parts = step.gradients.iter().filter_map(|gradient| gradient.touched.of(row));
            let Some(first) = parts.next() else { continue };
            used = true;
            sums.copy_from_slice(first);
            parts.for_each(|part| add_to(sums, part));
            add_to(shared_sums, sums);
            let number = self.own_steps[bucket].saturating_add(1);
            self.own_steps[bucket] = number;
            self.delta.step(step, &regions[0], number, bucket * width, sums);
            let psqt: f32 =
                step.gradients.iter().map(|gradient| own_value(gradient, self.psqt_at + row)).sum();
            shared_psqt += psqt;
            self.delta_psqt.step(step, &regions[4], number, bucket, &[psqt]);
        }
        if !used {
            return;
        }
        *self.shared_steps = self.shared_steps.saturating_add(1);
        self.shared.step(step, &regions[5], *self.shared_steps, 0, shared_sums);
        self.shared_psqt.step(step, &regions[6], *self.shared_steps, 0, &[shared_psqt]);
        add(self.inputs, self.delta.values, self.shared.values, WEIGHT_LIMIT);
        add(self.psqt, self.delta_psqt.values, self.shared_psqt.values, PSQT_LIMIT);
    }
}

#[inline(always)]
fn add_to(to: &mut [f32], from: &[f32]) {
    let from = &from[..to.len()];
    for i in 0..to.len() {
        to[i] += from[i];
    }
}

#[inline(always)]
fn own_value(gradient: &Gradient, at: usize) -> f32 {
    gradient.dense.get()[at]
}
