//! Sums of products of bytes with the 128-bit registers of 64-bit Arm.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

use std::arch::aarch64::{
    int8x16_t, int32x4_t, vaddq_s32, vdupq_n_s32, vget_low_s8, vld1q_s8, vld1q_s32, vmull_high_s8, vmull_s8,
    vpadalq_s16, vpaddq_s16, vreinterpretq_s8_s32, vst1q_s32,
};
use std::arch::asm;

use super::COLUMN;

/// Numbers of 32 bits in a register.
pub(super) const SUMS: usize = 4;

/// `sums` and the products of four inputs with the weights of four outputs, by one instruction of Armv8.2.
/// The standard library has no stable function for it.
#[inline]
#[target_feature(enable = "dotprod")]
fn sdot(mut sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction reads and writes these three registers only, and the processor has it.
    unsafe {
        asm!(
            "sdot {sums:v}.4s, {inputs:v}.16b, {weights:v}.16b",
            sums = inout(vreg) sums,
            inputs = in(vreg) inputs,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// `sums`, and the products of four inputs, at most 127 each, with the weights of four outputs.
///
/// # Safety
/// Needs the dot product instructions if `DOT_PROD`.
#[inline(always)]
pub(super) unsafe fn add<const DOT_PROD: bool>(
    sums: int32x4_t,
    inputs: int8x16_t,
    weights: int8x16_t,
) -> int32x4_t {
    // SAFETY: every processor of the target has NEON, and the dot product is there, says the caller.
    unsafe {
        if DOT_PROD {
            sdot(sums, inputs, weights)
        } else {
            let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            let high = vmull_high_s8(inputs, weights);
            // Two products are at most 2 * 127 * 128, which 16 bits hold.
            vpadalq_s16(sums, vpaddq_s16(low, high))
        }
    }
}

/// The four inputs, in each quarter of a register.
#[inline(always)]
pub(super) fn in_each_quarter(inputs: [u8; COLUMN]) -> int8x16_t {
    // SAFETY: every processor of the target has NEON.
    unsafe { vreinterpretq_s8_s32(vdupq_n_s32(i32::from_ne_bytes(inputs))) }
}

/// The sixteen weights from `at` on.
#[inline(always)]
pub(super) fn weights_at(weights: &[i8], at: usize) -> int8x16_t {
    let weights: &[i8; SUMS * COLUMN] = weights[at..].first_chunk().expect("weights of all outputs");
    // SAFETY: the array has the 16 bytes that are read.
    unsafe { vld1q_s8(weights.as_ptr()) }
}

pub(super) fn neon(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
    // SAFETY: no dot product.
    unsafe { sums::<false>(weights, inputs, outputs) }
}

#[target_feature(enable = "dotprod")]
pub(super) fn dot_prod(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
    // SAFETY: the caller has the feature.
    unsafe { sums::<true>(weights, inputs, outputs) }
}

/// # Safety
/// Needs the dot product instructions if `DOT_PROD`.
#[inline(always)]
unsafe fn sums<const DOT_PROD: bool>(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
    let (inputs, _) = inputs.as_chunks::<COLUMN>();
    // SAFETY: as the caller says.
    unsafe {
        match outputs.len() {
            8 => some::<DOT_PROD, 2>(weights, inputs, outputs, 0),
            16 => some::<DOT_PROD, 4>(weights, inputs, outputs, 0),
            length if length.is_multiple_of(32) => {
                (0..length).step_by(32).for_each(|first| some::<DOT_PROD, 8>(weights, inputs, outputs, first))
            }
            length => {
                (0..length).step_by(8).for_each(|first| some::<DOT_PROD, 2>(weights, inputs, outputs, first));
            }
        }
    }
}

/// The outputs from the `first` one on that `N` registers hold.
///
/// # Safety
/// Needs the dot product instructions if `DOT_PROD`.
#[inline(always)]
unsafe fn some<const DOT_PROD: bool, const N: usize>(
    weights: &[i8],
    inputs: &[[u8; COLUMN]],
    outputs: &mut [i32],
    first: usize,
) {
    let column = outputs.len() * COLUMN;
    // SAFETY: every processor of the target has NEON.
    let mut found = [unsafe { vdupq_n_s32(0) }; N];
    for (number, &four) in inputs.iter().enumerate() {
        if four != [0; COLUMN] {
            let four = in_each_quarter(four);
            let at = number * column + first * COLUMN;
            for n in 0..N {
                let weights = weights_at(weights, at + n * SUMS * COLUMN);
                // SAFETY: as the caller says.
                found[n] = unsafe { add::<DOT_PROD>(found[n], four, weights) };
            }
        }
    }
    let (outputs, _) = outputs[first..].as_chunks_mut::<SUMS>();
    for n in 0..N {
        // SAFETY: four numbers are read and written, and the array has them.
        unsafe { vst1q_s32(outputs[n].as_mut_ptr(), vaddq_s32(vld1q_s32(outputs[n].as_ptr()), found[n])) };
    }
}
