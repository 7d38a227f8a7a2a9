//! The options of a session: their values, which outlast the engine of a game, and the defaults that differ from the
//! program's.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::sync::{Arc, Mutex};

use log::debug;

use crate::protocol::log::Log;
use crate::protocol::words::abbreviated;
use crate::protocol::writer::lock;
use kaeshi_core::driver::Controller;
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::{OptionKind, OptionLine};

/// The log that `WriteDebugLog` writes, as YaneuraOu has it.
const DEBUG_LOG: &str = "io_log.txt";

/// The options that were set, and the defaults of this session. The engine's options are those of the controller that
/// is passed.
pub(super) struct SessionOptions {
    /// Options set so far, for the next engine if the game changes.
    settings: Vec<(String, String)>,
    /// Other defaults than those of the program.
    defaults: Vec<(String, String)>,
    /// Defaults of the dialect that the other side has not set since.
    of_dialect: Vec<(String, String)>,
    /// Whether options may name files.
    has_files: bool,
    log: Arc<Mutex<Log>>,
}

impl SessionOptions {
    /// Nothing is set; options may name files. `LogFile` and `WriteDebugLog` open `log`.
    pub fn new(log: Arc<Mutex<Log>>) -> SessionOptions {
        SessionOptions {
            settings: Vec::new(),
            defaults: Vec::new(),
            of_dialect: Vec::new(),
            has_files: true,
            log,
        }
    }

    /// Refuses options that name files from now on, and does not list them.
    pub fn forbid_files(&mut self) {
        self.has_files = false;
    }

    /// All options, with the defaults of this session; `game` comes first.
    pub fn list(&self, game: Option<OptionLine>, controller: &dyn Controller) -> Vec<OptionLine> {
        let mut options: Vec<OptionLine> = game.into_iter().chain(controller.options()).collect();
        if self.has_files {
            options.extend(log_options());
        } else {
            options.retain(|option| !matches!(option.kind, OptionKind::File(_)));
        }
        for option in &mut options {
            if let Some(value) = value_of(&self.defaults, option.name) {
                option.kind = option.kind.clone().with_default(value);
            }
        }
        options
    }

    /// The value in force of an option that [`SessionOptions::list`] gave.
    pub fn value(&self, option: &OptionLine) -> String {
        value_of(&self.settings, option.name).map_or_else(|| option.kind.default_value(), str::to_owned)
    }

    /// Sets an option of the engine or of the log.
    ///
    /// # Errors
    /// There is no such option, it does not take the value, or it names a file where there are none.
    pub fn set(&mut self, name: &str, value: &str, controller: &mut dyn Controller) -> Result<(), GameError> {
        let log = name.eq_ignore_ascii_case("LogFile");
        let is_file = |option: &OptionLine| {
            option.name.eq_ignore_ascii_case(name) && matches!(option.kind, OptionKind::File(_))
        };
        let named = || log || name.eq_ignore_ascii_case("WriteDebugLog");
        if !self.has_files && (named() || controller.options().iter().any(is_file)) {
            return Err(GameError::unsupported(format!(
                "option {}: there are no files here",
                abbreviated(name)
            )));
        }
        if log || name.eq_ignore_ascii_case("WriteDebugLog") {
            let path = match value.trim() {
                "<empty>" => "",
                "false" if !log => "",
                "true" if !log => DEBUG_LOG,
                path => path,
            };
            return lock(&self.log)
                .open(path)
                .map_err(|error| GameError::file(format!("option {name}: cannot write '{path}': {error}")));
        }
        controller.set_option(name, value)?;
        debug!("option {name} is set to '{}'", abbreviated(value));
        let options = controller.options();
        let name = options.iter().find(|option| is_called(option, name)).map_or(name, |option| option.name);
        remove(&mut self.settings, name);
        self.settings.push((name.to_string(), value.to_string()));
        Ok(())
    }

    /// Makes a value that was set the default.
    pub fn add_default(&mut self, name: String, value: String) {
        self.defaults.push((name, value));
    }

    /// Keeps the value of an option beyond the dialect: the other side has set it.
    pub fn outlast_dialect(&mut self, name: &str) {
        if value_of(&self.of_dialect, name).is_some() {
            remove(&mut self.of_dialect, name);
            remove(&mut self.defaults, name);
        }
    }

    /// Gives up the other defaults of the former dialect and sets those of the new one, but for options that were set.
    pub fn change_dialect(&mut self, defaults: &[(&str, &str)], controller: &mut dyn Controller) {
        for (name, _) in std::mem::take(&mut self.of_dialect) {
            remove(&mut self.defaults, &name);
            remove(&mut self.settings, &name);
            let usual = self.list(None, controller).into_iter().find(|option| is_called(option, &name));
            if let Some(usual) = usual {
                let _ = controller.set_option(&name, &usual.kind.default_value());
            }
        }
        for &(name, value) in defaults {
            if value_of(&self.settings, name).is_some() {
                continue;
            }
            let (name, value) = (name.to_owned(), value.to_owned());
            // A game without this option need not hear of it, but the next one may.
            if self.set(&name, &value, controller).is_err() {
                self.settings.push((name.clone(), value.clone()));
            }
            self.defaults.push((name.clone(), value.clone()));
            self.of_dialect.push((name, value));
        }
    }

    /// Sets the options of the former game in the engine of another one, which need not know them.
    pub fn hand_over(&self, controller: &mut dyn Controller) {
        for (name, value) in &self.settings {
            let _ = controller.set_option(name, value);
        }
    }
}

/// Whether the option has this name or alias.
pub(super) fn is_called(option: &OptionLine, name: &str) -> bool {
    [Some(option.name), option.alias].into_iter().flatten().any(|known| known.eq_ignore_ascii_case(name))
}

/// The value that was set for an option.
fn value_of<'a>(set: &'a [(String, String)], name: &str) -> Option<&'a str> {
    set.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Takes an option out of a list.
fn remove(set: &mut Vec<(String, String)>, name: &str) {
    set.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
}

/// The options of sessions that have files.
pub fn log_options() -> [OptionLine; 2] {
    let file = "file to which commands and answers are written; empty for none";
    let switch = "whether commands and answers are written to io_log.txt";
    [
        OptionLine::new("LogFile", OptionKind::File(""), file).local(),
        OptionLine::new("WriteDebugLog", OptionKind::Check(false), switch).local(),
    ]
}
