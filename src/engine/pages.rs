//! Memory in large pages, where the system has them.

/// Asks the system to back `memory` with large pages as it is touched.
///
/// A table is read at random places: with pages of 4 KiB nearly every look-up also misses the
/// processor's cache of addresses. Where the system refuses, nothing changes but the speed.
pub(crate) fn prefer_large<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
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

#[cfg(test)]
mod tests {
    use super::prefer_large;

    #[test]
    fn contents_stay_as_they_are() {
        for length in [0, 1, 511, 512, 1 << 20] {
            let mut memory: Vec<u64> = (0..length).collect();
            prefer_large(&mut memory);
            assert!(memory.iter().copied().eq(0..length));
        }
    }
}
