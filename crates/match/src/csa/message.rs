//! What a line of the server means.

use thiserror::Error;

use kaeshi_core::game::Side;
use kaeshi_records::referee::ending::{EndCause, Ending};
use kaeshi_records::text::shown;

/// Largest number that a server may state: of units, or of moves.
pub const LARGEST: u64 = 1_000_000_000;

/// What the server says is not the protocol.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Wrong(pub String);

/// A line of the server during a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// A move, and the units of time that it took.
    Move { text: String, used: u64 },
    /// Why the game ends; who has won comes next.
    Cause(EndCause),
    /// Who has won.
    Result(CsaResult),
    /// The game with this name begins.
    Start(String),
    /// It does not begin; who refused it.
    Reject { game: String, by: String },
    /// Nothing that matters here: echoes, signs of life, words for people.
    Other,
}

/// The end of a game for the player who hears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsaResult {
    /// The player has won.
    Win,
    /// The player has lost.
    Loss,
    /// A draw.
    Draw,
    /// The game ended without a result.
    None,
}

impl ServerMessage {
    /// Reads a line.
    ///
    /// # Errors
    /// A move without a time, or with one that is no number.
    pub fn read(line: &str) -> Result<ServerMessage, Wrong> {
        if line.starts_with(['+', '-']) {
            return read_move(line);
        }
        if let Some(game) = line.strip_prefix("START:") {
            return Ok(ServerMessage::Start(game.to_owned()));
        }
        if let Some(rest) = line.strip_prefix("REJECT:") {
            let (game, by) = rest.split_once(" by ").unwrap_or((rest, "the server"));
            return Ok(ServerMessage::Reject { game: game.to_owned(), by: by.to_owned() });
        }
        Ok(match line {
            "#RESIGN" => ServerMessage::Cause(EndCause::Resign),
            "#TIME_UP" => ServerMessage::Cause(EndCause::Time),
            "#ILLEGAL_MOVE" | "#ILLEGAL_ACTION" => ServerMessage::Cause(EndCause::Illegal),
            "#SENNICHITE" => ServerMessage::Cause(EndCause::Repetition),
            "#OUTE_SENNICHITE" => ServerMessage::Cause(EndCause::Perpetual),
            "#JISHOGI" => ServerMessage::Cause(EndCause::Declare),
            "#MAX_MOVES" => ServerMessage::Cause(EndCause::MaxPlies),
            "#WIN" => ServerMessage::Result(CsaResult::Win),
            "#LOSE" => ServerMessage::Result(CsaResult::Loss),
            "#DRAW" => ServerMessage::Result(CsaResult::Draw),
            "#CENSORED" | "#CHUDAN" => ServerMessage::Result(CsaResult::None),
            _ => ServerMessage::Other,
        })
    }
}

/// `+7776FU,T12`; what else stands behind commas is for people.
fn read_move(line: &str) -> Result<ServerMessage, Wrong> {
    let mut parts = line.split(',');
    let text = parts.next().unwrap_or_default().to_owned();
    let used = parts.find_map(|part| part.strip_prefix('T')).and_then(number);
    let used = used.ok_or_else(|| Wrong(format!("'{}' has no time behind the move", shown(line))))?;
    Ok(ServerMessage::Move { text, used })
}

/// A whole number that the server may state.
pub fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&number| digits && number <= LARGEST)
}

/// The end for a record; `None` if there is no result.
pub fn ending(cause: Option<EndCause>, score: CsaResult, me: Side) -> Option<Ending> {
    let winner = match (score, cause) {
        (CsaResult::Win, _) => Some(me),
        (CsaResult::Loss, _) => Some(me.other()),
        (CsaResult::Draw, _) | (CsaResult::None, Some(EndCause::MaxPlies)) => None,
        (CsaResult::None, _) => return None,
    };
    // `#JISHOGI` is a declared win, and a draw where the server says so.
    let cause = match cause {
        Some(EndCause::Declare) if winner.is_none() => Some(EndCause::Impasse),
        cause => cause,
    };
    Some(Ending { winner, cause, ..Ending::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_have_their_time() {
        let read = |text: &str, used| Ok(ServerMessage::Move { text: text.into(), used });
        assert_eq!(ServerMessage::read("+7776FU,T12"), read("+7776FU", 12));
        assert_eq!(ServerMessage::read("-3334FU,'* 30,T0"), read("-3334FU", 0));
        for wrong in ["+7776FU", "+7776FU,T", "+7776FU,T-1", "-,T+1", "+7776FU,T99999999999999999999"] {
            let refused = ServerMessage::read(wrong).unwrap_err().to_string();
            assert!(refused.contains("no time"), "{refused}");
        }
    }

    #[test]
    fn ends_are_those_of_the_one_who_hears_them() {
        let end = |cause: &str, result: &str| {
            let Ok(ServerMessage::Cause(cause)) = ServerMessage::read(cause) else { panic!("{cause}") };
            let Ok(ServerMessage::Result(score)) = ServerMessage::read(result) else { panic!("{result}") };
            ending(Some(cause), score, Side::Second)
        };
        let won = |winner, cause| Some(Ending::new(winner, cause));
        assert_eq!(end("#RESIGN", "#WIN"), won(Some(Side::Second), EndCause::Resign));
        assert_eq!(end("#TIME_UP", "#LOSE"), won(Some(Side::First), EndCause::Time));
        assert_eq!(end("#SENNICHITE", "#DRAW"), won(None, EndCause::Repetition));
        assert_eq!(end("#MAX_MOVES", "#CENSORED"), won(None, EndCause::MaxPlies));
        assert_eq!(end("#JISHOGI", "#LOSE"), won(Some(Side::First), EndCause::Declare));
        assert_eq!(ending(None, CsaResult::None, Side::First), None);
    }

    #[test]
    fn other_lines_are_passed_over() {
        for line in ["", "%TORYO", "%KACHI,T3", "##[CHAT] hello", "#FUTURE", "LOGIN:x OK", "🂡"] {
            assert_eq!(ServerMessage::read(line), Ok(ServerMessage::Other), "{line}");
        }
        assert_eq!(ServerMessage::read("START:a+b"), Ok(ServerMessage::Start("a+b".into())));
        let rejected = ServerMessage::Reject { game: "a+b".into(), by: "you".into() };
        assert_eq!(ServerMessage::read("REJECT:a+b by you"), Ok(rejected));
    }
}
