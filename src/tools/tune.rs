//! `kaeshi tune`: better numbers for the search, found by playing.

use std::path::PathBuf;

use crate::tasks::{Offer, Tasks, tune::Common};
use crate::tools::choice::{Choice, Tool};

pub mod engine;
pub mod games;
pub mod param;
pub mod report;

use engine::EngineArgs;

/// Tune the parameters of a search by games against itself.
///
/// Writes a file for the option `SearchFile` after every few games. Interrupted at any time, the
/// same command goes on where it stopped; the same seed gives the same parameters with any number of
/// threads. In Sygo the Monte-Carlo search is tuned. With --engine the declared options of any engine are.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Write the curves of all parameters to this page for a browser.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    choice: Choice<Tune>,
}

#[derive(Debug)]
struct Tune;

impl Tool for Tune {
    type Common = Common;
    const ANY_GAME: bool = true;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<Common>> {
        tasks.tune.as_ref()
    }
}

impl Args {
    /// Plays until the pairs are there; prints the parameters before and after.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made with another seed or other games.
    pub fn run(self) -> anyhow::Result<()> {
        let verdict = if self.engine.is_given() {
            self.engine.run(&self.common, self.choice.plain()?)?
        } else {
            self.choice.run(&self.common)?;
            None
        };
        if let Some(page) = &self.report {
            report::write(&self.common.out, page, verdict.as_deref())?;
            println!("Report: {}", page.display());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::tunable::Tunable;
    use crate::{shogi, sygo};

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        args: Args,
    }

    fn run(words: &str, out: &str) -> anyhow::Result<()> {
        let words = format!("tune --pairs 8 --threads 2 --seed 3 {words} --out");
        Typed::try_parse_from(words.split(' ').chain([out])).expect("known options").args.run()
    }

    #[test]
    fn a_file_for_the_search_is_made_of_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name).display().to_string();
        run("--game shogi --nodes 20", &file("shogi")).expect("room");
        assert!(shogi::search::parameters::Parameters::named(&file("shogi")).is_ok());
        run("--game sygo --size 4 --iteration 1", &file("sygo")).expect("room");
        assert!(sygo::search::montecarlo::Parameters::named(&file("sygo")).is_ok());
        let refused =
            run("--game sygo --nodes 20", &file("sygo")).expect_err("an option of shogi").to_string();
        assert!(refused.contains("only shogi has"), "{refused}");
    }
}
