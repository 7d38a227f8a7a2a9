//! Commands and answers of GTP 2, for server, client and check.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)]

use std::time::Duration;

use kaeshi_core::driver::clock::SideClock;
use kaeshi_core::game::GameError;

/// The longest time that a command states, in seconds.
const LONGEST: f64 = 1e9;

/// A command with its number, without the end of the line.
pub fn command(id: u32, words: std::fmt::Arguments<'_>) -> String {
    format!("{id} {words}")
}

/// The number of a command, if it has one, and its words; comments are left out.
pub fn split_command(line: &str) -> (&str, Vec<&str>) {
    let (id, rest) = split_id(line.split('#').next().unwrap_or_default());
    (id, rest.split_whitespace().collect())
}

/// The number that a command may begin with, and the command.
pub fn split_id(line: &str) -> (&str, &str) {
    split_digits(line.trim())
}

fn split_digits(text: &str) -> (&str, &str) {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(digits).unwrap_or(("", text))
}

/// The whole answer to a command with this number.
pub fn success(id: &str, text: &str) -> String {
    let blank = if text.is_empty() || text.starts_with('\n') { "" } else { " " };
    format!("={id}{blank}{text}\n\n")
}

/// The whole refusal of a command with this number.
pub fn failure(id: &str, text: &str) -> String {
    format!("?{id} {text}\n\n")
}

/// The first line of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtpAnswerLine<'a> {
    /// Whether the command was accepted.
    pub good: bool,
    /// The number of the command; empty if the line has none.
    pub id: &'a str,
    /// The text behind the number, with the blank before it.
    pub rest: &'a str,
}

impl<'a> GtpAnswerLine<'a> {
    /// Reads a line that begins with `=` or `?`; `None` for any other. With `blank_before_id` the number may stand
    /// behind a blank, as Edax writes it.
    pub fn parse(line: &'a str, blank_before_id: bool) -> Option<GtpAnswerLine<'a>> {
        let rest = line.strip_prefix(['=', '?'])?;
        let (id, rest) = split_digits(if blank_before_id { rest.trim_start() } else { rest });
        Some(GtpAnswerLine { good: line.starts_with('='), id, rest })
    }

    /// The text of the answer.
    pub fn text(&self) -> &'a str {
        self.rest.trim()
    }
}

/// The word for a colour.
pub fn colour_word(is_black: bool) -> &'static str {
    if is_black { "b" } else { "w" }
}

/// Whether a word for a colour means Black.
///
/// # Errors
/// It is no colour.
pub fn is_black(word: &str) -> Result<bool, GameError> {
    match word.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(true),
        "w" | "white" => Ok(false),
        _ => Err(syntax_error()),
    }
}

/// The refusal of words that are not understood.
pub fn syntax_error() -> GameError {
    GameError::command("syntax error")
}

/// `time_settings`: main time, and Canadian byoyomi for a number of stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtpTimeSettings {
    /// Main time.
    pub main: Duration,
    /// Time for the stones of a period once the main time is used up.
    pub byoyomi: Duration,
    /// Stones of a period; 0 for none.
    pub stones: u64,
}

impl GtpTimeSettings {
    /// The command, in whole seconds as the protocol has them.
    pub fn command(&self) -> String {
        format!("time_settings {} {} {}", self.main.as_secs(), self.byoyomi.as_secs(), self.stones)
    }

    /// Reads the arguments; some referees send fractions.
    ///
    /// # Errors
    /// They are no times.
    pub fn parse([main, byoyomi, stones]: [&str; 3]) -> Result<GtpTimeSettings, GameError> {
        let stones = seconds(stones)?.as_secs();
        Ok(GtpTimeSettings { main: seconds(main)?, byoyomi: seconds(byoyomi)?, stones })
    }

