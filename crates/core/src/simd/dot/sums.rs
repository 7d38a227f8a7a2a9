//! Sums of products of bytes for code of many sums, which are to stay in registers.

use super::{COLUMN, Dot, DotKernel};

/// Sums side by side.
pub const WIDTH: usize = 16;
/// The weights of four inputs for [`WIDTH`] outputs.
pub type DotWeights = [i8; WIDTH * COLUMN];

/// Sixteen sums in registers.
pub trait Sums: Copy {
    /// Zeros.
    fn zeros() -> Self;
    /// Adds the products of four inputs, at most 127 each, with their weights.
    fn add(self, inputs: [u8; COLUMN], weights: &DotWeights) -> Self;
    /// To memory.
    fn store(self, to: &mut [i32; WIDTH]);
}

/// Code that calculates with [`Sums`], twice `CELLS` of them at a time.
pub trait SumsJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run<S: Sums, const CELLS: usize>(self) -> Self::Output;
}

/// The most `CELLS` of a [`SumsJob`]; the others divide it.
pub const MOST_CELLS: usize = 8;

impl Dot {
    /// Runs `job` in this way.
    #[inline]
    pub fn run<J: SumsJob>(self, job: J) -> J::Output {
        match self.0 {
            DotKernel::Portable => job.run::<PortableSums, 1>(),
            // SAFETY: these ways are made in `all` only, where the features were detected.
            #[cfg(target_arch = "x86_64")]
            DotKernel::Avx2 => unsafe { x86::with_avx2(job) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            DotKernel::Vnni => unsafe { x86::with_vnni(job) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            DotKernel::Simd128 => job.run::<wasm::Simd128, 1>(),
            #[cfg(target_arch = "aarch64")]
            DotKernel::Neon => neon::with_neon(job),
            // SAFETY: this way is made in `all` only, where the feature was detected.
            #[cfg(target_arch = "aarch64")]
            DotKernel::DotProd => unsafe { neon::with_dot_prod(job) },
        }
    }
}

#[derive(Clone, Copy)]
struct PortableSums([i32; WIDTH]);

impl Sums for PortableSums {
    #[inline(always)]
    fn zeros() -> PortableSums {
        PortableSums([0; WIDTH])
    }

    #[inline(always)]
    fn add(mut self, inputs: [u8; COLUMN], weights: &DotWeights) -> PortableSums {
        for (sum, weights) in self.0.iter_mut().zip(weights.as_chunks::<COLUMN>().0) {
            for (&input, &weight) in inputs.iter().zip(weights) {
                *sum += i32::from(input) * i32::from(weight);
            }
        }
        self
    }

    #[inline(always)]
    fn store(self, to: &mut [i32; WIDTH]) {
        *to = self.0;
    }
}

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
        _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256, _mm512_dpbusd_epi32,
        _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    };

    use super::{COLUMN, DotWeights, Sums, SumsJob, WIDTH};

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2<J: SumsJob>(job: J) -> J::Output {
        job.run::<Avx2Sums, 2>()
    }

    #[target_feature(enable = "avx2,avx512f,avx512vl,avx512vnni")]
    pub(super) fn with_vnni<J: SumsJob>(job: J) -> J::Output {
        job.run::<Vnni, 8>()
    }

    #[derive(Clone, Copy)]
    struct Avx2Sums([__m256i; 2]);

    // SAFETY of what follows: these two types are private, and only the functions above, which have the
    // features, make jobs run with them; the pointers are those of whole arrays.
    impl Sums for Avx2Sums {
        #[inline(always)]
        fn zeros() -> Avx2Sums {
            // SAFETY: see above.
            unsafe { Avx2Sums([_mm256_setzero_si256(); 2]) }
        }

        #[inline(always)]
        fn add(self, inputs: [u8; COLUMN], weights: &DotWeights) -> Avx2Sums {
            // SAFETY: see above.
            unsafe {
                let inputs = _mm256_set1_epi32(i32::from_ne_bytes(inputs));
                let weights = weights.as_ptr().cast::<__m256i>();
                let add = |sum, weights| {
                    let pairs = _mm256_maddubs_epi16(inputs, _mm256_loadu_si256(weights));
                    _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
                };
                Avx2Sums([add(self.0[0], weights), add(self.0[1], weights.add(1))])
            }
        }

        #[inline(always)]
        fn store(self, to: &mut [i32; WIDTH]) {
            // SAFETY: see above.
            unsafe {
                _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0[0]);
                _mm256_storeu_si256(to.as_mut_ptr().add(8).cast(), self.0[1]);
            }
        }
    }

    #[derive(Clone, Copy)]
    struct Vnni(__m512i);

    impl Sums for Vnni {
        #[inline(always)]
        fn zeros() -> Vnni {
            // SAFETY: see above.
            unsafe { Vnni(_mm512_setzero_si512()) }
        }

        #[inline(always)]
        fn add(self, inputs: [u8; COLUMN], weights: &DotWeights) -> Vnni {
            // SAFETY: see above.
            unsafe {
                let inputs = _mm512_set1_epi32(i32::from_ne_bytes(inputs));
                Vnni(_mm512_dpbusd_epi32(self.0, inputs, _mm512_loadu_si512(weights.as_ptr().cast())))
            }
        }

        #[inline(always)]
        fn store(self, to: &mut [i32; WIDTH]) {
            // SAFETY: see above.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
        }
    }
}
