//! Numbers of 16 bits: matrices of them, multiplied, and eight of them in a register.

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

use std::ops::{Add, Sub};

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use portable as register;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use wasm as register;

/// Eight numbers of 16 bits. Sums and differences wrap around.
#[derive(Clone, Copy, Debug)]
pub struct EightWords(register::Register);

impl EightWords {
    /// How many they are.
    pub const COUNT: usize = 8;

    /// Eight words from eight bytes, from 0 to 255.
    #[inline(always)]
    pub fn of_bytes(bytes: &[u8; EightWords::COUNT]) -> EightWords {
        EightWords(register::of_bytes(bytes))
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self, to: &mut [i16; EightWords::COUNT]) {
        register::store(self.0, to);
    }
}

impl Add for EightWords {
    type Output = EightWords;

    #[inline(always)]
    fn add(self, other: EightWords) -> EightWords {
        EightWords(register::add(self.0, other.0))
    }
}

impl Sub for EightWords {
    type Output = EightWords;

    #[inline(always)]
    fn sub(self, other: EightWords) -> EightWords {
        EightWords(register::sub(self.0, other.0))
    }
}

/// Sets each number of `outputs` to the sum over all inputs of input times weight, for each row of inputs and outputs.
/// Weights of two inputs stand together, for each output one after the other. Sums wrap around at 32 bits.
///
/// # Panics
/// There are not half as many rows of weights as inputs, or not as many outputs as rows of inputs.
#[inline]
pub fn multiply<const INPUTS: usize, const OUTPUTS: usize>(
    weights: &[[[i16; 2]; OUTPUTS]],
    inputs: &[[i16; INPUTS]],
    outputs: &mut [[i32; OUTPUTS]],
) {
    assert_eq!((2 * weights.len(), outputs.len()), (INPUTS, inputs.len()), "numbers of rows");
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if OUTPUTS.is_multiple_of(wasm::WIDTH) {
        return wasm::multiply(weights, inputs, outputs);
    }
    for (inputs, outputs) in inputs.iter().zip(outputs) {
        *outputs = [0; OUTPUTS];
        for (inputs, weights) in inputs.as_chunks::<2>().0.iter().zip(weights) {
            for (output, weights) in outputs.iter_mut().zip(weights) {
                let product = |index: usize| i32::from(inputs[index]) * i32::from(weights[index]);
                *output = output.wrapping_add(product(0).wrapping_add(product(1)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn eight_words_are_added_and_subtracted_one_by_one() {
        let (bytes, others) = ([0, 1, 2, 127, 128, 200, 254, 255], [255, 0, 7, 127, 1, 255, 9, 255]);
        let [one, other] = [&bytes, &others].map(EightWords::of_bytes);
        let (mut sum, mut difference) = ([0; 8], [0; 8]);
        (one + other).store(&mut sum);
        (one - other).store(&mut difference);
        for index in 0..EightWords::COUNT {
            let [one, other] = [bytes[index], others[index]].map(i16::from);
            assert_eq!((sum[index], difference[index]), (one + other, one - other));
        }
    }

    #[test]
    fn sums_are_those_of_the_definition() {
        let mut random = SplitMix::new(3);
        let mut number = move || random.below(4001) as i16 - 2000;
        let weights: [[[i16; 2]; 32]; 4] =
            std::array::from_fn(|_| std::array::from_fn(|_| [number(), number()]));
        for rows in 0..6 {
            let inputs: Vec<[i16; 8]> = (0..rows).map(|_| std::array::from_fn(|_| number())).collect();
            let mut found = vec![[7; 32]; rows];
            multiply(&weights, &inputs, &mut found);
            for (inputs, found) in inputs.iter().zip(&found) {
                for (output, found) in found.iter().enumerate() {
                    let products = |input: usize| {
                        i32::from(inputs[input]) * i32::from(weights[input / 2][output][input % 2])
                    };
                    assert_eq!(*found, (0..8).map(products).sum::<i32>());
                }
            }
        }
    }
}
