//! Nothing that can be sent panics or hangs: more than a million random and mutated lines through
//! every parser, and a good number through whole sessions.

use crate::toy;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::game::Game;
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::session::{self, SessionSetup};
use kaeshi_engine::protocol::{Dialect, ProtocolCommand};
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;

const DIALECTS: [Dialect; 5] = [Dialect::Usi, Dialect::Ugi, Dialect::Uci, Dialect::NBoard, Dialect::Gtp];
const LINES_PER_DIALECT: u32 = 300_000;
const LINES_PER_SESSION: u32 = 5_000;
const LINES_PER_ENGINE: u32 = 400;

/// Lines as real clients send them, to be mutated.
const SEEDS: &[&str] = &[
    "usi",
    "ugi",
    "uci",
    "setoption name UCI_Variant value flipello",
    "position fen 8/8/8/3pP3/3Pp3/8/8/8[PPpp] w 0 1 moves P@d6 e4e4",
    "go wtime 1000 btime 1000 winc 10 searchmoves c3c4 P@e5",
    "isready",
    "usinewgame",
    "debug on",
    "usi , isready , go depth 1 , stop",
    "setoption name USI_Hash value 64",
    "setoption name BookFile value ",
    "setoption name LogFile value",
    "setoption name Game value other",
    "position startpos moves 7g7f 3c3d 8h2b+ S*5e",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b 2P3p 1 moves 7g7f",
    "position fen 19/19 w - 0 1 moves +d4,e5@k3 pass",
    "position startpos moves d3 c5",
    "go btime 60000 wtime 50000 byoyomi 10000",
    "go ponder btime 1 wtime 2 binc 3 winc 4",
    "go p1time 1 p2time 2 p1inc 3 p2inc 4",
    "go movetime 1",
    "go depth 256 nodes 18446744073709551615",
    "go infinite searchmoves 7g7f 2g2f",
    "go mate infinite",
    "go mate 5",
    "go ",
    "stop",
    "ponderhit",
    "ponderhit btime 900 wtime 1000",
    "gameover win",
    "query gameover",
    "query result",
    "d",
    "eval",
    "moves",
    "perft 2",
    "nboard 2",
    "set game (;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//2]W[F6];)",
    "set depth 6",
    "set contempt 0",
    "move F5/1.2/3",
    "hint 2",
    "ping 3",
    "learn",
    "analyze",
    "3 genmove b",
    "play white d3",
    "undo",
    "boardsize 8",
    "time_settings 300 25 5",
    "time_left b 1e9 4",
    "known_command play",
    "showboard",
    "12345678901234567890 name # comment",
];

/// Pieces that are put into lines: the odd cases of every number, blank and letter.
const SPLINTERS: &[&str] = &[
    " ",
    "\t",
    "\r",
    "\0",
    " , ",
    "-",
    "+",
    "*",
    "/",
    "[",
    "]",
    "#",
    "=",
    ";",
    "0",
    "-1",
    "255",
    "256",
    "65536",
    "4294967296",
    "18446744073709551616",
    "99999999999999999999999",
    "1e400",
    "nan",
    "inf",
    "\u{3000}",
    "\u{feff}",
    "\u{5c06}",
    "\u{1F600}",
    "value",
    "name",
    "moves",
    "value value",
    "mate -0",
    "none",
    "<empty>",
    "%s%n",
    "..",
];

/// The generator of Marsaglia, "Xorshift RNGs" (2003).
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// One of the texts, with a few injuries, or none.
    fn injured(&mut self, texts: &[&str]) -> String {
        let mut letters: Vec<char> = self.pick(texts).chars().collect();
        for _ in 0..self.below(3) {
            let at = self.below(letters.len() + 1);
            match self.below(4) {
                0 if at < letters.len() => drop(letters.remove(at)),
                1 => {
                    let from: Vec<char> = self.pick(texts).chars().collect();
                    letters.insert(at, from[self.below(from.len())]);
                }
                2 if at < letters.len() => letters[at] = char::from(self.next() as u8 & 127),
                3 => letters.splice(at..at, self.pick(SPLINTERS).chars().collect::<Vec<_>>()).for_each(drop),
                _ => {}
            }
        }
        letters.into_iter().collect()
    }

    /// One line: of pure noise, of the words of several seeds, or a seed with a few injuries.
    fn line(&mut self) -> String {
        let mut letters: Vec<char> = match self.below(8) {
            0 => (0..self.below(40)).map(|_| char::from(self.next() as u8)).collect(),
            1 => {
                let words = (0..self.below(8)).map(|_| {
                    let seed = self.pick(SEEDS);
                    let words: Vec<&str> = seed.split(' ').collect();
                    words[self.below(words.len())]
                });
                words.collect::<Vec<_>>().join(" ").chars().collect()
            }
            _ => self.pick(SEEDS).chars().collect(),
        };
        for _ in 0..self.below(4) {
            let at = self.below(letters.len() + 1);
            match self.below(4) {
                0 if at < letters.len() => drop(letters.remove(at)),
                1 => {
                    let splinter: Vec<char> = self.pick(SPLINTERS).chars().collect();
                    letters.splice(at..at, splinter);
                }
                2 => letters.truncate(at),
                _ if at < letters.len() => letters[at] = char::from(self.next() as u8 & 127),
                _ => {}
            }
        }
        letters.into_iter().collect()
    }
}

