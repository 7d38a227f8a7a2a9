//! Sums of products of bytes with the 128-bit registers of WebAssembly.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

use std::arch::wasm32::{
    i8x16_shuffle, i16x8_add, i16x8_extmul_high_i8x16, i16x8_extmul_low_i8x16, i32x4_add,
    i32x4_extadd_pairwise_i16x8, i32x4_splat, v128, v128_load, v128_store,
};

use super::{COLUMN, LANES};

/// Numbers of 32 bits in a register.
pub(super) const SUMS: usize = 4;

/// `sums`, and the products of four inputs, at most 127 each, with the weights of four outputs.
#[inline(always)]
pub(super) fn add(sums: v128, inputs: v128, weights: v128) -> v128 {
    let low = i16x8_extmul_low_i8x16(inputs, weights);
    let high = i16x8_extmul_high_i8x16(inputs, weights);
    // Two products are at most 2 * 127 * 128, which 16 bits hold.
    let first = i8x16_shuffle::<0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29>(low, high);
    let second = i8x16_shuffle::<2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31>(low, high);
    i32x4_add(sums, i32x4_extadd_pairwise_i16x8(i16x8_add(first, second)))
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
                let four = i32x4_splat(i32::from_ne_bytes(four));
                let at = number * column + index * LANES * COLUMN;
                for part in 0..LANES / SUMS {
                    found[part] = add(found[part], four, weights_at(weights, at + part * SUMS * COLUMN));
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
