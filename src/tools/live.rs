//! `kaeshi live`: a page that shows a match or a tuning while it goes on, or after it.
//!
//! | file | what lies there |
//! |---|---|
//! | `watch` | what the files hold now: the report, and the games at the tables |
//! | `server` | the page, its files, and what it asks for |

mod server;
mod watch;

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::output::{print, remark};
use crate::tasks::spsa::STATE;
use crate::threads::spawn_free;
use crate::tools::match_runner::journal::load::load;
use crate::tools::match_runner::report::html::live::Parts;
use crate::tools::match_runner::tournament::JOURNAL;
use crate::tools::tune;
use crate::tools::tune::engine::closing_test;
use crate::tools::web::{self, Guard};
use server::Live;

/// The port that is tried first.
const USUAL_PORT: u16 = 4391;
/// How long what is over waits for pages that are open.
const FAREWELL: Duration = Duration::from_secs(4);

/// Watch a match or a tuning in the browser; nothing is changed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the match, or its journal; the file of the tuning, or its state
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The port [default: 4391, or another one if it is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Args {
    /// Shows the match or the tuning until the program is interrupted.
    ///
    /// # Errors
    /// There is none, or no port.
    pub fn run(self) -> anyhow::Result<()> {
        let Shown { link, .. } = show(What::at(&self.path)?, self.port)?;
        print(&link)?;
        if !self.no_open && !web::open_browser(&link) {
            remark("No browser was found: open the address above in one.");
        }
        loop {
            thread::park();
        }
    }
}

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// The match in this folder.
    Match(PathBuf),
    /// The tuning that writes this file.
    Tuning(PathBuf),
}

impl What {
    /// What lies at this path.
    fn at(path: &Path) -> anyhow::Result<What> {
        if path.join(JOURNAL).is_file() {
            return Ok(What::Match(path.to_owned()));
        }
        let out = match path.extension() {
            Some(extension) if extension == STATE => path.with_extension(""),
            _ => path.to_owned(),
        };
        if tune::report::sources(&out)[0].is_file() {
            return Ok(What::Tuning(out));
        }
        match path.parent().filter(|folder| path.is_file() && folder.join(JOURNAL).is_file()) {
            Some(folder) => Ok(What::Match(folder.to_owned())),
            None => bail!(
                "{0}: there is no match, whose folder would hold {JOURNAL}, and no tuning, which would keep \
                 {0}.{STATE}",
                path.display()
            ),
        }
    }

    /// The files that it is read from; where one has changed, there is news.
    fn sources(&self) -> Vec<PathBuf> {
        match self {
            What::Match(folder) => vec![folder.join(JOURNAL)],
            What::Tuning(out) => tune::report::sources(out).into(),
        }
    }

    /// The folder of the match whose games are being played.
    fn tables(&self) -> PathBuf {
        match self {
            What::Match(folder) => folder.clone(),
            What::Tuning(out) => closing_test(out),
        }
    }

    /// What there is to see.
    fn read(&self) -> anyhow::Result<Parts> {
        match self {
            What::Match(folder) => Ok(Parts::new(&load(&folder.join(JOURNAL))?)),
            What::Tuning(out) => tune::report::live(out),
        }
    }
}

/// What is shown, and where.
pub(super) struct Shown {
    /// The address of the page.
    link: String,
    live: Arc<Live>,
}

impl Shown {
    /// Waits until the pages that are open have heard how it ended, but not for long.
    pub(super) fn say_farewell(&self) {
        let begin = Instant::now();
        while begin.elapsed() < FAREWELL && self.live.is_awaited() {
            thread::sleep(Duration::from_millis(50));
        }
        // The last answer is on its way.
        thread::sleep(Duration::from_millis(100));
    }
}

/// Shows this while it goes on, and says where.
///
/// # Errors
/// There is no port.
pub(super) fn tell(what: What) -> anyhow::Result<Shown> {
    let shown = show(what, None)?;
    remark(format_args!("Live: {}", shown.link));
    Ok(shown)
}

/// Shows this at an address of this machine until the process ends.
fn show(what: What, port: Option<u16>) -> anyhow::Result<Shown> {
    let listener = web::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), port, USUAL_PORT)?;
    let address = listener.local_addr().context("the address is not known")?;
    let live = Arc::new(Live::new(Guard::new(address, None), what));
    let answering = Arc::clone(&live);
    spawn_free(move || web::serve(&answering, &listener))?;
    Ok(Shown { link: format!("http://{address}/"), live })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_match_or_a_tuning() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = What::at(&path("tuned.toml")).unwrap_err().to_string();
        assert!(refused.contains("there is no match") && refused.contains("tuned.toml.state"), "{refused}");
        for name in ["journal.jsonl", "tuned.toml.state"] {
            std::fs::write(path(name), "").unwrap();
        }
        let tuning = What::Tuning(path("tuned.toml"));
        assert_eq!(What::at(&path("tuned.toml")).unwrap(), tuning);
        assert_eq!(What::at(&path("tuned.toml.state")).unwrap(), tuning);
        for named in [folder.path().to_owned(), path("journal.jsonl")] {
            assert_eq!(What::at(&named).unwrap(), What::Match(folder.path().to_owned()));
        }
    }
}
