//! Which features this processor has: the one place where they are looked for. The answers are cached.

/// BMI1, BMI2, POPCNT and LZCNT, which processors have since 2013.
#[inline]
pub fn bits() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// AVX2 besides [`bits`].
#[inline]
pub fn avx2() -> bool {
    bits() && is_x86_feature_detected!("avx2")
}

/// AVX-512 F, VL, CD, BW and DQ besides [`avx2`].
#[inline]
pub fn avx512() -> bool {
    avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
}

/// AVX-512 F, VL and VNNI: sums of products of bytes.
#[inline]
pub fn vnni() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

/// AVX-512 VPOPCNTDQ: counts of bits.
#[inline]
pub fn population_count_512() -> bool {
    is_x86_feature_detected!("avx512vpopcntdq")
}
