//! What a match is asked to be. Every option is stated once: the structures here are read from the
//! command line, from a TOML file and from `match.json`.

pub mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::builder::BoolishValueParser;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::roster::Scalar;
use kaeshi_core::files::{self, FileKind};

use super::headings::{ENDS, ENGINES, GAMES, OPENINGS, OUTPUT, TIME};
use super::journal::SprtSettings;
use super::replay_rule::Replays;
use super::schedule::{OpeningOrder, TournamentFormat};
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::speaker::ClockConvention;
use crate::value_errors::{self, plain};
use kaeshi_records::referee::adjudicate::{DrawRule, ResignRule};
use kaeshi_records::referee::impasse::ImpasseRule;
use words::{Word, explain, read_table, wrong_value};

/// A whole match. `None` is what was not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// The game: shogi, reversi or sygo.
    #[arg(long)]
    pub game: Option<String>,
    /// Board size, for Sygo.
    #[arg(long)]
    pub size: Option<u8>,
    /// The participants.
    #[arg(skip)]
    pub engines: Vec<EngineConfig>,
    /// Keys for every engine that does not set them itself: tc=10+0.1 option.Threads=2 ...
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENGINES)]
    #[serde(with = "words::table")]
    pub each: Option<Vec<Word>>,
    /// Limits and manners that hold for the whole match.
    #[command(flatten)]
    #[serde(flatten)]
    pub terms: PlayConditions,
    /// Games of every pairing (an even number; with 1 the colours are drawn by lot) [default: 100].
    #[arg(long, help_heading = GAMES)]
    pub games: Option<u64>,
    /// Play every opening once, with the colours drawn by lot.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = GAMES)]
    pub single: Option<bool>,
    /// Who meets whom [default: round-robin].
    #[arg(long, value_enum, help_heading = GAMES)]
    pub format: Option<TournamentFormat>,
    /// How many of the engines named first meet all others in a gauntlet [default: 1].
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub challengers: Option<usize>,
    /// Most further pairs of a tied meeting of a knock-out; then the better seed advances [default: 4].
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub tiebreaks: Option<u64>,
    /// Games at the same time [default: 1].
    #[arg(long, help_heading = GAMES)]
    pub concurrency: Option<usize>,
    /// Decides openings and colours; drawn and shown if not given.
    #[arg(long, help_heading = GAMES)]
    pub seed: Option<u64>,
    /// File of openings in any form that `analyse` reads: position lines, lists of turns, KIF, KI2, CSA,
    /// JKF, OBF, GGF, WTHOR, .sygo. `none` for the usual start [default: those that come with the program].
    #[arg(long, help_heading = OPENINGS)]
    pub openings: Option<PathBuf>,
    /// Use only this many turns of each opening, so that finished games are openings, too.
    #[arg(long, value_name = "N", help_heading = OPENINGS)]
    pub opening_plies: Option<usize>,
    /// Begin with this handicap, by its name in `kaeshi play`: 2-piece, 1-corner ... White gives and moves first.
    #[arg(long, value_name = "NAME", help_heading = OPENINGS)]
    pub handicap: Option<String>,
    /// The engine that takes the handicap in all its games [default: each engine takes it once in a pair].
    #[arg(long, value_name = "ENGINE", help_heading = OPENINGS)]
    pub handicap_for: Option<String>,
    /// Order of the openings [default: random].
    #[arg(long, value_enum, help_heading = OPENINGS)]
    pub order: Option<OpeningOrder>,
    /// Number of the opening to begin with, counted from 1 in their order [default: 1].
    #[arg(long, value_name = "N", help_heading = OPENINGS)]
    pub opening_start: Option<usize>,
    /// Random plies at the start, the same for both games of a pair [default: 0].
    #[arg(long, help_heading = OPENINGS)]
    pub random_plies: Option<u32>,
    /// Stop when decided: elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENDS)]
    #[serde(with = "words::table")]
    pub sprt: Option<Vec<Word>>,
    /// Go on however often engines die.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = ENDS)]
    pub recover: Option<bool>,
    /// A draw after this many plies, the opening included.
    #[arg(long, visible_alias = "maxmoves", help_heading = ENDS)]
    pub max_plies: Option<u32>,
    /// Charge whole seconds only, as CSA servers do: 9.9 s of a byoyomi of 10 s are in time, 10.0 s are not.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = TIME)]
    pub csa_seconds: Option<bool>,
    /// Bind each game to separate processors, as many as an engine has threads (Linux).
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = GAMES)]
    pub affinity: Option<bool>,
    /// Draw level games: movenumber=80 movecount=8 score=10.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENDS)]
    #[serde(with = "words::table")]
    pub draw: Option<Vec<Word>>,
    /// End decided games: movecount=4 score=1500. Both engines must agree (twosided=true, the default here);
    /// with twosided=false the loser's score decides, as in fastchess and cutechess.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENDS)]
    #[serde(with = "words::table")]
    pub resign: Option<Vec<Word>>,
    /// Replay shogi games that end by fourfold repetition, or at 24 points each by --impasse: replays=2 floor=60s
    /// [default: they are drawn].
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENDS)]
    #[serde(with = "words::table")]
    pub sennichite: Option<Vec<Word>>,
    /// Count points once both kings of shogi have entered and no mate is near: points=24 movecount=10 score=1000.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE", help_heading = ENDS)]
    #[serde(with = "words::table")]
    pub impasse: Option<Vec<Word>>,
    /// Shogi's rule of the entering king, as the engine option of this name.
    #[arg(long, help_heading = ENDS)]
    pub entering_king_rule: Option<String>,
    /// Multiply all time limits for starting, getting ready, stopping and quitting.
    #[arg(long, help_heading = TIME)]
    pub timeout_scale: Option<f64>,
    /// Multiply the times of all limits, as for a machine of another speed.
    #[arg(long, value_name = "FACTOR", help_heading = TIME)]
    pub time_scale: Option<f64>,
    /// Longest time of a move without a clock; ten times the engine's average move is added [default: 60s].
    #[arg(long, help_heading = TIME)]
    pub stall: Option<Scalar>,
    /// Folder for journal, records and logs [default: matches/DATE-ENGINES].
    #[arg(long, help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Write the dialogue with every engine to OUT/logs.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = OUTPUT)]
    pub logs: Option<bool>,
    /// Write game records to OUT/records.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = OUTPUT)]
    pub records: Option<bool>,
    /// Write a report for a browser to this file.
    #[arg(long, help_heading = OUTPUT)]
    pub report: Option<PathBuf>,
    /// Write all games to this file in PGN, for rating programs and viewers of Fairy-Stockfish's variants.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub pgn: Option<PathBuf>,
}

