//! `engines.toml`: the engines a match can name, and the profiles of `kaeshi --profile`. One roster is
//! inside the program; the user's own and that of the working directory are laid over it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Deserializer, Serialize};

use crate::dialogue::speaker::ClockConvention;
use kaeshi_core::files::{self, FileKind};

/// The roster inside the program.
const BUNDLED: &str = include_str!("../../../engines.toml");

/// Name of the file.
pub const FILE: &str = "engines.toml";

/// The whole file. A key that is not listed here is an error that names it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Roster {
    /// Engines by name.
    pub engines: BTreeMap<String, RosterEntry>,
    /// Profiles by name.
    pub profiles: BTreeMap<String, Profile>,
}

/// One engine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosterEntry {
    /// The program: a name on the path, a path relative to this file, or `kaeshi` for ourselves.
    pub command: String,
    /// Its arguments; `{game}` stands for the game of the match.
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory.
    pub dir: Option<PathBuf>,
    /// `usi`, `ugi`, `gtp` or `nboard`; by default `usi` for shogi and `ugi` for the other games.
    pub protocol: Option<String>,
    /// The only game it plays.
    pub game: Option<String>,
    /// Options to set.
    #[serde(default)]
    pub options: BTreeMap<String, Scalar>,
    /// Forgiven oversteps, for example `"50ms"`.
    pub margin: Option<Scalar>,
    /// How it reads USI's clocks, if not by the book.
    #[serde(rename = "usi-fischer")]
    pub usi_fischer: Option<ClockConvention>,
    /// How what it calls itself begins (`id name` of USI and UGI), so that it is recognised under any path.
    #[serde(rename = "id-name")]
    pub id_name: Option<String>,
    /// How to install it.
    pub install: Option<String>,
    /// Where its file lies; a relative command starts here.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The file it stands in; `None` for the roster inside the program.
    #[serde(skip)]
    pub origin: Option<PathBuf>,
}

/// A way to start ourselves.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// `shogi`, `reversi` or `sygo`.
    pub game: Option<String>,
    /// `usi` or `ugi`, in use before the first word has chosen one.
    pub dialect: Option<String>,
    /// Options to set at the start.
    #[serde(default)]
    pub options: BTreeMap<String, Scalar>,
}

/// A value written as text, number or truth value; kept as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Scalar(pub String);

impl From<&str> for Scalar {
    fn from(text: &str) -> Scalar {
        Scalar(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Any {
            Text(String),
            Truth(bool),
            Whole(i64),
            Real(f64),
        }
        Ok(Scalar(match Any::deserialize(deserializer)? {
            Any::Text(text) => text,
            Any::Truth(truth) => truth.to_string(),
            Any::Whole(number) => number.to_string(),
            Any::Real(number) => number.to_string(),
        }))
    }
}

impl Roster {
    /// Reads the text of a roster.
    ///
    /// # Errors
    /// What is wrong and in which line; an unknown key by its name.
    pub fn parse(text: &str) -> anyhow::Result<Roster> {
        Ok(toml::from_str(text)?)
    }

    /// The roster inside the program, under that of the user's configuration folder, under the one at
    /// `path`, or else in the working directory. Of two entries of one name the later one counts.
    ///
    /// # Errors
    /// `path` is not there; a file cannot be read, or is wrong.
    pub fn load(path: Option<&Path>) -> anyhow::Result<Roster> {
        let mut roster = Roster::parse(BUNDLED).context("in the roster inside the program")?;
        let local = path.map_or_else(|| PathBuf::from(FILE), Path::to_owned);
        let own = configuration().map(|folder| folder.join("kaeshi").join(FILE));
        let found = own.into_iter().filter(|path| path.is_file());
        let found = found.chain((path.is_some() || local.is_file()).then_some(local));
        for path in found {
            roster.lay_over(Roster::read(&path)?);
        }
        Ok(roster)
    }

    fn read(path: &Path) -> anyhow::Result<Roster> {
        let shown = path.display();
        let text = files::read_text_piped(path, FileKind::SETTINGS)
            .with_context(|| format!("cannot read {shown}"))?;
        let mut roster = Roster::parse(&text).with_context(|| format!("in {shown}"))?;
        for entry in roster.engines.values_mut() {
            entry.folder = path.parent().map(Path::to_owned).unwrap_or_default();
            entry.origin = Some(path.to_owned());
        }
        Ok(roster)
    }

    fn lay_over(&mut self, other: Roster) {
        self.engines.extend(other.engines);
        self.profiles.extend(other.profiles);
    }

    /// The profile called `name`.
    ///
    /// # Errors
    /// There is none; the message lists those that are there.
    pub fn profile(&self, name: &str) -> anyhow::Result<&Profile> {
        let known = || self.profiles.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.profiles.get(name) {
            Some(profile) => Ok(profile),
            None => bail!("no profile '{name}' in {FILE}; there are: {}", known()),
        }
    }
}

/// Where a user keeps configurations: `$XDG_CONFIG_HOME`, else `~/.config`; `%APPDATA%` on Windows and
/// `~/Library/Application Support` on macOS.
fn configuration() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || variable("HOME");
    if cfg!(windows) {
        return variable("APPDATA");
    }
    variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).or_else(|| {
        let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
        Some(home()?.join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_and_profiles() {
        let roster = Roster::parse(
            "[engines.fsf]\ncommand = \"/usr/games/fairy-stockfish\"\nprotocol = \"usi\"\ngame = \"shogi\"\n\
             margin = \"50ms\"\noptions = { Threads = 1, Ponder = false, Style = \"x y\" }\n\
             [profiles.go13]\ngame = \"sygo\"\ndialect = \"ugi\"\noptions = { BoardSize = 13 }\n",
        )
        .unwrap();
        let options = &roster.engines["fsf"].options;
        assert_eq!(
            (&*options["Threads"].0, &*options["Ponder"].0, &*options["Style"].0),
            ("1", "false", "x y")
        );
        assert_eq!(roster.profile("go13").unwrap().options["BoardSize"].0, "13");
        assert!(roster.profile("x").unwrap_err().to_string().contains("go13"));
    }

    #[test]
    fn the_roster_inside_the_program_is_there_and_others_are_laid_over_it() {
        let mut roster = Roster::load(None).unwrap();
        for name in
            ["kaeshi", "kaeshi-article", "fairy-stockfish", "gpsusi", "gtp-rhino", "edax", "yaneuraou"]
        {
            assert!(roster.engines.contains_key(name), "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "[engines.edax]\ncommand = \"bin/edax\"\n[engines.mine]\ncommand = \"x\"\n")
            .unwrap();
        roster = Roster::load(Some(&path)).unwrap();
        assert_eq!(roster.engines["edax"].command, "bin/edax");
        assert_eq!(roster.engines["edax"].folder, folder.path());
        assert_eq!(roster.engines["mine"].origin.as_deref(), Some(&*path));
        assert!(roster.engines.contains_key("gpsusi"));
        let missing = Roster::load(Some(&folder.path().join("none.toml"))).unwrap_err();
        assert!(missing.to_string().contains("none.toml"), "{missing}");
    }

    #[test]
    fn an_unknown_key_is_named() {
        for text in
            ["[engines.a]\ncommand = \"x\"\nthreds = 1\n", "[profiles.a]\nthreds = 1\n", "threds = 1\n"]
        {
            let error = format!("{:#}", Roster::parse(text).unwrap_err());
            assert!(error.contains("threds"), "{error}");
        }
    }
}
