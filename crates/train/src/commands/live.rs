//! `kaeshi live`: a page that shows a running or finished match or tuning.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::bail;

use crate::commands::tune::report::{Tuning, sources};
use crate::tasks::spsa::STATE;
use kaeshi_match::tournament::journal::JOURNAL;
use kaeshi_match::tournament::journal::load::load_whole;
use kaeshi_match::tournament::live_page::{self, LiveSource, MatchFolder};
use kaeshi_report::web;
use kaeshi_system::output::{print, remark};

/// Watch a match or a tuning in the browser; nothing is changed
#[derive(Debug, clap::Args)]
pub struct LiveArgs {
    /// The folder of the match, or its journal; the file of the tuning, or its state
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The port [default: 4391, or another one if it is taken]
    #[arg(long)]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Skip damaged lines inside the journal of a match
    #[arg(long)]
    salvage: bool,
}

impl LiveArgs {
    /// Shows the match or the tuning until the program is interrupted.
    ///
    /// # Errors
    /// There is none, or no port.
    pub fn run(self) -> anyhow::Result<()> {
        let shown = live_page::show(LiveTarget::at(&self.path)?.source(self.salvage)?, self.port)?;
        print(shown.link())?;
        if !self.no_open && !web::open_browser(shown.link()) {
            remark("No browser was found: open the address above in one.");
        }
        loop {
            thread::park();
        }
    }
}

/// The match or tuning at a path.
#[derive(Clone, Debug, PartialEq)]
enum LiveTarget {
    /// The match in this folder.
    Match(PathBuf),
    /// The tuning that writes this file.
    Tuning(PathBuf),
}

impl LiveTarget {
    /// Finds the match or tuning at this path.
    fn at(path: &Path) -> anyhow::Result<LiveTarget> {
        if path.join(JOURNAL).is_file() {
            return Ok(LiveTarget::Match(path.to_owned()));
        }
        let out = match path.extension() {
            Some(extension) if extension == STATE => path.with_extension(""),
            _ => path.to_owned(),
        };
        if sources(&out)[0].is_file() {
            return Ok(LiveTarget::Tuning(out));
        }
        match path.parent().filter(|folder| path.is_file() && folder.join(JOURNAL).is_file()) {
            Some(folder) => Ok(LiveTarget::Match(folder.to_owned())),
            None => bail!(
                "{0}: there is no match, whose folder would hold {JOURNAL}, and no tuning, which would keep \
                 {0}.{STATE}",
                path.display()
            ),
        }
    }

    /// The source of the page. With `salvage`, skipped lines of a journal are reported on stderr.
    ///
    /// # Errors
    /// With `salvage`: a journal that cannot be read, or a tuning, which has none.
    fn source(self, salvage: bool) -> anyhow::Result<Box<dyn LiveSource>> {
        match self {
            LiveTarget::Match(folder) => {
                if salvage {
                    let (_, warnings) = load_whole(&folder.join(JOURNAL), true)?;
                    for warning in warnings {
                        remark(format_args!("Journal: {warning}"));
                    }
                }
                Ok(Box::new(MatchFolder { folder, salvage }))
            }
            LiveTarget::Tuning(_) if salvage => bail!("--salvage is for the journal of a match"),
            LiveTarget::Tuning(out) => Ok(Box::new(Tuning(out))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_match_or_a_tuning() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = LiveTarget::at(&path("tuned.toml")).unwrap_err().to_string();
        assert!(refused.contains("there is no match") && refused.contains("tuned.toml.state"), "{refused}");
        for name in ["journal.jsonl", "tuned.toml.state"] {
            std::fs::write(path(name), "").unwrap();
        }
        let tuning = LiveTarget::Tuning(path("tuned.toml"));
        assert_eq!(LiveTarget::at(&path("tuned.toml")).unwrap(), tuning);
        assert_eq!(LiveTarget::at(&path("tuned.toml.state")).unwrap(), tuning);
        assert!(tuning.source(true).is_err(), "a tuning has no journal");
        for named in [folder.path().to_owned(), path("journal.jsonl")] {
            assert_eq!(LiveTarget::at(&named).unwrap(), LiveTarget::Match(folder.path().to_owned()));
        }
    }
}
