//! The words by the crate `vampirc-uci`. The only file that names it.
//!
//! Outbound lines are built with the crate wherever it can express them exactly. Inbound, only
//! the six words that mean the same everywhere reach its parser, chosen by their first word; the
//! tests say, quirk by quirk, why the others do not.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use vampirc_uci::{Serializable, UciInfoAttribute, UciMessage, UciOptionConfig, parse_one};

use super::{abbreviated, nodes_per_second, or_empty};
use crate::protocol::ProtocolCommand;
use kaeshi_core::driver::event::Info;
use kaeshi_core::game::GameError;
use kaeshi_core::game::options::OptionKind;
use kaeshi_core::game::score::Score;
use kaeshi_core::game::search::Bound;

/// `id name …`.
pub fn id_name(name: &str) -> String {
    UciMessage::id_name(name).serialize()
}

/// `id author …`.
pub fn id_author(author: &str) -> String {
    UciMessage::id_author(author).serialize()
}

/// `readyok`.
pub fn ready_ok() -> String {
    UciMessage::ReadyOk.serialize()
}

/// `info string …` of a text that is one line.
pub fn info_string(text: &str) -> String {
    UciMessage::info_string(text.to_owned()).serialize()
}

/// `option name … type …`; empty texts are shown as `<empty>`.
pub fn option(name: &str, kind: &OptionKind) -> String {
    let name = name.to_string();
    let config = match kind {
        OptionKind::Check(default) => UciOptionConfig::Check { name, default: Some(*default) },
        OptionKind::Spin(default, range) => UciOptionConfig::Spin {
            name,
            default: Some(*default),
            min: Some(*range.start()),
            max: Some(*range.end()),
        },
        OptionKind::Combo(default, choices) => UciOptionConfig::Combo {
            name,
            default: Some((*default).to_string()),
            var: choices.iter().map(|choice| (*choice).to_string()).collect(),
        },
        OptionKind::Text(default) => {
            UciOptionConfig::String { name, default: Some(or_empty(default).to_string()) }
        }
        // The crate knows no `type filename`, for which GUIs show a file chooser.
        OptionKind::File(default) => {
            return format!("option name {name} type filename default {}", or_empty(default));
        }
        OptionKind::Button => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).serialize()
}

/// `info depth … pv …`, tokens in the order that all clients read, `pv` last.
pub fn info(info: &Info) -> String {
    use UciInfoAttribute::{Any, Depth, HashFull, MultiPv, Nodes, Nps, SelDepth, Time};
    let any = |name: &str, value: String| Any(name.to_string(), value);
    let mut line = vec![
        u8::try_from(info.depth).map_or_else(|_| any("depth", info.depth.to_string()), Depth),
        u8::try_from(info.seldepth).map_or_else(|_| any("seldepth", info.seldepth.to_string()), SelDepth),
    ];
    if info.lines > 1 {
        line.push(
            u16::try_from(info.multipv).map_or_else(|_| any("multipv", info.multipv.to_string()), MultiPv),
        );
    }
    line.push(score(info.score, info.bound));
    line.push(Nodes(info.nodes));
    line.push(Nps(nodes_per_second(info.nodes, info.time)));
    line.push(HashFull(info.hashfull));
    let milliseconds = i64::try_from(info.time.as_millis()).unwrap_or(i64::MAX);
    line.push(match vampirc_uci::Duration::try_milliseconds(milliseconds) {
        Some(time) => Time(time),
        None => any("time", milliseconds.to_string()),
    });
    if !info.pv.is_empty() {
        line.push(any("pv", info.pv.join(" ")));
    }
    UciMessage::Info(line).serialize()
}

/// Mates are counted in plies. To be mated now is `mate -0`: GUIs read `mate 0` as a win.
fn score(score: Score, bound: Bound) -> UciInfoAttribute {
    let (lower_bound, upper_bound) =
        ((bound == Bound::Lower).then_some(true), (bound == Bound::Upper).then_some(true));
    let known = |cp, mate| UciInfoAttribute::Score { cp, mate, lower_bound, upper_bound };
    // Numbers that the crate does not take.
    let by_hand = |mate: String| {
        let bound = match bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        UciInfoAttribute::Any("score".to_string(), format!("mate {mate}{bound}"))
    };
    match score {
        Score::Cp(value) | Score::Exact(value) => known(Some(value), None),
        Score::MateIn(plies) => match i8::try_from(plies) {
            Ok(plies) => known(None, Some(plies)),
            Err(_) => by_hand(plies.to_string()),
        },
        Score::MatedIn(plies) => by_hand(format!("-{plies}")),
    }
}

