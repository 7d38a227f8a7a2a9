//! NBoard 2, the protocol of Othello GUIs.

use std::io::Write as _;
use std::time::Instant;

use kaeshi_core::game::Side;
use kaeshi_engine::protocol::nboard::codec::{self, NBoardAnswer, NBoardGame, move_line, ping, read_name};

use super::{
    DialogueError, GameStart, GoAnswer, Identity, ProtocolClient, ProtocolQuirks, Times, await_line,
};
use crate::dialogue::engine_process::EngineProcess;
use crate::dialogue::engine_process::reader::OutputLine;
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;

/// Depth that is set where neither limit nor habit names one.
const DEFAULT_DEPTH: u32 = 8;

/// A speaker of NBoard 2.
#[derive(Debug)]
pub struct NBoardClient {
    quirks: ProtocolQuirks,
    ping: u32,
    start: GameStart,
    turns: Vec<(Side, String)>,
    sent: usize,
}

impl NBoardClient {
    /// A speaker with these habits.
    pub fn new(quirks: ProtocolQuirks) -> NBoardClient {
        NBoardClient { quirks, ping: 0, start: GameStart::default(), turns: Vec::new(), sent: 0 }
    }

    fn barrier(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        self.ping += 1;
        engine.send(format!("{}\n", ping(self.ping)).as_bytes(), deadline)?;
        let pong = codec::pong(self.ping);
        await_line(engine, deadline, |line| (line == pong).then_some(()))
    }

    /// The game so far.
    fn game(&self) -> NBoardGame {
        NBoardGame::new(self.start.position.as_deref(), self.turns.clone())
    }
}

impl ProtocolClient for NBoardClient {
    fn greet(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<Identity, DialogueError> {
        engine.send(format!("{}\n{}\n", codec::HELLO, ping(0)).as_bytes(), deadline)?;
        let pong = codec::pong(0);
        let mut name = String::new();
        await_line(engine, deadline, |line| {
            if let Some(given) = read_name(line) {
                name = given.to_owned();
            }
            (line == pong).then_some(())
        })?;
        Ok(Identity { name, options: None })
    }

    fn set_option(
        &mut self,
        engine: &mut EngineProcess,
        name: &str,
        value: &str,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        match (name.to_ascii_lowercase().as_str(), value.parse::<u32>()) {
            ("depth", Ok(depth)) => {
                self.quirks.depth = Some(depth);
                Ok(())
            }
            ("contempt", Ok(contempt)) => {
                Ok(engine.send(format!("set contempt {contempt}\n").as_bytes(), deadline)?)
            }
            _ => Err(DialogueError::Bad(format!("NBoard has no option '{name}' with value '{value}'"))),
        }
    }

    fn ready(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        self.barrier(engine, deadline)
    }

    fn new_game(
        &mut self,
        engine: &mut EngineProcess,
        start: &GameStart,
        times: &Times,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        self.start.clone_from(start);
        self.turns.clone_from(&start.turns);
        self.sent = self.turns.len();
        let depth = match times.limits[times.me.index()] {
            ThinkingLimit::Depth(depth) => depth,
            _ => self.quirks.depth.unwrap_or(DEFAULT_DEPTH),
        };
        let setup = format!("set depth {depth}\n{}\n", self.game().line());
        engine.send(setup.as_bytes(), deadline)?;
        self.barrier(engine, deadline)
    }

    fn played(&mut self, side: Side, turn: &str, _own: bool) {
        self.turns.push((side, turn.to_owned()));
    }

    fn prepare(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        let mut moves = String::new();
        for (_, turn) in &self.turns[self.sent..] {
            moves.push_str(&format!("{}\n", move_line(turn)));
        }
        self.sent = self.turns.len();
        engine.send(moves.as_bytes(), deadline)?;
        self.barrier(engine, deadline)
    }

    fn compose(&mut self, _times: &Times, _guess: Option<&str>, _before: &mut Vec<u8>, go: &mut Vec<u8>) {
        let written = go.write_all(b"go\n");
        debug_assert!(written.is_ok(), "a vector takes every byte");
    }

    fn understand(&mut self, line: &OutputLine, record: &mut JournalMove) -> Option<GoAnswer> {
        let NBoardAnswer { turn, value, .. } = NBoardAnswer::parse(&line.text)?;
        if turn.is_empty() {
            return Some(GoAnswer::Nonsense(line.text.clone()));
        }
        record.cp = value.or(record.cp);
        Some(GoAnswer::Turn(turn, None))
    }

    fn stop_word(&self) -> Option<&'static str> {
        Some("ping 4000000000\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_slashes_and_with_blanks() {
        let mut speaker = NBoardClient::new(ProtocolQuirks::default());
        let mut said = |text: &str| {
            let line = OutputLine {
                stamp: Instant::now(),
                text: text.into(),
                info: String::new(),
                totals: String::new(),
            };
            let mut record = JournalMove::default();
            (speaker.understand(&line, &mut record), record.cp)
        };
        assert_eq!(said("=== F5/1.50/0.2"), (Some(GoAnswer::Turn("f5".into(), None)), Some(150)));
        assert_eq!(said("=== d3 -2 1.0"), (Some(GoAnswer::Turn("d3".into(), None)), Some(-200)));
        assert_eq!(said("=== PA/-64"), (Some(GoAnswer::Turn("pass".into(), None)), Some(-6400)));
        assert!(matches!(said("==="), (Some(GoAnswer::Nonsense(_)), None)));
        assert_eq!(said("pong 3"), (None, None));
    }

    #[test]
    fn the_game_so_far_is_ggf() {
        let mut speaker = NBoardClient::new(ProtocolQuirks::default());
        speaker.played(Side::First, "f5", false);
        speaker.played(Side::Second, "pass", false);
        assert!(speaker.game().line().ends_with(&format!("BO[{}]B[F5]W[PA];)", codec::START)));
    }
}
