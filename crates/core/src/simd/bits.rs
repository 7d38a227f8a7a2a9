//! Sets of bits in registers, for code that works on a few sets for long.

use super::SimdLevel;

/// Words of a set.
pub const WORDS: usize = 6;

/// A set of 384 bits in registers.
pub trait Bits: Copy {
    /// From memory.
    fn load(words: &[u64; WORDS]) -> Self;
    /// The bits in both sets.
    fn and(self, other: Self) -> Self;
    /// The bits in any of both sets.
    fn or(self, other: Self) -> Self;
    /// The bits that are not in `other`.
    fn without(self, other: Self) -> Self;
    /// Whether there is no bit.
    fn is_empty(self) -> bool;
    /// Number of bits.
    fn len(self) -> u32;
    /// Number of bits less that of `other`.
    fn excess(self, other: Self) -> i32;
    /// The bits one place and `STRIDE` places before and behind these.
    fn neighbours<const STRIDE: u32>(self) -> Self;
}

/// Code that calculates with [`Bits`].
pub trait BitsJob {
    /// What it results in.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run<B: Bits>(self) -> Self::Output;
}

impl SimdLevel {
    /// Runs `job` with the registers of this level.
    #[inline]
    pub fn run_bits<J: BitsJob>(self, job: J) -> J::Output {
        match self.0 {
            // SAFETY: a level with the other features is made in `all` only, where they were detected.
            #[cfg(target_arch = "x86_64")]
            super::Features::Avx512 if super::detect::population_count_512() => unsafe {
                x86::with_avx512(job)
            },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            super::Features::Avx512 | super::Features::Avx2 => unsafe { x86::with_avx2(job) },
            _ => job.run::<PortableBits>(),
        }
    }
}

/// Words, from which the compiler makes vector code where it can.
#[derive(Clone, Copy)]
struct PortableBits([u64; WORDS]);

impl PortableBits {
    /// The set of these words. Written out, so that it needs no function of another unit.
    #[inline(always)]
    fn of_words(word: impl Fn(usize) -> u64) -> PortableBits {
        PortableBits([word(0), word(1), word(2), word(3), word(4), word(5)])
    }

    /// The bits moved on by `places`.
    #[inline(always)]
    fn up(self, places: u32) -> PortableBits {
        let before = |i: usize| if i > 0 { self.0[i - 1] >> (64 - places) } else { 0 };
        PortableBits::of_words(|i| self.0[i] << places | before(i))
    }

    /// The bits moved back by `places`.
    #[inline(always)]
    fn down(self, places: u32) -> PortableBits {
        let behind = |i: usize| if i + 1 < WORDS { self.0[i + 1] << (64 - places) } else { 0 };
        PortableBits::of_words(|i| self.0[i] >> places | behind(i))
    }
}

impl Bits for PortableBits {
    #[inline(always)]
    fn load(words: &[u64; WORDS]) -> PortableBits {
        PortableBits(*words)
    }

    #[inline(always)]
    fn and(self, other: PortableBits) -> PortableBits {
        PortableBits::of_words(|i| self.0[i] & other.0[i])
    }

    #[inline(always)]
    fn or(self, other: PortableBits) -> PortableBits {
        PortableBits::of_words(|i| self.0[i] | other.0[i])
    }

