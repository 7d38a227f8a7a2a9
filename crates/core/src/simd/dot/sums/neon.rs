//! [`Sums`] in the 128-bit registers of 64-bit Arm.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

use std::arch::aarch64::{int32x4_t, vdupq_n_s32, vst1q_s32};

use super::{DotWeights, Sums, SumsJob, WIDTH};
use crate::simd::dot::COLUMN;
use crate::simd::dot::neon::{SUMS, add, in_each_quarter, weights_at};

/// Runs `job` with NEON: 16 of its 32 registers hold sums.
pub(super) fn with_neon<J: SumsJob>(job: J) -> J::Output {
    job.run::<Neon<false>, 2>()
}

/// Runs `job` with the dot product instructions as well.
#[target_feature(enable = "dotprod")]
pub(super) fn with_dot_prod<J: SumsJob>(job: J) -> J::Output {
    job.run::<Neon<true>, 2>()
}

/// Sixteen sums in registers.
#[derive(Clone, Copy)]
struct Neon<const DOT_PROD: bool>([int32x4_t; WIDTH / SUMS]);

// SAFETY of what follows: the type is private, and only `with_dot_prod`, which has the feature, makes jobs run
// with `DOT_PROD`; every processor of the target has NEON.
impl<const DOT_PROD: bool> Sums for Neon<DOT_PROD> {
    #[inline(always)]
    fn zeros() -> Neon<DOT_PROD> {
        // SAFETY: see above.
        Neon([unsafe { vdupq_n_s32(0) }; WIDTH / SUMS])
    }

    #[inline(always)]
    fn add(mut self, inputs: [u8; COLUMN], weights: &DotWeights) -> Neon<DOT_PROD> {
        let inputs = in_each_quarter(inputs);
        for part in 0..WIDTH / SUMS {
            let weights = weights_at(weights, part * SUMS * COLUMN);
            // SAFETY: see above.
            self.0[part] = unsafe { add::<DOT_PROD>(self.0[part], inputs, weights) };
        }
        self
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; WIDTH]) {
        for part in 0..WIDTH / SUMS {
            // SAFETY: the four numbers that are written lie in the array.
            unsafe { vst1q_s32(to[part * SUMS..][..SUMS].as_mut_ptr(), self.0[part]) };
        }
    }
}
