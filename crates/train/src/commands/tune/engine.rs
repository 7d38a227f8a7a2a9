//! `kaeshi tune --engine`: the declared options of any engine, tuned by games against itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::games::TuningGames;
use super::options::Options;
use super::param::Param;
use crate::tasks::tune::TuneOptions;
use kaeshi_engine::games::GameName;
use kaeshi_match::roster::{Roster, Scalar};
use kaeshi_match::tournament::config::words::Word;
use kaeshi_match::tournament::config::{Config, EngineConfig};
use kaeshi_match::tournament::journal::JOURNAL;
use kaeshi_match::tournament::journal::load::load;
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_match::tournament::report::table::verdict;
use kaeshi_match::tournament::run::{self, Display, Resumption};
use kaeshi_match::tournament::summary::{GameSelection, MatchSummary};
use kaeshi_statistics::spsa::SpsaPace;
use kaeshi_system::output::{beside, named_files, say};

/// The options for an engine of any maker.
#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "An engine's declared options")]
pub struct EngineArgs {
    /// Tune this engine: its name (see `kaeshi engines`) or path, or the words of `kaeshi match --engine`
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", requires = "param")]
    engine: Vec<String>,
    /// An option of type spin, once for each: NAME=START,MIN,MAX,STEP
    #[arg(long, value_name = "PARAM")]
    param: Vec<Param>,
    /// What holds for the games, openings and agreed ends for instance: a file as for `kaeshi match --config`
    #[arg(long, value_name = "FILE", requires = "param")]
    config: Option<PathBuf>,
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", value_name = "FILE", requires = "param")]
    roster: Option<PathBuf>,
    /// By what part of their steps the values follow a pair won 2-0, at first [default: 0.05]
    #[arg(long, requires = "param", allow_negative_numbers = true)]
    stride: Option<f64>,
    /// Test the result against the start in a match of limited length: elo0=0 elo1=5 games=1000
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", requires = "param")]
    test: Vec<String>,
}

/// The default stride.
const STRIDE: f64 = 0.05;

/// The names of the players while values are sought, and in the closing test.
const SEEKING: [&str; 2] = ["forth", "back"];
const TESTING: [&str; 2] = ["tuned", "start"];

impl EngineArgs {
    /// The files that are read, each with its option.
    pub fn files(&self) -> Vec<(&'static str, &Path)> {
        named_files(&[("--config", &self.config), ("--engines", &self.roster)])
    }

    /// Whether an engine is to be tuned.
    pub fn is_given(&self) -> bool {
        !self.param.is_empty()
    }

    /// Whether the result is to be tested.
    pub fn has_test(&self) -> bool {
        !self.test.is_empty()
    }

    /// Whether it says which engine plays, or names a file.
    pub fn names_files(&self) -> bool {
        !self.engine.is_empty() || self.config.is_some() || self.roster.is_some()
    }

    /// The arguments that state the parameters and the speed of tuning.
    pub fn numbers(&self) -> Vec<String> {
        let stride = self.stride.map(|stride| format!("--stride={stride}"));
        self.param.iter().map(|param| format!("--param={param}")).chain(stride).collect()
    }

