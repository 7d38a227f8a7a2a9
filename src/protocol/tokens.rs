//! What USI and UGI read in the same way: `position`, `go`, debug words, chains.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::iter::Peekable;
use std::str::{FromStr, SplitWhitespace};
use std::time::{Duration, Instant};

use crate::engine::Show;
use crate::engine::clock::{Clock, Limits, MateLimit};
use crate::engine::event::Event;
use crate::game::Rejected;
use crate::protocol::Command;
use crate::protocol::words::abbreviated;

/// More milliseconds than this (31 years) are a mistake of the sender, not a time.
const LONGEST_MS: u64 = 1_000_000_000_000;
/// Deeper than any game lasts that can be counted.
const DEEPEST_PERFT: u32 = 99;

/// Names that the engine shares with all protocols, and that USI spells with a prefix.
const PREFIXED: [&str; 3] = ["Hash", "Ponder", "OwnBook"];

/// How a dialect calls the clocks of the first and the second side.
pub struct ClockWords {
    /// Main times.
    pub times: [&'static str; 2],
    /// Increments.
    pub increments: [&'static str; 2],
}

/// The engine's name of an option that a GUI calls `name`: `USI_Hash` and `Hash` are the same.
pub fn engine_option(name: &str) -> &str {
    let bare = name.split_at_checked(4).filter(|(prefix, _)| prefix.eq_ignore_ascii_case("USI_"));
    match bare {
        Some((_, rest)) if PREFIXED.iter().any(|known| known.eq_ignore_ascii_case(rest)) => rest,
        _ => name,
    }
}

/// USI's name of an option of the engine.
pub fn usi_option(name: &str) -> String {
    if PREFIXED.contains(&name) { format!("USI_{name}") } else { name.to_string() }
}

/// The commands of a chain `usi , isready , go depth 3`; `None` if `line` is not one.
pub fn chain<'a>(hello: &str, line: &'a str) -> Option<Vec<&'a str>> {
    let mut words = line.split_whitespace();
    if words.next() != Some(hello) || words.next() != Some(",") {
        return None;
    }
    let mut commands = vec![];
    let mut start = 0;
    for (at, _) in line.match_indices(',') {
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (before, after) = (line.get(..at)?, line.get(at + 1..)?);
        if blank(before.chars().next_back()) && blank(after.chars().next()) {
            commands.push(line.get(start..at)?);
            start = at + 1;
        }
    }
    commands.push(line.get(start..)?);
    Some(commands)
}

/// The rest of a `position` line.
pub fn position(tokens: SplitWhitespace<'_>) -> Result<Command, Rejected> {
    let mut tokens = tokens;
    let text: Vec<&str> = tokens.by_ref().take_while(|&token| token != "moves").collect();
    if text.is_empty() {
        return Err(Rejected::new("position: neither startpos nor a position is given"));
    }
    Ok(Command::Position { text: text.join(" "), turns: tokens.map(str::to_string).collect() })
}

/// The debug words `d`, `eval`, `moves`, `side`, `perft N` and `bench`; `None` for any other.
pub fn debug_word(first: &str, mut rest: SplitWhitespace<'_>) -> Option<Result<Command, Rejected>> {
    let show = match first {
        "d" => Show::Board,
        "eval" => Show::Evaluation,
        "moves" => Show::Turns,
        "side" => Show::Side,
        "bench" => Show::Bench,
        "perft" => match number::<u32>("perft", rest.next(), 1, DEEPEST_PERFT) {
            Ok(depth) => Show::Perft(depth),
            Err(reason) => return Some(Err(reason)),
        },
        _ => return None,
    };
    Some(Ok(Command::Show(show)))
}

/// YaneuraOu's `getoption`, which asks for the value of one option or of all.
pub fn get_option(rest: SplitWhitespace<'_>) -> Command {
    let name: Vec<&str> = rest.collect();
    Command::GetOption((!name.is_empty()).then(|| engine_option(&name.join(" ")).to_string()))
}

/// The refusal of a line that begins with a word nobody knows.
pub fn unknown(line: &str) -> Rejected {
    Rejected(format!("unknown command '{}' is ignored", abbreviated(line)))
}

