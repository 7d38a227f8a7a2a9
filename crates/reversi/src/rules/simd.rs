//! Which processor features the board uses, chosen once at run time.
//!
//! A set of features is a token: code that holds an [`Avx512Isa`] has seen that the processor knows it.
//! Code that should profit is a [`IsaJob`]; [`run`] compiles it once per set of features.

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::LazyLock;

#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::PortableIsa;
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2Isa, Avx512Isa};

/// The operations that profit from wide registers.
pub trait Isa: Copy + Send + Sync + 'static {
    /// Compiles and runs `job` with these features.
    fn run<J: IsaJob>(self, job: J) -> J::Output;
    /// Squares on which `me` may place a disc.
    fn moves(self, me: u64, opponent: u64) -> u64;
    /// Discs of `opponent` that a disc of `me` on the empty `square` (0..64) turns over.
    fn flips(self, square: usize, me: u64, opponent: u64) -> u64;
    /// For both squares the discs that a disc of `me` there turns over, and the squares on which the opponent
    /// may then place one.
    #[inline(always)]
    fn replies(self, squares: [usize; 2], me: u64, opponent: u64) -> [(u64, u64); 2] {
        let [a, b] = squares;
        let reply = |square: usize| {
            let flips = self.flips(square, me, opponent);
            (flips, self.moves(opponent ^ flips, me ^ flips ^ 1 << square))
        };
        [reply(a), reply(b)]
    }
    /// How many discs a disc of `me` on `square` turns over when every other square has a disc.
    fn count_last_flips(self, square: usize, me: u64) -> u32;
    /// Adds bytes to sums, wrapping around.
    #[inline(always)]
    fn add_bytes(self, sums: &mut [i16; 32], bytes: &[i8; 32]) {
        for (sum, &byte) in sums.iter_mut().zip(bytes) {
            *sum = sum.wrapping_add(i16::from(byte));
        }
    }
    /// The squares of sums, which are taken as 0 below 0 and as 255 above that, divided by 512.
    #[inline(always)]
    fn clipped_squares(self, sums: &[i16; 32]) -> [u8; 32] {
        sums.map(|sum| {
            let clipped = sum.clamp(0, 255) as u16;
            ((clipped * clipped) >> 9) as u8
        })
    }
}

/// For each square the four lines through it: row, column, falling and rising diagonal.
pub static LINES: [[u64; 4]; 64] = lines();
/// The place of each square on its four lines, counted from the lowest bit.
pub static PLACES: [[u8; 4]; 64] = places();
/// Discs turned over on a line, by the place of the last empty square and the own discs.
#[cfg(target_arch = "x86_64")]
pub(crate) static TURNED: [[u8; 256]; 8] = turned();

const fn lines() -> [[u64; 4]; 64] {
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < 4 {
            table[square][i] = RAYS_TABLE[square][i] | RAYS_TABLE[square][i + 4] | 1 << square;
            i += 1;
        }
        square += 1;
    }
    table
}

const fn places() -> [[u8; 4]; 64] {
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < 4 {
            table[square][i] = RAYS_TABLE[square][i + 4].count_ones() as u8;
            i += 1;
        }
        square += 1;
    }
    table
}

#[cfg(target_arch = "x86_64")]
const fn turned() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut own = 0usize;
        while own < 256 {
            let above = own >> (place + 1);
            if above != 0 {
                table[place][own] += above.trailing_zeros() as u8;
            }
            let below = own & ((1 << place) - 1);
            if below != 0 {
                table[place][own] += (place as u32 - 1 - below.ilog2()) as u8;
            }
            own += 1;
        }
        place += 1;
    }
    table
}

/// Code to be compiled for each [`Isa`].
pub trait IsaJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// A set of features that this processor has.
#[derive(Clone, Copy, Debug)]
pub enum IsaLevel {
    /// No features needed.
    Portable(PortableIsa),
    /// AVX2, BMI, POPCNT and LZCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2Isa),
    /// AVX-512 F, VL and CD besides.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512Isa),
    /// NEON, which every processor of the target has.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

static BEST: LazyLock<IsaLevel> = LazyLock::new(|| levels().pop().unwrap_or(IsaLevel::Portable(PortableIsa)));

/// All sets that this processor has, the fastest last.
pub fn levels() -> Vec<IsaLevel> {
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_mut))]
    let mut levels = vec![IsaLevel::Portable(PortableIsa)];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(Avx2Isa::detect().map(IsaLevel::Avx2));
        levels.extend(Avx512Isa::detect().map(IsaLevel::Avx512));
    }
    #[cfg(target_arch = "aarch64")]
    levels.push(IsaLevel::Neon(Neon));
    levels
}

