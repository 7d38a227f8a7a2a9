//! The result of a search at its root, as self-play keeps it: the visits of each turn, and the worth of the position.

use std::fmt;

use crate::rules::notation::{format_turn, parse_turn};
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use crate::rules::{self};
use kaeshi_core::game::GameError;

/// The word that the text begins with.
const WORD: &str = "visits";

/// The visits of a root.
#[derive(Clone, Debug, PartialEq)]
pub struct Visits {
    /// Mean of what the simulations found, from -1 to 1 for the side to move.
    pub worth: f32,
    /// Turns with a visit at least, and their visits.
    pub turns: Vec<(SygoTurn, u32)>,
}

impl Visits {
    /// Whether this is the text of some.
    pub fn is_text(text: &str) -> bool {
        text.split_whitespace().next() == Some(WORD)
    }

    /// Reads the text that [`Visits`] is displayed as.
    ///
    /// # Errors
    /// Another text, a turn that is illegal or stands twice, or a number out of its range.
    pub fn parse(position: &SygoPosition, text: &str) -> Result<Visits, GameError> {
        let refuse = |what: &str| GameError::file(format!("visits: {what}"));
        let mut words = text.split_whitespace();
        if words.next() != Some(WORD) {
            return Err(refuse("another word comes first"));
        }
        let worth = words.next().and_then(|word| word.parse().ok());
        let worth = worth.filter(|worth| (-1.0..=1.0).contains(worth)).ok_or_else(|| refuse("no worth"))?;
        let mut turns: Vec<(SygoTurn, u32)> = Vec::new();
        while let Some(word) = words.next() {
            let turn = parse_turn(position.board.size(), word).map_err(|error| refuse(&error.to_string()))?;
            rules::check(position, &turn).map_err(|illegal| refuse(&format!("{word}: {illegal}")))?;
            let count: Option<u32> = words.next().and_then(|word| word.parse().ok());
            let count = count.filter(|&count| count > 0).ok_or_else(|| refuse("a turn without a number"))?;
            if turns.iter().any(|(other, _)| *other == turn) {
                return Err(refuse(&format!("{word} twice")));
            }
            turns.push((turn, count));
        }
        if turns.is_empty() {
            return Err(refuse("no turn"));
        }
        Ok(Visits { worth, turns })
    }

    /// The turns, and the part of all visits that each has.
    pub fn shares(&self) -> impl Iterator<Item = (&SygoTurn, f32)> + '_ {
        let all: f32 = self.turns.iter().map(|&(_, count)| count as f32).sum();
        self.turns.iter().map(move |(turn, count)| (turn, *count as f32 / all))
    }
}

/// `visits +0.412 +b3,c4 61 d4 20 pass 3`: the worth, then each turn and its visits.
impl fmt::Display for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{WORD} {:+.3}", self.worth)?;
        self.turns.iter().try_for_each(|(turn, count)| write!(f, " {} {count}", format_turn(turn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_position;

    #[test]
    fn a_text_is_read_as_written_and_refused_where_it_is_wrong() {
        let position = parse_position("5/1w3/5/3b1/5 w g 0 5").unwrap();
        let text = "visits -0.250 +b3 12 d4 3 pass 1";
        let visits = Visits::parse(&position, text).unwrap();
        assert_eq!((visits.to_string().as_str(), visits.worth, visits.turns[0].1), (text, -0.25, 12));
        assert_eq!(visits.shares().map(|(_, share)| share).collect::<Vec<_>>(), [0.75, 0.1875, 0.0625]);
        assert!(Visits::is_text(text) && !Visits::is_text("visit"));
        for wrong in [
            "visit 0 +b3 1",
            "visits",
            "visits 1.5 +b3 1",
            "visits nan +b3 1",
            "visits 0 +b3",
            "visits 0 +b3 0",
            "visits 0 +b3 1 +b3 2",
            "visits 0 +d3 1",
            "visits 0 d2 1",
            "visits 0 z9 1",
            "visits 0",
        ] {
            assert!(Visits::parse(&position, wrong).is_err(), "{wrong}");
        }
    }
}
