//! NBoard 2, the protocol of Othello GUIs. The GUI keeps the board: `go` asks for a move without
//! playing it, and `ping` is the barrier before everything that changes the position.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

pub mod codec;

use std::collections::VecDeque;
use std::io::{self, Write};

use crate::protocol::command_info::{ProtocolCommandInfo, row};
use crate::protocol::lines::LostInput;
use crate::protocol::record::{self, GameHistory};
use crate::protocol::words::abbreviated;
use crate::protocol::{Protocol, ProtocolCommand, words};
use kaeshi_core::driver::clock::Limits;
use kaeshi_core::driver::event::{Best, EngineEvent, Info};
use kaeshi_core::game::score::Score;
use kaeshi_core::game::{GameError, GameNotation, PASS, Side};
use kaeshi_core::time::Instant;
use kaeshi_reversi::Reversi;
use kaeshi_reversi::rules::position::ReversiPosition;

use codec::{NBoardAnswer, NBoardGame, name_line, pong, read_move, turn_word};

/// Depth of a search before the GUI has set one.
const USUAL_DEPTH: u16 = 12;
/// Deepest search of each position of `analyze`, which can only be waited for.
const ANALYSIS_DEPTH: u16 = 8;

/// Lines of a hint; no position has more moves.
const MOST_LINES: u16 = 64;

/// Commands of NBoard. A bare turn of two letters, as NBoard 1 sent it, is read as `move`.
pub const COMMANDS: [ProtocolCommandInfo; 11] = [
    row("nboard", "2", "greets; the answer names the engine: `set myname Kaeshi`"),
    row("set depth", "N", "the depth of the searches that follow"),
    row("set game", "GGF", "the game: board (`BO`) and turns"),
    row("set contempt", "N", "ignored"),
    row("move", "TURN/EVAL/TIME", "plays a turn; value and time are ignored"),
    row("go", "", "searches: `=== TURN/DISCS/SECONDS`"),
    row("hint", "N", "searches N lines: `search LINE DISCS 0 DEPTH` for each"),
    row("analyze", "", "a value for each position of the game: `analysis NUMBER DISCS`"),
    row("ping", "N", "ends the running search, then answers `pong N`"),
    row("learn", "", "`learned`; nothing is stored"),
    row("quit", "", "ends the session"),
];

/// The purpose of a search, which determines the form of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Move,
    Hint,
    /// The value of the position after this number of moves.
    Analysis(usize),
}

/// A speaker of NBoard.
#[derive(Default)]
pub struct NBoardProtocol {
    record: GameHistory,
    /// Why the record may not be that of the GUI, until the next `set game`.
    lost: Option<GameError>,
    depth: Option<u16>,
    /// Searches that have not answered yet.
    asked: VecDeque<Purpose>,
    /// The best line of the running search.
    last: Option<Info>,
}

