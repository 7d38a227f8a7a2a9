//! GTP 2 for Reversi, as gtp-rhino and its referees speak it, and for Sygo, as engines of Go do. Every command is
//! answered before the next one is read.
//!
//! | file | what lies there |
//! |---|---|
//! | [`board`] | what the protocol needs of a game |
//! | [`codec`] | commands and answers, both directions |
//! | [`othello`], [`sygo`] | the games |
//! | [`letters`] | columns without I |

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

pub mod board;
pub mod codec;
pub mod letters;
pub mod othello;
pub mod sygo;

use std::io::{self, Write};
use std::time::Duration;

use board::Board;
use codec::{
    GtpTimeLeft, GtpTimeSettings, failure, is_black, split_command, split_id, success, syntax_error,
};
use othello::Othello;
use sygo::GtpSygoBoard;

use crate::protocol::command_info::{ProtocolCommandInfo, has, row};
use crate::protocol::lines::LostInput;
use crate::protocol::{Protocol, ProtocolCommand};
use crate::version;
use kaeshi_core::driver::clock::{Limits, SideClock};
use kaeshi_core::driver::event::{Best, EngineEvent};
use kaeshi_core::game::{Game as _, GameError, Side};
use kaeshi_core::time::Instant;

/// Commands that every game has.
pub const COMMANDS: [ProtocolCommandInfo; 19] = [
    row("protocol_version", "", "`2`"),
    row("name", "", "`Kaeshi`"),
    row("version", "", "the version of the program"),
    row("known_command", "NAME", "whether the command is known: `true` or `false`"),
    row("list_commands", "", "all commands of the current game, one a line"),
    row("quit", "", "ends the session"),
    row("boardsize", "N", "begins a game on a board of N by N points"),
    row("clear_board", "", "begins a game on a board of the same size"),
    row("komi", "POINTS", "Reversi takes any number and ignores it; Sygo takes 0 only"),
    row("play", "COLOUR TURN", "plays a turn of `b` or `w`"),
    row("genmove", "COLOUR", "searches, plays the turn and prints it"),
    row("reg_genmove", "COLOUR", "searches and prints the turn without playing it"),
    row("undo", "", "takes the last turn back"),
    row("showboard", "", "the board as text"),
    row("final_score", "", "the result, for instance `B+12`, `W+3` or `0`"),
    row("time_settings", "MAIN BYOYOMI STONES", "the clock of both sides, in seconds"),
    row("time_left", "COLOUR SECONDS STONES", "what a clock shows"),
    row("list_games", "", "the games of GTP, one a line"),
    row("set_game", "NAME", "changes the game"),
];
/// Beginnings of further commands by which a session is known.
const GOGUI: &str = "gogui-";
/// Time for a move when the other side has sent no clock.
const UNTIMED: Duration = Duration::from_secs(1);

/// Commands that a controller may send to any engine, whatever game it plays.
const ABOUT_THE_PROGRAM: [&str; 6] =
    ["protocol_version", "name", "version", "known_command", "list_commands", "quit"];

/// Whether a session that begins with `line` speaks GTP. `quit` alone may mean any protocol.
pub fn begins(line: &str) -> bool {
    let (_, rest) = split_id(line);
    rest.split_whitespace()
        .next()
        .is_some_and(|word| word != "quit" && (has(&COMMANDS, word) || word.starts_with(GOGUI)))
}

/// The games of GTP; the first one unless another was chosen.
pub const GAMES: [&str; 2] = [crate::protocol::record::GAME, kaeshi_sygo::Sygo::NAME];

