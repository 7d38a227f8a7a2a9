//! What is submitted: a command that could run locally, its files, and the commands of its parts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use super::cut::Cut;
use super::engines::Sealed;
use super::permitted::{check_option, check_path, is_inside};
use kaeshi_analysis::analyse;
use kaeshi_learn::selfplay;
use kaeshi_match::tournament::args::MatchArgs;
use kaeshi_match::tournament::config::{Config, EngineConfig};
use kaeshi_train::commands::tune;

/// Where a part of a tuning finds its input.
pub const STEP: &str = "step.toml";

/// Version of what the pool stores.
pub const SCHEMA: u32 = 3;

/// A part is done in at most this many further rounds, until two workers come to the same result.
pub const LAST_ROUND: u64 = 6;

/// Parts of one job at most.
pub const MAX_PARTS: u64 = 1_000_000;

/// A command cut into parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterJob {
    /// [`SCHEMA`].
    pub v: u32,
    /// Chosen by the user.
    pub name: String,
    /// The name and something unique: a name may be used again after its job was removed.
    pub id: String,
    /// The program that is to run it; only workers with the same one take its parts.
    pub build: String,
    /// Whether its parts are done before or after those of others.
    #[serde(default)]
    pub priority: JobPriority,
    /// What to do.
    pub task: JobKind,
    /// How many parts there are.
    pub parts: u64,
    /// Parts that may be open at once; all of them unless a match may be decided early.
    pub ahead: u64,
    /// The speed of the submitter's machine, for a match against the clock; see [`super::speed`].
    #[serde(default)]
    pub speed: Option<f64>,
    /// Whether the object store has files for it.
    pub files: bool,
    /// No part is worth doing any more.
    pub closed: bool,
}

/// Which jobs come first. Within a priority, parts are handed out in the order in which they were published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum JobPriority {
    /// Before all others
    High,
    /// As usual
    #[default]
    Normal,
    /// When nothing else is to be done
    Low,
}

impl JobPriority {
    /// All of them, the most urgent first.
    pub const ALL: [JobPriority; 3] = [JobPriority::High, JobPriority::Normal, JobPriority::Low];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            JobPriority::High => "high",
            JobPriority::Normal => "normal",
            JobPriority::Low => "low",
        }
    }

    /// The queue for parts of this priority that a build does.
    pub fn queue(self, build: &str) -> String {
        match self {
            JobPriority::Normal => build.to_owned(),
            other => format!("{build}-{}", other.name()),
        }
    }
}

impl ClusterJob {
    /// Whether its parts can be numbered. A job is read from the server, where its submitter can store anything.
    ///
    /// # Errors
    /// It has no parts or too many, or is a tuning whose parts have no pairs.
    pub fn check_parts(&self) -> anyhow::Result<()> {
        if !(1..=MAX_PARTS).contains(&self.parts) {
            bail!("job '{}' has {} parts, not 1 to {MAX_PARTS}", self.name, self.parts);
        }
        match &self.task {
            JobKind::Tune { cut, .. } if cut.size == 0 || cut.batch == 0 => {
                bail!("job '{}' has parts without pairs", self.name)
            }
            _ => Ok(()),
        }
    }

    /// The queue that has its parts.
    pub fn queue(&self) -> String {
        self.priority.queue(&self.build)
    }

    /// The number of a part in a round: 0 is the first one, 1 the repetition, and where these differ there
    /// are further ones, up to [`LAST_ROUND`].
    /// Those of each round are behind those of the rounds before.
    pub fn number(&self, round: u64, part: u64) -> u64 {
        round * self.parts + part
    }
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// `kaeshi analyse`; a part is a shard.
    Analyse {
        /// The command without the program.
        words: Vec<String>,
    },
    /// `kaeshi match`; a part is some pairs of the schedule.
    Match {
        /// Everything about it but the engines' programs.
        config: Box<Config>,
        /// These, in the order of the configuration.
        engines: Vec<Sealed>,
        /// Pairs of one part.
        size: u64,
        /// All pairs.
        pairs: u64,
    },
    /// `kaeshi selfplay`; a part is one of its files.
    Selfplay {
        /// The command without the program.
        words: Vec<String>,
    },
    /// `kaeshi tune`; a part is some pairs of an iteration.
    Tune {
        /// The command without the program, and without the words that say which engine plays.
        words: Vec<String>,
        /// The configuration of the engine's games without its program; `None` if this program's search is tuned.
        config: Option<Box<Config>>,
        /// The engine, if there is one.
        engines: Vec<Sealed>,
        /// Its `id name`.
        id: String,
        /// The conditions of the games, as a local run states them.
        terms: String,
        /// How the pairs are divided into parts.
        cut: Cut,
    },
}

