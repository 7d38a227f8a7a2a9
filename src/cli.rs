//! The command line.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{help, usage};
use kaeshi_analysis::analyse;
use kaeshi_analysis::store;
#[cfg(feature = "cluster")]
use kaeshi_cluster as cluster;
use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::{self, SessionSetup};
use kaeshi_lab::{bench, perft};
use kaeshi_match::roster::Roster;
use kaeshi_match::tournament::args::MatchArgs;
use kaeshi_match::tournament::make_openings;
use kaeshi_match::tournament::runner_words;
use kaeshi_match::{check, csa, engines};
use kaeshi_play as play;
use kaeshi_system::output::{Stdout, remark};
use kaeshi_system::stop_signal::{self, OnSignal};
use kaeshi_train::commands::{book, data, live, selfplay, solve, train, tune};

/// Plays shogi, Reversi and Sygo.
///
/// Without a command, speaks USI, UGI or UCI (GTP for Reversi and Sygo, NBoard for Reversi) over stdin and stdout, as
/// GUIs and match runners expect; the first word that comes in decides which. `help` lists the commands.
#[derive(Debug, Parser)]
#[command(version = env!("KAESHI_VERSION"), args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(flatten)]
    speak: Speak,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

/// The command line with examples and exit status in the help of each command.
pub fn command() -> Command {
    with_negative_numbers(help::explained(Cli::command()))
}

/// `-1` as a value, which would else be taken for an option.
fn with_negative_numbers(command: Command) -> Command {
    command.allow_negative_numbers(true).mut_subcommands(with_negative_numbers)
}

/// What a person sees who starts the program in a terminal without a command.
const GREETING: &str = concat!(
    "Kaeshi ",
    env!("KAESHI_VERSION"),
    " waits for commands of USI, UGI, UCI, GTP or NBoard: `help` lists them, `quit` ends; `kaeshi play` opens a board."
);

/// How to begin a session over stdin and stdout.
#[derive(Debug, clap::Args)]
struct Speak {
    /// The game to play until the other side asks for another one
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// A profile of engines.toml: game, dialect and options by one name
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The roster with the profile, instead of engines.toml here
    #[arg(long, alias = "roster", value_name = "FILE", requires = "profile")]
    engines: Option<PathBuf>,
    /// An option to set at once, as `setoption` would
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
enum CliCommand {
    Play(play::PlayArgs),
    Perft(perft::PerftArgs),
    Bench(bench::BenchArgs),
    Match(Box<MatchArgs>),
    Live(live::LiveArgs),
    Analyse(Box<analyse::AnalyseArgs>),
    Book(book::BookArgs),
    Check(check::CheckArgs),
    Csa(csa::CsaArgs),
    Engines(engines::EnginesArgs),
    Openings(make_openings::OpeningsArgs),
    Solve(solve::SolveArgs),
    Selfplay(selfplay::SelfplayArgs),
    Data(data::DataArgs),
    Train(train::TrainArgs),
    Tune(tune::TuneArgs),
    #[cfg(feature = "cluster")]
    Cluster(cluster::ClusterArgs),
    #[cfg(not(feature = "cluster"))]
    Cluster(NoPool),
}

/// Have a pool of machines work: only in the program kaeshi-pool of a release, and in builds with the pool.
#[cfg(not(feature = "cluster"))]
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
struct NoPool {
    /// What kaeshi-pool would do
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<std::ffi::OsString>,
}

#[cfg(not(feature = "cluster"))]
impl NoPool {
    /// Says where the command is.
    fn run(&self) -> anyhow::Result<()> {
        let words: Vec<_> = self.words.iter().map(|word| word.to_string_lossy()).collect();
        Err(anyhow!(
            "this program was built without the pool of machines. Take kaeshi-pool of the same release: \
             `kaeshi-pool {}`; or build it: `cargo build --release --features cluster`",
            [&["cluster".into()], &words[..]].concat().join(" ")
        ))
    }
}

impl CliCommand {
    fn on_signal(&self) -> OnSignal {
        let resume = || OnSignal::Resume(stop_signal::command_line());
        match self {
            CliCommand::Match(_) | CliCommand::Data(_) | CliCommand::Solve(_) => OnSignal::Finish,
            CliCommand::Selfplay(args) if args.only_prints() => OnSignal::Exit,
            CliCommand::Selfplay(_) | CliCommand::Train(_) | CliCommand::Tune(_) | CliCommand::Book(_) => {
                resume()
            }
            CliCommand::Csa(_) => resume(),
            #[cfg(feature = "cluster")]
            CliCommand::Cluster(args) if args.is_worker() => resume(),
            _ => OnSignal::Exit,
        }
    }
}

impl Cli {
    /// Reads a command line, that of `match` also as people type it for other match runners.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
        let mut words: Vec<OsString> = words.into_iter().collect();
        let is = |index: usize, word: &str| words.get(index).is_some_and(|given| given == word);
        let begin = if is(1, "match") {
            2
        } else if is(1, "cluster") && is(2, "match") {
            3
        } else {
            return Cli::parse_words(words);
        };
        let rewritten = runner_words::rewrite(words.split_off(begin))
            .map_err(|why| subcommand(&words[1..]).error(ErrorKind::ValueValidation, why))?;
        rewritten.remarks.iter().for_each(remark);
        words.extend(rewritten.words);
        Cli::parse_words(words)
    }

