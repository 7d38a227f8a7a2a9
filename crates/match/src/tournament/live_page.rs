//! The page that shows a running match or tuning.
//!
//! | file | what lies there |
//! |---|---|
//! | `watch` | what the files hold now: the report, and the games at the tables |
//! | `server` | the page, its files, and what it asks for |

mod server;
mod watch;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::tournament::journal::JOURNAL;
use crate::tournament::journal::load::load_whole;
use crate::tournament::report::html::live::LiveParts;
use kaeshi_core::threads::spawn_free;
use kaeshi_report::web::{self, Guard};
use kaeshi_system::output::remark;
use server::Live;

/// The port that is tried first.
const USUAL_PORT: u16 = 4391;
/// How long what is over waits for pages that are open.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(4);

/// A match or a tuning that a page shows, read from its files.
pub trait LiveSource: Send + Sync + 'static {
    /// The files that it is read from. The page is made anew when one of them changes.
    fn files(&self) -> Vec<PathBuf>;

    /// The folder of the match whose games are being played.
    fn games(&self) -> PathBuf;

    /// The report as the files hold it now.
    ///
    /// # Errors
    /// Files that cannot be read.
    fn read(&self) -> anyhow::Result<LiveParts>;
}

/// A match for its live page.
#[derive(Debug)]
pub struct MatchFolder {
    /// Where it lies.
    pub folder: PathBuf,
    /// Whether damaged lines of its journal are skipped.
    pub salvage: bool,
}

impl LiveSource for MatchFolder {
    fn files(&self) -> Vec<PathBuf> {
        vec![self.folder.join(JOURNAL)]
    }

    fn games(&self) -> PathBuf {
        self.folder.clone()
    }

    fn read(&self) -> anyhow::Result<LiveParts> {
        let (journal, _) = load_whole(&self.folder.join(JOURNAL), self.salvage)?;
        Ok(LiveParts::new(&journal))
    }
}

/// What is shown, and where.
pub struct LivePage {
    /// The address of the page.
    link: String,
    live: Arc<Live>,
}

impl LivePage {
    /// The address of the page.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Waits until the pages that are open have heard how it ended, but not for long.
    pub fn wait_for_pages(&self) {
        let begin = Instant::now();
        while begin.elapsed() < DRAIN_TIMEOUT && self.live.is_awaited() {
            thread::sleep(Duration::from_millis(50));
        }
        // The last answer is on its way.
        thread::sleep(Duration::from_millis(100));
    }
}

/// Shows the running match or tuning, and prints the address.
///
/// # Errors
/// There is no port.
pub fn tell(source: Box<dyn LiveSource>) -> anyhow::Result<LivePage> {
    let shown = show(source, None)?;
    remark(format_args!("Live: {}", shown.link));
    Ok(shown)
}

/// Shows this at an address of this machine until the process ends.
///
/// # Errors
/// There is no port.
pub fn show(source: Box<dyn LiveSource>, port: Option<u16>) -> anyhow::Result<LivePage> {
    let listener = web::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), port, USUAL_PORT)?;
    let address = listener.local_addr().context("the address is not known")?;
    let live = Arc::new(Live::new(Guard::new(address, None), source));
    let answering = Arc::clone(&live);
    spawn_free(move || web::serve(&answering, &listener))?;
    Ok(LivePage { link: format!("http://{address}/"), live })
}
