//! `engines.toml`: the engines a match can name, and the profiles of `kaeshi --profile`. One roster is
//! inside the program; the user's own and that of the working directory are laid over it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Deserializer, Serialize};

use crate::dialogue::speaker::ClockConvention;
use crate::value_errors;
use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::protocol::option_line::nearest;

/// The roster inside the program.
const BUNDLED: &str = include_str!("../../../engines.toml");

/// Name of the file.
pub const FILE: &str = "engines.toml";

/// The whole file. A key that is not listed here is an error that names it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Roster {
    /// Engines by name.
    pub engines: BTreeMap<String, RosterEntry>,
    /// Profiles by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub profiles: BTreeMap<String, Profile>,
}

/// One engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RosterEntry {
    /// The program: a name on the path, a path relative to this file, or `kaeshi` for this program.
    pub command: String,
    /// Its arguments; `{game}` stands for the game of the match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Working directory.
    pub dir: Option<PathBuf>,
    /// `usi`, `ugi`, `uci`, `gtp` or `nboard`; by default it is detected.
    pub protocol: Option<String>,
    /// The only game it plays.
    pub game: Option<String>,
    /// Options to set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Scalar>,
    /// Forgiven oversteps, for example `"50ms"`.
    pub margin: Option<Scalar>,
    /// How it reads USI's clocks: `book` (the default), `chess` or `white-first`.
    #[serde(rename = "usi-fischer")]
    pub usi_fischer: Option<ClockConvention>,
    /// Beginning of its `id name` (USI and UGI), by which a program given by its path is recognised.
    #[serde(rename = "id-name")]
    pub id_name: Option<String>,
    /// How to install it.
    pub install: Option<String>,
    /// Folder of its file; a relative command starts here.
    #[serde(skip)]
    pub folder: PathBuf,
    /// The file it stands in; `None` for the roster inside the program.
    #[serde(skip)]
    pub origin: Option<PathBuf>,
}

/// A way to start this program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Profile {
    /// `shogi`, `reversi` or `sygo`.
    pub game: Option<String>,
    /// `usi` or `ugi`, in use before the first word has chosen one.
    pub dialect: Option<String>,
    /// Options to set at the start.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
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
        #[serde(untagged, expecting = "a text, a number, true or false is wanted")]
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
        toml::from_str(text).map_err(|error| value_errors::in_file(&error, text))
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

    /// The entry called `name` as a file of its own would have it.
    ///
    /// # Errors
    /// There is none; the message names the nearest one, or all.
    pub fn entry_as_toml(&self, name: &str) -> anyhow::Result<String> {
        let Some(entry) = self.engines.get(name) else {
            let names = || self.engines.keys().map(String::as_str);
            match nearest(names(), name) {
                Some(near) => bail!("no engine '{name}'; did you mean '{near}'?"),
                None => bail!("no engine '{name}'; there are: {}", names().collect::<Vec<_>>().join(", ")),
            }
        };
        let mut entry = entry.clone();
        // A path is relative to the file in which it stands.
        if entry.command.contains('/') && !entry.folder.as_os_str().is_empty() {
            entry.command = std::path::absolute(entry.folder.join(&entry.command))?.display().to_string();
        }
        entry.dir = entry.dir.map(|dir| std::path::absolute(entry.folder.join(dir))).transpose()?;
        let alone = Roster { engines: BTreeMap::from([(name.to_owned(), entry)]), ..Roster::default() };
        Ok(toml::to_string(&alone)?)
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
    fn an_entry_is_shown_as_it_can_be_pasted() {
        let mut roster = Roster::load(None).unwrap();
        let names: Vec<String> = roster.engines.keys().cloned().collect();
        for name in names {
            let text = roster.entry_as_toml(&name).unwrap();
            let entry = Roster::parse(&text).unwrap().engines.remove(&name);
            assert_eq!(entry.as_ref(), roster.engines.get(&name), "{text}");
        }
        let text = roster.entry_as_toml("gpsusi").unwrap();
        assert!(text.starts_with("[engines.gpsusi]\ncommand = \"gpsusi\"\n"), "{text}");
        let error = roster.entry_as_toml("gpsus").unwrap_err().to_string();
        assert!(error.ends_with("did you mean 'gpsusi'?"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "[engines.mine]\ncommand = \"bin/x\"\ndir = \"data\"\n").unwrap();
        roster = Roster::load(Some(&path)).unwrap();
        let shown = Roster::parse(&roster.entry_as_toml("mine").unwrap()).unwrap();
        assert_eq!(Path::new(&shown.engines["mine"].command), folder.path().join("bin/x"));
        assert_eq!(shown.engines["mine"].dir, Some(folder.path().join("data")));
    }

    #[test]
    fn wrong_values_are_named_in_words_of_toml() {
        for (text, said) in [
            ("[engines.x]\ncommand = 5\n", "line 2: a text in quotes is wanted, not the number 5"),
            ("[engines.x]\nargs = []\n", "line 1: the key 'command' is missing"),
            ("[engines.x]\ncommand = 'a'\nargs = 'b'\n", "line 3: a list is wanted, not the text 'b'"),
            ("[engines.x]\ncommand = 'a'\noptions = [1]\n", "line 3: a table is wanted, not a list"),
            (
                "[engines.x]\ncommand = 'a'\n[engines.x.options]\nA = [1]\n",
                "a text, a number, true or false is wanted",
            ),
            ("[engines]\nx = 'a'\n", "line 2: a table is wanted, not the text 'a'"),
            ("[engines.x]\ncommand = a\n", "line 2: string values must be quoted"),
            (
                "[engines.x]\ncommand = 'a'\nargz = []\n",
                "line 3: unknown key 'argz'; there are command, args",
            ),
            (
                "[engines.x]\ncommand = 'a'\nusi-fischer = 'b'\n",
                "line 3: 'b' is none of book, chess, white-first",
            ),
        ] {
            let error = Roster::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
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
