//! `kaeshi csa` against a server that follows the published CSA protocol with its own clocks and rules.

use crate::csa_server;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;

use csa_server::{Act, CsaServer, ServedGame, ServerReport, ServerSetup, ServerTimeControl};
use kaeshi_core::game::Side;
use kaeshi_records as records;
use kaeshi_records::GameRecord;
use kaeshi_records::csa::wire;
use kaeshi_records::referee::rules_by_name;

/// A folder with a password, and perhaps a roster with the mock engine.
struct CsaPlayer {
    name: &'static str,
    folder: tempfile::TempDir,
}

impl CsaPlayer {
    fn new() -> CsaPlayer {
        CsaPlayer::named("tester")
    }

    fn named(name: &'static str) -> CsaPlayer {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("password"), "floodgate-10-1F,secret\n").expect("a file");
        CsaPlayer { name, folder }
    }

    fn records(&self) -> PathBuf {
        self.folder.path().join("games")
    }

    /// The client, with Kaeshi as its engine.
    fn client(&self, port: u16, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.current_dir(self.folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.args([
            "csa",
            &format!("127.0.0.1:{port}"),
            "--name",
            self.name,
            "--password-file",
            "password",
        ]);
        command.args(["--records", "games"]).args(words);
        command
    }

    /// The client with an engine that plays legal moves at once, or misbehaves.
    fn mock(&self, port: u16, mode: &str, words: &[&str]) -> Command {
        let program = std::env::current_exe().expect("this test");
        let roster = format!(
            "[engines.mock]\ncommand = '{}'\nprotocol = \"usi\"\nargs = [\"mock_engine\", \"--exact\", \
             \"--nocapture\", \"--test-threads=1\", \"mode:shogi:{mode}\"]\n",
            program.display()
        );
        std::fs::write(self.folder.path().join("mock.toml"), roster).expect("a file");
        let mut command = self.client(port, &["--engines", "mock.toml", "--engine", "mock"]);
        command.args(words);
        command
    }
}

fn seconds(total: u64, byoyomi: u64, increment: u64) -> ServerTimeControl {
    ServerTimeControl { unit_ms: 1_000, total, byoyomi, increment, least: 0, round_up: false }
}

fn setup(acts: &[Act]) -> ServerSetup {
    ServerSetup {
        terms: seconds(600, 0, 1),
        max_moves: 40,
        start: "PI\n+\n".into(),
        sfen: None,
        first: Side::First,
        two: false,
        acts: acts.to_vec(),
    }
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}

/// Lets a client play to the end. Returns its output, and the server's report.
fn run(setup: ServerSetup, client: impl FnOnce(u16) -> Command) -> (Output, ServerReport) {
    let server = CsaServer::start(setup);
    let output = client(server.port).output().expect("the client starts");
    (output, server.report())
}

/// The record that the client kept of a game.
fn kept(folder: &Path, played: &ServedGame) -> GameRecord {
    let path = folder.join(format!("{}.csa", played.id));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut items = records::read(&bytes, None);
    assert_eq!(items.len(), 1);
    let record = items.remove(0).expect("a record");
    assert_eq!(record.fault, None);
    record
}

/// Whether the record has the moves and times that the server saw.
fn assert_kept(folder: &Path, played: &ServedGame, unit_ms: u64) {
    let record = kept(folder, played);
    let mut board = rules_by_name("shogi").expect("rules").board(Some(&record.start)).expect("a start");
    let moves: Vec<(String, u64)> = record
        .plies
        .iter()
        .map(|ply| {
            let text = wire::write_move(&board.text(), &ply.turn).expect("a legal move");
            board.play(&ply.turn).expect("a legal move");
            (
                text,
                ply.remarks.as_ref().and_then(|remarks| remarks.used_us).expect("a time") / 1_000 / unit_ms,
            )
        })
        .collect();
    assert_eq!(moves, played.moves, "{}", played.id);
    let ending = record.ending.expect("an end");
    assert_eq!(ending.winner, played.winner, "{}", played.id);
}

#[test]
fn games_in_a_row_with_a_cut_in_the_middle() {
    // As shogi-server does, each connection is good for one game.
    let acts = [
        Act::Game(false),
        Act::Close,
        Act::Cut(15),
        Act::Refuse,
        Act::Game(true),
        Act::Game(false),
        Act::Logout,
    ];
    let player = CsaPlayer::new();
    let (output, report) = run(setup(&acts), |port| player.mock(port, "good", &["--games", "3"]));
    let printed = text(&output);
    assert!(output.status.success(), "{printed}");
    assert_eq!(report.logins, vec!["tester floodgate-10-1F,secret"; 4]);
    let [first, cut, second, third] = report.games.as_slice() else { panic!("{}", report.games.len()) };
    assert!(second.moves.starts_with(&cut.moves) && cut.moves.len() == 15 && second.id == cut.id);
    for played in [first, second, third] {
        assert_ne!((played.cause, played.moves.len()), ("", 0));
        assert_kept(&player.records(), played, 1_000);
    }
    assert_eq!(std::fs::read_dir(player.records()).expect("records").count(), 3);
    assert!(printed.contains("Game 2 of 3 goes on") && printed.contains("; 0 interrupted"), "{printed}");
    assert!(!printed.contains("secret"), "{printed}");
}

#[test]
fn a_game_that_the_server_forgets_is_kept_as_interrupted() {
    let acts = [Act::Cut(6), Act::Game(false), Act::Logout];
    let player = CsaPlayer::new();
    let (output, report) = run(setup(&acts), |port| player.mock(port, "good", &[]));
    let printed = text(&output);
    assert!(output.status.success() && printed.contains("; 1 interrupted"), "{printed}");
    let [cut, whole] = report.games.as_slice() else { panic!("two games") };
    let record = kept(&player.records(), cut);
    assert_eq!((record.plies.len(), record.end.as_deref()), (6, Some("%CHUDAN")));
    assert_kept(&player.records(), whole, 1_000);
}

#[test]
fn a_win_is_declared_and_values_are_sent() {
    // Black's king has entered; White's is not mated at once.
    let declared = ServerSetup {
        start:
            "P1+OU+RY+RY *  *  *  *  *  * \nP2+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP3 *  *  *  *  *  *  *  *  * \n\
                P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
                P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  *  *  *  *  * -OU\n\
                P+00KA00KA00KI00KI00KI00KI00GI00GI00GI00GI00KE00KE00KE00KE\nP-00AL\n+\n"
                .into(),
        sfen: Some("K+R+R6/PPPPPPPPP/9/9/9/9/9/9/8k b BBGGGGSSSSNNNN4l9p 1".into()),
        ..setup(&[Act::Game(false), Act::Logout])
    };
    let player = CsaPlayer::new();
    let (output, report) = run(declared, |port| player.client(port, &[]));
    assert!(output.status.success() && text(&output).contains("won declare"), "{}", text(&output));
    assert_eq!((report.games[0].cause, report.games[0].winner), ("#JISHOGI", Some(Side::First)));
    let record = kept(&player.records(), &report.games[0]);
    assert_eq!(record.end.as_deref(), Some("%KACHI"));

    let short = ServerSetup { max_moves: 6, ..setup(&[Act::Game(false), Act::Logout]) };
    let player = CsaPlayer::new();
    let words = ["--option", "NodesLimit=500", "--option", "USI_OwnBook=false"];
    let (output, report) = run(short, |port| player.client(port, &words));
    assert!(output.status.success(), "{}", text(&output));
    let played = &report.games[0];
    assert_eq!(played.cause, "#MAX_MOVES");
    for comment in &played.comments {
        let mut words = comment.split(' ');
        assert_eq!(words.next(), Some("*"), "{comment}");
        assert!(words.next().is_some_and(|value| value.parse::<i32>().is_ok()), "{comment}");
        assert!(words.all(|word| word.len() == 7), "{comment}");
    }
    let record = kept(&player.records(), played);
    let ending = record.ending.expect("an end");
    assert_eq!((ending.winner, record.plies.len()), (None, 6));
    assert!(record.plies[0].remarks.as_ref().is_some_and(|remarks| remarks.score.is_some()));
}

#[test]
fn units_and_rounding_of_the_server_cost_no_game() {
    for terms in [
        ServerTimeControl { unit_ms: 1, total: 1_000, byoyomi: 0, increment: 700, least: 0, round_up: false },
        ServerTimeControl { least: 1, round_up: true, ..seconds(1, 2, 0) },
        ServerTimeControl { unit_ms: 60_000, ..seconds(1, 0, 0) },
    ] {
        let timed = ServerSetup { terms, max_moves: 4, ..setup(&[Act::Game(false), Act::Logout]) };
        let player = CsaPlayer::new();
        let (output, report) = run(timed, |port| player.client(port, &[]));
        assert!(output.status.success(), "{}", text(&output));
        let played = &report.games[0];
        assert_eq!(played.cause, "#MAX_MOVES", "{:?}", played.moves);
        assert_kept(&player.records(), played, terms.unit_ms);
    }
}

#[test]
fn two_clients_play_each_other() {
    let server = CsaServer::start(ServerSetup { two: true, ..setup(&[Act::Game(false), Act::Logout]) });
    let players = [CsaPlayer::named("first"), CsaPlayer::named("second")];
    let running = players
        .each_ref()
        .map(|player| player.mock(server.port, "good", &["--ponder"]).spawn().expect("the client starts"));
    let outputs = running.map(|child: Child| child.wait_with_output().expect("an end"));
    let report = server.report();
    for (player, output) in players.iter().zip(&outputs) {
        assert!(output.status.success(), "{}", text(output));
        assert_kept(&player.records(), &report.games[0], 1_000);
    }
}

#[test]
fn signs_of_life_are_sent_while_a_client_waits() {
    let acts = [Act::Pause(Duration::from_millis(2_500)), Act::Game(false), Act::Logout];
    let player = CsaPlayer::new();
    let (output, report) = run(setup(&acts), |port| player.mock(port, "good", &["--keep-alive", "1s"]));
    assert!(output.status.success(), "{}", text(&output));
    assert!((2..=4).contains(&report.signs), "{}", report.signs);
}

#[test]
fn wrong_logins_and_proposals_are_refused_in_plain_words() {
    let player = CsaPlayer::new();
    let (output, _) = run(setup(&[Act::Refuse]), |port| player.mock(port, "good", &[]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("the server refuses the name or the password"), "{}", text(&output));

    let proposal = |lines: &str| Act::Say(format!("BEGIN Game_Summary\n{lines}END Game_Summary\n"), "REJECT");
    let acts = [
        Act::Say("##[CHAT] hello\n\n#FUTURE\n".into(), ""),
        proposal("Format:Chess\n"),
        proposal(
            "Game_ID:x\nName+:a\nName-:b\nYour_Turn:+\nBEGIN Position\nPI\n+\n+7775FU,T1\nEND Position\n",
        ),
        Act::Say("x".repeat(9_000), ""),
        Act::Close,
        Act::Game(false),
        Act::Logout,
    ];
    let (output, _) = run(setup(&acts), |port| player.mock(port, "good", &[]));
    let printed = text(&output);
    assert!(output.status.success(), "{printed}");
    for said in ["'Chess', not Shogi 1.0", "is refused: ", "1 games: "] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
}

#[test]
fn nothing_illegal_is_sent() {
    let player = CsaPlayer::new();
    let (output, report) = run(setup(&[Act::Game(false)]), |port| player.mock(port, "illegal", &[]));
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    let played = &report.games[0];
    assert_eq!((played.cause, played.winner), ("#RESIGN", Some(Side::Second)), "{:?}", played.moves);
    assert!(printed.contains("the engine plays 'a1a1"), "{printed}");
}

#[test]
fn what_is_wrong_with_the_request_is_said_before_anything_is_sent() {
    let player = CsaPlayer::new();
    let refused = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kaeshi"));
        command.current_dir(player.folder.path()).arg("csa").args(words).env_remove("KAESHI_CSA_PASSWORD");
        let output = command.output().expect("the client starts");
        assert!(!output.status.success());
        text(&output)
    };
    std::fs::write(player.folder.path().join("blank"), "two words\n").expect("a file");
    for (words, said) in [
        (&["localhost:0", "--name", "x"][..], "is no server"),
        (&["localhost", "--name", "x y"], "letters, digits"),
        (&["localhost", "--name", "x"], "the password is missing"),
        (&["localhost", "--name", "x", "--password-file", "none"], "cannot read the password from none"),
        (&["localhost", "--name", "x", "--password-file", "blank"], "without blanks"),
        (
            &["localhost", "--name", "x", "--password-file", "password", "--engine", "nobody"],
            "no engine 'nobody'",
        ),
        (&["localhost", "--name", "x", "--password-file", "password", "--option", "Hash"], "NAME=VALUE"),
        (&["127.0.0.1:1", "--name", "x", "--password-file", "password"], "127.0.0.1:1: "),
    ] {
        let printed = refused(words);
        assert!(printed.contains(said), "{words:?}: {printed}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_between_games_logs_out() {
    let server = CsaServer::start(setup(&[Act::Game(false), Act::Logout]));
    let player = CsaPlayer::new();
    let mut child = player.mock(server.port, "good", &["--games", "9"]).spawn().expect("the client starts");
    let deadline = Instant::now() + Duration::from_secs(120);
    let done = || std::fs::read_dir(player.records()).is_ok_and(|files| files.count() > 0);
    while !done() && Instant::now() < deadline && child.try_wait().is_ok_and(|end| end.is_none()) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = libc::pid_t::try_from(child.id()).expect("a process");
    // SAFETY: the process is a child that has not been waited for.
    unsafe { libc::kill(pid, libc::SIGINT) };
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert_eq!(server.report().games.len(), 1);
}

#[cfg(unix)]
#[test]
fn a_signal_during_a_game_ends_it_after_a_while() {
    let server = CsaServer::start(setup(&[Act::Game(false)]));
    let player = CsaPlayer::new();
    let mut child = player.mock(server.port, "silent", &[]).spawn().expect("the client starts");
    let mut lines = crate::child_lines::ChildLines::of(child.stdout.take().expect("piped"));
    assert!(lines.any(|line| line.starts_with("Game 1 of 1")), "no game begins");
    let (pid, asked) = (libc::pid_t::try_from(child.id()).expect("a process"), Instant::now());
    // SAFETY: the process is a child that has not been waited for.
    unsafe { libc::kill(pid, libc::SIGTERM) };
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().expect("an end").code(), Some(143), "{rest:?}");
    assert!((8..25).contains(&asked.elapsed().as_secs()), "{:?}", asked.elapsed());
    let files: Vec<_> = std::fs::read_dir(player.records()).expect("records").flatten().collect();
    assert_eq!(files.len(), 1);
    let record = std::fs::read_to_string(files[0].path()).expect("a record");
    assert!(record.contains("%CHUDAN"), "{record}");
}

#[cfg(unix)]
#[test]
fn a_signal_during_the_login_ends_it_at_once() {
    use std::io::Read;
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let player = CsaPlayer::new();
    let port = server.local_addr().expect("an address").port();
    let mut child = player.mock(port, "good", &[]).spawn().expect("the client starts");
    let (mut stream, _) = server.accept().expect("a client");
    stream.read_exact(&mut [0; 5]).expect("a login");
    let (pid, asked) = (libc::pid_t::try_from(child.id()).expect("a process"), Instant::now());
    // SAFETY: the process is a child that has not been waited for.
    unsafe { libc::kill(pid, libc::SIGTERM) };
    assert_eq!(child.wait().expect("an end").code(), Some(143));
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
}

/// Linux drops the requests for a connection beyond those that the server may keep waiting.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_client_that_is_not_connected_yet() {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    // SAFETY: the socket is open and listens already.
    assert_eq!(unsafe { libc::listen(server.as_raw_fd(), 0) }, 0);
    let address = server.local_addr().expect("an address");
    let connect = |_| TcpStream::connect_timeout(&address, Duration::from_millis(300));
    let waiting: Vec<_> = (0..4).map(connect).collect();
    assert!(waiting.iter().any(Result::is_err), "every connection is taken");
    let player = CsaPlayer::new();
    let mut child = player.mock(address.port(), "good", &[]).spawn().expect("the client starts");
    // The engine is started before the connection.
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(child.try_wait().expect("a child"), None);
    let (pid, asked) = (libc::pid_t::try_from(child.id()).expect("a process"), Instant::now());
    // SAFETY: the process is a child that has not been waited for.
    unsafe { libc::kill(pid, libc::SIGTERM) };
    assert_eq!(child.wait().expect("an end").code(), Some(143));
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
}

/// The games that tournaments play, against a program that thinks less: `.ci/csa` runs it.
#[test]
#[ignore = "takes a quarter of an hour"]
fn twenty_games_at_10_s_and_1_s_with_a_cut_in_the_middle() {
    let games = 20;
    let mut acts = Vec::new();
    for game in 0..games {
        if game == games / 2 {
            acts.extend([Act::Cut(21), Act::Game(true)]);
        } else {
            acts.push(Act::Game(false));
        }
        // Some of the games are played as at floodgate, a connection each.
        if game < games / 4 {
            acts.push(Act::Close);
        }
    }
    acts.push(Act::Logout);
    let played = ServerSetup { terms: seconds(10, 0, 1), max_moves: 256, two: true, ..setup(&acts) };
    let server = CsaServer::start(played);
    let players = [CsaPlayer::named("first"), CsaPlayer::named("second")];
    let count = games.to_string();
    let words = ["--games", &count, "--option", "USI_OwnBook=false"];
    let mut clients = players.each_ref().map(|player| player.client(server.port, &words));
    clients[1].args(["--option", "NodesLimit=2000"]);
    let running = clients.map(|mut client| client.spawn().expect("the client starts"));
    let outputs = running.map(|child: Child| child.wait_with_output().expect("an end"));
    println!("{}", text(&outputs[0]));
    let report = server.report();
    let whole: Vec<&ServedGame> = report.games.iter().filter(|played| !played.cause.is_empty()).collect();
    assert_eq!((whole.len(), report.games.len()), (games, games + 1));
    for (player, output) in players.iter().zip(&outputs) {
        assert!(output.status.success(), "{}", text(output));
        for played in &whole {
            assert_ne!(played.cause, "#TIME_UP", "{}", played.id);
            assert_kept(&player.records(), played, 1_000);
        }
    }
    let times = whole.iter().flat_map(|played| played.moves.iter().map(|(_, used)| *used));
    let moves: usize = whole.iter().map(|played| played.moves.len()).sum();
    println!("{games} games of {moves} moves, none lost on time; {} s were charged", times.sum::<u64>());
}