/// The rest of a `go` line, or of a `ponderhit` with times: the limits, and a remark about words
/// that were not understood.
pub fn limits(
    tokens: SplitWhitespace<'_>,
    words: &ClockWords,
    received: Instant,
) -> Result<(Limits, Option<String>), Rejected> {
    let mut reader = GoReader { limits: Limits { received, ..Limits::none() }, ..GoReader::default() };
    let mut tokens = tokens.peekable();
    while let Some(word) = tokens.next() {
        reader.read(word, &mut tokens, words)?;
    }
    let limits = reader.limits();
    let remark = (!reader.unknown.is_empty())
        .then(|| format!("go: ignored '{}'", abbreviated(&reader.unknown.join(" "))));
    Ok((limits, remark))
}

/// `go`, with a remark before it if there is one.
pub fn go(tokens: SplitWhitespace<'_>, words: &ClockWords, received: Instant) -> Result<Command, Rejected> {
    let (limits, remark) = limits(tokens, words, received)?;
    Ok(with_remark(Command::Go(limits), remark))
}

/// `ponderhit` with times.
pub fn ponder_hit(
    tokens: SplitWhitespace<'_>,
    words: &ClockWords,
    received: Instant,
) -> Result<Command, Rejected> {
    let (limits, remark) = limits(tokens, words, received)?;
    Ok(with_remark(Command::PonderHit(Some(limits)), remark))
}

fn with_remark(command: Command, remark: Option<String>) -> Command {
    match remark {
        Some(remark) => Command::Batch(vec![Command::Say(Event::Message(remark)), command]),
        None => command,
    }
}

/// The words of a `go` line read so far.
struct GoReader {
    limits: Limits,
    times: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
    byoyomi: Option<Duration>,
    moves_to_go: Option<u32>,
    unknown: Vec<String>,
}

impl Default for GoReader {
    fn default() -> Self {
        GoReader {
            limits: Limits::none(),
            times: [None; 2],
            increments: [None; 2],
            byoyomi: None,
            moves_to_go: None,
            unknown: Vec::new(),
        }
    }
}

impl GoReader {
    fn read(
        &mut self,
        word: &str,
        tokens: &mut Peekable<SplitWhitespace<'_>>,
        words: &ClockWords,
    ) -> Result<(), Rejected> {
        for (name, slot) in words.times.iter().zip(&mut self.times) {
            if word == *name {
                return once(word, slot, clock(word, tokens.next())?);
            }
        }
        for (name, slot) in words.increments.iter().zip(&mut self.increments) {
            if word == *name {
                return once(word, slot, milliseconds(word, tokens.next())?);
            }
        }
        match word {
            "byoyomi" => once(word, &mut self.byoyomi, milliseconds(word, tokens.next())?),
            "movetime" => once(word, &mut self.limits.movetime, milliseconds(word, tokens.next())?),
            "rtime" => once(word, &mut self.limits.random_time, milliseconds(word, tokens.next())?),
            "depth" => once(word, &mut self.limits.depth, number(word, tokens.next(), 1, u16::MAX)?),
            "nodes" => once(word, &mut self.limits.nodes, number(word, tokens.next(), 1, u64::MAX)?),
            "mate" => {
                let time = tokens.next_if(|&word| word == "infinite" || !is_go_word(word, words));
                once(word, &mut self.limits.mate, mate_limit(time)?)
            }
            // Read, since bridges send it; the clock plans for the whole game anyway.
            "movestogo" => once(word, &mut self.moves_to_go, number(word, tokens.next(), 0, 100_000)?),
            "infinite" => {
                self.limits.infinite = true;
                Ok(())
            }
            "ponder" => {
                self.limits.ponder = true;
                Ok(())
            }
            "searchmoves" => self.search_moves(tokens, words),
            _ => {
                self.unknown.push(word.to_string());
                Ok(())
            }
        }
    }

    fn search_moves(
        &mut self,
        tokens: &mut Peekable<SplitWhitespace<'_>>,
        words: &ClockWords,
    ) -> Result<(), Rejected> {
        while let Some(turn) = tokens.next_if(|word| !is_go_word(word, words)) {
            self.limits.turns.push(turn.to_string());
        }
        if self.limits.turns.is_empty() {
            return Err(Rejected::new("go: searchmoves is followed by no move"));
        }
        Ok(())
    }

