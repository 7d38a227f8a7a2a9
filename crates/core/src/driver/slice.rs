//! How long the system lets a thread run at a time.

/// Asks for the shortest slices for the calling thread: it has little to do, but that at once, while searches
/// take every processor.
///
/// On Linux from 6.12 on, a thread that wakes then takes the processor from one whose slices are longer
/// (`sched_setattr(2)`, EEVDF scheduling); its share stays the same. Elsewhere nothing happens.
#[cfg(target_os = "linux")]
pub fn request_short_slice() {
    /// Nanoseconds; the least that the kernel grants.
    const SHORTEST: u64 = 100_000;
    let size = size_of::<libc::sched_attr>() as u32;
    // SAFETY: a structure of integers, for which zeros are values.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes at most `size` bytes into the structure.
    let known = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) } == 0;
    // Real-time and idle policies were chosen by the user.
    if known && attributes.sched_policy == libc::SCHED_OTHER as u32 {
        attributes.sched_runtime = SHORTEST;
        // Threads that this one makes, those of the search, have the usual slices.
        attributes.sched_flags |= libc::SCHED_FLAG_RESET_ON_FORK as u64;
        // SAFETY: the call reads the structure, whose size it knows. A refusal changes nothing.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

/// Does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub fn request_short_slice() {}
