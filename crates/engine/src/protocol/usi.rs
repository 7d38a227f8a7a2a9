//! The Universal Shogi Interface.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::io::{self, Write};

use crate::protocol::vocabulary::{CommandWord, USI, checkmate};
use crate::protocol::{Protocol, ProtocolCommand, go_words, tokens, words};
use crate::version;
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionLine;
use kaeshi_core::time::Instant;

/// A speaker of USI.
#[derive(Debug, Default)]
pub struct UsiProtocol {}

impl Protocol for UsiProtocol {
    fn parse(&mut self, line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
        parse_line(USI.hello, line, |command| parse_command(command, received))
    }

    fn write(&mut self, event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
        match event {
            EngineEvent::Hello(options) => hello(options, out),
            EngineEvent::Best(best) => writeln!(out, "{}", USI.best_move(best)),
            other => write_shared(other, out),
        }
    }
}

/// Reads one command that is no chain.
fn parse_command(line: &str, received: Instant) -> Result<ProtocolCommand, GameError> {
    if let Some(command) = words::parse_shared(line) {
        return command.map(with_engine_names);
    }
    let mut rest = line.split_whitespace();
    let Some(first) = rest.next() else { return Ok(ProtocolCommand::Nothing) };
    match USI.command_word(first) {
        Some(CommandWord::Hello) => Ok(ProtocolCommand::Hello),
        Some(CommandWord::NewGame) => Ok(ProtocolCommand::NewGame),
        Some(CommandWord::Position) => Ok(tokens::position(rest)),
        Some(CommandWord::Go) => Ok(go_words::go(rest, &USI.go, received)),
        Some(CommandWord::PonderHit) => Ok(go_words::ponder_hit(rest, &USI.go, received)),
        Some(CommandWord::GameOver) => Ok(ProtocolCommand::GameOver),
        Some(CommandWord::GetOption) => Ok(tokens::get_option(rest)),
        Some(CommandWord::Query) | None => {
            tokens::debug_word(&USI, first, rest).unwrap_or_else(|| Err(tokens::unknown(line)))
        }
    }
}

fn hello(options: &[OptionLine], out: &mut dyn Write) -> io::Result<()> {
    write_identity(out)?;
    for option in options {
        writeln!(out, "{}", words::option(&tokens::usi_option(option.name), &option.kind))?;
    }
    writeln!(out, "{}", USI.hello_done)
}

/// Name and author, as the hello of USI and UGI begins.
pub(super) fn write_identity(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", words::id_name(&format!("Kaeshi {}", version::stated())))?;
    writeln!(out, "{}", words::id_author("the Kaeshi authors"))
}

/// The events for which USI and UGI have the same words.
pub(super) fn write_shared(event: &EngineEvent, out: &mut dyn Write) -> io::Result<()> {
    match event {
        EngineEvent::Info(info) => writeln!(out, "{}", words::info(info)),
        EngineEvent::Message(text) => writeln!(out, "{}", words::info_string(text)),
        EngineEvent::Panic(reason) => writeln!(out, "{}", words::info_string(&words::internal_error(reason))),
        EngineEvent::Text(text) => writeln!(out, "{text}"),
        EngineEvent::Ready => writeln!(out, "{}", words::ready_ok()),
        EngineEvent::Mate(mate) => writeln!(out, "{}", checkmate(mate)),
        // No protocol asks for a report of the root.
        EngineEvent::Hello(_) | EngineEvent::Best(_) | EngineEvent::Response(_) | EngineEvent::Root(_) => {
            Ok(())
        }
    }
}

/// Reads a command by `parse_command`, or each command of a chain, where a refused one does not keep the others from
/// being carried out.
pub(super) fn parse_line(
    hello: &str,
    line: &str,
    parse_command: impl Fn(&str) -> Result<ProtocolCommand, GameError>,
) -> Result<ProtocolCommand, GameError> {
    let Some(commands) = tokens::chain(hello, line) else { return parse_command(line) };
    let or_remark = |reason: GameError| ProtocolCommand::Say(EngineEvent::Message(reason.into()));
    let each = commands.into_iter().map(|command| parse_command(command).unwrap_or_else(or_remark));
    Ok(ProtocolCommand::Batch(each.collect()))
}