#[test]
fn a_million_lines_do_not_make_any_parser_panic() {
    let threads = DIALECTS.map(|dialect| {
        std::thread::spawn(move || {
            let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
            let games = dialect.games();
            let (mut speaker, now) = (dialect.speaker(games.first().unwrap_or(&"")), Instant::now());
            let (mut read, mut out) = (0, Vec::new());
            for _ in 0..LINES_PER_DIALECT {
                let line = random.line();
                match speaker.parse(&line, now) {
                    Ok(ProtocolCommand::Nothing) => {}
                    Ok(_) => read += 1,
                    Err(reason) => speaker.write(&EngineEvent::Message(reason.into()), &mut out).unwrap(),
                }
                out.clear();
                // A game that has grown by accident is not to slow everything down.
                if random.below(1_000) == 0 {
                    speaker = dialect.speaker(games.get(random.below(2)).unwrap_or(&""));
                }
            }
            read
        })
    });
    for thread in threads {
        let read = thread.join().expect("no panic");
        assert!(read > LINES_PER_DIALECT / 50, "the lines are too far from what is read: {read}");
    }
}

/// Counts the written bytes, and checks that they are lines of ASCII.
#[derive(Default)]
struct AsciiLineCounter(u64);

impl Write for AsciiLineCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')), "{bytes:?}");
        self.0 += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Random lines that a session can be expected to get through in a few seconds, ended by `quit`.
fn script(random: &mut Xorshift, lines: u32, left_out: &[&str]) -> Vec<u8> {
    let mut input = Vec::new();
    for _ in 0..lines {
        let line = random.line();
        let lower = line.to_lowercase();
        if !left_out.iter().any(|word| lower.contains(word)) {
            input.extend_from_slice(line.as_bytes());
            input.push(b'\n');
        }
    }
    input.extend_from_slice(b"stop\nquit\n");
    input
}

fn check_end(setup: SessionSetup, input: Vec<u8>) {
    let (begun, what) = (Instant::now(), format!("{:?} {}", setup.dialect, setup.game));
    session::run(io::Cursor::new(input), AsciiLineCounter::default(), setup).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60), "{what} took {:?}", begun.elapsed());
}

#[test]
fn random_sessions_end() {
    for dialect in DIALECTS {
        let setup = SessionSetup {
            factory: Box::new(toy::engine),
            games: &["toy", "reversi"],
            game: "toy".into(),
            game_is_chosen: false,
            defaults: Vec::new(),
            options: Vec::new(),
            dialect,
        };
        // A log may be asked for under any name, and `quit` would end everything.
        let mut random = Xorshift(0xD1B5_4A32_D192_ED03);
        check_end(setup, script(&mut random, LINES_PER_SESSION, &["logfile", "quit"]));
    }
}

#[test]
fn random_sessions_with_real_engines_end() {
    // Commands that may take long: counting, large tables, answers that are waited for.
    let slow = ["logfile", "quit", "perft", "bench", "hash", "threads", "genmove", "analyze"];
    let mut random = Xorshift(0x2545_F491_4F6C_DD1D);
    for game in GameName::ALL {
        for dialect in DIALECTS {
            if !dialect.games().is_empty() && !dialect.games().contains(&game.name()) {
                continue;
            }
            let setup = SessionSetup {
                factory: Box::new(|name, events| Some(GameName::parse(name)?.engine(events))),
                games: GameName::NAMES,
                game: game.name().into(),
                game_is_chosen: false,
                defaults: Vec::new(),
                options: vec![("Hash".into(), "1".into())],
                dialect,
            };
            check_end(setup, script(&mut random, LINES_PER_ENGINE, &slow));
        }
    }
}

/// Positions and turns of all games, to be mutated.
const BOARDS: &[&str] = &[
    "startpos",
    "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "sfen 8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "fen ---------------------------OX------XO--------------------------- X",
    "fen 8/8/8/3OX3/3XO3/8/8/8 O",
    "fen 5/5/1w1w1/5/2b2 w g 0 5",
    "fen 3ww3/1w1bw3/1wbbw3/1wwbw3/1wbww3/1wbbw3/1wb1w3/1ww5 w g 0 30",
    "fen 5/5/2w2/5/b4 b - 1 3",
];
const TURNS: &[&str] = &[
    "7g7f",
    "8h2b+",
    "P*5e",
    "G*1a",
    "5a5b",
    "d3",
    "c4",
    "f5",
    "pass",
    "c3",
    "+c3",
    "+b4,d4",
    "+d4,e5@k3",
    "a1",
    "+a2,d1",
    "e6",
    "resign",
    "win",
    "0000",
];
const BOARDS_PER_GAME: u32 = 40_000;

/// Reads positions and turns, writes them, and reads them again as the same.
fn read_and_write<G: Game>() -> u32 {
    let game = G::load(&G::Settings::default()).unwrap();
    let mut random = Xorshift(0x9E37_79B9_7F4A_7C15);
    let mut read = 0;
    for _ in 0..BOARDS_PER_GAME {
        let text = random.injured(BOARDS);
        let Ok(mut position) = game.parse_position(&text) else { continue };
        for _ in 0..8 {
            let text = random.injured(TURNS);
            let Ok(turn) = game.parse_turn(&position, &text) else { continue };
            let written = game.format_turn(&position, &turn);
            assert!(game.parse_turn(&position, &written) == Ok(turn.clone()), "{text} became {written}");
            if game.outcome(&position).is_none() {
                game.play(&mut position, &turn);
                read += 1;
            }
        }
        let written = game.format_position(&position);
        let again = game.parse_position(&written).unwrap_or_else(|reason| panic!("{written}: {reason}"));
        assert_eq!(game.format_position(&again), written);
    }
    read
}

#[test]
fn what_the_parsers_of_the_games_read_is_written_and_read_again() {
    for (name, read) in [
        ("shogi", read_and_write::<Shogi>()),
        ("reversi", read_and_write::<Reversi>()),
        ("sygo", read_and_write::<Sygo>()),
    ] {
        assert!(read > BOARDS_PER_GAME / 100, "{name}: only {read} turns were legal");
    }
}
