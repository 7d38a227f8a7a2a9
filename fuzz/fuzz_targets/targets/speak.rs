//! Lines of the protocols, one after another: what a GUI says to us, and what an engine says to the match runner.

use std::cell::RefCell;
use std::io::BufReader;
use std::time::Instant;

use crossbeam_channel::{Receiver, unbounded};
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::driver::{Controller, Show};
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::lines::{LONGEST_LINE, LineSplitter};
use kaeshi_engine::protocol::option_line::Declared;
use kaeshi_engine::protocol::{Dialect, ProtocolCommand};
use kaeshi_match::dialogue::engine_process::reader::OutputLine;
use kaeshi_match::dialogue::info;
use kaeshi_match::dialogue::limits::ThinkingLimit;
use kaeshi_match::dialogue::speaker::{ProtocolQuirks, asker};
use kaeshi_match::tournament::journal::JournalMove;

use super::session::is_harmless;

pub fn usi(bytes: &[u8]) {
    speak(Dialect::Usi, GameName::Shogi, bytes);
}

pub fn ugi(bytes: &[u8]) {
    let game =
        if bytes.first().is_some_and(|byte| byte % 2 == 0) { GameName::Sygo } else { GameName::Reversi };
    speak(Dialect::Ugi, game, bytes.get(1..).unwrap_or_default());
}

pub fn nboard(bytes: &[u8]) {
    speak(Dialect::NBoard, GameName::Reversi, bytes);
}

pub fn gtp(bytes: &[u8]) {
    speak(Dialect::Gtp, GameName::Reversi, bytes);
}

type Engines = Vec<(GameName, Box<dyn Controller>, Receiver<EngineEvent>)>;

thread_local! {
    /// Made once: loading takes longer than the rest.
    static ENGINES: RefCell<Engines> = RefCell::default();
}

/// Feeds lines to a speaker, has an engine do what they command short of searching, and writes its events.
fn speak(dialect: Dialect, game: GameName, bytes: &[u8]) {
    ENGINES.with_borrow_mut(|engines| {
        let at = engines.iter().position(|(known, ..)| *known == game).unwrap_or_else(|| {
            let (sender, events) = unbounded();
            engines.push((game, game.engine(sender).expect("the defaults load"), events));
            engines.len() - 1
        });
        let (_, engine, events) = &mut engines[at];
        let (mut speaker, mut out) = (dialect.speaker(game.name()), Vec::new());
        for line in LineSplitter::new(bytes).flatten().filter(|line| is_harmless(line)) {
            let refused = match speaker.parse(&line, Instant::now()) {
                Ok(command) => obey(&mut **engine, command, &mut |event| speaker.write(&event, &mut out)),
                Err(reason) => Err(reason),
            };
            if let Err(reason) = refused {
                speaker.write(&EngineEvent::Message(reason.into()), &mut out).expect("memory can be written");
            }
            while let Ok(event) = events.try_recv() {
                speaker.write(&event, &mut out).expect("memory can be written");
            }
            // The writer makes ASCII of it.
            let whole = std::str::from_utf8(&out).is_ok_and(|text| text.lines().all(is_line));
            assert!(whole, "{line:?} is answered by {:?}", String::from_utf8_lossy(&out));
            out.clear();
        }
    });
}

fn is_line(text: &str) -> bool {
    !text.contains(char::is_control)
}

fn obey(
    engine: &mut dyn Controller,
    command: ProtocolCommand,
    say: &mut dyn FnMut(EngineEvent) -> std::io::Result<()>,
) -> Result<(), kaeshi_core::game::GameError> {
    match command {
        ProtocolCommand::SetOption { name, value } => engine.set_option(&name, &value)?,
        ProtocolCommand::Position { text, turns } => {
            let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
            engine.set_position(&text, &turns)?;
        }
        ProtocolCommand::RefusePosition(reason) => engine.refuse_position(reason),
        ProtocolCommand::Query(query) => engine.query(query),
        ProtocolCommand::Show(Show::Perft(_) | Show::Bench) => {}
        ProtocolCommand::Show(show) => engine.show(show),
        ProtocolCommand::NewGame => engine.new_game(),
        ProtocolCommand::GameOver => engine.game_over(),
        ProtocolCommand::Stop => engine.stop(),
        ProtocolCommand::PonderHit(limits) => engine.ponder_hit(limits),
        ProtocolCommand::Hello => say(EngineEvent::Hello(engine.options())).expect("memory can be written"),
        ProtocolCommand::Say(event) => say(event).expect("memory can be written"),
        ProtocolCommand::Batch(commands) => {
            for command in commands {
                obey(engine, command, say)?;
            }
        }
        ProtocolCommand::IsReady | ProtocolCommand::GetOption(_) | ProtocolCommand::Go(_) => {}
        ProtocolCommand::Wait | ProtocolCommand::Nothing | ProtocolCommand::Quit => {}
    }
    Ok(())
}

/// Any bytes at all, cut into lines.
pub fn lines(bytes: &[u8]) {
    for line in LineSplitter::new(BufReader::with_capacity(5, bytes)).flatten() {
        // A broken byte becomes a letter of three.
        assert!(line.len() <= 3 * LONGEST_LINE && !line.contains(char::is_control));
    }
}

/// Names and values of options: a line for each, `name=value`.
pub fn options(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for game in GameName::ALL {
        let (sender, _events) = unbounded();
        let mut engine = game.engine(sender).expect("the defaults load");
        for line in text.lines().filter(|line| is_harmless(line)) {
            if let Some((name, value)) = line.split_once('=') {
                let _ = engine.set_option(name, value);
            }
        }
        let _ = engine.set_position("startpos", &[]);
        engine.show(Show::Board);
    }
}

/// The output of an engine, as the match runner reads it.
pub fn engine_words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for dialect in Dialect::ASKED {
        let mut speaker = asker(dialect, ProtocolQuirks::default());
        let mut former = String::new();
        for text in text.lines() {
            if let Some(declared) = Declared::parse(text) {
                let _ = declared.check("1");
            }
            let mut record = JournalMove::default();
            info::fill(&mut record, text);
            let line = OutputLine {
                stamp: Instant::now(),
                text: text.to_owned(),
                info: former.clone(),
                totals: String::new(),
            };
            let _ = speaker.understand(&line, &mut record);
            text.clone_into(&mut former);
            if let Some((key, value)) = text.split_once('=') {
                let _ = ThinkingLimit::parse(key, value);
            }
        }
    }
}
