//! The loop between a pair of streams and a [`Controller`].
//!
//! ```text
//! input ──reader thread──► lines, each with its time ──► session thread ──► Controller
//! output ◄──writer thread◄── events ◄────────────────────────┴──────────────────┘
//! ```
//!
//! No call of the session blocks while a search runs, so `stop`, `ponderhit`, `isready` and `quit` are
//! served at any time. The session thread is no child of the caller's, so that a caller whose
//! reader has gone need not wait for work whose result is not read.
//!
//! Where the system does not grant these threads, the caller's thread does their work alternately.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

pub mod polled;

use std::io::{BufReader, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::{self, Builder};
use std::time::Duration;

use crossbeam_channel::{
    Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, never, select, tick, unbounded,
};
use log::debug;

use crate::protocol::backlog::{self, InputLine, LineReceiver, LineSender};
use crate::protocol::gtp::GtpRefusal;
use crate::protocol::lines::{LineSplitter, LostInput};
use crate::protocol::log::{Direction, Log};
use crate::protocol::nboard::NBoardRefusal;
use crate::protocol::tokens::{engine_option, usi_option};
use crate::protocol::waker::Waker;
use crate::protocol::words::abbreviated;
use crate::protocol::writer::{OutputWriter, SharedProtocol, WriterEnd, WriterOrder, Writing, lock};
use crate::protocol::{Dialect, Protocol, ProtocolCommand};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::event::{EngineEvent, MOST_PENDING};
use kaeshi_core::driver::slice;
use kaeshi_core::game::GameError;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::options::{OptionKind, OptionLine};
use kaeshi_core::time::Instant;

/// The file beside the program that changes defaults, as YaneuraOu has it.
pub const DEFAULTS_FILE: &str = "engine_options.txt";
/// The log that `WriteDebugLog` writes, as YaneuraOu has it.
const DEBUG_LOG: &str = "io_log.txt";
/// How long the work may take to end once the output has no reader.
const GRACE: Duration = Duration::from_millis(500);

/// How long the output may stay unread after `quit` or the end of the input: with [`DRAIN_POLL_INTERVAL`] and the end of
/// the process less than 2 s.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(1_800);
/// How often it is looked whether the output is read then.
const DRAIN_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How often it is looked whether the output is read while too much waits.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Makes the engine of a game by the game's name; `None` for a game it does not know. The engine
/// sends everything through the sender.
pub type Factory =
    Box<dyn Fn(&str, Sender<EngineEvent>) -> Option<Result<Box<dyn Controller>, GameError>> + Send>;

/// What a session begins with.
pub struct SessionSetup {
    /// Makes the engines.
    pub factory: Factory,
    /// The games that the factory knows.
    pub games: &'static [&'static str],
    /// The game that is played unless the other side asks for another one.
    pub game: String,
    /// Whether a person chose that game: then a protocol that has no words for it does not change it.
    pub game_is_chosen: bool,
    /// Other defaults for options, printed as such. Those that do not fit give a remark only.
    pub defaults: Vec<(String, String)>,
    /// Options to set at once, in this order.
    pub options: Vec<(String, String)>,
    /// The dialect that is in use before the other side names one.
    pub dialect: Dialect,
}

