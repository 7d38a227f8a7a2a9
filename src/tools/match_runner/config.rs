//! What a match is asked to be: the same words in a TOML file, on the command line, and in
//! `match.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use crate::tools::roster::Scalar;

use super::journal::SprtSettings;
use super::schedule::{Format, Order};
use crate::dialogue::limits::Limit;
use crate::dialogue::speaker::Reading;
use crate::referee::adjudicate::{DrawRule, ResignRule};

/// A whole match. Keys that are not listed here are errors that name them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// `shogi`, `reversi` or `sygo`.
    pub game: Option<String>,
    /// Points along an edge, for Sygo.
    pub size: Option<u8>,
    /// The participants.
    pub engines: Vec<EngineConfig>,
    /// Fischer `10+0.1`, byoyomi `300/30` or sudden death `60`, for engines without their own.
    pub tc: Option<Scalar>,
    /// Time for every move, without a main time.
    pub byoyomi: Option<Scalar>,
    /// Time for every move, sent as such.
    pub movetime: Option<Scalar>,
    /// Nodes for every move.
    pub nodes: Option<Scalar>,
    /// Depth for every move.
    pub depth: Option<Scalar>,
    /// Oversteps that are forgiven.
    pub margin: Option<Scalar>,
    /// Who meets whom.
    pub format: Format,
    /// Games of every pairing.
    pub games: Option<u64>,
    /// Single games with the colours drawn by lot instead of pairs.
    pub single: bool,
    /// Games at the same time.
    pub concurrency: Option<usize>,
    /// Decides openings and colours.
    pub seed: Option<u64>,
    /// File of openings.
    pub openings: Option<PathBuf>,
    /// Turns of each opening that are used; all of them if unsaid.
    pub opening_plies: Option<usize>,
    /// Their order.
    pub order: Order,
    /// Random plies after the opening.
    pub random_plies: u32,
    /// Stop when this is decided.
    pub sprt: Option<SprtSettings>,
    /// Let engines think on the opponent's time.
    pub ponder: bool,
    /// Go on however often engines have to be started anew.
    pub recover: bool,
    /// Start engines anew for every game.
    pub restart: bool,
    /// A draw after so many plies.
    pub max_plies: Option<u32>,
    /// Draw level games early.
    pub draw: Option<DrawRule>,
    /// End decided games early.
    pub resign: Option<ResignRule>,
    /// How USI's clocks are sent, whatever the roster says.
    pub usi_fischer: Option<Reading>,
    /// Shogi's rule of the entering king.
    pub entering_king_rule: Option<String>,
    /// Multiplies every span that engines have for anything but moves.
    pub timeout_scale: Option<f64>,
    /// Longest time for a move where no clock runs.
    pub stall: Option<Scalar>,
    /// Folder of journal, records and logs.
    pub out: Option<PathBuf>,
    /// Write the dialogue with every engine.
    pub logs: bool,
    /// Write game records.
    pub records: bool,
    /// Write a report for a browser.
    pub report: Option<PathBuf>,
}

/// One participant: an entry of the roster, a program, or both with the latter's words on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EngineConfig {
    /// Name in the roster.
    pub conf: Option<String>,
    /// Name in this match.
    pub name: Option<String>,
    /// The program.
    pub cmd: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Its working directory.
    pub dir: Option<PathBuf>,
    /// `usi`, `ugi`, `gtp` or `nboard`.
    pub protocol: Option<String>,
    /// Options to set.
    pub options: BTreeMap<String, Scalar>,
    /// As in [`Config`].
    pub tc: Option<Scalar>,
    /// As in [`Config`].
    pub byoyomi: Option<Scalar>,
    /// As in [`Config`].
    pub movetime: Option<Scalar>,
    /// As in [`Config`].
    pub nodes: Option<Scalar>,
    /// As in [`Config`].
    pub depth: Option<Scalar>,
    /// As in [`Config`].
    pub margin: Option<Scalar>,
    /// As in [`Config`].
    pub usi_fischer: Option<Reading>,
    /// As in [`Config`].
    pub restart: Option<bool>,
    /// As in [`Config`].
    pub ponder: Option<bool>,
}