    fn limits(&self) -> Limits {
        let given = self.times.iter().chain(&self.increments).chain([&self.byoyomi]).any(Option::is_some);
        let clock = |left: Option<Duration>, increment: Option<Duration>| Clock {
            left: left.unwrap_or_default(),
            increment: increment.unwrap_or_default(),
            byoyomi: self.byoyomi.unwrap_or_default(),
        };
        let [first, second] = self.times;
        let [first_increment, second_increment] = self.increments;
        let clocks = [clock(first, first_increment), clock(second, second_increment)];
        // Bridges send clocks of zero beside the limit that they mean.
        let limits = &self.limits;
        let limited = limits.movetime.is_some()
            || limits.random_time.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some();
        let empty = limited && clocks == [Clock::default(); 2];
        Limits { clocks: (given && !empty).then_some(clocks), ..limits.clone() }
    }
}

fn is_go_word(word: &str, words: &ClockWords) -> bool {
    const WORDS: [&str; 10] = [
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
    WORDS.contains(&word) || words.times.contains(&word) || words.increments.contains(&word)
}

fn once<T>(word: &str, slot: &mut Option<T>, value: T) -> Result<(), Rejected> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Rejected(format!("go: {word} is given twice"))),
    }
}

fn mate_limit(token: Option<&str>) -> Result<MateLimit, Rejected> {
    match token {
        None | Some("infinite") => Ok(MateLimit::Infinite),
        Some(_) => milliseconds("mate", token).map(MateLimit::Time),
    }
}

/// Main time; GUIs let an overrun clock fall below zero, and then there is nothing left.
fn clock(word: &str, token: Option<&str>) -> Result<Duration, Rejected> {
    let overrun = token.and_then(|text| text.strip_prefix('-'));
    match overrun {
        Some(rest) => milliseconds(word, Some(rest)).map(|_| Duration::ZERO),
        None => milliseconds(word, token),
    }
}

fn milliseconds(word: &str, token: Option<&str>) -> Result<Duration, Rejected> {
    number(word, token, 0, LONGEST_MS).map(Duration::from_millis)
}

