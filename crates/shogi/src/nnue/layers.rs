//! The layers behind the hidden units, in bytes: from the units of both sides to one number.

#![allow(clippy::needless_range_loop, reason = "iterators that are zipped are not inlined across crates")]

use super::NnueNetwork;
use super::architecture::{Architecture, NnueHead, in_file};
use kaeshi_core::simd::Aligned;
use kaeshi_core::simd::dot::{COLUMN, Dot, LANES};

/// Layers divide their sums by two to this power.
pub(super) const WEIGHT_BITS: u32 = 6;
/// A fully active unit.
pub(super) const ACTIVE: i32 = 127;
/// A fully active hidden unit before the products.
const ACTIVE_FACTOR: i16 = 254;
/// The products of two factors are divided by two to this power, so that they stay below 128.
const PRODUCT_BITS: u32 = 9;

/// One layer of all stacks: sums of inputs times weights.
#[derive(Debug)]
pub(super) struct StackedLayer {
    inputs: usize,
    /// Outputs with those of weight 0 that fill the last lanes.
    lanes: usize,
    /// The biases of all stacks, one after the other.
    biases: Aligned<i32>,
    /// The weights of all stacks, in the order of [`kaeshi_core::simd::dot`].
    weights: Aligned<i8>,
}

impl StackedLayer {
    /// A layer of zeros.
    pub(super) fn zeros(inputs: usize, outputs: usize, stacks: usize) -> StackedLayer {
        let (inputs, lanes) = (in_file(inputs), outputs.next_multiple_of(LANES));
        StackedLayer {
            inputs,
            lanes,
            biases: Aligned::zeros(stacks * lanes),
            weights: Aligned::zeros(stacks * lanes * inputs),
        }
    }

    /// Stores the bias of an output, and the weights of its inputs.
    pub(super) fn set(&mut self, stack: usize, output: usize, bias: i32, weights: &[i8]) {
        self.biases.get_mut()[stack * self.lanes + output] = bias;
        let stack = &mut self.weights.get_mut()[stack * self.lanes * self.inputs..];
        for (input, &weight) in weights.iter().enumerate() {
            stack[(input / COLUMN * self.lanes + output) * COLUMN + input % COLUMN] = weight;
        }
    }

    /// The bias of an output of the first stack, and the weights of its `inputs`.
    pub(super) fn row(&self, output: usize, inputs: usize) -> (i32, Vec<i8>) {
        let weights = self.weights.get();
        let at = |input: usize| (input / COLUMN * self.lanes + output) * COLUMN + input % COLUMN;
        (self.biases.get()[output], (0..inputs).map(|input| weights[at(input)]).collect())
    }

    /// The sums of a stack, stored in `outputs`.
    #[inline(always)]
    fn run(&self, dot: Dot, stack: usize, inputs: &[u8], outputs: &mut [i32]) {
        let size = self.lanes * self.inputs;
        let outputs = &mut outputs[..self.lanes];
        outputs.copy_from_slice(&self.biases.get()[stack * self.lanes..][..self.lanes]);
        dot.add(&self.weights.get()[stack * size..][..size], &inputs[..self.inputs], outputs);
    }
}

/// Buffers for the layers of one position.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Inputs of the layers; the padding stays 0.
    bytes: [Aligned<u8>; 3],
    sums: Aligned<i32>,
}

impl Scratch {
    pub(super) fn new(architecture: &Architecture) -> Scratch {
        let most = architecture.layer_outputs().into_iter().max().unwrap_or(0).next_multiple_of(LANES);
        Scratch {
            bytes: architecture.layer_inputs().map(|inputs| Aligned::zeros(in_file(inputs))),
            sums: Aligned::zeros(most),
        }
    }
}

