//! Every `go` on an accepted position is answered exactly once, whatever its form: all odd forms, in three protocols
//! and three games.

use crate::toy;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::{self, SessionSetup};

use toy::Pipe;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Forms that end by themselves. `{1}` and `{2}` are the clocks of the two sides, `{+1}` and `{+2}` their increments.
const BOUNDED: [&str; 40] = [
    "movetime 0",
    "movetime -1",
    "movetime +5",
    "movetime 20.7",
    "movetime 5.",
    "movetime .5",
    "movetime 5 movetime 6",
    "movetime 5 frob 7",
    "byoyomi -1",
    "byoyomi 20.9",
    "byoyomi 0",
    "{1} -250 {2} -250",
    "{1} 30.5 {2} 30.5",
    "{1} 0 {2} 0",
    "{1} 0 {2} 0 byoyomi -1",
    "{1} 0 {2} 0 byoyomi x",
    "{1} x {2} 5",
    "{1} 20 {2} 20 {+1} -1 {+2} -1",
    "{1} 20 {2} 20 {+1} 0.5 {+2}",
    "{1} 20 {1} 20 {2} 20",
    "{1} 20 {2} 20 movestogo x",
    "{1} 20 {2} 20 movestogo 0",
    "{2} 20",
    "depth 0",
    "depth -3",
    "depth 1.9",
    "depth 1 depth 1",
    "depth 1 nodes",
    "depth 1 byoyomi",
    "depth 1 {1} x",
    "depth 1 searchmoves",
    "depth 1 searchmoves nonsense",
    "searchmoves depth 1",
    "nodes 0",
    "nodes -1",
    "nodes 1.5",
    "nodes 1 movetime x",
    "rtime -1",
    "rtime 5.5",
    "mate 0 depth 1",
];

/// Forms without a limit, or with one that is too large or means nothing: `stop` ends them.
const STOPPED: [&str; 27] = [
    "",
    "infinite",
    "infinite depth x",
    "infinite movetime -1",
    "ponder",
    "ponder byoyomi x",
    "ponder movetime -1",
    "searchmoves",
    "movestogo x",
    "depth",
    "depth x",
    "depth 99999999999999999999",
    "nodes",
    "nodes 1e3",
    "nodes 99999999999999999999",
    "movetime",
    "movetime nan",
    "movetime --5",
    "movetime 99999999999999999999",
    "byoyomi",
    "rtime x",
    "{1}",
    "{1} {2} {+1} {+2}",
    "{1} 99999999999999999999 {2} 99999999999999999999",
    "mate",
    "mate soon",
    "mate infinite",
];

/// Hands each line that is written to the test.
struct LineForwarder(Sender<String>);

impl Write for LineForwarder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            let _ = self.0.send(line.to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session with a real engine.
struct GoSession {
    input: Pipe,
    output: Receiver<String>,
    name: String,
}

impl GoSession {
    fn start(game: GameName, dialect: Dialect) -> GoSession {
        let (input, reader) = Pipe::new();
        let (sender, output) = channel();
        let mut options = vec![("Hash".to_owned(), "1".to_owned())];
        if game == GameName::Sygo {
            options.push(("BoardSize".to_owned(), "5".to_owned()));
        }
        let setup = SessionSetup {
            factory: Box::new(|name, events| Some(GameName::parse(name)?.engine(events))),
            games: GameName::NAMES,
            game: game.name().into(),
            game_is_chosen: true,
            defaults: Vec::new(),
            options,
            dialect,
        };
        thread::spawn(move || session::run(reader, LineForwarder(sender), setup));
        let mut session = GoSession { input, output, name: format!("{} {}", game.name(), dialect.word()) };
        session.send(dialect.word());
        session.until(&format!("{}ok", dialect.word()));
        session
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The answers before this line.
    fn until(&self, last: &str) -> usize {
        let mut answers = 0;
        loop {
            let line = self.output.recv_timeout(ANSWER_TIMEOUT);
            let line = line.unwrap_or_else(|_| panic!("{}: no '{last}'", self.name));
            if line == last {
                return answers;
            }
            answers += usize::from(is_answer(&line));
        }
    }

    /// Sends `go`, and `stop` if nothing else ends it, and sees that one answer comes.
    fn check(&mut self, form: &str, stop: bool) {
        let go = format!("go {form}");
        self.send("position startpos");
        self.send(&go);
        if stop {
            thread::sleep(Duration::from_millis(5));
            self.send("stop");
        }
        loop {
            let line = self.output.recv_timeout(ANSWER_TIMEOUT);
            let line = line.unwrap_or_else(|_| panic!("{}: '{go}' is not answered", self.name));
            if is_answer(&line) {
                break;
            }
        }
        self.send("stop");
        self.send("isready");
        assert_eq!(self.until("readyok"), 0, "{}: '{go}' is answered twice", self.name);
    }
}

fn is_answer(line: &str) -> bool {
    line.starts_with("bestmove ") || line.starts_with("checkmate ")
}

/// The words of the dialects for clocks and increments.
fn clocks(dialect: Dialect) -> [&'static str; 4] {
    match dialect {
        Dialect::Usi => ["btime", "wtime", "binc", "winc"],
        Dialect::Uci => ["wtime", "btime", "winc", "binc"],
        _ => ["p1time", "p2time", "p1inc", "p2inc"],
    }
}

#[test]
fn every_form_of_go_is_answered_exactly_once() {
    for game in GameName::ALL {
        thread::scope(|scope| {
            for dialect in [Dialect::Usi, Dialect::Ugi, Dialect::Uci] {
                scope.spawn(move || {
                    let mut session = GoSession::start(game, dialect);
                    let words = ["{1}", "{2}", "{+1}", "{+2}"].into_iter().zip(clocks(dialect));
                    let in_dialect = |form: &str| {
                        words.clone().fold(form.to_owned(), |form, (mark, word)| form.replace(mark, word))
                    };
                    BOUNDED.iter().for_each(|form| session.check(&in_dialect(form), false));
                    STOPPED.iter().for_each(|form| session.check(&in_dialect(form), true));
                });
            }
        });
    }
}

/// An endless search would lose on time what the GUI meant to limit.
#[test]
fn a_limit_that_cannot_be_understood_ends_by_itself() {
    let mut session = GoSession::start(GameName::Reversi, Dialect::Ugi);
    for form in ["movetime", "byoyomi x", "p1time p2time", "depth x"] {
        session.check(form, false);
    }
}

#[test]
fn a_ponderhit_that_cannot_be_understood_starts_the_clock_of_the_go() {
    let mut session = GoSession::start(GameName::Shogi, Dialect::Usi);
    for hit in
        ["ponderhit btime x wtime", "ponderhit btime -1", "ponderhit btime 20.5 wtime 20.5", "ponderhit 7"]
    {
        session.send("position startpos");
        session.send("go ponder btime 30 wtime 30");
        session.send(hit);
        session.send("isready");
        let early = session.until("readyok");
        let late = if early == 0 {
            let answer = session.output.iter().find(|line| is_answer(line));
            usize::from(answer.is_some())
        } else {
            0
        };
        assert_eq!(early + late, 1, "{hit}");
    }
}
