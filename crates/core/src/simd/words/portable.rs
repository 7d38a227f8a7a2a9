//! Eight numbers of 16 bits for every processor.

pub(super) type Register = [i16; 8];

#[inline(always)]
pub(super) fn of_bytes(bytes: &[u8; 8]) -> Register {
    bytes.map(i16::from)
}

#[inline(always)]
pub(super) fn store(numbers: Register, to: &mut [i16; 8]) {
    *to = numbers;
}

#[inline(always)]
pub(super) fn add(mut one: Register, other: Register) -> Register {
    one.iter_mut().zip(other).for_each(|(one, other)| *one = one.wrapping_add(other));
    one
}

#[inline(always)]
pub(super) fn sub(mut one: Register, other: Register) -> Register {
    one.iter_mut().zip(other).for_each(|(one, other)| *one = one.wrapping_sub(other));
    one
}
