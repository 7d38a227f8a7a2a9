//! A tuning as a pool gets it: its own words, checked, and none that name files or programs.

use anyhow::bail;

use super::TuneArgs;
use super::options::Options;
use crate::tasks::spsa::AnySubject;
use kaeshi_engine::games::GameName;

impl TuneArgs {
    /// Checks that the pool can do it.
    ///
    /// # Errors
    /// An option that a pool cannot carry out.
    pub fn check_divisible(&self) -> anyhow::Result<()> {
        if self.report.is_some() || self.live || self.engine.has_test() {
            bail!(
                "--report, --live and --test: not for a pool; the same command without the pool goes on from what \
                 `collect` wrote, and does them"
            );
        }
        if self.part.asked().is_some() {
            bail!("--step and --only are for the parts of a pool");
        }
        Ok(())
    }

    /// Checks that a worker may do it: nothing but numbers is said on the command line.
    ///
    /// # Errors
    /// The options that name files or programs.
    pub fn check_portable(&self) -> anyhow::Result<()> {
        self.check_divisible()?;
        if self.engine.names_files() {
            bail!("a worker knows the engine by its content, and starts it in its own way");
        }
        Ok(())
    }

    /// The game whose engine is tuned; `None` if it is a search of this program.
    ///
    /// # Errors
    /// Options of a game's own search.
    pub fn game(&self) -> anyhow::Result<Option<GameName>> {
        self.engine.is_given().then(|| self.choice.plain()).transpose()
    }

    /// The words of the command without those that say which engine plays, for a worker that knows.
    pub fn words(&self, game: GameName) -> Vec<String> {
        let common = &self.common;
        let numbers = [("seed", common.seed), ("pairs", common.pairs), ("batch", common.batch)];
        let mut words = vec!["tune".to_owned(), format!("--game={}", game.name())];
        words.extend(numbers.map(|(name, number)| format!("--{name}={number}")));
        words.extend(self.engine.numbers());
        words
    }

    /// The parameters to tune, for games that are played elsewhere on these terms.
    ///
    /// # Errors
    /// Options that do not fit.
    pub fn elsewhere(&self, terms: &str) -> anyhow::Result<AnySubject> {
        if self.engine.is_given() {
            let Options { params, pace, .. } = self.engine.options()?;
            return Ok(Box::new(Options { params, pace, terms: terms.to_owned() }));
        }
        self.choice.run(&self.common)
    }
}
