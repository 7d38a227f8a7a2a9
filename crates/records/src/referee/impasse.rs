//! Shogi's impasse (jishogi) by agreement: both kings have entered, no mate is expected, and the points are counted.
//!
//! The rules are those of the Japan Shogi Association (<https://www.shogi.or.jp/faq/rules/>): rooks and bishops
//! count five points, everything else but the kings one. USI has no word by which engines could agree, so their
//! scores must: neither has announced a mate, or left the window, for some moves.

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::adjudicate::{movecount, score_from};
use super::ending::EndCause;
use kaeshi_core::game::Side;
use kaeshi_core::game::score::Score;

/// The rule that decides by points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum PointRule {
    /// A side with fewer than 24 points loses; otherwise it is a draw. Professional games have this rule.
    #[default]
    TwentyFour,
    /// A side with 27 points or more wins; at 27 to 27 White does. Amateur events have this rule.
    TwentySeven,
}

/// Why a number names no [`PointRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PointRuleError {
    /// An unknown rule, by its number of points.
    #[error("there is no rule of {0} points, but of 24 and of 27")]
    Unknown(u32),
}

impl TryFrom<u32> for PointRule {
    type Error = PointRuleError;

    fn try_from(points: u32) -> Result<PointRule, PointRuleError> {
        match points {
            24 => Ok(PointRule::TwentyFour),
            27 => Ok(PointRule::TwentySeven),
            _ => Err(PointRuleError::Unknown(points)),
        }
    }
}

impl From<PointRule> for u32 {
    fn from(rule: PointRule) -> u32 {
        match rule {
            PointRule::TwentyFour => 24,
            PointRule::TwentySeven => 27,
        }
    }
}

impl PointRule {
    /// The winner at these points of Black and White, which are 54 together; `None` for a draw.
    pub fn winner(self, [black, white]: [u32; 2]) -> Option<Side> {
        match self {
            PointRule::TwentyFour if black < 24 => Some(Side::Second),
            PointRule::TwentyFour if white < 24 => Some(Side::First),
            PointRule::TwentyFour => None,
            PointRule::TwentySeven if white >= 27 => Some(Side::Second),
            PointRule::TwentySeven => Some(Side::First),
        }
    }
}

/// The conditions of an agreed impasse, and its result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpasseRule {
    /// The rule that decides by points.
    pub points: PointRule,
    /// Both kings have entered for this many moves of each side in succession ...
    #[serde(deserialize_with = "movecount")]
    pub movecount: u32,
    /// ... while neither score was a mate or farther from 0 than this, in hundredths; without it, a mate.
    #[serde(default, deserialize_with = "distance")]
    pub score: Option<i32>,
}

fn distance<'de, D: Deserializer<'de>>(read: D) -> Result<Option<i32>, D::Error> {
    Option::deserialize(read)?.map(|score| score_from(0, score)).transpose()
}

/// Watches the kings and the scores of one game.
#[derive(Clone, Debug)]
pub struct ImpasseWatch {
    rule: ImpasseRule,
    run: u32,
}

impl ImpasseWatch {
    /// A watch under this rule.
    pub fn new(rule: ImpasseRule) -> ImpasseWatch {
        ImpasseWatch { rule, run: 0 }
    }

    /// Takes the score that a mover reported and the points after its move, if both kings have entered; the winner
    /// (or `None` for a draw) and the cause, if the game ends.
    pub fn add(
        &mut self,
        score: Option<Score>,
        points: Option<[u32; 2]>,
    ) -> Option<(Option<Side>, EndCause)> {
        let calm = match score {
            Some(Score::Cp(score) | Score::Exact(score)) => {
                self.rule.score.is_none_or(|most| score.saturating_abs() <= most)
            }
            // A side that announces a mate or reports no score does not agree.
            Some(Score::MateIn(_) | Score::MatedIn(_)) | None => false,
        };
        self.run = if calm && points.is_some() { self.run + 1 } else { 0 };
        let agreed = self.run / 2 >= self.rule.movecount;
        points.filter(|_| agreed).map(|points| (self.rule.points.winner(points), EndCause::Impasse))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_decide_as_the_association_has_it() {
        let (black, white) = (Some(Side::First), Some(Side::Second));
        let table = [
            ([24, 30], None, white),
            ([30, 24], None, black),
            ([27, 27], None, white),
            ([28, 26], None, black),
            ([26, 28], None, white),
            ([23, 31], white, white),
            ([31, 23], black, black),
            ([54, 0], black, black),
        ];
        for (points, by_24, by_27) in table {
            assert_eq!(PointRule::TwentyFour.winner(points), by_24, "{points:?}");
            assert_eq!(PointRule::TwentySeven.winner(points), by_27, "{points:?}");
        }
        let refused = PointRule::try_from(25).unwrap_err();
        assert_eq!(refused.to_string(), "there is no rule of 25 points, but of 24 and of 27");
    }

    fn watch(score: Option<i32>) -> ImpasseWatch {
        ImpasseWatch::new(ImpasseRule { points: PointRule::TwentyFour, movecount: 2, score })
    }

    const CP: fn(i32) -> Option<Score> = |value| Some(Score::Cp(value));

    #[test]
    fn both_engines_must_see_no_mate_for_all_the_moves() {
        let (entered, draw) = (Some([27, 27]), Some((None, EndCause::Impasse)));
        let mut plain = watch(None);
        let scores = [CP(9_000), CP(-9_000), CP(0), CP(5)];
        assert_eq!(scores.map(|score| plain.add(score, entered)), [None, None, None, draw]);
        for breaks in [None, Some(Score::MateIn(5)), Some(Score::MatedIn(4))] {
            let mut broken = watch(None);
            let scores = [CP(0), CP(0), CP(0), breaks, CP(0), CP(0), CP(0)];
            assert!(scores.into_iter().all(|score| broken.add(score, entered).is_none()), "{breaks:?}");
            assert_eq!(broken.add(CP(0), entered), draw);
        }
    }

    #[test]
    fn a_king_that_goes_back_and_a_score_beyond_the_window_break_the_run() {
        let entered = Some([20, 34]);
        let mut watch = watch(Some(500));
        for (score, points) in [(0, entered), (0, entered), (0, entered), (0, None)] {
            assert_eq!(watch.add(CP(score), points), None);
        }
        for score in [500, -500, 0, 501, 0, 0, 0] {
            assert_eq!(watch.add(CP(score), entered), None, "{score}");
        }
        assert_eq!(watch.add(CP(0), entered), Some((Some(Side::Second), EndCause::Impasse)));
    }
}
