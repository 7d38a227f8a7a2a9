//! Random numbers that are the same on every machine, and where they are to begin differently each time.

use std::hash::{BuildHasher as _, RandomState};

use crate::time::wall;

/// The beginning of a sequence that is another one in each process; `stream` distinguishes those of one process.
pub fn seed(stream: u64) -> u64 {
    // WebAssembly has no random numbers of a system, only a clock.
    RandomState::new().hash_one((wall(), stream))
}

/// Increment of a [`SplitMix`] for each number: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of 64-bit numbers (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// The sequence that begins with this state.
    pub const fn new(state: u64) -> SplitMix {
        SplitMix(state)
    }

    /// The next number.
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number from 0 to `bound - 1`; `bound` must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.draw() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from `range.0` to `range.1`, both included.
    pub fn within(&mut self, range: (u32, u32)) -> u32 {
        range.0 + self.below(range.1 - range.0 + 1)
    }
}

/// The number at `index`, counted from 0, of the sequence that begins with this state.
pub const fn drawn_at(state: u64, index: u64) -> u64 {
    mix(state.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
}

/// A bijection that spreads the bits.
pub const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence_comes_out() {
        let mut random = SplitMix::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.draw()).collect();
        assert_eq!(first, [0, 1, 2].map(|index| drawn_at(1_234_567, index)));
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn ranges_are_used_up_to_both_ends() {
        let mut random = SplitMix::new(5);
        let drawn: std::collections::BTreeSet<u32> = (0..200).map(|_| random.within((3, 6))).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    }
}
