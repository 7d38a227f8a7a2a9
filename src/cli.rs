//! The command line.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::games::GameName;
use crate::protocol::Dialect;
use crate::protocol::session::{self, Setup};
use crate::tools::match_runner::args::MatchArgs;
use crate::tools::{bench, perft};

/// Plays shogi, Reversi and Sygo.
///
/// Without a command, speaks USI or UGI (NBoard and GTP for Reversi) over stdin and stdout, as
/// GUIs and match runners expect; the first word that comes in decides which.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {
    /// The game to play until the other side asks for another one
    #[arg(long, value_enum)]
    game: Option<GameName>,
    /// An option to set at once, as `setoption` would
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Perft(perft::Args),
    Bench(bench::Args),
    Match(Box<MatchArgs>),
}

impl Cli {
    /// Does what was asked.
    ///
    /// # Errors
    /// Whatever stops the work, with the reason for a person to read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            None => speak(self.game.unwrap_or(GameName::Shogi), &self.options)?,
            Some(Command::Perft(args)) => args.run()?,
            Some(Command::Bench(args)) => args.run()?,
            Some(Command::Match(args)) => return args.run(),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The protocol loop over stdin and stdout.
fn speak(game: GameName, options: &[String]) -> anyhow::Result<()> {
    let options = options
        .iter()
        .map(|option| match option.split_once('=') {
            Some((name, value)) => Ok((name.to_string(), value.to_string())),
            None => Err(anyhow::anyhow!("option '{option}' is not NAME=VALUE")),
        })
        .collect::<anyhow::Result<_>>()?;
    let setup = Setup {
        factory: Box::new(|name, events| Some(GameName::parse(name)?.engine(events))),
        games: GameName::NAMES,
        game: game.name().to_string(),
        options,
        dialect: Dialect::Usi,
    };
    Ok(session::run(io::stdin(), io::stdout(), setup)?)
}