    /// The clock of each side; `None` for no limit, which is byoyomi for no stones.
    pub fn clock(&self) -> Option<SideClock> {
        let per_move = u32::try_from(self.stones).ok().and_then(|stones| self.byoyomi.checked_div(stones));
        match per_move {
            None if !self.byoyomi.is_zero() => None,
            per_move => Some(SideClock {
                left: self.main,
                increment: Duration::ZERO,
                byoyomi: per_move.unwrap_or_default(),
            }),
        }
    }
}

/// `time_left`: what one side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GtpTimeLeft {
    /// Whether it is Black's.
    pub is_black: bool,
    /// Main time, or the time for the stones.
    pub time: Duration,
    /// Stones to be placed in it; 0 for main time.
    pub stones: u32,
}

impl GtpTimeLeft {
    /// The command, in whole seconds or, if `fine`, with fractions.
    pub fn command(&self, fine: bool) -> String {
        let colour = colour_word(self.is_black);
        let stones = self.stones;
        if fine {
            format!("time_left {colour} {} {stones}", self.time.as_micros() as f64 / 1e6)
        } else {
            format!("time_left {colour} {} {stones}", self.time.as_secs())
        }
    }

    /// Reads the arguments.
    ///
    /// # Errors
    /// There is no such colour, or no such time.
    pub fn parse([colour, time, stones]: [&str; 3]) -> Result<GtpTimeLeft, GameError> {
        let (is_black, time) = (is_black(colour)?, seconds(time)?);
        Ok(GtpTimeLeft { is_black, time, stones: stones.parse().map_err(|_| syntax_error())? })
    }

    /// Sets the clock of that side.
    pub fn set(&self, clock: &mut SideClock) {
        match self.stones {
            0 => clock.left = self.time,
            stones => *clock = SideClock { byoyomi: self.time / stones, ..SideClock::default() },
        }
    }
}

/// A time in seconds; the protocol has integers, some referees send fractions.
fn seconds(text: &str) -> Result<Duration, GameError> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=LONGEST).contains(&value) => Ok(Duration::from_secs_f64(value)),
        // A clock that has run over.
        Ok(value) if (-LONGEST..0.0).contains(&value) => Ok(Duration::ZERO),
        _ => Err(syntax_error()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn arguments(command: &str) -> [&str; 3] {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        words.try_into().unwrap()
    }

    #[test]
    fn answers_are_read_as_they_were_written() {
        for (id, text) in [("17", "D3"), ("", "two words"), ("3", "")] {
            for (good, answer) in [(true, success(id, text)), (false, failure(id, text))] {
                let line = answer.lines().next().unwrap();
                let read = GtpAnswerLine::parse(line, false).unwrap();
                assert_eq!((read.good, read.id, read.text()), (good, id, text), "{line}");
            }
        }
        let edax = GtpAnswerLine::parse("= 1 2", true).unwrap();
        assert_eq!((edax.id, edax.text()), ("1", "2"));
        assert_eq!(GtpAnswerLine::parse("= 1 2", false).unwrap().text(), "1 2");
        assert_eq!(GtpAnswerLine::parse("name", false), None);
    }

    #[test]
    fn commands_are_read_as_they_were_written() {
        let line = command(9, format_args!("play {} D3", colour_word(false)));
        assert_eq!(split_command(&line), ("9", vec!["play", "w", "D3"]));
        for black in [true, false] {
            assert_eq!(is_black(colour_word(black)), Ok(black));
        }
        let time = Duration::from_secs;
        let settings = GtpTimeSettings { main: time(300), byoyomi: time(25), stones: 5 };
        assert_eq!(GtpTimeSettings::parse(arguments(&settings.command())), Ok(settings));
        let left = GtpTimeLeft { is_black: false, time: Duration::from_micros(12_345_678), stones: 0 };
        assert_eq!(left.command(true), "time_left w 12.345678 0");
        assert_eq!(GtpTimeLeft::parse(arguments(&left.command(true))), Ok(left));
        let whole = GtpTimeLeft { time: time(12), ..left };
        assert_eq!(GtpTimeLeft::parse(arguments(&left.command(false))), Ok(whole));
    }
}
