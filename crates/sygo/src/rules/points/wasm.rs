//! Operations on all words of a set with the 128-bit registers of WebAssembly. From words alone the compiler makes none of
//! them.

use std::arch::wasm32::{
    i64x2_shuffle, u64x2_shl, u64x2_shr, u64x2_splat, v128, v128_and, v128_andnot, v128_any_true, v128_not,
    v128_or,
};

use super::Words;

type Registers = [v128; 3];

#[inline(always)]
fn load(words: &Words) -> Registers {
    // SAFETY: both are 48 bytes without padding, for which all values are valid.
    unsafe { std::mem::transmute::<Words, Registers>(*words) }
}

#[inline(always)]
fn store(registers: Registers) -> Words {
    // SAFETY: see above.
    unsafe { std::mem::transmute::<Registers, Words>(registers) }
}

#[inline(always)]
fn both(one: &Words, other: &Words, operation: impl Fn(v128, v128) -> v128) -> Words {
    let ([a, b, c], [d, e, f]) = (load(one), load(other));
    store([operation(a, d), operation(b, e), operation(c, f)])
}

#[inline(always)]
pub(super) fn are_zero(words: &Words) -> bool {
    let [a, b, c] = load(words);
    !v128_any_true(v128_or(v128_or(a, b), c))
}

#[inline(always)]
pub(super) fn and(one: &Words, other: &Words) -> Words {
    both(one, other, |one, other| v128_and(one, other))
}

#[inline(always)]
pub(super) fn or(one: &Words, other: &Words) -> Words {
    both(one, other, |one, other| v128_or(one, other))
}

#[inline(always)]
pub(super) fn without(one: &Words, other: &Words) -> Words {
    both(one, other, |one, other| v128_andnot(one, other))
}

#[inline(always)]
pub(super) fn not(words: &Words) -> Words {
    store(load(words).map(|register| v128_not(register)))
}

/// The bits one place and `STRIDE` places before and behind these.
#[inline(always)]
pub(super) fn neighbours<const STRIDE: usize>(words: &Words) -> Words {
    let [a, b, c] = load(words);
    let zero = u64x2_splat(0);
    // The words before those of the first register, between, and behind those of the last one.
    let (before, middle, next, behind) = (
        i64x2_shuffle::<1, 2>(zero, a),
        i64x2_shuffle::<1, 2>(a, b),
        i64x2_shuffle::<1, 2>(b, c),
        i64x2_shuffle::<1, 2>(c, zero),
    );
    store([
        around::<STRIDE>(before, a, middle),
        around::<STRIDE>(middle, b, next),
        around::<STRIDE>(next, c, behind),
    ])
}

/// The neighbours in two words, of these and of the words before and behind each.
#[inline(always)]
fn around<const STRIDE: usize>(before: v128, words: v128, behind: v128) -> v128 {
    v128_or(beside::<1>(before, words, behind), beside::<STRIDE>(before, words, behind))
}

/// The bits `N` places before and behind these.
#[inline(always)]
fn beside<const N: usize>(before: v128, words: v128, behind: v128) -> v128 {
    let (near, far) = (N as u32, 64 - N as u32);
    let up = v128_or(u64x2_shl(words, near), u64x2_shr(before, far));
    let down = v128_or(u64x2_shr(words, near), u64x2_shl(behind, far));
    v128_or(up, down)
}
