//! The loop between a pair of streams and a [`Controller`].
//!
//! ```text
//! input ──reader thread──► lines, each with its time ──► session thread ──► Controller
//! output ◄──writer thread◄── events ◄────────────────────────┴──────────────────┘
//! ```
//!
//! No call of the session blocks while a search runs, so `stop`, `ponderhit`, `isready` and `quit` are
//! served at any time. The session thread is no child of the caller's, so that a caller whose
//! reader has gone need not wait for work that nobody will see.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};

use crate::engine::Controller;
use crate::engine::event::{Event, OptionLine};
use crate::game::Rejected;
use crate::game::options::OptionKind;
use crate::protocol::lines::Lines;
use crate::protocol::log::{Direction, Log};
use crate::protocol::writer::{Order, Speaker, Writer, lock};
use crate::protocol::{Command, Dialect};

/// Lines that may wait to be served.
const LINES_AHEAD: usize = 256;
/// How long the work may take to end once nobody listens any more.
const GRACE: Duration = Duration::from_millis(500);

/// Makes the engine of a game by the game's name; `None` for a game it does not know. The engine
/// tells everything through the sender.
pub type Factory = Box<dyn Fn(&str, Sender<Event>) -> Option<Result<Box<dyn Controller>, Rejected>> + Send>;

/// What a session begins with.
pub struct Setup {
    /// Makes the engines.
    pub factory: Factory,
    /// The games that the factory knows.
    pub games: &'static [&'static str],
    /// The game that is played unless the other side asks for another one.
    pub game: String,
    /// Options to set at once, in this order.
    pub options: Vec<(String, String)>,
    /// The dialect that is spoken before the other side names one.
    pub dialect: Dialect,
}

/// A line with the moment of its arrival.
type Arrival = (Result<String, Rejected>, Instant);

/// Speaks with the other side until it says `quit` or its input ends; then bounded searches are
/// finished and answered, endless ones stopped and answered. Ends quietly if nobody reads the output.
///
/// # Errors
/// If the game is unknown, cannot be loaded, or refuses one of the options.
pub fn run<R, W>(input: R, output: W, setup: Setup) -> Result<(), Rejected>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (events, told) = unbounded();
    let (orders, ordered) = unbounded();
    let (listening, hung_up) = bounded::<()>(0);
    let session = Session::new(setup, events, orders)?;
    let writer = Writer {
        events: told,
        orders: ordered,
        speaker: session.speaker.clone(),
        log: session.log.clone(),
        out: Some(output),
        listening: Some(listening),
    };
    thread::spawn(move || writer.run());
    let (lines, arrivals) = bounded(LINES_AHEAD);
    // Detached: it may wait for a line that never comes.
    thread::spawn(move || {
        for line in Lines::new(BufReader::new(input)) {
            if lines.send((line, Instant::now())).is_err() {
                return;
            }
        }
    });
    let (working, done) = bounded::<()>(0);
    let (leave, left) = bounded::<()>(0);
    thread::spawn(move || {
        session.serve(&arrivals, &left);
        drop(working);
    });
    select! {
        recv(done) -> _ => {}
        recv(hung_up) -> _ => {
            drop(leave);
            let _ = done.recv_timeout(GRACE);
        }
    }
    Ok(())
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

struct Session {
    factory: Factory,
    games: &'static [&'static str],
    controller: Box<dyn Controller>,
    /// Options set so far, for the next engine if the game changes.
    settings: Vec<(String, String)>,
    events: Sender<Event>,
    orders: Sender<Order>,
    dialect: Dialect,
    /// Nothing has been said yet.
    beginning: bool,
    speaker: Speaker,
    log: Arc<Mutex<Log>>,
}

impl Session {
    fn new(setup: Setup, events: Sender<Event>, orders: Sender<Order>) -> Result<Session, Rejected> {
        let controller = make(&setup.factory, setup.games, &setup.game, &events)?;
        let mut session = Session {
            factory: setup.factory,
            games: setup.games,
            controller,
            settings: Vec::new(),
            events,
            orders,
            dialect: setup.dialect,
            beginning: true,
            speaker: Arc::new(Mutex::new(setup.dialect.speaker())),
            log: Arc::new(Mutex::new(Log::default())),
        };
        for (name, value) in &setup.options {
            session.set_option(name, value)?;
        }
        Ok(session)
    }

    /// Serves line after line; `left` is disconnected once nobody listens any more.
    fn serve(mut self, arrivals: &Receiver<Arrival>, left: &Receiver<()>) {
        loop {
            select! {
                recv(arrivals) -> arrival => match arrival {
                    Ok((line, received)) => {
                        if self.hear(line, received) == Flow::Quit {
                            break;
                        }
                    }
                    Err(_) => break,
                },
                recv(left) -> _ => {
                    self.controller.stop();
                    break;
                }
            }
        }
        self.controller.wait();
        self.after_all_is_told(Order::Finish);
    }

