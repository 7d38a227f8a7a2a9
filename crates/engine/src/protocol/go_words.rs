//! The words of `go` and `ponderhit`, as USI, UGI and UCI have them.
//!
//! A `go` that is refused is never answered, and its side loses on time. So the words that are understood hold, and a
//! remark names the rest: a negative number counts as 0, decimals are cut.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::iter::Peekable;
use std::str::SplitWhitespace;
use std::time::Duration;

use crate::protocol::ProtocolCommand;
use crate::protocol::words::abbreviated;
use kaeshi_core::driver::clock::{Limits, MateLimit, SideClock};
use kaeshi_core::driver::event::EngineEvent;
use kaeshi_core::time::Instant;

/// The longest time in milliseconds, 31 years; larger numbers count as this one.
const LONGEST_MS: u64 = 1_000_000_000_000;
/// How long is searched if limits were given, but none of them can be understood.
const UNREADABLE_LIMIT: Duration = Duration::from_secs(1);
/// Remarks about one line; a line may have a megabyte.
const MOST_REMARKS: usize = 8;

/// The words that all dialects have. The words of the clocks are in [`GoWords`].
const SHARED_WORDS: [&str; 10] = [
    "byoyomi",
    "movetime",
    "rtime",
    "depth",
    "nodes",
    "mate",
    "movestogo",
    "infinite",
    "ponder",
    "searchmoves",
];

/// The words of the clocks in all dialects.
pub const CLOCKS: [&str; 8] = ["btime", "wtime", "binc", "winc", "p1time", "p2time", "p1inc", "p2inc"];