    /// The names of the parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.param.iter().map(|param| param.name.as_str())
    }

    /// The parameters to tune, without the games.
    ///
    /// # Errors
    /// A stride out of its range, a parameter that is given twice.
    pub fn options(&self) -> anyhow::Result<Options> {
        let stride = self.stride.unwrap_or(STRIDE);
        if !(stride > 0.0 && stride <= 1.0) {
            bail!("--stride {stride} is not above 0 and at most 1");
        }
        for (index, param) in self.param.iter().enumerate() {
            if self.param[..index].iter().any(|other| other.name.eq_ignore_ascii_case(&param.name)) {
                bail!("--param {} is given twice", param.name);
            }
        }
        let words: Vec<String> = self.param.iter().map(|param| format!("--param '{param}'")).collect();
        let terms = format!("{} --stride {stride}", words.join(" "));
        let pace = SpsaPace { stride, stability: 1_000.0, memory: 500.0 };
        Ok(Options { params: self.param.clone(), pace, terms })
    }

    /// The engine, its parameters and the conditions of its games.
    ///
    /// # Errors
    /// Whatever is wrong with the request, before the first game.
    pub fn games(&self, common: &TuneOptions, game: GameName) -> anyhow::Result<TuningGames> {
        let (options, roster) = (self.options()?, self.roster()?);
        let (test, starts) = (self.test_words()?, self.starts());
        let config = self.config(common, game, SEEKING, [&starts, &starts])?;
        let games = TuningGames::new(MatchPlan::new(config, &roster)?, options)?;
        if let Some((words, most)) = test {
            // Faults in the settings are reported before the first game.
            let config = self.config(common, game, TESTING, [&starts, &starts])?;
            let config = Config { sprt: Some(words), games: Some(most), ..config };
            MatchPlan::new(config, &roster).context("--test")?;
        }
        Ok(games)
    }

    /// Plays the closing test, if one is asked for, and gives its verdict.
    ///
    /// # Errors
    /// Whatever stops the games.
    pub fn test(
        &self,
        common: &TuneOptions,
        game: GameName,
        tuned: &[(String, String)],
    ) -> anyhow::Result<Option<String>> {
        let Some((words, most)) = self.test_words()? else { return Ok(None) };
        let starts = self.starts();
        if tuned == starts {
            say(format_args!("Nothing has changed, so there is nothing to test."));
            return Ok(None);
        }
        let config = self.config(common, game, TESTING, [tuned, &starts])?;
        let out = closing_test(&common.out);
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
        run::run(MatchPlan::new(config, &self.roster()?)?, Resumption::default(), Display::default())?;
        let journal = load(&out.join(JOURNAL))?;
        Ok(Some(verdict(&MatchSummary::new(&journal, GameSelection::default()))))
    }

    /// The engines that may be named.
    ///
    /// # Errors
    /// A roster that cannot be read.
    pub fn roster(&self) -> anyhow::Result<Roster> {
        Roster::load(self.roster.as_deref())
    }

    /// The values that tuning begins with.
    fn starts(&self) -> Vec<(String, String)> {
        self.param.iter().map(|param| (param.name.clone(), param.nearest(param.start))).collect()
    }

    /// The conditions of the games, with the engine as it is given.
    ///
    /// # Errors
    /// Words that cannot be read; no engine, or several.
    pub fn conditions(&self, common: &TuneOptions, game: GameName) -> anyhow::Result<Config> {
        let base = self.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load)?;
        if base.game.as_deref().is_some_and(|named| named != game.name()) {
            bail!("--config is of another game than --game {}", game.name());
        }
        let mut words = self.engine.clone();
        if let Some(name) = words.first_mut().filter(|word| !word.contains('=')) {
            *name = format!("conf={name}");
        }
        let engine = match (&words[..], &base.engines[..]) {
            ([_, ..], _) => EngineConfig::from_words(&words)?,
            ([], [engine]) => engine.clone(),
            ([], engines) => bail!(
                "--param: of which engine? Give --engine, or one of [[engines]] in --config, which has {}",
                engines.len()
            ),
        };
        Ok(Config {
            game: Some(game.name().to_owned()),
            engines: vec![engine],
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

    /// A match between two copies of the engine with these names and options.
    fn config(
        &self,
        common: &TuneOptions,
        game: GameName,
        names: [&str; 2],
        options: [&[(String, String)]; 2],
    ) -> anyhow::Result<Config> {
        let conditions = self.conditions(common, game)?;
        let copy = |engine: &EngineConfig, (name, options): (&str, &[(String, String)])| {
            let mut engine = EngineConfig { name: Some(name.to_owned()), ..engine.clone() };
            // Names of options are the same in small letters and in capitals.
            engine
                .options
                .retain(|name, _| !options.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
            engine.options.extend(options.iter().map(|(name, value)| (name.clone(), Scalar(value.clone()))));
            engine
        };
        let engines = conditions
            .engines
            .iter()
            .flat_map(|engine| names.into_iter().zip(options).map(|named| copy(engine, named)));
        Ok(Config { engines: engines.collect(), ..conditions })
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

/// The folder of the match that tests the tuning of `out`.
pub fn closing_test(out: &Path) -> PathBuf {
    beside(out, "test")
}