impl Protocol for NBoardProtocol {
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        // This check ensures that the table lists every command.
        if !name.is_empty() && line.len() != 2 && !is_known(name, rest) {
            return Err(GameError::command(format!("ignored '{}'", abbreviated(line))));
        }
        match name {
            "" => Ok(ProtocolCommand::Nothing),
            "nboard" => Ok(ProtocolCommand::Hello),
            "set" => self.set(rest),
            "move" => self.play(rest),
            "go" => Ok(self.think(Purpose::Move, 1, received)),
            "hint" => {
                let lines = rest.parse::<u16>().ok().filter(|&lines| lines > 0);
                let lines = lines.ok_or_else(|| {
                    let (most, rest) = (u16::MAX, abbreviated(rest));
                    GameError::command(format!("hint: '{rest}' is not a whole number from 1 to {most}"))
                })?;
                Ok(self.think(Purpose::Hint, lines.min(MOST_LINES), received))
            }
            "ping" => {
                let pong = pong(abbreviated(rest));
                Ok(ProtocolCommand::Batch(vec![
                    ProtocolCommand::Stop,
                    ProtocolCommand::Wait,
                    ProtocolCommand::Say(EngineEvent::Text(pong)),
                ]))
            }
            "learn" => Ok(ProtocolCommand::Say(EngineEvent::Text("learned".to_string()))),
            "analyze" => Ok(self.analyze(received)),
            "quit" => Ok(ProtocolCommand::Quit),
            // NBoard 1 sent the bare move.
            _ if line.len() == 2 => self.play(line),
            _ => Err(GameError::command(format!("ignored '{}'", abbreviated(line)))),
        }
    }

    fn lost(&mut self, input: &LostInput) -> ProtocolCommand {
        if [&["set", "game"][..], &["move"]].iter().any(|words| input.may_be(words)) {
            self.lost = Some(input.reason());
        }
        ProtocolCommand::Say(EngineEvent::Message(input.reason().into()))
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Hello(_) => writeln!(out, "{}", name_line("Kaeshi")),
            EngineEvent::Info(info) => {
                if info.multipv == 1 {
                    self.last = Some(info.clone());
                }
                match self.asked.front() {
                    Some(Purpose::Move | Purpose::Hint) => write_line(info, out),
                    Some(Purpose::Analysis(_)) | None => Ok(()),
                }
            }
            EngineEvent::Best(best) => self.write_best(best, out),
            EngineEvent::Message(text) => writeln!(out, "status {text}"),
            EngineEvent::Panic(reason) => writeln!(out, "status {}", words::internal_error(reason)),
            EngineEvent::Text(text) => writeln!(out, "{text}"),
            EngineEvent::Mate(_) | EngineEvent::Ready | EngineEvent::Response(_) | EngineEvent::Root(_) => {
                Ok(())
            }
        }
    }
}

