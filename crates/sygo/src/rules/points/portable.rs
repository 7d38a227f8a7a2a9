//! Operations on all words of a set, which become vector code for the registers of the caller.

use super::{WORDS, Words};

/// The set of these words. Written out: it needs no function of another unit.
#[inline(always)]
fn of_words(word: impl Fn(usize) -> u64) -> Words {
    [word(0), word(1), word(2), word(3), word(4), word(5)]
}

#[inline(always)]
pub(super) fn are_zero(words: &Words) -> bool {
    words.iter().fold(0, |any, word| any | word) == 0
}

#[inline(always)]
pub(super) fn and(one: &Words, other: &Words) -> Words {
    of_words(|i| one[i] & other[i])
}

#[inline(always)]
pub(super) fn or(one: &Words, other: &Words) -> Words {
    of_words(|i| one[i] | other[i])
}

#[inline(always)]
pub(super) fn without(one: &Words, other: &Words) -> Words {
    of_words(|i| one[i] & !other[i])
}

#[inline(always)]
pub(super) fn not(words: &Words) -> Words {
    of_words(|i| !words[i])
}

/// The bits one place and `STRIDE` places before and behind these.
#[inline(always)]
pub(super) fn neighbours<const STRIDE: usize>(words: &Words) -> Words {
    let beside = or(&up::<1>(words), &down::<1>(words));
    or(&or(&beside, &up::<STRIDE>(words)), &down::<STRIDE>(words))
}

/// The bits moved on by `N` places.
#[inline(always)]
fn up<const N: usize>(words: &Words) -> Words {
    of_words(|i| words[i] << N | if i > 0 { words[i - 1] >> (64 - N) } else { 0 })
}

/// The bits moved back by `N` places.
#[inline(always)]
fn down<const N: usize>(words: &Words) -> Words {
    of_words(|i| words[i] >> N | if i + 1 < WORDS { words[i + 1] << (64 - N) } else { 0 })
}
