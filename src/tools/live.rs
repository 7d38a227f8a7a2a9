//! `kaeshi live`: a page that shows a match while it is played, or after it.
//!
//! | file | what lies there |
//! |---|---|
//! | `watch` | what the match's folder holds now: its report, and the games at its tables |
//! | `server` | the page, its files, and what it asks for |

mod server;
mod watch;

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::output::remark;
use crate::tools::match_runner::tournament::JOURNAL;
use crate::tools::web::{self, Guard};
use server::Live;

/// The port that is tried first.
const USUAL_PORT: u16 = 4391;
/// How long a match that is over waits for pages that are open.
const FAREWELL: Duration = Duration::from_secs(4);

/// Watch a match in the browser: standings, running games, finished games; nothing is changed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the match, or its journal
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The port [default: 4391, or another one if it is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Args {
    /// Shows the match until the program is interrupted.
    ///
    /// # Errors
    /// There is no match, or no port.
    pub fn run(self) -> anyhow::Result<()> {
        let folder = match self.folder.parent() {
            Some(folder) if self.folder.is_file() => folder.to_owned(),
            _ => self.folder,
        };
        if !folder.join(JOURNAL).is_file() {
            bail!("there is no match in {}: a match's folder holds {JOURNAL}", folder.display());
        }
        let Shown { link, .. } = show(&folder, self.port)?;
        println!("{link}");
        // Whoever reads it may wait for the whole line.
        io::stdout().flush().ok();
        if !self.no_open && !web::open_browser(&link) {
            remark("No browser was found: open the address above in one.");
        }
        loop {
            thread::park();
        }
    }
}

/// A match that is shown.
pub(super) struct Shown {
    /// The address of the page.
    pub link: String,
    live: Arc<Live>,
}

impl Shown {
    /// Waits until the pages that are open have heard how the match ended, but not for long.
    pub(super) fn say_farewell(&self) {
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL && self.live.is_awaited() {
            thread::sleep(Duration::from_millis(50));
        }
        // The last answer is on its way.
        thread::sleep(Duration::from_millis(100));
    }
}

/// Shows the match in this folder at an address of this machine until the process ends.
///
/// # Errors
/// There is no port.
pub(super) fn show(folder: &Path, port: Option<u16>) -> anyhow::Result<Shown> {
    let listener = web::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), port, USUAL_PORT)?;
    let address = listener.local_addr().context("the address is not known")?;
    let live = Arc::new(Live::new(Guard::new(address, None), folder));
    let answering = Arc::clone(&live);
    thread::spawn(move || web::serve(&answering, &listener));
    Ok(Shown { link: format!("http://{address}/"), live })
}
