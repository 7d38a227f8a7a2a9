//! Sums of products of floating-point numbers, sixteen side by side.
//!
//! A product is rounded before it is added, on every processor: so sums are the same everywhere.

#[cfg(target_arch = "aarch64")]
mod neon;

use super::{Features, SimdLevel};

/// Numbers side by side.
pub const LANES: usize = 16;

/// Sixteen numbers in registers.
pub trait Lanes: Copy {
    /// Loads from memory.
    fn load(from: &[f32; LANES]) -> Self;
    /// To memory.
    fn store(self, to: &mut [f32; LANES]);
    /// The sum of this and of `factor` times `other`.
    fn add_product(self, factor: f32, other: Self) -> Self;
}

/// Code that calculates with [`Lanes`], as many sums at a time as the registers hold well.
pub trait LanesJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run<L: Lanes, const SUMS: usize>(self) -> Self::Output;
}

/// The most sums at a time.
pub const MOST_SUMS: usize = 8;

impl SimdLevel {
    /// Runs `job` with the registers of this level.
    #[inline]
    pub fn run_lanes<J: LanesJob>(self, job: J) -> J::Output {
        match self.0 {
            Features::Portable => job.run::<PortableLanes, 4>(),
            #[cfg(target_arch = "aarch64")]
            Features::Neon => job.run::<neon::Neon, 4>(),
            // SAFETY: a level with these features is made in `all` only, where they were detected.
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => unsafe { x86::with_avx2(job) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => unsafe { x86::with_avx512(job) },
        }
    }
}

#[derive(Clone, Copy)]
struct PortableLanes([f32; LANES]);

impl Lanes for PortableLanes {
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> PortableLanes {
        PortableLanes(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add_product(mut self, factor: f32, other: PortableLanes) -> PortableLanes {
        for lane in 0..LANES {
            self.0[lane] += factor * other.0[lane];
        }
        self
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256, __m512, _mm256_add_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps, _mm256_storeu_ps,
        _mm512_add_ps, _mm512_loadu_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_storeu_ps,
    };

    use super::{LANES, Lanes, LanesJob};

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn with_avx2<J: LanesJob>(job: J) -> J::Output {
        job.run::<Avx2Lanes, 4>()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq")]
    pub(super) fn with_avx512<J: LanesJob>(job: J) -> J::Output {
        job.run::<Avx512Lanes, 8>()
    }

    #[derive(Clone, Copy)]
    struct Avx2Lanes([__m256; 2]);

    // SAFETY of what follows: these two types are private, and only the functions above, which have the
    // features, make jobs run with them; the pointers are those of whole arrays.
    impl Lanes for Avx2Lanes {
        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Avx2Lanes {
            // SAFETY: see above.
            unsafe { Avx2Lanes([_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))]) }
        }

        #[inline(always)]
        fn store(self, to: &mut [f32; LANES]) {
            // SAFETY: see above.
            unsafe {
                _mm256_storeu_ps(to.as_mut_ptr(), self.0[0]);
                _mm256_storeu_ps(to.as_mut_ptr().add(8), self.0[1]);
            }
        }

        #[inline(always)]
        fn add_product(self, factor: f32, other: Avx2Lanes) -> Avx2Lanes {
            // SAFETY: see above.
            unsafe {
                let factor = _mm256_set1_ps(factor);
                Avx2Lanes([
                    _mm256_add_ps(self.0[0], _mm256_mul_ps(factor, other.0[0])),
                    _mm256_add_ps(self.0[1], _mm256_mul_ps(factor, other.0[1])),
                ])
            }
        }
    }

    #[derive(Clone, Copy)]
    struct Avx512Lanes(__m512);

    impl Lanes for Avx512Lanes {
        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Avx512Lanes {
            // SAFETY: see above.
            unsafe { Avx512Lanes(_mm512_loadu_ps(from.as_ptr())) }
        }

        #[inline(always)]
        fn store(self, to: &mut [f32; LANES]) {
            // SAFETY: see above.
            unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn add_product(self, factor: f32, other: Avx512Lanes) -> Avx512Lanes {
            // SAFETY: see above.
            unsafe { Avx512Lanes(_mm512_add_ps(self.0, _mm512_mul_ps(_mm512_set1_ps(factor), other.0))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// The sums of products of these factors and numbers, for any registers.
    struct Add<'a>(&'a [(f32, [f32; LANES])]);

    impl LanesJob for Add<'_> {
        type Output = [u32; LANES];

        #[inline(always)]
        fn run<L: Lanes, const SUMS: usize>(self) -> [u32; LANES] {
            let mut sums = L::load(&[0.5; LANES]);
            for (factor, numbers) in self.0 {
                sums = sums.add_product(*factor, L::load(numbers));
            }
            let mut found = [0.0; LANES];
            sums.store(&mut found);
            found.map(f32::to_bits)
        }
    }

    #[test]
    fn every_level_finds_the_same() {
        let mut random = SplitMix::new(11);
        let mut number = move || random.below(1 << 24) as f32 / 3.0e6 - 2.5;
        let products: Vec<(f32, [f32; LANES])> =
            (0..100).map(|_| (number(), std::array::from_fn(|_| number()))).collect();
        let expected = SimdLevel::PORTABLE.run_lanes(Add(&products));
        for level in SimdLevel::all() {
            assert_eq!(level.run_lanes(Add(&products)), expected, "{level:?}");
        }
    }
}
