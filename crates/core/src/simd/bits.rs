//! Bit sets kept in SIMD registers, for loops over a few sets.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::SimdLevel;

/// Words of a set.
pub const WORDS: usize = 6;

/// A set of 384 bits.
pub trait BitSet: Copy {
    /// Loads a set.
    fn load(words: &[u64; WORDS]) -> Self;
    /// The words of the set.
    fn store(self) -> [u64; WORDS];
    /// Intersection.
    fn and(self, other: Self) -> Self;
    /// Union.
    fn or(self, other: Self) -> Self;
    /// Difference: the bits that are not in `other`.
    fn without(self, other: Self) -> Self;
    /// Whether the set is empty.
    fn is_empty(self) -> bool;
    /// Number of bits.
    fn len(self) -> u32;
    /// Number of bits less that of `other`.
    fn len_difference(self, other: Self) -> i32;
    /// The bits one place and `STRIDE` places before and behind these; those outside of the set are dropped.
    fn neighbours<const STRIDE: u32>(self) -> Self;
}

/// Code that calculates with [`BitSet`].
pub trait BitsJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run<B: BitSet>(self) -> Self::Output;
}

/// The sets of code that is compiled for no special features: those that every processor of the target has.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type NativeBits = wasm::Simd128Bits;
/// The sets of code that is compiled for no special features: those that every processor of the target has.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
pub type NativeBits = PortableBits;

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
            _ => job.run::<NativeBits>(),
        }
    }
}

/// Words, from which the compiler makes vector code where it can.
#[derive(Clone, Copy)]
pub struct PortableBits([u64; WORDS]);

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

impl BitSet for PortableBits {
    #[inline(always)]
    fn load(words: &[u64; WORDS]) -> PortableBits {
        PortableBits(*words)
    }

    #[inline(always)]
    fn store(self) -> [u64; WORDS] {
        self.0
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
    fn len_difference(self, other: PortableBits) -> i32 {
        self.len() as i32 - other.len() as i32
    }

    #[inline(always)]
    fn neighbours<const STRIDE: u32>(self) -> PortableBits {
        self.up(1).or(self.down(1)).or(self.up(STRIDE)).or(self.down(STRIDE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    const STRIDE: u32 = 20;
    type Words = [u64; WORDS];

    /// The results of each operation on two sets, and the numbers of bits.
    #[derive(Debug, PartialEq)]
    struct Found {
        sets: [Words; 4],
        empty: bool,
        lengths: [i32; 3],
    }

    struct Operations<'a>(&'a Words, &'a Words);

    impl BitsJob for Operations<'_> {
        type Output = Found;

        #[inline(always)]
        fn run<B: BitSet>(self) -> Found {
            let (one, other) = (B::load(self.0), B::load(self.1));
            let near = one.neighbours::<STRIDE>();
            Found {
                sets: [
                    one.and(other).store(),
                    one.or(other).store(),
                    one.without(other).store(),
                    near.store(),
                ],
                empty: one.and(other).is_empty(),
                lengths: [one.len() as i32, near.len() as i32, one.len_difference(other)],
            }
        }
    }

    /// The same by the definition of each, place by place.
    fn expected(one: &Words, other: &Words) -> Found {
        let holds = |words: &Words, place: usize| words[place / 64] >> (place % 64) & 1 == 1;
        let set = |holds: &dyn Fn(usize) -> bool| {
            let mut words = [0; WORDS];
            for place in (0..64 * WORDS).filter(|&place| holds(place)) {
                words[place / 64] |= 1 << (place % 64);
            }
            words
        };
        let count = |words: &Words| (0..64 * WORDS).filter(|&place| holds(words, place)).count() as i32;
        let near = set(&|place| {
            let distances = [1, STRIDE as usize];
            let before = distances.iter().filter_map(|&distance| place.checked_sub(distance));
            let behind = distances.iter().map(|&distance| place + distance);
            before.chain(behind).any(|near| near < 64 * WORDS && holds(one, near))
        });
        let both = set(&|place| holds(one, place) && holds(other, place));
        Found {
            sets: [
                both,
                set(&|place| holds(one, place) || holds(other, place)),
                set(&|place| holds(one, place) && !holds(other, place)),
                near,
            ],
            empty: both == [0; WORDS],
            lengths: [count(one), count(&near), count(one) - count(other)],
        }
    }

    #[test]
    fn every_level_finds_what_the_definitions_say() {
        let mut random = SplitMix::new(3);
        let mut pairs = vec![([u64::MAX; WORDS], [0; WORDS])];
        for share in [1, 3, 9] {
            let mut set = || std::array::from_fn(|_| (0..share).fold(u64::MAX, |all, _| all & random.draw()));
            pairs.push((set(), set()));
        }
        let levels = SimdLevel::all();
        println!("{levels:?}");
        for (one, other) in pairs {
            let expected = expected(&one, &other);
            for level in &levels {
                assert_eq!(level.run_bits(Operations(&one, &other)), expected, "{level:?}");
            }
        }
    }
}
