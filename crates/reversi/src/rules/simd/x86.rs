//! The board operations in the wide registers of x86-64: four directions at once.

use std::arch::x86_64::*;

use kaeshi_core::simd::detect;

use super::{Isa, IsaJob, LINES, PLACES, RAYS, TURNED};

/// AVX2, BMI, POPCNT and LZCNT are there.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Isa(());

/// AVX-512 F, VL, CD, BW and DQ are there as well.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Isa(());

impl Avx2Isa {
    /// The token, if the processor has the features.
    pub fn detect() -> Option<Avx2Isa> {
        detect::avx2().then_some(Avx2Isa(()))
    }

    /// Never inlined: a job within a job would crowd out the registers of the outer one.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn with_features<J: IsaJob>(self, job: J) -> J::Output {
        job.run(self)
    }
}

impl Avx512Isa {
    /// The token, if the processor has the features.
    pub fn detect() -> Option<Avx512Isa> {
        detect::avx512().then_some(Avx512Isa(()))
    }

    /// Never inlined: a job within a job would crowd out the registers of the outer one.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512cd,avx512bw,avx512dq")]
    fn with_features<J: IsaJob>(self, job: J) -> J::Output {
        job.run(self)
    }
}

/// The lanes or-ed together.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn or_lanes(v: __m256i) -> u64 {
    // SAFETY: AVX2 is there, says the caller.
    unsafe {
        let half = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

/// Squares on which `me` may place a disc: runs of the opponent's discs doubled in length at each
/// step (parallel prefix), lanes for columns, rows and both diagonals.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn moves(me: u64, opponent: u64) -> u64 {
    // SAFETY: AVX2 is there, says the caller.
    unsafe {
        let shift = _mm256_set_epi64x(9, 7, 8, 1);
        let shift2 = _mm256_add_epi64(shift, shift);
        let inner =
            _mm256_set_epi64x(0x7e7e_7e7e_7e7e_7e7e, 0x7e7e_7e7e_7e7e_7e7e, -1, 0x7e7e_7e7e_7e7e_7e7e);
        let own = _mm256_set1_epi64x(me as i64);
        let over = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), inner);
        let mut up = _mm256_and_si256(over, _mm256_sllv_epi64(own, shift));
        let mut down = _mm256_and_si256(over, _mm256_srlv_epi64(own, shift));
        up = _mm256_or_si256(up, _mm256_and_si256(over, _mm256_sllv_epi64(up, shift)));
        down = _mm256_or_si256(down, _mm256_and_si256(over, _mm256_srlv_epi64(down, shift)));
        let up_pairs = _mm256_and_si256(over, _mm256_sllv_epi64(over, shift));
        let down_pairs = _mm256_srlv_epi64(up_pairs, shift);
        up = _mm256_or_si256(up, _mm256_and_si256(up_pairs, _mm256_sllv_epi64(up, shift2)));
        down = _mm256_or_si256(down, _mm256_and_si256(down_pairs, _mm256_srlv_epi64(down, shift2)));
        up = _mm256_or_si256(up, _mm256_and_si256(up_pairs, _mm256_sllv_epi64(up, shift2)));
        down = _mm256_or_si256(down, _mm256_and_si256(down_pairs, _mm256_srlv_epi64(down, shift2)));
        let both = _mm256_or_si256(_mm256_sllv_epi64(up, shift), _mm256_srlv_epi64(down, shift));
        or_lanes(both) & !(me | opponent)
    }
}

/// The rays from `square`: upward and downward.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn rays(square: usize) -> (__m256i, __m256i) {
    let rays = RAYS[square & 63].as_ptr().cast::<__m256i>();
    // SAFETY: a row of the table holds eight u64, twice 32 bytes; AVX2 is there, says the caller.
    unsafe { (_mm256_loadu_si256(rays), _mm256_loadu_si256(rays.add(1))) }
}

/// Discs turned over on upward rays.
///
/// # Safety
/// Needs AVX2.
#[inline(always)]
unsafe fn flips_up(ray: __m256i, own: __m256i, over: __m256i) -> __m256i {
    // SAFETY: AVX2 is there, says the caller.
    unsafe {
        let zero = _mm256_setzero_si256();
        let stop = _mm256_andnot_si256(over, ray);
        let end = _mm256_and_si256(_mm256_and_si256(stop, _mm256_sub_epi64(zero, stop)), own);
        // end - 1 where there is an end, else 0.
        let none = _mm256_cmpeq_epi64(end, zero);
        let below = _mm256_sub_epi64(_mm256_add_epi64(end, _mm256_set1_epi64x(-1)), none);
        _mm256_and_si256(ray, below)
    }
}

/// The discs turned over by the last disc: a table look-up for each line through the square.
///
/// # Safety
/// Needs BMI2.
#[inline(always)]
unsafe fn count_last_flips(square: usize, me: u64) -> u32 {
    let square = square & 63;
    let (lines, places) = (&LINES[square], &PLACES[square]);
    let mut sum = 0;
    for i in 0..4 {
        // SAFETY: BMI2 is there, says the caller.
        let own = unsafe { _pext_u64(me, lines[i]) };
        sum += u32::from(TURNED[usize::from(places[i] & 7)][(own & 255) as usize]);
    }
    sum
}