/// Speaks with the other side until it says `quit` or its input ends; then bounded searches are
/// finished and answered, endless ones stopped and answered. Ends quietly if the output has no reader.
///
/// # Errors
/// If the game is unknown, cannot be loaded, or refuses one of the options; if a thread of the session panicked;
/// or if a `go` was answered without a proper search, for lack of memory or because that panicked.
pub fn run<R, W>(input: R, output: W, setup: SessionSetup) -> Result<(), GameError>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let (events, reports) = unbounded();
    let (orders, ordered) = unbounded();
    let (listening, hung_up) = bounded(1);
    let interrupt = Interrupt::default();
    let session = ProtocolSession::new(setup, events, orders, interrupt.clone())?;
    let writing = Arc::new(Writing::default());
    let waker = Waker::default();
    let writer = OutputWriter {
        events: reports,
        orders: ordered,
        speaker: session.speaker.clone(),
        log: session.log.clone(),
        out: Some(output),
        listening: Some(listening),
        waker: waker.clone(),
        writing: Arc::clone(&writing),
    };
    let (lines, arrivals) = backlog::queue();
    let (open, mut over) = bounded::<()>(0);
    let written = Arc::clone(&writing);
    let reader = InputReader {
        input,
        lines,
        waker: waker.clone(),
        interrupt,
        open: Some(open),
        writing: written,
        dropped: 0,
    };
    // It may wait for a line that never comes, and so is never waited for.
    if let Err(reader) = on_new_thread(reader, InputReader::run) {
        return session
            .serve_alone(writer, LineSplitter::new(BufReader::new(reader.input)).map(InputLine::new));
    }
    if let Err(writer) = on_new_thread(writer, OutputWriter::run) {
        return session.serve_alone(writer, arrivals);
    }
    let (working, done) = bounded(1);
    let (leave, left) = bounded::<()>(0);
    let attended = waker.clone();
    let serve = move |(session, arrivals, left, working): (
        ProtocolSession,
        LineReceiver,
        Receiver<()>,
        Sender<_>,
    )| {
        attended.register_thread();
        let _ = working.send(session.serve(&arrivals, &left));
    };
    if let Err((session, arrivals, left, _)) = on_new_thread((session, arrivals, left, working), serve) {
        drop(left);
        waker.register_thread();
        return session.serve(&arrivals, &hung_up);
    }
    let panicked = || GameError::failed("internal error, please report: the session panicked");
    let mut look = never();
    loop {
        select! {
            recv(done) -> ended => return ended.unwrap_or_else(|_| Err(panicked())),
            recv(hung_up) -> gone => {
                drop(leave);
                waker.ring();
                if gone == Ok(WriterEnd::Finished) {
                    // What is left to do for the session, to give memory back, may take as long as it takes.
                    return done.recv().unwrap_or_else(|_| Err(panicked()));
                }
                return match (done.recv_timeout(GRACE), gone) {
                    (Ok(ended), _) => ended,
                    (Err(RecvTimeoutError::Timeout), Ok(_)) => Ok(()),
                    (Err(_), _) => Err(panicked()),
                };
            }
            recv(over) -> _ => (over, look) = (never(), tick(DRAIN_POLL_INTERVAL)),
            // The output has no reader: remaining lines would never be written.
            recv(look) -> _ => if writing.waits() > DRAIN_TIMEOUT { return Ok(()) },
        }
    }
}

/// Does `work` with `value` on a new thread; gives the value back where the system grants none.
fn on_new_thread<T: Send + 'static>(value: T, work: impl FnOnce(T) + Send + 'static) -> Result<(), T> {
    let given = Arc::new(Mutex::new(Some(value)));
    let taken = Arc::clone(&given);
    let thread = Builder::new().spawn(move || {
        slice::request_short_slice();
        let value = lock(&taken).take();
        value.map(work);
    });
    match thread {
        Ok(_) => Ok(()),
        Err(_) => lock(&given).take().map_or(Ok(()), Err),
    }
}

/// Reads lines as they come.
struct InputReader<R> {
    input: R,
    lines: LineSender,
    /// Rings for every line; behind `lines`, for the end of the input.
    waker: Waker,
    interrupt: Interrupt,
    /// Closed at `quit` or at the end of the input.
    open: Option<Sender<()>>,
    /// Whether somebody reads the output.
    writing: Arc<Writing>,
    /// Lines that were dropped since the last one that was kept.
    dropped: u64,
}

