//! An engine for tests: plays legal moves at once, chosen by the position alone, and misbehaves as
//! its mode says. It is this very test binary, started again with `mock_engine mode:…`.

use std::io::{BufRead, Write};
use std::time::Duration;

use kaeshi_records::referee::{RefereeBoard, RefereeRules, rules_by_name};

/// At which of its moves a mode acts.
const ACTS_AT: u32 = 3;

/// The arguments of `kaeshi match` for an engine of this name that plays in `mode`: `reversi:good`. `more` are further
/// settings of the engine, such as `nodes=1`.
pub fn arguments(name: &str, mode: &str, more: &[&str]) -> Vec<String> {
    let program = std::env::current_exe().expect("this test");
    let mut words = vec![
        "--engine".to_owned(),
        format!("name={name}"),
        format!("cmd={}", program.display()),
        "args=mock_engine --exact --nocapture --test-threads=1".to_owned(),
        format!("arg=mode:{mode}"),
    ];
    words.extend(more.iter().map(|word| (*word).to_owned()));
    words
}

/// A further argument that distinguishes the engines of this process from those of other tests' processes.
pub fn token() -> String {
    format!("arg=token-{}", std::process::id())
}

/// The words after `mode:` on the command line, if this process is an engine: game and mode.
pub fn role() -> Option<(String, String)> {
    let word = std::env::args().find_map(|word| word.strip_prefix("mode:").map(String::from))?;
    let (game, mode) = word.split_once(':').expect("mode:GAME:MODE");
    Some((game.to_owned(), mode.to_owned()))
}

struct MockEngine {
    rules: std::sync::Arc<dyn RefereeRules>,
    mode: String,
    position: String,
    board: Box<dyn RefereeBoard>,
    /// Turns of GTP and NBoard, which send them one by one.
    turns: Vec<String>,
    moves: u32,
    readies: u32,
    games: u32,
    refused: bool,
}

/// Speaks until the input ends.
pub fn run(game: &str, mode: &str) -> ! {
    let rules = rules_by_name(game).expect("a game");
    let board = rules.board(None).expect("a start");
    let mut engine = MockEngine {
        rules,
        mode: mode.to_owned(),
        position: String::new(),
        board,
        turns: Vec::new(),
        moves: 0,
        readies: 0,
        games: 0,
        refused: false,
    };
    // The test harness has begun a line.
    say("");
    if engine.is("banner") {
        say("Welcome to an engine that cannot be quiet");
        say("usiok? not yet");
    }
    if engine.is("exits-at-once") {
        eprintln!("error while loading shared libraries: libnothing.so");
        std::process::exit(127);
    }
    #[cfg(windows)]
    match mode {
        "daemon" => leave_children(&["sleeps", "leaves"]),
        "leaves" => leave_children(&["sleeps"]),
        "sleeps" => sleep(1000.0),
        _ => {}
    }
    #[cfg(unix)]
    if engine.is("daemon") {
        leave_children();
    }
    let stdin = std::io::stdin();
    for line in stdin.lock().lines() {
        let Ok(line) = line else { break };
        engine.handle_line(line.trim());
    }
    if engine.is("daemon") {
        sleep(1000.0);
    }
    std::process::exit(0);
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

fn say_bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes);
    let _ = out.flush();
}

