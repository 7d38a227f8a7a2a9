//! The reaction of the session to one line: calls of the [`Controller`], and events.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::sync::{Arc, Mutex};

use crossbeam_channel::{Sender, bounded};
use log::debug;

use crate::protocol::backlog::InputLine;
use crate::protocol::gtp::GtpRefusal;
use crate::protocol::log::{Direction, Log};
use crate::protocol::nboard::NBoardRefusal;
use crate::protocol::session::defaults::DEFAULTS_FILE;
use crate::protocol::session::options::{SessionOptions, is_called};
use crate::protocol::session::setup::{Factory, SessionSetup, make};
use crate::protocol::tokens::usi_option;
use crate::protocol::words::abbreviated;
use crate::protocol::writer::{SharedProtocol, WriterOrder, lock};
use crate::protocol::{Dialect, Protocol, ProtocolCommand};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::game::GameError;
use kaeshi_core::game::interrupt::Interrupt;
use kaeshi_core::game::options::{OptionKind, OptionLine};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Continue,
    Quit,
}

/// A dialogue: the engine in use, and the state of the session.
pub(super) struct ProtocolSession {
    factory: Factory,
    games: &'static [&'static str],
    pub controller: Box<dyn Controller>,
    pub options: SessionOptions,
    pub events: Sender<EngineEvent>,
    orders: Sender<WriterOrder>,
    /// Raised while `stop`, `quit` or another urgent line is queued; long operations poll it and return early.
    pub interrupt: Interrupt,
    dialect: Dialect,
    /// Whether a person chose the game that the session began with.
    game_is_chosen: bool,
    /// A failure of an engine that was replaced by that of another game.
    pub failure: Option<GameError>,
    /// Whether no command has arrived yet.
    beginning: bool,
    pub speaker: SharedProtocol,
    pub log: Arc<Mutex<Log>>,
}

impl ProtocolSession {
    /// # Errors
    /// If the game is unknown, cannot be loaded, or refuses one of the options.
    pub fn new(
        setup: SessionSetup,
        events: Sender<EngineEvent>,
        orders: Sender<WriterOrder>,
        interrupt: Interrupt,
    ) -> Result<ProtocolSession, GameError> {
        let mut controller = make(&setup.factory, setup.games, &setup.game, &events)?;
        controller.set_interrupt(interrupt.clone());
        let log = Arc::new(Mutex::new(Log::default()));
        let mut session = ProtocolSession {
            factory: setup.factory,
            games: setup.games,
            controller,
            options: SessionOptions::new(Arc::clone(&log)),
            events,
            orders,
            interrupt,
            dialect: setup.dialect,
            game_is_chosen: setup.game_is_chosen,
            failure: None,
            beginning: true,
            speaker: Arc::new(Mutex::new(setup.dialect.speaker(&setup.game))),
            log,
        };
        for (name, value) in setup.defaults {
            match session.set_option(&name, &value) {
                Ok(()) => session.options.add_default(name, value),
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

    /// Carries out the command of a line. Errors are reported, not returned.
    pub fn handle_line(&mut self, InputLine { text, received, .. }: InputLine) -> Flow {
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
                self.report(EngineEvent::Hello(self.option_list()));
                Ok(())
            }
            ProtocolCommand::IsReady => {
                self.controller.ready();
                Ok(())
            }
            ProtocolCommand::SetOption { name, value } => {
                self.set_option(&name, &value).inspect(|()| self.options.outlast_dialect(&name))
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

    /// Sends an event. It is lost if the output has no reader.
    fn report(&self, event: EngineEvent) {
        let _ = self.events.send(event);
    }

    /// Waits until the writer has printed everything that was sent before.
    pub fn after_all_is_printed(&self, order: fn(Sender<()>) -> WriterOrder) {
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
        self.options.change_dialect(dialect.defaults(), &mut *self.controller);
        if !dialect.asks_whether_ready() {
            self.controller.prepare();
        }
        Ok(())
    }

    /// A speaker of `dialect`, which does not have the game that was chosen: it refuses every command.
    fn refusing(&self, dialect: Dialect) -> Box<dyn Protocol> {
        let chosen = self.controller.game();
        match dialect {
            Dialect::NBoard => Box::new(NBoardRefusal::new(chosen)),
            _ => Box::new(GtpRefusal::new(chosen)),
        }
    }

    fn option_list(&self) -> Vec<OptionLine> {
        // A shogi GUI would only be confused by a choice of games.
        let game = (self.dialect != Dialect::Usi).then(|| {
            let kind = OptionKind::Combo(self.controller.game(), self.games.to_vec());
            OptionLine::new("Game", kind, "the game that is played")
        });
        self.options.list(game, &*self.controller)
    }

    /// Prints the values in force, as YaneuraOu does.
    fn get_option(&self, name: Option<&str>) -> Result<(), GameError> {
        let options = self.option_list();
        let asked = |option: &&OptionLine| name.is_none_or(|name| is_called(option, name));
        let mut found = options.iter().filter(asked).peekable();
        if found.peek().is_none() {
            return Err(GameError::option(format!(
                "No such option: {}",
                abbreviated(name.unwrap_or_default())
            )));
        }
        for option in found {
            let (name, value) = (option.name, self.options.value(option));
            let shown = if self.dialect == Dialect::Usi { usi_option(name) } else { name.to_owned() };
            self.report(EngineEvent::Text(format!("Options[{shown}] == {value}")));
        }
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), GameError> {
        if name.eq_ignore_ascii_case("Game") {
            return self.set_game(value);
        }
        self.options.set(name, value, &mut *self.controller)
    }

    /// Changes the game; options that the new one knows, too, keep their values.
    fn set_game(&mut self, game: &str) -> Result<(), GameError> {
        let game = game.trim().to_ascii_lowercase();
        if game == self.controller.game() {
            return Ok(());
        }
        let mut controller = make(&self.factory, self.games, &game, &self.events)?;
        controller.set_interrupt(self.interrupt.clone());
        self.options.hand_over(&mut *controller);
        self.controller.stop();
        self.controller.wait();
        self.failure = self.controller.failure().or(self.failure.take());
        self.controller = controller;
        // Chosen by the other side, which may choose again.
        self.game_is_chosen = false;
        Ok(())
    }
}
