//! [`Sums`] in the 128-bit registers of WebAssembly.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

use std::arch::wasm32::{i32x4_splat, v128, v128_store};

use super::{DotWeights, Sums, WIDTH};
use crate::simd::dot::COLUMN;
use crate::simd::dot::wasm::{SUMS, WideInputs, weights_at};

/// Sixteen sums in registers.
#[derive(Clone, Copy)]
pub(super) struct Simd128([v128; WIDTH / SUMS]);

impl Sums for Simd128 {
    #[inline(always)]
    fn zeros() -> Simd128 {
        Simd128([i32x4_splat(0); WIDTH / SUMS])
    }

    #[inline(always)]
    fn add(mut self, inputs: [u8; COLUMN], weights: &DotWeights) -> Simd128 {
        let inputs = WideInputs::new(inputs);
        for part in 0..WIDTH / SUMS {
            self.0[part] = inputs.add_to(self.0[part], weights_at(weights, part * SUMS * COLUMN));
        }
        self
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; WIDTH]) {
        for part in 0..WIDTH / SUMS {
            // SAFETY: the four numbers that are written lie in the array.
            unsafe { v128_store(to[part * SUMS..][..SUMS].as_mut_ptr().cast(), self.0[part]) };
        }
    }
}
