//! The two kernels: adding rows of weights to the hidden units, and the output.
//!
//! Plain loops over blocks of a size known to the compiler, which makes vector code of them.

use super::{Network, UNIT};

/// What to add to and to take from the hidden units.
pub(super) struct Change<'a> {
    pub(super) added: &'a [usize],
    pub(super) removed: &'a [usize],
}

impl Network {
    /// The units of `change` applied to those at `from` in `units`, stored at `to`.
    #[inline(always)]
    pub(super) fn apply<const BLOCK: usize>(
        &self,
        units: &mut [i16],
        from: usize,
        to: usize,
        change: &Change<'_>,
    ) {
        for begin in (0..self.width).step_by(BLOCK) {
            let mut block = [0; BLOCK];
            block.copy_from_slice(&units[from + begin..][..BLOCK]);
            self.change_block(&mut block, begin, change);
            units[to + begin..][..BLOCK].copy_from_slice(&block);
        }
    }

    /// The units of a position that sets the inputs `set`, stored at `to` in `units`.
    #[inline(always)]
    pub(super) fn collect<const BLOCK: usize>(&self, units: &mut [i16], to: usize, set: &[usize]) {
        for begin in (0..self.width).step_by(BLOCK) {
            let mut block = [0; BLOCK];
            block.copy_from_slice(&self.biases.get()[begin..][..BLOCK]);
            self.change_block(&mut block, begin, &Change { added: set, removed: &[] });
            units[to + begin..][..BLOCK].copy_from_slice(&block);
        }
    }

    #[inline(always)]
    fn change_block<const BLOCK: usize>(&self, block: &mut [i16; BLOCK], begin: usize, change: &Change<'_>) {
        let weights = self.inputs.get();
        for &input in change.added {
            for (unit, weight) in block.iter_mut().zip(&weights[input * self.width + begin..][..BLOCK]) {
                *unit = unit.wrapping_add(*weight);
            }
        }
        for &input in change.removed {
            for (unit, weight) in block.iter_mut().zip(&weights[input * self.width + begin..][..BLOCK]) {
                *unit = unit.wrapping_sub(*weight);
            }
        }
    }

    /// The weighted sum of the clipped and squared units, in 1/(UNIT * UNIT * WEIGHT).
    #[inline(always)]
    pub(super) fn output<const BLOCK: usize>(&self, us: &[i16], them: &[i16]) -> i64 {
        let (for_us, for_them) = self.output.get()[..2 * self.width].split_at(self.width);
        let half = |units: &[i16], weights: &[i16]| {
            let mut sum = 0;
            for (units, weights) in units.chunks_exact(BLOCK).zip(weights.chunks_exact(BLOCK)) {
                for (&unit, &weight) in units.iter().zip(weights) {
                    let clipped = unit.clamp(0, UNIT as i16);
                    // At most 255 * 128: it fits.
                    let product = clipped.wrapping_mul(weight);
                    sum += i32::from(product) * i32::from(clipped);
                }
            }
            i64::from(sum)
        };
        half(us, for_us) + half(them, for_them)
    }
}
