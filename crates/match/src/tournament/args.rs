//! `kaeshi match` on the command line.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, ensure};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};

use crate::roster::Roster;
use kaeshi_system::background;
use kaeshi_system::output::{named_files, remark, say};

use super::config::{Config, EngineConfig};
use super::headings::{ENGINES, GAMES, OUTPUT, RESUME};
use super::journal::JOURNAL;
use super::journal::load::load_whole;
use super::outputs::MatchOutputs;
use super::pgn;
use super::plan::MatchPlan;
use super::records::write_all;
use super::report::{self, table};
use super::run::manifest::write_report;
use super::run::{self, Display, Resumption};
use super::simulate;

/// Play engines against each other: any protocol, any of the three games, refereed by our own rules.
///
/// Engines are named as in engines.toml, or described after --engine as key=value pairs. A match
/// writes its journal as it goes; --resume FOLDER continues an interrupted match.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, args_override_self = true)]
pub struct MatchArgs {
    #[command(subcommand)]
    task: Option<MatchCommand>,
    /// Engines by name (see `kaeshi engines`) or path, with options: kaeshi:EvalFile=w2.bin,Threads=2.
    engines: Vec<String>,
    #[command(flatten)]
    described: Described,
    #[command(flatten)]
    words: Config,
    /// A TOML file with the same options; command-line options take precedence.
    #[arg(long)]
    config: Option<PathBuf>,
    /// A roster of engines instead of engines.toml here.
    #[arg(long = "engines", alias = "roster", value_name = "FILE", help_heading = ENGINES)]
    roster: Option<PathBuf>,
    /// Go on with the match in this folder.
    #[arg(long, value_name = "FOLDER", help_heading = RESUME)]
    resume: Option<PathBuf>,
    /// With --resume: play up to the --games given now.
    #[arg(long, requires = "resume", help_heading = RESUME)]
    extend: bool,
    /// With --resume: skip damaged lines inside the journal.
    #[arg(long, requires = "resume", help_heading = RESUME)]
    salvage: bool,
    /// Openings of every pairing, as fastchess counts them: --rounds 100 is --games 200, and --rounds 100 --games 1
    /// plays each opening once.
    #[arg(long, value_name = "N", help_heading = GAMES)]
    rounds: Option<u64>,
    /// Play every opening once, with the colours drawn by lot: --single.
    #[arg(long, hide = true)]
    noswap: bool,
    /// What happens anyway: play every opening twice, with the colours exchanged.
    #[arg(long, hide = true)]
    repeat: bool,
    /// Show the match on a page of this machine while it is played; the address is printed.
    #[arg(long, help_heading = OUTPUT)]
    live: bool,
    /// What stdout gets at the end: tables, or one JSON object with their numbers [default: text].
    #[arg(long, value_enum, value_name = "FORM", help_heading = OUTPUT)]
    output: Option<Output>,
    /// Run at the lowest priority, on processors that are idle: for limits of nodes or depth, not of time.
    #[arg(long, help_heading = GAMES)]
    background: bool,
    /// Play only these pairs of the schedule, counted from 0, and leave the decision to others.
    #[arg(long, value_name = "FROM-TO", value_parser = pairs, help_heading = GAMES)]
    pairs: Option<Range<u64>>,
}

/// What stdout gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Output {
    /// Words and tables for people.
    Text,
    /// JSON for programs.
    Json,
}