/// What can be said for the match and for one engine of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, rename_all = "kebab-case")]
pub struct PlayConditions {
    /// Time control: 60 (sudden death), 10+0.1 (Fischer) or 40/60+0.5 (60 s for each 40 moves, with an
    /// increment). Main time with byoyomi: --tc 300 --byoyomi 30.
    #[arg(long, help_heading = TIME)]
    pub tc: Option<Scalar>,
    /// Byoyomi for every move, in seconds or as 100ms: alone, or after the main time of --tc.
    #[arg(long, help_heading = TIME)]
    pub byoyomi: Option<Scalar>,
    /// Fixed time for every move.
    #[arg(long, visible_alias = "st", help_heading = TIME)]
    #[serde(alias = "st")]
    pub movetime: Option<Scalar>,
    /// Fixed nodes for every move.
    #[arg(long, help_heading = TIME)]
    pub nodes: Option<Scalar>,
    /// Fixed depth for every move.
    #[arg(long, help_heading = TIME)]
    pub depth: Option<Scalar>,
    /// Forgive oversteps of the time up to this, for example 50ms.
    #[arg(long, visible_alias = "timemargin", help_heading = TIME)]
    #[serde(alias = "timemargin")]
    pub margin: Option<Scalar>,
    /// Whether btime leaves the increment out (book) or holds it (chess, white-first); white-first
    /// also sends the first mover's clock as wtime.
    #[arg(long, value_enum, help_heading = TIME)]
    pub usi_fischer: Option<ClockConvention>,
    /// Start engines anew for every game.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = ENGINES)]
    #[serde(deserialize_with = "truth")]
    pub restart: Option<bool>,
    /// Let engines think on the opponent's time (USI).
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), hide_possible_values = true, value_name = "BOOL", help_heading = ENGINES)]
    #[serde(deserialize_with = "truth")]
    pub ponder: Option<bool>,
}

