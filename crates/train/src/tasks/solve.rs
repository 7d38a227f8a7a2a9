//! Solving of positions: the options that all games share.

use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;

use kaeshi_core::driver::machine;
use kaeshi_core::files;
use kaeshi_core::game::GameError;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_system::output::remark;
use kaeshi_system::stop_signal::StopSignal;

/// How often a search is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The options of all games.
#[derive(Debug, clap::Args)]
pub struct SolveOptions {
    /// The file of positions, of shogi also a folder; - for standard input. With --make-problems a file of games, or a
    /// folder of such files
    pub file: PathBuf,
    /// Threads to search with
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Size of the table in MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub hash: u32,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub json: bool,
    /// Instead of solving positions, look for problems in games: positions with one best turn. They are written to
    /// this file, one a line, graded by difficulty
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    pub make_problems: Option<PathBuf>,
    /// With --make-problems: most problems of one grade
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub per_grade: u32,
}

impl SolveOptions {
    /// Calls `make` with the requested table size, or with as much memory as is free, which it then reports.
    ///
    /// # Errors
    /// The error of `make`, if there is not enough memory for a small table.
    pub fn with_table<T>(&self, make: impl Fn(usize) -> Result<T, GameError>) -> Result<T, GameError> {
        let asked = self.hash as usize;
        let (made, mib) = machine::fitting(asked, usize::from(self.threads), make)?;
        machine::smaller(asked, mib).into_iter().for_each(remark);
        Ok(made)
    }

    /// The lines of the file.
    ///
    /// # Errors
    /// If it cannot be opened; later if it cannot be read, or a line is too long.
    pub fn lines(&self) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Vec<u8>>>> {
        let lines = files::lines(self.reader()?);
        Ok(lines.map(|line| line.with_context(|| format!("cannot read {}", self.file.display()))))
    }

    fn reader(&self) -> anyhow::Result<Box<dyn BufRead>> {
        if self.file.as_os_str() == "-" {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file =
            files::open_piped(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        Ok(Box::new(BufReader::new(file)))
    }
}

/// Does `work`, whose interrupt is raised as soon as the process is asked to stop. Until then `poll` is called every
/// 50 ms.
pub fn until_stopped(poll: &(dyn Fn() + Sync), work: &mut dyn FnMut(&Interrupt)) {
    let (interrupt, is_done) = (Interrupt::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        // Without a thread for it, a signal is heard when all is done.
        let watcher = std::thread::Builder::new().spawn_scoped(scope, || {
            while !is_done.load(Ordering::Relaxed) {
                if StopSignal::of_process().is_raised() {
                    interrupt.raise();
                    break;
                }
                poll();
                std::thread::park_timeout(POLL_INTERVAL);
            }
        });
        work(&interrupt);
        is_done.store(true, Ordering::Relaxed);
        if let Ok(watcher) = watcher {
            watcher.thread().unpark();
        }
    });
}
