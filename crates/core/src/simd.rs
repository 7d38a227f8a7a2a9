//! Code compiled for several generations of processors, chosen at run time.
//!
//! Work is a [`SimdJob`]; [`SimdLevel::run`] holds it compiled once for each set of features. The code is
//! the same each time, so integer results are the same everywhere. The modules below have intrinsics, which tests
//! compare with portable code.

pub mod bits;
#[cfg(target_arch = "x86_64")]
pub mod detect;
pub mod dot;
pub mod lanes;
pub mod tiles;
pub mod words;

use std::marker::PhantomData;
use std::sync::LazyLock;

use bytemuck::{Pod, Zeroable};

/// Code that profits from wide registers.
pub trait SimdJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run(self) -> Self::Output;
}

/// A set of features that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimdLevel(Features);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Features {
    /// The features that every processor of the target has.
    Portable,
    /// AVX2, BMI, POPCNT and LZCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 F, VL, BW and DQ besides.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// NEON, which every processor of the target has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

static BEST: LazyLock<SimdLevel> = LazyLock::new(|| SimdLevel::all().pop().unwrap_or(SimdLevel::PORTABLE));

impl SimdLevel {
    /// No special features.
    pub const PORTABLE: SimdLevel = SimdLevel(Features::Portable);

    /// All sets that this processor has, the fastest last.
    pub fn all() -> Vec<SimdLevel> {
        #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_mut))]
        let mut levels = vec![SimdLevel::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(detect::avx2().then_some(SimdLevel(Features::Avx2)));
            levels.extend(detect::avx512().then_some(SimdLevel(Features::Avx512)));
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(SimdLevel(Features::Neon));
        levels
    }

    /// The fastest set.
    pub fn best() -> SimdLevel {
        *BEST
    }

    /// Runs `job` compiled for these features.
    #[inline]
    pub fn run<J: SimdJob>(self, job: J) -> J::Output {
        match self.0 {
            Features::Portable => job.run(),
            // The compiler uses NEON in all code for this target.
            #[cfg(target_arch = "aarch64")]
            Features::Neon => job.run(),
            // SAFETY: a level with these features is made in `all` only, where they were detected.
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => unsafe { with_avx2(job) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => unsafe { with_avx512(job) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn with_avx2<J: SimdJob>(job: J) -> J::Output {
    job.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512vl,avx512bw,avx512dq")]
fn with_avx512<J: SimdJob>(job: J) -> J::Output {
    job.run()
}

/// The block of numbers from `begin` on: a copy of an array is vector code without any call.
///
/// # Panics
/// There are fewer than `BLOCK` numbers.
#[inline(always)]
pub fn block<const BLOCK: usize>(numbers: &[i16], begin: usize) -> &[i16; BLOCK] {
    numbers[begin..].first_chunk().expect("a whole block")
}

/// The block of numbers from `begin` on, to be changed.
///
/// # Panics
/// There are fewer than `BLOCK` numbers.
#[inline(always)]
pub fn block_mut<const BLOCK: usize>(numbers: &mut [i16], begin: usize) -> &mut [i16; BLOCK] {
    numbers[begin..].first_chunk_mut().expect("a whole block")
}

/// A cache line, which the widest registers like to load whole.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

/// Numbers that begin at a cache line.
#[derive(Clone, Debug)]
pub struct Aligned<T> {
    lines: Vec<CacheLine>,
    length: usize,
    numbers: PhantomData<T>,
}

impl<T: Pod> Aligned<T> {
    /// A number of zeros.
    ///
    /// # Panics
    /// There is no memory for them.
    pub fn zeros(length: usize) -> Aligned<T> {
        Aligned::try_zeros(length).expect("memory for a table")
    }

    /// A number of zeros; `None` if there is no memory for them.
    pub fn try_zeros(length: usize) -> Option<Aligned<T>> {
        let lines = (length * size_of::<T>()).div_ceil(size_of::<CacheLine>());
        let lines = bytemuck::try_zeroed_vec(lines).ok()?;
        Some(Aligned { lines, length, numbers: PhantomData })
    }

    /// A copy of these numbers.
    pub fn of(numbers: &[T]) -> Aligned<T> {
        let mut aligned = Aligned::zeros(numbers.len());
        aligned.get_mut().copy_from_slice(numbers);
        aligned
    }

    /// The numbers.
    #[inline(always)]
    pub fn get(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.length]
    }

    /// The numbers, to be changed.
    #[inline(always)]
    pub fn get_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.length]
    }
}
