//! Processes that engines leave behind: on Linux the runner adopts them, knows them by a word in
//! their environment, and ends them.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Name of the environment variable that all engines of a match inherit.
const MARK: &str = "KAESHI_MATCH";

/// The engines of one match.
#[derive(Debug)]
pub struct Nursery {
    name: String,
    started: AtomicU64,
    leftovers: AtomicU64,
    running: Mutex<BTreeSet<u32>>,
}

impl Default for Nursery {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", std::process::id(), now.as_nanos());
        Nursery { name, started: AtomicU64::new(0), leftovers: AtomicU64::new(0), running: Mutex::default() }
    }
}

impl Nursery {
    fn running(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a command and returns the mark that it and its children carry.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<(Child, String)> {
        #[cfg(target_os = "linux")]
        super::system::adopt_orphans();
        let mark = format!("{}-{}", self.name, self.started.fetch_add(1, Ordering::Relaxed));
        let mut running = self.running();
        let child = command.env(MARK, &mark).spawn()?;
        running.insert(child.id());
        Ok((child, mark))
    }

    /// The process has been waited for; whatever else carries its mark is ended.
    pub(super) fn sweep(&self, pid: u32, mark: &str) {
        self.running().remove(&pid);
        for orphan in children().into_iter().filter(|&orphan| carries(orphan, mark)) {
            #[cfg(target_os = "linux")]
            super::system::kill_process(orphan);
            log::warn!("ended process {orphan}, which an engine had left behind");
            self.leftovers.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many processes engines left behind.
    pub fn leftovers(&self) -> u64 {
        self.leftovers.load(Ordering::Relaxed)
    }

    /// Ends all engines at once; for the moment before the runner itself ends.
    pub fn kill_all(&self) {
        for &pid in self.running().iter() {
            super::system::kill_group(pid);
        }
    }
}

fn carries(pid: u32, mark: &str) -> bool {
    let wanted = format!("{MARK}={mark}");
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes()))
}

/// Our children, adopted ones included; none where the system does not tell.
fn children() -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}