impl<R: Read> InputReader<R> {
    fn run(mut self) {
        for line in LineSplitter::new(BufReader::new(self.input)) {
            let line = InputLine::new(line);
            let end = line.asks_to_quit() && self.open.take().is_some();
            while !end
                && !self.lines.has_room()
                && self.writing.waits() <= DRAIN_TIMEOUT
                && !self.lines.is_abandoned()
            {
                thread::sleep(POLL_INTERVAL);
            }
            // The end has to be seen, however many unanswered lines come before it.
            if !self.lines.has_room() && !self.lines.is_abandoned() && !end {
                self.dropped += 1;
                continue;
            }
            if self.dropped > 0 {
                self.lines.send(InputLine::new(Err(LostInput::Lines(self.dropped))));
                self.dropped = 0;
            }
            if line.urgent {
                self.interrupt.raise();
            }
            if !self.lines.send(line) {
                return;
            }
            self.waker.ring();
        }
    }
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

struct ProtocolSession {
    factory: Factory,
    games: &'static [&'static str],
    controller: Box<dyn Controller>,
    /// Options set so far, for the next engine if the game changes.
    settings: Vec<(String, String)>,
    /// Other defaults than those of the program.
    defaults: Vec<(String, String)>,
    /// Those among them that belong to the dialect and were not set by the other side since.
    of_dialect: Vec<(String, String)>,
    events: Sender<EngineEvent>,
    orders: Sender<WriterOrder>,
    /// Raised while a command waits that must not.
    interrupt: Interrupt,
    dialect: Dialect,
    /// Whether a person chose the game that the session began with.
    game_is_chosen: bool,
    /// What an engine that was exchanged for that of another game had failed in.
    failure: Option<GameError>,
    /// Nothing has been said yet.
    beginning: bool,
    /// Whether options may name files.
    has_files: bool,
    speaker: SharedProtocol,
    log: Arc<Mutex<Log>>,
}

impl ProtocolSession {
    fn new(
        setup: SessionSetup,
        events: Sender<EngineEvent>,
        orders: Sender<WriterOrder>,
        interrupt: Interrupt,
    ) -> Result<ProtocolSession, GameError> {
        let mut controller = make(&setup.factory, setup.games, &setup.game, &events)?;
        controller.set_interrupt(interrupt.clone());
        let mut session = ProtocolSession {
            factory: setup.factory,
            games: setup.games,
            controller,
            settings: Vec::new(),
            of_dialect: Vec::new(),
            defaults: Vec::new(),
            events,
            orders,
            interrupt,
            dialect: setup.dialect,
            game_is_chosen: setup.game_is_chosen,
            failure: None,
            beginning: true,
            has_files: true,
            speaker: Arc::new(Mutex::new(setup.dialect.speaker(&setup.game))),
            log: Arc::new(Mutex::new(Log::default())),
        };
        for (name, value) in setup.defaults {
            match session.set_option(&name, &value) {
                Ok(()) => session.defaults.push((name, value)),
                Err(reason) => session.report(EngineEvent::Message(format!("{DEFAULTS_FILE}: {reason}"))),
            }
        }
        for (name, value) in &setup.options {
            session.set_option(name, value)?;
        }
        session.game_is_chosen =
            setup.game_is_chosen || setup.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Game"));
        Ok(session)
    }

