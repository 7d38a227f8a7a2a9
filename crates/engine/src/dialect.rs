//! The protocols between engines and those who ask them. [`crate::protocol`] answers in them,
//! `kaeshi_match::dialogue` asks in them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::games::GameName;

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The Universal Shogi Interface.
    Usi,
    /// kz04px's Universal Game Interface, for any game.
    Ugi,
    /// The Universal Chess Interface as Fairy-Stockfish speaks it, with `UCI_Variant`; shogi and Reversi.
    Uci,
    /// The Go Text Protocol, version 2; Kaeshi answers in it for Reversi and Sygo.
    Gtp,
    /// NBoard 2, the protocol of Othello GUIs; Reversi only.
    NBoard,
}

/// Why a word is no dialect.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DialectError {
    /// No protocol in which engines are asked has this name.
    #[error("protocol '{0}' is none of usi, ugi, uci, gtp, nboard")]
    Unknown(String),
}

impl Dialect {
    /// The dialects in which engines are asked.
    pub const ASKED: [Dialect; 5] = [Dialect::Usi, Dialect::Ugi, Dialect::Uci, Dialect::Gtp, Dialect::NBoard];

    /// The only games that engines are asked about in this dialect; `None` if it is for all of them.
    fn asks_only_about(self) -> Option<&'static [GameName]> {
        match self {
            Dialect::Usi => Some(&[GameName::Shogi]),
            Dialect::NBoard => Some(&[GameName::Reversi]),
            Dialect::Uci => Some(&[GameName::Shogi, GameName::Reversi]),
            Dialect::Ugi | Dialect::Gtp => None,
        }
    }

    /// Whether engines can be asked about the game of this name.
    pub fn asks_about(self, game: &str) -> bool {
        self.asks_only_about().is_none_or(|games| games.iter().any(|known| known.name() == game))
    }

    /// The dialect that engines of this game speak unless they say another.
    pub fn usual(game: &str) -> Dialect {
        if Dialect::Usi.asks_about(game) { Dialect::Usi } else { Dialect::Ugi }
    }

    /// Its name on the command line and in files.
    pub fn word(self) -> &'static str {
        match self {
            Dialect::Usi => "usi",
            Dialect::Ugi => "ugi",
            Dialect::Uci => "uci",
            Dialect::Gtp => "gtp",
            Dialect::NBoard => "nboard",
        }
    }

    /// Reads the name of a dialect.
    ///
    /// # Errors
    /// A word that names none in which engines are asked; the message lists these.
    pub fn parse(word: &str) -> Result<Dialect, DialectError> {
        Dialect::ASKED
            .into_iter()
            .find(|dialect| dialect.word() == word)
            .ok_or_else(|| DialectError::Unknown(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_the_command_line_name_a_dialect_alike() {
        for dialect in Dialect::ASKED {
            assert_eq!(Dialect::parse(dialect.word()), Ok(dialect));
            assert_eq!(serde_json::to_value(dialect).unwrap(), dialect.word());
        }
        let refused = Dialect::parse("xboard").unwrap_err();
        assert_eq!(refused, DialectError::Unknown("xboard".to_owned()));
        assert_eq!(refused.to_string(), "protocol 'xboard' is none of usi, ugi, uci, gtp, nboard");
        assert!(Dialect::Uci.asks_about("shogi") && !Dialect::Uci.asks_about("sygo"));
    }
}