fn sleep(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

/// Starts this program again: as an engine that never ends, and as one that starts such an engine before it ends.
#[cfg(windows)]
fn leave_children(modes: &[&str]) {
    for mode in modes {
        let word =
            |word: String| if word.starts_with("mode:") { format!("mode:reversi:{mode}") } else { word };
        let program = std::env::current_exe().expect("this test");
        let _ = std::process::Command::new(program).args(std::env::args().skip(1).map(word)).spawn();
    }
}

/// Starts a child of the same group and one in a separate session, and ignores SIGTERM.
#[cfg(unix)]
fn leave_children() {
    let token = std::env::args().find_map(|word| word.strip_prefix("token-").map(String::from));
    let span = format!("1000.{}", token.expect("a token"));
    // In its own group, in a separate session, without the environment, a tree of shells with orphans,
    // and one that goes on growing.
    let tree =
        format!("for i in 1 2 3; do (setsid sh -c 'sleep {span} & sleep {span}' &) ; done; sleep {span}");
    let growing = format!("while :; do (env -i setsid sleep {span} &) ; sleep 0.05; done # {span}");
    for program in [
        &["sleep", &span][..],
        &["setsid", "sleep", &span][..],
        &["env", "-i", "setsid", "sleep", &span][..],
        &["env", "-i", "setsid", "sh", "-c", &tree][..],
        &["env", "-i", "setsid", "sh", "-c", &growing][..],
    ] {
        let _ = std::process::Command::new(program[0]).args(&program[1..]).spawn();
    }
    // SAFETY: ignoring a signal touches no memory.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
}

impl MockEngine {
    fn is(&self, mode: &str) -> bool {
        self.mode == mode
    }

    fn handle_line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            // It is mute in every protocol, as the runner asks in all of them.
            "quit" if self.is("mute") => std::process::exit(0),
            _ if self.is("mute") => {}
            "usi" | "ugi" | "nboard" if self.is("gtp-only") => say("? unknown command\n"),
            "usi" | "ugi" => {
                say("id name mock");
                say("option name USI_Ponder type check default true");
                say("option name Level type spin default 3 min 1 max 9");
                say("option name Style type combo default calm var calm var wild");
                say("option name File type filename default <empty>");
                say(&format!("{word}ok"));
            }
            "setoption" => match self.mode.as_str() {
                "refuses-as-stockfish" => say("No such option: File"),
                "refuses-as-yaneuraou" => say("info string Error! : failed to read nn.bin"),
                "refuses-as-kaeshi" => say("info string option File: no such file; the former value stays"),
                _ => {}
            },
            "isready" => {
                self.readies += 1;
                if !(self.is("unready") && self.readies > 2) {
                    say("readyok");
                }
            }
            "usinewgame" | "uginewgame" => {
                self.games += 1;
                self.moves = 0;
                if self.is("leaky") && self.games > 1 {
                    std::process::exit(9);
                }
            }
            "position" => self.set_position(rest),
            "go" => self.go(rest.starts_with("ponder")),
            "stop" | "ponderhit" if self.is("ponders") || self.is("twice-after-stop") => {
                let turn = self.choice();
                say(&format!("bestmove {turn}"));
            }
            "quit" if self.is("daemon") => {}
            "quit" => std::process::exit(0),
            "nboard" => say("set myname mock"),
            "ping" => say(&format!("pong {rest}")),
            "set" if rest.starts_with("game") => {
                self.turns = moves_of_ggf(rest);
                self.replay();
            }
            "move" => {
                self.turns.push(spell_back(rest.split('/').next().unwrap_or_default()));
                self.replay();
            }
            _ if line.split(' ').next().is_some_and(|id| id.parse::<u32>().is_ok()) => {
                self.handle_gtp_line(line)
            }
            _ => {}
        }
    }

    fn handle_gtp_line(&mut self, line: &str) {
        let mut words = line.split(' ');
        let id = words.next().unwrap_or_default();
        let answer = match (words.next().unwrap_or_default(), words.nth(1)) {
            ("protocol_version", _) => "2".to_owned(),
            ("list_commands", _) => "play\ngenmove\nclear_board".to_owned(),
            ("clear_board", _) => {
                self.turns.clear();
                self.replay();
                String::new()
            }
            ("play", Some(square)) => {
                let refuse = self.turns.len() >= 4
                    && (self.is("gtp-refuses") || self.is("gtp-refuses-once") && !self.refused);
                if refuse {
                    self.refused = true;
                    say(&format!("?{id} illegal move\n"));
                    return;
                }
                self.turns.push(spell_back(square));
                self.replay();
                String::new()
            }
            ("genmove", _) => {
                let turn = self.choice();
                self.turns.push(turn.clone());
                self.replay();
                turn.to_uppercase()
            }
            _ => String::new(),
        };
        if self.is("gtp-no-ids") {
            say(&format!("= {answer}\n"));
        } else {
            say(&format!("={id} {answer}\n"));
        }
    }

    fn set_position(&mut self, text: &str) {
        match text.strip_prefix(&self.position).filter(|_| !self.position.is_empty()) {
            Some(rest) => {
                for turn in rest.split_whitespace().filter(|&word| word != "moves") {
                    self.board.play(turn).expect("the runner sends legal turns");
                }
            }
            None => {
                let (head, turns) = text.split_once(" moves").unwrap_or((text, ""));
                let position = head.split_once(' ').map(|(_, position)| position);
                self.board = self.rules.board(position).expect("the runner sends good positions");
                for turn in turns.split_whitespace() {
                    self.board.play(turn).expect("the runner sends legal turns");
                }
            }
        }
        text.clone_into(&mut self.position);
    }

    fn replay(&mut self) {
        self.board = self.rules.board(None).expect("a start");
        for turn in &self.turns {
            self.board.play(turn).expect("the runner sends legal turns");
        }
    }

    /// A legal turn that depends on nothing but the position: the first of a script `plays-…-…`
    /// that is legal, or any.
    fn choice(&self) -> String {
        let turns = self.board.turns();
        if let Some(script) = self.mode.strip_prefix("plays-") {
            let next = script.split('-').find(|turn| turns.iter().any(|legal| legal == turn));
            return next.expect("a script that goes on").to_owned();
        }
        let sum: usize = self.board.text().bytes().map(usize::from).sum();
        turns[sum % turns.len()].clone()
    }

    fn go(&mut self, ponder: bool) {
        self.moves += 1;
        if ponder {
            return self.go_ponder();
        }
        match self.mode.as_str() {
            "slow" => sleep(0.002),
            // Long enough for a pondering opponent to answer too early.
            "predictable" => sleep(0.05),
            _ => {}
        }
        let turn = self.choice();
        let answer = format!("bestmove {turn}");
        if self.moves >= ACTS_AT {
            self.misbehave(&turn);
        }
        let reply = self.reply(&turn);
        if self.mode.contains("ponder") && !reply.is_empty() {
            return say(&format!("{answer} ponder {reply}"));
        }
        say(&self.info_line(&turn, &reply));
        match self.mode.as_str() {
            "twice" => say_bytes(format!("{answer}\n{answer}\n").as_bytes()),
            "nboard" | "nboard-pass" => {}
            _ => say(&answer),
        }
        if self.mode.starts_with("nboard") {
            let turn = if turn == "pass" { "PA/-64".into() } else { turn };
            say(&format!("=== {turn}/0.5/0.1"));
        }
    }

    /// The `info` line of the modes `line-…`; other modes print a wrong one.
    fn info_line(&self, turn: &str, reply: &str) -> String {
        let other = || self.board.turns().into_iter().rfind(|other| other != turn).unwrap_or_default();
        let (depth, line) = match self.mode.as_str() {
            "line-legal" => (2, format!("{turn} {reply}")),
            "line-illegal" => (3, format!("{turn} {reply} {turn}")),
            "line-other" => (2, other()),
            "line-short" => (7, turn.to_owned()),
            _ => (1, "x".to_owned()),
        };
        format!("info depth {depth} score cp 0 nodes 1 time 0 pv {}", line.trim())
    }

    fn go_ponder(&mut self) {
        if self.is("ponders-early") {
            let turn = self.choice();
            say(&format!("bestmove {turn}"));
        }
    }

    fn reply(&self, turn: &str) -> String {
        let mut board = self.rules.board(None).expect("a start");
        for played in self.position.split_once(" moves").map_or("", |(_, turns)| turns).split_whitespace() {
            if board.play(played).is_err() {
                return String::new();
            }
        }
        if board.play(turn).is_err() || board.outcome().is_some() {
            return String::new();
        }
        board.turns().first().cloned().unwrap_or_default()
    }

    fn misbehave(&mut self, turn: &str) {
        match self.mode.as_str() {
            "exits" => std::process::exit(3),
            "aborts" => std::process::abort(),
            #[cfg(unix)]
            "killed" => {
                // SAFETY: raising a signal touches no memory.
                unsafe { libc::raise(libc::SIGKILL) };
            }
            #[cfg(unix)]
            "closes-stdout" => {
                // SAFETY: nothing uses the descriptor afterwards.
                unsafe { libc::close(1) };
                sleep(1000.0);
            }
            #[cfg(unix)]
            "closes-stdin" => {
                // SAFETY: as above.
                unsafe { libc::close(0) };
            }
            "late" => sleep(1.0),
            "silent" => loop {
                sleep(1.0);
            },
            "chatty" => loop {
                say("info depth 1 score cp 3 nodes 5 pv a1");
                sleep(0.001);
            },
            "illegal" => say("bestmove a1a1\u{1b}[31m"),
            "none" => say("bestmove (none)"),
            "empty" => say("bestmove"),
            "claims" => say("bestmove win"),
            "resigns" => {
                say("info depth 3 score cp 900 pv x");
                say("bestmove resign");
            }
            "garbage" => {
                say_bytes(b"\xff\xfe\x00\x1b[2J\r\rinfo score\n\n\xe3\x81\nbestmov\n");
            }
            "endless-line" => {
                let junk = vec![b'x'; 1 << 20];
                for _ in 0..10 {
                    say_bytes(&junk);
                }
                sleep(1000.0);
            }
            "floods" => {
                let line = "info string ".to_owned() + &"y".repeat(1000);
                let mut error = std::io::stderr().lock();
                for _ in 0..2000 {
                    let _ = writeln!(error, "{line}");
                    say(&line);
                }
            }
            "repeats" => {
                let lines = format!("response {}\n", "y".repeat(1000)).repeat(64);
                loop {
                    say_bytes(lines.as_bytes());
                }
            }
            "lies" => {
                say("info depth 99999999999 score mate 1 nodes 18446744073709551615 time 999999 pv 0000");
            }
            _ => return,
        }
        let _ = turn;
    }
}

fn spell_back(square: &str) -> String {
    let lower = square.to_ascii_lowercase();
    if lower == "pa" { "pass".into() } else { lower }
}

fn moves_of_ggf(text: &str) -> Vec<String> {
    let moves = text.split_once("*]").map_or("", |(_, moves)| moves);
    moves.split(['[', ']']).skip(1).step_by(2).map(spell_back).collect()
}
