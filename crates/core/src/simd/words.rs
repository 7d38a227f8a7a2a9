//! Matrices of numbers of 16 bits, multiplied.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

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
