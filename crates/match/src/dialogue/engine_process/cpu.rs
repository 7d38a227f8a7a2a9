//! Processor time of an engine: more than its own moves can explain means more threads than
//! agreed, or thinking on the opponent's time.

use std::time::Duration;

#[cfg(not(windows))]
use kaeshi_core::files;

/// Ticks of `/proc/<pid>/stat` per second; Linux shows them in this unit on every machine.
#[cfg(not(windows))]
const TICKS_PER_SECOND: u64 = 100;

/// Shorter spans are not judged.
const SHORTEST: Duration = Duration::from_secs(1);

#[cfg(windows)]
pub use super::system::processor_time as used;

/// Processor time that process `pid` has used so far; `None` where the system does not say.
#[cfg(not(windows))]
pub fn used(pid: u32) -> Option<Duration> {
    let stat = files::system(format!("/proc/{pid}/stat"));
    // The name stands in parentheses and may hold anything; user and system time are fields 14 and 15.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 1000 / TICKS_PER_SECOND))
}

/// A warning, if an engine of `threads` threads used more than a fifth beyond what it could have used
/// in the time of its own moves.
pub fn judge(used: Duration, own: Duration, threads: u32) -> Option<String> {
    let could = own * threads.max(1);
    (used > SHORTEST && used > could + could / 5 + SHORTEST / 2).then(|| {
        format!(
            "used {:.1} s of processor time in {:.1} s of own moves with {threads} threads",
            used.as_secs_f64(),
            own.as_secs_f64()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_explained_is_reported() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(judge(seconds(10.0), seconds(9.5), 1), None);
        assert_eq!(judge(seconds(19.0), seconds(10.0), 2), None);
        assert_eq!(judge(seconds(0.9), seconds(0.1), 1), None);
        assert!(judge(seconds(19.0), seconds(10.0), 1).unwrap().contains("19.0 s"));
    }

    #[cfg(any(target_os = "linux", windows))]
    #[test]
    fn our_own_work_is_seen() {
        let own = std::process::id();
        let before = used(own).unwrap();
        let start = std::time::Instant::now();
        let mut value = 1_u64;
        while used(own).unwrap() < before + Duration::from_millis(30) {
            value = std::hint::black_box(value.wrapping_mul(3));
            assert!(start.elapsed() < Duration::from_secs(60), "no processor time is counted");
        }
    }
}