/// The whole number after `word`.
fn number<T>(word: &str, token: Option<&str>, least: T, most: T) -> Result<T, Rejected>
where
    T: FromStr + PartialOrd + std::fmt::Display,
{
    let Some(token) = token else {
        return Err(Rejected(format!("{word} is followed by no number")));
    };
    match token.parse::<T>() {
        Ok(value) if (&least..=&most).contains(&&value) => Ok(value),
        _ => {
            let token = abbreviated(token);
            Err(Rejected(format!("{word}: '{token}' is not a whole number from {least} to {most}")))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const USI: ClockWords = ClockWords { times: ["btime", "wtime"], increments: ["binc", "winc"] };

    fn read(line: &str) -> Result<Limits, Rejected> {
        limits(line.split_whitespace(), &USI, Instant::now()).map(|(limits, _)| limits)
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn every_form_of_go_is_read() {
        let byoyomi = read("btime 60000 wtime 50000 byoyomi 10000").unwrap();
        assert_eq!(
            byoyomi.clocks.unwrap(),
            [
                Clock { left: ms(60_000), increment: ms(0), byoyomi: ms(10_000) },
                Clock { left: ms(50_000), increment: ms(0), byoyomi: ms(10_000) },
            ]
        );
        let fischer = read("ponder btime 1 wtime 2 binc 3 winc 4").unwrap();
        assert!(fischer.ponder);
        assert_eq!(
            fischer.clocks.unwrap(),
            [
                Clock { left: ms(1), increment: ms(3), byoyomi: ms(0) },
                Clock { left: ms(2), increment: ms(4), byoyomi: ms(0) },
            ]
        );
        assert_eq!(read("movetime 1500").unwrap().movetime, Some(ms(1_500)));
        assert_eq!(read("depth 256").unwrap().depth, Some(256));
        assert_eq!(read("nodes 18446744073709551615").unwrap().nodes, Some(u64::MAX));
        assert!(read("infinite").unwrap().infinite);
        assert_eq!(read("mate infinite").unwrap().mate, Some(MateLimit::Infinite));
        assert_eq!(read("mate").unwrap().mate, Some(MateLimit::Infinite));
        assert_eq!(read("mate nodes 5").unwrap().nodes, Some(5));
        assert_eq!(read("mate 5000").unwrap().mate, Some(MateLimit::Time(ms(5_000))));
        assert_eq!(read("btime 0 wtime 0").unwrap().clocks, Some([Clock::default(); 2]));
        let bare = read("").unwrap();
        assert!(bare.clocks.is_none() && !bare.infinite && bare.depth.is_none());
    }

    #[test]
    fn clocks_of_zero_beside_another_limit_are_none() {
        assert!(read("btime 0 wtime 0 movetime 970").unwrap().clocks.is_none());
        assert!(read("depth 5 btime 0 wtime 0").unwrap().clocks.is_none());
        assert!(read("movetime 970 btime 0 wtime 0 byoyomi 10").unwrap().clocks.is_some());
    }

    #[test]
    fn searchmoves_end_where_the_next_word_of_go_begins() {
        let limits = read("searchmoves 7g7f P*3d depth 3").unwrap();
        assert_eq!((limits.turns, limits.depth), (vec!["7g7f".to_string(), "P*3d".to_string()], Some(3)));
        assert!(read("searchmoves depth 3").is_err());
    }

    #[test]
    fn a_missing_or_absurd_number_is_an_error_and_never_a_default() {
        for line in [
            "depth",
            "depth 0",
            "depth -3",
            "depth 65536",
            "depth 3.5",
            "depth x",
            "nodes 0",
            "nodes 18446744073709551616",
            "movetime",
            "movetime -1",
            "movetime 99999999999999999999",
            "btime",
            "btime x wtime 5",
            "btime - wtime 5",
            "byoyomi btime 5",
            "mate soon",
            "movestogo many",
            "depth 3 depth 4",
            "btime 1 wtime 2 btime 3",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn an_overrun_clock_has_nothing_left() {
        assert_eq!(read("btime -250 wtime 100").unwrap().clocks.unwrap()[0].left, Duration::ZERO);
    }

    #[test]
    fn unknown_words_are_named_and_the_others_hold() {
        let command = go("depth 3 frob 7 nodes 9".split_whitespace(), &USI, Instant::now()).unwrap();
        let Command::Batch(commands) = command else { panic!("{command:?}") };
        let [Command::Say(Event::Message(remark)), Command::Go(limits)] = commands.as_slice() else {
            panic!("{commands:?}")
        };
        assert_eq!(remark, "go: ignored 'frob 7'");
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(9)));
    }

    #[test]
    fn the_clock_starts_when_the_line_was_read() {
        let received = Instant::now() - ms(70);
        let (limits, _) = limits("movetime 100".split_whitespace(), &USI, received).unwrap();
        assert_eq!(limits.received, received);
    }

    #[test]
    fn option_names_have_a_prefix_in_usi_only() {
        for (engine, usi) in [("Hash", "USI_Hash"), ("Ponder", "USI_Ponder"), ("OwnBook", "USI_OwnBook")] {
            assert_eq!(usi_option(engine), usi);
            assert_eq!(engine_option(usi), engine);
            assert_eq!(engine_option(engine), engine);
        }
        assert_eq!(usi_option("Threads"), "Threads");
        assert_eq!(engine_option("usi_hash"), "hash");
        assert_eq!(engine_option("USI_Threads"), "USI_Threads");
        assert_eq!(engine_option("\u{5bfe}\u{5c40}"), "\u{5bfe}\u{5c40}");
    }

    #[test]
    fn a_chain_is_cut_at_lone_commas() {
        let parts = |line| chain("usi", line).map(|all| all.into_iter().map(str::trim).collect::<Vec<_>>());
        assert_eq!(parts("usi , isready , go depth 3"), Some(vec!["usi", "isready", "go depth 3"]));
        assert_eq!(
            parts("usi , position startpos moves a,b ,"),
            Some(vec!["usi", "position startpos moves a,b", ""])
        );
        assert_eq!(parts("usi"), None);
        assert_eq!(parts("usi, isready"), None);
        assert_eq!(parts("setoption name A value b , c"), None);
    }

    #[test]
    fn a_position_is_a_text_and_turns() {
        let read = |line: &str| position(line.split_whitespace());
        let wanted = |text: &str, turns: &[&str]| {
            Ok(Command::Position {
                text: text.into(),
                turns: turns.iter().map(|turn| (*turn).to_string()).collect(),
            })
        };
        assert_eq!(read("startpos"), wanted("startpos", &[]));
        assert_eq!(read("startpos moves 7g7f 3c3d"), wanted("startpos", &["7g7f", "3c3d"]));
        assert_eq!(read("sfen  9/9 b -  1 moves"), wanted("sfen 9/9 b - 1", &[]));
        assert!(read("").is_err());
        assert!(read("moves 7g7f").is_err());
    }
}