    /// Serves line after line; `left` hears of it or is disconnected once the output has no reader. The calling
    /// thread attends the bell that rings for both.
    fn serve<T>(mut self, arrivals: &LineReceiver, left: &Receiver<T>) -> Result<(), GameError> {
        loop {
            let late = self.controller.wake_at();
            if late.is_some_and(|late| late <= Instant::now()) {
                self.controller.wake();
                continue;
            }
            match arrivals.try_recv() {
                Ok(arrival) => {
                    if arrival.urgent {
                        self.interrupt.lower();
                    }
                    if !self.is_read(left) {
                        self.controller.stop();
                        break;
                    }
                    if self.handle_line(arrival) == Flow::Quit {
                        break;
                    }
                }
                Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) if matches!(left.try_recv(), Err(TryRecvError::Empty)) => {
                    Waker::wait(late)
                }
                Err(TryRecvError::Empty) => {
                    self.controller.stop();
                    break;
                }
            }
        }
        self.controller.wait();
        self.after_all_is_printed(WriterOrder::Finish);
        self.end()
    }

    fn end(self) -> Result<(), GameError> {
        self.controller.failure().or(self.failure).map_or(Ok(()), Err)
    }

    /// Waits while too much is to be printed: a client that does not read gets no service, or the answers would fill the
    /// memory. Whether anybody listens at all.
    fn is_read<T>(&self, left: &Receiver<T>) -> bool {
        while self.events.len() > MOST_PENDING {
            match left.recv_timeout(POLL_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    /// Serves line after line and writes what there is to print after each, all on this thread.
    fn serve_alone<W: Write>(
        mut self,
        mut writer: OutputWriter<W>,
        arrivals: impl Iterator<Item = InputLine>,
    ) -> Result<(), GameError> {
        // A thread that waits for the writer sees a closed channel and goes on.
        let (_, nobody) = unbounded();
        writer.orders = nobody;
        for arrival in arrivals {
            if arrival.urgent {
                self.interrupt.lower();
            }
            let flow = self.handle_line(arrival);
            writer.catch_up();
            if flow == Flow::Quit || writer.out.is_none() {
                break;
            }
        }
        self.controller.wait();
        writer.catch_up();
        self.end()
    }

    fn handle_line(&mut self, InputLine { text, received, .. }: InputLine) -> Flow {
        let line = match text {
            Ok(line) => line,
            Err(lost) => {
                let command = lock(&self.speaker).lost(&lost);
                return self.carry_out(command);
            }
        };
        let mut parsed = || {
            debug!("> {line}");
            lock(&self.log).record(Direction::In, received, &line);
            let beginning = self.beginning;
            self.beginning &= line.trim().is_empty();
            if let Some(dialect) = Dialect::asked_for_by(&line, beginning) {
                self.speak(dialect)?;
            }
            lock(&self.speaker).parse(&line, received)
        };
        match parsed() {
            Ok(command) => self.carry_out(command),
            Err(reason) => {
                self.report(EngineEvent::Message(reason.into()));
                Flow::Continue
            }
        }
    }

    fn carry_out(&mut self, command: ProtocolCommand) -> Flow {
        let done = match command {
            ProtocolCommand::Hello => {
                self.report(EngineEvent::Hello(self.options()));
                Ok(())
            }
            ProtocolCommand::IsReady => {
                self.controller.ready();
                Ok(())
            }
            ProtocolCommand::SetOption { name, value } => {
                let set = self.set_option(&name, &value);
                // What the other side sets outlasts the dialect.
                if set.is_ok() && value_of(&self.of_dialect, &name).is_some() {
                    self.of_dialect.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
                    self.defaults.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
                }
                set
            }
            ProtocolCommand::GetOption(name) => self.get_option(name.as_deref()),
            ProtocolCommand::NewGame => {
                self.controller.new_game();
                Ok(())
            }
            ProtocolCommand::Position { text, turns } => {
                let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
                self.controller.set_position(&text, &turns).map_err(|reason| {
                    let reason = lock(&self.speaker).reworded(reason);
                    // The next `go` repeats it.
                    self.controller.reword_refusal(reason.clone());
                    reason
                })
            }
            ProtocolCommand::RefusePosition(reason) => {
                self.controller.refuse_position(reason);
                Ok(())
            }
            ProtocolCommand::Go(limits) => {
                self.controller.go(limits);
                Ok(())
            }
            ProtocolCommand::Stop => {
                self.controller.stop();
                Ok(())
            }
            ProtocolCommand::GameOver => {
                self.controller.game_over();
                Ok(())
            }
            ProtocolCommand::PonderHit(limits) => {
                self.controller.ponder_hit(limits);
                Ok(())
            }
            ProtocolCommand::Query(query) => {
                self.controller.query(query);
                Ok(())
            }
            ProtocolCommand::Show(show) => {
                self.controller.show(show);
                Ok(())
            }
            ProtocolCommand::Wait => {
                self.controller.wait();
                self.after_all_is_printed(WriterOrder::Barrier);
                Ok(())
            }
            ProtocolCommand::Say(event) => {
                self.report(event);
                Ok(())
            }
            ProtocolCommand::Batch(commands) => {
                for command in commands {
                    if self.carry_out(command) == Flow::Quit {
                        return Flow::Quit;
                    }
                }
                Ok(())
            }
            ProtocolCommand::Nothing => Ok(()),
            ProtocolCommand::Quit => {
                self.controller.stop();
                return Flow::Quit;
            }
        };
        if let Err(reason) = done {
            self.report(EngineEvent::Message(reason.into()));
        }
        Flow::Continue
    }

    /// What cannot be sent has no reader.
    fn report(&self, event: EngineEvent) {
        let _ = self.events.send(event);
    }

    /// Waits until the writer has printed everything that was sent before.
    fn after_all_is_printed(&self, order: fn(Sender<()>) -> WriterOrder) {
        let (done, printed) = bounded(0);
        if self.orders.send(order(done)).is_ok() {
            let _ = printed.recv();
        }
    }

    /// Changes the dialect once everything so far is printed in the former one.
    fn speak(&mut self, dialect: Dialect) -> Result<(), GameError> {
        if dialect == self.dialect {
            return Ok(());
        }
        let chosen = self.controller.game();
        let speaker = match dialect.games().first() {
            Some(_) if dialect.games().contains(&chosen) => dialect.speaker(chosen),
            Some(_) if self.game_is_chosen => self.refusing(dialect),
            Some(usual) => {
                self.set_game(usual)?;
                dialect.speaker(usual)
            }
            None => dialect.speaker(chosen),
        };
        // A running search is answered in the words in which it was asked for.
        self.controller.stop();
        self.controller.wait();
        self.after_all_is_printed(WriterOrder::Barrier);
        *lock(&self.speaker) = speaker;
        self.dialect = dialect;
        self.change_defaults(dialect.defaults());
        if !dialect.asks_whether_ready() {
            self.controller.prepare();
        }
        Ok(())
    }

    /// Gives up the other defaults of the former dialect and sets those of the new one, but for options that were set.
    fn change_defaults(&mut self, defaults: &[(&str, &str)]) {
        for (name, _) in std::mem::take(&mut self.of_dialect) {
            self.defaults.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
            self.settings.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
            let usual = self.options().into_iter().find(|option| is_called(option, &name));
            if let Some(usual) = usual {
                let _ = self.controller.set_option(&name, &usual.kind.default_value());
            }
        }
        for &(name, value) in defaults {
            if value_of(&self.settings, name).is_some() {
                continue;
            }
            let (name, value) = (name.to_owned(), value.to_owned());
            // A game without this option need not hear of it, but the next one may.
            if self.set_option(&name, &value).is_err() {
                self.settings.push((name.clone(), value.clone()));
            }
            self.defaults.push((name.clone(), value.clone()));
            self.of_dialect.push((name, value));
        }
    }

    /// A speaker of `dialect`, which does not have the game that was chosen: it refuses every command.
    fn refusing(&self, dialect: Dialect) -> Box<dyn Protocol> {
        let chosen = self.controller.game();
        match dialect {
            Dialect::NBoard => Box::new(NBoardRefusal::new(chosen)),
            _ => Box::new(GtpRefusal::new(chosen)),
        }
    }

    fn options(&self) -> Vec<OptionLine> {
        let mut options = Vec::new();
        // A shogi GUI would only be confused by a choice of games.
        if self.dialect != Dialect::Usi {
            let kind = OptionKind::Combo(self.controller.game(), self.games.to_vec());
            options.push(OptionLine::new("Game", kind, "the game that is played"));
        }
        options.extend(self.controller.options());
        if self.has_files {
            options.extend(log_options());
        } else {
            options.retain(|option| !matches!(option.kind, OptionKind::File(_)));
        }
        for option in &mut options {
            if let Some(value) = value_of(&self.defaults, option.name) {
                option.kind = option.kind.clone().with_default(value);
            }
        }
        options
    }

    /// Prints the values in force, as YaneuraOu does.
    fn get_option(&self, name: Option<&str>) -> Result<(), GameError> {
        let options = self.options();
        let asked = |option: &&OptionLine| name.is_none_or(|name| is_called(option, name));
        let mut found = options.iter().filter(asked).peekable();
        if found.peek().is_none() {
            return Err(GameError::option(format!(
                "No such option: {}",
                abbreviated(name.unwrap_or_default())
            )));
        }
        for OptionLine { name, kind, .. } in found {
            let value = value_of(&self.settings, name).map_or_else(|| kind.default_value(), str::to_owned);
            let shown = if self.dialect == Dialect::Usi { usi_option(name) } else { (*name).to_string() };
            self.report(EngineEvent::Text(format!("Options[{shown}] == {value}")));
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError> {
        if name.eq_ignore_ascii_case("Game") {
            return self.set_game(value);
        }
        let log = name.eq_ignore_ascii_case("LogFile");
        let is_file = |option: &OptionLine| {
            option.name.eq_ignore_ascii_case(name) && matches!(option.kind, OptionKind::File(_))
        };
        let named = || log || name.eq_ignore_ascii_case("WriteDebugLog");
        if !self.has_files && (named() || self.controller.options().iter().any(is_file)) {
            return Err(GameError::unsupported(format!(
                "option {}: there are no files here",
                abbreviated(name)
            )));
        }
        if log || name.eq_ignore_ascii_case("WriteDebugLog") {
            let path = match value.trim() {
                "<empty>" => "",
                "false" if !log => "",
                "true" if !log => DEBUG_LOG,
                path => path,
            };
            return lock(&self.log)
                .open(path)
                .map_err(|error| GameError::file(format!("option {name}: cannot write '{path}': {error}")));
        }
        self.controller.set_option(name, value)?;
        debug!("option {name} is set to '{}'", abbreviated(value));
        let options = self.controller.options();
        let name = options.iter().find(|option| is_called(option, name)).map_or(name, |option| option.name);
        self.settings.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.settings.push((name.to_string(), value.to_string()));
        Ok(())
    }

    /// Changes the game; options that the new one knows, too, keep their values.
    fn set_game(&mut self, game: &str) -> Result<(), GameError> {
        let game = game.trim().to_ascii_lowercase();
        if game == self.controller.game() {
            return Ok(());
        }
        let mut controller = make(&self.factory, self.games, &game, &self.events)?;
        controller.set_interrupt(self.interrupt.clone());
        for (name, value) in &self.settings {
            // The new game need not know the options of the old one.
            let _ = controller.set_option(name, value);
        }
        self.controller.stop();
        self.controller.wait();
        self.failure = self.controller.failure().or(self.failure.take());
        self.controller = controller;
        // Chosen by the other side, which may choose again.
        self.game_is_chosen = false;
        Ok(())
    }
}

/// Whether the option has this name or alias.
fn is_called(option: &OptionLine, name: &str) -> bool {
    [Some(option.name), option.alias].into_iter().flatten().any(|known| known.eq_ignore_ascii_case(name))
}

/// What was set for an option.
fn value_of<'a>(set: &'a [(String, String)], name: &str) -> Option<&'a str> {
    set.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The options of sessions that have files.
pub fn log_options() -> [OptionLine; 2] {
    let file = "file to which commands and answers are written; empty for none";
    let switch = "whether commands and answers are written to io_log.txt";
    [
        OptionLine::new("LogFile", OptionKind::File(""), file).local(),
        OptionLine::new("WriteDebugLog", OptionKind::Check(false), switch).local(),
    ]
}

/// The settings in a file of defaults: lines as the `usi` command prints them (`option name ... default ...`),
/// as a GUI sends them (`setoption name ... value ...`), or `NAME VALUE`; `#` and `//` begin remarks.
pub fn read_defaults(text: &str) -> Vec<(String, String)> {
    let setting = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("setoption ").or_else(|| line.strip_prefix("option ")).unwrap_or(line);
        let line = line.strip_prefix("name ").unwrap_or(line);
        let (name, rest) = line.split_once(char::is_whitespace)?;
        let mut words = rest.split_whitespace().peekable();
        if let Some(&("type" | "value")) = words.peek() {
            words.by_ref().find(|word| ["default", "value"].contains(word))?;
        }
        let value: Vec<&str> = words.take_while(|word| !["min", "max", "var"].contains(word)).collect();
        let ignored = name.starts_with('#') || name.starts_with("//");
        (!ignored).then(|| (engine_option(name).to_string(), value.join(" ")))
    };
    text.trim_start_matches('\u{feff}').lines().filter_map(setting).collect()
}

fn make(
    factory: &Factory,
    games: &[&str],
    game: &str,
    events: &Sender<EngineEvent>,
) -> Result<Box<dyn Controller>, GameError> {
    factory(game, events.clone()).unwrap_or_else(|| {
        let game = abbreviated(game);
        Err(GameError::option(format!("option Game: '{game}' is not one of: {}", games.join(" "))))
    })
}