impl NnueNetwork {
    /// The number at the end, from the hidden units of the side to move and of the other one.
    #[inline(always)]
    pub(super) fn propagate(&self, scratch: &mut Scratch, stack: usize, units: [&[i16]; 2]) -> i32 {
        let Scratch { bytes: [first, second, third], sums } = scratch;
        let sums = sums.get_mut();
        let [hidden, behind] = self.architecture.hidden;
        let half = first.get_mut().len() / 2;
        let products = matches!(self.architecture.head, NnueHead::Products { .. });
        let (own, enemy) = first.get_mut().split_at_mut(half);
        if products {
            multiply(units[0], own);
            multiply(units[1], enemy);
        } else {
            clip_units(units[0], own);
            clip_units(units[1], enemy);
        }
        self.layers[0].run(self.dot, stack, first.get(), sums);
        let mut shortcut = 0;
        if products {
            if self.architecture.has_shortcut() {
                shortcut = sums[hidden];
            }
            let (squares, rest) = second.get_mut().split_at_mut(hidden);
            square(&sums[..hidden], squares);
            clip(&sums[..hidden], rest);
        } else {
            clip(&sums[..hidden], second.get_mut());
        }
        self.layers[1].run(self.dot, stack, second.get(), sums);
        clip(&sums[..behind], third.get_mut());
        self.layers[2].run(self.dot, stack, third.get(), sums);
        sums[0].wrapping_add(shortcut)
    }
}

/// Hidden units between 0 and 127.
#[inline(always)]
fn clip_units(units: &[i16], bytes: &mut [u8]) {
    let bytes = &mut bytes[..units.len()];
    for i in 0..units.len() {
        bytes[i] = units[i].clamp(0, ACTIVE as i16) as u8;
    }
}

/// Each unit of the first half, clipped, times that of the second half.
#[inline(always)]
fn multiply(units: &[i16], bytes: &mut [u8]) {
    let (first, second) = units.split_at(units.len() / 2);
    let (second, bytes) = (&second[..first.len()], &mut bytes[..first.len()]);
    for i in 0..first.len() {
        let factor = |unit: i16| unit.clamp(0, ACTIVE_FACTOR) as u16;
        // At most 254 * 254: it fits.
        bytes[i] = (factor(first[i]).wrapping_mul(factor(second[i])) >> PRODUCT_BITS) as u8;
    }
}

/// Clipped ReLU of sums.
#[inline(always)]
fn clip(sums: &[i32], bytes: &mut [u8]) {
    let bytes = &mut bytes[..sums.len()];
    for i in 0..sums.len() {
        bytes[i] = (sums[i] >> WEIGHT_BITS).clamp(0, ACTIVE) as u8;
    }
}

/// Squared ReLU of sums, clipped; negative sums count like positive ones.
#[inline(always)]
fn square(sums: &[i32], bytes: &mut [u8]) {
    let bytes = &mut bytes[..sums.len()];
    for i in 0..sums.len() {
        let sum = i64::from(sums[i]);
        bytes[i] = ((sum * sum) >> (2 * WEIGHT_BITS + 7)).min(i64::from(ACTIVE)) as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_stay_within_seven_bits() {
        let mut bytes = [0; 4];
        clip_units(&[-5, 0, 90, 3000], &mut bytes);
        assert_eq!(bytes, [0, 0, 90, 127]);
        multiply(&[-1, 10, 254, 3000, 254, 100, -7, i16::MAX], &mut bytes);
        assert_eq!(bytes, [0, 1, 0, 126]);
        clip(&[-64, 63, 64, i32::MAX], &mut bytes);
        assert_eq!(bytes, [0, 0, 1, 127]);
        square(&[-8192, 724, 725, i32::MIN], &mut bytes);
        assert_eq!(bytes, [127, 0, 1, 127]);
    }

    #[test]
    fn the_weights_of_an_output_are_stored_where_the_sums_look_for_them() {
        let mut layer = StackedLayer::zeros(5, 9, 2);
        layer.set(1, 8, 7, &[1, 2, 3, 4, -5]);
        let mut inputs = Aligned::zeros(32);
        inputs.get_mut()[..5].copy_from_slice(&[10, 20, 30, 40, 50]);
        let mut sums = Aligned::zeros(16);
        layer.run(Dot::best(), 1, inputs.get(), sums.get_mut());
        assert_eq!(sums.get()[8], 7 + 10 + 40 + 90 + 160 - 250);
        assert!(sums.get()[..8].iter().chain(&sums.get()[9..]).all(|&sum| sum == 0));
    }
}