impl EngineConfig {
    /// Reads an engine by its name in the roster or by its path, with options after a colon:
    /// `kaeshi`, `./my-engine`, `kaeshi:EvalFile=w2.bin,Threads=2`.
    ///
    /// # Errors
    /// An option without `=`.
    pub fn from_name(text: &str) -> anyhow::Result<EngineConfig> {
        // Behind one letter a colon divides a drive of Windows from its path.
        let colon = text.char_indices().find(|&(index, c)| c == ':' && index > 1).map(|(index, _)| index);
        let Some(colon) = colon else {
            return Ok(EngineConfig { conf: Some(text.to_owned()), ..EngineConfig::default() });
        };
        let (name, options) = (&text[..colon], &text[colon + 1..]);
        let mut engine = EngineConfig { conf: Some(name.to_owned()), ..EngineConfig::default() };
        if !super::plan::is_path(name) {
            engine.name = Some(text.to_owned());
        }
        for option in options.split(',') {
            let Some((option, value)) = option.split_once('=').filter(|(option, _)| !option.is_empty())
            else {
                bail!("engine '{text}': '{option}' is not OPTION=VALUE; write for instance {name}:Threads=2");
            };
            engine.options.insert(option.to_owned(), Scalar(value.to_owned()));
        }
        Ok(engine)
    }

    /// Reads `key=value` words as they follow `--engine`; `option.NAME=VALUE` sets an option,
    /// `arg=…` adds an argument.
    ///
    /// # Errors
    /// A word without `=`, an unknown key.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> anyhow::Result<EngineConfig> {
        let mut engine = EngineConfig::default();
        for word in words {
            let word = word.as_ref();
            let Some((key, value)) = word.split_once('=') else {
                bail!("--engine: '{word}' is not of the form key=value");
            };
            engine.set(key, value)?;
        }
        Ok(engine)
    }

    fn set(&mut self, key: &str, value: &str) -> anyhow::Result<()> {
        let truth = || match value {
            "true" | "on" => Ok(Some(true)),
            "false" | "off" => Ok(Some(false)),
            _ => bail!("--engine {key}={value}: on or off is wanted"),
        };
        let text = Some(value.to_owned());
        let scalar = Some(Scalar(value.to_owned()));
        match key {
            "conf" => self.conf = text,
            "name" => self.name = text,
            "cmd" => self.cmd = text,
            "arg" => self.args.get_or_insert_default().push(value.to_owned()),
            "args" => self.args = Some(value.split_whitespace().map(String::from).collect()),
            "dir" => self.dir = Some(value.into()),
            "protocol" | "proto" => self.protocol = text,
            "tc" => self.tc = scalar,
            "byoyomi" => self.byoyomi = scalar,
            "movetime" | "st" => self.movetime = scalar,
            "nodes" => self.nodes = scalar,
            "depth" => self.depth = scalar,
            "margin" | "timemargin" => self.margin = scalar,
            "usi-fischer" => {
                let reading = <Reading as clap::ValueEnum>::from_str(value, false);
                self.usi_fischer =
                    Some(reading.map_err(|_| {
                        anyhow!("--engine {key}={value}: book, chess or white-first is wanted")
                    })?);
            }
            "restart" => self.restart = truth()?,
            "ponder" => self.ponder = truth()?,
            _ => match key.strip_prefix("option.") {
                Some(name) if !name.is_empty() => {
                    self.options.insert(name.to_owned(), Scalar(value.to_owned()));
                }
                _ => bail!(
                    "--engine: unknown key '{key}'; there are conf, name, cmd, arg, args, dir, protocol, tc, byoyomi, \
                     movetime, nodes, depth, margin, usi-fischer, restart, ponder and option.NAME"
                ),
            },
        }
        Ok(())
    }

    /// The engine's own limit, if it has one.
    ///
    /// # Errors
    /// Two limits, or one that cannot be read.
    pub fn limit(&self) -> anyhow::Result<Option<Limit>> {
        one_limit([&self.tc, &self.byoyomi, &self.movetime, &self.nodes, &self.depth])
    }
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// What is wrong and where; an unknown key by its name.
    pub fn load(path: &Path) -> anyhow::Result<Config> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        toml::from_str(&text).with_context(|| format!("in {shown}"))
    }

    /// The limit for engines without their own.
    ///
    /// # Errors
    /// Two limits, or one that cannot be read.
    pub fn limit(&self) -> anyhow::Result<Option<Limit>> {
        one_limit([&self.tc, &self.byoyomi, &self.movetime, &self.nodes, &self.depth])
    }
}

fn one_limit(words: [&Option<Scalar>; 5]) -> anyhow::Result<Option<Limit>> {
    let keys = ["tc", "byoyomi", "movetime", "nodes", "depth"];
    let mut found: Option<(&str, Limit)> = None;
    for (key, word) in keys.into_iter().zip(words) {
        let Some(Scalar(value)) = word else { continue };
        let Some(limit) = Limit::parse(key, value) else { continue };
        let limit = limit.map_err(anyhow::Error::msg)?;
        if let Some((other, _)) = found {
            bail!("{other} and {key} exclude each other; main time with byoyomi is written tc=300/30");
        }
        found = Some((key, limit));
    }
    Ok(found.map(|(_, limit)| limit))
}

