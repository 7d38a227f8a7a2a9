//! Sets in the 128-bit registers of WebAssembly. From words alone the compiler makes none of them.

use std::arch::wasm32::{
    i64x2_shuffle, u64x2_shl, u64x2_shr, u64x2_splat, v128, v128_and, v128_andnot, v128_any_true, v128_or,
};

use super::{BitSet, WORDS};

const REGISTERS: usize = WORDS / 2;

/// Two words in each register.
#[derive(Clone, Copy)]
pub struct Simd128Bits([v128; REGISTERS]);

impl Simd128Bits {
    #[inline(always)]
    fn both(self, other: Simd128Bits, operation: impl Fn(v128, v128) -> v128) -> Simd128Bits {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Simd128Bits([operation(a, d), operation(b, e), operation(c, f)])
    }
}

impl BitSet for Simd128Bits {
    #[inline(always)]
    fn load(words: &[u64; WORDS]) -> Simd128Bits {
        // SAFETY: both are 48 bytes without padding, for which all values are valid.
        Simd128Bits(unsafe { std::mem::transmute::<[u64; WORDS], [v128; REGISTERS]>(*words) })
    }

    #[inline(always)]
    fn store(self) -> [u64; WORDS] {
        // SAFETY: see above.
        unsafe { std::mem::transmute::<[v128; REGISTERS], [u64; WORDS]>(self.0) }
    }

    #[inline(always)]
    fn and(self, other: Simd128Bits) -> Simd128Bits {
        self.both(other, |one, other| v128_and(one, other))
    }

    #[inline(always)]
    fn or(self, other: Simd128Bits) -> Simd128Bits {
        self.both(other, |one, other| v128_or(one, other))
    }

    #[inline(always)]
    fn without(self, other: Simd128Bits) -> Simd128Bits {
        self.both(other, |one, other| v128_andnot(one, other))
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        let [a, b, c] = self.0;
        !v128_any_true(v128_or(v128_or(a, b), c))
    }

    #[inline(always)]
    fn len(self) -> u32 {
        self.store().iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn len_difference(self, other: Simd128Bits) -> i32 {
        self.len() as i32 - other.len() as i32
    }

    #[inline(always)]
    fn neighbours<const STRIDE: u32>(self) -> Simd128Bits {
        let [a, b, c] = self.0;
        let zero = u64x2_splat(0);
        // The words before those of the first register, between, and behind those of the last one.
        let (before, middle, next, behind) = (
            i64x2_shuffle::<1, 2>(zero, a),
            i64x2_shuffle::<1, 2>(a, b),
            i64x2_shuffle::<1, 2>(b, c),
            i64x2_shuffle::<1, 2>(c, zero),
        );
        Simd128Bits([
            around::<STRIDE>(before, a, middle),
            around::<STRIDE>(middle, b, next),
            around::<STRIDE>(next, c, behind),
        ])
    }
}

/// The neighbours in two words, of these and of the words before and behind each.
#[inline(always)]
fn around<const STRIDE: u32>(before: v128, words: v128, behind: v128) -> v128 {
    v128_or(beside::<1>(before, words, behind), beside::<STRIDE>(before, words, behind))
}

/// The bits `PLACES` places before and behind these.
#[inline(always)]
fn beside<const PLACES: u32>(before: v128, words: v128, behind: v128) -> v128 {
    let up = v128_or(u64x2_shl(words, PLACES), u64x2_shr(before, 64 - PLACES));
    let down = v128_or(u64x2_shr(words, PLACES), u64x2_shl(behind, 64 - PLACES));
    v128_or(up, down)
}
