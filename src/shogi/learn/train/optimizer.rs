//! AdamW: a step of every weight in units of its usual gradient.

use rayon::prelude::*;

use super::model::{Model, Region};
use crate::simd::{Aligned, Job, Level};

const FIRST_MEMORY: f32 = 0.9;
const SECOND_MEMORY: f32 = 0.999;
const SMALLEST: f32 = 1e-8;
/// Weights that one thread steps at a time.
const BLOCK: usize = 1024;

/// The running means of the gradients and of their squares.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    pub(super) first: Vec<f32>,
    pub(super) second: Vec<f32>,
}

impl Moments {
    pub(super) fn zeros(count: usize) -> Moments {
        Moments { first: vec![0.0; count], second: vec![0.0; count] }
    }
}

/// One step of all weights.
pub(super) struct Step<'a> {
    pub(super) rate: f32,
    pub(super) decay: f32,
    /// 1 for the first.
    pub(super) number: usize,
    /// Over how many positions the gradients are summed.
    pub(super) positions: usize,
    pub(super) gradients: &'a [Aligned<f32>],
}

impl Step<'_> {
    pub(super) fn make(&self, model: &mut Model, moments: &mut Moments) {
        let number = i32::try_from(self.number).unwrap_or(i32::MAX);
        let first_share = 1.0 - f64::from(FIRST_MEMORY).powi(number);
        let second_share = 1.0 - f64::from(SECOND_MEMORY).powi(number);
        for region in model.regions() {
            let range = region.range.clone();
            let values = model.values.get_mut()[range.clone()].par_chunks_mut(BLOCK);
            let first = moments.first[range.clone()].par_chunks_mut(BLOCK);
            let second = moments.second[range.clone()].par_chunks_mut(BLOCK);
            values.zip(first).zip(second).enumerate().for_each(|(index, ((values, first), second))| {
                Level::best().run(Block {
                    step: self,
                    region: &region,
                    begin: range.start + index * BLOCK,
                    values,
                    first,
                    second,
                    first_factor: (1.0 / first_share) as f32,
                    second_factor: (1.0 / second_share) as f32,
                });
            });
        }
    }
}

struct Block<'a> {
    step: &'a Step<'a>,
    region: &'a Region,
    begin: usize,
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    first_factor: f32,
    second_factor: f32,
}

impl Job for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Block { step, region, begin, values, first, second, first_factor, second_factor } = self;
        let mut sums = [0.0; BLOCK];
        let sums = &mut sums[..values.len()];
        for gradient in step.gradients {
            for (sum, part) in sums.iter_mut().zip(&gradient.get()[begin..]) {
                *sum += part;
            }
        }
        let mean = 1.0 / step.positions as f32;
        let rate = step.rate * region.rate;
        let keep = if region.decays { 1.0 - step.rate * step.decay } else { 1.0 };
        for (((value, first), second), sum) in values.iter_mut().zip(first).zip(second).zip(sums) {
            let gradient = *sum * mean;
            *first = FIRST_MEMORY * *first + (1.0 - FIRST_MEMORY) * gradient;
            *second = SECOND_MEMORY * *second + (1.0 - SECOND_MEMORY) * gradient * gradient;
            let size = (*second * second_factor).sqrt() + SMALLEST;
            let moved = *value * keep - rate * (*first * first_factor) / size;
            *value = moved.clamp(-region.limit, region.limit);
        }
    }
}
