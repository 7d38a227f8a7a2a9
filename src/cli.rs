//! The command line.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use kaeshi_analysis::analyse;
use kaeshi_analysis::store;
#[cfg(feature = "cluster")]
use kaeshi_cluster as cluster;
use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::{self, Setup};
use kaeshi_lab::{bench, perft};
use kaeshi_match::match_runner::args::MatchArgs;
use kaeshi_match::match_runner::make_openings;
use kaeshi_match::match_runner::runner_words;
use kaeshi_match::roster::Roster;
use kaeshi_match::{check, csa, engines};
use kaeshi_play as play;
use kaeshi_system::output::{Stdout, remark};
use kaeshi_system::stop_signal;
use kaeshi_train::commands::{book, data, live, selfplay, solve, train, tune};

/// What all commands mean by their exit status; shown by `--help`.
const EXIT_STATUS: &str = "\
Exit status of all commands:
  0    done, also where the reader of standard output went away early
  1    done, but something that was read, checked or analysed is wrong
  2    an error: the command line, a file, an engine, or a full disk
  130  stopped by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP

The first signal lets a command finish what takes at most 10 seconds and keep what it needs to go on; the command
that goes on is printed. A second signal ends it at once.";

/// Plays shogi, Reversi and Sygo.
///
/// Without a command, speaks USI or UGI (GTP for Reversi and Sygo, NBoard for Reversi) over stdin and stdout, as
/// GUIs and match runners expect; the first word that comes in decides which.
#[derive(Debug, Parser)]
#[command(version = env!("KAESHI_VERSION"), args_conflicts_with_subcommands = true, after_long_help = EXIT_STATUS)]
pub struct Cli {
    #[command(flatten)]
    speak: Speak,
    #[command(subcommand)]
    command: Option<Command>,
}

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
enum Command {
    #[command(after_long_help = EXIT_STATUS)]
    Play(play::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Perft(perft::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Bench(bench::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Match(Box<MatchArgs>),
    #[command(after_long_help = EXIT_STATUS)]
    Live(live::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Analyse(Box<analyse::Args>),
    #[command(after_long_help = EXIT_STATUS)]
    Book(book::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Check(check::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Csa(csa::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Engines(engines::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Openings(make_openings::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Solve(solve::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Selfplay(selfplay::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Data(data::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Train(train::Args),
    #[command(after_long_help = EXIT_STATUS)]
    Tune(tune::Args),
    #[cfg(feature = "cluster")]
    #[command(after_long_help = EXIT_STATUS)]
    Cluster(cluster::Args),
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

/// What a signal does to a command.
enum Stop {
    /// It ends at once: nothing is worth finishing.
    AtOnce,
    /// It finishes what it has in hand; what is missing then is made anew.
    Finish,
    /// It finishes what it has in hand, and the same command goes on from there.
    Resume,
}

impl Command {
    fn stop(&self) -> Stop {
        match self {
            Command::Match(_) | Command::Data(_) | Command::Solve(_) => Stop::Finish,
            Command::Selfplay(args) if args.only_prints() => Stop::AtOnce,
            Command::Selfplay(_) | Command::Train(_) | Command::Tune(_) | Command::Book(_) => Stop::Resume,
            Command::Csa(_) => Stop::Resume,
            #[cfg(feature = "cluster")]
            Command::Cluster(args) if args.is_worker() => Stop::Resume,
            _ => Stop::AtOnce,
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
            return Cli::try_parse_from(words);
        };
        let rewritten = runner_words::rewrite(words.split_off(begin))
            .map_err(|why| Cli::command().error(ErrorKind::ValueValidation, why))?;
        rewritten.remarks.iter().for_each(remark);
        words.extend(rewritten.words);
        Cli::try_parse_from(words)
    }

    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever stops the work, with the reason for a person to read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.command.as_ref().map(Command::stop) {
            None => {}
            Some(Stop::AtOnce) => stop_signal::listen(true, None),
            Some(Stop::Finish) => stop_signal::listen(false, None),
            Some(Stop::Resume) => stop_signal::listen(false, Some(stop_signal::command_line())),
        }
        match self.command {
            None => session::run(io::stdin(), Stdout, self.speak.setup()?)?,
            Some(Command::Play(args)) => args.run()?,
            Some(Command::Perft(args)) => args.run()?,
            Some(Command::Bench(args)) => args.run()?,
            Some(Command::Book(args)) => args.run()?,
            Some(Command::Match(args)) => return args.run(),
            Some(Command::Live(args)) => args.run()?,
            Some(Command::Analyse(args)) => return args.run(),
            Some(Command::Check(args)) => return args.run(),
            Some(Command::Csa(args)) => return args.run(),
            Some(Command::Engines(args)) => args.run()?,
            Some(Command::Openings(args)) => args.run()?,
            Some(Command::Solve(args)) => return args.run(),
            Some(Command::Selfplay(args)) => args.run()?,
            Some(Command::Data(args)) => args.run()?,
            Some(Command::Train(args)) => args.run()?,
            Some(Command::Tune(args)) => args.run()?,
            #[cfg(feature = "cluster")]
            Some(Command::Cluster(args)) => args.run()?,
            #[cfg(not(feature = "cluster"))]
            Some(Command::Cluster(args)) => args.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
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
    fn setup(self) -> anyhow::Result<Setup> {
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
        Ok(Setup {
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