/// The words of a dialect for the clocks of the first and the second side, and its meaning of `mate`.
#[derive(Debug)]
pub struct GoWords {
    /// Main times.
    pub times: [&'static str; 2],
    /// Increments.
    pub increments: [&'static str; 2],
    /// Whether clients send `byoyomi`. Every dialect reads it.
    pub byoyomi: bool,
    /// `mate N` is a mate in N moves, as in UCI: a search of 2 N - 1 plies. Otherwise N is a time.
    pub mate_in_moves: bool,
}

impl GoWords {
    fn know(&self, word: &str) -> bool {
        SHARED_WORDS.contains(&word) || self.times.contains(&word) || self.increments.contains(&word)
    }

    /// The line of a `go` with these limits, without its end; `moves_to_go` is for periods of a number of moves.
    ///
    /// Clocks have whole milliseconds. A `go mate` is not written where that word means another thing.
    pub fn line(&self, limits: &Limits, moves_to_go: Option<u32>) -> String {
        let mut words = vec!["go".to_owned()];
        words.extend(limits.ponder.then(|| "ponder".to_owned()));
        words.extend(limits.infinite.then(|| "infinite".to_owned()));
        if let Some(clocks) = &limits.clocks {
            let times = self.times.iter().zip(clocks);
            words.extend(times.map(|(word, clock)| format!("{word} {}", clock.left.as_millis())));
            if self.byoyomi && clocks.iter().all(|clock| clock.increment.is_zero()) {
                let byoyomi = clocks.iter().map(|clock| clock.byoyomi).max().unwrap_or_default();
                words.push(format!("byoyomi {}", byoyomi.as_millis()));
            } else {
                let increments = self.increments.iter().zip(clocks);
                words.extend(
                    increments.map(|(word, clock)| format!("{word} {}", clock.increment.as_millis())),
                );
            }
        }
        words.extend(limits.movetime.map(|time| format!("movetime {}", time.as_millis())));
        words.extend(limits.nodes.map(|nodes| format!("nodes {nodes}")));
        words.extend(limits.depth.map(|depth| format!("depth {depth}")));
        words.extend(limits.mate.filter(|_| !self.mate_in_moves).map(|mate| match mate {
            MateLimit::Time(time) => format!("mate {}", time.as_millis()),
            MateLimit::Infinite => "mate infinite".to_owned(),
        }));
        words.extend(moves_to_go.map(|moves| format!("movestogo {moves}")));
        if !limits.turns.is_empty() {
            words.push(format!("searchmoves {}", limits.turns.join(" ")));
        }
        words.join(" ")
    }
}

type Tokens<'a> = Peekable<SplitWhitespace<'a>>;

/// Parses the words behind `go`; a remark about words that were not understood precedes the search.
pub fn go(tokens: SplitWhitespace<'_>, words: &GoWords, received: Instant) -> ProtocolCommand {
    let mut reader = GoReader::read(tokens, words, received);
    let limits = reader.limits();
    with_remark("go", &reader, ProtocolCommand::Go(limits))
}

/// Parses the words behind `ponderhit`. Without a time that can be understood, those of `go ponder` hold.
pub fn ponder_hit(tokens: SplitWhitespace<'_>, words: &GoWords, received: Instant) -> ProtocolCommand {
    let reader = GoReader::read(tokens, words, received);
    let limits = Some(reader.given()).filter(|given| given.clocks.is_some() || given.movetime.is_some());
    with_remark("ponderhit", &reader, ProtocolCommand::PonderHit(limits))
}

fn with_remark(first: &str, reader: &GoReader, command: ProtocolCommand) -> ProtocolCommand {
    let unknown =
        (!reader.unknown.is_empty()).then(|| format!("ignored '{}'", abbreviated(&reader.unknown.join(" "))));
    let remarks: Vec<String> = unknown.into_iter().chain(reader.remarks.iter().cloned()).collect();
    if remarks.is_empty() {
        return command;
    }
    let remark = EngineEvent::Message(format!("{first}: {}", remarks.join("; ")));
    ProtocolCommand::Batch(vec![ProtocolCommand::Say(remark), command])
}

/// The words read so far.
struct GoReader {
    limits: Limits,
    times: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
    byoyomi: Option<Duration>,
    moves_to_go: bool,
    /// A limit was given that cannot be understood.
    unreadable: bool,
    unknown: Vec<String>,
    remarks: Vec<String>,
}

impl GoReader {
    fn read(tokens: SplitWhitespace<'_>, words: &GoWords, received: Instant) -> GoReader {
        let mut reader = GoReader {
            limits: Limits { received, ..Limits::none() },
            times: [None; 2],
            increments: [None; 2],
            byoyomi: None,
            moves_to_go: false,
            unreadable: false,
            unknown: Vec::new(),
            remarks: Vec::new(),
        };
        let mut tokens = tokens.peekable();
        while let Some(word) = tokens.next() {
            reader.word(word, &mut tokens, words);
        }
        reader
    }

    fn word(&mut self, word: &str, tokens: &mut Tokens<'_>, words: &GoWords) {
        match word {
            "infinite" => self.limits.infinite = true,
            "ponder" => self.limits.ponder = true,
            "searchmoves" => self.search_moves(tokens, words),
            "mate" if !words.mate_in_moves => self.mate(tokens, words),
            _ if words.know(word) => {
                if let Some(number) = self.number(word, tokens, words) {
                    self.put(word, number, words);
                }
            }
            _ => {
                // The clock of another dialect limits the search, if not by how much.
                self.unreadable |= CLOCKS.contains(&word);
                self.unknown.push(word.to_owned());
            }
        }
    }

    /// The number that follows `word`, which is left out if there is none.
    fn number(&mut self, word: &str, tokens: &mut Tokens<'_>, words: &GoWords) -> Option<u64> {
        let given = tokens.next_if(|token| !words.know(token));
        let number = given.and_then(whole);
        let (least, most) = match word {
            "depth" => (1, u64::from(u16::MAX)),
            "mate" if words.mate_in_moves => (1, u64::from(u16::MAX / 2)),
            "nodes" => (1, u64::MAX),
            _ => (0, LONGEST_MS),
        };
        let Some(number) = number else {
            // The clock plans for the whole game, whatever `movestogo` says.
            self.unreadable |= word != "movestogo";
            self.remark(match given {
                Some(given) => format!("'{word} {}' is left out: no number", abbreviated(given)),
                None => format!("{word} is followed by no number"),
            });
            return None;
        };
        let counted = number.clamp(least, most);
        if counted != number {
            self.remark(format!("{word} {} counts as {counted}", abbreviated(given.unwrap_or_default())));
        }
        Some(counted)
    }

    fn put(&mut self, word: &str, number: u64, words: &GoWords) {
        let (time, plies) = (Duration::from_millis(number), u16::try_from(number).unwrap_or(u16::MAX));
        let twice = match word {
            "byoyomi" => self.byoyomi.replace(time).is_some(),
            "movetime" => self.limits.movetime.replace(time).is_some(),
            "rtime" => self.limits.random_time.replace(time).is_some(),
            "depth" => self.limits.depth.replace(plies).is_some(),
            "mate" => self.limits.depth.replace(plies.saturating_mul(2).saturating_sub(1)).is_some(),
            "nodes" => self.limits.nodes.replace(number).is_some(),
            // Bridges send it. The clock plans for the whole game anyway.
            "movestogo" => std::mem::replace(&mut self.moves_to_go, true),
            _ => {
                let times = words.times.iter().zip(&mut self.times);
                let mut clocks = times.chain(words.increments.iter().zip(&mut self.increments));
                clocks.find(|(name, _)| **name == word).is_some_and(|(_, slot)| slot.replace(time).is_some())
            }
        };
        if twice {
            self.remark(format!("{word} is given twice, the last one counts"));
        }
    }

    /// `mate` with a time in milliseconds, with `infinite`, or alone.
    fn mate(&mut self, tokens: &mut Tokens<'_>, words: &GoWords) {
        let endless = tokens.next_if_eq(&"infinite").is_some();
        let bare = tokens.peek().is_none_or(|token| words.know(token));
        let limit = if endless || bare {
            MateLimit::Infinite
        } else {
            let time = self.number("mate", tokens, words).map(Duration::from_millis);
            MateLimit::Time(time.unwrap_or(UNREADABLE_LIMIT))
        };
        if self.limits.mate.replace(limit).is_some() {
            self.remark("mate is given twice, the last one counts".to_owned());
        }
    }

    fn search_moves(&mut self, tokens: &mut Tokens<'_>, words: &GoWords) {
        let before = self.limits.turns.len();
        while let Some(turn) = tokens.next_if(|token| !words.know(token) && !CLOCKS.contains(token)) {
            self.limits.turns.push(turn.to_owned());
        }
        if self.limits.turns.len() == before {
            self.remark("searchmoves is followed by no move".to_owned());
        }
    }

    fn remark(&mut self, text: String) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(text);
        }
    }

