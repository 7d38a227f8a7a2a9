//! `kaeshi match` on the command line.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};

use crate::tools::roster::{Roster, Scalar};

use super::config::{Config, EngineConfig, read_words};
use super::journal::load::load;
use super::plan::Plan;
use super::records::write_all;
use super::report::{self, table};
use super::schedule::{Format, Order};
use super::tournament::paper::write_report;
use super::tournament::{self, Resumption};
use crate::dialogue::speaker::Reading;

/// Play engines against each other: any protocol, any of the three games, refereed by our own rules.
///
/// Engines are named as in engines.toml, or described after --engine as key=value pairs. A match
/// writes its journal as it goes; the same command with --resume FOLDER goes on where it stopped.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub struct MatchArgs {
    #[command(subcommand)]
    task: Option<Task>,
    /// Engines by name (see `kaeshi engines`) or path, with options: kaeshi:EvalFile=w2.bin,Threads=2.
    engines: Vec<String>,
    #[command(flatten)]
    described: Described,
    /// The game: shogi, reversi or sygo.
    #[arg(long)]
    game: Option<String>,
    /// Board size, for Sygo.
    #[arg(long)]
    size: Option<u8>,
    /// Time control: 60 (sudden death), 10+0.1 (Fischer) or 300/30 (main time and byoyomi).
    #[arg(long)]
    tc: Option<String>,
    /// Byoyomi for every move, no main time: seconds, or 100ms.
    #[arg(long)]
    byoyomi: Option<String>,
    /// Fixed time for every move.
    #[arg(long, visible_alias = "st")]
    movetime: Option<String>,
    /// Fixed nodes for every move.
    #[arg(long)]
    nodes: Option<String>,
    /// Fixed depth for every move.
    #[arg(long)]
    depth: Option<String>,
    /// Forgive oversteps of the time up to this, for example 50ms.
    #[arg(long, visible_alias = "timemargin")]
    margin: Option<String>,
    /// Games of every pairing (an even number; with 1 the colours are drawn by lot) [default: 100].
    #[arg(long)]
    games: Option<u64>,
    /// Play every opening once, with the colours drawn by lot.
    #[arg(long)]
    single: bool,
    /// Who meets whom.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Games at the same time [default: 1].
    #[arg(long)]
    concurrency: Option<usize>,
    /// Decides openings and colours; drawn and shown if not given.
    #[arg(long)]
    seed: Option<u64>,
    /// File of openings in any form that `analyse` reads: position lines, lists of turns, KIF, KI2, CSA,
    /// JKF, OBF, GGF, WTHOR, .sygo. `none` for the usual start [default: those that come with the program].
    #[arg(long)]
    openings: Option<PathBuf>,
    /// Use only so many turns of each opening, so that finished games are openings, too.
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Order of the openings.
    #[arg(long, value_enum)]
    order: Option<Order>,
    /// Random plies at the start, the same for both games of a pair.
    #[arg(long)]
    random_plies: Option<u32>,
    /// Stop when decided: elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Option<Vec<String>>,
    /// Let engines think on the opponent's time (USI).
    #[arg(long)]
    ponder: bool,
    /// Go on however often engines die.
    #[arg(long)]
    recover: bool,
    /// Start engines anew for every game.
    #[arg(long)]
    restart: bool,
    /// A draw after so many plies, the opening included.
    #[arg(long, visible_alias = "maxmoves")]
    max_plies: Option<u32>,
    /// Draw level games: movenumber=80 movecount=8 score=10.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    draw: Option<Vec<String>>,
    /// End decided games: movecount=4 score=1500 twosided=true.
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Option<Vec<String>>,
    /// Whether btime leaves the increment out (book) or holds it (chess, white-first); white-first
    /// also sends the first mover's clock as wtime.
    #[arg(long, value_enum)]
    usi_fischer: Option<Reading>,
    /// Shogi's rule of the entering king, as the engine option of this name.
    #[arg(long)]
    entering_king_rule: Option<String>,
    /// Multiply all time limits for starting, getting ready, stopping and quitting.
    #[arg(long)]
    timeout_scale: Option<f64>,
    /// How long an engine may think where no clock runs; ten times its average move comes on top [default: 60s].
    #[arg(long)]
    stall: Option<String>,
    /// A TOML file that says the same; the command line has the last word.
    #[arg(long)]
    config: Option<PathBuf>,
    /// A roster of engines instead of engines.toml here.
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Folder for journal, records and logs [default: matches/DATE-ENGINES].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Go on with the match in this folder.
    #[arg(long, value_name = "FOLDER")]
    resume: Option<PathBuf>,
    /// With --resume: play up to the --games given now.
    #[arg(long, requires = "resume")]
    extend: bool,
    /// With --resume: skip damaged lines inside the journal.
    #[arg(long, requires = "resume")]
    salvage: bool,
    /// Play only these pairs of the schedule, counted from 0, and leave the decision to others.
    #[arg(long, value_name = "FROM-TO", value_parser = pairs)]
    pairs: Option<Range<u64>>,
    /// Write the dialogue with every engine to OUT/logs.
    #[arg(long)]
    logs: bool,
    /// Write game records to OUT/records.
    #[arg(long)]
    records: bool,
    /// Write a report for a browser to this file.
    #[arg(long)]
    report: Option<PathBuf>,
}

