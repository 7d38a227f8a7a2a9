//! The vocabulary that USI and UGI share with UCI. The only file that names `vampirc_uci`.
//!
//! Outbound lines are built with the crate wherever it can express them exactly. Inbound, only
//! the six words that mean the same everywhere reach its parser, chosen by their first word; the
//! tests say, quirk by quirk, why the others do not.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::time::Duration;

use vampirc_uci::{Serializable, UciInfoAttribute, UciMessage, UciOptionConfig, parse_one};

use crate::protocol::Command;
use kaeshi_core::driver::event::Info;
use kaeshi_core::game::Rejected;
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

/// `info string …`, on one line whatever the text holds.
pub fn info_string(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    UciMessage::info_string(line.join(" ")).serialize()
}

/// What is printed of a panic.
pub fn internal_error(reason: &str) -> String {
    format!("internal error, please report: {reason}")
}

/// `option name … type …`; empty texts are shown as `<empty>`.
pub fn option(name: &str, kind: &OptionKind) -> String {
    let name = name.to_string();
    let shown = |text: &str| if text.is_empty() { "<empty>".to_string() } else { text.to_string() };
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
        OptionKind::Text(default) => UciOptionConfig::String { name, default: Some(shown(default)) },
        // The crate knows no `type filename`, for which GUIs show a file chooser.
        OptionKind::File(default) => {
            return format!("option name {name} type filename default {}", shown(default));
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

/// Speed in nodes per second; a time of zero counts as a microsecond.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let speed = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(speed).unwrap_or(u64::MAX)
}

/// Reads `isready`, `setoption`, `stop`, `ponderhit` without times, `quit` and `debug`; `None`
/// for a line that begins with any other word.
pub fn parse_shared(line: &str) -> Option<Result<Command, Rejected>> {
    let mut tokens = line.split_whitespace();
    let first = tokens.next()?;
    let message = match first {
        // Without arguments: whatever follows is not for the crate to misread.
        "isready" | "stop" | "quit" => parse_one(first),
        "ponderhit" if tokens.next().is_none() => parse_one(first),
        // The crate's parser ends a line at a carriage return.
        "setoption" | "debug" => parse_one(&line.trim().replace(['\r', '\n'], " ")),
        _ => return None,
    };
    Some(match message {
        UciMessage::IsReady => Ok(Command::IsReady),
        UciMessage::Stop => Ok(Command::Stop),
        UciMessage::PonderHit => Ok(Command::PonderHit(None)),
        UciMessage::Quit => Ok(Command::Quit),
        UciMessage::Debug(_) => Ok(Command::Nothing),
        UciMessage::SetOption { name, value } => set_option(line, name, value),
        _ => Err(Rejected(format!("cannot read '{}'", abbreviated(line)))),
    })
}

/// Compares what the crate made of a `setoption` with what the line says: a word that only begins
/// with `value` ends its option name, and is then lost.
fn set_option(line: &str, name: String, value: Option<String>) -> Result<Command, Rejected> {
    let words =
        line.split_whitespace().skip(2).take_while(|word| !word.eq_ignore_ascii_case("value")).count();
    if words != name.split_whitespace().count() {
        return Err(Rejected(format!("cannot read '{}'", abbreviated(line))));
    }
    Ok(Command::SetOption { name, value: value.unwrap_or_default() })
}

/// The beginning of a text, short enough to be quoted in a remark.
pub fn abbreviated(text: &str) -> String {
    const LONGEST: usize = 80;
    let text = text.trim();
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn sample() -> Info {
        Info {
            depth: 7,
            seldepth: 12,
            confidence: 100,
            multipv: 1,
            lines: 1,
            score: Score::Cp(-31),
            bound: Bound::Exact,
            nodes: 4_000,
            time: Duration::from_millis(20),
            hashfull: 3,
            pv: vec!["7g7f".into(), "P*3d".into()],
        }
    }

    #[test]
    fn info_has_its_tokens_in_the_order_that_clients_read() {
        assert_eq!(
            info(&sample()),
            "info depth 7 seldepth 12 score cp -31 nodes 4000 nps 200000 hashfull 3 time 20 pv 7g7f P*3d"
        );
        let second = Info { multipv: 2, lines: 3, ..sample() };
        assert!(info(&second).starts_with("info depth 7 seldepth 12 multipv 2 score cp -31 "));
    }

    #[test]
    fn numbers_too_large_for_the_crate_are_written_all_the_same() {
        let deep = Info {
            depth: 300,
            seldepth: 65_535,
            lines: 70_000,
            multipv: 70_000,
            score: Score::MatedIn(200),
            nodes: u64::MAX,
            time: Duration::MAX,
            ..sample()
        };
        let line = info(&deep);
        assert!(line.starts_with(
            "info depth 300 seldepth 65535 multipv 70000 score mate -200 nodes 18446744073709551615 "
        ));
        assert!(line.contains(" time 9223372036854775807 pv "));
    }

    #[test]
    fn mates_are_integers_and_a_lost_position_has_a_sign() {
        let of = |score| info(&Info { score, ..sample() });
        assert!(of(Score::MateIn(3)).contains(" score mate 3 nodes"));
        assert!(of(Score::MateIn(500)).contains(" score mate 500 nodes"));
        assert!(of(Score::MatedIn(0)).contains(" score mate -0 nodes"));
        assert!(of(Score::MatedIn(128)).contains(" score mate -128 nodes"));
        assert!(of(Score::Exact(-640)).contains(" score cp -640 nodes"));
    }

    #[test]
    fn a_bound_stands_directly_behind_its_score() {
        let of = |score, bound| info(&Info { score, bound, ..sample() });
        assert!(of(Score::Cp(57), Bound::Lower).contains(" score cp 57 lowerbound nodes 4000 "));
        assert!(of(Score::Cp(-9), Bound::Upper).contains(" score cp -9 upperbound nodes 4000 "));
        assert!(of(Score::MateIn(7), Bound::Lower).contains(" score mate 7 lowerbound nodes"));
        assert!(of(Score::MateIn(300), Bound::Lower).contains(" score mate 300 lowerbound nodes"));
        assert!(of(Score::MatedIn(4), Bound::Upper).contains(" score mate -4 upperbound nodes"));
    }

    #[test]
    fn an_empty_variation_is_not_announced() {
        assert!(!info(&Info { pv: Vec::new(), ..sample() }).contains("pv"));
    }

    #[test]
    fn every_kind_of_option_is_listed() {
        let line = |kind| option("X", &kind);
        assert_eq!(line(OptionKind::Check(true)), "option name X type check default true");
        assert_eq!(line(OptionKind::Spin(-1, -5..=9)), "option name X type spin default -1 min -5 max 9");
        assert_eq!(
            line(OptionKind::Combo("b", vec!["a", "b"])),
            "option name X type combo default b var a var b"
        );
        assert_eq!(line(OptionKind::Text("")), "option name X type string default <empty>");
        assert_eq!(line(OptionKind::File("a.bin")), "option name X type filename default a.bin");
        assert_eq!(line(OptionKind::Button), "option name X type button");
    }

    #[test]
    fn remarks_stay_on_one_line() {
        assert_eq!(info_string("two\nlines\r "), "info string two lines");
    }

    #[test]
    fn the_shared_words_are_read_by_the_crate() {
        let read = |line: &str| parse_shared(line).unwrap().unwrap();
        let set = |name: &str, value: &str| Command::SetOption { name: name.into(), value: value.into() };
        assert_eq!(read("isready"), Command::IsReady);
        assert_eq!(read(" stop "), Command::Stop);
        assert_eq!(read("ponderhit"), Command::PonderHit(None));
        assert_eq!(read("quit"), Command::Quit);
        assert_eq!(read("debug on"), Command::Nothing);
        assert_eq!(read("setoption name USI_Hash value 64"), set("USI_Hash", "64"));
        assert_eq!(read("setoption name ClearHash"), set("ClearHash", ""));
        assert_eq!(read("setoption name BookFile value "), set("BookFile", ""));
        assert_eq!(
            read("setoption name LogFile value C:\\\u{68cb}\\a  b.txt"),
            set("LogFile", "C:\\\u{68cb}\\a  b.txt")
        );
    }

    #[test]
    fn other_words_are_left_alone() {
        for line in ["", "usi", "position startpos", "go", "ponderhit btime 5", "isreadyish"] {
            assert!(parse_shared(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_setoption_that_cannot_be_read_is_refused() {
        for line in ["setoption", "setoption Hash 64", "setoption name", "debug", "debug perhaps"] {
            assert!(parse_shared(line).unwrap().is_err(), "{line}");
        }
    }

    // Quirks of vampirc-uci 0.11.1: what happens to lines that we keep from it.

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