impl JobKind {
    /// For people.
    pub fn kind(&self) -> &'static str {
        match self {
            JobKind::Analyse { .. } => "analysis",
            JobKind::Match { .. } => "match",
            JobKind::Selfplay { .. } => "self-play",
            JobKind::Tune { .. } => "tuning",
        }
    }

    /// The engines of its games, by content.
    pub fn engines(&self) -> &[Sealed] {
        match self {
            JobKind::Match { engines, .. } | JobKind::Tune { engines, .. } => engines,
            JobKind::Analyse { .. } | JobKind::Selfplay { .. } => &[],
        }
    }

    /// The engine of a tuning, to be changed.
    pub fn engine_mut(&mut self) -> Option<&mut Sealed> {
        match self {
            JobKind::Tune { engines, .. } => engines.first_mut(),
            _ => None,
        }
    }

    /// The configuration of the games; its engines are in the order of [`JobKind::engines`].
    pub fn config(&self) -> Option<&Config> {
        match self {
            JobKind::Match { config, .. } => Some(config),
            JobKind::Tune { config, .. } => config.as_deref(),
            JobKind::Analyse { .. } | JobKind::Selfplay { .. } => None,
        }
    }

    /// [`JobKind::config`], to be changed.
    pub fn config_mut(&mut self) -> Option<&mut Config> {
        match self {
            JobKind::Match { config, .. } => Some(config),
            JobKind::Tune { config, .. } => config.as_deref_mut(),
            JobKind::Analyse { .. } | JobKind::Selfplay { .. } => None,
        }
    }

    /// The number of the input that a part needs, if it needs one.
    pub fn input(&self, part: u64) -> Option<u64> {
        match self {
            JobKind::Tune { cut, .. } => Some(cut.iteration(part)),
            _ => None,
        }
    }

    /// Whether the results depend on time.
    ///
    /// # Errors
    /// A limit that cannot be read.
    pub fn has_clock(&self) -> anyhow::Result<bool> {
        let Some(config) = self.config() else { return Ok(false) };
        let mut has_clock = false;
        for engine in &config.engines {
            let limit = engine.terms.limit()?.or(config.terms.limit()?);
            has_clock |= limit.is_some_and(|limit| limit.has_clock());
        }
        // A clock of whole seconds cannot be scaled.
        Ok(has_clock && config.csa_seconds != Some(true))
    }

    /// SHA-256 of the files that travel by their content.
    pub fn contents(&self) -> impl Iterator<Item = &String> {
        self.engines().iter().flat_map(|engine| engine.files.values().chain([&engine.content.program]))
    }

    /// Whether a worker may run this job: a queue must not make it run arbitrary commands.
    ///
    /// # Errors
    /// What it would run or write beyond its part.
    pub fn check(&self) -> anyhow::Result<()> {
        match self {
            JobKind::Analyse { words } => match parse(words)? {
                PoolCommand::Analyse(args) => {
                    args.check_portable()?;
                    args.options().try_for_each(check_option)?;
                    args.files().try_for_each(check_path)
                }
                _ => bail!("'{}' is no analysis", words.join(" ")),
            },
            JobKind::Selfplay { words } => match parse(words)? {
                PoolCommand::Selfplay(args) => {
                    args.weights_file().map_or(Ok(()), check_path)?;
                    args.files().map(drop)
                }
                _ => bail!("'{}' is no self-play", words.join(" ")),
            },
            JobKind::Tune { words, config, cut, .. } => {
                let args = tuning_args(words)?;
                args.check_portable()?;
                if cut.size == 0 || cut.batch != args.common.batch || cut.pairs != args.common.pairs {
                    bail!("parts of other pairs than the tuning has");
                }
                match (args.game()?, config) {
                    (None, None) => Ok(()),
                    (Some(_), Some(config)) if config.engines.len() == 1 => self.check_games(),
                    _ => bail!("a tuning is of one engine, or of a search of this program"),
                }
            }
            JobKind::Match { size, .. } => {
                if *size == 0 {
                    bail!("parts of no pairs");
                }
                self.check_games()
            }
        }
    }

    /// Whether a worker may play games between these engines.
    fn check_games(&self) -> anyhow::Result<()> {
        let Some(config) = self.config() else { return Ok(()) };
        let engines = self.engines();
        let says_how = |engine: &EngineConfig| {
            engine.conf.is_some() || engine.cmd.is_some() || engine.dir.is_some() || engine.args.is_some()
        };
        if config.each.is_some() || config.engines.iter().any(says_how) {
            bail!("a worker knows the programs of a match by their content, and starts them in its own way");
        }
        if config.engines.len() != engines.len() {
            bail!("{} engines are described, and {} by content", config.engines.len(), engines.len());
        }
        engines.iter().try_for_each(Sealed::check)?;
        let options = config.engines.iter().flat_map(|engine| &engine.options);
        options.map(|(name, value)| (name.as_str(), value.0.as_str())).try_for_each(check_option)?;
        config.openings.as_deref().map_or(Ok(()), check_path)
    }

    /// Arguments of this program that do part `part` of `parts` in the folder where the files are,
    /// and leave the result in `out`.
    ///
    /// # Errors
    /// If a configuration cannot be written.
    pub fn command(&self, part: u64, parts: u64, out: &Path) -> anyhow::Result<Vec<OsString>> {
        let mut command: Vec<OsString> = Vec::new();
        match self {
            JobKind::Analyse { words } => {
                command.extend(words.iter().map(OsString::from));
                command.extend(["--jobs", "1", "--progress", "none", "--shard"].map(OsString::from));
                command.push(format!("{}/{parts}", part + 1).into());
                command.extend(["--output".into(), out.join("part.jsonl").into_os_string()]);
            }
            JobKind::Selfplay { words } => {
                command.extend(words.iter().map(OsString::from));
                command.extend(["--only".into(), part.to_string().into()]);
                command.extend(["--out".into(), out.join("games").into_os_string()]);
            }
            JobKind::Tune { words, config, cut, .. } => {
                command.extend(words.iter().map(OsString::from));
                if let Some(config) = config {
                    command.extend(["--config".into(), write_config(config, out)?]);
                }
                let pairs = cut.pairs_of(part);
                command.extend([
                    "--only".into(),
                    format!("{}-{}", pairs.start, pairs.end.saturating_sub(1)).into(),
                ]);
                command.extend(["--step".into(), out.join(STEP).into_os_string()]);
                command.extend(["--out".into(), out.join("part.toml").into_os_string()]);
            }
            JobKind::Match { config, size, pairs, .. } => {
                // A part is played whole: where its games are collected, it is known whether an engine is reliable.
                let config = Config { concurrency: Some(1), recover: Some(true), ..(**config).clone() };
                let (from, to) = (part * size, ((part + 1) * size).min(*pairs));
                command.extend(["match".into(), "--config".into(), write_config(&config, out)?]);
                command.extend(["--pairs".into(), format!("{from}-{}", to.saturating_sub(1)).into()]);
                command.extend(["--out".into(), out.join("match").into_os_string()]);
            }
        }
        Ok(command)
    }

    /// The result that [`JobKind::command`] left in `out`.
    ///
    /// # Errors
    /// If there is none.
    pub fn result(&self, out: &Path) -> anyhow::Result<PathBuf> {
        match self {
            JobKind::Analyse { .. } => Ok(out.join("part.jsonl")),
            JobKind::Match { .. } => Ok(out.join("match/journal.jsonl")),
            JobKind::Tune { .. } => Ok(out.join("part.toml")),
            JobKind::Selfplay { .. } => {
                let mut files = Vec::new();
                for entry in std::fs::read_dir(out.join("games"))? {
                    files.push(entry?.path());
                }
                files.retain(|path| path.extension().is_none_or(|extension| extension != selfplay::PROGRAM));
                let file = files.pop().context("self-play left no file")?;
                if !files.is_empty() {
                    bail!("self-play left more than one file");
                }
                Ok(file)
            }
        }
    }
}

