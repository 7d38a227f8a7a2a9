//! The options of an engine, their values, and which parts of the engine a change makes stale.

use std::collections::BTreeMap;

use crate::driver::option_value::apply_option;
use crate::driver::settings::{self, EngineSettings};
use crate::files;
use crate::game::interrupt::Interrupt;
use crate::game::level::SkillLevel;
use crate::game::options::{OptionLine, OptionSpec, find, nearest};
use crate::game::{Game, GameError};

/// The parts of the engine that were made with other settings than the present ones.
#[derive(Default)]
pub(super) struct Stale {
    pub(super) game: bool,
    pub(super) memory: bool,
    pub(super) pool: bool,
    pub(super) store: bool,
}

impl Stale {
    pub(super) fn any(&self) -> bool {
        self.game || self.memory || self.pool || self.store
    }
}

/// The options of driver and game, and their values.
pub(super) struct EngineOptions<G: Game> {
    driver: Vec<OptionSpec<EngineSettings>>,
    game: Vec<OptionSpec<G::Settings>>,
    pub(super) settings: EngineSettings,
    pub(super) game_settings: G::Settings,
    /// The options of the game that are not at their defaults, as `name=value` with names in lower case; without
    /// those that concern mate searches alone.
    game_words: BTreeMap<String, String>,
    /// The settings differ from what game, memory and pool were made with.
    pub(super) stale: Stale,
}

fn options_of_driver<G: Game>() -> Vec<OptionSpec<EngineSettings>> {
    let mut options = settings::options();
    if !G::FACTS.search.levels.is_empty() {
        options.push(settings::skill_option());
    }
    options
}

fn lines<S, T>(driver: &[OptionSpec<S>], game: &[OptionSpec<T>]) -> Vec<OptionLine> {
    let driver = driver.iter().map(|spec| spec.line.clone());
    driver.chain(game.iter().map(|spec| spec.line.clone())).collect()
}

/// The options of a game's engine: those of every game, and its own.
pub fn options_of<G: Game>() -> Vec<OptionLine> {
    lines(&options_of_driver::<G>(), &G::options())
}

impl<G: Game> EngineOptions<G> {
    /// Every option at its default.
    pub(super) fn new() -> EngineOptions<G> {
        EngineOptions {
            driver: options_of_driver::<G>(),
            game: G::options(),
            settings: EngineSettings::default(),
            game_settings: G::Settings::default(),
            game_words: BTreeMap::new(),
            stale: Stale::default(),
        }
    }

    /// The options of the driver, then those of the game.
    pub(super) fn lines(&self) -> Vec<OptionLine> {
        lines(&self.driver, &self.game)
    }

    /// Sets an option and marks the parts that it makes stale.
    ///
    /// # Errors
    /// There is no such option, or it does not take `value`.
    pub(super) fn set(&mut self, name: &str, value: &str, interrupt: &Interrupt) -> Result<(), GameError> {
        if let Some(spec) = find(&self.driver, name) {
            spec.apply(&mut self.settings, value)?;
            match spec.line.name {
                "Hash" => self.stale.memory = true,
                "Threads" | "Search" | "ReferenceCache" | "ReferenceOrdering" => self.stale.pool = true,
                "StoreFile" => self.stale.store = true,
                _ => {}
            }
            return Ok(());
        }
        if let Some(spec) = find(&self.game, name) {
            let settings = &mut self.game_settings;
            let value = files::interruptible(interrupt, || apply_option(spec, settings, value))?;
            let name = spec.line.name.to_ascii_lowercase();
            match value.filter(|_| !spec.line.mates_only) {
                Some(value) => self.game_words.insert(name, value),
                None => self.game_words.remove(&name),
            };
            self.stale.game = true;
            return Ok(());
        }
        let known = self.lines();
        let instead = match (G::instead_of_option(name), nearest(known.iter().map(|line| line.name), name)) {
            (Some(reason), _) => format!(": {reason}"),
            (None, Some(near)) => format!("; did you mean '{near}'?"),
            (None, None) => String::new(),
        };
        Err(GameError::option(format!("{} has no option '{name}'{instead}", G::NAME)))
    }

    /// Gives `Threads` and `Hash` the ranges of hosts without threads.
    pub(super) fn limit_to_slices(&mut self) {
        for option in &mut self.driver {
            option.line.limit_to_slices();
        }
    }

    /// The options of the game on which its searches depend, as far as they are no defaults: `name=value` with the
    /// value as [`apply_option`] returns it, one a line.
    pub(super) fn game_text(&self) -> String {
        let words: Vec<String> =
            self.game_words.iter().map(|(name, value)| format!("{name}={value}")).collect();
        words.join("\n")
    }

    /// The level that `SkillLevel` sets; `None` at full strength.
    pub(super) fn level(&self) -> Option<&'static SkillLevel> {
        G::FACTS.search.levels.get(usize::from(self.settings.skill_level))
    }
}
