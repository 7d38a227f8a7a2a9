//! Time controls and other limits, as people write them.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// How long or how hard an engine may think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingLimit {
    /// A clock for the whole game, or for each period of `moves` moves.
    Clock {
        /// Moves of a period, after which `main` is added again; `None` where `main` is for the whole game.
        moves: Option<NonZeroU32>,
        /// At the start.
        main: Duration,
        /// Added for every move (Fischer).
        increment: Duration,
        /// Allowed for every move once `main` is used up; never saved.
        byoyomi: Duration,
    },
    /// So long for every move.
    MoveTime(Duration),
    /// A number of nodes for every move; no clock.
    Nodes(u64),
    /// So deep for every move; no clock.
    Depth(u32),
}

impl ThinkingLimit {
    /// The same for a machine of another speed: all times multiplied, to whole milliseconds.
    pub fn scaled(self, factor: f64) -> ThinkingLimit {
        // A time that is there stays so: without any, no move would be in time.
        let scaled = |time: Duration| {
            let millis = (time.as_secs_f64() * factor * 1e3).round() as u64;
            if time.is_zero() { time } else { Duration::from_millis(millis.max(1)) }
        };
        match self {
            ThinkingLimit::Clock { moves, main, increment, byoyomi } => ThinkingLimit::Clock {
                moves,
                main: scaled(main),
                increment: scaled(increment),
                byoyomi: scaled(byoyomi),
            },
            ThinkingLimit::MoveTime(time) => ThinkingLimit::MoveTime(scaled(time)),
            ThinkingLimit::Nodes(_) | ThinkingLimit::Depth(_) => self,
        }
    }

    /// Reads `60` (sudden death), `10+0.1` (Fischer) or `40/60+0.5` (40 moves in 60 s, and an increment),
    /// as cutechess and fastchess write them. `40/60` without an increment is refused: shogi players
    /// read it as main time and byoyomi.
    ///
    /// # Errors
    /// What is wrong with the text, and what would be right.
    pub fn parse_tc(text: &str) -> Result<ThinkingLimit, String> {
        let bad = |why: String| format!("time control '{text}': {why}; write 60, 10+0.1 or 40/60+0.5");
        if text.trim().eq_ignore_ascii_case("inf") {
            return Err("time control 'inf' sets no limit; give --nodes or --depth instead of it".to_owned());
        }
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves), time),
            None => (None, text),
        };
        let (main, increment) = match time.split_once('+') {
            Some((main, increment)) => (parse_time(main).map_err(bad)?, parse_time(increment).map_err(bad)?),
            None => (parse_time(time).map_err(bad)?, Duration::ZERO),
        };
        let moves = match moves {
            Some(moves) if !time.contains('+') => {
                parse_time(moves).map_err(bad)?;
                return Err(format!(
                    "time control '{text}' has two meanings: write tc={moves} byoyomi={time} for main time and \
                     byoyomi, or tc={moves}/{time}+0 for {time} s for each {moves} moves"
                ));
            }
            Some(moves) => {
                let wrong = || bad(format!("'{moves}' is not a number of moves from 1"));
                let moves: NonZeroU32 = moves.trim().parse().map_err(|_| wrong())?;
                if main.is_zero() {
                    return Err(bad("the time must be more than 0".into()));
                }
                Some(moves)
            }
            None => None,
        };
        if (main + increment).is_zero() {
            return Err(bad("the time must be more than 0".into()));
        }
        Ok(ThinkingLimit::Clock { moves, main, increment, byoyomi: Duration::ZERO })
    }

    /// The same clock with a byoyomi.
    ///
    /// # Errors
    /// The limit is no clock, or has an increment, periods or a byoyomi already.
    pub fn with_byoyomi(self, byoyomi: Duration) -> Result<ThinkingLimit, String> {
        match self {
            ThinkingLimit::Clock { moves: None, main, increment, byoyomi: Duration::ZERO }
                if increment.is_zero() =>
            {
                Ok(ThinkingLimit::Clock { moves: None, main, increment, byoyomi })
            }
            _ => {
                Err(format!("{self} takes no byoyomi: only a main time does, for example tc=300 byoyomi=30"))
            }
        }
    }

    /// Reads a limit by its key: `tc`, `byoyomi`, `movetime` (or `st`), `nodes`, `depth`.
    /// `None` if `key` is no limit.
    ///
    /// # Errors
    /// What is wrong with the value.
    pub fn parse(key: &str, value: &str) -> Option<Result<ThinkingLimit, String>> {
        let number = || match value.replace('_', "").parse::<u64>() {
            Ok(number @ 1..) => Ok(number),
            _ => Err(format!("{key} '{value}': a whole number from 1 is wanted")),
        };
        let time = || match parse_time(value) {
            Ok(time) if time.is_zero() => Err(format!("{key} '{value}': the time must be more than 0")),
            Ok(time) => Ok(time),
            Err(why) => Err(format!("{key} '{value}': {why}")),
        };
        Some(match key {
            "tc" => ThinkingLimit::parse_tc(value),
            "byoyomi" => time().map(|byoyomi| ThinkingLimit::Clock {
                moves: None,
                main: Duration::ZERO,
                increment: Duration::ZERO,
                byoyomi,
            }),
            "movetime" | "st" => parse_span(value)
                .map(ThinkingLimit::MoveTime)
                .map_err(|why| format!("{key} '{value}': {why}")),
            "nodes" => number().map(ThinkingLimit::Nodes),
            "depth" => number().and_then(|depth| {
                u32::try_from(depth)
                    .map(ThinkingLimit::Depth)
                    .map_err(|_| format!("depth '{value}' is too deep"))
            }),
            _ => return None,
        })
    }

    /// Whether time decides games under this limit.
    pub fn has_clock(&self) -> bool {
        matches!(self, ThinkingLimit::Clock { .. } | ThinkingLimit::MoveTime(_))
    }
}

