//! How much memory this process may still take: what the machine has free, and what limits the process.
//!
//! On Linux the least of these counts: `MemAvailable`, the limits of the control groups (versions 1 and 2)
//! from the process' own group up to the root, `RLIMIT_AS` and `RLIMIT_DATA`. Memory of a control group that
//! holds files is taken for free, since the system takes it back.

use std::alloc::{Layout, handle_alloc_error};
use std::path::{Path, PathBuf};

use crate::files;
use crate::game::GameError;
use crate::mutex::Mutex;

/// Bytes that this process may still take; `None` where the system does not say.
pub fn free_memory() -> Option<u64> {
    let limits = [free_addresses(), system_room(Path::new("/proc"))];
    limits.into_iter().flatten().min().or_else(unaided_estimate)
}

/// Memory of the program apart from tables and threads, in bytes.
const OWN_BYTES: u64 = 40 << 20;
/// Memory of a thread that searches or learns, in bytes: its stack, histories, and a small table.
const THREAD_BYTES: u64 = 24 << 20;

/// How many of `wanted` threads there is room for, at least one.
pub fn room_for_threads(wanted: usize) -> usize {
    let room = free_memory().map(|free| free.saturating_sub(OWN_BYTES) / THREAD_BYTES);
    room.map_or(wanted, |room| wanted.min(usize::try_from(room).unwrap_or(wanted))).max(1)
}

/// Whether there is room for one more thread and for everything else.
pub fn has_room_for_a_thread() -> bool {
    free_memory().is_none_or(|free| free >= THREAD_BYTES + HEADROOM)
}

/// Whether the limits of the process leave room for the stack of a helper and for everything else: where a
/// thread has a stack and its signal stack has no room, the standard library ends the program.
pub fn has_room_for_a_helper() -> bool {
    const STACK: u64 = 2 << 20;
    free_addresses().is_none_or(|free| free >= STACK + HEADROOM)
}

/// Calls `make` with `asked` MiB, or with as much as is free beside the needs of the program and of this many further
/// threads, and halves the size until `make` succeeds. Returns its result and the size in MiB.
///
/// # Errors
/// There is no memory for 1 MiB.
pub fn fitting<T>(
    asked: usize,
    threads: usize,
    make: impl Fn(usize) -> Result<T, GameError>,
) -> Result<(T, usize), GameError> {
    let overhead = OWN_BYTES + THREAD_BYTES * threads as u64;
    let room = free_memory().map(|free| (free.saturating_sub(overhead) >> 20) / 8 * 7);
    let mut mib = room.map_or(asked, |room| asked.min(usize::try_from(room).unwrap_or(asked))).max(1);
    loop {
        match make(mib << 20) {
            Ok(made) => return Ok((made, mib)),
            Err(_) if mib > 1 => mib /= 2,
            Err(reason) => return Err(reason),
        }
    }
}

/// Bytes that growing tables and further threads leave to everything else: where an ordinary allocation fails, the
/// program ends. Half of them were too few for 16 threads on a busy machine.
const HEADROOM: u64 = 32 << 20;

/// The larger table of `bytes` bytes that `allocate` makes; `None` where the limits of the process do not have room for
/// it and for other things besides. One table grows at a time: two could both take the same room.
pub fn grown<T>(bytes: usize, allocate: impl FnOnce() -> Option<T>) -> Option<T> {
    static GROWING: Mutex<()> = Mutex::new(());
    let _growing = GROWING.lock();
    let wanted = (bytes as u64).saturating_add(HEADROOM);
    free_addresses().is_none_or(|free| free >= wanted).then(allocate).flatten()
}

/// A table of this many bytes need not leave [`HEADROOM`]: without it there is no search.
const SMALL_TABLE: usize = 64 << 10;

/// The table that `allocate` makes of `count` entries of `size` bytes, or of half as many, a quarter and so on, where
/// there is no more room; and how many these are. Where not even a small table has room, the program ends as at any
/// other allocation.
pub fn halved<T>(mut count: usize, size: usize, allocate: impl Fn(usize) -> Option<T>) -> (T, usize) {
    loop {
        let bytes = count * size;
        let made = if bytes > SMALL_TABLE { grown(bytes, || allocate(count)) } else { allocate(count) };
        match made {
            Some(table) => return (table, count),
            None if bytes <= SMALL_TABLE => {
                handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()))
            }
            None => count /= 2,
        }
    }
}

