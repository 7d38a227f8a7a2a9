//! GTP 2, as Reversi engines (and Go-like ones) speak it.
//!
//! Every command is answered by `= …` or `? …` and an empty line. Commands carry ids, but answers
//! are matched by their order, because not every engine returns ids.

use std::io::Write as _;
use std::time::{Duration, Instant};

use kaeshi_core::game::Side;
use kaeshi_engine::games::GameName;
use kaeshi_engine::protocol::gtp::codec::{self, GtpAnswerLine, GtpTimeLeft, GtpTimeSettings, colour_word};
use kaeshi_engine::protocol::gtp::letters;

use super::{DialogueError, GameStart, GoAnswer, Identity, ProtocolClient, Times};
use crate::dialogue::engine_process::EngineProcess;
use crate::dialogue::engine_process::reader::OutputLine;
use crate::dialogue::limits::ThinkingLimit;
use crate::dialogue::moved::JournalMove;

/// A speaker of GTP.
#[derive(Debug, Default)]
pub struct GtpClient {
    commands: Vec<String>,
    id: u32,
    /// Answers that are still to come and are no longer wanted.
    unwanted: u32,
    start: GameStart,
    turns: Vec<(Side, String)>,
    /// How many of the turns the engine has on its board.
    sent: usize,
    /// A refused `play` was corrected once already in this game.
    mended: bool,
    fine_clock: bool,
    /// The engine writes `= 1 …` where `=1 …` is right, as Edax does.
    blank_before_id: bool,
}

impl GtpClient {
    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    fn write(&mut self, out: &mut Vec<u8>, command: std::fmt::Arguments<'_>) {
        self.id += 1;
        let written = writeln!(out, "{}", codec::command(self.id, command));
        debug_assert!(written.is_ok(), "a vector takes every byte");
    }

    /// One command and its answer: `Ok(Err(…))` is the engine's refusal.
    fn ask(
        &mut self,
        engine: &mut EngineProcess,
        deadline: Instant,
        command: std::fmt::Arguments<'_>,
    ) -> Result<Result<Vec<String>, String>, DialogueError> {
        let mut out = Vec::new();
        self.write(&mut out, command);
        engine.send(&out, deadline)?;
        loop {
            let line = engine.receive(deadline)?;
            let Some(answer) = self.answer(&line.text) else { continue };
            return match answer {
                Err(refusal) => Ok(Err(refusal)),
                Ok(first) => {
                    let mut lines = vec![first];
                    loop {
                        let line = engine.receive(deadline)?;
                        if line.text.is_empty() {
                            return Ok(Ok(lines));
                        }
                        lines.push(line.text);
                    }
                }
            };
        }
    }

    /// As [`GtpClient::ask`], where a refusal is a failure.
    fn demand(
        &mut self,
        engine: &mut EngineProcess,
        deadline: Instant,
        command: std::fmt::Arguments<'_>,
    ) -> Result<(), DialogueError> {
        match self.ask(engine, deadline, command)? {
            Ok(_) => Ok(()),
            Err(refusal) => Err(DialogueError::Bad(format!("refused '{command}': {refusal}"))),
        }
    }

    /// The text of a wanted answer's first line.
    fn answer(&mut self, line: &str) -> Option<Result<String, String>> {
        let answer = GtpAnswerLine::parse(line, self.blank_before_id)?;
        let id = answer.id;
        if id.parse::<u32>().is_ok_and(|id| id < self.id) || (id.is_empty() && self.unwanted > 0) {
            self.unwanted = self.unwanted.saturating_sub(1);
            return None;
        }
        self.unwanted = 0;
        let text = answer.text().to_owned();
        Some(if answer.good { Ok(text) } else { Err(text) })
    }

    fn is_black(&self, side: Side) -> bool {
        GameName::facts_of(self.start.game).map(|facts| facts.colour(side)) != Some("White")
    }

