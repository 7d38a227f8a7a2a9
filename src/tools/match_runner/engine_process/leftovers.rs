//! Processes that engines leave behind: on Linux the runner adopts them, knows them by a word in
//! their environment, and ends them.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Name of the environment variable that all engines of a match inherit.
const MARK: &str = "KAESHI_MATCH";

/// The engines of one match; whatever else carries its mark is a leftover.
#[derive(Debug)]
pub struct Nursery {
    mark: String,
    running: Mutex<BTreeSet<u32>>,
}

impl Default for Nursery {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let mark = format!("{}-{}", std::process::id(), now.as_nanos());
        Nursery { mark, running: Mutex::default() }
    }
}

impl Nursery {
    fn running(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a command and remembers its process as wanted.
    ///
    /// # Errors
    /// The system's.
    pub fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut running = self.running();
        #[cfg(target_os = "linux")]
        super::system::adopt_orphans();
        let child = command.env(MARK, &self.mark).spawn()?;
        running.insert(child.id());
        Ok(child)
    }

    /// The process has been waited for.
    pub(super) fn forget(&self, pid: u32) {
        self.running().remove(&pid);
    }

    /// Ends what dead engines left behind and tells how many processes that were.
    pub fn sweep(&self) -> usize {
        let running = self.running();
        let orphans: Vec<u32> =
            children().into_iter().filter(|pid| !running.contains(pid) && self.is_marked(*pid)).collect();
        for &pid in &orphans {
            #[cfg(target_os = "linux")]
            super::system::kill_process(pid);
            log::warn!("ended process {pid}, which an engine had left behind");
        }
        orphans.len()
    }

    fn is_marked(&self, pid: u32) -> bool {
        let wanted = format!("{MARK}={}", self.mark);
        std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes())
        })
    }
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