/// A truth value as a file or a word has it.
fn truth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    let Some(Scalar(text)) = Option::deserialize(deserializer)? else { return Ok(None) };
    match text.as_str() {
        "true" | "on" => Ok(Some(true)),
        "false" | "off" => Ok(Some(false)),
        _ => Err(serde::de::Error::custom(format!("'{text}' is neither on nor off"))),
    }
}

impl PlayConditions {
    /// The limit that they state, if any.
    ///
    /// # Errors
    /// Two limits, or one that cannot be read.
    pub fn limit(&self) -> anyhow::Result<Option<ThinkingLimit>> {
        let values = [&self.tc, &self.byoyomi, &self.movetime, &self.nodes, &self.depth];
        // `tc=inf` beside nodes or a depth says that no clock runs, as it does then.
        let fixed = self.nodes.is_some() || self.depth.is_some();
        let mut found: Option<(&str, ThinkingLimit)> = None;
        for (key, value) in LIMITS.into_iter().zip(values) {
            let Some(Scalar(value)) = value else { continue };
            if fixed && key == "tc" && value.eq_ignore_ascii_case("inf") {
                continue;
            }
            let Some(limit) = ThinkingLimit::parse(key, value) else { continue };
            let limit = limit.map_err(anyhow::Error::msg)?;
            let limit = match (found, limit) {
                (None, limit) => limit,
                (Some(("tc", main)), ThinkingLimit::Clock { byoyomi, .. }) => {
                    main.with_byoyomi(byoyomi).map_err(anyhow::Error::msg)?
                }
                (Some((other, _)), _) => bail!("{other} and {key} exclude each other"),
            };
            found = Some((key, limit));
        }
        Ok(found.map(|(_, limit)| limit))
    }

    /// Replaces `300/30`, which programs before version 0.3 wrote for main time and byoyomi.
    fn read_older_clock(&mut self) {
        let Some(Scalar(tc)) = &self.tc else { return };
        if let Some((main, byoyomi)) = tc.split_once('/').filter(|_| !tc.contains('+')) {
            let (main, byoyomi) = (Scalar::from(main), Scalar::from(byoyomi));
            (self.tc, self.byoyomi) = (Some(main), Some(byoyomi));
        }
    }
}

/// Keys of which one takes the place of the others.
const LIMITS: [&str; 5] = ["tc", "byoyomi", "movetime", "nodes", "depth"];

/// Lays what `above` says over what `below` says; a limit takes the place of every other limit.
///
/// # Errors
/// A path that is not UTF-8.
fn lay_over<T: Serialize + serde::de::DeserializeOwned>(below: &T, above: &T) -> anyhow::Result<T> {
    let (Value::Object(mut below), Value::Object(above)) =
        (serde_json::to_value(below)?, serde_json::to_value(above)?)
    else {
        bail!("only structures can be laid over each other");
    };
    let is_said = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    let above: Map<_, _> = above.into_iter().filter(|(_, value)| is_said(value)).collect();
    if LIMITS.iter().any(|limit| above.contains_key(*limit)) {
        LIMITS.iter().for_each(|limit| drop(below.remove(*limit)));
    }
    below.extend(above);
    Ok(serde_json::from_value(below.into())?)
}