/// What can be done beside playing.
#[derive(Debug, Subcommand)]
enum Task {
    /// Show what a journal says.
    Stats {
        /// The journal, or the folder it lies in.
        journal: PathBuf,
        /// Numbers for programs instead of tables.
        #[arg(long)]
        json: bool,
        /// Write a report for a browser to this file as well.
        #[arg(long)]
        report: Option<PathBuf>,
        /// Write game records to this folder as well.
        #[arg(long)]
        records: Option<PathBuf>,
    },
}

/// `--engine key=value …`, once for every engine.
#[derive(Clone, Debug, Default)]
struct Described(Vec<Vec<String>>);

impl Args for Described {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("engine")
                .long("engine")
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help("An engine: cmd=PROGRAM protocol=usi|ugi|gtp|nboard, or conf=NAME, and name=, arg=, dir=, option.NAME=, tc=, nodes= ..."),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Described::augment_args(command)
    }
}

impl FromArgMatches for Described {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Described, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine");
        Ok(Described(
            groups.map(|groups| groups.map(|words| words.cloned().collect()).collect()).unwrap_or_default(),
        ))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Described::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        &[Format::RoundRobin, Format::Gauntlet]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
        }))
    }
}

impl ValueEnum for Order {
    fn value_variants<'a>() -> &'a [Order] {
        &[Order::Random, Order::Sequential]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(match self {
            Order::Random => "random",
            Order::Sequential => "sequential",
        }))
    }
}

impl ValueEnum for Reading {
    fn value_variants<'a>() -> &'a [Reading] {
        &[Reading::Book, Reading::Chess, Reading::WhiteFirst]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(match self {
            Reading::Book => "book",
            Reading::Chess => "chess",
            Reading::WhiteFirst => "white-first",
        }))
    }
}

/// `FROM-TO`, both included.
fn pairs(text: &str) -> Result<Range<u64>, String> {
    let refuse = || format!("'{text}' are no pairs: write for instance 0-9");
    let (from, to) = text.split_once('-').ok_or_else(refuse)?;
    let number = |digits: &str| digits.parse::<u64>().map_err(|_| refuse());
    let (from, to) = (number(from)?, number(to)?);
    if from > to || to == u64::MAX { Err(refuse()) } else { Ok(from..to + 1) }
}

impl MatchArgs {
    /// Plays the match, or does what else was asked.
    ///
    /// # Errors
    /// Whatever is wrong with the request, before the first game; whatever stops the match.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(Task::Stats { journal, json, report: page, records }) = &self.task {
            let path = if journal.is_dir() { journal.join(tournament::JOURNAL) } else { journal.clone() };
            let journal = load(&path)?;
            if *json {
                println!("{}", report::json(&journal));
            } else {
                print!("{}", table(&journal));
            }
            if let Some(path) = page {
                write_report(&journal, path)?;
            }
            if let Some(folder) = records {
                write_all(&journal, folder)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let roster = Roster::load(self.roster.as_deref())?;
        let resumption = Resumption {
            wanted: self.resume.is_some(),
            extend: self.extend,
            salvage: self.salvage,
            elsewhere: false,
        };
        let config = match &self.resume {
            Some(folder) => {
                let mut config = tournament::read_config(folder)?;
                config.out = Some(folder.clone());
                config
            }
            None => match &self.config {
                Some(path) => Config::load(path)?,
                None => Config::default(),
            },
        };
        let part = self.pairs.clone();
        let config = self.overlay(config)?;
        tournament::run(Plan::new(config, &roster)?.limited_to(part), resumption)
    }

