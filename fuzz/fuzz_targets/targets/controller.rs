//! The driver of a game under any order of commands: each byte is one. Every `go` is answered exactly once,
//! by a legal turn, and the game goes on with it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use kaeshi_core::driver::Controller;
use kaeshi_core::driver::clock::{Limits, MateLimit, SideClock};
use kaeshi_core::driver::event::{Best, EngineEvent};
use kaeshi_engine::games::GameName;
use kaeshi_records::referee::{RefereeBoard, RefereeRules, rules_by_name};

/// Options and values, some of which no engine takes.
const OPTIONS: &[(&str, &str)] = &[
    ("MultiPV", "3"),
    ("MultiPV", "1"),
    ("Threads", "2"),
    ("Threads", "1"),
    ("Hash", "1"),
    ("Hash", "2"),
    ("Ponder", "true"),
    ("Stochastic_Ponder", "true"),
    ("Search", "alphabeta"),
    ("Search", "strong"),
    ("SkillLevel", "3"),
    ("SkillLevel", "20"),
    ("ResignValue", "100"),
    ("OutputFailLHPV", "true"),
    ("ConsiderationMode", "true"),
    ("BoardSize", "5"),
    ("OwnBook", "false"),
    ("MaxMovesToDraw", "20"),
    ("nonsense", "1"),
];

struct Run {
    engine: Box<dyn Controller>,
    events: Receiver<EngineEvent>,
    rules: Arc<dyn RefereeRules>,
    /// The first position.
    start: &'static str,
    moves: Vec<String>,
    /// Searches without an answer: the turns that led to their positions.
    asked: VecDeque<Vec<String>>,
}

impl Run {
    fn go(&mut self, limits: Limits) {
        self.asked.push_back(self.moves.clone());
        self.engine.go(limits);
    }

    fn wait(&mut self) {
        self.engine.wait();
        self.hear();
        assert!(self.asked.is_empty(), "a search without an answer");
    }

    fn hear(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                EngineEvent::Best(best) => {
                    let moves = self.asked.pop_front().expect("somebody asked");
                    self.check(&moves, &best);
                }
                EngineEvent::Mate(_) => drop(self.asked.pop_front().expect("somebody asked")),
                EngineEvent::Panic(reason) => panic!("{reason}"),
                _ => {}
            }
        }
    }

    fn check(&self, moves: &[String], best: &Best) {
        let Best::Turn { turn, .. } = best else { return };
        let board = self.board(moves);
        board.check(turn).unwrap_or_else(|reason| panic!("{turn} after {moves:?}: {reason}"));
    }

    fn step(&mut self, byte: u8) {
        let (word, value) = (byte & 15, usize::from(byte >> 4));
        let nodes = Limits { nodes: Some(5 + 3 * value as u64), ..Limits::none() };
        match word {
            0 => self.engine.ready(),
            1 => self.engine.new_game(),
            2 | 3 => {
                let (name, value) = OPTIONS[(value + 16 * usize::from(word & 1)) % OPTIONS.len()];
                let _ = self.engine.set_option(name, value);
            }
            4 => self.go(nodes),
            5 => self.go(Limits { depth: Some(1 + value as u16 % 3), ..nodes }),
            6 => self.go(Limits { infinite: true, ..nodes }),
            7 => self.go(Limits { ponder: true, ..nodes }),
            8 => {
                self.go(Limits { mate: Some(MateLimit::Time(Duration::from_millis(value as u64))), ..nodes })
            }
            9 => {
                let clock = SideClock { left: Duration::from_millis(20), ..SideClock::default() };
                self.go(Limits { clocks: Some([clock; 2]), ..nodes });
            }
            10 => self.engine.ponder_hit((value > 7).then(Limits::none)),
            11 => self.engine.stop(),
            12 => self.wait(),
            13 => self.engine.game_over(),
            14 => {
                let board = self.board(&self.moves);
                let turns = board.turns();
                if let Some(turn) = turns.get(value * turns.len() / 16).filter(|_| board.outcome().is_none())
                {
                    self.moves.push(turn.clone());
                }
                self.set_position();
            }
            _ => {
                self.moves.truncate(value);
                self.set_position();
            }
        }
        self.hear();
    }

    fn set_position(&mut self) {
        let words: Vec<&str> = self.moves.iter().map(String::as_str).collect();
        let _ = self.engine.set_position(self.start, &words);
    }

    fn board(&self, moves: &[String]) -> Box<dyn RefereeBoard> {
        let mut board = self.rules.board(Some(self.start)).expect("a position");
        moves.iter().for_each(|turn| drop(board.play(turn)));
        board
    }
}

pub fn run(bytes: &[u8]) {
    let Some((&choice, steps)) = bytes.split_first() else { return };
    let game = GameName::ALL[usize::from(choice) % 3];
    let (sender, events) = unbounded();
    let mut engine = game.engine(sender).expect("the defaults load");
    engine.set_option("Hash", "1").expect("every engine has it");
    engine.set_option("NodesLimit", "30").expect("every engine has it");
    let rules = rules_by_name(game.name()).expect("a game known here");
    // The usual board of Sygo is slow.
    let start = if game == GameName::Sygo { "5/5/5/5/5 w - 0 1" } else { "startpos" };
    let mut run = Run { engine, events, rules, start, moves: Vec::new(), asked: VecDeque::new() };
    run.set_position();
    steps.iter().take(60).for_each(|&byte| run.step(byte));
    run.wait();
}
