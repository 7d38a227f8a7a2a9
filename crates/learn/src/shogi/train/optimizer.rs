//! A step of all weights of a network or of the hand-crafted evaluation.

use rayon::prelude::*;

use super::model::Model;
use super::region::Region;
use crate::adam::{AdamRegion, StepFactors, descend};
use crate::gradient::Gradient;
use kaeshi_core::driver::pages::prefer_large;
use kaeshi_core::simd::{SimdJob, SimdLevel};

/// Weights that one thread steps at a time.
const BLOCK: usize = 1024;
/// Rows of sparse weights that one thread handles at a time; most of them are not stepped.
const ROWS: usize = 64;

/// The running means of the gradients and of their squares.
///
/// A row of weights that no position of a batch uses keeps its means and weights. So for each row a step is
/// one in which it was used: otherwise what few positions use would move farthest by them.
#[derive(Clone, Debug)]
pub(super) struct OptimizerMoments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
    /// Steps of each row.
    pub(super) steps: Vec<u32>,
}

impl OptimizerMoments {
    /// Of `count` values, `rows` rows of which are stepped apart.
    pub(super) fn zeros(count: usize, rows: usize) -> OptimizerMoments {
        let mut moments =
            OptimizerMoments { first: vec![0.0; count], second: vec![0.0; count], steps: vec![0; rows] };
        prefer_large(&mut moments.first);
        prefer_large(&mut moments.second);
        moments
    }
}

/// One step of all weights.
pub(super) struct OptimizerStep<'a> {
    pub(super) rate: f32,
    pub(super) decay: f32,
    /// 1 for the first.
    pub(super) number: usize,
    /// Over how many positions the gradients are summed.
    pub(super) positions: usize,
    pub(super) gradients: &'a [Gradient],
}

impl OptimizerStep<'_> {
    /// Steps all but the weights by input of a network with king buckets.
    pub(super) fn make(&self, model: &mut Model, moments: &mut OptimizerMoments) {
        let number = u32::try_from(self.number).unwrap_or(u32::MAX);
        let (rows, width) = model.shape().rows();
        for region in model.regions() {
            if region.row > 0 {
                if model.shape().factored().is_none() {
                    self.make_rows(&region, model, moments);
                }
                continue;
            }
            let range = region.range.clone();
            let values = model.values.get_mut()[range.clone()].par_chunks_mut(BLOCK);
            let first = moments.first[range.clone()].par_chunks_mut(BLOCK);
            let second = moments.second[range.clone()].par_chunks_mut(BLOCK);
            values.zip(first).zip(second).enumerate().for_each(|(index, ((values, first), second))| {
                let begin = range.start - rows * width + index * BLOCK;
                let count = values.len();
                let parts = self.gradients.iter().map(|gradient| &gradient.dense.get()[begin..][..count]);
                SimdLevel::best().run(WeightBlock {
                    step: self,
                    region: &region,
                    number,
                    parts,
                    values,
                    first,
                    second,
                });
            });
        }
    }

    /// Steps the rows that some position used.
    fn make_rows(&self, region: &Region, model: &mut Model, moments: &mut OptimizerMoments) {
        let (range, size) = (region.range.clone(), ROWS * region.row);
        let values = model.values.get_mut()[range.clone()].par_chunks_mut(size);
        let first = moments.first[range.clone()].par_chunks_mut(size);
        let second = moments.second[range].par_chunks_mut(size);
        let blocks = values.zip(first).zip(second).zip(moments.steps.par_chunks_mut(ROWS));
        blocks.enumerate().for_each(|(index, (((values, first), second), steps))| {
            let values = values.chunks_exact_mut(region.row);
            let moments = first.chunks_exact_mut(region.row).zip(second.chunks_exact_mut(region.row));
            for (row, ((values, (first, second)), steps)) in values.zip(moments).zip(steps).enumerate() {
                let row = index * ROWS + row;
                let parts = self.gradients.iter().filter_map(|gradient| gradient.touched.of(row));
                if parts.clone().next().is_some() {
                    *steps = steps.saturating_add(1);
                    SimdLevel::best().run(WeightBlock {
                        step: self,
                        region,
                        number: *steps,
                        parts,
                        values,
                        first,
                        second,
                    });
                }
            }
        });
    }
}

struct WeightBlock<'a, Parts> {
    step: &'a OptimizerStep<'a>,
    region: &'a Region,
    /// Number of the step of these values, 1 for the first.
    number: u32,
    /// The gradients of the parts of the batch.
    parts: Parts,
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl<'a, Parts: Iterator<Item = &'a [f32]>> SimdJob for WeightBlock<'a, Parts> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let WeightBlock { step, region, number, parts, values, first, second } = self;
        let mut sums = [0.0; BLOCK];
        let (sums, _) = sums.split_at_mut(values.len());
        for part in parts {
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum += part;
            }
        }
        descend(&step.factors(region, number), sums, values, first, second);
    }
}

impl OptimizerStep<'_> {
    /// The factors of a step with this number, 1 for the first, of the values of a region.
    #[inline(always)]
    pub(super) fn factors(&self, region: &Region, number: u32) -> StepFactors {
        StepFactors::new(
            number,
            self.positions,
            AdamRegion {
                rate: self.rate * region.rate,
                decay: if region.decays { self.rate * self.decay } else { 0.0 },
                limit: region.limit,
            },
        )
    }
}