/// The lanes of each half or-ed together, in every lane of that half.
///
/// # Safety
/// Needs AVX-512 F.
#[inline(always)]
unsafe fn or_halves(v: __m512i) -> __m512i {
    // SAFETY: AVX-512 F is there, says the caller.
    unsafe {
        let pairs = _mm512_or_si512(v, _mm512_shuffle_i64x2::<0b10_11_00_01>(v, v));
        _mm512_or_si512(pairs, _mm512_shuffle_epi32::<0b01_00_11_10>(pairs))
    }
}

/// A register of two halves.
///
/// # Safety
/// Needs AVX-512 F.
#[inline(always)]
unsafe fn both(low: __m256i, high: __m256i) -> __m512i {
    // SAFETY: AVX-512 F is there, says the caller.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
}

/// The first lane of each half.
///
/// # Safety
/// Needs AVX-512 F.
#[inline(always)]
unsafe fn first_lanes(v: __m512i) -> [u64; 2] {
    // SAFETY: AVX-512 F is there, says the caller.
    unsafe {
        let low = _mm_cvtsi128_si64(_mm512_castsi512_si128(v));
        let high = _mm_cvtsi128_si64(_mm256_castsi256_si128(_mm512_extracti64x4_epi64::<1>(v)));
        [low as u64, high as u64]
    }
}

/// The discs that a disc of `me` turns over on each of two squares, and the moves that the opponent then has:
/// one half of the registers for each square, and the board never leaves them between.
///
/// # Safety
/// Needs AVX-512 F and CD.
#[inline(always)]
unsafe fn replies([a, b]: [usize; 2], me: u64, opponent: u64) -> [(u64, u64); 2] {
    // SAFETY: AVX-512 F and CD are there, says the caller.
    unsafe {
        let ((up_a, down_a), (up_b, down_b)) = (rays(a), rays(b));
        let (up, down) = (both(up_a, up_b), both(down_a, down_b));
        let (own, over) = (_mm512_set1_epi64(me as i64), _mm512_set1_epi64(opponent as i64));
        let zero = _mm512_setzero_si512();
        // The same as for one square.
        let stop = _mm512_andnot_si512(over, up);
        let end = _mm512_and_si512(_mm512_and_si512(stop, _mm512_sub_epi64(zero, stop)), own);
        let there = _mm512_test_epi64_mask(end, end);
        let below = _mm512_maskz_add_epi64(there, end, _mm512_set1_epi64(-1));
        let upward = _mm512_and_si512(up, below);
        let stop = _mm512_andnot_si512(over, down);
        let top = _mm512_set1_epi64(i64::MIN);
        let end = _mm512_and_si512(_mm512_srlv_epi64(top, _mm512_lzcnt_epi64(stop)), own);
        let above = _mm512_xor_si512(end, _mm512_sub_epi64(zero, end));
        let flips = or_halves(_mm512_or_si512(upward, _mm512_and_si512(down, above)));
        let discs = both(_mm256_set1_epi64x(1 << (a & 63)), _mm256_set1_epi64x(1 << (b & 63)));
        let next = _mm512_xor_si512(over, flips);
        let mover = _mm512_xor_si512(_mm512_xor_si512(own, flips), discs);
        let shift = _mm512_set_epi64(9, 7, 8, 1, 9, 7, 8, 1);
        let shift2 = _mm512_add_epi64(shift, shift);
        let columns = 0x7e7e_7e7e_7e7e_7e7e;
        let inner = _mm512_set_epi64(columns, columns, -1, columns, columns, columns, -1, columns);
        let over = _mm512_and_si512(mover, inner);
        let mut up = _mm512_and_si512(over, _mm512_sllv_epi64(next, shift));
        let mut down = _mm512_and_si512(over, _mm512_srlv_epi64(next, shift));
        up = _mm512_or_si512(up, _mm512_and_si512(over, _mm512_sllv_epi64(up, shift)));
        down = _mm512_or_si512(down, _mm512_and_si512(over, _mm512_srlv_epi64(down, shift)));
        let up_pairs = _mm512_and_si512(over, _mm512_sllv_epi64(over, shift));
        let down_pairs = _mm512_srlv_epi64(up_pairs, shift);
        up = _mm512_or_si512(up, _mm512_and_si512(up_pairs, _mm512_sllv_epi64(up, shift2)));
        down = _mm512_or_si512(down, _mm512_and_si512(down_pairs, _mm512_srlv_epi64(down, shift2)));
        up = _mm512_or_si512(up, _mm512_and_si512(up_pairs, _mm512_sllv_epi64(up, shift2)));
        down = _mm512_or_si512(down, _mm512_and_si512(down_pairs, _mm512_srlv_epi64(down, shift2)));
        let reached = _mm512_or_si512(_mm512_sllv_epi64(up, shift), _mm512_srlv_epi64(down, shift));
        let moves = _mm512_andnot_si512(_mm512_or_si512(next, mover), or_halves(reached));
        let ([flips_a, flips_b], [moves_a, moves_b]) = (first_lanes(flips), first_lanes(moves));
        [(flips_a, moves_a), (flips_b, moves_b)]
    }
}

