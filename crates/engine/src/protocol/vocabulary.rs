//! The words in which USI, UGI and UCI differ, for server, client and check.
//!
//! [`GoWords`] has those of `go`, [`words`](crate::protocol::words) the lines that all three share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::protocol::Dialect;
use crate::protocol::go_words::GoWords;
use kaeshi_core::driver::event::{Best, Mate};

/// One of the three protocols.
#[derive(Debug)]
pub struct Vocabulary {
    /// The hello, which is also the name of the protocol.
    pub hello: &'static str,
    /// The end of what answers it.
    pub hello_done: &'static str,
    /// A new game begins.
    pub new_game: &'static str,
    /// The word before a position that is not the usual start.
    pub position: &'static str,
    /// The words of `go`.
    pub go: GoWords,
    /// The answer where there is nothing to play.
    no_move: &'static str,
    /// Whether `ponder` and the expected reply follow `bestmove`: UGI runners reject a third word.
    has_ponder_word: bool,
}

/// The Universal Shogi Interface. Black moves first; `binc` and `winc` are Fischer increments.
pub static USI: Vocabulary = Vocabulary {
    hello: "usi",
    hello_done: "usiok",
    new_game: "usinewgame",
    position: "sfen",
    go: GoWords {
        times: ["btime", "wtime"],
        increments: ["binc", "winc"],
        byoyomi: true,
        mate_in_moves: false,
    },
    no_move: "resign",
    has_ponder_word: true,
};

/// The Universal Game Interface. p1 is the side that moves first.
pub static UGI: Vocabulary = Vocabulary {
    hello: "ugi",
    hello_done: "ugiok",
    new_game: "uginewgame",
    position: "fen",
    go: GoWords {
        times: ["p1time", "p2time"],
        increments: ["p1inc", "p2inc"],
        byoyomi: false,
        mate_in_moves: false,
    },
    no_move: "none",
    has_ponder_word: false,
};

/// The Universal Chess Interface. `w` is the side that moves first.
pub static UCI: Vocabulary = Vocabulary {
    hello: "uci",
    hello_done: "uciok",
    new_game: "ucinewgame",
    position: "fen",
    go: GoWords {
        times: ["wtime", "btime"],
        increments: ["winc", "binc"],
        byoyomi: false,
        mate_in_moves: true,
    },
    no_move: "(none)",
    has_ponder_word: true,
};

impl Vocabulary {
    /// That of a dialect; `None` for GTP and NBoard, which are other languages.
    pub fn of(dialect: Dialect) -> Option<&'static Vocabulary> {
        match dialect {
            Dialect::Usi => Some(&USI),
            Dialect::Ugi => Some(&UGI),
            Dialect::Uci => Some(&UCI),
            Dialect::Gtp | Dialect::NBoard => None,
        }
    }

    /// Whether a word begins a new game in any of the three.
    pub fn is_new_game(word: &str) -> bool {
        [&USI, &UGI, &UCI].iter().any(|known| known.new_game == word)
    }

    /// `bestmove …`.
    pub fn best_move(&self, best: &Best) -> String {
        match best {
            Best::Turn { turn, ponder: Some(reply) } if self.has_ponder_word => {
                format!("bestmove {turn} ponder {reply}")
            }
            Best::Turn { turn, .. } => format!("bestmove {turn}"),
            Best::Resign => "bestmove resign".to_owned(),
            Best::Win => "bestmove win".to_owned(),
            Best::None => format!("bestmove {}", self.no_move),
        }
    }
}

/// Reads `bestmove …` of any of the three; `None` for any other line. Engines say in several ways that there is nothing
/// to play.
pub fn read_best_move(line: &str) -> Option<Best> {
    let mut words = line.strip_prefix("bestmove")?.split_ascii_whitespace();
    Some(match words.next() {
        Some("resign") => Best::Resign,
        Some("win") => Best::Win,
        None | Some("(none)" | "none" | "0000" | "null") => Best::None,
        Some(turn) => {
            let reply = match (words.next(), words.next()) {
                (Some("ponder"), Some(reply)) => Some(reply.to_owned()),
                _ => None,
            };
            Best::Turn { turn: turn.to_owned(), ponder: reply }
        }
    })
}

/// `checkmate …`.
pub fn checkmate(mate: &Mate) -> String {
    match mate {
        Mate::Line(turns) if !turns.is_empty() => format!("checkmate {}", turns.join(" ")),
        Mate::Line(_) | Mate::NoMate => "checkmate nomate".to_owned(),
        Mate::Timeout => "checkmate timeout".to_owned(),
        Mate::NotImplemented => "checkmate notimplemented".to_owned(),
    }
}

/// Reads `checkmate …`; `None` for any other line.
pub fn read_checkmate(line: &str) -> Option<Mate> {
    let rest = line.strip_prefix("checkmate")?;
    Some(match rest.trim() {
        "" | "nomate" => Mate::NoMate,
        "timeout" => Mate::Timeout,
        "notimplemented" => Mate::NotImplemented,
        turns => Mate::Line(turns.split_ascii_whitespace().map(str::to_owned).collect()),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        let turn = |ponder: Option<&str>| Best::Turn { turn: "7g7f".into(), ponder: ponder.map(Into::into) };
        for best in [turn(None), turn(Some("3c3d")), Best::Resign, Best::Win] {
            for words in [&USI, &UCI] {
                assert_eq!(read_best_move(&words.best_move(&best)), Some(best.clone()));
            }
        }
        assert_eq!(UGI.best_move(&turn(Some("3c3d"))), "bestmove 7g7f");
        for words in [&UGI, &UCI] {
            assert_eq!(read_best_move(&words.best_move(&Best::None)), Some(Best::None));
        }
        assert_eq!(USI.best_move(&Best::None), "bestmove resign");
        assert_eq!(read_best_move("info depth 1"), None);
    }

    #[test]
    fn mates_are_read_as_they_were_written() {
        for mate in [Mate::Line(vec!["G*5b".into()]), Mate::NoMate, Mate::Timeout, Mate::NotImplemented] {
            assert_eq!(read_checkmate(&checkmate(&mate)), Some(mate));
        }
        assert_eq!(read_checkmate(&checkmate(&Mate::Line(Vec::new()))), Some(Mate::NoMate));
        assert_eq!(read_checkmate("bestmove 7g7f"), None);
    }
}