/// The message if a table has `mib` MiB, fewer than `asked`.
pub fn smaller(asked: usize, mib: usize) -> Option<String> {
    (mib < asked)
        .then(|| format!("Hash of {asked} MiB does not fit into the memory that is free: {mib} MiB are used"))
}

/// Free memory in bytes by the files of the system; `proc` is the folder of its process files.
fn system_room(proc: &Path) -> Option<u64> {
    let available = kibibytes(&files::system(proc.join("meminfo")), "MemAvailable:");
    [available, group_room(proc)].into_iter().flatten().min()
}

/// The number behind `name` in lines such as `VmSize:  1234 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// Memory in bytes that the control groups leave to the process; `None` without a limit.
fn group_room(proc: &Path) -> Option<u64> {
    let groups = files::system(proc.join("self/cgroup"));
    let mounts = files::system(proc.join("self/mountinfo"));
    let rooms = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let version = if controllers.is_empty() {
            &VERSION_2
        } else if controllers.split(',').any(|name| name == "memory") {
            &VERSION_1
        } else {
            return None;
        };
        let (top, own) = mounted(&mounts, version, path)?;
        own.ancestors()
            .take_while(|folder| folder.starts_with(&top))
            .filter_map(|folder| version.room(folder))
            .min()
    });
    rooms.min()
}

/// The names that a version of control groups has for the same things.
struct CgroupVersion {
    file_system: &'static str,
    /// A word that the mount options must contain.
    controller: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The memory that holds files not used lately.
    files: &'static str,
}

const VERSION_1: CgroupVersion = CgroupVersion {
    file_system: "cgroup",
    controller: "memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    files: "total_inactive_file ",
};

const VERSION_2: CgroupVersion = CgroupVersion {
    file_system: "cgroup2",
    controller: "",
    limit: "memory.max",
    usage: "memory.current",
    files: "inactive_file ",
};

impl CgroupVersion {
    /// Memory in bytes that the group of this folder leaves; `None` if it has no limit.
    fn room(&self, folder: &Path) -> Option<u64> {
        let number = |name: &str| files::system(folder.join(name)).trim().parse::<u64>().ok();
        let (limit, usage) = (number(self.limit)?, number(self.usage)?);
        let statistics = files::system(folder.join("memory.stat"));
        let files = statistics.lines().find_map(|line| line.strip_prefix(self.files)?.trim().parse().ok());
        Some(limit.saturating_sub(usage.saturating_sub(files.unwrap_or(0))))
    }
}

/// The mount point of the hierarchy of a version, and the folder of the group `path` in it.
fn mounted(mounts: &str, version: &CgroupVersion, path: &str) -> Option<(PathBuf, PathBuf)> {
    mounts.lines().find_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let mut system = system.split_whitespace();
        let file_system = system.next()?;
        let options = system.nth(1).unwrap_or_default();
        let fits = file_system == version.file_system
            && (version.controller.is_empty() || options.split(',').any(|name| name == version.controller));
        let mut fields = mount.split_whitespace().skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        fits.then(|| (PathBuf::from(point), Path::new(point).join(below)))
    })
}

/// Bytes that the limits of the process (`ulimit -v`, `ulimit -d`) leave; `None` without such limits.
pub fn free_addresses() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let room = |resource, used: &str| {
            let limit = resource_limit(resource)?;
            Some(limit.saturating_sub(kibibytes(&files::system("/proc/self/status"), used)?))
        };
        [room(libc::RLIMIT_AS, "VmSize:"), room(libc::RLIMIT_DATA, "VmData:")].into_iter().flatten().min()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The type of a resource's number in C libraries.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(all(target_os = "linux", not(target_env = "gnu")))]
type Resource = libc::c_int;

/// The limit in force; `None` for no limit.
#[cfg(target_os = "linux")]
fn resource_limit(resource: Resource) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call only writes the structure that it is given.
    let known = unsafe { libc::getrlimit(resource, &raw mut limit) } == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Estimate for systems other than Linux: free memory on Windows, elsewhere half of the machine's memory.