    fn hear(&mut self, line: Result<String, Rejected>, received: Instant) -> Flow {
        let command = line.and_then(|line| {
            lock(&self.log).record(Direction::In, received, &line);
            let beginning = self.beginning;
            self.beginning &= line.trim().is_empty();
            if let Some(dialect) = Dialect::asked_for_by(&line, beginning) {
                self.speak(dialect)?;
            }
            lock(&self.speaker).parse(&line, received)
        });
        match command {
            Ok(command) => self.carry_out(command),
            Err(reason) => {
                self.tell(Event::Message(reason.0));
                Flow::Continue
            }
        }
    }

    fn carry_out(&mut self, command: Command) -> Flow {
        let done = match command {
            Command::Hello => {
                self.tell(Event::Hello(self.options()));
                Ok(())
            }
            Command::IsReady => {
                self.controller.ready();
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::NewGame => {
                self.controller.new_game();
                Ok(())
            }
            Command::Position { text, turns } => {
                let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
                self.controller.set_position(&text, &turns)
            }
            Command::Go(limits) => {
                self.controller.go(limits);
                Ok(())
            }
            Command::Stop => {
                self.controller.stop();
                Ok(())
            }
            Command::GameOver => {
                self.controller.game_over();
                Ok(())
            }
            Command::PonderHit(limits) => {
                self.controller.ponder_hit(limits);
                Ok(())
            }
            Command::Query(query) => {
                self.controller.query(query);
                Ok(())
            }
            Command::Show(show) => {
                self.controller.show(show);
                Ok(())
            }
            Command::Wait => {
                self.controller.wait();
                self.after_all_is_told(Order::Barrier);
                Ok(())
            }
            Command::Say(event) => {
                self.tell(event);
                Ok(())
            }
            Command::Batch(commands) => {
                for command in commands {
                    if self.carry_out(command) == Flow::Quit {
                        return Flow::Quit;
                    }
                }
                Ok(())
            }
            Command::Nothing => Ok(()),
            Command::Quit => {
                self.controller.stop();
                return Flow::Quit;
            }
        };
        if let Err(reason) = done {
            self.tell(Event::Message(reason.0));
        }
        Flow::Continue
    }

    /// Nobody reads what cannot be sent.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Waits until the writer has told everything that was sent before.
    fn after_all_is_told(&self, order: fn(Sender<()>) -> Order) {
        let (done, told) = bounded(0);
        if self.orders.send(order(done)).is_ok() {
            let _ = told.recv();
        }
    }

    /// Changes the dialect once everything said so far is told in the former one.
    fn speak(&mut self, dialect: Dialect) -> Result<(), Rejected> {
        if dialect == self.dialect {
            return Ok(());
        }
        if let Some(game) = dialect.game() {
            self.set_game(game)?;
        }
        self.after_all_is_told(Order::Barrier);
        *lock(&self.speaker) = dialect.speaker();
        self.dialect = dialect;
        Ok(())
    }

    fn options(&self) -> Vec<OptionLine> {
        let mut options = Vec::new();
        // A shogi GUI would only be confused by a choice of games.
        if self.dialect != Dialect::Usi {
            let kind = OptionKind::Combo(self.controller.game(), self.games.to_vec());
            options.push(OptionLine { name: "Game", kind });
        }
        options.extend(self.controller.options());
        options.push(OptionLine { name: "LogFile", kind: OptionKind::File("") });
        options
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), Rejected> {
        if name.eq_ignore_ascii_case("Game") {
            return self.set_game(value);
        }
        if name.eq_ignore_ascii_case("LogFile") {
            let path = if value == "<empty>" { "" } else { value.trim() };
            return lock(&self.log)
                .open(path)
                .map_err(|error| Rejected(format!("option LogFile: cannot write '{path}': {error}")));
        }
        self.controller.set_option(name, value)?;
        self.settings.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.settings.push((name.to_string(), value.to_string()));
        Ok(())
    }

    /// Changes the game; options that the new one knows, too, keep their values.
    fn set_game(&mut self, game: &str) -> Result<(), Rejected> {
        let game = game.trim().to_ascii_lowercase();
        if game == self.controller.game() {
            return Ok(());
        }
        let mut controller = make(&self.factory, self.games, &game, &self.events)?;
        for (name, value) in &self.settings {
            // The new game need not know the options of the old one.
            let _ = controller.set_option(name, value);
        }
        self.controller.stop();
        self.controller.wait();
        self.controller = controller;
        Ok(())
    }
}

fn make(
    factory: &Factory,
    games: &[&str],
    game: &str,
    events: &Sender<Event>,
) -> Result<Box<dyn Controller>, Rejected> {
    factory(game, events.clone()).unwrap_or_else(|| {
        let game = crate::protocol::words::abbreviated(game);
        Err(Rejected(format!("option Game: '{game}' is not one of: {}", games.join(" "))))
    })
}
