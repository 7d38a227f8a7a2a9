//! `kaeshi engines`: which engines a match can name, and which of them are on this machine.

use std::path::PathBuf;

use super::roster::{FILE, Roster, RosterEntry};
use super::tournament::engine_spec::locate;
use super::tournament::report::columns::Columns;
use kaeshi_system::output::print;

/// List the engines that a match can name, and which of them are installed
///
/// The entries come from the program, from kaeshi/engines.toml of your configuration folder (~/.config on Linux), and
/// from engines.toml in the working directory. Of entries with the same name, the last one is used.
#[derive(Debug, clap::Args)]
pub struct EnginesArgs {
    /// A roster of engines instead of engines.toml here
    #[arg(long = "engines", alias = "roster", value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Print only this entry, as TOML for your own engines.toml
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
}

impl EnginesArgs {
    /// Prints the table, or one entry.
    ///
    /// # Errors
    /// A roster that cannot be read, or that lacks the entry.
    pub fn run(self) -> anyhow::Result<()> {
        let roster = Roster::load(self.roster.as_deref())?;
        if let Some(name) = &self.show {
            return Ok(print(roster.entry_as_toml(name)?.trim_end())?);
        }
        let mut table = Columns::new(["engine", "game", "protocol", "stands in", "program"]);
        for (name, entry) in &roster.engines {
            table.row([
                name.clone(),
                entry.game.clone().unwrap_or_else(|| "any".into()),
                entry.protocol.clone().unwrap_or_else(|| "usi or ugi".into()),
                entry.origin.as_ref().map_or_else(|| "kaeshi".into(), |path| path.display().to_string()),
                place(entry),
            ]);
        }
        print(format_args!(
            "{}\nA path is an engine as well, and options follow a colon: kaeshi match kaeshi ./mine:Threads=2 ({FILE} has the keys).",
            table.text()
        ))?;
        Ok(())
    }
}

/// Where the program is, or how to get it.
fn place(entry: &RosterEntry) -> String {
    match locate(&entry.command, &entry.folder) {
        Ok(path) => path.display().to_string(),
        Err(_) => {
            let how = entry.install.as_ref().map_or(String::new(), |install| format!(" - {install}"));
            format!("not found{how}")
        }
    }
}
