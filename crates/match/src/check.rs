//! `kaeshi check`: whether an engine keeps to its protocol, in plain words.

mod gtp;
mod nboard;
mod play;
mod reported_line;
mod session;
mod words;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;

use super::roster::{Roster, Scalar};
use super::tournament::args::Output;
use super::tournament::config::{Config, EngineConfig, PlayConditions};
use super::tournament::engine_spec::resolve;
use crate::dialogue::engine_process::Program;
use crate::dialogue::engine_process::leftovers::ProcessReaper;
use crate::dialogue::player::Spec;
use kaeshi_engine::dialect::Dialect;
use kaeshi_engine::games::GameName;
use kaeshi_records::referee::{RefereeRules, rules_by_name};
use kaeshi_system::output::say;

/// Check whether an engine keeps to its protocol: USI, UGI, GTP or NBoard
///
/// Says what is right (ok), what is allowed but surprises programs (note), and what is wrong (fault). The
/// exit code is 1 if something is wrong. It takes about a minute; the options of the engine are set to their
/// ends, and files that it may write are written where it runs.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// The engine: a name of `kaeshi engines` or a path, with options: ./mine:Threads=2
    engine: String,
    /// The game to check it with [default: that of the engine's entry, else shogi]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// The protocol: usi, ugi, uci, gtp or nboard [default: that of its entry, else found out by asking]
    #[arg(long, value_parser = Dialect::parse)]
    protocol: Option<Dialect>,
    /// Arguments for the engine, after --
    #[arg(last = true)]
    arguments: Vec<String>,
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<std::path::PathBuf>,
    /// What stdout gets: words, or one JSON object at the end [default: text]
    #[arg(long, value_enum, value_name = "FORM")]
    output: Option<Output>,
}

/// What a check has shown.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckMark {
    /// As the protocol has it.
    #[serde(rename = "ok")]
    Good,
    /// Allowed, but it surprises programs.
    Note,
    /// Against the protocol.
    Fault,
}

/// One finding.
#[derive(Serialize)]
struct Finding {
    /// What it is.
    mark: CheckMark,
    /// The finding in words.
    text: String,
}

/// Findings and their numbers: printed as they come, or as JSON at the end.
#[derive(Default, Serialize)]
struct CheckReport {
    /// The program.
    engine: String,
    /// The game that it was checked with.
    game: &'static str,
    /// The protocol.
    protocol: &'static str,
    /// Kept for JSON, else printed at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Finding>>,
    /// Findings that are right.
    #[serde(rename = "ok")]
    good: u32,
    /// Findings that are allowed but surprise programs.
    notes: u32,
    /// Findings that are wrong.
    faults: u32,
}

impl CheckReport {
    fn mark(&mut self, mark: CheckMark, text: &str) {
        let (word, count) = match mark {
            CheckMark::Good => ("ok", &mut self.good),
            CheckMark::Note => ("note", &mut self.notes),
            CheckMark::Fault => ("FAULT", &mut self.faults),
        };
        *count += 1;
        match &mut self.findings {
            Some(findings) => findings.push(Finding { mark, text: text.to_owned() }),
            None => say(format_args!("{word:<5}  {text}")),
        }
    }

    fn good(&mut self, text: &str) {
        self.mark(CheckMark::Good, text);
    }

    fn note(&mut self, text: &str) {
        self.mark(CheckMark::Note, text);
    }

    fn fault(&mut self, text: &str) {
        self.mark(CheckMark::Fault, text);
    }

    /// `right` if `is_right`, else the fault `wrong`.
    fn expect(&mut self, is_right: bool, right: &str, wrong: &str) -> bool {
        if is_right {
            self.good(right);
        } else {
            self.fault(wrong);
        }
        is_right
    }
}

/// What every check needs.
struct CheckSubject {
    rules: Arc<dyn RefereeRules>,
    spec: Arc<Spec>,
    reaper: Arc<ProcessReaper>,
}

impl CheckSubject {
    fn program(&self) -> &Program {
        &self.spec.program
    }
}

impl CheckArgs {
    /// Runs all checks of the engine's protocol; code 1 if one shows a fault.
    ///
    /// # Errors
    /// The engine is not known or cannot be started at all.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let roster = Roster::load(self.roster.as_deref())?;
        let mut engine = EngineConfig::from_name(&self.engine)?;
        let entry = engine.conf.as_ref().and_then(|name| roster.engines.get(name));
        let game = match (self.game, entry.and_then(|entry| entry.game.as_deref())) {
            (Some(game), _) => game.name(),
            (None, Some(game)) => game,
            (None, None) => GameName::ALL[0].name(),
        };
        engine.protocol = self.protocol.map(|dialect| dialect.word().to_owned());
        if !self.arguments.is_empty() {
            engine.args = Some(self.arguments);
        }
        let terms = PlayConditions { movetime: Some(Scalar("200ms".into())), ..PlayConditions::default() };
        let config = Config { terms, ..Config::default() };
        let spec = resolve(&engine, &config, &roster, game)?;
        let rules = rules_by_name(game).context("the game of the entry")?;
        let reaper = Arc::new(ProcessReaper::default());
        reaper.own_all_children();
        let dialect = spec.protocol;
        let is_json = self.output == Some(Output::Json);
        let engine = spec.program.command.display().to_string();
        if !is_json {
            say(format_args!("{engine}: {} over {}", rules.facts().title, dialect.word()));
        }
        let subject = CheckSubject { rules, spec: Arc::new(spec), reaper };
        let mut report = CheckReport {
            engine,
            game: subject.rules.facts().name,
            protocol: dialect.word(),
            findings: is_json.then(Vec::new),
            ..CheckReport::default()
        };
        match dialect {
            Dialect::Usi | Dialect::Ugi | Dialect::Uci => words::check(&subject, dialect, &mut report)?,
            Dialect::Gtp => gtp::check(&subject, &mut report)?,
            Dialect::NBoard => nboard::check(&subject, &mut report)?,
        }
        match is_json {
            true => say(serde_json::to_string_pretty(&report)?),
            false => {
                say(format_args!("{} ok, {} notes, {} faults", report.good, report.notes, report.faults))
            }
        }
        Ok(ExitCode::from(u8::from(report.faults > 0)))
    }
}