    /// The limits that were given.
    fn given(&self) -> Limits {
        let given = self.times.iter().chain(&self.increments).chain([&self.byoyomi]).any(Option::is_some);
        let clock = |left: Option<Duration>, increment: Option<Duration>| SideClock {
            left: left.unwrap_or_default(),
            increment: increment.unwrap_or_default(),
            byoyomi: self.byoyomi.unwrap_or_default(),
        };
        let [first, second] = self.times;
        let [first_increment, second_increment] = self.increments;
        let clocks = [clock(first, first_increment), clock(second, second_increment)];
        // Bridges send clocks of zero beside the limit that they mean.
        let empty = self.is_limited() && clocks == [SideClock::default(); 2];
        Limits { clocks: (given && !empty).then_some(clocks), ..self.limits.clone() }
    }

    /// The limits of the search.
    fn limits(&mut self) -> Limits {
        let given = self.given();
        let endless = given.clocks.is_none() && given.mate.is_none() && !given.infinite && !self.is_limited();
        if !endless || !self.unreadable {
            return given;
        }
        self.remark(format!("no limit is left: {} s are searched", UNREADABLE_LIMIT.as_secs()));
        Limits { movetime: Some(UNREADABLE_LIMIT), ..given }
    }

    fn is_limited(&self) -> bool {
        let Limits { movetime, random_time, depth, nodes, .. } = &self.limits;
        movetime.is_some() || random_time.is_some() || depth.is_some() || nodes.is_some()
    }
}

