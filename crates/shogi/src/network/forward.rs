//! The two kernels: adding rows of weights to the hidden units, and the output.
//!
//! Plain loops over blocks of a size known to the compiler, which makes vector code of them.

use arrayvec::ArrayVec;

use super::features::{MOST_SET, NetworkPerspective};
use super::{SCALE, ShogiNetwork, UNIT, WEIGHT, WIDEST};
use crate::rules::position::ShogiPosition;
use kaeshi_core::game::Side;
use kaeshi_core::simd::{SimdJob, block, block_mut};

/// What to add to and to take from the hidden units.
pub(super) struct FeatureChange<'a> {
    pub(super) added: &'a [usize],
    pub(super) removed: &'a [usize],
}

impl ShogiNetwork {
    /// The units of `change` applied to those at `from` in `units`, stored at `to`.
    #[inline(always)]
    pub(super) fn apply<const BLOCK: usize>(
        &self,
        units: &mut [i16],
        from: usize,
        to: usize,
        change: &FeatureChange<'_>,
    ) {
        for begin in (0..self.width).step_by(BLOCK) {
            let mut changed = *block(units, from + begin);
            self.change_block::<BLOCK>(&mut changed, begin, change);
            *block_mut(units, to + begin) = changed;
        }
    }

    /// The units of `side` at `position`, stored in `units`; the sum of its inputs' own values.
    #[inline(always)]
    pub(super) fn collect<const BLOCK: usize>(
        &self,
        position: &ShogiPosition,
        side: Side,
        units: &mut [i16],
    ) -> i32 {
        let mut set = ArrayVec::<usize, MOST_SET>::new();
        NetworkPerspective::of(position, side).visit(position, |input| set.push(input));
        for begin in (0..self.width).step_by(BLOCK) {
            let mut changed = *block(self.biases.get(), begin);
            self.change_block::<BLOCK>(&mut changed, begin, &FeatureChange { added: &set, removed: &[] });
            *block_mut(units, begin) = changed;
        }
        let mut skip = 0;
        for &input in &set {
            skip += self.skip[input];
        }
        skip
    }

    #[inline(always)]
    fn change_block<const BLOCK: usize>(
        &self,
        units: &mut [i16; BLOCK],
        begin: usize,
        change: &FeatureChange<'_>,
    ) {
        let weights = self.inputs.get();
        for &input in change.added {
            let row: &[i16; BLOCK] = block(weights, input * self.width + begin);
            for (i, unit) in units.iter_mut().enumerate() {
                *unit = unit.wrapping_add(row[i]);
            }
        }
        for &input in change.removed {
            let row: &[i16; BLOCK] = block(weights, input * self.width + begin);
            for (i, unit) in units.iter_mut().enumerate() {
                *unit = unit.wrapping_sub(row[i]);
            }
        }
    }

    /// The value for the side to move in centipawns, from the units of that side and of the
    /// other one, and the difference of their inputs' own values.
    #[inline(always)]
    pub(super) fn output<const BLOCK: usize>(&self, units: [&[i16]; 2], skip: i32) -> i32 {
        let (for_us, for_them) = self.output.get()[..2 * self.width].split_at(self.width);
        let sum = half::<BLOCK>(units[0], for_us) + half::<BLOCK>(units[1], for_them);
        let value = sum / i64::from(UNIT) + i64::from(self.bias) + i64::from(skip / 2);
        (value * i64::from(SCALE) / i64::from(UNIT * WEIGHT)) as i32
    }

    /// The value of a position without any memory of others.
    #[inline(always)]
    fn value_afresh<const BLOCK: usize>(&self, position: &ShogiPosition) -> i32 {
        let us = position.side_to_move();
        let mut units = [[0; WIDEST]; 2];
        let [ours, theirs] = &mut units;
        let (ours, theirs) = (&mut ours[..self.width], &mut theirs[..self.width]);
        let skip =
            self.collect::<BLOCK>(position, us, ours) - self.collect::<BLOCK>(position, us.other(), theirs);
        self.output::<BLOCK>([ours, theirs], skip)
    }
}

/// The part of the output's sum that comes from the units of one side.
#[inline(always)]
fn half<const BLOCK: usize>(units: &[i16], weights: &[i16]) -> i64 {
    let mut sum = 0;
    for begin in (0..units.len()).step_by(BLOCK) {
        let weights: &[i16; BLOCK] = block(weights, begin);
        for (i, &unit) in block::<BLOCK>(units, begin).iter().enumerate() {
            let clipped = unit.clamp(0, UNIT as i16);
            // At most 255 * 128: it fits.
            let product = clipped.wrapping_mul(weights[i]);
            sum += i32::from(product) * i32::from(clipped);
        }
    }
    i64::from(sum)
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
        if network.width.is_multiple_of(64) {
            network.value_afresh::<64>(position)
        } else {
            network.value_afresh::<16>(position)
        }
    }
}
