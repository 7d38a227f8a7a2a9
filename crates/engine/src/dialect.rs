//! The protocols between engines and those who ask them. [`crate::protocol`] answers in them,
//! `kaeshi_match::dialogue` asks in them.

use serde::{Deserialize, Serialize};

use crate::games::GameName;

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The Universal Shogi Interface.
    Usi,
    /// kz04px's Universal Game Interface, for any game.
    Ugi,
    /// The Universal Chess Interface as Fairy-Stockfish speaks it; shogi and Reversi. Engines are not asked in it.
    Uci,
    /// The Go Text Protocol, version 2; Kaeshi answers in it for Reversi and Sygo.
    Gtp,
    /// NBoard 2, the protocol of Othello GUIs; Reversi only.
    NBoard,
}

impl Dialect {
    /// The dialects in which engines are asked.
    pub const ASKED: [Dialect; 4] = [Dialect::Usi, Dialect::Ugi, Dialect::Gtp, Dialect::NBoard];

    /// The only game that engines are asked about in this dialect, if there is just one.
    pub fn asks_only_about(self) -> Option<GameName> {
        match self {
            Dialect::Usi => Some(GameName::Shogi),
            Dialect::NBoard => Some(GameName::Reversi),
            Dialect::Ugi | Dialect::Uci | Dialect::Gtp => None,
        }
    }

    /// The dialect that engines of this game speak unless they say another.
    pub fn usual(game: &str) -> Dialect {
        let own = Dialect::Usi.asks_only_about().is_some_and(|own| own.name() == game);
        if own { Dialect::Usi } else { Dialect::Ugi }
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
    pub fn parse(word: &str) -> Result<Dialect, String> {
        Dialect::ASKED
            .into_iter()
            .find(|dialect| dialect.word() == word)
            .ok_or_else(|| format!("protocol '{word}' is none of usi, ugi, gtp, nboard"))
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
        assert!(Dialect::parse("uci").unwrap_err().contains("usi, ugi, gtp, nboard"));
    }
}