/// Reads `isready`, `setoption`, `stop`, `ponderhit` without times, `quit` and `debug`; `None`
/// for a line that begins with any other word.
pub fn parse_shared(line: &str) -> Option<Result<ProtocolCommand, GameError>> {
    let mut tokens = line.split_whitespace();
    let first = tokens.next()?;
    let message = match first {
        // Only the first word is passed on, as the crate would misread arguments.
        "isready" | "stop" | "quit" => parse_one(first),
        "ponderhit" if tokens.next().is_none() => parse_one(first),
        // The crate's parser ends a line at a carriage return.
        "setoption" | "debug" => parse_one(&line.trim().replace(['\r', '\n'], " ")),
        _ => return None,
    };
    Some(match message {
        UciMessage::IsReady => Ok(ProtocolCommand::IsReady),
        UciMessage::Stop => Ok(ProtocolCommand::Stop),
        UciMessage::PonderHit => Ok(ProtocolCommand::PonderHit(None)),
        UciMessage::Quit => Ok(ProtocolCommand::Quit),
        UciMessage::Debug(_) => Ok(ProtocolCommand::Nothing),
        UciMessage::SetOption { name, value } => set_option(line, name, value),
        _ => Err(GameError::command(format!("cannot read '{}'", abbreviated(line)))),
    })
}

/// Compares what the crate made of a `setoption` with what the line says: a word that only begins
/// with `value` ends its option name, and is then lost.
fn set_option(line: &str, name: String, value: Option<String>) -> Result<ProtocolCommand, GameError> {
    let words =
        line.split_whitespace().skip(2).take_while(|word| !word.eq_ignore_ascii_case("value")).count();
    if words != name.split_whitespace().count() {
        return Err(GameError::command(format!("cannot read '{}'", abbreviated(line))));
    }
    Ok(ProtocolCommand::SetOption { name, value: value.unwrap_or_default() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    // Lines that are kept from version 0.11.1, with the reason.

    #[test]
    fn quirk_the_crate_panics_on_go_with_a_trailing_blank() {
        assert!(std::panic::catch_unwind(|| parse_one("go ")).is_err());
    }

    #[test]
    fn quirk_the_crate_panics_on_depths_above_255() {
        assert!(std::panic::catch_unwind(|| parse_one("go depth 256")).is_err());
    }

    #[test]
    fn quirk_the_crate_loses_byoyomi() {
        let read = parse_one("go btime 1000 wtime 1000 byoyomi 500").serialize();
        assert!(!read.contains("byoyomi"), "{read}");
    }

    #[test]
    fn quirk_the_crate_loses_ponder_when_times_follow() {
        let read = parse_one("go ponder btime 1000 wtime 2000").serialize();
        assert!(!read.contains("ponder"), "{read}");
    }

    #[test]
    fn quirk_the_crate_cannot_read_shogi_moves() {
        assert!(!parse_one("position startpos moves 7g7f").serialize().contains("7g7f"));
        assert!(parse_one("bestmove 7g7f").is_unknown());
    }

    #[test]
    fn quirk_the_crate_drops_times_after_ponderhit_and_words_after_isready() {
        assert_eq!(parse_one("ponderhit btime 1000"), UciMessage::PonderHit);
        assert_eq!(parse_one("isreadyish"), UciMessage::IsReady);
    }

    #[test]
    fn quirk_the_crate_does_not_know_usi() {
        for line in ["usi", "usinewgame", "gameover win", "query result"] {
            assert!(parse_one(line).is_unknown(), "{line}");
        }
    }

    #[test]
    fn quirk_the_crate_ends_an_option_name_at_a_word_that_begins_with_value() {
        let read = parse_one("setoption name Piece values value 3");
        assert_eq!(read, UciMessage::SetOption { name: "Piece".into(), value: None });
        assert!(parse_shared("setoption name Piece values value 3").unwrap().is_err());
    }

    #[test]
    fn quirk_the_crate_ends_a_value_at_a_carriage_return() {
        let read = parse_one("setoption name A value b\rc");
        assert_eq!(read, UciMessage::SetOption { name: "A".into(), value: Some("b".into()) });
    }
}