/// One participant: an entry of the roster, a program, or both with the latter's words on top.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    default,
    rename_all = "kebab-case",
    expecting = "a table such as { cmd = './engine' }"
)]
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
    /// `usi`, `ugi`, `uci`, `gtp` or `nboard`.
    #[serde(alias = "proto")]
    pub protocol: Option<String>,
    /// Options to set.
    pub options: BTreeMap<String, Scalar>,
    /// Its own version of what holds for the match.
    #[serde(flatten)]
    pub terms: PlayConditions,
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
        if !is_path(name) {
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

    /// Reads `key=value` words as they follow `--engine`; `option.NAME=VALUE` sets an option, `arg=…`
    /// adds an argument, `args=…` gives all of them, divided by blanks.
    ///
    /// # Errors
    /// A word without `=`, an unknown key, a value of the wrong kind.
    pub fn from_words(words: &[String]) -> anyhow::Result<EngineConfig> {
        let words: Vec<Word> = words
            .iter()
            .map(|word| word.parse())
            .collect::<Result<_, String>>()
            .map_err(|why| anyhow!("--engine: {why}"))?;
        EngineConfig::of(&words).context("--engine")
    }

    fn of(words: &[Word]) -> anyhow::Result<EngineConfig> {
        let (mut map, mut args, mut options) = (Map::new(), None::<Vec<Value>>, Map::new());
        for Word { key, value } in words {
            match (key.as_str(), key.strip_prefix("option.").or(key.strip_prefix("options."))) {
                ("arg", _) => args.get_or_insert_default().push(value.as_str().into()),
                ("args", _) => args = Some(value.split_whitespace().map(Value::from).collect()),
                (_, Some(name)) if !name.is_empty() => {
                    drop(options.insert(name.to_owned(), value.as_str().into()))
                }
                _ => drop(map.insert(key.clone(), value.as_str().into())),
            }
        }
        map.extend(args.map(|args| ("args".to_owned(), Value::from(args))));
        map.insert("options".to_owned(), options.into());
        let keys: Vec<String> = map.keys().cloned().collect();
        serde_json::from_value(map.into()).map_err(|error| {
            let wrong = explain::<EngineConfig>(&keys, &["option.NAME"]);
            anyhow!(wrong.unwrap_or_else(|| plain(&error.to_string())))
        })
    }

    /// The program, if it is given by its path, and the files that options name.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let program =
            self.cmd.as_ref().or(self.conf.as_ref()).filter(|name| is_path(name)).map(PathBuf::from);
        let folder = self.dir.as_deref().unwrap_or(Path::new(""));
        let named =
            self.options.values().map(|Scalar(value)| folder.join(value)).filter(|path| path.is_file());
        program.into_iter().chain(named).collect()
    }

    /// The same engine with what `each` says where it says nothing itself.
    ///
    /// # Errors
    /// A word of `each` that cannot be read, or that can only be said of one engine.
    fn with(&self, each: &[Word]) -> anyhow::Result<EngineConfig> {
        let each = EngineConfig::of(each).context("--each")?;
        if each.conf.is_some() || each.name.is_some() || each.cmd.is_some() {
            bail!("--each: conf, name and cmd are words for one engine");
        }
        let mut engine = lay_over(&each, self)?;
        engine.options = each.options;
        engine.options.extend(self.options.clone());
        Ok(engine)
    }
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// What is wrong and where; an unknown key by its name, with the nearest one that there is.
    pub fn load(path: &Path) -> anyhow::Result<Config> {
        let shown = path.display();
        let text = files::read_text_piped(path, FileKind::SETTINGS)
            .with_context(|| format!("cannot read {shown}"))?;
        Config::parse(&text).with_context(|| format!("in {shown}"))
    }

    fn parse(text: &str) -> anyhow::Result<Config> {
        toml::from_str(text).map_err(|error| {
            let Ok(table) = text.parse::<toml::Table>() else { return value_errors::in_file(&error, text) };
            let engines = table.get("engines").and_then(toml::Value::as_array);
            let of_engines = || engines.into_iter().flatten().filter_map(toml::Value::as_table);
            let keys = of_engines().flat_map(|engine| engine.keys().cloned()).collect::<Vec<_>>();
            let of_match: Vec<String> = table.keys().cloned().collect();
            explain::<Config>(&of_match, &[])
                .or_else(|| explain::<EngineConfig>(&keys, &[]))
                .or_else(|| of_engines().find_map(wrong_value::<EngineConfig>))
                .or_else(|| wrong_value::<Config>(&table))
                .map_or_else(|| value_errors::in_file(&error, text), |wrong| anyhow!(wrong))
        })
    }

    /// The same match, read from the file of a program before version 0.3.
    pub fn with_older_clocks(mut self) -> Config {
        let mut older = Vec::new();
        self.terms.read_older_clock();
        self.engines.iter_mut().for_each(|engine| engine.terms.read_older_clock());
        for word in self.each.iter_mut().flatten().filter(|word| word.key == "tc") {
            let mut terms =
                PlayConditions { tc: Some(Scalar(word.value.clone())), ..PlayConditions::default() };
            terms.read_older_clock();
            if let (Some(Scalar(main)), Some(Scalar(byoyomi))) = (terms.tc, terms.byoyomi) {
                word.value = main;
                older.push(Word { key: "byoyomi".into(), value: byoyomi });
            }
        }
        self.each.iter_mut().for_each(|each| each.append(&mut older));
        self
    }

    /// The same match with what `words` say in the place of what it says.
    ///
    /// # Errors
    /// A path that is not UTF-8, a factor out of range.
    pub fn overlaid_with(&self, words: &Config) -> anyhow::Result<Config> {
        // Before they are laid over each other: there, what is not a number is lost.
        self.check_factors()?;
        words.check_factors()?;
        lay_over(self, words)
    }

    /// Whether times can be multiplied by the factors.
    ///
    /// # Errors
    /// One that is out of range.
    pub fn check_factors(&self) -> anyhow::Result<()> {
        if let Some(factor) = self.timeout_scale.filter(|&factor| !(factor > 0.0 && factor <= 1000.0)) {
            bail!("--timeout-scale: '{factor}' is no factor between 0 and 1000");
        }
        if let Some(factor) = self.time_scale.filter(|factor| !(0.01..=100.0).contains(factor)) {
            bail!("--time-scale {factor:?} is not between 0.01 and 100");
        }
        Ok(())
    }

    /// The engines, each with what `each` says.
    ///
    /// # Errors
    /// A word of `each` that cannot be read.
    pub fn participants(&self) -> anyhow::Result<Vec<EngineConfig>> {
        let each = self.each.as_deref().unwrap_or_default();
        self.engines.iter().map(|engine| engine.with(each)).collect()
    }

    /// The settings of the sequential test.
    ///
    /// # Errors
    /// A word that is missing, unknown or of the wrong kind.
    pub fn sprt(&self) -> anyhow::Result<Option<SprtSettings>> {
        read_table("--sprt", &self.sprt, &["alpha=0.05", "beta=0.05", "model=normalized"])
    }

    /// When level games are drawn.
    ///
    /// # Errors
    /// As for [`Config::sprt`].
    pub fn draw(&self) -> anyhow::Result<Option<DrawRule>> {
        read_table("--draw", &self.draw, &[])
    }

    /// When decided games end.
    ///
    /// # Errors
    /// As for [`Config::sprt`].
    pub fn resign(&self) -> anyhow::Result<Option<ResignRule>> {
        read_table("--resign", &self.resign, &[])
    }

    /// When games are replayed.
    ///
    /// # Errors
    /// As for [`Config::sprt`].
    pub fn sennichite(&self) -> anyhow::Result<Option<Replays>> {
        read_table("--sennichite", &self.sennichite, &["replays=1"])
    }

    /// When points are counted.
    ///
    /// # Errors
    /// As for [`Config::sprt`].
    pub fn impasse(&self) -> anyhow::Result<Option<ImpasseRule>> {
        read_table("--impasse", &self.impasse, &["movecount=10"])
    }
}

