//! Matrices of numbers of 16 bits with the 128-bit registers of WebAssembly.
#![allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]

pub(super) use std::arch::wasm32::{i16x8_add as add, i16x8_sub as sub, v128 as Register};
use std::arch::wasm32::{
    i16x8_load_extend_u8x8, i32x4_add, i32x4_dot_i16x8, i32x4_splat, v128, v128_load, v128_load32_splat,
    v128_store,
};

/// Numbers of 32 bits in a register.
const SUMS: usize = 4;
/// Registers of sums of one row.
const REGISTERS: usize = 4;
/// Outputs that are calculated at a time.
pub(super) const WIDTH: usize = SUMS * REGISTERS;

/// As the function of the same name that calls it; the number of outputs is a multiple of [`WIDTH`].
pub(super) fn multiply<const INPUTS: usize, const OUTPUTS: usize>(
    weights: &[[[i16; 2]; OUTPUTS]],
    inputs: &[[i16; INPUTS]],
    outputs: &mut [[i32; OUTPUTS]],
) {
    // Processors of x86 have 16 registers: eight for the sums of two rows, and those for weights and inputs.
    let (pairs, rest) = inputs.as_chunks::<2>();
    let (pairs_of_outputs, rest_of_outputs) = outputs.as_chunks_mut::<2>();
    for (inputs, outputs) in pairs.iter().zip(pairs_of_outputs) {
        multiply_rows(weights, inputs, outputs);
    }
    for (inputs, outputs) in rest.iter().zip(rest_of_outputs) {
        multiply_rows(weights, std::array::from_ref(inputs), std::array::from_mut(outputs));
    }
}

#[inline(always)]
fn multiply_rows<const ROWS: usize, const INPUTS: usize, const OUTPUTS: usize>(
    weights: &[[[i16; 2]; OUTPUTS]],
    inputs: &[[i16; INPUTS]; ROWS],
    outputs: &mut [[i32; OUTPUTS]; ROWS],
) {
    for begin in (0..OUTPUTS / WIDTH).map(|part| part * WIDTH) {
        let mut sums = [[i32x4_splat(0); REGISTERS]; ROWS];
        for (pair, weights) in weights.iter().enumerate() {
            let mut twins = [i32x4_splat(0); ROWS];
            for row in 0..ROWS {
                twins[row] = splat(&inputs[row], pair);
            }
            for register in 0..REGISTERS {
                let weights = load(weights, begin + register * SUMS);
                for row in 0..ROWS {
                    sums[row][register] =
                        i32x4_add(sums[row][register], i32x4_dot_i16x8(twins[row], weights));
                }
            }
        }
        for row in 0..ROWS {
            for register in 0..REGISTERS {
                let to: &mut [i32] = &mut outputs[row][begin + register * SUMS..][..SUMS];
                // SAFETY: the slice has the 16 bytes that are written, and no alignment is asked for.
                unsafe { v128_store(to.as_mut_ptr().cast(), sums[row][register]) };
            }
        }
    }
}

/// Four elements of four bytes from `begin` on.
#[inline(always)]
fn load<T: bytemuck::Pod, const COUNT: usize>(from: &[T; COUNT], begin: usize) -> v128 {
    const { assert!(size_of::<T>() == 4) };
    let from: &[T] = &from[begin..][..SUMS];
    // SAFETY: the slice has the 16 bytes that are read, and no alignment is asked for.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// A pair of inputs, four times.
#[inline(always)]
fn splat<const INPUTS: usize>(inputs: &[i16; INPUTS], pair: usize) -> v128 {
    let inputs: &[i16] = &inputs[2 * pair..][..2];
    // SAFETY: the slice has the four bytes that are read, and no alignment is asked for.
    unsafe { v128_load32_splat(inputs.as_ptr().cast()) }
}

#[inline(always)]
pub(super) fn of_bytes(bytes: &[u8; 8]) -> Register {
    // SAFETY: the array has the eight bytes that are read, and no alignment is asked for.
    unsafe { i16x8_load_extend_u8x8(bytes.as_ptr()) }
}

#[inline(always)]
pub(super) fn store(numbers: Register, to: &mut [i16; 8]) {
    // SAFETY: the array has the 16 bytes that are written, and no alignment is asked for.
    unsafe { v128_store(to.as_mut_ptr().cast(), numbers) };
}