impl fmt::Display for ThinkingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |time: &Duration| time.as_secs_f64();
        match self {
            ThinkingLimit::Clock { moves: Some(moves), main, increment, .. } => {
                write!(f, "tc={moves}/{}+{}", seconds(main), seconds(increment))
            }
            // Journals and records hold this form; `records::clock` reads it.
            ThinkingLimit::Clock { moves: None, main, increment, byoyomi } => {
                if main.is_zero() && increment.is_zero() {
                    return write!(f, "byoyomi={}", seconds(byoyomi));
                }
                write!(f, "tc={}", seconds(main))?;
                if !increment.is_zero() {
                    write!(f, "+{}", seconds(increment))?;
                }
                if !byoyomi.is_zero() {
                    write!(f, "/{}", seconds(byoyomi))?;
                }
                Ok(())
            }
            ThinkingLimit::MoveTime(time) => write!(f, "movetime={}ms", time.as_secs_f64() * 1000.0),
            ThinkingLimit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            ThinkingLimit::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

/// Reads a span of time that has its unit: `100ms`, `2s`. Protocols count such times in milliseconds and people in
/// seconds, so a bare number is neither.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_span(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    if !text.ends_with(char::is_alphabetic) {
        return Err(format!("write {text}ms or {text}s"));
    }
    match parse_time(text)? {
        Duration::ZERO => Err("the time must be more than 0".into()),
        time => Ok(time),
    }
}

