//! Memory pages of large tables: large pages, prefaulting, prefetching and giving them back.

use std::hint::black_box;

/// Bytes of the smallest page.
pub const PAGE: usize = 4096;
/// Bytes of a large page, on x86-64 and on 64-bit Arm with small pages of 4 KiB.
pub const LARGE_PAGE: usize = 2 << 20;

/// Asks the system to back `memory` with large pages as it is touched.
///
/// A table is read at random places: with pages of 4 KiB nearly every look-up also misses the
/// processor's cache of addresses. Where the system refuses, nothing changes but the speed.
pub fn prefer_large<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let range = memory.as_mut_ptr_range();
        let begin = (range.start as usize).next_multiple_of(PAGE);
        let end = range.end as usize / PAGE * PAGE;
        if begin < end {
            // SAFETY: the pages lie within `memory`, and the advice changes nothing in them.
            let _ = unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Has the system provide all of `memory` now, and not when it is first used. The contents stay as they are.
///
/// Only writing does that: a page that was only read is one of zeroes that all programs share.
pub fn provide<T: bytemuck::Pod>(memory: &mut [T]) {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(memory);
    let last = bytes.len().saturating_sub(1);
    for index in (0..last).step_by(PAGE).chain([last]) {
        if let Some(byte) = bytes.get_mut(index) {
            *byte = black_box(*byte);
        }
    }
}

/// Asks the processor to fetch what `place` begins with, which is soon to be read.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    prefetch_at(std::ptr::from_ref(place));
}

/// Asks the processor to fetch what lies at `address`, which need not be memory of this program.
#[inline(always)]
pub fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect on memory, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch(address.cast::<i8>(), _MM_HINT_T0);
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: likewise.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// Gives the whole large pages of `memory` back to the system, which provides zeroes when they are used again.
/// Returns what lies before and behind them; everything where the system cannot do that.
///
/// To give back a part of a large page would split it, and small ones would take its place.
///
/// # Safety
/// `memory` must be changed by atomic operations only, as its values become zero.
pub(crate) unsafe fn drop_pages<T: bytemuck::Zeroable>(memory: &[T]) -> [&[T]; 2] {
    #[cfg(target_os = "linux")]
    {
        let range = memory.as_ptr_range();
        let start = range.start as usize;
        let begin = start.next_multiple_of(LARGE_PAGE);
        let end = range.end as usize / LARGE_PAGE * LARGE_PAGE;
        let whole = PAGE.is_multiple_of(size_of::<T>()) && (begin - start).is_multiple_of(size_of::<T>());
        if whole && begin < end {
            // SAFETY: the pages lie within `memory`, which the allocator has from anonymous mappings, and
            // read as zeroes from now on, which the type allows.
            let dropped =
                unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_DONTNEED) } == 0;
            if dropped {
                let head = (begin - start) / size_of::<T>();
                let tail = (end - start) / size_of::<T>();
                return [&memory[..head], &memory[tail..]];
            }
        }
    }
    [memory, &[]]
}

/// How often this thread had to wait for a page of memory while it did `work`.
#[cfg(all(test, target_os = "linux"))]
pub fn faults(work: impl FnOnce()) -> i64 {
    let count = || {
        // SAFETY: a structure of numbers, which the call fills in.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
            usage.ru_minflt
        }
    };
    let before = count();
    work();
    count() - before
}

#[cfg(test)]
mod tests {
    use super::{LARGE_PAGE, drop_pages, prefer_large};

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_provided_is_there_and_keeps_its_contents() {
        use super::{faults, provide};
        let mut memory: Vec<u64> = bytemuck::zeroed_vec(3 << 20);
        memory[1 << 20] = 7;
        assert!(faults(|| provide(&mut memory)) > 4, "the system provides it as it is used");
        assert!(memory.iter().enumerate().all(|(index, &word)| word == 7 * u64::from(index == 1 << 20)));
        // Pages may be taken away or moved at any time: not all of them.
        let late = faults(|| memory.fill(1));
        assert!(late < 4, "{late} pages came late");
        provide::<u64>(&mut []);
    }

    #[test]
    fn dropped_pages_read_as_zeroes_and_the_rest_is_returned() {
        use std::sync::atomic::{AtomicU64, Ordering};
        for length in [0, 1, 511, 512, 2048, 1_000_001] {
            let memory: Vec<AtomicU64> = (0..length).map(|_| AtomicU64::new(7)).collect();
            // SAFETY: these are atomic.
            let rest: usize = unsafe { drop_pages(&memory) }.iter().map(|part| part.len()).sum();
            let left = memory.iter().filter(|value| value.load(Ordering::Relaxed) == 7).count();
            assert_eq!(left, rest, "of {length}");
            assert!(!cfg!(target_os = "linux") || rest < 2 * LARGE_PAGE / 8, "{rest} of {length}");
        }
    }

    #[test]
    fn contents_stay_as_they_are() {
        for length in [0, 1, 511, 512, 1 << 20] {
            let mut memory: Vec<u64> = (0..length).collect();
            prefer_large(&mut memory);
            assert!(memory.iter().copied().eq(0..length));
        }
    }
}