/// Reads `key=value` words into anything that serde knows; numbers and truth values are recognised.
///
/// # Errors
/// A word without `=`, an unknown or missing key, a value of the wrong kind; all name `flag`.
pub fn read_words<T: serde::de::DeserializeOwned>(flag: &str, words: &[String]) -> anyhow::Result<T> {
    let mut map = serde_json::Map::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            bail!("{flag}: '{word}' is not of the form key=value");
        };
        let value = serde_json::from_str(value)
            .ok()
            .filter(|value: &serde_json::Value| value.is_number() || value.is_boolean())
            .unwrap_or_else(|| value.into());
        map.insert(key.to_owned(), value);
    }
    serde_json::from_value(map.into()).with_context(|| flag.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::match_runner::journal::SprtModel;

    #[test]
    fn the_words_after_engine() {
        let engine = EngineConfig::from_words(&[
            "cmd=/usr/games/gpsusi",
            "protocol=usi",
            "option.Thread=1",
            "option.Book Depth=0",
            "tc=5+0.1",
            "arg=-x",
            "arg=a=b",
        ])
        .unwrap();
        assert_eq!(engine.options["Book Depth"].0, "0");
        assert_eq!(engine.limit().unwrap().unwrap().to_string(), "tc=5+0.1");
        assert_eq!(engine.args.unwrap(), ["-x", "a=b"]);
        assert!(EngineConfig::from_words(&["threds=1"]).unwrap_err().to_string().contains("'threds'"));
        assert!(EngineConfig::from_words(&["kaeshi"]).unwrap_err().to_string().contains("'kaeshi'"));
    }

    #[test]
    fn an_engine_with_options_in_one_word() {
        let engine = EngineConfig::from_name("kaeshi:EvalFile=a=b.bin,Threads=2").unwrap();
        assert_eq!(engine.conf.as_deref(), Some("kaeshi"));
        assert_eq!(engine.name.as_deref(), Some("kaeshi:EvalFile=a=b.bin,Threads=2"));
        assert_eq!((&*engine.options["EvalFile"].0, &*engine.options["Threads"].0), ("a=b.bin", "2"));
        assert_eq!(EngineConfig::from_name("./x").unwrap().conf.as_deref(), Some("./x"));
        let windows = EngineConfig::from_name(r"C:\e\x.exe:Hash=1").unwrap();
        assert_eq!(windows.conf.as_deref(), Some(r"C:\e\x.exe"));
        assert_eq!(windows.name, None);
        for wrong in ["kaeshi:", "kaeshi:Threads", "kaeshi:=2", "kaeshi:A=1,,B=2"] {
            assert!(
                EngineConfig::from_name(wrong).unwrap_err().to_string().contains("OPTION=VALUE"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_file_says_what_the_command_line_says() {
        let config: Config = toml::from_str(
            "game = \"sygo\"\nsize = 13\ntc = \"10+0.1\"\ngames = 40\nformat = \"gauntlet\"\n\
             sprt = { elo0 = 0.0, elo1 = 10, alpha = 0.05, beta = 0.05, model = \"normalized\" }\n\
             [[engines]]\nconf = \"kaeshi\"\n[[engines]]\ncmd = \"./x\"\nnodes = 100\noptions = { Seed = 1 }\n",
        )
        .unwrap();
        assert_eq!(config.engines[1].limit().unwrap(), Some(Limit::Nodes(100)));
        let words = ["elo0=0", "elo1=10", "alpha=0.05", "beta=0.05", "model=normalized"].map(String::from);
        let sprt: SprtSettings = read_words("--sprt", &words).unwrap();
        assert_eq!(config.sprt, Some(sprt));
        assert_eq!(sprt.model, SprtModel::Normalized);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
    }

    #[test]
    fn wrong_words_are_named() {
        let wrong: Result<Config, _> = toml::from_str("gmae = \"sygo\"\n");
        assert!(wrong.unwrap_err().to_string().contains("gmae"));
        let words = ["elo0=0".to_owned(), "elo2=4".to_owned()];
        let error = format!("{:#}", read_words::<SprtSettings>("--sprt", &words).unwrap_err());
        assert!(error.contains("--sprt") && error.contains("elo2"), "{error}");
        let two: Config = toml::from_str("tc = 5\nnodes = 3\n").unwrap();
        assert!(two.limit().unwrap_err().to_string().contains("nodes"));
    }
}
