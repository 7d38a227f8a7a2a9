//! The output, and values without any memory of other positions.
//!
//! Plain loops over blocks of a size known to the compiler, which makes vector code of them.

use arrayvec::ArrayVec;

use super::accumulator::BucketPerspective;
use super::features::MOST_SET;
use super::{MIDDLE, SCALE, SUMMED, ShogiNetwork, UNIT, WEIGHT, WIDEST};
use crate::accumulator::{InputLayer, apply};
use crate::rules::position::ShogiPosition;
use kaeshi_core::game::Side;
use kaeshi_core::simd::{SimdJob, block};

impl ShogiNetwork {
    /// The units of `side` at `position`, stored in `units`; the sum of its inputs' PSQT terms.
    #[inline(always)]
    fn collect<const BLOCK: usize>(&self, position: &ShogiPosition, side: Side, units: &mut [i16]) -> i32 {
        let mut set = ArrayVec::<usize, MOST_SET>::new();
        let BucketPerspective { view, origin } = self.view(position, side);
        view.visit(position, |input| set.push(origin + input));
        units.copy_from_slice(self.biases.get());
        apply::<BLOCK>(self.inputs.get(), self.shape.width, units, [0, 0], &set, &[]);
        let mut psqt = 0;
        for &input in &set {
            psqt += self.psqt[input];
        }
        psqt
    }

    /// The value for the side to move in centipawns, from the units of that side and of the other one, and the
    /// difference of their inputs' PSQT terms; by the weights of an output bucket.
    #[inline(always)]
    pub(super) fn output<const BLOCK: usize>(&self, bucket: usize, units: [&[i16]; 2], psqt: i32) -> i32 {
        let width = self.shape.width;
        let (for_us, for_them) = self.output.get()[bucket * 2 * width..][..2 * width].split_at(width);
        let sum = half::<BLOCK>(units[0], for_us) + half::<BLOCK>(units[1], for_them);
        let sum = sum + self.middles[bucket];
        let value = sum / i64::from(UNIT) + i64::from(self.bias[bucket]) + i64::from(psqt / 2);
        (value * i64::from(SCALE) / i64::from(UNIT * WEIGHT)) as i32
    }

    /// The value of a position without any memory of others.
    #[inline(always)]
    fn value_afresh<const BLOCK: usize>(&self, position: &ShogiPosition) -> i32 {
        let us = position.side_to_move();
        let mut units = [[0; WIDEST]; 2];
        let [ours, theirs] = &mut units;
        let (ours, theirs) = (&mut ours[..self.shape.width], &mut theirs[..self.shape.width]);
        let psqt =
            self.collect::<BLOCK>(position, us, ours) - self.collect::<BLOCK>(position, us.other(), theirs);
        self.output::<BLOCK>(self.shape.output_bucket(position), [ours, theirs], psqt)
    }
}

/// The part of the output's sum that comes from the units of one side; its squares are less by [`MIDDLE`], so that
/// products of 16 bits can be summed in pairs, which processors do at once.
#[inline(always)]
fn half<const BLOCK: usize>(units: &[i16], weights: &[i16]) -> i64 {
    let mut sum = 0;
    for begin in (0..units.len()).step_by(SUMMED) {
        let end = units.len().min(begin + SUMMED);
        sum += i64::from(part::<BLOCK>(&units[begin..end], &weights[begin..end]));
    }
    sum
}

/// The part of the sum over at most [`SUMMED`] units.
#[inline(always)]
fn part<const BLOCK: usize>(units: &[i16], weights: &[i16]) -> i32 {
    let mut sum = 0;
    for begin in (0..units.len()).step_by(BLOCK) {
        let weights: &[i16; BLOCK] = block(weights, begin);
        for (i, &unit) in block::<BLOCK>(units, begin).iter().enumerate() {
            let clipped = unit.clamp(0, UNIT as i16) as u16;
            let square = (clipped * clipped).wrapping_sub(MIDDLE as u16) as i16;
            sum += i32::from(square) * i32::from(weights[i]);
        }
    }
    sum
}

/// Values a position without any memory of others.
pub(super) struct Afresh<'a> {
    pub(super) network: &'a ShogiNetwork,
    pub(super) position: &'a ShogiPosition,
}

impl SimdJob for Afresh<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Afresh { network, position } = self;
        if network.shape.width.is_multiple_of(64) {
            network.value_afresh::<64>(position)
        } else {
            network.value_afresh::<16>(position)
        }
    }
}