    /// The match that is asked for, and the engines it may name.
    ///
    /// # Errors
    /// Whatever is wrong with the request.
    #[cfg(feature = "cluster")]
    pub(crate) fn config(self) -> anyhow::Result<(Config, Roster)> {
        if self.task.is_some() || self.resume.is_some() || self.pairs.is_some() {
            anyhow::bail!("stats, --resume and --pairs: not for a pool");
        }
        let roster = Roster::load(self.roster.as_deref())?;
        let config = match &self.config {
            Some(path) => Config::load(path)?,
            None => Config::default(),
        };
        Ok((self.overlay(config)?, roster))
    }

    /// Lays the words of the command line over `config`.
    fn overlay(self, mut config: Config) -> anyhow::Result<Config> {
        let mut engines: Vec<EngineConfig> =
            self.engines.iter().map(|name| EngineConfig::from_name(name)).collect::<anyhow::Result<_>>()?;
        for words in &self.described.0 {
            engines.push(EngineConfig::from_words(words)?);
        }
        if !engines.is_empty() {
            config.engines = engines;
        }
        let limits = [&self.tc, &self.byoyomi, &self.movetime, &self.nodes, &self.depth];
        if limits.iter().any(|limit| limit.is_some()) {
            let [tc, byoyomi, movetime, nodes, depth] = limits.map(|limit| limit.clone().map(Scalar));
            (config.tc, config.byoyomi, config.movetime) = (tc, byoyomi, movetime);
            (config.nodes, config.depth) = (nodes, depth);
        }
        fn take<T>(slot: &mut Option<T>, word: Option<T>) {
            if word.is_some() {
                *slot = word;
            }
        }
        take(&mut config.game, self.game);
        take(&mut config.size, self.size);
        take(&mut config.margin, self.margin.map(Scalar));
        take(&mut config.games, self.games);
        take(&mut config.concurrency, self.concurrency);
        take(&mut config.seed, self.seed);
        take(&mut config.openings, self.openings);
        take(&mut config.opening_plies, self.opening_plies);
        take(&mut config.max_plies, self.max_plies);
        take(&mut config.entering_king_rule, self.entering_king_rule);
        take(&mut config.timeout_scale, self.timeout_scale);
        take(&mut config.stall, self.stall.map(Scalar));
        take(&mut config.out, self.out);
        take(&mut config.report, self.report);
        config.format = self.format.unwrap_or(config.format);
        config.order = self.order.unwrap_or(config.order);
        config.usi_fischer = self.usi_fischer.or(config.usi_fischer);
        config.random_plies = self.random_plies.unwrap_or(config.random_plies);
        for (slot, word) in [
            (&mut config.single, self.single),
            (&mut config.ponder, self.ponder),
            (&mut config.recover, self.recover),
            (&mut config.restart, self.restart),
            (&mut config.logs, self.logs),
            (&mut config.records, self.records),
        ] {
            *slot |= word;
        }
        if let Some(words) = &self.sprt {
            let usual = ["alpha=0.05", "beta=0.05", "model=normalized"].map(String::from);
            let all: Vec<String> = usual.into_iter().chain(words.iter().cloned()).collect();
            config.sprt = Some(read_words("--sprt", &all)?);
        }
        if let Some(words) = &self.draw {
            config.draw = Some(read_words("--draw", words)?);
        }
        if let Some(words) = &self.resign {
            config.resign = Some(read_words("--resign", words)?);
        }
        if let Some(scale) = config.timeout_scale
            && !(scale.is_finite() && scale > 0.0 && scale <= 1000.0)
        {
            return Err(anyhow::anyhow!("'{scale}' is no factor between 0 and 1000"))
                .context("--timeout-scale");
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_from_first_to_last() {
        assert_eq!(pairs("0-0"), Ok(0..1));
        assert_eq!(pairs("20-39"), Ok(20..40));
        for bad in ["", "5", "7-3", "a-b", "-", "0-18446744073709551615"] {
            assert!(pairs(bad).is_err(), "{bad}");
        }
    }
}
