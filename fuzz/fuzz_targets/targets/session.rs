//! Whole sessions with searches: the first byte chooses game and dialect, the rest is what comes in.

use std::io::{self, Cursor, Write};

use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::{self, SessionSetup};

/// Options and words that would write files, read devices, take much memory or lift the limit of nodes. A word
/// that ends the session early is of no use.
const LEFT_OUT: [&str; 11] =
    ["log", "file", "dir", "hash", "thread", "nodeslimit", "perft", "bench", "quit", "exit", "rtime"];
/// Nodes of each search, and the size of a board of Sygo that no option sets: large ones are slow.
const SMALL: [(&str, &str); 3] = [("Hash", "1"), ("NodesLimit", "20"), ("BoardSize", "5")];

/// Whether a session may be given this line.
pub fn is_harmless(line: &str) -> bool {
    let lower = line.to_lowercase();
    !LEFT_OUT.iter().any(|word| lower.contains(word))
}

/// Takes lines of ASCII alone.
struct AsciiOnly;

impl Write for AsciiOnly {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{bytes:?}");
        assert!(!bytes.windows(14).any(|window| window == b"internal error"), "the search panicked");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn run(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let (game, dialect) = [
        (GameName::Shogi, Dialect::Usi),
        (GameName::Reversi, Dialect::Ugi),
        (GameName::Sygo, Dialect::Ugi),
        (GameName::Reversi, Dialect::NBoard),
        (GameName::Reversi, Dialect::Gtp),
        (GameName::Shogi, Dialect::Ugi),
        (GameName::Sygo, Dialect::Usi),
        (GameName::Shogi, Dialect::Uci),
        (GameName::Reversi, Dialect::Uci),
    ][usize::from(choice) % 9];
    let mut input: Vec<u8> = Vec::new();
    for line in String::from_utf8_lossy(rest).lines().filter(|line| is_harmless(line)) {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"stop\nquit\n");
    let options = SMALL.iter().filter(|(name, _)| *name != "BoardSize" || game == GameName::Sygo);
    let setup = SessionSetup {
        factory: Box::new(|name, events| Some(GameName::parse(name)?.engine(events))),
        games: GameName::NAMES,
        game: game.name().into(),
        game_is_chosen: false,
        defaults: Vec::new(),
        options: options.map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        dialect,
    };
    session::run(Cursor::new(input), AsciiOnly, setup).expect("the session ends");
}
