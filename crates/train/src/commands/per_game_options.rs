//! `--game` of a tool whose work the games do, and the options that each game adds.

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use crate::tasks::{AnyTask, GivenOptions, Offer, Tasks, ToolOptions};
use kaeshi_engine::games::GameName;

const GAME: &str = "game";

/// The games that offer something besides play.
const OFFERS: [(GameName, &Tasks); 3] = [
    (GameName::Shogi, &crate::shogi::tasks::TASKS),
    (GameName::Reversi, &crate::reversi::tasks::TASKS),
    (GameName::Sygo, &crate::sygo::tasks::TASKS),
];

/// The tasks that this game offers.
fn of(game: GameName) -> &'static Tasks {
    OFFERS.iter().find(|(other, _)| *other == game).map_or(&Tasks::NONE, |(_, tasks)| tasks)
}

/// A command whose work the games do.
pub trait Tool {
    /// The options that all games share.
    type Common: ToolOptions + 'static;
    /// Whether the command itself does the work for games that do not offer it.
    const ANY_GAME: bool = false;
    /// The game's offer for it.
    fn offer(tasks: &'static Tasks) -> Option<&'static Offer<Self::Common>>;
}

/// The game, and the options of all games that offer the work.
#[derive(Debug)]
pub struct PerGameOptions<T: Tool> {
    game: GameName,
    typed: Vec<TypedOptions<T::Common>>,
}

/// The given options of one game.
#[derive(Debug)]
struct TypedOptions<C: ToolOptions + 'static> {
    game: GameName,
    task: AnyTask<C>,
    /// The options by name, as in `--hidden`.
    names: Vec<String>,
}

/// The games that offer the work.
fn offers<T: Tool>() -> impl Iterator<Item = (GameName, &'static Offer<T::Common>)> {
    GameName::ALL.into_iter().filter_map(|game| Some((game, T::offer(of(game))?)))
}

impl<T: Tool> PerGameOptions<T> {
    /// Does the work.
    ///
    /// # Errors
    /// Options of another game than the chosen one; or what the game says.
    pub fn run(&self, common: &T::Common) -> anyhow::Result<<T::Common as ToolOptions>::Made> {
        self.chosen()?.run(common)
    }

    /// Into how many parts the work falls for a pool.
    ///
    /// # Errors
    /// As for [`PerGameOptions::run`].
    pub fn parts(&self, common: &T::Common) -> anyhow::Result<u64> {
        self.chosen()?.parts(common)
    }

    /// The game alone, where no game does the work.
    ///
    /// # Errors
    /// Options of games were given.
    pub fn plain(&self) -> anyhow::Result<GameName> {
        if let Some(typed) = self.typed.iter().find(|typed| typed.task.is_given()) {
            bail!("{}: for tuning {}'s own search alone", typed.names.join(" "), typed.game.name());
        }
        Ok(self.game)
    }

    fn chosen(&self) -> anyhow::Result<&dyn GivenOptions<T::Common>> {
        let other = self.typed.iter().find(|typed| typed.game != self.game && typed.task.is_given());
        if let Some(other) = other {
            let names = other.names.join(" ");
            bail!("{names}: only {} has this, and the game is {}", other.game.name(), self.game.name());
        }
        let chosen = self.typed.iter().find(|typed| typed.game == self.game);
        chosen.map(|typed| &*typed.task).with_context(|| format!("{} does not offer this", self.game.name()))
    }
}

impl<T: Tool> clap::FromArgMatches for PerGameOptions<T> {
    fn from_arg_matches(typed: &ArgMatches) -> Result<PerGameOptions<T>, clap::Error> {
        let name = typed.get_one::<String>(GAME).map_or("", String::as_str);
        let typed = offers::<T>().map(|(game, offer)| {
            let own = (offer.augment)(Command::new(game.name()));
            let names = own
                .get_arguments()
                .filter(|own| typed.value_source(own.get_id().as_str()) == Some(ValueSource::CommandLine))
                .filter_map(|own| Some(format!("--{}", own.get_long()?)));
            Ok(TypedOptions { game, task: (offer.read)(typed)?, names: names.collect() })
        });
        Ok(PerGameOptions {
            game: GameName::parse(name).unwrap_or(GameName::USUAL),
            typed: typed.collect::<Result<_, clap::Error>>()?,
        })
    }

    fn update_from_arg_matches(&mut self, typed: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(typed)?;
        Ok(())
    }
}

impl<T: Tool> clap::Args for PerGameOptions<T> {
    fn augment_args(command: Command) -> Command {
        let names: Vec<&'static str> = offers::<T>().map(|(game, _)| game.name()).collect();
        let game = Arg::new(GAME).long("game").value_name("GAME").help_heading(None::<&str>).help("The game");
        let game = match names.first() {
            Some(usual) => game.default_value(*usual),
            None => game,
        };
        let names = if T::ANY_GAME { GameName::NAMES.to_vec() } else { names };
        let command = command.arg(game.value_parser(PossibleValuesParser::new(names)));
        let command = offers::<T>().fold(command, |command, (_, offer)| (offer.augment)(command));
        command.next_help_heading(None::<&str>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
