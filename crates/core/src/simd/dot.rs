//! Sums of products of bytes: the layers of networks quantized to eight bits.
//!
//! Weights lie in columns of four inputs: for each four inputs one after the other, the four weights of every output.
//! The processors' dot products of bytes need this layout.

#[cfg(target_arch = "aarch64")]
mod neon;
pub mod sums;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
use super::detect;

/// Number of outputs calculated at a time: their number must be a multiple of it.
pub const LANES: usize = 8;
/// Inputs of a column.
pub const COLUMN: usize = 4;

/// A way to calculate the sums, found to work on this processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dot(DotKernel);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DotKernel {
    /// No special features.
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 VNNI.
    #[cfg(target_arch = "x86_64")]
    Vnni,
    /// 128-bit registers, which the whole program is compiled for.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    /// NEON, which every processor of the target has.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// The dot product of bytes, optional from Armv8.2 on.
    #[cfg(target_arch = "aarch64")]
    DotProd,
}

impl Dot {
    /// The portable kernel.
    pub const PORTABLE: Dot = Dot(DotKernel::Portable);

    /// All ways that this processor has, the fastest last.
    pub fn all() -> Vec<Dot> {
        #[cfg_attr(
            not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
            allow(unused_mut)
        )]
        let mut ways = vec![Dot::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if detect::avx2() {
                ways.push(Dot(DotKernel::Avx2));
            }
            if detect::vnni() {
                ways.push(Dot(DotKernel::Vnni));
            }
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        ways.push(Dot(DotKernel::Simd128));
        #[cfg(target_arch = "aarch64")]
        {
            ways.push(Dot(DotKernel::Neon));
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                ways.push(Dot(DotKernel::DotProd));
            }
        }
        ways
    }

    /// The fastest way.
    pub fn best() -> Dot {
        Dot::all().pop().unwrap_or(Dot::PORTABLE)
    }

    /// Whether a product of bytes takes as long as one of numbers of 16 bits: the processor has no instruction that
    /// adds more than two of them.
    pub fn widens(self) -> bool {
        cfg!(all(target_arch = "wasm32", target_feature = "simd128")) && self != Dot::PORTABLE
    }

    /// Adds to each output the sum over all inputs of input times weight, wrapping around at 32 bits.
    /// All inputs must be at most 127, or sums of two products could leave 16 bits.
    ///
    /// # Panics
    /// There are not as many weights as inputs times outputs, the numbers of inputs or outputs are no
    /// multiples of [`COLUMN`] and [`LANES`], or weights or outputs are not aligned to 64 bytes.
    #[inline]
    pub fn add(self, weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
        assert_eq!(weights.len(), inputs.len() * outputs.len(), "a weight for each input and output");
        assert_eq!((inputs.len() % COLUMN, outputs.len() % LANES), (0, 0), "whole columns and lanes");
        debug_assert!(inputs.iter().all(|&input| input <= 127));
        match self.0 {
            DotKernel::Portable => portable(weights, inputs, outputs),
            // SAFETY: these ways are made in `all` only, where the features were detected.
            #[cfg(target_arch = "x86_64")]
            DotKernel::Avx2 => unsafe { x86::avx2(weights, inputs, outputs) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            DotKernel::Vnni => unsafe { x86::vnni(weights, inputs, outputs) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            DotKernel::Simd128 => wasm::sums(weights, inputs, outputs),
            #[cfg(target_arch = "aarch64")]
            DotKernel::Neon => neon::neon(weights, inputs, outputs),
            // SAFETY: this way is made in `all` only, where the feature was detected.
            #[cfg(target_arch = "aarch64")]
            DotKernel::DotProd => unsafe { neon::dot_prod(weights, inputs, outputs) },
        }
    }
}

fn portable(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
    let (columns, _) = weights.as_chunks::<COLUMN>();
    for (inputs, column) in inputs.as_chunks::<COLUMN>().0.iter().zip(columns.chunks_exact(outputs.len())) {
        if *inputs == [0; COLUMN] {
            continue;
        }
        for (output, weights) in outputs.iter_mut().zip(column) {
            let products =
                inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
            *output = output.wrapping_add(products.sum());
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators that are zipped are not inlined across crates, and the sums would lie in memory"
)]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_dpbusd_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16,
        _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm512_add_epi32, _mm512_dpbusd_epi32,
        _mm512_set1_epi32, _mm512_setzero_si512,
    };

    use super::COLUMN;

    #[target_feature(enable = "avx2")]
    pub(super) fn avx2(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
        let weights: &[__m256i] = bytemuck::cast_slice(weights);
        let outputs: &mut [__m256i] = bytemuck::cast_slice_mut(outputs);
        let columns = outputs.len();
        let (inputs, _) = inputs.as_chunks::<COLUMN>();
        match columns {
            1 => avx2_outputs::<1>(weights, columns, inputs, outputs, 0),
            2 => avx2_outputs::<2>(weights, columns, inputs, outputs, 0),
            4 => avx2_outputs::<4>(weights, columns, inputs, outputs, 0),
            8 => avx2_outputs::<8>(weights, columns, inputs, outputs, 0),
            _ => (0..columns).for_each(|first| avx2_outputs::<1>(weights, columns, inputs, outputs, first)),
        }
    }

    /// The `N` vectors from `at` on.
    #[inline(always)]
    fn vectors<T, const N: usize>(weights: &[T], at: usize) -> &[T; N] {
        weights[at..].first_chunk().expect("weights of all outputs")
    }

    /// The `N` vectors of outputs from the `first` one on.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn avx2_outputs<const N: usize>(
        weights: &[__m256i],
        columns: usize,
        inputs: &[[u8; COLUMN]],
        outputs: &mut [__m256i],
        first: usize,
    ) {
        let ones = _mm256_set1_epi16(1);
        let mut sums = [_mm256_setzero_si256(); N];
        let mut at = first;
        for &four in inputs {
            let four = i32::from_ne_bytes(four);
            if four != 0 {
                let four = _mm256_set1_epi32(four);
                let column = vectors::<_, N>(weights, at);
                for n in 0..N {
                    let products = _mm256_madd_epi16(_mm256_maddubs_epi16(four, column[n]), ones);
                    sums[n] = _mm256_add_epi32(sums[n], products);
                }
            }
            at += columns;
        }
        for n in 0..N {
            outputs[first + n] = _mm256_add_epi32(outputs[first + n], sums[n]);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
    pub(super) fn vnni(weights: &[i8], inputs: &[u8], outputs: &mut [i32]) {
        let (inputs, _) = inputs.as_chunks::<COLUMN>();
        if !outputs.len().is_multiple_of(16) {
            let weights: &[__m256i] = bytemuck::cast_slice(weights);
            let outputs: &mut [__m256i] = bytemuck::cast_slice_mut(outputs);
            for first in 0..outputs.len() {
                vnni_half_outputs(weights, outputs.len(), inputs, outputs, first);
            }
            return;
        }
        let weights: &[__m512i] = bytemuck::cast_slice(weights);
        let outputs: &mut [__m512i] = bytemuck::cast_slice_mut(outputs);
        let columns = outputs.len();
        match columns {
            1 => vnni_outputs::<1, 4>(weights, columns, inputs, outputs, 0),
            2 => vnni_outputs::<2, 4>(weights, columns, inputs, outputs, 0),
            4 => vnni_outputs::<4, 2>(weights, columns, inputs, outputs, 0),
            _ => {
                (0..columns).for_each(|first| vnni_outputs::<1, 4>(weights, columns, inputs, outputs, first))
            }
        }
    }

    /// The `N` vectors of outputs from the `first` one on. The instruction takes several cycles, so
    /// `CHAINS` sums are kept apart and added in the end.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
    fn vnni_outputs<const N: usize, const CHAINS: usize>(
        weights: &[__m512i],
        columns: usize,
        inputs: &[[u8; COLUMN]],
        outputs: &mut [__m512i],
        first: usize,
    ) {
        let mut sums = [[_mm512_setzero_si512(); N]; CHAINS];
        let mut at = first;
        let (bundles, rest) = inputs.as_chunks::<CHAINS>();
        for fours in bundles {
            for chain in 0..CHAINS {
                let four = _mm512_set1_epi32(i32::from_ne_bytes(fours[chain]));
                let column = vectors::<_, N>(weights, at);
                for n in 0..N {
                    sums[chain][n] = _mm512_dpbusd_epi32(sums[chain][n], four, column[n]);
                }
                at += columns;
            }
        }
        for &four in rest {
            let four = _mm512_set1_epi32(i32::from_ne_bytes(four));
            let column = vectors::<_, N>(weights, at);
            for n in 0..N {
                sums[0][n] = _mm512_dpbusd_epi32(sums[0][n], four, column[n]);
            }
            at += columns;
        }
        for n in 0..N {
            for chain in 0..CHAINS {
                outputs[first + n] = _mm512_add_epi32(outputs[first + n], sums[chain][n]);
            }
        }
    }

    /// One vector of eight outputs, the `first`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512vnni")]
    fn vnni_half_outputs(
        weights: &[__m256i],
        columns: usize,
        inputs: &[[u8; COLUMN]],
        outputs: &mut [__m256i],
        first: usize,
    ) {
        let mut sums = [_mm256_setzero_si256(); 4];
        let mut at = first;
        for (number, &four) in inputs.iter().enumerate() {
            let four = _mm256_set1_epi32(i32::from_ne_bytes(four));
            sums[number % 4] = _mm256_dpbusd_epi32(sums[number % 4], four, weights[at]);
            at += columns;
        }
        for sum in sums {
            outputs[first] = _mm256_add_epi32(outputs[first], sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;
    use crate::simd::Aligned;

    #[test]
    fn every_way_finds_the_sums_of_the_definition() {
        // .ci/aarch64 looks for the ways that its processors must have.
        println!("{:?}", Dot::all());
        let mut random = SplitMix::new(7);
        for inputs in [4, 8, 32, 36, 512] {
            for outputs in [8, 16, 24, 32, 64, 80] {
                let bytes: Vec<u8> = (0..inputs).map(|_| random.below(128) as u8).collect();
                let weights: Vec<i8> = (0..inputs * outputs).map(|_| random.below(256) as u8 as i8).collect();
                let weight = |input: usize, output: usize| {
                    weights[(input / COLUMN * outputs + output) * COLUMN + input % COLUMN]
                };
                let expected: Vec<i32> = (0..outputs)
                    .map(|output| {
                        (0..inputs).map(|i| i32::from(bytes[i]) * i32::from(weight(i, output))).sum::<i32>()
                            - 5
                    })
                    .collect();
                for dot in Dot::all() {
                    let mut found = Aligned::of(&vec![-5; outputs]);
                    dot.add(Aligned::of(&weights).get(), &bytes, found.get_mut());
                    assert_eq!(found.get(), expected, "{dot:?}, {inputs} to {outputs}");
                }
            }
        }
    }
}