/// The fastest set.
pub fn best() -> IsaLevel {
    *BEST
}

/// Runs `job` with the features of `level`.
#[inline]
pub fn run<J: IsaJob>(level: IsaLevel, job: J) -> J::Output {
    match level {
        IsaLevel::Portable(isa) => isa.run(job),
        #[cfg(target_arch = "x86_64")]
        IsaLevel::Avx2(isa) => isa.run(job),
        #[cfg(target_arch = "x86_64")]
        IsaLevel::Avx512(isa) => isa.run(job),
        #[cfg(target_arch = "aarch64")]
        IsaLevel::Neon(isa) => isa.run(job),
    }
}

/// Square sets on the rays from each square, without the square itself: toward higher bits by
/// steps of 1, 8, 7, 9, then toward lower bits by the same.
const RAYS_TABLE: [[u64; 8]; 64] = rays();
pub(crate) static RAYS: [[u64; 8]; 64] = RAYS_TABLE;

const fn rays() -> [[u64; 8]; 64] {
    const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];
    let mut table = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction % 4];
            let sign = if direction < 4 { 1 } else { -1 };
            let (mut x, mut y) = (square as i32 % 8 + sign * dx, square as i32 / 8 + sign * dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square][direction] |= 1u64 << (8 * y + x);
                x += sign * dx;
                y += sign * dy;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves and all flips of a board, for any features.
    struct Everything(u64, u64);

    impl IsaJob for Everything {
        type Output = (u64, Vec<u64>, Vec<[(u64, u64); 2]>);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let mut flips = Vec::with_capacity(64);
            for square in 0..64 {
                let taken = (self.0 | self.1) >> square & 1 == 1;
                flips.push(if taken { 0 } else { isa.flips(square, self.0, self.1) });
            }
            let legal: Vec<usize> = (0..64).filter(|&square| flips[square] != 0).collect();
            let pairs = legal.iter().zip(legal.iter().rev());
            let replies = pairs.map(|(&a, &b)| isa.replies([a, b], self.0, self.1)).collect();
            (isa.moves(self.0, self.1), flips, replies)
        }
    }

    /// The discs turned over by the last disc, for any features.
    struct Last(usize, u64);

    impl IsaJob for Last {
        type Output = (u32, u32);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> (u32, u32) {
            let other = !self.1 & !(1 << self.0);
            (isa.count_last_flips(self.0, self.1), isa.flips(self.0, self.1, other).count_ones())
        }
    }

    /// Sums of bytes and their squares, for any features.
    struct Sums([i16; 32], [i8; 32]);

    impl IsaJob for Sums {
        type Output = ([i16; 32], [u8; 32]);

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Sums(mut sums, bytes) = self;
            isa.add_bytes(&mut sums, &bytes);
            (sums, isa.clipped_squares(&sums))
        }
    }

    #[test]
    fn sums_of_bytes_are_the_same_with_every_set_of_features() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for round in 0..2_000 {
            let spread = if round % 2 == 0 { 1_000 } else { 65_536 };
            let sums: [i16; 32] = std::array::from_fn(|_| (next() % spread) as i16);
            let bytes: [i8; 32] = std::array::from_fn(|_| next() as i8);
            let added: [i16; 32] = std::array::from_fn(|i| sums[i].wrapping_add(bytes[i].into()));
            let squares = added.map(|sum| (i32::from(sum).clamp(0, 255).pow(2) / 512) as u8);
            for level in levels() {
                assert_eq!(run(level, Sums(sums, bytes)), (added, squares), "{level:?}");
            }
        }
    }

    #[test]
    fn the_last_disc_turns_over_as_many_as_are_counted() {
        let mut own = 0x1234_5678_9abc_def1u64;
        for i in 0..20_000 {
            own = own.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let square = i % 64;
            for level in levels() {
                let (counted, turned) = run(level, Last(square, (own ^ own >> 31) & !(1 << square)));
                assert_eq!(counted, turned, "{level:?} {square} {own:#x}");
            }
        }
    }

    #[test]
    fn every_set_of_features_agrees_with_the_portable_one() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for i in 0..20_000 {
            // Random sets of differing density, disjoint.
            let (a, b, c) = (random(), random(), random());
            let filled = match i % 3 {
                0 => a,
                1 => a | b,
                _ => a | b | c,
            };
            let split = random();
            let (me, opponent) = (filled & split, filled & !split);
            let reference = run(IsaLevel::Portable(PortableIsa), Everything(me, opponent));
            for level in levels() {
                assert_eq!(
                    run(level, Everything(me, opponent)),
                    reference,
                    "{level:?} {me:#x} {opponent:#x}"
                );
            }
        }
    }
}
