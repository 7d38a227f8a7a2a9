//! Sessions without threads and files, as hosts of the WebAssembly build drive them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::SessionSetup;
use kaeshi_engine::protocol::session::polled::PolledSession;

/// No answer takes so long.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

struct Host {
    session: PolledSession,
    /// Lines that were printed and not looked at yet.
    printed: VecDeque<String>,
    polls: usize,
}

impl Host {
    fn new(game: GameName) -> Host {
        let mut options = vec![("Hash".to_owned(), "1".to_owned())];
        if game == GameName::Sygo {
            options.push(("BoardSize".to_owned(), "5".to_owned()));
        }
        let setup = SessionSetup {
            factory: Box::new(|name, events| Some(GameName::parse(name)?.engine_in_slices(events))),
            games: GameName::NAMES,
            game: game.name().into(),
            game_is_chosen: true,
            defaults: Vec::new(),
            options,
            dialect: Dialect::usual(game.name()),
        };
        Host { session: PolledSession::new(setup).unwrap(), printed: VecDeque::new(), polls: 0 }
    }

    /// Posts a line. Returns the immediate output.
    fn post(&mut self, line: &str) -> String {
        self.session.post(line.as_bytes());
        let output = String::from_utf8(self.session.take_output()).unwrap();
        self.printed.extend(output.lines().map(str::to_owned));
        output
    }

    fn poll(&mut self) -> bool {
        self.polls += 1;
        let searching = self.session.poll();
        let output = String::from_utf8(self.session.take_output()).unwrap();
        self.printed.extend(output.lines().map(str::to_owned));
        searching
    }

    /// Polls until a line begins with this word, and returns that line.
    fn until(&mut self, word: &str) -> String {
        let begun = Instant::now();
        loop {
            while let Some(line) = self.printed.pop_front() {
                if line.starts_with(word) {
                    return line;
                }
            }
            self.poll();
            assert!(begun.elapsed() < ANSWER_TIMEOUT, "no {word}");
        }
    }
}

#[test]
fn each_game_is_searched_in_slices_and_answers_in_time() {
    for game in [GameName::Shogi, GameName::Reversi, GameName::Sygo] {
        let mut host = Host::new(game);
        let hello = Dialect::usual(game.name()).word();
        assert!(host.post(hello).ends_with(&format!("{hello}ok\n")), "{}", game.name());
        assert_eq!(host.post("isready"), "readyok\n");
        host.post("position startpos");
        let begun = Instant::now();
        assert_eq!(host.post("go movetime 300"), "");
        host.until("bestmove ");
        assert!(begun.elapsed() > Duration::from_millis(150), "{}", game.name());
        assert!(host.polls > 3, "{}: {} polls", game.name(), host.polls);
        host.post("go infinite");
        for _ in 0..8 {
            host.poll();
        }
        assert!(host.printed.iter().all(|line| line.starts_with("info ")), "{:?}", host.printed);
        host.post("stop");
        host.poll();
        host.until("bestmove ");
        assert!(host.printed.is_empty(), "one answer, in the first slice after stop");
    }
}

#[test]
fn slices_reach_the_depth_that_is_asked_for() {
    let mut host = Host::new(GameName::Shogi);
    host.post("position startpos moves 7g7f 3c3d");
    host.post("go depth 13");
    assert!(host.until("info depth 13 ").contains(" pv "));
    host.until("bestmove ");
    assert!(host.polls > 1);
}

#[test]
fn a_mate_is_found_over_several_slices() {
    let mut host = Host::new(GameName::Shogi);
    host.post("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
    host.post("go mate infinite");
    assert_eq!(host.until("checkmate "), "checkmate G*5b");
    // Too much for several slices.
    host.post(&format!("position sfen {}", microcosmos()));
    host.polls = 0;
    host.post("go mate 400");
    assert_eq!(host.until("checkmate "), "checkmate timeout");
    assert!(host.polls > 1);
    // Another search is not the rest of this one.
    host.post("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
    host.post("go mate infinite");
    assert_eq!(host.until("checkmate "), "checkmate G*5b");
}

/// A mate in 1,525 plies.
fn microcosmos() -> &'static str {
    let problems = include_str!("../../../tests/data/tsume.sfen").lines();
    let mut fields = problems
        .map(|line| line.split('|').map(str::trim))
        .filter_map(|mut fields| (fields.next()? == "microcosmos").then(|| fields.nth(1))?);
    fields.next().unwrap()
}

#[test]
fn nothing_is_printed_after_quit() {
    let mut host = Host::new(GameName::Reversi);
    host.post("go infinite");
    host.poll();
    assert_eq!(host.post("quit\nisready\n"), "");
    assert!(!host.session.poll());
    assert_eq!(host.post("isready"), "");
}

#[test]
fn options_that_name_files_are_not_announced_and_refused() {
    let mut host = Host::new(GameName::Shogi);
    let hello = host.post("usi");
    assert!(hello.contains("option name USI_Hash ") && !hello.contains("type filename"), "{hello}");
    assert!(!hello.contains("LogFile") && !hello.contains("WriteDebugLog"), "{hello}");
    for name in ["LogFile", "WriteDebugLog", "EvalFile", "StoreFile"] {
        let refused = host.post(&format!("setoption name {name} value io_log.txt"));
        assert_eq!(refused, format!("info string option {name}: there are no files here\n"));
    }
}

#[test]
fn output_that_is_not_taken_stops_the_session() {
    let mut host = Host::new(GameName::Shogi);
    for _ in 0..100_000 {
        host.session.post(b"usi\n");
    }
    let length = host.session.take_output().len();
    assert!((1 << 20..2 << 20).contains(&length), "{length} bytes");
    assert_eq!(host.post("isready"), "readyok\n");
}