impl NBoardProtocol {
    fn set(&mut self, rest: &str) -> Result<ProtocolCommand, GameError> {
        let (what, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match what {
            "depth" => {
                let depth = value.trim().parse::<u16>().ok().filter(|&depth| depth > 0);
                let refuse =
                    || GameError::command(format!("set depth: '{}' is no depth", abbreviated(value)));
                self.depth = Some(depth.ok_or_else(refuse)?);
            }
            "game" => {
                self.record = read_game(value).inspect_err(|reason| self.lost = Some(reason.clone()))?;
                self.lost = None;
            }
            // A preference for or against draws, which exact play does not know.
            "contempt" => {}
            _ => return Err(GameError::command(format!("ignored 'set {}'", abbreviated(rest)))),
        }
        Ok(ProtocolCommand::Nothing)
    }

    /// Plays `M/eval/time`, of which only the move counts.
    fn play(&mut self, text: &str) -> Result<ProtocolCommand, GameError> {
        let played = self.record.play(None, read_move(text));
        played
            .map_err(|reason| reason.with_context(format_args!("move '{}'", abbreviated(text))))
            .inspect_err(|reason| self.lost = Some(reason.clone()))?;
        Ok(ProtocolCommand::Nothing)
    }

    fn think(&mut self, purpose: Purpose, lines: u16, received: Instant) -> ProtocolCommand {
        self.asked.push_back(purpose);
        let depth = self.depth.unwrap_or(USUAL_DEPTH);
        ProtocolCommand::Batch(vec![
            ProtocolCommand::Say(EngineEvent::Text("status Kaeshi is thinking".to_string())),
            ProtocolCommand::SetOption { name: "MultiPV".to_string(), value: lines.to_string() },
            self.set_position(self.record.now()),
            ProtocolCommand::Go(Limits { received, depth: Some(depth), ..Limits::none() }),
        ])
    }

    /// The command that makes `position` the engine's, if the record is known to be that of the GUI.
    fn set_position(&self, position: &ReversiPosition) -> ProtocolCommand {
        match &self.lost {
            Some(reason) => ProtocolCommand::RefusePosition(reason.clone()),
            None => record::set_position(position),
        }
    }

    /// Values all positions of the game, the last one first, as its results in the table help in earlier positions.
    fn analyze(&mut self, received: Instant) -> ProtocolCommand {
        let depth = Some(self.depth.unwrap_or(USUAL_DEPTH).min(ANALYSIS_DEPTH));
        let positions: Vec<_> = self.record.positions().enumerate().collect();
        let mut commands = Vec::new();
        for (moves_made, position) in positions.into_iter().rev() {
            self.asked.push_back(Purpose::Analysis(moves_made));
            commands.push(self.set_position(position));
            commands.push(ProtocolCommand::Go(Limits { received, depth, ..Limits::none() }));
            commands.push(ProtocolCommand::Wait);
        }
        ProtocolCommand::Batch(commands)
    }

    fn write_best(&mut self, best: &Best, out: &mut dyn Write) -> io::Result<()> {
        let last = self.last.take();
        match self.asked.pop_front() {
            Some(Purpose::Move) => {
                let turn = match best {
                    Best::Turn { turn, .. } => turn.as_str(),
                    Best::Resign | Best::Win | Best::None => PASS,
                };
                let mut answer = NBoardAnswer { turn: turn.to_owned(), ..NBoardAnswer::default() };
                if let Some(info) = last {
                    let seconds = info.time.as_secs_f64();
                    writeln!(out, "nodestats {} {seconds:.3}", info.nodes)?;
                    (answer.value, answer.seconds) = (Some(in_hundredths(info.score)), Some(seconds));
                }
                writeln!(out, "{}", answer.line())?;
                writeln!(out, "status Kaeshi is waiting")
            }
            Some(Purpose::Hint) => {
                if let Some(info) = last {
                    writeln!(out, "nodestats {} {:.3}", info.nodes, info.time.as_secs_f64())?;
                }
                writeln!(out, "status Kaeshi is waiting")
            }
            Some(Purpose::Analysis(moves_made)) => match last {
                Some(info) => writeln!(out, "analysis {moves_made} {}", discs(info.score)),
                // Nothing to search: the game is over.
                None => match self.record.outcome() {
                    Some(outcome) => {
                        let sign = if self.record.now().side == Side::First { 1 } else { -1 };
                        writeln!(out, "analysis {moves_made} {}", sign * outcome.margin)
                    }
                    None => Ok(()),
                },
            },
            None => Ok(()),
        }
    }
}

/// Speaks NBoard while another game than Reversi was chosen: refuses every command with a `status` line, and answers
/// `ping`, so that a GUI does not wait.
pub struct NBoardRefusal {
    reason: String,
}

impl NBoardRefusal {
    /// Refuses for the sake of this game.
    pub fn new(game: &str) -> NBoardRefusal {
        let reason = format!("the game is {game}, and NBoard is for Reversi only: speak USI or UGI");
        NBoardRefusal { reason }
    }
}

impl Protocol for NBoardRefusal {
    fn parse(&mut self, line: &str, _received: Instant) -> Result<ProtocolCommand, GameError> {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Ok(match name {
            "" => ProtocolCommand::Nothing,
            "quit" => ProtocolCommand::Quit,
            "ping" => ProtocolCommand::Say(EngineEvent::Text(pong(abbreviated(rest)))),
            _ => ProtocolCommand::Say(EngineEvent::Text(format!("status {}", self.reason))),
        })
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Text(text) => writeln!(out, "{text}"),
            EngineEvent::Message(text) => writeln!(out, "status {text}"),
            _ => Ok(()),
        }
    }
}

/// Whether the table has a command of this name, `set` with its second word.
fn is_known(name: &str, rest: &str) -> bool {
    let what = rest.split_whitespace().next().unwrap_or_default();
    COMMANDS.iter().any(|command| match command.name.split_once(' ') {
        Some((first, second)) => first == name && second == what,
        None => command.name == name,
    })
}

/// `search PV eval 0 depth`: the variation without blanks, the value for the side to move.
fn write_line(info: &Info, out: &mut dyn Write) -> io::Result<()> {
    let variation: String = info.pv.iter().map(|turn| turn_word(turn)).collect();
    let depth = match (info.score, info.confidence) {
        (Score::Exact(_), 100..) => "100%".to_string(),
        (_, 100..) => info.depth.to_string(),
        (_, confidence) => format!("{}@{confidence}%", info.depth),
    };
    writeln!(out, "search {variation} {} 0 {depth}", discs(info.score))
}

