//! Forward over positions and, if a gradient is wanted, backward.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use super::NetworkSample;
use super::model::{HEAD, PARTS};
use crate::gradient::Gradient;
use kaeshi_core::simd::SimdJob;
use kaeshi_reversi::evaluate::network::{HIDDEN, MOST_ROWS, NetworkContents, SECOND};
use kaeshi_reversi::evaluate::pattern::Indices;
use kaeshi_reversi::evaluate::weights::{STAGES, stage};

/// Results in the sum of the squared errors, each times the share of its position.
pub(super) struct PatternNetworkPass<'a> {
    pub(super) values: &'a [f32],
    pub(super) contents: &'a NetworkContents,
    pub(super) samples: &'a [NetworkSample],
    pub(super) gradient: Option<&'a mut Gradient>,
}

impl SimdJob for PatternNetworkPass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(mut self) -> f64 {
        let mut squares = 0.0;
        for sample in self.samples {
            squares += self.learn(sample);
        }
        squares
    }
}

impl PatternNetworkPass<'_> {
    #[inline(always)]
    fn learn(&mut self, sample: &NetworkSample) -> f64 {
        let mut rows = [0; MOST_ROWS];
        let mut count = 0;
        self.contents.visit(&Indices::new(sample.board), |row| {
            rows[count] = row;
            count += 1;
        });
        let begin = stage(sample.board.empties()) * HEAD;
        let head = &self.values[self.values.len() - STAGES * HEAD + begin..][..HEAD];
        let layer = &head[PARTS.layer];
        let mut units: [f32; HIDDEN] = *head.first_chunk().expect("the biases");
        for row in rows {
            let row: &[f32; HIDDEN] = self.values[row * HIDDEN..].first_chunk().expect("a whole row");
            for i in 0..HIDDEN {
                units[i] += row[i];
            }
        }
        let mut active = [0.0; HIDDEN];
        let mut value = head[HEAD - 1];
        let shortcut = &head[PARTS.shortcut];
        for i in 0..HIDDEN {
            let clipped = units[i].clamp(0.0, 1.0);
            active[i] = clipped * clipped;
        }
        value += dot(shortcut, &active);
        let mut second = [0.0; SECOND];
        for unit in 0..SECOND {
            let sum = head[PARTS.layer_biases.start + unit] + dot(&layer[unit * HIDDEN..], &active);
            second[unit] = sum.max(0.0);
            value += head[PARTS.output.start + unit] * second[unit];
        }
        let error = value - sample.missing;
        if let Some(gradient) = &mut self.gradient {
            let slope = error * sample.share;
            let sums = &mut gradient.dense.get_mut()[begin..][..HEAD];
            let mut slopes = [0.0; HIDDEN];
            for i in 0..HIDDEN {
                slopes[i] = slope * shortcut[i];
                sums[PARTS.shortcut.start + i] += slope * active[i];
            }
            for unit in 0..SECOND {
                if second[unit] > 0.0 {
                    let below = slope * head[PARTS.output.start + unit];
                    sums[PARTS.output.start + unit] += slope * second[unit];
                    sums[PARTS.layer_biases.start + unit] += below;
                    let weights = &layer[unit * HIDDEN..][..HIDDEN];
                    let sums = &mut sums[PARTS.layer.start + unit * HIDDEN..][..HIDDEN];
                    for i in 0..HIDDEN {
                        slopes[i] += below * weights[i];
                        sums[i] += below * active[i];
                    }
                }
            }
            sums[HEAD - 1] += slope;
            for i in 0..HIDDEN {
                let inside = units[i] > 0.0 && units[i] < 1.0;
                slopes[i] = if inside { 2.0 * units[i] * slopes[i] } else { 0.0 };
                sums[i] += slopes[i];
            }
            for row in rows {
                gradient.touched.add(row, &slopes);
            }
        }
        f64::from(sample.share * error * error)
    }
}

#[inline(always)]
fn dot(weights: &[f32], inputs: &[f32; HIDDEN]) -> f32 {
    let weights: &[f32; HIDDEN] = weights.first_chunk().expect("a weight for each input");
    let mut lanes = [0.0; 16];
    for half in 0..HIDDEN / 16 {
        for i in 0..16 {
            lanes[i] += weights[16 * half + i] * inputs[16 * half + i];
        }
    }
    lanes.iter().sum()
}