impl Isa for Avx2Isa {
    #[inline]
    fn run<J: IsaJob>(self, job: J) -> J::Output {
        // SAFETY: the token proves that the features are there.
        unsafe { self.with_features(job) }
    }

    #[inline(always)]
    fn moves(self, me: u64, opponent: u64) -> u64 {
        // SAFETY: the token proves AVX2.
        unsafe { moves(me, opponent) }
    }

    #[inline(always)]
    fn flips(self, square: usize, me: u64, opponent: u64) -> u64 {
        // SAFETY: the token proves AVX2.
        unsafe {
            let (up, down) = rays(square);
            let own = _mm256_set1_epi64x(me as i64);
            let over = _mm256_set1_epi64x(opponent as i64);
            let upward = flips_up(up, own, over);
            // Downward: everything above the nearest own disc, if only the opponent's lie there.
            let shift = _mm256_set_epi64x(9, 7, 8, 1);
            let shift2 = _mm256_add_epi64(shift, shift);
            let ends = _mm256_and_si256(down, own);
            let mut below = _mm256_or_si256(ends, _mm256_srlv_epi64(ends, shift));
            below = _mm256_or_si256(below, _mm256_srlv_epi64(below, shift2));
            below = _mm256_or_si256(below, _mm256_srlv_epi64(below, _mm256_add_epi64(shift2, shift2)));
            let between = _mm256_andnot_si256(below, down);
            let zero = _mm256_setzero_si256();
            let unbroken = _mm256_cmpeq_epi64(_mm256_andnot_si256(over, between), zero);
            let valid = _mm256_andnot_si256(_mm256_cmpeq_epi64(ends, zero), unbroken);
            or_lanes(_mm256_or_si256(upward, _mm256_and_si256(between, valid)))
        }
    }

    #[inline(always)]
    fn count_last_flips(self, square: usize, me: u64) -> u32 {
        // SAFETY: the token proves BMI2.
        unsafe { count_last_flips(square, me) }
    }

    #[inline(always)]
    fn add_bytes(self, sums: &mut [i16; 32], bytes: &[i8; 32]) {
        // SAFETY: the token proves AVX2; both arrays have the bytes that are loaded and stored.
        unsafe {
            for half in 0..2 {
                let sum = sums.as_mut_ptr().add(16 * half).cast();
                let bytes = _mm_loadu_si128(bytes.as_ptr().add(16 * half).cast());
                let added = _mm256_add_epi16(_mm256_loadu_si256(sum), _mm256_cvtepi8_epi16(bytes));
                _mm256_storeu_si256(sum, added);
            }
        }
    }
}

impl Isa for Avx512Isa {
    #[inline]
    fn run<J: IsaJob>(self, job: J) -> J::Output {
        // SAFETY: the token proves that the features are there.
        unsafe { self.with_features(job) }
    }

    #[inline(always)]
    fn moves(self, me: u64, opponent: u64) -> u64 {
        // SAFETY: the token proves AVX2.
        unsafe { moves(me, opponent) }
    }

    #[inline(always)]
    fn flips(self, square: usize, me: u64, opponent: u64) -> u64 {
        // SAFETY: the token proves AVX-512 F, VL and CD.
        unsafe {
            let (up, down) = rays(square);
            let own = _mm256_set1_epi64x(me as i64);
            let over = _mm256_set1_epi64x(opponent as i64);
            let upward = flips_up(up, own, over);
            // Downward: the leading zeros find the nearest disc that is not the opponent's.
            let stop = _mm256_andnot_si256(over, down);
            let top = _mm256_set1_epi64x(i64::MIN);
            let end = _mm256_and_si256(_mm256_srlv_epi64(top, _mm256_lzcnt_epi64(stop)), own);
            let above = _mm256_xor_si256(end, _mm256_sub_epi64(_mm256_setzero_si256(), end));
            or_lanes(_mm256_or_si256(upward, _mm256_and_si256(down, above)))
        }
    }

    #[inline(always)]
    fn replies(self, squares: [usize; 2], me: u64, opponent: u64) -> [(u64, u64); 2] {
        // SAFETY: the token proves AVX-512 F and CD.
        unsafe { replies(squares, me, opponent) }
    }

    #[inline(always)]
    fn count_last_flips(self, square: usize, me: u64) -> u32 {
        // SAFETY: the token proves BMI2.
        unsafe { count_last_flips(square, me) }
    }

    #[inline(always)]
    fn add_bytes(self, sums: &mut [i16; 32], bytes: &[i8; 32]) {
        // SAFETY: the token proves AVX-512 BW; both arrays have the bytes that are loaded and stored.
        unsafe {
            let bytes = _mm512_cvtepi8_epi16(_mm256_loadu_si256(bytes.as_ptr().cast()));
            let added = _mm512_add_epi16(_mm512_loadu_si512(sums.as_ptr().cast()), bytes);
            _mm512_storeu_si512(sums.as_mut_ptr().cast(), added);
        }
    }
}