/// `USI_Hash` is the engine's `Hash`.
pub(super) fn with_engine_names(command: ProtocolCommand) -> ProtocolCommand {
    match command {
        ProtocolCommand::SetOption { name, value } => {
            ProtocolCommand::SetOption { name: tokens::engine_option(&name).to_string(), value }
        }
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use kaeshi_core::driver::Show;
    use kaeshi_core::driver::event::{Best, Mate};
    use kaeshi_core::game::options::OptionKind;

    fn read(line: &str) -> Result<ProtocolCommand, GameError> {
        UsiProtocol::default().parse(line, Instant::now())
    }

    fn written(event: &EngineEvent) -> String {
        let mut out = Vec::new();
        UsiProtocol::default().write(event, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_without_arguments_are_read() {
        for (line, command) in [
            ("usi", ProtocolCommand::Hello),
            ("isready", ProtocolCommand::IsReady),
            ("usinewgame", ProtocolCommand::NewGame),
            ("stop", ProtocolCommand::Stop),
            ("gameover", ProtocolCommand::GameOver),
            ("gameover lose", ProtocolCommand::GameOver),
            ("quit", ProtocolCommand::Quit),
            ("", ProtocolCommand::Nothing),
            ("d", ProtocolCommand::Show(Show::Board)),
            ("perft 3", ProtocolCommand::Show(Show::Perft(3))),
        ] {
            assert_eq!(read(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn both_names_of_an_option_are_accepted() {
        let wanted = Ok(ProtocolCommand::SetOption { name: "Hash".into(), value: "64".into() });
        assert_eq!(read("setoption name USI_Hash value 64"), wanted);
        assert_eq!(read("setoption name Hash value 64"), wanted);
    }

    #[test]
    fn ponderhit_may_bring_times() {
        assert_eq!(read("ponderhit"), Ok(ProtocolCommand::PonderHit(None)));
        assert!(matches!(
            read("ponderhit btime 1000 wtime 900 byoyomi 0"),
            Ok(ProtocolCommand::PonderHit(Some(limits))) if limits.clocks.is_some()
        ));
    }

    #[test]
    fn a_chain_carries_on_after_a_bad_command() {
        let Ok(ProtocolCommand::Batch(commands)) = read("usi , perft 0 , isready") else {
            unreachable!("a chain is a batch")
        };
        assert!(matches!(
            commands.as_slice(),
            [ProtocolCommand::Hello, ProtocolCommand::Say(EngineEvent::Message(_)), ProtocolCommand::IsReady]
        ));
    }

    #[test]
    fn unknown_words_are_refused_by_name() {
        let error = read("frobnicate all").unwrap_err();
        assert!(error.reason().contains("frobnicate"), "{error}");
        assert!(read("perft").is_err() && read("perft -1").is_err() && read("perft 4000000000").is_err());
    }

    #[test]
    fn hello_names_the_engine_and_ends_with_usiok() {
        let options = vec![OptionLine::new("Hash", OptionKind::Spin(64, 1..=1024), "")];
        let text = written(&EngineEvent::Hello(options));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("id name Kaeshi ") && lines[1].starts_with("id author "));
        assert_eq!(lines[2..], ["option name USI_Hash type spin default 64 min 1 max 1024", "usiok"]);
    }

    #[test]
    fn every_answer_has_its_words() {
        let turn = |ponder: Option<&str>| {
            EngineEvent::Best(Best::Turn { turn: "7g7f".into(), ponder: ponder.map(str::to_string) })
        };
        for (event, line) in [
            (turn(None), "bestmove 7g7f\n"),
            (turn(Some("3c3d")), "bestmove 7g7f ponder 3c3d\n"),
            (EngineEvent::Best(Best::Resign), "bestmove resign\n"),
            (EngineEvent::Best(Best::None), "bestmove resign\n"),
            (EngineEvent::Best(Best::Win), "bestmove win\n"),
            (EngineEvent::Mate(Mate::Line(vec!["G*5b".into()])), "checkmate G*5b\n"),
            (EngineEvent::Mate(Mate::NoMate), "checkmate nomate\n"),
            (EngineEvent::Mate(Mate::Timeout), "checkmate timeout\n"),
            (EngineEvent::Mate(Mate::NotImplemented), "checkmate notimplemented\n"),
            (EngineEvent::Ready, "readyok\n"),
            (EngineEvent::Text("a\nb".into()), "a\nb\n"),
            (EngineEvent::Message("a\nb".into()), "info string a b\n"),
        ] {
            assert_eq!(written(&event), line);
        }
    }
}
