//! NBoard 2, the protocol of Othello GUIs.

use std::io::Write as _;
use std::time::Instant;

use kaeshi_core::game::Side;

use super::{
    DialogueError, GameStart, GoAnswer, Identity, ProtocolClient, ProtocolQuirks, Times, await_line,
};
use crate::dialogue::engine_process::EngineProcess;
use crate::dialogue::engine_process::reader::OutputLine;
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;

/// Depth that is set where neither limit nor habit names one.
const DEFAULT_DEPTH: u32 = 8;

/// The usual start as GGF writes it.
const START: &str = "8 ---------------------------O*------*O--------------------------- *";

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
        engine.send(format!("ping {}\n", self.ping).as_bytes(), deadline)?;
        let pong = format!("pong {}", self.ping);
        await_line(engine, deadline, |line| (line == pong).then_some(()))
    }

    /// The game so far in GGF.
    fn game(&self) -> String {
        let board = match &self.start.position {
            None => START.to_owned(),
            Some(text) => board(text),
        };
        let mut ggf = format!("(;GM[Othello]PC[kaeshi]PB[Black]PW[White]RE[?]TI[10:00]TY[8]BO[{board}]");
        for (side, turn) in &self.turns {
            let colour = if *side == Side::First { 'B' } else { 'W' };
            ggf.push_str(&format!("{colour}[{}]", spell(turn)));
        }
        ggf.push_str(";)");
        ggf
    }
}

/// A position text of 64 `-XO` and the side to move, in the letters of GGF.
fn board(text: &str) -> String {
    let letter = |c: char| match c {
        'X' | 'x' | '*' | 'B' | 'b' => '*',
        'O' | 'o' | 'W' | 'w' => 'O',
        _ => '-',
    };
    let compact: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let squares: String = compact.iter().take(64).map(|&c| letter(c)).collect();
    let mover = compact.get(64).map_or('*', |&c| letter(c));
    format!("8 {squares} {mover}")
}

fn spell(turn: &str) -> String {
    if turn == "pass" { "PA".into() } else { turn.to_ascii_uppercase() }
}

impl ProtocolClient for NBoardClient {
    fn greet(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<Identity, DialogueError> {
        engine.send(b"nboard 2\nping 0\n", deadline)?;
        let mut name = String::new();
        await_line(engine, deadline, |line| {
            if let Some(given) = line.strip_prefix("set myname ") {
                name = given.trim().to_owned();
            }
            (line == "pong 0").then_some(())
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
        let setup = format!("set depth {depth}\nset game {}\n", self.game());
        engine.send(setup.as_bytes(), deadline)?;
        self.barrier(engine, deadline)
    }

    fn played(&mut self, side: Side, turn: &str, _own: bool) {
        self.turns.push((side, turn.to_owned()));
    }

    fn prepare(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        let mut moves = String::new();
        for (_, turn) in &self.turns[self.sent..] {
            moves.push_str(&format!("move {}\n", spell(turn)));
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
        let rest = line.text.strip_prefix("===")?;
        let mut fields =
            rest.split(|c: char| c == '/' || c.is_whitespace()).filter(|field| !field.is_empty());
        Some(match fields.next().map(str::to_ascii_lowercase) {
            None => GoAnswer::Nonsense(line.text.clone()),
            Some(turn) => {
                if let Some(discs) = fields.next().and_then(|discs| discs.parse::<f64>().ok()) {
                    record.cp = Some((discs * 100.0).round() as i32);
                }
                GoAnswer::Turn(if turn == "pa" { "pass".into() } else { turn }, None)
            }
        })
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
        assert!(speaker.game().ends_with(&format!("BO[{START}]B[F5]W[PA];)")));
    }
}
