//! `engines.toml`: the engines a match can name, and the profiles of `kaeshi --profile`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Deserializer, Serialize};

use crate::dialogue::speaker::Reading;

/// Name of the file.
pub const FILE: &str = "engines.toml";

/// The whole file. A key that is not listed here is an error that names it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Roster {
    /// Engines by name.
    pub engines: BTreeMap<String, Entry>,
    /// Profiles by name.
    pub profiles: BTreeMap<String, Profile>,
    /// Where the file lies; relative commands start here.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One engine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
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
    pub usi_fischer: Option<Reading>,
}

/// A way to start ourselves.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// `shogi`, `reversi` or `sygo`.
    pub game: Option<String>,
    /// `usi` or `ugi`, spoken before the first word has chosen one.
    pub dialect: Option<String>,
    /// Options to set at the start.
    #[serde(default)]
    pub options: BTreeMap<String, Scalar>,
}

/// A value written as text, number or truth value; kept as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Scalar(pub String);

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

    /// Reads the roster at `path`, or the first one found: in the working directory, then beside the
    /// executable and in the folders above it. Without any, the roster is empty.
    ///
    /// # Errors
    /// A file that is not there, cannot be read, or is wrong.
    pub fn load(path: Option<&Path>) -> anyhow::Result<Roster> {
        let Some(path) = path.map(Path::to_owned).or_else(find) else { return Ok(Roster::default()) };
        let shown = path.display();
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {shown}"))?;
        let mut roster = Roster::parse(&text).with_context(|| format!("in {shown}"))?;
        roster.folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(roster)
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

/// The roster that is used when none is named.
fn find() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok();
    let above = executable.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned);
    std::iter::once(PathBuf::from("."))
        .chain(above)
        .map(|folder| folder.join(FILE))
        .find(|path| path.is_file())
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
    fn an_unknown_key_is_named() {
        for text in
            ["[engines.a]\ncommand = \"x\"\nthreds = 1\n", "[profiles.a]\nthreds = 1\n", "threds = 1\n"]
        {
            let error = format!("{:#}", Roster::parse(text).unwrap_err());
            assert!(error.contains("threds"), "{error}");
        }
    }
}