/// Writes the configuration of a part into `out`, and returns the path of the file. A worker writes the journal only;
/// records and reports are made where the games are collected. Parts run at the same time, so none is bound to
/// processors.
fn write_config(config: &Config, out: &Path) -> anyhow::Result<OsString> {
    let config = Config {
        out: None,
        report: None,
        pgn: None,
        records: None,
        logs: None,
        affinity: None,
        ..config.clone()
    };
    let file = out.join("match.toml");
    std::fs::write(&file, toml::to_string(&config)?).context("cannot write match.toml")?;
    Ok(file.into_os_string())
}

/// The words of a job, as the command line reads them.
#[derive(Debug, Parser)]
#[command(name = "kaeshi")]
struct JobCli {
    #[command(subcommand)]
    command: PoolCommand,
}

/// The commands that a pool runs.
#[derive(Debug, Subcommand)]
pub enum PoolCommand {
    /// `kaeshi analyse`.
    Analyse(Box<analyse::AnalyseArgs>),
    /// `kaeshi match`.
    Match(Box<MatchArgs>),
    /// `kaeshi selfplay`.
    Selfplay(kaeshi_train::commands::selfplay::SelfplayArgs),
    /// `kaeshi tune`.
    Tune(Box<tune::TuneArgs>),
    /// Any other one.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Reads a command as the command line would.
///
/// # Errors
/// What is wrong with it.
pub fn parse(words: &[String]) -> anyhow::Result<PoolCommand> {
    if words.iter().any(|word| word == "--") {
        bail!("'--' inside the command is not supported");
    }
    let reserved: &[&str] = match words.first().map(String::as_str) {
        Some("selfplay" | "tune") => &["--out", "."],
        _ => &[],
    };
    let words = words.iter().map(String::as_str).chain(reserved.iter().copied());
    Ok(JobCli::try_parse_from(std::iter::once("kaeshi").chain(words))?.command)
}

/// Files of a job by their paths below the working directory.
#[derive(Debug, Default)]
pub struct JobFiles(BTreeSet<PathBuf>);

impl JobFiles {
    /// Adds a file, or all files of a directory.
    ///
    /// # Errors
    /// A path that leads out of the working directory: workers could not have it under the same name.
    pub fn add(&mut self, path: &Path) -> anyhow::Result<()> {
        if !is_inside(path) {
            bail!(
                "{} is not below the working directory: workers need every file under the same relative path",
                path.display()
            );
        }
        self.0.extend(kaeshi_core::files::files_below(path)?);
        Ok(())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in one archive (tar).
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn pack(&self) -> anyhow::Result<std::fs::File> {
        let mut archive = tar::Builder::new(tempfile::tempfile()?);
        for path in &self.0 {
            archive.append_path(path).with_context(|| format!("cannot read {}", path.display()))?;
        }
        let mut file = archive.into_inner()?;
        std::io::Seek::rewind(&mut file)?;
        Ok(file)
    }
}

/// The tuning that a task's words describe.
///
/// # Errors
/// Words that are none of it.
pub fn tuning_args(words: &[String]) -> anyhow::Result<Box<tune::TuneArgs>> {
    match parse(words)? {
        PoolCommand::Tune(args) => Ok(args),
        _ => bail!("'{}' is no tuning", words.join(" ")),
    }
}

/// Whether `name` can be part of a subject and a key.
///
/// # Errors
/// What names are made of.
pub fn check_name(name: &str) -> anyhow::Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
        bail!("'{}' is no name: 1 to 64 letters, digits, - and _", name.escape_debug());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_match::tournament::identity::ContentHashes;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    fn text(command: &[OsString]) -> String {
        command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_part_is_a_local_command() {
        let out = Path::new("o");
        let task = JobKind::Analyse { words: words("analyse --nodes 10 games") };
        task.check().unwrap();
        let command = text(&task.command(1, 7, out).unwrap());
        assert!(command.starts_with("analyse --nodes 10 games --jobs 1 "), "{command}");
        assert!(command.contains("--shard 2/7"), "{command}");
        let task = JobKind::Selfplay { words: words("selfplay --games 9 --threads 3") };
        task.check().unwrap();
        assert!(text(&task.command(2, 3, out).unwrap()).contains("--threads 3 --only 2"));
    }

    #[test]
    fn the_last_pairs_of_a_match_may_be_fewer() {
        let folder = tempfile::tempdir().unwrap();
        let task = JobKind::Match { config: Box::default(), engines: Vec::new(), size: 4, pairs: 10 };
        for (part, pairs) in [(0, "--pairs 0-3"), (1, "--pairs 4-7"), (2, "--pairs 8-9")] {
            let command = text(&task.command(part, 3, folder.path()).unwrap());
            assert!(command.contains(pairs), "{command}");
        }
    }

    #[test]
    fn a_worker_writes_nothing_but_the_journal_of_a_match() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            out: Some("/etc".into()),
            report: Some("/etc/passwd".into()),
            pgn: Some("/etc/passwd".into()),
            records: Some(true),
            logs: Some(true),
            affinity: Some(true),
            ..Config::default()
        };
        let (engines, words) = (Vec::new(), words("tune --game shogi"));
        let (cut, text) = (Cut { pairs: 9, batch: 3, size: 1 }, String::new);
        for task in [
            JobKind::Match { config: Box::new(config.clone()), engines: engines.clone(), size: 4, pairs: 10 },
            JobKind::Tune { words, config: Some(Box::new(config)), engines, id: text(), terms: text(), cut },
        ] {
            task.command(0, 3, folder.path()).unwrap();
            let read = Config::load(&folder.path().join("match.toml")).unwrap();
            let is_whole = matches!(task, JobKind::Match { .. });
            assert_eq!(read.recover == Some(true), is_whole);
            assert_eq!(
                Config { concurrency: None, recover: None, ..read },
                Config::default(),
                "{}",
                task.kind()
            );
        }
    }

