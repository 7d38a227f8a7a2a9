//! [`Lanes`] in the 128-bit registers of 64-bit Arm.

use std::arch::aarch64::{float32x4_t, vaddq_f32, vdupq_n_f32, vld1q_f32, vmulq_f32, vst1q_f32};

use super::{LANES, Lanes};

/// Numbers in a register.
const PART: usize = 4;

/// Sixteen numbers in registers.
#[derive(Clone, Copy)]
pub(super) struct Neon([float32x4_t; LANES / PART]);

// SAFETY of what follows: every processor of the target has NEON; the pointers are those of whole parts of arrays.
impl Lanes for Neon {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Neon {
        let mut parts = Neon::of(0.0);
        for part in 0..LANES / PART {
            // SAFETY: see above.
            parts.0[part] = unsafe { vld1q_f32(from[part * PART..][..PART].as_ptr()) };
        }
        parts
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        for part in 0..LANES / PART {
            // SAFETY: see above.
            unsafe { vst1q_f32(to[part * PART..][..PART].as_mut_ptr(), self.0[part]) };
        }
    }

    #[inline(always)]
    fn add_product(mut self, factor: f32, other: Neon) -> Neon {
        let factors = Neon::of(factor);
        for part in 0..LANES / PART {
            // Two instructions, as the fused one does not round the product.
            // SAFETY: see above.
            self.0[part] = unsafe { vaddq_f32(self.0[part], vmulq_f32(factors.0[part], other.0[part])) };
        }
        self
    }
}

impl Neon {
    /// The same number in every lane.
    #[inline(always)]
    fn of(number: f32) -> Neon {
        // SAFETY: every processor of the target has NEON.
        Neon([unsafe { vdupq_n_f32(number) }; LANES / PART])
    }
}