    fn parse_words(words: Vec<OsString>) -> Result<Cli, clap::Error> {
        let mut command = command();
        let typed = command.try_get_matches_from_mut(words).map_err(usage::explained)?;
        Cli::from_arg_matches(&typed).map_err(|error| error.format(&mut command))
    }

    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever stops the work, with the reason for a person to read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(command) = &self.command {
            stop_signal::listen(command.on_signal());
        }
        match self.command {
            None => {
                let setup = self.speak.setup()?;
                if io::stdin().is_terminal() {
                    remark(GREETING);
                }
                session::run(io::stdin(), Stdout, setup)?;
            }
            Some(CliCommand::Play(args)) => args.run()?,
            Some(CliCommand::Perft(args)) => args.run()?,
            Some(CliCommand::Bench(args)) => args.run()?,
            Some(CliCommand::Book(args)) => return args.run(),
            Some(CliCommand::Match(args)) => return args.run(),
            Some(CliCommand::Live(args)) => args.run()?,
            Some(CliCommand::Analyse(args)) => return args.run(),
            Some(CliCommand::Check(args)) => return args.run(),
            Some(CliCommand::Csa(args)) => return args.run(),
            Some(CliCommand::Engines(args)) => args.run()?,
            Some(CliCommand::Openings(args)) => args.run()?,
            Some(CliCommand::Solve(args)) => return args.run(),
            Some(CliCommand::Selfplay(args)) => args.run()?,
            Some(CliCommand::Data(args)) => args.run()?,
            Some(CliCommand::Train(args)) => args.run()?,
            Some(CliCommand::Tune(args)) => args.run()?,
            #[cfg(feature = "cluster")]
            Some(CliCommand::Cluster(args)) => args.run()?,
            #[cfg(not(feature = "cluster"))]
            Some(CliCommand::Cluster(args)) => args.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The subcommand of these names, so that an error shows its usage.
fn subcommand(names: &[OsString]) -> Command {
    let mut command = command();
    command.build();
    for name in names {
        if let Some(inner) = command.find_subcommand(name) {
            command = inner.clone();
        }
    }
    command
}

/// What the file of defaults beside the program says.
fn defaults() -> Vec<(String, String)> {
    let beside =
        std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(session::DEFAULTS_FILE)));
    let text = beside.and_then(|path| files::read(&path, FileKind::SETTINGS).ok()).unwrap_or_default();
    session::read_defaults(&String::from_utf8_lossy(&text))
}

impl Speak {
    /// What was typed goes before what the profile says.
    fn setup(self) -> anyhow::Result<SessionSetup> {
        let profile = match &self.profile {
            Some(name) => Roster::load(self.engines.as_deref())?.profile(name)?.clone(),
            None => Default::default(),
        };
        let game = match (self.game, &profile.game) {
            (Some(game), _) => game,
            (None, Some(name)) => GameName::parse(name).with_context(|| {
                format!("no game '{name}' in the profile; there are: {}", GameName::NAMES.join(", "))
            })?,
            (None, None) => GameName::USUAL,
        };
        let game_is_chosen = self.game.is_some() || profile.game.is_some();
        let dialect = match profile.dialect.as_deref() {
            None | Some("usi") => Dialect::Usi,
            Some("ugi") => Dialect::Ugi,
            Some(other) => return Err(anyhow!("no dialect '{other}' in the profile; there are: usi, ugi")),
        };
        let mut options: Vec<_> = profile.options.into_iter().map(|(name, value)| (name, value.0)).collect();
        for option in &self.options {
            let (name, value) =
                option.split_once('=').ok_or_else(|| anyhow!("option '{option}' is not NAME=VALUE"))?;
            options.push((name.to_string(), value.to_string()));
        }
        Ok(SessionSetup {
            factory: Box::new(|name, events| {
                Some(GameName::parse(name)?.engine_with_results(events, store::reader::open))
            }),
            games: GameName::NAMES,
            game: game.name().to_string(),
            game_is_chosen,
            defaults: defaults(),
            options,
            dialect,
        })
    }
}
