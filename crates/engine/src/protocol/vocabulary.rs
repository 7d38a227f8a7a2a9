//! The words in which USI, UGI and UCI differ, for server, client and check.
//!
//! [`GoWords`] has those of `go`, [`words`](crate::protocol::words) the lines that all three share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use crate::protocol::Dialect;
use crate::protocol::go_words::GoWords;
use kaeshi_core::driver::event::{Best, Mate};

/// The first word of a command that differs between the three protocols, or that not all of them have, by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandWord {
    /// The hello.
    Hello,
    /// A new game begins.
    NewGame,
    /// A position and turns.
    Position,
    /// A search.
    Go,
    /// The opponent has made the expected turn.
    PonderHit,
    /// The game is over: USI and UGI alone.
    GameOver,
    /// The value of an option is asked for.
    GetOption,
    /// A runner lets the engine referee a game: UGI alone.
    Query,
}

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
    /// The option that chooses the game; USI has none.
    game_option: Option<&'static str>,
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
    game_option: None,
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
    game_option: Some("Game"),
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
    game_option: Some("UCI_Variant"),
    go: GoWords {
        times: ["wtime", "btime"],
        increments: ["winc", "binc"],
        byoyomi: false,
        mate_in_moves: true,
    },
    no_move: "(none)",
    has_ponder_word: true,
};

static THREE: [&Vocabulary; 3] = [&USI, &UGI, &UCI];

impl Vocabulary {
    /// The vocabulary of a dialect; `None` for GTP and NBoard, which differ entirely.
    pub fn of(dialect: Dialect) -> Option<&'static Vocabulary> {
        match dialect {
            Dialect::Usi => Some(&USI),
            Dialect::Ugi => Some(&UGI),
            Dialect::Uci => Some(&UCI),
            Dialect::Gtp | Dialect::NBoard => None,
        }
    }

    /// The meaning of the first word of a command; `None` for one that all three share, and for an unknown one. Runners
    /// of USI and UGI may announce a new game in the word of another protocol.
    pub fn command_word(&self, word: &str) -> Option<CommandWord> {
        let is_uci = self.hello == UCI.hello;
        match word {
            "position" => Some(CommandWord::Position),
            "go" => Some(CommandWord::Go),
            "ponderhit" => Some(CommandWord::PonderHit),
            "getoption" => Some(CommandWord::GetOption),
            "gameover" if !is_uci => Some(CommandWord::GameOver),
            "query" if self.hello == UGI.hello => Some(CommandWord::Query),
            word if word == self.hello => Some(CommandWord::Hello),
            word if word == self.new_game => Some(CommandWord::NewGame),
            word if !is_uci && THREE.iter().any(|known| word == known.new_game) => Some(CommandWord::NewGame),
            _ => None,
        }
    }

    /// The output of `help`.
    pub fn help(&self) -> String {
        let Vocabulary { hello, new_game, position, go, .. } = self;
        let [first, second] = go.times;
        let query = if *hello == UGI.hello { " query gameover, p1turn or result;" } else { "" };
        let others = THREE.iter().map(|known| known.hello).filter(|other| other != hello);
        let others: Vec<&str> = others.chain(["list_commands (GTP)", "nboard 2"]).collect();
        let game = match self.game_option {
            Some(option) => format!("setoption name {option} value NAME"),
            None => format!("{}, then setoption name Game value NAME", UGI.hello),
        };
        format!(
            "{}: {hello}; isready; {new_game}; setoption name NAME value VALUE; getoption [NAME];{query}\n\
             position startpos [moves ...] or position {position} POSITION [moves ...]; stop; ponderhit; quit;\n\
             go [depth N | nodes N | movetime MS | infinite | {first} MS {second} MS].\n\
             For a person: d (the board), eval, moves (legal turns), side, perft N, bench, help.\n\
             Another protocol: begin with {}.\n\
             Another game: {game}. Outside: kaeshi --help, kaeshi play.",
            hello.to_ascii_uppercase(),
            others.join(", ")
        )
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
    use crate::protocol::go_words;

    #[test]
    fn the_clocks_of_each_dialect_are_known_in_all() {
        for vocabulary in THREE {
            let GoWords { times, increments, .. } = &vocabulary.go;
            for word in times.iter().chain(increments) {
                assert!(go_words::CLOCKS.contains(word), "{word}");
            }
        }
    }

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
    fn first_words_are_those_of_the_protocol() {
        for (words, known) in
            [(&USI, "usi usinewgame gameover"), (&UGI, "ugi uginewgame query"), (&UCI, "uci ucinewgame")]
        {
            for word in known.split(' ').chain(["position", "go", "ponderhit", "getoption"]) {
                assert!(words.command_word(word).is_some(), "{}: {word}", words.hello);
            }
        }
        assert_eq!(USI.command_word("ucinewgame"), Some(CommandWord::NewGame));
        for (words, unknown) in
            [(&USI, "query"), (&UCI, "query"), (&UCI, "gameover"), (&UCI, "usinewgame"), (&USI, "ugi")]
        {
            assert_eq!(words.command_word(unknown), None, "{}: {unknown}", words.hello);
        }
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