/// A score in discs.
fn discs(score: Score) -> String {
    codec::discs(in_hundredths(score))
}

/// A score in hundredths of a disc; a won position counts as won by all discs.
fn in_hundredths(score: Score) -> i32 {
    const ALL: i32 = 6_400;
    score.clamped(ALL)
}

/// Reads a game in GGF: the board tag and the moves after it.
fn read_game(text: &str) -> Result<GameHistory, GameError> {
    let game = NBoardGame::parse(text)?;
    let mut record = read_board(&game.board)?;
    for (side, turn) in &game.turns {
        record
            .play(Some(*side), turn)
            .map_err(|reason| reason.with_context(format_args!("set game: '{}'", abbreviated(turn))))?;
    }
    Ok(record)
}

/// Reads `8 `, 64 squares, and the side to move.
fn read_board(value: &str) -> Result<GameHistory, GameError> {
    let Some(squares) = value.trim().strip_prefix("8 ") else {
        return Err(GameError::unsupported("set game: only boards of size 8 are played"));
    };
    let squares: String = squares.split_whitespace().collect();
    Reversi::default()
        .parse_position(&squares)
        .map(GameHistory::from)
        .map_err(|reason| reason.with_context("set game"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use kaeshi_core::game::search::Bound;
    use std::time::Duration;

    const GAME: &str = "set game (;GM[Othello]PC[NBoard]PB[./x]PW[y]RE[?]TI[15:00]TY[8]        BO[8 ---------------------------O*------*O--------------------------- *]        B[F5/1.0/2]W[F6]B[D3];)";

    #[test]
    fn every_command_of_the_table_is_read() {
        for command in COMMANDS {
            let value = match command.name {
                "set game" => GAME.trim_start_matches("set game "),
                "move" => "F5/1.0/2",
                _ => "2",
            };
            let mut nboard = NBoardProtocol::default();
            let line = format!("{} {value}", command.name);
            assert!(read(&mut nboard, &line).is_ok(), "{line}");
        }
        for line in ["set", "set colour 1", "sethint", "analyse"] {
            assert!(read(&mut NBoardProtocol::default(), line).is_err(), "{line}");
        }
    }

    #[test]
    fn after_lost_moves_nothing_is_searched_until_the_next_game() {
        let positions = |nboard: &mut NBoardProtocol| {
            let ProtocolCommand::Batch(commands) = read(nboard, "go").unwrap() else { panic!() };
            let kind = |command: &ProtocolCommand| match command {
                ProtocolCommand::Position { .. } => Some("position"),
                ProtocolCommand::RefusePosition(_) => Some("refusal"),
                _ => None,
            };
            commands.iter().filter_map(kind).collect::<Vec<_>>()
        };
        let long = |text: &str| LostInput::LongLine(text.to_owned());
        for lost in [long("set game (;GM"), long("move F5"), LostInput::Lines(2)] {
            let mut nboard = NBoardProtocol::default();
            nboard.lost(&lost);
            assert_eq!(positions(&mut nboard), ["refusal"], "{lost:?}");
            read(&mut nboard, "move F5").unwrap();
            assert_eq!(positions(&mut nboard), ["refusal"], "{lost:?}");
            read(&mut nboard, GAME).unwrap();
            assert_eq!(positions(&mut nboard), ["position"], "{lost:?}");
        }
        for refused in ["set game (;GM[Othello];)", "move A1", "move xyz"] {
            let mut nboard = NBoardProtocol::default();
            assert!(read(&mut nboard, refused).is_err(), "{refused}");
            assert_eq!(positions(&mut nboard), ["refusal"], "{refused}");
            read(&mut nboard, GAME).unwrap();
            assert_eq!(positions(&mut nboard), ["position"], "{refused}");
        }
        for lost in [long("set depth 9"), long("hint 5"), long("setoption name")] {
            let mut nboard = NBoardProtocol::default();
            nboard.lost(&lost);
            assert_eq!(positions(&mut nboard), ["position"], "{lost:?}");
        }
    }

    fn read(nboard: &mut NBoardProtocol, line: &str) -> Result<ProtocolCommand, GameError> {
        nboard.parse(line, Instant::now())
    }

    fn written(nboard: &mut NBoardProtocol, event: &EngineEvent) -> String {
        let mut out = Vec::new();
        nboard.write(event, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn info(score: Score, confidence: u8) -> EngineEvent {
        EngineEvent::Info(Info {
            depth: 9,
            seldepth: 9,
            confidence,
            multipv: 1,
            lines: 1,
            score,
            bound: Bound::Exact,
            nodes: 1_234,
            time: Duration::from_millis(1_500),
            hashfull: 0,
            pv: vec!["c5".into(), "pass".into(), "e6".into()],
        })
    }

    #[test]
    fn a_game_is_read_and_followed() {
        let mut nboard = NBoardProtocol::default();
        assert_eq!(read(&mut nboard, GAME), Ok(ProtocolCommand::Nothing));
        assert_eq!(nboard.record.positions().count(), 4);
        assert_eq!(read(&mut nboard, "move C5/0.5/1"), Ok(ProtocolCommand::Nothing));
        assert_eq!(nboard.record.positions().count(), 5);
        assert!(read(&mut nboard, "move A1").is_err());
        assert_eq!(nboard.record.positions().count(), 5);
    }

    #[test]
    fn a_bad_game_leaves_the_former_one() {
        let mut nboard = NBoardProtocol::default();
        read(&mut nboard, GAME).unwrap();
        for bad in [
            "set game",
            "set game (;BO[10 -- *];)",
            "set game (;BO[8 -- *];)",
            "set game (;BO[8 ---",
            "set game (;BO[8 ---------------------------O*------*O--------------------------- *]B[A1];)",
        ] {
            assert!(read(&mut nboard, bad).is_err(), "{bad}");
        }
        assert_eq!(nboard.record.positions().count(), 4);
    }

    #[test]
    fn go_tells_its_lines_and_then_the_move() {
        let mut nboard = NBoardProtocol::default();
        read(&mut nboard, "set depth 6").unwrap();
        let command = read(&mut nboard, "go").unwrap();
        let ProtocolCommand::Batch(commands) = command else { panic!("{command:?}") };
        assert!(matches!(commands.last(), Some(ProtocolCommand::Go(limits)) if limits.depth == Some(6)));
        assert_eq!(written(&mut nboard, &info(Score::Cp(-150), 100)), "search C5PAE6 -1.50 0 9\n");
        assert_eq!(written(&mut nboard, &info(Score::Cp(250), 73)), "search C5PAE6 2.50 0 9@73%\n");
        assert_eq!(written(&mut nboard, &info(Score::Exact(200), 100)), "search C5PAE6 2.00 0 100%\n");
        let best = EngineEvent::Best(Best::Turn { turn: "c5".into(), ponder: None });
        assert_eq!(
            written(&mut nboard, &best),
            "nodestats 1234 1.500\n=== C5/2.00/1.50\nstatus Kaeshi is waiting\n"
        );
    }

    #[test]
    fn a_hint_gives_no_move() {
        let mut nboard = NBoardProtocol::default();
        let command = read(&mut nboard, "hint 3").unwrap();
        let ProtocolCommand::Batch(commands) = command else { panic!("{command:?}") };
        assert!(commands.contains(&ProtocolCommand::SetOption { name: "MultiPV".into(), value: "3".into() }));
        written(&mut nboard, &info(Score::Cp(0), 100));
        let best = EngineEvent::Best(Best::Turn { turn: "c5".into(), ponder: None });
        assert!(!written(&mut nboard, &best).contains("==="));
        assert!(read(&mut nboard, "hint").is_err() && read(&mut nboard, "hint 0").is_err());
    }

    #[test]
    fn ping_is_a_barrier() {
        let pong = ProtocolCommand::Say(EngineEvent::Text("pong 7".into()));
        assert_eq!(
            read(&mut NBoardProtocol::default(), "ping 7"),
            Ok(ProtocolCommand::Batch(vec![ProtocolCommand::Stop, ProtocolCommand::Wait, pong]))
        );
    }
}
