//! The Universal Game Interface of kz04px, as its runner cutegames speaks it: UCI's words for any
//! game, and `query`, by which a runner lets the engine referee a game it does not know itself.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, Write};

use crate::protocol::usi::{parse_line, with_engine_names, write_identity, write_shared};
use crate::protocol::vocabulary::{CommandWord, UGI};
use crate::protocol::{Protocol, ProtocolCommand, go_words, tokens, words};
use kaeshi_core::driver::Query;
use kaeshi_core::driver::event::{EngineEvent, Info, QueryResponse};
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionLine;
use kaeshi_core::game::score::Score;
use kaeshi_core::time::Instant;

/// A speaker of UGI.
#[derive(Debug, Default)]
pub struct UgiProtocol {
    /// The proven margin that was printed last, so that it is printed once.
    printed: Option<i32>,
}

impl Protocol for UgiProtocol {
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
        parse_line(UGI.hello, line, |command| parse_command(command, received))
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Hello(options) => hello(options, out),
            EngineEvent::Info(info) => {
                self.tell_proof(info, out)?;
                write_shared(event, out)
            }
            EngineEvent::Best(best) => {
                self.printed = None;
                writeln!(out, "{}", UGI.best_move(best))
            }
            EngineEvent::Response(response) => {
                let word = match response {
                    QueryResponse::Truth(true) => "true",
                    QueryResponse::Truth(false) => "false",
                    QueryResponse::FirstWins => "p1win",
                    QueryResponse::SecondWins => "p2win",
                    QueryResponse::Draw => "draw",
                    QueryResponse::Unfinished => "none",
                };
                writeln!(out, "response {word}")
            }
            other => write_shared(other, out),
        }
    }
}

impl UgiProtocol {
    /// Says in words that a score is no estimate, each time it changes.
    fn tell_proof(&mut self, info: &Info, out: &mut dyn Write) -> io::Result<()> {
        let Score::Exact(value) = info.score else { return Ok(()) };
        if info.multipv != 1 || self.printed == Some(value) {
            return Ok(());
        }
        self.printed = Some(value);
        let (whole, part) = (value / 100, value % 100);
        let text = if part == 0 { format!("{whole:+}") } else { format!("{:+.2}", f64::from(value) / 100.0) };
        writeln!(out, "{}", words::info_string(&format!("exact result {text}")))
    }
}

/// Reads one command that is no chain.
fn parse_command(line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
    if let Some(command) = words::parse_shared(line) {
        return command.map(with_engine_names);
    }
    let mut rest = line.split_whitespace();
    let Some(first) = rest.next() else { return Ok(ProtocolCommand::Nothing) };
    match UGI.command_word(first) {
        Some(CommandWord::Hello) => Ok(ProtocolCommand::Hello),
        Some(CommandWord::NewGame) => Ok(ProtocolCommand::NewGame),
        Some(CommandWord::Position) => Ok(tokens::position(rest)),
        Some(CommandWord::Go) => Ok(go_words::go(rest, &UGI.go, received)),
        Some(CommandWord::PonderHit) => Ok(go_words::ponder_hit(rest, &UGI.go, received)),
        Some(CommandWord::GameOver) => Ok(ProtocolCommand::GameOver),
        Some(CommandWord::GetOption) => Ok(tokens::get_option(rest)),
        Some(CommandWord::Query) => match rest.next() {
            Some("gameover") => Ok(ProtocolCommand::Query(Query::GameOver)),
            Some("p1turn") => Ok(ProtocolCommand::Query(Query::FirstToMove)),
            Some("result") => Ok(ProtocolCommand::Query(Query::Result)),
            _ => Err(GameError::command("query: one of gameover, p1turn, result is wanted")),
        },
        None => tokens::debug_word(&UGI, first, rest).unwrap_or_else(|| Err(tokens::unknown(line))),
    }
}

fn hello(options: &[OptionLine], out: &mut dyn Write) -> io::Result<()> {
    write_identity(out)?;
    for option in options {
        writeln!(out, "{}", words::option(option.name, &option.kind))?;
    }
    writeln!(out, "{}", UGI.hello_done)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use kaeshi_core::driver::event::Best;
    use kaeshi_core::game::search::Bound;
    use std::time::Duration;

    fn written(ugi: &mut UgiProtocol, event: &EngineEvent) -> String {
        let mut out = Vec::new();
        ugi.write(event, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn clocks_have_the_names_of_the_players() {
        let line = "go p1time 1000 p2time 2000 p1inc 10 p2inc 20";
        let Ok(ProtocolCommand::Go(limits)) = UgiProtocol::default().parse(line, Instant::now()) else {
            unreachable!("{line} is a go")
        };
        let clocks = limits.clocks.unwrap();
        let milliseconds = clocks.map(|clock| (clock.left.as_millis(), clock.increment.as_millis()));
        assert_eq!(milliseconds, [(1000, 10), (2000, 20)]);
    }

    #[test]
    fn queries_are_read_and_answered() {
        let mut ugi = UgiProtocol::default();
        let mut read = |line: &str| ugi.parse(line, Instant::now());
        assert_eq!(read("query gameover"), Ok(ProtocolCommand::Query(Query::GameOver)));
        assert_eq!(read("query p1turn"), Ok(ProtocolCommand::Query(Query::FirstToMove)));
        assert_eq!(read("query result"), Ok(ProtocolCommand::Query(Query::Result)));
        assert!(read("query weather").is_err() && read("query").is_err());
        for (response, word) in [
            (QueryResponse::Truth(true), "true"),
            (QueryResponse::Truth(false), "false"),
            (QueryResponse::FirstWins, "p1win"),
            (QueryResponse::SecondWins, "p2win"),
            (QueryResponse::Draw, "draw"),
            (QueryResponse::Unfinished, "none"),
        ] {
            assert_eq!(written(&mut ugi, &EngineEvent::Response(response)), format!("response {word}\n"));
        }
    }

    #[test]
    fn bestmove_has_exactly_two_words() {
        let mut ugi = UgiProtocol::default();
        let turn = Best::Turn { turn: "+d4,e5@k3".into(), ponder: Some("pass".into()) };
        assert_eq!(written(&mut ugi, &EngineEvent::Best(turn)), "bestmove +d4,e5@k3\n");
        assert_eq!(written(&mut ugi, &EngineEvent::Best(Best::None)), "bestmove none\n");
        assert_eq!(written(&mut ugi, &EngineEvent::Best(Best::Resign)), "bestmove resign\n");
    }

    #[test]
    fn a_proven_result_is_printed_once_before_its_line() {
        let mut ugi = UgiProtocol::default();
        let info = |score| {
            EngineEvent::Info(Info {
                depth: 12,
                seldepth: 12,
                confidence: 100,
                multipv: 1,
                lines: 1,
                score,
                bound: Bound::Exact,
                nodes: 1,
                time: Duration::ZERO,
                hashfull: 0,
                pv: vec!["d3".into()],
            })
        };
        let first = written(&mut ugi, &info(Score::Exact(-1200)));
        assert!(first.starts_with("info string exact result -12\ninfo depth 12 "), "{first}");
        assert!(written(&mut ugi, &info(Score::Exact(-1200))).starts_with("info depth"));
        assert!(written(&mut ugi, &info(Score::Cp(-1200))).starts_with("info depth"));
        assert!(written(&mut ugi, &info(Score::Exact(250))).starts_with("info string exact result +2.50\n"));
    }
}