    #[inline(always)]
    fn without(self, other: PortableBits) -> PortableBits {
        PortableBits::of_words(|i| self.0[i] & !other.0[i])
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    #[inline(always)]
    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn excess(self, other: PortableBits) -> i32 {
        self.len() as i32 - other.len() as i32
    }

    #[inline(always)]
    fn neighbours<const STRIDE: u32>(self) -> PortableBits {
        self.up(1).or(self.down(1)).or(self.up(STRIDE)).or(self.down(STRIDE))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m512i, _mm_cvtsi32_si128, _mm512_alignr_epi64, _mm512_and_si512, _mm512_andnot_si512,
        _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64,
        _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_sub_epi64, _mm512_test_epi64_mask,
    };

    use super::{Bits, BitsJob, PortableBits, WORDS};

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn with_avx2<J: BitsJob>(job: J) -> J::Output {
        job.run::<PortableBits>()
    }

    #[target_feature(
        enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq"
    )]
    pub(super) fn with_avx512<J: BitsJob>(job: J) -> J::Output {
        job.run::<Avx512Bits>()
    }

    /// The words in the lower lanes of a register; neighbours may have bits in the seventh.
    #[derive(Clone, Copy)]
    struct Avx512Bits(__m512i);

    // SAFETY of what follows: this type is private, and only the function above, which has the features, makes
    // jobs run with it; the pointer is that of a whole array, of which the mask selects all words.
    impl Bits for Avx512Bits {
        #[inline(always)]
        fn load(words: &[u64; WORDS]) -> Avx512Bits {
            // SAFETY: see above.
            unsafe { Avx512Bits(_mm512_maskz_loadu_epi64((1 << WORDS) - 1, words.as_ptr().cast())) }
        }

        #[inline(always)]
        fn and(self, other: Avx512Bits) -> Avx512Bits {
            // SAFETY: see above.
            unsafe { Avx512Bits(_mm512_and_si512(self.0, other.0)) }
        }

        #[inline(always)]
        fn or(self, other: Avx512Bits) -> Avx512Bits {
            // SAFETY: see above.
            unsafe { Avx512Bits(_mm512_or_si512(self.0, other.0)) }
        }

        #[inline(always)]
        fn without(self, other: Avx512Bits) -> Avx512Bits {
            // SAFETY: see above.
            unsafe { Avx512Bits(_mm512_andnot_si512(other.0, self.0)) }
        }

        #[inline(always)]
        fn is_empty(self) -> bool {
            // SAFETY: see above.
            unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
        }

        #[inline(always)]
        fn len(self) -> u32 {
            // SAFETY: see above.
            unsafe { _mm512_reduce_add_epi64(_mm512_popcnt_epi64(self.0)) as u32 }
        }

        #[inline(always)]
        fn excess(self, other: Avx512Bits) -> i32 {
            // SAFETY: see above.
            unsafe {
                let [own, others] = [self, other].map(|bits| _mm512_popcnt_epi64(bits.0));
                _mm512_reduce_add_epi64(_mm512_sub_epi64(own, others)) as i32
            }
        }

        #[inline(always)]
        fn neighbours<const STRIDE: u32>(self) -> Avx512Bits {
            // SAFETY: see above.
            unsafe {
                let before = _mm512_alignr_epi64::<7>(self.0, _mm512_setzero_si512());
                let behind = _mm512_alignr_epi64::<1>(_mm512_setzero_si512(), self.0);
                let moved = |places: u32| {
                    let near = _mm_cvtsi32_si128(places as i32);
                    let far = _mm_cvtsi32_si128(64 - places as i32);
                    let up = _mm512_or_si512(_mm512_sll_epi64(self.0, near), _mm512_srl_epi64(before, far));
                    let down = _mm512_or_si512(_mm512_srl_epi64(self.0, near), _mm512_sll_epi64(behind, far));
                    _mm512_or_si512(up, down)
                };
                Avx512Bits(_mm512_or_si512(moved(1), moved(STRIDE)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    /// Numbers that show what each operation does with these two sets.
    struct Operations<'a>(&'a [u64; WORDS], &'a [u64; WORDS]);

    impl BitsJob for Operations<'_> {
        type Output = Vec<i64>;

        #[inline(always)]
        fn run<B: Bits>(self) -> Vec<i64> {
            let (one, other) = (B::load(self.0), B::load(self.1));
            // Sets are never stored, so that each bit is asked for.
            let places = |bits: B| {
                (0..64 * WORDS).map(move |place| {
                    let mut words = [0; WORDS];
                    words[place / 64] = 1 << (place % 64);
                    i64::from(!bits.and(B::load(&words)).is_empty())
                })
            };
            let sets = [one, one.and(other), one.or(other), one.without(other), one.neighbours::<20>()];
            let counts = [i64::from(one.len()), i64::from(one.excess(other))];
            sets.into_iter().flat_map(places).chain(counts).collect()
        }
    }

    #[test]
    fn every_level_finds_the_same() {
        let mut random = SplitMix::new(3);
        for share in [1, 3, 9] {
            let mut set = || std::array::from_fn(|_| (0..share).fold(u64::MAX, |all, _| all & random.draw()));
            let (one, other) = (set(), set());
            let expected = PortableBits(one);
            let level = |level: SimdLevel| level.run_bits(Operations(&one, &other));
            let portable = level(SimdLevel::PORTABLE);
            assert_eq!(portable[portable.len() - 2], i64::from(expected.len()));
            for other in SimdLevel::all() {
                assert_eq!(level(other), portable, "{other:?}");
            }
        }
    }

    #[test]
    fn neighbours_are_one_place_and_a_row_away() {
        for place in [0, 19, 63, 64, 200, 383] {
            let mut words = [0; WORDS];
            words[place / 64] = 1u64 << (place % 64);
            let found = PortableBits(words).neighbours::<20>();
            let expected = [place.checked_sub(20), place.checked_sub(1), Some(place + 1), Some(place + 20)];
            let mut expected: Vec<usize> =
                expected.into_iter().flatten().filter(|place| *place < 64 * WORDS).collect();
            expected.dedup();
            let found: Vec<usize> =
                (0..64 * WORDS).filter(|place| found.0[place / 64] >> (place % 64) & 1 == 1).collect();
            assert_eq!(found, expected, "{place}");
        }
    }
}