    #[test]
    fn what_is_more_than_a_part_is_refused() {
        for command in [
            "analyse --nodes 10 -o mine.jsonl games",
            "analyse --serve",
            "analyse merge a.jsonl",
            "analyse --store s.db games",
            "analyse --nodes 10",
            "analyse --nodes 10 -",
            "analyse --nodes 10 -- games",
            "perft 3",
            "match kaeshi kaeshi --nodes 1",
        ] {
            assert!(JobKind::Analyse { words: words(command) }.check().is_err(), "{command}");
        }
        let own = EngineConfig::default();
        let content = ContentHashes { program: "7".repeat(64), ..ContentHashes::default() };
        let sealed = Sealed { content, ..Sealed::default() };
        let check = |engine: EngineConfig| {
            let config = Box::new(Config { engines: vec![own.clone(), engine], ..Config::default() });
            JobKind::Match { config, engines: vec![sealed.clone(); 2], size: 1, pairs: 1 }.check()
        };
        check(own.clone()).unwrap();
        assert!(check(EngineConfig { cmd: Some("/bin/sh".into()), ..own.clone() }).is_err());
        assert!(check(EngineConfig { args: Some(vec!["selfplay".into()]), ..own.clone() }).is_err());
        assert!(check(EngineConfig { conf: Some("/bin/sh".into()), ..own.clone() }).is_err());
        assert!(check(EngineConfig { dir: Some("/".into()), ..own.clone() }).is_err());
        let option = |name: &str, value: &str| {
            let options = [(name.to_owned(), kaeshi_match::roster::Scalar(value.into()))].into();
            check(EngineConfig { options, ..own.clone() })
        };
        option("threads", "2").unwrap();
        option("EvalFile", "nets/w.bin").unwrap();
        for (name, value) in [
            ("LogFile", "x.log"),
            ("StoreFile", "x.db"),
            ("EvalFile", "/etc/passwd"),
            ("EvalFile", "../w.bin"),
            ("Search", "/bin/sh"),
            ("Unheard", "1"),
        ] {
            let refusal = format!("{:#}", option(name, value).unwrap_err());
            assert!(refusal.contains(name), "{refusal}");
        }
        let config =
            Config { engines: vec![own.clone()], openings: Some("/etc/passwd".into()), ..Config::default() };
        let task = |engines| JobKind::Match { config: Box::new(config.clone()), engines, size: 1, pairs: 1 };
        assert!(task(Vec::new()).check().unwrap_err().to_string().contains("by content"));
        let task = task(vec![sealed]);
        assert!(task.check().unwrap_err().to_string().contains("/etc/passwd"));
        for command in [
            "analyse --nodes 10 /etc/passwd",
            "analyse --nodes 10 ../games",
            "analyse --nodes 10 --option LogFile=x games",
            "analyse --nodes 10 --option EvalFile=/etc/shadow games",
        ] {
            assert!(JobKind::Analyse { words: words(command) }.check().is_err(), "{command}");
        }
        let selfplay = JobKind::Selfplay { words: words("selfplay --games 9 --weights /etc/passwd") };
        assert!(selfplay.check().is_err());
    }

    #[test]
    fn files_keep_their_relative_paths() {
        let mut files = JobFiles::default();
        for path in ["/etc/hostname", "../x", "src/../../x"] {
            assert!(files.add(Path::new(path)).unwrap_err().to_string().contains("relative"), "{path}");
        }
        files.add(Path::new("Cargo.toml")).unwrap();
        let mut archive = tar::Archive::new(files.pack().unwrap());
        let paths: Vec<_> =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().into_owned()).collect();
        assert_eq!(paths, [PathBuf::from("Cargo.toml")]);
    }
}