    fn colour(&self, side: Side) -> &'static str {
        colour_word(self.is_black(side))
    }

    /// Sends all turns the engine has not seen.
    fn catch_up(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        while let Some((side, turn)) = self.turns.get(self.sent).cloned() {
            let colour = self.colour(side);
            self.demand(engine, deadline, format_args!("play {colour} {}", spell(&turn, self.start.game)))?;
            self.sent += 1;
        }
        Ok(())
    }

    fn clear(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        self.demand(engine, deadline, format_args!("clear_board"))?;
        self.sent = 0;
        Ok(())
    }

    /// Time settings as whole seconds, or exactly where the engine can.
    fn time_settings(
        &mut self,
        limit: ThinkingLimit,
        deadline: Instant,
        engine: &mut EngineProcess,
    ) -> Result<(), DialogueError> {
        let up = |time: Duration| Duration::from_secs(time.as_millis().div_ceil(1000) as u64);
        let settings = match limit {
            // Canadian byo-yomi without a main time: `moves` stones in `main` seconds.
            ThinkingLimit::Clock { moves: Some(moves), main, .. } => {
                GtpTimeSettings { main: Duration::ZERO, byoyomi: main, stones: u64::from(moves.get()) }
            }
            ThinkingLimit::Clock { main, increment, byoyomi, .. } if byoyomi.is_zero() && self.fine_clock => {
                let (main, increment) = (main.as_secs_f64(), increment.as_secs_f64());
                let command = format_args!("kata-time_settings fischer {main} {increment}");
                self.ask(engine, deadline, command)?.ok();
                return Ok(());
            }
            ThinkingLimit::Clock { main, byoyomi, .. } if byoyomi.is_zero() => {
                GtpTimeSettings { main, byoyomi, stones: 0 }
            }
            ThinkingLimit::Clock { main, byoyomi, .. } => {
                GtpTimeSettings { main, byoyomi: up(byoyomi), stones: 1 }
            }
            ThinkingLimit::MoveTime(time) => {
                GtpTimeSettings { main: Duration::ZERO, byoyomi: up(time), stones: 1 }
            }
            ThinkingLimit::Nodes(nodes) if self.knows("kata-set-param") => {
                self.ask(engine, deadline, format_args!("kata-set-param maxVisits {nodes}"))?.ok();
                return Ok(());
            }
            ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_) => return Ok(()),
        };
        self.ask(engine, deadline, format_args!("{}", settings.command()))?.ok();
        Ok(())
    }
}

/// How engines of one game speak GTP otherwise than those of Go.
struct Custom {
    game: GameName,
    /// The value of `set_game`.
    name: &'static str,
    /// A first turn that is legal only if rows are counted from the top.
    probe: Option<&'static str>,
    /// A turn as GTP spells it.
    spell: fn(&str) -> String,
    /// The turn that is spelled so, in small letters.
    read: fn(&str) -> String,
}

static CUSTOMS: [Custom; 2] = [
    Custom {
        game: GameName::Reversi,
        name: "Othello",
        probe: Some("F5"),
        spell: str::to_ascii_uppercase,
        read: str::to_owned,
    },
    Custom {
        game: GameName::Sygo,
        name: "Sygo",
        probe: None,
        spell: letters::spelled,
        // What is no turn is left for the referee to refuse.
        read: |text| letters::turn_of(text).unwrap_or_else(|_| text.to_owned()),
    },
];

fn custom(game: &str) -> Option<&'static Custom> {
    CUSTOMS.iter().find(|custom| custom.game.name() == game)
}

/// A turn as GTP writes it.
fn spell(turn: &str, game: &str) -> String {
    custom(game).map_or_else(|| turn.to_owned(), |custom| (custom.spell)(turn))
}

/// The turn that GTP writes so.
fn read(text: &str, game: &str) -> String {
    custom(game).map_or_else(|| text.to_owned(), |custom| (custom.read)(text))
}