/// The start of a game called `name` as Kaeshi or `list_games` calls it, letter case ignored.
fn board_of(name: &str) -> Option<Box<dyn Board>> {
    let boards: [Box<dyn Board>; 2] = [Box::new(Othello::default()), Box::new(GtpSygoBoard::default())];
    boards
        .into_iter()
        .find(|board| [board.game(), board.title()].iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// A speaker of GTP.
pub struct GtpProtocol {
    board: Box<dyn Board>,
    /// Why the board may not be that of the controller, until the next `boardsize` or `set_game`.
    lost: Option<GameError>,
    /// Clocks of the first side and the second; `None`: no limit is known.
    clocks: Option<[SideClock; 2]>,
    /// The `genmove` that is being thought about.
    asked: Option<PendingGenmove>,
}

struct PendingGenmove {
    id: String,
    /// Whether the move is to be played as well.
    play: bool,
}

/// The answer to a command, or the action that finds it.
enum GtpReply {
    Text(String),
    SetGame(&'static str),
    Think { play: bool },
    Quit,
}

impl Protocol for GtpProtocol {
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
        let (id, words) = split_command(line);
        let Some((&name, arguments)) = words.split_first() else { return Ok(ProtocolCommand::Nothing) };
        let say = |text: String| ProtocolCommand::Say(EngineEvent::Text(text));
        Ok(match self.answer(name, arguments) {
            Ok(GtpReply::Text(text)) => say(success(id, &text)),
            Ok(GtpReply::SetGame(game)) => {
                let change = ProtocolCommand::SetOption { name: "Game".to_owned(), value: game.to_owned() };
                ProtocolCommand::Batch(vec![change, say(success(id, ""))])
            }
            Ok(GtpReply::Quit) => ProtocolCommand::Batch(vec![say(success(id, "")), ProtocolCommand::Quit]),
            Ok(GtpReply::Think { play }) => {
                self.asked = Some(PendingGenmove { id: id.to_string(), play });
                let go = ProtocolCommand::Go(self.limits(received));
                // The last word says that there will be no answer any more.
                let end = ProtocolCommand::Say(EngineEvent::Ready);
                // The second wait lets the writer take the end before the next command asks for a move.
                let position = self.board.set_position();
                ProtocolCommand::Batch(vec![position, go, ProtocolCommand::Wait, end, ProtocolCommand::Wait])
            }
            Err(reason) => say(failure(id, reason.reason())),
        })
    }

    fn lost(&mut self, input: &LostInput) -> ProtocolCommand {
        if let LostInput::Lines(_) = input {
            self.lost = Some(input.reason());
        }
        answer_to_lost(input)
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Text(text) => write!(out, "{text}"),
            EngineEvent::Best(best) => match self.asked.take() {
                Some(asked) => write!(out, "{}", self.played(best, &asked)),
                None => Ok(()),
            },
            EngineEvent::Ready => match self.asked.take() {
                Some(asked) => write!(out, "{}", failure(&asked.id, "no move was found")),
                None => Ok(()),
            },
            // GTP has no place for anything that was not asked for.
            _ => Ok(()),
        }
    }
}

impl Default for GtpProtocol {
    fn default() -> Self {
        GtpProtocol { board: Box::new(Othello::default()), lost: None, clocks: None, asked: None }
    }
}

impl GtpProtocol {
    /// A speaker about `game`, or about the usual one where GTP does not know it.
    pub fn new(game: &str) -> GtpProtocol {
        board_of(game)
            .map_or_else(GtpProtocol::default, |board| GtpProtocol { board, ..GtpProtocol::default() })
    }

    fn knows(&self, command: &str) -> bool {
        has(&COMMANDS, command) || has(self.board.commands(), command)
    }

    fn answer(&mut self, name: &str, arguments: &[&str]) -> Result<GtpReply, GameError> {
        let text = |text: &str| Ok(GtpReply::Text(text.to_string()));
        // This check ensures that the tables list every command.
        if !self.knows(name) {
            return Err(GameError::command("unknown command"));
        }
        if let Some(reason) = &self.lost
            && !has_no_board(name)
        {
            let reason = reason.reason();
            return Err(GameError::command(format!("{reason}; the board is not known until boardsize")));
        }
        match (name, arguments) {
            ("protocol_version", _) => text("2"),
            ("name", _) => text("Kaeshi"),
            ("version", _) => text(version::stated()),
            ("known_command", [name]) => text(if self.knows(name) { "true" } else { "false" }),
            ("list_commands", _) => {
                let known = COMMANDS.iter().chain(self.board.commands());
                text(&known.map(|command| command.name).collect::<Vec<_>>().join("\n"))
            }
            ("list_games", _) => {
                let titles = GAMES.iter().filter_map(|game| board_of(game)).map(|board| board.title());
                text(&titles.collect::<Vec<_>>().join("\n"))
            }
            ("set_game", [game]) => {
                self.board = board_of(game).ok_or_else(|| GameError::unsupported("unknown game"))?;
                self.lost = None;
                Ok(GtpReply::SetGame(self.board.game()))
            }
            ("quit", _) => Ok(GtpReply::Quit),
            ("boardsize", [size]) => {
                self.board.resize(size)?;
                self.lost = None;
                text("")
            }
            ("clear_board", _) => {
                self.board.clear();
                text("")
            }
            ("komi", [komi]) => {
                self.board.komi(komi.parse::<f64>().map_err(|_| syntax_error())?)?;
                text("")
            }
            ("play", [color, vertex]) => {
                let side = self.side(color)?;
                // Referees from Go end every game by two passes.
                if self.board.outcome().is_some() && vertex.eq_ignore_ascii_case("pass") {
                    return text("");
                }
                self.board.play(side, vertex)?;
                text("")
            }
            ("genmove" | "reg_genmove", [color]) => {
                let play = name == "genmove";
                let side = self.side(color)?;
                if self.board.outcome().is_some() {
                    return text("pass");
                }
                self.board.give_turn_to(side)?;
                if !self.board.must_pass() {
                    return Ok(GtpReply::Think { play });
                }
                if play {
                    self.board.play_own("pass")?;
                }
                text("pass")
            }
            ("undo", _) => {
                if self.board.undo() {
                    text("")
                } else {
                    Err(GameError::command("cannot undo"))
                }
            }
            ("showboard", _) => text(&format!("\n{}", self.board.diagram().trim_end())),
            ("final_score", _) => {
                let margin = self.board.margin().ok_or_else(|| GameError::command("cannot score"))?;
                let black = if self.board.side(true) == Side::First { margin } else { -margin };
                text(&match black {
                    0 => "0".to_owned(),
                    1.. => format!("B+{black}"),
                    _ => format!("W+{}", -black),
                })
            }
            ("time_settings", [main, byoyomi, stones]) => {
                let settings = GtpTimeSettings::parse([main, byoyomi, stones])?;
                self.clocks = settings.clock().map(|clock| [clock; 2]);
                text("")
            }
            ("time_left", [color, time, stones]) => {
                let left = GtpTimeLeft::parse([color, time, stones])?;
                let mut clocks = self.clocks.unwrap_or_default();
                let [first, second] = &mut clocks;
                left.set(if self.board.side(left.is_black) == Side::First { first } else { second });
                self.clocks = Some(clocks);
                text("")
            }
            (known, _) if has(&COMMANDS, known) => Err(syntax_error()),
            (known, _) => self.board.answer(known, arguments).map(GtpReply::Text),
        }
    }

    fn side(&self, color: &str) -> Result<Side, GameError> {
        Ok(self.board.side(is_black(color)?))
    }

    fn limits(&self, received: Instant) -> Limits {
        let movetime = self.clocks.is_none().then_some(UNTIMED);
        Limits { received, clocks: self.clocks, movetime, ..Limits::none() }
    }

    /// The answer to a `genmove`; the move is played on the record.
    fn played(&mut self, best: &Best, asked: &PendingGenmove) -> String {
        let turn = match best {
            Best::Turn { turn, .. } => turn.as_str(),
            Best::Resign => return success(&asked.id, "resign"),
            Best::Win | Best::None => "pass",
        };
        if asked.play
            && let Err(reason) = self.board.play_own(turn)
        {
            return failure(&asked.id, reason.reason());
        }
        success(&asked.id, &self.board.spell(turn))
    }
}

/// Whether a command does not depend on the board.
fn has_no_board(name: &str) -> bool {
    ABOUT_THE_PROGRAM.contains(&name)
        || ["boardsize", "set_game", "list_games", "komi", "time_settings", "time_left"].contains(&name)
}

/// The refusal of a line that is too long. Lines that were dropped have no answer: which commands they were, and with
/// which numbers, is not known.
fn answer_to_lost(input: &LostInput) -> ProtocolCommand {
    match input {
        LostInput::LongLine(beginning) => {
            let (id, words) = split_command(beginning);
            if words.is_empty() {
                // A comment, or blanks.
                return ProtocolCommand::Nothing;
            }
            ProtocolCommand::Say(EngineEvent::Text(failure(id, input.reason().reason())))
        }
        LostInput::Lines(_) => ProtocolCommand::Nothing,
    }
}

/// Refuses to play by GTP, which does not have the game that was chosen. The engine is never asked.
pub struct GtpRefusal {
    reason: String,
}

impl GtpRefusal {
    /// Refuses for the sake of this game.
    pub fn new(game: &str) -> GtpRefusal {
        GtpRefusal {
            reason: format!("the game is {game}, and GTP is for Reversi and Sygo only: speak USI or UGI"),
        }
    }

    fn answer(&self, name: &str, arguments: &[&str]) -> Result<String, &str> {
        match (name, arguments) {
            ("protocol_version", _) => Ok("2".to_owned()),
            ("name", _) => Ok("Kaeshi".to_owned()),
            ("version", _) => Ok(version::stated().to_owned()),
            ("known_command", [name]) => Ok(ABOUT_THE_PROGRAM.contains(name).to_string()),
            ("known_command", _) => Err("syntax error"),
            ("list_commands", _) => Ok(ABOUT_THE_PROGRAM.join("\n")),
            ("quit", _) => Ok(String::new()),
            (known, _) if has(&COMMANDS, known) => Err(&self.reason),
            _ => Err("unknown command"),
        }
    }
}

impl Protocol for GtpRefusal {
    fn parse(&mut self, line: &str, _received: Instant) -> Result<ProtocolCommand, GameError> {
        let (id, words) = split_command(line);
        let Some((&name, arguments)) = words.split_first() else { return Ok(ProtocolCommand::Nothing) };
        let answer = match self.answer(name, arguments) {
            Ok(text) => success(id, &text),
            Err(reason) => failure(id, reason),
        };
        let said = ProtocolCommand::Say(EngineEvent::Text(answer));
        Ok(if name == "quit" { ProtocolCommand::Batch(vec![said, ProtocolCommand::Quit]) } else { said })
    }

    fn lost(&mut self, input: &LostInput) -> ProtocolCommand {
        answer_to_lost(input)
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Text(text) => write!(out, "{text}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn said(gtp: &mut GtpProtocol, line: &str) -> String {
        match gtp.parse(line, Instant::now()).unwrap() {
            ProtocolCommand::Say(EngineEvent::Text(text)) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_command_of_the_tables_is_answered() {
        for command in COMMANDS.iter().chain(&sygo::COMMANDS) {
            let mut gtp = GtpProtocol::new("sygo");
            let answer = format!("{:?}", gtp.parse(command.name, Instant::now()));
            assert!(!answer.contains("unknown command"), "{}: {answer}", command.name);
            assert_eq!(said(&mut gtp, &format!("known_command {}", command.name)), "= true\n\n");
        }
    }

    #[test]
    fn ids_are_kept_and_errors_marked() {
        let mut gtp = GtpProtocol::default();
        assert_eq!(said(&mut gtp, "17 protocol_version"), "=17 2\n\n");
        assert_eq!(said(&mut gtp, "name # who?"), "= Kaeshi\n\n");
        assert_eq!(said(&mut gtp, "3 frobnicate"), "?3 unknown command\n\n");
        assert_eq!(said(&mut gtp, "4 boardsize 10"), "?4 unacceptable size\n\n");
        assert_eq!(said(&mut gtp, "play b"), "? syntax error\n\n");
        assert_eq!(gtp.parse("  # only a remark", Instant::now()), Ok(ProtocolCommand::Nothing));
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_under_its_number() {
        let long = LostInput::LongLine("12 play b d3".to_owned());
        let mut gtp = GtpProtocol::default();
        let ProtocolCommand::Say(EngineEvent::Text(text)) = gtp.lost(&long) else { panic!() };
        assert_eq!(text, "?12 a line of more than 1048576 bytes is ignored\n\n");
        assert_eq!(said(&mut gtp, "play b d3"), "=\n\n", "what is refused changes nothing");
        assert_eq!(gtp.lost(&LostInput::LongLine("# x".to_owned())), ProtocolCommand::Nothing);
        let ProtocolCommand::Say(EngineEvent::Text(text)) = GtpRefusal::new("shogi").lost(&long) else {
            panic!()
        };
        assert!(text.starts_with("?12 a line of more than"));
    }

    #[test]
    fn after_lost_lines_the_board_is_not_known() {
        for begun in ["boardsize 8", "set_game Sygo"] {
            let mut gtp = GtpProtocol::default();
            assert_eq!(gtp.lost(&LostInput::Lines(3)), ProtocolCommand::Nothing);
            assert_eq!(said(&mut gtp, "name"), "= Kaeshi\n\n");
            for command in ["play b d3", "genmove b", "reg_genmove b", "undo", "clear_board", "showboard"] {
                let text = said(&mut gtp, command);
                assert!(text.starts_with("? 3 lines are lost: too many came"), "{text}");
            }
            gtp.parse(begun, Instant::now()).unwrap();
            let turn = if begun == "set_game Sygo" { "play w d3" } else { "play b d3" };
            assert_eq!(said(&mut gtp, turn), "=\n\n");
        }
    }

    #[test]
    fn moves_are_checked_and_can_be_taken_back() {
        let mut gtp = GtpProtocol::default();
        assert_eq!(said(&mut gtp, "play b a1"), "? illegal move\n\n");
        assert_eq!(said(&mut gtp, "play w c3"), "? illegal move\n\n");
        assert_eq!(said(&mut gtp, "play black D3"), "=\n\n");
        assert_eq!(said(&mut gtp, "play w c3"), "=\n\n");
        assert_eq!(said(&mut gtp, "undo"), "=\n\n");
        assert_eq!(said(&mut gtp, "undo"), "=\n\n");
        assert_eq!(said(&mut gtp, "undo"), "? cannot undo\n\n");
        assert_eq!(said(&mut gtp, "final_score"), "? cannot score\n\n");
    }

    #[test]
    fn passes_after_the_end_are_accepted() {
        let mut gtp = GtpProtocol::default();
        for (index, vertex) in "e6 f4 e3 f6 g5 d6 e7 f5 c5".split(' ').enumerate() {
            let color = if index % 2 == 0 { "b" } else { "w" };
            assert_eq!(said(&mut gtp, &format!("play {color} {vertex}")), "=\n\n");
        }
        assert_eq!(said(&mut gtp, "final_score"), "= B+64\n\n");
        assert_eq!(said(&mut gtp, "genmove w"), "= pass\n\n");
        assert_eq!(said(&mut gtp, "play b pass"), "=\n\n");
        assert_eq!(said(&mut gtp, "play b a1"), "? illegal move\n\n");
    }

    #[test]
    fn sygo_is_played_in_the_letters_of_gtp() {
        let mut gtp = GtpProtocol::new("sygo");
        assert_eq!(said(&mut gtp, "list_games"), "= Othello\nSygo\n\n");
        for size in ["2", "20", "9x7", "", "x"] {
            assert!(said(&mut gtp, &format!("boardsize {size}")).starts_with('?'), "{size}");
        }
        assert_eq!(said(&mut gtp, "boardsize 9"), "=\n\n");
        assert_eq!(said(&mut gtp, "komi 0"), "=\n\n");
        assert_eq!(said(&mut gtp, "komi 6.5"), "? Sygo has no komi\n\n");
        assert!(said(&mut gtp, "play b D4").contains("turn of White, who moves first"));
        assert!(said(&mut gtp, "play w I4").contains("no column I"));
        for turn in ["w J9", "b a1", "w C3", "b pass", "w +J8,C4", "b B1", "w pass"] {
            assert_eq!(said(&mut gtp, &format!("play {turn}")), "=\n\n", "{turn}");
        }
        assert!(said(&mut gtp, "play b J9").starts_with("? illegal move: "));
        assert!(said(&mut gtp, "play b K1").starts_with("? illegal move: "));
        // Black grew by B1, so a balance turn is no longer legal.
        assert!(said(&mut gtp, "play b +A2@E5").starts_with("? illegal move: "));
        assert_eq!(said(&mut gtp, "final_score"), "= W+2\n\n");
        assert_eq!(said(&mut gtp, "gogui-rules_side_to_move"), "= black\n\n");
        assert_eq!(said(&mut gtp, "gogui-rules_final_result"), "= The game is not over.\n\n");
        assert_eq!(said(&mut gtp, "play b pass"), "=\n\n");
        assert_eq!(said(&mut gtp, "gogui-rules_final_result"), "= White wins by 2.\n\n");
        assert_eq!(said(&mut gtp, "gogui-rules_legal_moves"), "=\n\n");
        assert_eq!(said(&mut gtp, "undo"), "=\n\n");
        assert!(said(&mut gtp, "gogui-rules_legal_moves").ends_with("H9 pass\n\n"));
        assert_eq!(said(&mut gtp, "rectangular_boardsize 4 3"), "=\n\n");
        assert_eq!(said(&mut gtp, "play w D3"), "=\n\n");
        assert_eq!(said(&mut gtp, "gogui-rules_board"), "=\n. . . O\n. . . .\n. . . .\n\n");
        assert!(said(&mut gtp, "gogui-rules_board_size").starts_with('?'));
        assert_eq!(said(&mut gtp, "set_game chess"), "? unknown game\n\n");
        let Ok(ProtocolCommand::Batch(commands)) = gtp.parse("set_game Othello", Instant::now()) else {
            panic!()
        };
        assert!(matches!(&commands[0], ProtocolCommand::SetOption { value, .. } if value == "reversi"));
        assert_eq!(said(&mut gtp, "gogui-rules_board"), "? unknown command\n\n");
    }

    #[test]
    fn genmove_thinks_and_plays_what_was_found() {
        let mut gtp = GtpProtocol::default();
        let command = gtp.parse("9 genmove b", Instant::now()).unwrap();
        let ProtocolCommand::Batch(commands) = command else { panic!("{command:?}") };
        // Without the second wait a `genmove` that comes at once would take the end for its own.
        assert!(matches!(
            commands.as_slice(),
            [
                ProtocolCommand::Position { .. },
                ProtocolCommand::Go(_),
                ProtocolCommand::Wait,
                ProtocolCommand::Say(EngineEvent::Ready),
                ProtocolCommand::Wait
            ]
        ));
        let mut out = Vec::new();
        gtp.write(&EngineEvent::Best(Best::Turn { turn: "d3".into(), ponder: None }), &mut out).unwrap();
        gtp.write(&EngineEvent::Ready, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "=9 D3\n\n");
        assert_eq!(said(&mut gtp, "genmove b"), "? it is the other side's turn\n\n");
    }

    #[test]
    fn a_search_without_an_answer_is_answered() {
        let mut gtp = GtpProtocol::default();
        gtp.parse("genmove b", Instant::now()).unwrap();
        let mut out = Vec::new();
        gtp.write(&EngineEvent::Ready, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "? no move was found\n\n");
    }

    #[test]
    fn clocks_are_main_time_or_time_for_stones() {
        let mut gtp = GtpProtocol::default();
        assert_eq!(gtp.limits(Instant::now()).movetime, Some(UNTIMED));
        said(&mut gtp, "time_settings 300 25 5");
        let [black, white] = gtp.limits(Instant::now()).clocks.unwrap();
        assert_eq!((black.left.as_secs(), black.byoyomi.as_secs(), black), (300, 5, white));
        said(&mut gtp, "time_left w 12.5 0");
        assert_eq!(gtp.limits(Instant::now()).clocks.unwrap()[1].left.as_millis(), 12_500);
        said(&mut gtp, "time_left b 20 4");
        let black = gtp.limits(Instant::now()).clocks.unwrap()[0];
        assert_eq!((black.left.as_secs(), black.byoyomi.as_secs()), (0, 5));
        said(&mut gtp, "time_settings 0 1 0");
        assert!(gtp.limits(Instant::now()).clocks.is_none());
        assert_eq!(said(&mut gtp, "time_settings 1e30 0 0"), "? syntax error\n\n");
        assert_eq!(said(&mut gtp, "time_settings nan 0 0"), "? syntax error\n\n");
    }
}