/// A decimal number without its sign and fraction: 0 if it is negative, the largest one if it is too large.
pub fn whole(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(integer) || !plain(fraction) || integer.len() + fraction.len() == 0 {
        return None;
    }
    if text.starts_with('-') || integer.is_empty() {
        return Some(0);
    }
    Some(integer.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const USI: GoWords = GoWords {
        times: ["btime", "wtime"],
        increments: ["binc", "winc"],
        byoyomi: true,
        mate_in_moves: false,
    };
    const UCI: GoWords = GoWords {
        times: ["wtime", "btime"],
        increments: ["winc", "binc"],
        byoyomi: false,
        mate_in_moves: true,
    };

    #[test]
    fn limits_are_read_as_they_were_written() {
        let clock = |left, increment, byoyomi| SideClock { left, increment, byoyomi };
        let none = || Limits::none();
        for limits in [
            Limits { clocks: Some([clock(ms(5), ms(0), ms(7)), clock(ms(6), ms(0), ms(7))]), ..none() },
            Limits { clocks: Some([clock(ms(5), ms(1), ms(0)), clock(ms(6), ms(2), ms(0))]), ..none() },
            Limits { clocks: Some([SideClock::default(); 2]), ponder: true, ..none() },
            Limits { movetime: Some(ms(970)), turns: vec!["7g7f".into()], ..none() },
            Limits { nodes: Some(9), depth: Some(3), ..none() },
            Limits { infinite: true, ..none() },
            Limits { mate: Some(MateLimit::Time(ms(2_000))), ..none() },
            Limits { mate: Some(MateLimit::Infinite), ..none() },
        ] {
            let line = USI.line(&limits, None);
            let again = read(line.strip_prefix("go").unwrap());
            assert_eq!(Limits { received: limits.received, ..again }, limits, "{line}");
        }
        let fischer = Limits { clocks: Some([clock(ms(5), ms(0), ms(0)); 2]), ..none() };
        assert_eq!(UCI.line(&fischer, Some(7)), "go wtime 5 btime 5 winc 0 binc 0 movestogo 7");
    }

    /// The limits of a `go`, and the remark.
    fn read_as(words: &GoWords, line: &str) -> (Limits, Option<String>) {
        match go(line.split_whitespace(), words, Instant::now()) {
            ProtocolCommand::Go(limits) => (limits, None),
            ProtocolCommand::Batch(commands) => match commands.as_slice() {
                [ProtocolCommand::Say(EngineEvent::Message(remark)), ProtocolCommand::Go(limits)] => {
                    (limits.clone(), Some(remark.clone()))
                }
                _ => panic!("{line}: {commands:?}"),
            },
            other => panic!("{line}: {other:?}"),
        }
    }

    fn read(line: &str) -> Limits {
        let (limits, remark) = read_as(&USI, line);
        assert_eq!(remark, None, "{line}");
        limits
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn every_form_of_go_is_read() {
        let byoyomi = read("btime 60000 wtime 50000 byoyomi 10000");
        assert_eq!(
            byoyomi.clocks.unwrap(),
            [
                SideClock { left: ms(60_000), increment: ms(0), byoyomi: ms(10_000) },
                SideClock { left: ms(50_000), increment: ms(0), byoyomi: ms(10_000) },
            ]
        );
        let fischer = read("ponder btime 1 wtime 2 binc 3 winc 4");
        assert!(fischer.ponder);
        assert_eq!(
            fischer.clocks.unwrap(),
            [
                SideClock { left: ms(1), increment: ms(3), byoyomi: ms(0) },
                SideClock { left: ms(2), increment: ms(4), byoyomi: ms(0) },
            ]
        );
        assert_eq!(read("movetime 1500").movetime, Some(ms(1_500)));
        assert_eq!(read("depth 256").depth, Some(256));
        assert_eq!(read("nodes 18446744073709551615").nodes, Some(u64::MAX));
        assert!(read("infinite").infinite);
        assert_eq!(read("mate infinite").mate, Some(MateLimit::Infinite));
        assert_eq!(read("mate").mate, Some(MateLimit::Infinite));
        assert_eq!(read("mate nodes 5").nodes, Some(5));
        assert_eq!(read("mate 5000").mate, Some(MateLimit::Time(ms(5_000))));
        assert_eq!(read("btime 0 wtime 0").clocks, Some([SideClock::default(); 2]));
        let bare = read("");
        assert!(bare.clocks.is_none() && !bare.infinite && bare.depth.is_none() && bare.movetime.is_none());
    }

    #[test]
    fn clocks_of_zero_beside_another_limit_are_none() {
        assert!(read("btime 0 wtime 0 movetime 970").clocks.is_none());
        assert!(read("depth 5 btime 0 wtime 0").clocks.is_none());
        assert!(read("movetime 970 btime 0 wtime 0 byoyomi 10").clocks.is_some());
    }

    #[test]
    fn searchmoves_end_where_the_next_word_of_go_begins() {
        let limits = read("searchmoves 7g7f P*3d depth 3");
        assert_eq!((limits.turns, limits.depth), (vec!["7g7f".to_string(), "P*3d".to_string()], Some(3)));
        let (limits, remark) = read_as(&USI, "searchmoves depth 3");
        assert_eq!((limits.turns.len(), limits.depth), (0, Some(3)));
        assert_eq!(remark.unwrap(), "go: searchmoves is followed by no move");
    }

    #[test]
    fn negative_numbers_are_0_and_decimals_are_cut() {
        assert_eq!(read("movetime 1000.9").movetime, Some(ms(1_000)));
        assert_eq!(read("movetime -5").movetime, Some(Duration::ZERO));
        let clocks = read("btime 300000.5 wtime -250 winc -1 byoyomi -0.5").clocks.unwrap();
        assert_eq!(clocks[0].left, ms(300_000));
        assert_eq!(clocks[1], SideClock::default());
        assert_eq!(read("mate 5000.0").mate, Some(MateLimit::Time(ms(5_000))));
        assert_eq!(read("depth 3.5").depth, Some(3));
        assert_eq!(read("movestogo -1 movetime 7").movetime, Some(ms(7)));
    }

    #[test]
    fn numbers_out_of_range_count_as_the_nearest_one() {
        for (line, depth, nodes, remark) in [
            ("depth 0", Some(1), None, "go: depth 0 counts as 1"),
            ("depth -3", Some(1), None, "go: depth -3 counts as 1"),
            ("depth 65536", Some(u16::MAX), None, "go: depth 65536 counts as 65535"),
            ("nodes 0", None, Some(1), "go: nodes 0 counts as 1"),
        ] {
            let (limits, said) = read_as(&USI, line);
            assert_eq!((limits.depth, limits.nodes, said.as_deref()), (depth, nodes, Some(remark)), "{line}");
        }
        let (limits, _) = read_as(&USI, "btime 99999999999999999999 wtime 5");
        assert_eq!(limits.clocks.unwrap()[0].left, ms(LONGEST_MS));
    }

    #[test]
    fn what_cannot_be_understood_is_left_out_and_named() {
        for (line, wanted) in [
            ("depth x nodes 9", "go: 'depth x' is left out: no number"),
            ("nodes 9 depth", "go: depth is followed by no number"),
            ("byoyomi nodes 9", "go: byoyomi is followed by no number"),
            ("nodes 9 movetime nan btime inf", "'movetime nan' is left out: no number; 'btime inf'"),
            ("nodes 4 nodes 9", "go: nodes is given twice, the last one counts"),
            ("nodes 9 movestogo many", "go: 'movestogo many' is left out: no number"),
        ] {
            let (limits, remark) = read_as(&USI, line);
            let remark = remark.unwrap();
            assert!(remark.contains(wanted), "{line}: {remark}");
            assert_eq!(
                limits,
                Limits { received: limits.received, nodes: Some(9), ..Limits::none() },
                "{line}"
            );
        }
        let (limits, remark) = read_as(&USI, "depth 3 frob 7 nodes 9");
        assert_eq!(remark.unwrap(), "go: ignored 'frob 7'");
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(9)));
    }

    /// An endless search would lose on time what the GUI meant to limit.
    #[test]
    fn a_limit_that_cannot_be_understood_leaves_no_endless_search() {
        for line in [
            "movetime x",
            "byoyomi",
            "btime x wtime y",
            "ponder depth",
            "rtime 1e3",
            "p1time 9 p2inc 9",
            "searchmoves 7g7f p1time 9",
        ] {
            let (limits, remark) = read_as(&USI, line);
            assert_eq!(limits.movetime, Some(UNREADABLE_LIMIT), "{line}");
            assert!(remark.unwrap().ends_with("no limit is left: 1 s are searched"), "{line}");
        }
        assert_eq!(read_as(&USI, "mate soon").0.mate, Some(MateLimit::Time(UNREADABLE_LIMIT)));
        assert!(read_as(&USI, "infinite depth x").0.movetime.is_none());
        assert!(read_as(&USI, "searchmoves").0.movetime.is_none());
        assert!(read_as(&UCI, "mate soon").0.movetime.is_some());
    }

    #[test]
    fn a_mate_of_uci_is_a_depth() {
        let (limits, _) = read_as(&UCI, "mate 3 nodes 9");
        assert_eq!((limits.depth, limits.nodes, limits.mate), (Some(5), Some(9), None));
        assert_eq!(read_as(&UCI, "mate 0").0.depth, Some(1));
        assert_eq!(read_as(&UCI, "mate 99999999").0.depth, Some(u16::MAX - 2));
    }

    #[test]
    fn a_ponderhit_without_times_that_can_be_understood_leaves_those_of_go() {
        let hit = |line: &str| match ponder_hit(line.split_whitespace(), &USI, Instant::now()) {
            ProtocolCommand::PonderHit(limits) => limits,
            ProtocolCommand::Batch(mut commands) => match commands.pop() {
                Some(ProtocolCommand::PonderHit(limits)) => limits,
                other => panic!("{line}: {other:?}"),
            },
            other => panic!("{line}: {other:?}"),
        };
        assert!(hit("btime 1000 wtime 900.5").unwrap().clocks.is_some());
        assert!(hit("btime -1").unwrap().clocks.is_some());
        for line in ["btime x wtime y", "frob", "depth 3", ""] {
            assert!(hit(line).is_none(), "{line}");
        }
    }

    #[test]
    fn a_line_full_of_mistakes_gets_few_remarks() {
        let (_, remark) = read_as(&USI, &"btime ".repeat(10_000));
        assert!(remark.unwrap().len() < 1_000);
    }

    #[test]
    fn the_clock_starts_when_the_line_was_read() {
        let received = Instant::now() - ms(70);
        let ProtocolCommand::Go(limits) = go("movetime 100".split_whitespace(), &USI, received) else {
            panic!("a go")
        };
        assert_eq!(limits.received, received);
    }
}