impl ProtocolClient for GtpClient {
    fn greet(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<Identity, DialogueError> {
        match self.ask(engine, deadline, format_args!("protocol_version"))? {
            // Egaroucid calls it 2.0.
            Ok(version) if version.first().is_some_and(|version| version == "2" || version == "2.0") => {}
            // This was command 1.
            Ok(version) if version.first().is_some_and(|version| version == "1 2") => {
                self.blank_before_id = true;
            }
            Ok(version) => return Err(DialogueError::Bad(format!("speaks GTP {version:?}, not 2"))),
            Err(refusal) => return Err(DialogueError::Bad(format!("refused protocol_version: {refusal}"))),
        }
        self.commands = self.ask(engine, deadline, format_args!("list_commands"))?.unwrap_or_default();
        self.fine_clock = self.knows("kata-time_settings");
        let mut answer = |command| -> Result<String, DialogueError> {
            let lines = self.ask(engine, deadline, format_args!("{command}"))?.unwrap_or_default();
            Ok(lines.join(" "))
        };
        let name = answer("name")?;
        let version = answer("version")?;
        Ok(Identity { name: format!("{name} {version}").trim().to_owned(), options: None })
    }

    fn set_option(
        &mut self,
        engine: &mut EngineProcess,
        name: &str,
        value: &str,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        if self.knows("kata-set-param") {
            return self.demand(engine, deadline, format_args!("kata-set-param {name} {value}"));
        }
        if self.knows(name) {
            return self.demand(engine, deadline, format_args!("{name} {value}"));
        }
        Err(DialogueError::Bad(format!(
            "has no option or command '{name}'; GTP engines take most options as arguments"
        )))
    }

    fn ready(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        self.demand(engine, deadline, format_args!("protocol_version"))
    }

    fn new_game(
        &mut self,
        engine: &mut EngineProcess,
        start: &GameStart,
        times: &Times,
        deadline: Instant,
    ) -> Result<(), DialogueError> {
        if start.position.is_some() {
            return Err(DialogueError::Bad(
                "GTP cannot set up a position; use openings that are lists of moves".into(),
            ));
        }
        let first_game = self.start.game.is_empty();
        self.start.clone_from(start);
        self.turns.clone_from(&start.turns);
        self.mended = false;
        if first_game {
            let custom = custom(start.game);
            if let Some(custom) = custom.filter(|_| self.knows("set_game")) {
                self.demand(engine, deadline, format_args!("set_game {}", custom.name))?;
            }
            self.demand(engine, deadline, format_args!("boardsize {}", start.size))?;
            if let Some(probe) = custom.and_then(|custom| custom.probe) {
                self.clear(engine, deadline)?;
                self.demand(engine, deadline, format_args!("play b {probe}"))?;
            }
        }
        self.clear(engine, deadline)?;
        self.time_settings(times.limits[times.me.index()], deadline, engine)?;
        self.catch_up(engine, deadline)
    }

    fn played(&mut self, side: Side, turn: &str, own: bool) {
        self.turns.push((side, turn.to_owned()));
        if own {
            self.sent += 1;
        }
    }

    fn prepare(&mut self, engine: &mut EngineProcess, deadline: Instant) -> Result<(), DialogueError> {
        match self.catch_up(engine, deadline) {
            Err(DialogueError::Bad(why)) if !self.mended => {
                log::warn!("boards differ ({why}); the game is replayed from its start");
                self.mended = true;
                self.clear(engine, deadline)?;
                self.catch_up(engine, deadline)
            }
            other => other,
        }
    }

    fn compose(&mut self, times: &Times, _guess: Option<&str>, _before: &mut Vec<u8>, go: &mut Vec<u8>) {
        for side in [Side::First, Side::Second] {
            let (time, stones) = match times.limits[side.index()] {
                ThinkingLimit::Clock { byoyomi, .. } if times.rest_us[side.index()] == 0 => (byoyomi, 1),
                ThinkingLimit::Clock { .. } => {
                    let stones = times.moves_to_go[side.index()].unwrap_or(0);
                    (Duration::from_micros(times.rest_us[side.index()]), stones)
                }
                _ => continue,
            };
            let left = GtpTimeLeft { is_black: self.is_black(side), time, stones };
            self.write(go, format_args!("{}", left.command(self.fine_clock)));
            self.unwanted += 1;
        }
        let colour = self.colour(times.me);
        self.write(go, format_args!("genmove {colour}"));
    }

    fn understand(&mut self, line: &OutputLine, _record: &mut JournalMove) -> Option<GoAnswer> {
        Some(match self.answer(&line.text)? {
            Err(refusal) => GoAnswer::Nonsense(format!("? {refusal}")),
            Ok(text) => match text.to_ascii_lowercase().as_str() {
                "" => GoAnswer::Nonsense(line.text.clone()),
                "resign" => GoAnswer::Resign,
                turn => GoAnswer::Turn(read(turn, self.start.game), None),
            },
        })
    }
}