/// Whether the name of an engine is the path of a program.
pub fn is_path(name: &str) -> bool {
    name.contains(['/', '\\'])
}

/// The settings of the sequential test of this configuration, which has one.
///
/// # Errors
/// As for [`Config::sprt`]; there is none.
pub fn sprt_settings(config: &Config) -> anyhow::Result<SprtSettings> {
    config.sprt()?.context("--sprt is missing")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::journal::SprtModel;

    #[test]
    fn the_words_after_engine() {
        let from_words = |words: &[&str]| {
            EngineConfig::from_words(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        let engine = from_words(&[
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
        assert_eq!(engine.terms.limit().unwrap().unwrap().to_string(), "tc=5+0.1");
        assert_eq!(engine.args.unwrap(), ["-x", "a=b"]);
        let refused = |words: &[&str]| format!("{:#}", from_words(words).unwrap_err());
        assert!(refused(&["threds=1"]).contains("'threds'"));
        let slip = refused(&["ponedr=on"]);
        assert!(slip.contains("did you mean 'ponder'") && slip.ends_with(", option.NAME"), "{slip}");
        assert!(refused(&["tscale=2"]).ends_with("--timeout-scale FACTOR, for all engines"));
        assert!(refused(&["book=x.bin"]).contains("--openings FILE"));
        assert!(refused(&["kaeshi"]).contains("'kaeshi'"));
        assert!(refused(&["ponder=perhaps"]).contains("perhaps"));
        assert_eq!(from_words(&["ponder=on", "restart=false"]).unwrap().terms.ponder, Some(true));
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
        assert_eq!(config.engines[1].terms.limit().unwrap(), Some(ThinkingLimit::Nodes(100)));
        let words = ["elo0=0", "elo1=10", "alpha=0.05", "beta=0.05", "model=normalized"].map(String::from);
        let words = words.iter().map(|word| word.parse().unwrap()).collect();
        let sprt = Config { sprt: Some(words), ..Config::default() }.sprt().unwrap().unwrap();
        assert_eq!(config.sprt().unwrap(), Some(sprt));
        assert_eq!(sprt.model, SprtModel::Normalized);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), config);
    }

    #[test]
    fn the_command_line_has_the_last_word() {
        let file = Config::parse(
            "game = \"sygo\"\nponder = true\nlogs = true\ntc = \"10+0.1\"\n[[engines]]\nconf = \"a\"\n",
        )
        .unwrap();
        #[derive(clap::Parser)]
        #[command(args_override_self = true)]
        struct ConfigCli {
            #[command(flatten)]
            config: Config,
        }
        let over = |words: &[&str]| {
            let line = <ConfigCli as clap::Parser>::try_parse_from([&["match"], words].concat()).unwrap();
            file.overlaid_with(&line.config).unwrap()
        };
        assert_eq!(over(&[]), file);
        assert_eq!(over(&["--ponder=false"]).terms.ponder, Some(false));
        assert_eq!(over(&["--logs=off"]).logs, Some(false));
        assert_eq!(over(&["--restart"]).terms.restart, Some(true));
        let nodes = over(&["--nodes", "5", "--games", "8"]);
        assert_eq!(nodes.terms.limit().unwrap(), Some(ThinkingLimit::Nodes(5)));
        assert_eq!((nodes.games, nodes.engines.len(), nodes.game.as_deref()), (Some(8), 1, Some("sygo")));
    }

    #[test]
    fn a_factor_is_a_number_within_its_range() {
        let usual = Config::default();
        for factor in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
            let times = Config { time_scale: Some(factor), ..Config::default() };
            let timeouts = Config { timeout_scale: Some(factor), ..Config::default() };
            for wrong in [times, timeouts] {
                assert!(
                    usual.overlaid_with(&wrong).is_err() && wrong.overlaid_with(&usual).is_err(),
                    "{factor}"
                );
            }
        }
        let right = Config { time_scale: Some(0.5), timeout_scale: Some(3.0), ..Config::default() };
        assert_eq!(usual.overlaid_with(&right).unwrap(), right);
    }

    #[test]
    fn what_is_said_of_each_engine_gives_way_to_its_own_words() {
        let config = Config::parse(
            "[each]\ntc = \"5+0.1\"\noption.Hash = 64\noption.Threads = 2\n[[engines]]\nconf = \"a\"\n[[engines]]\nconf = \"b\"\nnodes = 3\noptions = { Hash = 1 }\n",
        )
        .unwrap();
        let [a, b] = &config.participants().unwrap()[..] else { panic!("two engines") };
        assert_eq!(
            (a.terms.limit().unwrap(), b.terms.limit().unwrap()),
            (Some(ThinkingLimit::parse_tc("5+0.1").unwrap()), Some(ThinkingLimit::Nodes(3)))
        );
        assert_eq!(
            (&*a.options["Hash"].0, &*b.options["Hash"].0, &*b.options["Threads"].0),
            ("64", "1", "2")
        );
        let named = Config {
            each: Some(vec!["name=x".parse().unwrap()]),
            engines: config.engines,
            ..Config::default()
        };
        assert!(named.participants().unwrap_err().to_string().contains("one engine"));
    }

    #[test]
    fn main_time_and_byoyomi_are_two_words() {
        let terms = |text: &str| Config::parse(text).unwrap().terms;
        let limit = |text: &str| terms(text).limit().unwrap().unwrap().to_string();
        assert_eq!(limit("tc = 300\nbyoyomi = 30\n"), "tc=300/30");
        assert_eq!(limit("tc = \"40/60+0.5\"\n"), "tc=40/60+0.5");
        assert_eq!(limit("tc = \"inf\"\nnodes = 5\n"), "nodes=5");
        let refused = |text: &str| terms(text).limit().unwrap_err().to_string();
        assert!(refused("tc = \"40/60\"\n").contains("tc=40/60+0"));
        assert!(refused("tc = \"10+1\"\nbyoyomi = 30\n").contains("takes no byoyomi"));
        assert!(refused("tc = 10\nmovetime = \"1s\"\n").contains("exclude each other"));
        assert!(refused("tc = \"inf\"\n").contains("--nodes"));
        let older =
            Config::parse("tc = \"300/30\"\n[[engines]]\ntc = \"60/10\"\n").unwrap().with_older_clocks();
        assert_eq!(older.terms.limit().unwrap().unwrap().to_string(), "tc=300/30");
        assert_eq!(older.engines[0].terms.limit().unwrap().unwrap().to_string(), "tc=60/10");
    }

    #[test]
    fn words_of_other_runners_are_explained() {
        let refused = |text: &str| Config::parse(text).unwrap_err().to_string();
        assert!(refused("rounds = 5\n").contains("games"));
        assert!(refused("[[engines]]\nstderr = \"x\"\n").contains("logs"));
        assert!(refused("[[engines]]\ninitstr = \"x\"\n").contains("option.NAME"));
    }

    #[test]
    fn values_of_the_wrong_kind_are_named_by_their_keys() {
        let refused = |text: &str| Config::parse(text).unwrap_err().to_string();
        for (text, said) in [
            ("game = 5\n", "key 'game': a text in quotes is wanted, not the number 5"),
            ("games = 'x'\n", "key 'games': a whole number from 0 is wanted, not the text 'x'"),
            ("size = 300\n", "key 'size': a whole number from 0 to 255 is wanted, not the number 300"),
            ("format = 'foo'\n", "key 'format': 'foo' is none of round-robin, gauntlet, pyramid, knockout"),
            ("each = 5\n", "key 'each': a table is wanted, not the number 5"),
            ("game = 'sygo'\nrestart = 5\n", "key 'restart': '5' is neither on nor off"),
            ("records = 'yes'\n", "key 'records': true or false is wanted, not the text 'yes'"),
            ("nodes = [1]\n", "key 'nodes': a text, a number, true or false is wanted"),
            ("draw = { movecount = [1] }\n", "key 'draw': a text, a number, true or false is wanted"),
            ("game = sygo\n", "line 1: string values must be quoted"),
            ("[[engines]]\nconf = 3\n", "key 'conf': a text in quotes is wanted, not the number 3"),
            ("engines = ['kaeshi']\n", "key 'engines': a table such as { cmd = './engine' } is wanted"),
        ] {
            let error = refused(text);
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn wrong_words_are_named() {
        let refused = |text| Config::parse(text).unwrap_err().to_string();
        assert!(
            refused("concurency = 2\n").contains("unknown key 'concurency'; did you mean 'concurrency'?")
        );
        assert!(refused("[[engines]]\nnodse = 2\n").contains("'nodes'"));
        assert!(refused("games = \"many\"\n").contains("games"));
        let sprt = Config::parse("sprt = { elo0 = 0, elo2 = 4 }").unwrap();
        let error = format!("{:#}", sprt.sprt().unwrap_err());
        assert!(error.contains("--sprt") && error.contains("elo2"), "{error}");
        let two = Config::parse("tc = 5\nnodes = 3\n").unwrap();
        assert!(two.terms.limit().unwrap_err().to_string().contains("nodes"));
    }
}
