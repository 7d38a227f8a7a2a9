//! `kaeshi tune --engine`: the declared options of any engine, tuned by games against itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::games::Games;
use super::param::Param;
use crate::games::GameName;
use crate::output::beside;
use crate::tasks::spsa::Job;
use crate::tasks::tune::Common;
use crate::tools::match_runner::config::words::Word;
use crate::tools::match_runner::config::{Config, EngineConfig};
use crate::tools::match_runner::journal::load::load;
use crate::tools::match_runner::plan::Plan;
use crate::tools::match_runner::report::table::verdict;
use crate::tools::match_runner::summary::{Selection, Summary};
use crate::tools::match_runner::tournament::{self, JOURNAL, Resumption};
use crate::tools::roster::{Roster, Scalar};

/// The options for an engine of any maker.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "An engine's declared options")]
pub struct EngineArgs {
    /// Tune this engine: its name (see `kaeshi engines`) or path, or the words of `kaeshi match --engine`
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", requires = "param")]
    engine: Vec<String>,
    /// An option of type spin, once for each: NAME=START,MIN,MAX,STEP
    #[arg(long, value_name = "PARAM", requires = "engine")]
    param: Vec<Param>,
    /// What holds for the games, openings and agreed ends for instance: a file as for `kaeshi match --config`
    #[arg(long, value_name = "FILE", requires = "engine")]
    config: Option<PathBuf>,
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", value_name = "FILE", requires = "engine")]
    roster: Option<PathBuf>,
    /// By what part of their steps the values follow a pair won 2-0, at first [default: 0.05]
    #[arg(long, requires = "engine", allow_negative_numbers = true)]
    stride: Option<f64>,
    /// Test the result against the start in a match, at most so many games: elo0=0 elo1=5 games=1000
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", requires = "engine")]
    test: Vec<String>,
}

/// The stride if nobody says one.
const STRIDE: f64 = 0.05;

impl EngineArgs {
    /// Whether an engine is to be tuned.
    pub fn is_given(&self) -> bool {
        !self.engine.is_empty()
    }

    /// Tunes the engine and prints the values; the verdict of the closing test, if there is one.
    ///
    /// # Errors
    /// Whatever is wrong with the request, before the first game; whatever stops the games.
    pub fn run(&self, common: &Common, game: GameName) -> anyhow::Result<Option<String>> {
        let stride = self.stride.unwrap_or(STRIDE);
        if !(stride > 0.0 && stride <= 1.0) {
            bail!("--stride {stride} is not above 0 and at most 1");
        }
        for (index, param) in self.param.iter().enumerate() {
            if self.param[..index].iter().any(|other| other.name.eq_ignore_ascii_case(&param.name)) {
                bail!("--param {} is given twice", param.name);
            }
        }
        let roster = Roster::load(self.roster.as_deref())?;
        let test = self.test_words()?;
        let starts = self.param.iter().map(|param| (param.name.clone(), param.nearest(param.start)));
        let starts: Vec<(String, String)> = starts.collect();
        let config = self.config(common, game, ["forth", "back"], [&starts, &starts])?;
        let games = Games::new(Plan::new(config, &roster)?, self.param.clone(), stride)?;
        if let Some((words, most)) = &test {
            // What is wrong with it shows before the first game.
            let config = self.config(common, game, ["tuned", "start"], [&starts, &starts])?;
            let config = Config { sprt: Some(words.clone()), games: Some(*most), ..config };
            Plan::new(config, &roster).context("--test")?;
        }
        let job = Job { out: &common.out, pairs: common.pairs, threads: common.threads, seed: common.seed };
        let tuned = games.options(&job.run(&games)?.averaged);
        for (param, (name, value)) in games.params().iter().zip(&tuned) {
            println!("{name:<24} {:>8} {value:>8}", param.nearest(param.start));
        }
        let Some((words, most)) = test else { return Ok(None) };
        if tuned == starts {
            println!("Nothing has changed, so there is nothing to test.");
            return Ok(None);
        }
        // Its processes end before those of the match begin.
        drop(games);
        let config = self.config(common, game, ["tuned", "start"], [&tuned, &starts])?;
        let out = beside(&common.out, "test");
        // Openings that were not drawn to choose the values.
        let seed = common.seed.wrapping_add(1);
        let config = Config {
            sprt: Some(words),
            games: Some(most),
            seed: Some(seed),
            concurrency: Some(common.threads.into()),
            out: Some(out.clone()),
            ..config
        };
        tournament::run(Plan::new(config, &roster)?, Resumption::default(), false)?;
        Ok(Some(said(&out)?))
    }

    /// A match between two copies of the engine with these names and options.
    fn config(
        &self,
        common: &Common,
        game: GameName,
        names: [&str; 2],
        options: [&[(String, String)]; 2],
    ) -> anyhow::Result<Config> {
        let base = self.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
        if base.game.as_deref().is_some_and(|named| named != game.name()) {
            bail!("--config is of another game than --game {}", game.name());
        }
        let mut words = self.engine.clone();
        if let Some(name) = words.first_mut().filter(|word| !word.contains('=')) {
            *name = format!("conf={name}");
        }
        let engine = EngineConfig::from_words(&words)?;
        let copy = |(name, options): (&str, &[(String, String)])| {
            let mut engine = EngineConfig { name: Some(name.to_owned()), ..engine.clone() };
            // Names of options are the same in small letters and in capitals.
            engine
                .options
                .retain(|name, _| !options.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
            engine.options.extend(options.iter().map(|(name, value)| (name.clone(), Scalar(value.clone()))));
            engine
        };
        let engines = names.into_iter().zip(options).map(copy).collect();
        Ok(Config {
            game: Some(game.name().to_owned()),
            engines,
            seed: Some(common.seed),
            games: None,
            sprt: None,
            format: None,
            challengers: None,
            tiebreaks: None,
            out: None,
            ..base
        })
    }

    /// The words of the closing test, and its games at most.
    fn test_words(&self) -> anyhow::Result<Option<(Vec<Word>, u64)>> {
        const GAMES: u64 = 10_000;
        if self.test.is_empty() {
            return Ok(None);
        }
        let words: Result<Vec<Word>, String> = self.test.iter().map(|word| word.parse()).collect();
        let words = words.map_err(|why| anyhow::anyhow!("--test: {why}"))?;
        let (games, words): (Vec<Word>, Vec<Word>) = words.into_iter().partition(|word| word.key == "games");
        let most = match games.last() {
            None => GAMES,
            Some(Word { value, .. }) => value
                .parse()
                .ok()
                .filter(|&games| games > 0)
                .with_context(|| format!("--test: games={value} is no number of games"))?,
        };
        Ok(Some((words, most)))
    }
}

/// What the match in this folder says.
fn said(folder: &Path) -> anyhow::Result<String> {
    let journal = load(&folder.join(JOURNAL))?;
    Ok(verdict(&Summary::new(&journal, Selection::default())))
}
