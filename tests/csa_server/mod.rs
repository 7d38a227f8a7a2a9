//! A small CSA server for tests: login, proposals, its own clocks, and the rules of the library as referee. At
//! each table sit two clients, or one and a player who makes legal moves at random.
//!
//! Protocol: <http://www2.computer-shogi.org/protocol/tcp_ip_server_121.html>.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use kaeshi_core::game::{Side, TerminalCause};
use kaeshi_core::random::SplitMix;
use kaeshi_records::csa::wire;
use kaeshi_records::referee::{RefereeBoard, rules_by_name};

/// No test waits longer for a client.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

/// Time control, in units.
#[derive(Clone, Copy)]
pub struct ServerTimeControl {
    pub unit_ms: u64,
    pub total: u64,
    pub byoyomi: u64,
    pub increment: u64,
    pub least: u64,
    pub round_up: bool,
}

/// The acts of the server at one login, in this order.
#[derive(Clone)]
pub enum Act {
    /// Refuses it, and closes the connection.
    Refuse,
    /// Waits.
    Pause(Duration),
    /// Sends this, and reads lines until one of them is the answer.
    Say(String, &'static str),
    /// Plays a game; `true` plays on with the one that was cut.
    Game(bool),
    /// Plays a number of moves of a game and cuts the connection.
    Cut(usize),
    /// Closes the connection.
    Close,
    /// Waits for LOGOUT.
    Logout,
}

/// How the games are played.
#[derive(Clone)]
pub struct ServerSetup {
    pub terms: ServerTimeControl,
    pub max_moves: usize,
    /// Position lines of CSA, the side to move last.
    pub start: String,
    /// The same as an SFEN; `None` for the usual start.
    pub sfen: Option<String>,
    /// At which side of the first game the client sits, of two the one whose name comes first; then by turns.
    pub first: Side,
    /// Whether two clients play each other.
    pub two: bool,
    pub acts: Vec<Act>,
}

/// A game as the server has seen it.
#[derive(Clone, Default)]
pub struct ServedGame {
    pub id: String,
    /// Moves with their time.
    pub moves: Vec<(String, u64)>,
    /// Comments behind the client's moves.
    pub comments: Vec<String>,
    /// The cause of the end; empty where the connection was cut.
    pub cause: &'static str,
    pub winner: Option<Side>,
    pub client: Option<Side>,
}

/// The report of the server until its last act.
#[derive(Default)]
pub struct ServerReport {
    pub games: Vec<ServedGame>,
    /// The words behind LOGIN.
    pub logins: Vec<String>,
    /// Empty lines of clients.
    pub signs: u32,
}

/// The server's end of a connection.
struct Client {
    name: String,
    stream: TcpStream,
    lines: Receiver<(Instant, String)>,
}

impl Client {
    fn new(stream: TcpStream, signs: Arc<AtomicU32>) -> Client {
        let (sender, lines) = channel();
        let mut answering = stream.try_clone().expect("a handle");
        let reader = BufReader::new(stream.try_clone().expect("a handle"));
        thread::spawn(move || {
            for line in reader.lines() {
                let Ok(line) = line else { return };
                if line.is_empty() {
                    signs.fetch_add(1, Ordering::Relaxed);
                    let _ = answering.write_all(b"\n");
                } else if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Client { name: String::new(), stream, lines }
    }

    fn say(&mut self, text: &str) {
        // A client that has gone shows it where its answer is waited for.
        let _ = self.stream.write_all(text.as_bytes());
    }

    fn expect_line(&self, wanted: &str) -> String {
        loop {
            let (_, line) = self.lines.recv_timeout(ANSWER_TIMEOUT).unwrap_or_else(|_| panic!("no {wanted}"));
            if line.starts_with(wanted) {
                return line;
            }
        }
    }

    fn close(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// A running server.
pub struct CsaServer {
    pub port: u16,
    running: JoinHandle<ServerReport>,
}

impl CsaServer {
    pub fn start(setup: ServerSetup) -> CsaServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        CsaServer { port, running: thread::spawn(move || Hall::new(listener, setup).run()) }
    }

    /// Waits until all is done.
    pub fn report(self) -> ServerReport {
        self.running.join().expect("the server has no complaint")
    }
}

struct Hall {
    listener: TcpListener,
    setup: ServerSetup,
    random: SplitMix,
    signs: Arc<AtomicU32>,
    report: ServerReport,
}

/// A game in progress.
struct ServerGame {
    played: ServedGame,
    board: Box<dyn RefereeBoard>,
    rest: [u64; 2],
}

impl Hall {
    fn new(listener: TcpListener, setup: ServerSetup) -> Hall {
        let (random, signs) = (SplitMix::new(5), Arc::default());
        Hall { listener, setup, random, signs, report: ServerReport::default() }
    }

    fn run(mut self) -> ServerReport {
        let mut unfinished = None;
        let mut clients: Vec<Client> = Vec::new();
        for act in self.setup.acts.clone() {
            let wanted = if self.setup.two { 2 } else { 1 };
            while clients.len() < wanted {
                clients.push(self.login(matches!(act, Act::Refuse)));
            }
            // Each finds its seat again.
            clients.sort_by(|one, other| one.name.cmp(&other.name));
            match act {
                Act::Refuse | Act::Close => clients.drain(..).for_each(|client| client.close()),
                Act::Pause(time) => thread::sleep(time),
                Act::Say(text, answer) => clients.iter_mut().for_each(|client| {
                    client.say(&text);
                    if !answer.is_empty() {
                        client.expect_line(answer);
                    }
                }),
                Act::Game(goes_on) => {
                    let table = unfinished.take().filter(|_| goes_on).unwrap_or_else(|| self.table());
                    let table = self.play(table, &mut clients, usize::MAX);
                    self.report.games.push(table.played);
                }
                Act::Cut(plies) => {
                    let table = self.table();
                    let table = self.play(table, &mut clients, plies);
                    clients.drain(..).for_each(|client| client.close());
                    self.report.games.push(table.played.clone());
                    unfinished = Some(table);
                }
                Act::Logout => clients.drain(..).for_each(|mut client| {
                    client.expect_line("LOGOUT");
                    client.say("LOGOUT:completed\n");
                }),
            }
        }
        self.report.signs = self.signs.load(Ordering::Relaxed);
        self.report
    }

    fn login(&mut self, refused: bool) -> Client {
        let (stream, _) = self.listener.accept().expect("a client");
        stream.set_nodelay(true).expect("a socket");
        let mut client = Client::new(stream, Arc::clone(&self.signs));
        let line = client.expect_line("LOGIN ");
        let words = line.strip_prefix("LOGIN ").expect("a login").to_owned();
        let name = words.split(' ').next().expect("a name");
        client.say(&if refused { "LOGIN:incorrect\n".to_owned() } else { format!("LOGIN:{name} OK\n") });
        name.clone_into(&mut client.name);
        self.report.logins.push(words);
        client
    }

    fn table(&mut self) -> ServerGame {
        let number = self.report.games.len();
        let client = if number.is_multiple_of(2) { self.setup.first } else { self.setup.first.other() };
        let id = format!("test+floodgate-10-1F+{number}");
        let played = ServedGame { id, client: Some(client), ..ServedGame::default() };
        let rules = rules_by_name("shogi").expect("the rules");
        let board = rules.board(self.setup.sfen.as_deref()).expect("a start");
        ServerGame { played, board, rest: [self.setup.terms.total; 2] }
    }

    /// The proposal to the client who has `side`.
    fn proposal(&self, table: &ServerGame, side: Side) -> String {
        let ServerTimeControl { unit_ms, total, byoyomi, increment, least, round_up } = self.setup.terms;
        let sign = |side: Side| if side == Side::First { '+' } else { '-' };
        let unit = match unit_ms {
            60_000 => "1min",
            1_000 => "1sec",
            _ => "1msec",
        };
        let mut text = format!(
            "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\n\
             Declaration:Jishogi 1.1\nGame_ID:{}\nName+:black\nName-:white\nYour_Turn:{}\nRematch_On_Draw:NO\n\
             To_Move:{}\nMax_Moves:{}\nBEGIN Time\nTime_Unit:{unit}\nTotal_Time:{total}\nByoyomi:{byoyomi}\n\
             Increment:{increment}\nLeast_Time_Per_Move:{least}\nTime_Roundup:{}\nEND Time\nBEGIN Position\n{}",
            table.played.id,
            sign(side),
            sign(table.board.side_to_move()),
            self.setup.max_moves,
            if round_up { "YES" } else { "NO" },
            self.setup.start,
        );
        for (mv, used) in &table.played.moves {
            let _ = writeln!(text, "{mv},T{used}");
        }
        text + "END Position\nEND Game_Summary\n"
    }

    /// Plays until the end, or until `plies` moves were made.
    fn play(&mut self, mut table: ServerGame, clients: &mut [Client], plies: usize) -> ServerGame {
        let own = table.played.client.expect("a side");
        let seat = |side: Side, clients: usize| match clients {
            1 => (side == own).then_some(0),
            _ => Some(usize::from(side != own)),
        };
        let many = clients.len();
        for (index, client) in clients.iter_mut().enumerate() {
            let side = if index == 0 { own } else { own.other() };
            client.say(&self.proposal(&table, side));
        }
        for client in clients.iter() {
            client.expect_line("AGREE");
        }
        clients.iter_mut().for_each(|client| client.say(&format!("START:{}\n", table.played.id)));
        let mut began = Instant::now();
        while table.played.moves.len() < plies {
            let side = table.board.side_to_move();
            let heard = match seat(side, many) {
                Some(index) => self.answer(&clients[index], &table, side, began),
                None => Some((self.draw(&*table.board), 0)),
            };
            let Some((line, used)) = heard else {
                return end(table, clients, own, "#TIME_UP", Some(side.other()));
            };
            let (mv, comment) = line.split_once(",'").unwrap_or((&line, ""));
            if mv == "%TORYO" {
                return end(table, clients, own, "#RESIGN", Some(side.other()));
            }
            if mv == "%KACHI" {
                let right = table.board.may_claim_win();
                let winner = if right { side } else { side.other() };
                let cause = if right { "#JISHOGI" } else { "#ILLEGAL_MOVE" };
                return end(table, clients, own, cause, Some(winner));
            }
            let played = wire::read_move(&table.board.text(), mv).and_then(|turn| table.board.play(&turn));
            if played.is_err() {
                return end(table, clients, own, "#ILLEGAL_MOVE", Some(side.other()));
            }
            if seat(side, many).is_some() {
                table.played.comments.push(comment.to_owned());
            }
            let rest = &mut table.rest[side.index()];
            *rest = (*rest + self.setup.terms.increment).saturating_sub(used);
            clients.iter_mut().for_each(|client| client.say(&format!("{mv},T{used}\n")));
            table.played.moves.push((mv.to_owned(), used));
            began = Instant::now();
            match table.board.outcome() {
                Some(outcome) if outcome.cause == TerminalCause::Repetition => {
                    return end(table, clients, own, "#SENNICHITE", None);
                }
                Some(outcome) if outcome.cause == TerminalCause::PerpetualCheck => {
                    return end(table, clients, own, "#OUTE_SENNICHITE", outcome.winner);
                }
                // A player who is mated gives up.
                Some(outcome) if seat(table.board.side_to_move(), many).is_none() => {
                    return end(table, clients, own, "#RESIGN", outcome.winner);
                }
                _ if table.played.moves.len() >= self.setup.max_moves => {
                    return end(table, clients, own, "#MAX_MOVES", None);
                }
                _ => {}
            }
        }
        table
    }

    /// The answer of the client, and the time that it took; `None` if the flag fell.
    fn answer(
        &self,
        client: &Client,
        table: &ServerGame,
        side: Side,
        began: Instant,
    ) -> Option<(String, u64)> {
        let ServerTimeControl { unit_ms, byoyomi, increment, least, round_up, .. } = self.setup.terms;
        let all = table.rest[side.index()] + increment + byoyomi;
        let deadline = began + Duration::from_millis(unit_ms * all);
        let left = deadline.saturating_duration_since(Instant::now());
        let (stamp, line) = match client.lines.recv_timeout(left) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => panic!("the client has gone"),
        };
        let spent = u64::try_from(stamp.saturating_duration_since(began).as_millis()).expect("a short time");
        let units = if round_up { spent.div_ceil(unit_ms) } else { spent / unit_ms };
        let used = units.max(least);
        (used < all).then_some((line, used))
    }

    fn draw(&mut self, board: &dyn RefereeBoard) -> String {
        let turns = board.turns();
        let index = self.random.below(u32::try_from(turns.len()).expect("few moves"));
        wire::write_move(&board.text(), &turns[index as usize]).expect("a legal move")
    }
}

/// Says how the game ended.
fn end(
    mut table: ServerGame,
    clients: &mut [Client],
    own: Side,
    cause: &'static str,
    winner: Option<Side>,
) -> ServerGame {
    for (index, client) in clients.iter_mut().enumerate() {
        let side = if index == 0 { own } else { own.other() };
        let result = match winner {
            None if cause == "#MAX_MOVES" => "#CENSORED",
            None => "#DRAW",
            Some(winner) if winner == side => "#WIN",
            Some(_) => "#LOSE",
        };
        client.say(&format!("{cause}\n{result}\n"));
    }
    (table.played.cause, table.played.winner) = (cause, winner);
    table
}
