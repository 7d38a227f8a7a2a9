//! Sums of products of bytes with the 128-bit registers of WebAssembly.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

use std::arch::wasm32::{
    i16x8_shl, i16x8_shr, i16x8_splat, i32x4_add, i32x4_dot_i16x8, i32x4_splat, u16x8_shr, v128, v128_and,
    v128_load, v128_store,
};

use super::{COLUMN, LANES};

/// Numbers of 32 bits in a register.
pub(super) const SUMS: usize = 4;

/// Four inputs, at most 127 each, once for each output of a register, as numbers of 16 bits.
#[derive(Clone, Copy)]
pub(super) struct WideInputs {
    /// The first and the third.
    even: v128,
    /// The second and the fourth.
    odd: v128,
}

impl WideInputs {
    #[inline(always)]
    pub(super) fn new(inputs: [u8; COLUMN]) -> WideInputs {
        let inputs = i32x4_splat(i32::from_ne_bytes(inputs));
        WideInputs { even: v128_and(inputs, i16x8_splat(0xff)), odd: u16x8_shr(inputs, 8) }
    }

    /// `sums`, and the products of these inputs with the weights of four outputs. Two products are added by one
    /// instruction of most processors, which bytes would need several for.
    #[inline(always)]
    pub(super) fn add_to(self, sums: v128, weights: v128) -> v128 {
        let even = i32x4_dot_i16x8(self.even, i16x8_shr(i16x8_shl(weights, 8), 8));
        let odd = i32x4_dot_i16x8(self.odd, i16x8_shr(weights, 8));
        i32x4_add(sums, i32x4_add(even, odd))
    }
}

/// The sixteen weights from `at` on.
#[inline(always)]
pub(super) fn weights_at(weights: &[i8], at: usize) -> v128 {
    let weights: &[i8; SUMS * COLUMN] = weights[at..].first_chunk().expect("weights of all outputs");
    // SAFETY: the array has the 16 bytes that are read, and no alignment is asked for.
    unsafe { v128_load(weights.as_ptr().cast()) }
}

pub(super) fn sums(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
    let (inputs, _) = inputs.as_chunks::<COLUMN>();
    let column = outputs.len() * COLUMN;
    for (index, outputs) in outputs.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut found = [i32x4_splat(0); LANES / SUMS];
        for (number, &four) in inputs.iter().enumerate() {
            if four != [0; COLUMN] {
                let four = WideInputs::new(four);
                let at = number * column + index * LANES * COLUMN;
                for part in 0..LANES / SUMS {
                    found[part] = four.add_to(found[part], weights_at(weights, at + part * SUMS * COLUMN));
                }
            }
        }
        let mut added = [0; LANES];
        for part in 0..LANES / SUMS {
            // SAFETY: the four numbers that are written lie in the array.
            unsafe { v128_store(added[part * SUMS..][..SUMS].as_mut_ptr().cast(), found[part]) };
        }
        for (output, added) in outputs.iter_mut().zip(added) {
            *output = output.wrapping_add(added);
        }
    }
}
