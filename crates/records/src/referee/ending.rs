//! How a game ends: by its rules, by a player's word, or by a fault.

use serde::{Deserialize, Serialize};

use kaeshi_core::game::Side;

/// The result, seen from the player who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// The first player won.
    #[serde(rename = "1-0")]
    FirstWins,
    /// The second player won.
    #[serde(rename = "0-1")]
    SecondWins,
    /// A draw.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// A win of `side`, or a draw.
    pub fn of_winner(winner: Option<Side>) -> GameResult {
        match winner {
            Some(Side::First) => GameResult::FirstWins,
            Some(Side::Second) => GameResult::SecondWins,
            None => GameResult::Draw,
        }
    }

    /// The winner, if there is one.
    pub fn winner(self) -> Option<Side> {
        match self {
            GameResult::FirstWins => Some(Side::First),
            GameResult::SecondWins => Some(Side::Second),
            GameResult::Draw => None,
        }
    }

    /// Half points of `side`: 0, 1 or 2.
    pub fn half_points(self, side: Side) -> usize {
        match self.winner() {
            None => 1,
            Some(winner) if winner == side => 2,
            Some(_) => 0,
        }
    }

    /// Reads what [`GameResult::text`] writes.
    pub fn parse(text: &str) -> Option<GameResult> {
        [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw]
            .into_iter()
            .find(|result| result.text() == text)
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    pub fn text(self) -> &'static str {
        match self {
            GameResult::FirstWins => "1-0",
            GameResult::SecondWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }
}

/// How a game came to its end: by the rules first, by faults last, as tables list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndCause {
    /// Shogi: mated, or without a legal move.
    Mate,
    /// A player gave up.
    Resign,
    /// Shogi: a rightful claim of the entering king.
    Declare,
    /// Shogi: the same position for the fourth time.
    Repetition,
    /// Shogi: the same, by unbroken checks of the loser.
    Perpetual,
    /// Shogi: both kings had entered, and the points were counted.
    Impasse,
    /// Reversi: neither side can move.
    NoMoves,
    /// Sygo: two passes in succession.
    TwoPasses,
    /// The agreed number of plies was reached.
    MaxPlies,
    /// The runner ended a level game.
    AdjDraw,
    /// The runner ended a decided game.
    AdjWin,
    /// The loser overstepped the time.
    Time,
    /// The loser's move was against the rules.
    Illegal,
    /// The loser's answer was no move at all.
    BadAnswer,
    /// The loser did not answer where no clock runs.
    Stall,
    /// The loser's process died.
    Crash,
    /// The loser's process could not be started.
    StartFailed,
    /// The loser claimed a win that was none.
    FalseClaim,
}

impl EndCause {
    /// All causes, in the order of tables.
    pub const ALL: [EndCause; 18] = [
        EndCause::Mate,
        EndCause::Resign,
        EndCause::Declare,
        EndCause::Repetition,
        EndCause::Perpetual,
        EndCause::Impasse,
        EndCause::NoMoves,
        EndCause::TwoPasses,
        EndCause::MaxPlies,
        EndCause::AdjDraw,
        EndCause::AdjWin,
        EndCause::Time,
        EndCause::Illegal,
        EndCause::BadAnswer,
        EndCause::Stall,
        EndCause::Crash,
        EndCause::StartFailed,
        EndCause::FalseClaim,
    ];

    /// Whether the game was decided by an engine's failure to play, not by play.
    pub fn is_fault(self) -> bool {
        use EndCause::*;
        matches!(self, Time | Illegal | BadAnswer | Stall | Crash | StartFailed | FalseClaim)
    }

    /// The cause that [`EndCause::word`] names so.
    pub fn parse(word: &str) -> Option<EndCause> {
        EndCause::ALL.into_iter().find(|cause| cause.word() == word)
    }

    /// The word in journals and records.
    pub fn word(self) -> &'static str {
        use EndCause::*;
        match self {
            Mate => "mate",
            Resign => "resign",
            Declare => "declare",
            Repetition => "repetition",
            Perpetual => "perpetual",
            Impasse => "impasse",
            NoMoves => "no-moves",
            TwoPasses => "two-passes",
            MaxPlies => "max-plies",
            AdjDraw => "adj-draw",
            AdjWin => "adj-win",
            Time => "time",
            Illegal => "illegal",
            BadAnswer => "bad-answer",
            Stall => "stall",
            Crash => "crash",
            StartFailed => "start-failed",
            FalseClaim => "false-claim",
        }
    }
}

/// The end of a game as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// `None` for a draw.
    pub winner: Option<Side>,
    /// Why, where that is known.
    pub cause: Option<EndCause>,
    /// Discs or points by which the first side is ahead; `None` in shogi and in games that were
    /// broken off.
    pub margin: Option<i32>,
    /// A sentence for people.
    pub detail: String,
}

impl Ending {
    /// A win of `winner`, or a draw, for this cause.
    pub fn new(winner: Option<Side>, cause: EndCause) -> Ending {
        Ending { winner, cause: Some(cause), margin: None, detail: String::new() }
    }

    /// The end of a counted game with this margin for the first side.
    pub fn by_margin(margin: i32) -> Ending {
        let winner = match margin.signum() {
            0 => None,
            1 => Some(Side::First),
            _ => Some(Side::Second),
        };
        Ending { winner, cause: None, margin: Some(margin), detail: String::new() }
    }

    /// The result.
    pub fn result(&self) -> GameResult {
        GameResult::of_winner(self.winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_as_it_is_written() {
        for cause in EndCause::ALL {
            assert_eq!(EndCause::parse(cause.word()), Some(cause));
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.word());
        }
        for result in [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw] {
            assert_eq!(GameResult::parse(result.text()), Some(result));
            assert_eq!(GameResult::of_winner(result.winner()), result);
        }
        assert_eq!((EndCause::parse("Mate"), GameResult::parse("1-1")), (None, None));
    }

    #[test]
    fn a_margin_tells_the_winner() {
        assert_eq!(Ending::by_margin(12).result(), GameResult::FirstWins);
        assert_eq!(Ending::by_margin(-2).result(), GameResult::SecondWins);
        assert_eq!(Ending::by_margin(0).result(), GameResult::Draw);
    }

    #[test]
    fn faults_are_failures_to_play() {
        let faults: Vec<_> = EndCause::ALL.into_iter().filter(|cause| cause.is_fault()).collect();
        assert_eq!((faults.len(), faults[0]), (7, EndCause::Time));
        assert_eq!(GameResult::Draw.half_points(Side::Second), 1);
        assert_eq!(GameResult::FirstWins.half_points(Side::First), 2);
        assert_eq!(GameResult::FirstWins.half_points(Side::Second), 0);
    }
}