/// What can be done beside playing.
#[derive(Debug, Subcommand)]
enum MatchCommand {
    /// Show scores and details of a match from its journal.
    Stats {
        /// The journal, or the folder it lies in.
        journal: PathBuf,
        /// Numbers for programs instead of tables.
        #[arg(long)]
        json: bool,
        /// Skip damaged lines inside the journal.
        #[arg(long)]
        salvage: bool,
        /// The same as --json.
        #[arg(long, value_enum, value_name = "FORM")]
        output: Option<Output>,
        /// Write a report for a browser to this file as well.
        #[arg(long)]
        report: Option<PathBuf>,
        /// Write game records to this folder as well.
        #[arg(long)]
        records: Option<PathBuf>,
        /// Write the games in PGN to this file as well.
        #[arg(long, value_name = "FILE")]
        pgn: Option<PathBuf>,
    },
    Simulate(simulate::SimulateArgs),
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
                .help_heading(ENGINES)
                .help("An engine: cmd=PROGRAM protocol=usi|ugi|uci|gtp|nboard, or conf=NAME, and name=, arg=, dir=, option.NAME=, tc=, nodes= ..."),
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

/// `FROM-TO`, both included.
pub fn pairs(text: &str) -> Result<Range<u64>, String> {
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
        if let Some(MatchCommand::Simulate(args)) = &self.task {
            return args.run();
        }
        if let Some(MatchCommand::Stats { journal, json, salvage, output, report: page, records, pgn }) =
            &self.task
        {
            let path = if journal.is_dir() { journal.join(JOURNAL) } else { journal.clone() };
            let folder = path.parent().unwrap_or(Path::new(""));
            MatchOutputs { report: page, pgn }.check(&[], folder, Some(&path))?;
            if let Some(folder) = records {
                ensure!(
                    !folder.exists() || folder.is_dir(),
                    "--records: {} is not a folder",
                    folder.display()
                );
            }
            let (journal, warnings) = load_whole(&path, *salvage)?;
            for warning in &warnings {
                remark(format_args!("Journal: {warning}"));
            }
            if *json || *output == Some(Output::Json) {
                say(report::json(&journal));
            } else {
                say(table(&journal).trim_end());
            }
            if let Some(path) = page {
                write_report(&journal, path)?;
            }
            if let Some(folder) = records {
                write_all(&journal, folder)?;
            }
            if let Some(file) = pgn {
                pgn::write(&journal, file)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        if self.background {
            background::give_way()?;
        }
        let roster = Roster::load(self.roster.as_deref())?;
        let resumption = Resumption {
            wanted: self.resume.is_some(),
            extend: self.extend,
            salvage: self.salvage,
            as_planned: self.words.games.is_none() && self.rounds.is_none(),
            elsewhere: false,
        };
        let config = match &self.resume {
            Some(folder) => {
                let mut config = run::read_config(folder)?;
                config.out = Some(folder.clone());
                config
            }
            None => match &self.config {
                Some(path) => Config::load(path)?,
                None => Config::default(),
            },
        };
        let display = Display { on_a_page: self.live, json: self.output == Some(Output::Json) };
        let part = self.pairs.clone();
        let given = [("--config", self.config.clone()), ("--engines", self.roster.clone())];
        let config = self.overlay(config)?;
        config.check_outputs(&named_files(&given.each_ref().map(|(option, path)| (*option, path))))?;
        let plan = MatchPlan::new(config, &roster)?;
        if let Some(rounded) = plan.rounded_games() {
            remark(rounded);
        }
        if let Some(part) = &part {
            plan.check_part(part)?;
        }
        run::run(plan.limited_to(part), resumption, display)
    }

    /// The match that is asked for, and the engines it may name.
    ///
    /// # Errors
    /// Whatever is wrong with the request.
    pub fn config(self) -> anyhow::Result<(Config, Roster)> {
        if self.task.is_some()
            || self.resume.is_some()
            || self.pairs.is_some()
            || self.live
            || self.output.is_some()
            || self.background
        {
            bail!("stats, simulate, --resume, --pairs, --live, --output and --background: not for a pool");
        }
        let roster = Roster::load(self.roster.as_deref())?;
        let config = match &self.config {
            Some(path) => Config::load(path)?,
            None => Config::default(),
        };
        Ok((self.overlay(config)?, roster))
    }

    /// Lays the words of the command line over `config`.
    fn overlay(self, config: Config) -> anyhow::Result<Config> {
        let mut words = self.words;
        if self.noswap {
            words.single = Some(true);
        }
        if let Some(rounds) = self.rounds {
            let of_a_round = words.games.unwrap_or(if words.single == Some(true) { 1 } else { 2 });
            if !(1..=2).contains(&of_a_round) {
                bail!(
                    "--rounds {rounds}: --games {of_a_round} beside it counts the games of a round, 1 or 2"
                );
            }
            words.single = words.single.or((of_a_round == 1).then_some(true));
            words.games = Some(rounds.saturating_mul(of_a_round));
        }
        words.engines =
            self.engines.iter().map(|name| EngineConfig::from_name(name)).collect::<anyhow::Result<_>>()?;
        for engine in &self.described.0 {
            words.engines.push(EngineConfig::from_words(engine)?);
        }
        config.overlaid_with(&words)
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
