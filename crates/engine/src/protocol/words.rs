//! The vocabulary that USI and UGI share with UCI.
//!
//! With the feature `vampirc-uci`, which the program has, its lines are made and read by that crate
//! (`words/vampirc.rs`), otherwise by our own functions (`words/own.rs`). The tests compare both.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

#[cfg(any(test, not(feature = "vampirc-uci")))]
mod own;
#[cfg(feature = "vampirc-uci")]
mod vampirc;

use std::time::Duration;

#[cfg(not(feature = "vampirc-uci"))]
use own as by;
#[cfg(feature = "vampirc-uci")]
use vampirc as by;

pub use by::{id_author, id_name, info, option, parse_shared, ready_ok};

/// `info string …`, on one line whatever the text holds.
pub fn info_string(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    by::info_string(&line.join(" "))
}

/// How an empty text is shown.
fn or_empty(text: &str) -> &str {
    if text.is_empty() { "<empty>" } else { text }
}

/// The message about a panic.
pub fn internal_error(reason: &str) -> String {
    format!("internal error, please report: {reason}")
}

/// Speed in nodes per second; a time of zero counts as a microsecond.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let speed = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    u64::try_from(speed).unwrap_or(u64::MAX)
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
    use crate::protocol::ProtocolCommand;
    use kaeshi_core::driver::event::Info;
    use kaeshi_core::game::options::OptionKind;
    use kaeshi_core::game::score::Score;
    use kaeshi_core::game::search::Bound;

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
    fn the_shared_words_are_read() {
        let read = |line: &str| parse_shared(line).unwrap().unwrap();
        let set =
            |name: &str, value: &str| ProtocolCommand::SetOption { name: name.into(), value: value.into() };
        assert_eq!(read("isready"), ProtocolCommand::IsReady);
        assert_eq!(read(" stop "), ProtocolCommand::Stop);
        assert_eq!(read("ponderhit"), ProtocolCommand::PonderHit(None));
        assert_eq!(read("quit"), ProtocolCommand::Quit);
        assert_eq!(read("debug on"), ProtocolCommand::Nothing);
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

    /// The crate ends an option's name at a word that only begins with `value`, and such a line is refused then.
    #[test]
    fn a_word_that_begins_with_value_is_no_end_of_a_name() {
        let line = "setoption name Piece values value 3";
        let set = ProtocolCommand::SetOption { name: "Piece values".into(), value: "3".into() };
        assert_eq!(own::parse_shared(line).unwrap().unwrap(), set);
        #[cfg(feature = "vampirc-uci")]
        assert!(vampirc::parse_shared(line).unwrap().is_err());
    }

    #[cfg(feature = "vampirc-uci")]
    #[test]
    fn both_write_and_read_the_same() {
        for score in
            [Score::Cp(-31), Score::Exact(640), Score::MateIn(3), Score::MateIn(500), Score::MatedIn(0)]
        {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                for lines in [1, 3] {
                    let with = Info { score, bound, lines, ..sample() };
                    assert_eq!(own::info(&with), vampirc::info(&with));
                    let deep =
                        Info { depth: 300, seldepth: 1_000, time: Duration::MAX, pv: Vec::new(), ..with };
                    assert_eq!(own::info(&deep), vampirc::info(&deep));
                }
            }
        }
        for kind in [
            OptionKind::Check(false),
            OptionKind::Spin(-1, -5..=9),
            OptionKind::Combo("b", vec!["a", "b"]),
            OptionKind::Text(""),
            OptionKind::Text("a  b"),
            OptionKind::File("nn.bin"),
            OptionKind::Button,
        ] {
            assert_eq!(own::option("Some_Name", &kind), vampirc::option("Some_Name", &kind));
        }
        assert_eq!(own::id_name("Kaeshi 1"), vampirc::id_name("Kaeshi 1"));
        assert_eq!(own::id_author("the authors"), vampirc::id_author("the authors"));
        assert_eq!(own::ready_ok(), vampirc::ready_ok());
        assert_eq!(own::info_string("a remark"), vampirc::info_string("a remark"));
        for line in [
            "isready",
            " isready  now",
            "stop",
            "quit\r",
            "ponderhit",
            "ponderhit btime 5",
            "debug on",
            "debug OFF",
            "debug",
            "debug perhaps",
            "setoption",
            "setoption name",
            "setoption Hash 64",
            "setoption name value 3",
            "setoption name USI_Hash value 64",
            "setoption  NAME\tUSI_Hash  VALUE  64 ",
            "setoption name Clear Hash",
            "setoption name Skill  Level value 3",
            "setoption name BookFile value ",
            "setoption name A value b\rc",
            "setoption name A value the value of it",
            "setoption name LogFile value C:\\\u{68cb}\\a  b.txt",
            "usi",
            "",
        ] {
            let of =
                |read: Option<Result<ProtocolCommand, kaeshi_core::game::GameError>>| read.map(Result::ok);
            assert_eq!(of(own::parse_shared(line)), of(vampirc::parse_shared(line)), "{line:?}");
        }
    }
}
