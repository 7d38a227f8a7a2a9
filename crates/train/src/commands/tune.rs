//! `kaeshi tune`: better numbers for the search, found by playing.
//!
//! | file | what lies there |
//! |---|---|
//! | `engine`, `param` | `--engine` and its words |
//! | `options`, `games` | an engine's options as the subject of SPSA, and the games by them |
//! | `part`, `pooled` | some pairs of an iteration, and what a pool must know of a tuning |
//! | `report` | the curves |

use std::path::PathBuf;

use crate::commands::per_game_options::{PerGameOptions, Tool};
use crate::tasks::spsa::{AnySubject, TuningSubject, place_of};
use crate::tasks::{Offer, Tasks, tune::TuneOptions};
use kaeshi_match::tournament::live_page;
use kaeshi_match::tournament::run::state::Participant;
use kaeshi_system::output::{check_distinct, check_places, say};

pub mod engine;
pub mod games;
pub mod options;
pub mod param;
pub mod part;
mod pooled;
pub mod report;

use engine::EngineArgs;
use part::PartArgs;

/// Tune the parameters of a search by games against itself.
///
/// Writes a file for the option `SearchFile` after every few games. After an interruption, the
/// same command resumes; the same seed gives the same parameters with any number of
/// threads. In Sygo the Monte-Carlo search is tuned. With --engine the declared options of any engine are.
#[derive(Debug, clap::Args)]
pub struct TuneArgs {
    #[command(flatten)]
    pub common: TuneOptions,
    /// Write the curves of all parameters to this page for a browser.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Show the curves on a page of this machine while they grow; the address is printed.
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    choice: PerGameOptions<TuneTool>,
}

#[derive(Debug)]
struct TuneTool;

impl Tool for TuneTool {
    type Common = TuneOptions;
    const ANY_GAME: bool = true;

    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<TuneOptions>> {
        tasks.tune.as_ref()
    }
}

impl TuneArgs {
    /// Plays until the pairs are there; prints the parameters before and after.
    ///
    /// # Errors
    /// Files that cannot be read or written, or were made with another seed or other games.
    pub fn run(self) -> anyhow::Result<()> {
        let TuneArgs { common, engine, .. } = &self;
        self.check_outputs()?;
        let (subject, player) = self.subject()?;
        if let Some(part) = self.part.asked() {
            return part.play(common, &*subject, player);
        }
        let shown =
            self.live.then(|| live_page::tell(Box::new(report::Tuning(common.out.clone())))).transpose()?;
        let course = common.job().run(&*subject, common.threads)?;
        print(&*subject, course.result());
        let tuned = named(&*subject, course.result());
        // The engine's processes end before those of a match begin.
        drop(subject);
        let verdict =
            if engine.is_given() { engine.test(common, self.choice.plain()?, &tuned)? } else { None };
        if let Some(page) = &self.report {
            report::write(&common.out, page, verdict.as_deref())?;
            say(format_args!("Report: {}", page.display()));
        }
        if let Some(shown) = shown {
            shown.wait_for_pages();
        }
        Ok(())
    }

    /// Whether the outputs take the place of no input and of no other output.
    fn check_outputs(&self) -> anyhow::Result<()> {
        let state = place_of(&self.common.out);
        let mut written = vec![("--out", self.common.out.as_path()), ("--out", state.as_path())];
        written.extend(self.report.as_deref().map(|path| ("--report", path)));
        check_places(&written)?;
        check_distinct(&self.engine.files(), &written)
    }

    /// The parameters to tune, and the engine if an external one plays.
    ///
    /// # Errors
    /// Whatever is wrong with the request.
    pub fn subject(&self) -> anyhow::Result<(AnySubject, Option<Participant>)> {
        if !self.engine.is_given() {
            return Ok((self.choice.run(&self.common)?, None));
        }
        let games = self.engine.games(&self.common, self.choice.plain()?)?;
        let player = games.player().clone();
        Ok((Box::new(games), Some(player)))
    }
}

/// Parameters with their values as they are written.
fn named(subject: &dyn TuningSubject, values: &[f64]) -> Vec<(String, String)> {
    subject.numbers().into_iter().map(|(name, _)| name).zip(subject.shown(values)).collect()
}

/// Prints every parameter before and after.
pub fn print(subject: &dyn TuningSubject, values: &[f64]) {
    for ((name, after), before) in named(subject, values).iter().zip(subject.shown(&subject.start())) {
        say(format_args!("{name:<24} {before:>8} {after:>8}"));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use kaeshi_core::tunable::Tunable;
    use kaeshi_shogi as shogi;
    use kaeshi_sygo as sygo;

    #[derive(Debug, Parser)]
    struct TuneCli {
        #[command(flatten)]
        args: TuneArgs,
    }

    fn run(words: &str, out: &str) -> anyhow::Result<()> {
        let words = format!("tune --pairs 8 --threads 2 --seed 3 {words} --out");
        TuneCli::try_parse_from(words.split(' ').chain([out])).expect("known options").args.run()
    }

    #[test]
    fn a_file_for_the_search_is_made_of_games() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| folder.path().join(name).display().to_string();
        run("--game shogi --nodes 20", &file("shogi")).expect("room");
        assert!(shogi::search::parameters::ShogiSearchParameters::named(&file("shogi")).is_ok());
        run("--game sygo --size 4 --iteration 1", &file("sygo")).expect("room");
        assert!(sygo::search::montecarlo::MctsParameters::named(&file("sygo")).is_ok());
        let refused =
            run("--game sygo --nodes 20", &file("sygo")).expect_err("an option of shogi").to_string();
        assert!(refused.contains("--nodes: only shogi has"), "{refused}");
    }
}