fn unaided_estimate() -> Option<u64> {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
        let length = u32::try_from(size_of::<MEMORYSTATUSEX>()).ok()?;
        let mut status = MEMORYSTATUSEX { dwLength: length, ..Default::default() };
        // SAFETY: the call fills in the structure, whose size is passed.
        let known = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
        // Memory that the page file could not hold is refused.
        known.then(|| status.ullAvailPhys.min(status.ullAvailPageFile))
    }
    #[cfg(unix)]
    {
        // SAFETY: sysconf only reads constants of the system.
        let (pages, size) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        Some(u64::try_from(pages).ok()?.checked_mul(u64::try_from(size).ok()?)? / 2)
    }
    #[cfg(not(any(unix, windows)))]
    None
}

/// The name of this machine; empty where the system does not say.
pub fn host_name() -> String {
    let name = if cfg!(windows) {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    } else {
        files::system("/etc/hostname")
    };
    name.trim().to_owned()
}

/// Has waits end within a millisecond of their time. Windows rounds them up to its timer's period, by default 15.6 ms,
/// which moves on a clock would exceed.
pub fn refine_timers() {
    #[cfg(windows)]
    // SAFETY: a call on a number; the end of the process undoes it.
    unsafe {
        windows_sys::Win32::Media::timeBeginPeriod(1);
    }
}

/// Keeps the memory allocator from reserving addresses for each thread where addresses are limited
/// (`ulimit -v`): they would be missing for the table. To be called before any thread is made.
pub fn spare_addresses() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if resource_limit(libc::RLIMIT_AS).is_some() {
        // SAFETY: the call changes a setting of the allocator.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const MIB: u64 = 1 << 20;

    /// Process files whose only limits are those of control groups mounted below `folder`.
    fn process_files(folder: &Path, groups: &str, mounts: &str, files: &[(&str, &str)]) {
        let put = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        };
        put("meminfo", "MemTotal: 8388608 kB\nMemAvailable:    4194304 kB\n");
        put("self/cgroup", groups);
        put("self/mountinfo", &mounts.replace("TOP", folder.to_str().expect("a name")));
        files.iter().for_each(|(name, text)| put(name, text));
    }

    const OLD: &str = "35 31 0:32 / TOP/memory rw,relatime - cgroup cgroup rw,memory\n";
    const NEW: &str = "36 31 0:33 / TOP/unified rw,relatime - cgroup2 cgroup2 rw\n";

    #[test]
    fn without_groups_what_is_free_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        process_files(folder.path(), "", "", &[]);
        assert_eq!(system_room(folder.path()), Some(4096 * MIB));
    }

    #[test]
    fn a_limit_of_version_1_counts_and_its_files_are_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            ("memory/box/memory.limit_in_bytes", "419430400\n"),
            ("memory/box/memory.usage_in_bytes", "104857600\n"),
            ("memory/box/memory.stat", "inactive_file 1\ntotal_inactive_file 52428800\n"),
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/memory.usage_in_bytes", "904857600\n"),
        ];
        process_files(folder.path(), "5:cpu:/other\n4:memory:/box\n0::/\n", OLD, &files);
        assert_eq!(system_room(folder.path()), Some((400 - 100 + 50) * MIB));
    }

    #[test]
    fn a_limit_of_version_2_may_be_that_of_a_group_above() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            ("unified/pod/memory.max", "209715200\n"),
            ("unified/pod/memory.current", "10485760\n"),
            ("unified/pod/box/memory.max", "max\n"),
            ("unified/pod/box/memory.current", "10485760\n"),
        ];
        process_files(folder.path(), "0::/pod/box\n", NEW, &files);
        assert_eq!(system_room(folder.path()), Some(190 * MIB));
    }

    /// In a container the folder of the group itself is mounted.
    #[test]
    fn a_mounted_group_is_found_under_its_mount() {
        let folder = tempfile::tempdir().expect("a folder");
        let mounts = "36 31 0:33 /docker/7 TOP/unified rw - cgroup2 cgroup2 rw\n";
        let files = [("unified/memory.max", "104857600"), ("unified/memory.current", "0")];
        for group in ["0::/docker/7\n", "0::/\n"] {
            process_files(folder.path(), group, mounts, &files);
            assert_eq!(system_room(folder.path()), Some(100 * MIB), "{group}");
        }
    }

    #[test]
    fn damaged_files_are_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = [("unified/memory.max", "soon"), ("unified/memory.current", "")];
        process_files(folder.path(), "nonsense\n0::/\n:\n", "nonsense\n - \n36 - cgroup2\n", &files);
        assert_eq!(system_room(folder.path()), Some(4096 * MIB));
    }
}
