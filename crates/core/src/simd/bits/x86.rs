//! Sets in registers of 512 bits.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_alignr_epi64, _mm512_and_si512, _mm512_andnot_si512,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_maskz_or_epi64, _mm512_or_si512,
    _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64,
    _mm512_sub_epi64, _mm512_test_epi64_mask,
};

use super::{BitSet, BitsJob, PortableBits, WORDS};

/// The lanes that hold words; the others are 0.
const USED: u8 = (1 << WORDS) - 1;

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn with_avx2<J: BitsJob>(job: J) -> J::Output {
    job.run::<PortableBits>()
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq")]
pub(super) fn with_avx512<J: BitsJob>(job: J) -> J::Output {
    job.run::<Avx512Bits>()
}

#[derive(Clone, Copy)]
struct Avx512Bits(__m512i);

impl Avx512Bits {
    /// The bits of a set moved on and back by `places`. `before` and `behind` hold for each word the one before and
    /// the one behind it.
    ///
    /// # Safety
    /// The processor has AVX-512 F.
    #[inline(always)]
    unsafe fn moved(self, before: __m512i, behind: __m512i, places: u32) -> __m512i {
        // SAFETY: the caller's.
        unsafe {
            let near = _mm_cvtsi32_si128(places as i32);
            let far = _mm_cvtsi32_si128(64 - places as i32);
            let up = _mm512_or_si512(_mm512_sll_epi64(self.0, near), _mm512_srl_epi64(before, far));
            let down = _mm512_or_si512(_mm512_srl_epi64(self.0, near), _mm512_sll_epi64(behind, far));
            _mm512_or_si512(up, down)
        }
    }
}

// SAFETY of what follows: this type is private, and only `with_avx512`, which has the features, makes jobs run with it;
// the pointers are those of whole arrays, of which the mask selects all words.
impl BitSet for Avx512Bits {
    #[inline(always)]
    fn load(words: &[u64; WORDS]) -> Avx512Bits {
        // SAFETY: see above.
        unsafe { Avx512Bits(_mm512_maskz_loadu_epi64(USED, words.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        // SAFETY: see above.
        unsafe { _mm512_mask_storeu_epi64(words.as_mut_ptr().cast(), USED, self.0) };
        words
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
    fn len_difference(self, other: Avx512Bits) -> i32 {
        // SAFETY: see above.
        unsafe {
            let (own, others) = (_mm512_popcnt_epi64(self.0), _mm512_popcnt_epi64(other.0));
            _mm512_reduce_add_epi64(_mm512_sub_epi64(own, others)) as i32
        }
    }

    #[inline(always)]
    fn neighbours<const STRIDE: u32>(self) -> Avx512Bits {
        // SAFETY: see above.
        unsafe {
            let before = _mm512_alignr_epi64::<7>(self.0, _mm512_setzero_si512());
            let behind = _mm512_alignr_epi64::<1>(_mm512_setzero_si512(), self.0);
            let beside = self.moved(before, behind, 1);
            Avx512Bits(_mm512_maskz_or_epi64(USED, beside, self.moved(before, behind, STRIDE)))
        }
    }
}
