//! The loop over streams, driven with a toy engine: nothing here knows a real game.

use crate::toy;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kaeshi_engine::protocol::Dialect;
use kaeshi_engine::protocol::session::{self, SessionSetup};

use toy::Pipe;

/// Where a session writes; read back when it has ended.
#[derive(Clone, Default)]
struct SharedOutput(Arc<Mutex<Vec<u8>>>);

impl SharedOutput {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Returns when this has been written; panics after 20 seconds.
    fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.text().contains(text) {
            assert!(begun.elapsed() < Duration::from_secs(20), "no {text:?} in {:?}", self.text());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn setup() -> SessionSetup {
    SessionSetup {
        factory: Box::new(toy::engine),
        games: &["toy", "other"],
        game: "toy".into(),
        game_is_chosen: false,
        defaults: Vec::new(),
        options: Vec::new(),
        dialect: Dialect::Usi,
    }
}

/// All answers of a session to `input`, which ends there.
fn answers(input: impl Into<Vec<u8>>) -> Vec<String> {
    let output = SharedOutput::default();
    session::run(io::Cursor::new(input.into()), output.clone(), setup()).unwrap();
    output.text().lines().map(str::to_string).collect()
}

#[test]
fn before_any_hello_the_protocol_is_usi() {
    assert_eq!(answers("isready\nposition startpos\ngo depth 3\n"), ["readyok", "bestmove a1 ponder a2"]);
}

#[test]
fn the_first_word_picks_the_dialect_and_each_hello_is_answered_in_its_own() {
    let printed = answers("usi\nugi\nusi\nugi\nposition startpos\ngo depth 1\n");
    let oks: Vec<&str> = printed
        .iter()
        .map(String::as_str)
        .filter(|line| ["usiok", "ugiok", "bestmove a1"].contains(line))
        .collect();
    assert_eq!(oks, ["usiok", "ugiok", "usiok", "ugiok", "bestmove a1"]);
    assert!(printed.contains(&"option name USI_Hash type spin default 16 min 1 max 64".to_string()));
    assert!(printed.contains(&"option name Hash type spin default 16 min 1 max 64".to_string()));
    assert!(printed.contains(&"option name Game type combo default toy var toy var other".to_string()));
}

#[test]
fn the_end_of_input_finishes_bounded_work_and_stops_endless_work() {
    assert_eq!(answers("go movetime 60"), ["bestmove a1 ponder a2"]);
    assert_eq!(answers("go infinite"), ["bestmove a1 ponder a2"]);
}

#[test]
fn commands_are_served_while_a_search_runs() {
    let printed = answers("go infinite\nisready\nstop\nstop\n");
    assert_eq!(printed, ["readyok", "bestmove a1 ponder a2"]);
}

#[test]
fn quit_stops_a_search_and_reads_no_further() {
    let (mut input, reader) = Pipe::new();
    let output = SharedOutput::default();
    input.write_all(b"go infinite\nquit\nisready\n").unwrap();
    let begun = Instant::now();
    session::run(reader, output.clone(), setup()).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(output.text(), "bestmove a1 ponder a2\n");
    drop(input);
}

#[test]
fn a_refused_position_is_reported_with_the_reason() {
    let printed = answers("position startpos moves a1 zz\n");
    assert_eq!(printed, ["info string move 2 'zz' is not legal"]);
}

/// The parent process sees it by the exit status; a GUI is not left waiting for an answer.
#[test]
fn a_panic_of_the_session_is_an_error() {
    let (input, output) = (io::Cursor::new("position panic\nisready\n"), SharedOutput::default());
    let error = session::run(input, output, setup()).unwrap_err();
    assert!(error.reason().contains("internal error"), "{error}");
}

/// A large table is not given back in a moment, and a busy machine is slow.
#[test]
fn an_end_that_takes_long_is_no_error() {
    assert_eq!(answers("position lingering\nisready\nquit\n"), ["readyok"]);
}

#[test]
fn defaults_of_a_file_are_shown_and_hold_until_they_are_changed() {
    let text = "# of a person\noption name USI_Hash type spin default 32 min 1 max 64\nNonsense 3\n";
    let defaults = session::read_defaults(text);
    assert_eq!(defaults[0], ("Hash".to_string(), "32".to_string()));
    for line in ["setoption name Hash value 8", "Hash 8", "option name Hash type spin default 8 min 1 max 9"]
    {
        assert_eq!(session::read_defaults(line), [("Hash".to_string(), "8".to_string())], "{line}");
    }
    let output = SharedOutput::default();
    let input = "usi\ngetoption USI_Hash\nd\nsetoption name Hash value 16\ngetoption Hash\ngetoption Hush\n";
    session::run(io::Cursor::new(input), output.clone(), SessionSetup { defaults, ..setup() }).unwrap();
    let printed = output.text();
    assert!(printed.starts_with("info string engine_options.txt: option Nonsense"), "{printed}");
    assert!(printed.contains("option name USI_Hash type spin default 32 min 1 max 64"), "{printed}");
    let last: Vec<&str> = printed.lines().skip_while(|line| *line != "usiok").skip(1).collect();
    let wanted = ["Options[USI_Hash] == 32", "toy with 32", "Options[USI_Hash] == 16"];
    assert_eq!(last[..3], wanted);
    assert_eq!(last[3], "info string No such option: Hush");
}

#[test]
fn unknown_words_get_one_remark_and_everything_goes_on() {
    let printed = answers("xyzzy\n\nsetoption name Nonsense value 3\nperft x\nisready\n");
    assert_eq!(printed.len(), 4, "{printed:?}");
    assert!(printed[..3].iter().all(|line| line.starts_with("info string ")));
    assert_eq!(printed[3], "readyok");
}

#[test]
fn output_is_ascii_whatever_came_in() {
    let printed = answers("将棋\nposition 将\u{7}棋\nisready\n".as_bytes());
    assert_eq!(printed.last().unwrap(), "readyok");
    assert!(printed.iter().all(|line| line.bytes().all(|byte| (b' '..=b'~').contains(&byte))), "{printed:?}");
}

#[test]
fn a_line_beyond_all_bounds_is_skipped() {
    let mut input = vec![b'a'; 3 << 20];
    input.extend_from_slice(b"\nisready\n");
    let printed = answers(input);
    assert_eq!(printed.len(), 2, "{printed:?}");
    assert!(printed[0].starts_with("info string a line of more than"));
}

#[test]
fn the_game_can_be_chosen_and_keeps_the_options() {
    let printed = answers(
        "ugi\nsetoption name Hash value 32\nsetoption name Game value Other\nugi\nsetoption name Game value go\nd\n",
    );
    assert!(printed.contains(&"option name Game type combo default other var toy var other".to_string()));
    assert!(
        printed.contains(&"info string option Game: 'go' is not one of: toy other".to_string()),
        "{printed:?}"
    );
    assert_eq!(printed.last().unwrap(), "other with 32");
}

#[test]
fn a_chosen_game_is_not_changed_by_a_protocol() {
    let said = |input: &str, game: &str| {
        let output = SharedOutput::default();
        let setup = SessionSetup { game: game.into(), game_is_chosen: true, ..setup() };
        session::run(io::Cursor::new(input.to_owned()), output.clone(), setup).unwrap();
        output.text()
    };
    let gtp = said("3 protocol_version\n4 genmove b\nlist_commands\n5 frob\n6 quit\n", "other");
    assert!(gtp.starts_with("=3 2\n\n?4 the game is other, and GTP is for Reversi and Sygo only"), "{gtp}");
    assert!(gtp.contains("list_commands\nquit\n\n?5 unknown command\n\n=6\n\n"), "{gtp}");
    assert!(!gtp.contains("play\n"), "{gtp}");
    assert_eq!(said("name\nplay b d3\n", "reversi"), "= Kaeshi\n\n=\n\n");
    let refused = "status the game is other, and NBoard is for Reversi only: speak USI or UGI\n";
    assert_eq!(said("nboard 2\nd\n", "other"), refused.repeat(2));
    // Otherwise the only game of the protocol is played.
    assert_eq!(answers("nboard 2\n").first().unwrap(), "set myname Kaeshi");
}

#[test]
fn options_of_the_setup_hold_and_bad_ones_are_errors() {
    let with =
        |name: &str, value: &str| SessionSetup { options: vec![(name.into(), value.into())], ..setup() };
    let output = SharedOutput::default();
    session::run(io::Cursor::new("d\n"), output.clone(), with("Hash", "8")).unwrap();
    assert_eq!(output.text(), "toy with 8\n");
    assert!(session::run(io::empty(), SharedOutput::default(), with("Hash", "many")).is_err());
    assert!(
        session::run(io::empty(), SharedOutput::default(), SessionSetup { game: "go".into(), ..setup() })
            .is_err()
    );
}

#[test]
fn a_chain_is_carried_out_in_order() {
    let printed = answers("usi , isready , go depth 2");
    assert!(printed[0].starts_with("id name"));
    assert_eq!(printed[printed.len() - 2..], ["readyok", "bestmove a1 ponder a2"]);
}

#[test]
fn the_log_holds_both_directions_from_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.txt");
    answers(format!("isready\nsetoption name LogFile value {}\ngo depth 1\n", path.display()));
    let log = std::fs::read_to_string(&path).unwrap();
    let said: Vec<&str> =
        log.lines().filter_map(|line| line.split_once("Z ")).map(|(_, said)| said).collect();
    assert!(said[0] == "> isready" && said.contains(&"< readyok"), "{said:?}");
    assert!(said.contains(&"> go depth 1"), "{said:?}");
    assert_eq!(said.last(), Some(&"< bestmove a1 ponder a2"));
    let other = folder.path().join("other.txt");
    answers(format!("setoption name WriteDebugLog value {}\nisready\n", other.display()));
    assert!(std::fs::read_to_string(&other).unwrap().contains("< readyok"));
    let printed = answers("setoption name LogFile value /no/such/folder/x/y\n");
    assert!(printed[0].starts_with("info string option LogFile: cannot write"), "{printed:?}");
}

/// Takes one line and then fails, as a pipe does whose reader has gone.
struct BrokenPipe(usize);

impl Write for BrokenPipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.0 -= 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pipe_ends_the_session_quietly_even_in_an_endless_search() {
    let (mut input, reader) = Pipe::new();
    input.write_all(b"go infinite\nisready\nisready\n").unwrap();
    let begun = Instant::now();
    session::run(reader, BrokenPipe(1), setup()).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    drop(input);
}

#[test]
fn pondering_is_answered_by_ponderhit_only() {
    let (mut input, reader) = Pipe::new();
    let output = SharedOutput::default();
    let session = std::thread::spawn({
        let output = output.clone();
        move || session::run(reader, output, setup())
    });
    input.write_all(b"go ponder btime 1000 wtime 1000\nisready\n").unwrap();
    output.wait_for("readyok\n");
    std::thread::sleep(Duration::from_millis(80));
    assert_eq!(output.text(), "readyok\n");
    input.write_all(b"ponderhit btime 900 wtime 1000\n").unwrap();
    output.wait_for("bestmove a1 ponder a2\n");
    assert_eq!(output.text(), "readyok\nbestmove a1 ponder a2\n");
    drop(input);
    session.join().unwrap().unwrap();
}

/// Without a reader the first write never returns.
struct Unread;

impl Write for Unread {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        loop {
            std::thread::park();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn quit_is_obeyed_though_nobody_reads() {
    for input in ["usi\nquit\n", "usi\ngo infinite\nquit\n", "usi\n"] {
        let begun = Instant::now();
        session::run(io::Cursor::new(input), Unread, setup()).unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "{input:?} took {:?}", begun.elapsed());
    }
}

/// As much as a client may send before it looks at an answer, in each protocol.
#[test]
fn quit_and_the_end_are_obeyed_behind_any_backlog_that_nobody_reads() {
    const FLOODS: [(Dialect, &str, usize); 9] = [
        (Dialect::Usi, "usi", 22_000),
        (Dialect::Usi, "isready", 20_000),
        (Dialect::Usi, "d", 5_000),
        // More than may wait.
        (Dialect::Usi, "isready", 600_000),
        (Dialect::Ugi, "ugi", 22_000),
        (Dialect::Uci, "uci", 22_000),
        (Dialect::Uci, "position startpos moves", 20_000),
        (Dialect::NBoard, "ping 1", 20_000),
        (Dialect::Gtp, "name", 20_000),
    ];
    std::thread::scope(|scope| {
        for (dialect, line, lines) in FLOODS {
            for end in ["quit\n", "7 quit\n", ""] {
                scope.spawn(move || {
                    let input = format!("{line}\n").repeat(lines) + end;
                    let game = (*dialect.games().first().unwrap_or(&"toy")).into();
                    let begun = Instant::now();
                    session::run(io::Cursor::new(input), Unread, SessionSetup { game, dialect, ..setup() })
                        .unwrap();
                    let took = begun.elapsed();
                    assert!(took < Duration::from_secs(15), "{dialect:?} {line} {end:?} took {took:?}");
                });
            }
        }
    });
}

/// A writer that accepts its first bytes after a while.
struct Late(SharedOutput, Duration);

impl Write for Late {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        std::thread::sleep(std::mem::take(&mut self.1));
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn who_reads_late_hears_how_many_lines_are_lost() {
    let (mut input, reader) = Pipe::new();
    let output = SharedOutput::default();
    let late = Late(output.clone(), Duration::from_secs(6));
    let session = std::thread::spawn(move || session::run(reader, late, setup()));
    input.write_all(&b"isready\n".repeat(500_000)).unwrap();
    // The answer to what comes when there is room again.
    while !output.text().contains("readyok") {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_secs(1));
    input.write_all(b"isready\nd\nquit\n").unwrap();
    session.join().unwrap().unwrap();
    let text = output.text();
    assert!(
        text.contains(" lines are lost: too many came while the output was not read\n"),
        "{}",
        text.len()
    );
    assert!(text.ends_with("readyok\ntoy with 16\n"), "{}", &text[text.len().saturating_sub(200)..]);
}

#[test]
fn a_long_refusal_is_not_printed_back() {
    let long = "x".repeat(1_000_000);
    for line in [
        format!("setoption name {long} value 1"),
        format!("position startpos moves {long}"),
        format!("go depth 1 searchmoves {long}"),
        format!("setoption name USI_Hash value {long}"),
    ] {
        let printed: usize = answers(format!("{line}\nquit\n")).iter().map(String::len).sum();
        assert!((1..3000).contains(&printed), "{}: {printed} bytes", &line[..30]);
    }
}
