//! Processes that engines leave behind: on Linux the runner adopts them, knows them by their descent and by
//! a word in their environment, and ends them. What cleared its environment and outlived its parent
//! unseen is ended when no engine runs any more. On Windows the job of an engine holds all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::system::Group;
use kaeshi_core::files;
use kaeshi_system::background;

/// Rounds of looking for what is left; a tree that still grows is stopped before it is ended.
const ROUNDS: u32 = 200;
/// Pause between rounds in which something was found.
const PAUSE: Duration = Duration::from_millis(2);

/// Name of the environment variable that all engines of a match inherit.
const MARK: &str = "KAESHI_MATCH";

/// The engines of one match.
#[derive(Debug)]
pub struct ProcessReaper {
    name: String,
    started: AtomicU64,
    leftovers: AtomicU64,
    running: Mutex<BTreeMap<u32, Arc<Group>>>,
    /// Whether this process starts nothing but engines, so that every other child is a leftover.
    owns_all: AtomicBool,
}

/// Processes by number, with the time of their start: numbers are used again.
#[derive(Clone, Debug, Default)]
pub struct Descendants(BTreeMap<u32, u64>);

impl Default for ProcessReaper {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", std::process::id(), now.as_nanos());
        ProcessReaper {
            name,
            started: AtomicU64::new(0),
            leftovers: AtomicU64::new(0),
            running: Mutex::default(),
            owns_all: AtomicBool::new(false),
        }
    }
}

impl ProcessReaper {
    fn running(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Group>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a command and returns the mark that it and its children carry, and their group.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<(Child, String, Arc<Group>)> {
        #[cfg(target_os = "linux")]
        super::system::adopt_orphans();
        let mark = format!("{}-{}", self.name, self.started.fetch_add(1, Ordering::Relaxed));
        let mut running = self.running();
        let (child, group) = Group::spawn(command.env(MARK, &mark))?;
        let group = Arc::new(group);
        background::lower(child.id());
        running.insert(child.id(), Arc::clone(&group));
        Ok((child, mark, group))
    }

    /// Says that this process starts nothing but engines: whatever else turns out to be its child was
    /// left behind by one of them.
    pub fn own_all_children(&self) {
        self.owns_all.store(true, Ordering::Relaxed);
    }

    /// The process has been waited for; its family and whatever else carries its mark is ended.
    pub(super) fn sweep(&self, pid: u32, mark: &str, known_descendants: &Descendants, group: &Group) {
        let mut running = self.running();
        running.remove(&pid);
        // The lock is held to the end: an engine that is being started is no leftover.
        let alone = running.is_empty() && self.owns_all.load(Ordering::Relaxed);
        let mut ended = group.ended();
        for _ in 0..ROUNDS {
            let strays = children_of(std::process::id())
                .into_iter()
                .filter(|child| !running.contains_key(child) && (alone || carries(*child, mark)));
            let known = known_descendants.0.iter().filter(|&(&pid, &start)| started(pid) == Some(start));
            let roots: Vec<u32> = known.map(|(&pid, _)| pid).chain(strays).collect();
            let all = descendants(&roots);
            if all.is_empty() {
                break;
            }
            end_all(&all);
            ended.extend(all);
            std::thread::sleep(PAUSE);
        }
        for pid in &ended {
            log::warn!("ended process {pid}, which an engine had left behind");
        }
        self.leftovers.fetch_add(ended.len() as u64, Ordering::Relaxed);
    }

    /// How many processes engines left behind.
    pub fn leftovers(&self) -> u64 {
        self.leftovers.load(Ordering::Relaxed)
    }

    /// Ends all engines at once with everything that descends from them; for the moment before the
    /// runner itself ends.
    pub fn kill_all(&self) {
        let running = self.running();
        for _ in 0..ROUNDS {
            let mut roots: Vec<u32> = running.keys().copied().filter(|&pid| started(pid).is_some()).collect();
            if self.owns_all.load(Ordering::Relaxed) {
                roots.extend(children_of(std::process::id()));
            }
            let all = descendants(&roots);
            if all.is_empty() {
                break;
            }
            end_all(&all);
            std::thread::sleep(PAUSE);
        }
        running.values().for_each(|group| group.kill());
    }
}

impl Descendants {
    /// Adds everything that descends from a process.
    pub(super) fn add(&mut self, leader: u32) {
        let all = descendants(&[leader]);
        self.0.extend(
            all.into_iter().filter(|&pid| pid != leader).filter_map(|pid| Some((pid, started(pid)?))),
        );
    }
}

/// Stops all of them first, so that none starts another one, then ends them.
fn end_all(pids: &BTreeSet<u32>) {
    #[cfg(target_os = "linux")]
    {
        pids.iter().for_each(|&pid| super::system::stop_process(pid));
        pids.iter().for_each(|&pid| super::system::kill_process(pid));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pids;
}

fn carries(pid: u32, mark: &str) -> bool {
    let wanted = format!("{MARK}={mark}");
    files::system_bytes(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|&byte| byte == 0).any(|word| word == wanted.as_bytes()))
}

/// When a process was started, in ticks since the machine was; `None` if it is gone or merely not
/// waited for, or where the system does not say.
fn started(pid: u32) -> Option<u64> {
    let stat = files::system(format!("/proc/{pid}/stat"));
    // The name stands in parentheses and may hold anything; the state is field 3, the start 22.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    (state != "Z").then(|| fields.nth(18)?.parse().ok())?
}

/// Children of a process, adopted ones included; none where the system does not say.
fn children_of(pid: u32) -> Vec<u32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .map(|task| files::system(task.path().join("children")))
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// These processes and everything that descends from them.
fn descendants(roots: &[u32]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = roots.to_vec();
    while let Some(pid) = open.pop() {
        if found.insert(pid) {
            open.extend(children_of(pid));
        }
    }
    found
}