/// Reads a span of time: seconds `10` or `0.5`, `100ms`, `5m`, `1h`, minutes and seconds `1:30`.
///
/// # Errors
/// What is wrong with the text.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let wrong = || format!("'{text}' is not a time such as 10, 0.5, 100ms, 5m or 1:30");
    let number = |digits: &str| match digits.parse::<f64>() {
        Ok(number) if number.is_finite() && (0.0..1e9).contains(&number) => Ok(number),
        _ => Err(wrong()),
    };
    let seconds = if let Some((minutes, seconds)) = text.split_once(':') {
        number(minutes)? * 60.0 + number(seconds)?
    } else if let Some(millis) = text.strip_suffix("ms") {
        number(millis)? / 1e3
    } else if let Some(seconds) = text.strip_suffix('s') {
        number(seconds)?
    } else if let Some(minutes) = text.strip_suffix('m') {
        number(minutes)? * 60.0
    } else if let Some(hours) = text.strip_suffix('h') {
        number(hours)? * 3600.0
    } else {
        number(text)?
    };
    Ok(Duration::from_micros((seconds * 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_scaled_and_nothing_else() {
        let scaled = |text: &str| ThinkingLimit::parse_tc(text).unwrap().scaled(1.25).to_string();
        assert_eq!((scaled("10+0.1"), scaled("40/60+1")), ("tc=12.5+0.125".into(), "tc=40/75+1.25".into()));
        assert_eq!(ThinkingLimit::Nodes(9).scaled(2.0), ThinkingLimit::Nodes(9));
        let least = ThinkingLimit::parse_tc("0.02+0").unwrap().scaled(0.01);
        assert_eq!(least.to_string(), "tc=0.001", "no time becomes none at all");
    }

    #[test]
    fn the_forms_of_the_command_line() {
        let shown = |key, value| ThinkingLimit::parse(key, value).unwrap().unwrap().to_string();
        assert_eq!(shown("tc", "10+0.1"), "tc=10+0.1");
        assert_eq!(shown("tc", "40/60+0.5"), "tc=40/60+0.5");
        assert_eq!(shown("tc", "40/1:00+0"), "tc=40/60+0");
        assert_eq!(shown("tc", "1:30"), "tc=90");
        assert_eq!(shown("tc", "0+10ms"), "tc=0+0.01");
        assert_eq!(shown("byoyomi", "1"), "byoyomi=1");
        assert_eq!(shown("movetime", "100ms"), "movetime=100ms");
        assert_eq!(shown("nodes", "20_000"), "nodes=20000");
        assert_eq!(shown("depth", "7"), "depth=7");
        assert!(ThinkingLimit::parse("name", "x").is_none());
        let bare = ThinkingLimit::parse("movetime", "100").unwrap().unwrap_err();
        assert!(bare.contains("100ms or 100s"), "{bare}");
    }

    #[test]
    fn a_byoyomi_follows_a_main_time_only() {
        let byoyomi = Duration::from_secs(30);
        let with = |text: &str| ThinkingLimit::parse_tc(text).unwrap().with_byoyomi(byoyomi);
        assert_eq!(with("300").unwrap().to_string(), "tc=300/30");
        for text in ["10+0.1", "40/60+0"] {
            assert!(with(text).unwrap_err().contains("tc=300 byoyomi=30"));
        }
        assert!(ThinkingLimit::Nodes(5).with_byoyomi(byoyomi).is_err());
    }

    #[test]
    fn two_meanings_are_refused_with_both_spellings() {
        let error = ThinkingLimit::parse_tc("40/60").unwrap_err();
        assert!(error.contains("tc=40 byoyomi=60") && error.contains("tc=40/60+0"), "{error}");
        assert!(ThinkingLimit::parse_tc("inf").unwrap_err().contains("--nodes"));
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        for (key, value) in [
            ("tc", "ten"),
            ("tc", "0"),
            ("tc", "10+"),
            ("tc", "-1"),
            ("tc", "0/60+1"),
            ("tc", "4.5/60+1"),
            ("tc", "40/0+1"),
            ("tc", "x/60"),
            ("nodes", "0"),
            ("movetime", "nan"),
            ("movetime", "1:30"),
        ] {
            let error = ThinkingLimit::parse(key, value).unwrap().unwrap_err();
            assert!(error.contains(value), "{error}");
        }
    }
}
