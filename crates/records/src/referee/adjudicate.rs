//! Ending games early on request, by the scores of several moves.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::ending::EndCause;
use kaeshi_core::game::Side;
use kaeshi_core::game::score::Score;

/// Mates count as scores beyond every limit.
const MATE: i32 = 1_000_000;

/// A level game is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before this ply.
    #[serde(default)]
    pub movenumber: u32,
    /// For this many moves of each side in succession ...
    #[serde(deserialize_with = "movecount")]
    pub movecount: u32,
    /// ... neither score was farther from 0 than this, in hundredths.
    #[serde(deserialize_with = "distance")]
    pub score: i32,
}

/// A decided game is won.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// For this many moves in succession ...
    #[serde(deserialize_with = "movecount")]
    pub movecount: u32,
    /// ... the loser's score was at most minus this, in hundredths ...
    #[serde(deserialize_with = "lead")]
    pub score: i32,
    /// ... and, unless this is false, the winner's at least this.
    #[serde(default = "yes")]
    pub twosided: bool,
}

/// Reads how many moves a rule waits for: one at least, as none would end every game at once.
pub(super) fn movecount<'de, D: Deserializer<'de>>(read: D) -> Result<u32, D::Error> {
    match u32::deserialize(read)? {
        0 => Err(D::Error::custom("movecount=0: a number of moves from 1 is wanted")),
        moves => Ok(moves),
    }
}

/// Reads how far from 0 a score may be. With less than 0 the rule would never apply.
fn distance<'de, D: Deserializer<'de>>(read: D) -> Result<i32, D::Error> {
    score_from(0, i32::deserialize(read)?)
}

/// Reads by how much a decided game is won. With 0 or less, level games would count as decided.
fn lead<'de, D: Deserializer<'de>>(read: D) -> Result<i32, D::Error> {
    score_from(1, i32::deserialize(read)?)
}

/// Refuses a score below `least`.
pub(super) fn score_from<E: Error>(least: i32, score: i32) -> Result<i32, E> {
    if score < least {
        return Err(E::custom(format!("score={score}: a number of hundredths from {least} is wanted")));
    }
    Ok(score)
}

fn yes() -> bool {
    true
}

/// Watches the scores of one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    draw: Option<DrawRule>,
    resign: Option<ResignRule>,
    level: u32,
    lost: [u32; 2],
    won: [u32; 2],
}

impl Adjudicator {
    /// A watch under these rules.
    pub fn new(draw: Option<DrawRule>, resign: Option<ResignRule>) -> Adjudicator {
        Adjudicator { draw, resign, level: 0, lost: [0; 2], won: [0; 2] }
    }

    /// Whether the loser's score alone decides a game.
    pub fn is_one_sided(&self) -> bool {
        self.resign.is_some_and(|rule| !rule.twosided)
    }

    /// Takes the score that the mover reported with ply number `ply`, counted from 1; the winner (or
    /// `None` for a draw) and the cause, if the game ends.
    pub fn add(&mut self, ply: u32, mover: Side, score: Option<Score>) -> Option<(Option<Side>, EndCause)> {
        let score = score.map(|score| score.clamped(MATE));
        if let Some(rule) = self.draw {
            let level = score.is_some_and(|score| score.saturating_abs() <= rule.score);
            self.level = if level { self.level + 1 } else { 0 };
            if ply >= rule.movenumber && self.level / 2 >= rule.movecount {
                return Some((None, EndCause::AdjDraw));
            }
        }
        if let Some(rule) = self.resign {
            let index = mover.index();
            let grow = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
            self.lost[index] = grow(self.lost[index], score.is_some_and(|score| score <= -rule.score));
            self.won[index] = grow(self.won[index], score.is_some_and(|score| score >= rule.score));
            for loser in [mover, mover.other()] {
                let agreed = !rule.twosided || self.won[loser.other().index()] >= rule.movecount;
                if self.lost[loser.index()] >= rule.movecount && agreed {
                    return Some((Some(loser.other()), EndCause::AdjWin));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(adjudicator: &mut Adjudicator, scores: &[i32]) -> Option<(usize, Option<Side>)> {
        scores.iter().enumerate().find_map(|(index, &cp)| {
            let mover = if index % 2 == 0 { Side::First } else { Side::Second };
            let ended = adjudicator.add(index as u32 + 1, mover, Some(Score::Cp(cp)));
            ended.map(|(winner, _)| (index + 1, winner))
        })
    }

    #[test]
    fn a_draw_needs_both_sides_and_the_move_number() {
        let rule = DrawRule { movenumber: 6, movecount: 2, score: 10 };
        let mut adjudicator = Adjudicator::new(Some(rule), None);
        assert_eq!(feed(&mut adjudicator, &[0, 5, -5, 10, 0, 0, 0]), Some((6, None)));
        let mut broken = Adjudicator::new(Some(rule), None);
        assert_eq!(feed(&mut broken, &[0, 5, -5, 10, 0, 11, 0, 0, 0]), None);
    }

    #[test]
    fn one_wrong_score_cannot_end_a_game() {
        let rule = ResignRule { movecount: 2, score: 500, twosided: true };
        let mut adjudicator = Adjudicator::new(None, Some(rule));
        assert_eq!(feed(&mut adjudicator, &[900, 0, 900, 0, 900, 0]), None);
        let mut agreed = Adjudicator::new(None, Some(rule));
        assert_eq!(feed(&mut agreed, &[900, -600, 900, -600, 900]), Some((4, Some(Side::First))));
        let mut single = Adjudicator::new(None, Some(ResignRule { twosided: false, ..rule }));
        assert_eq!(feed(&mut single, &[0, -600, 0, -600]), Some((4, Some(Side::First))));
        assert!(single.is_one_sided() && !agreed.is_one_sided());
    }

    #[test]
    fn mates_are_beyond_every_score_and_silence_breaks_a_run() {
        let rule = ResignRule { movecount: 2, score: 30_000, twosided: true };
        let mut adjudicator = Adjudicator::new(None, Some(rule));
        let mut add = |ply, mover, score| adjudicator.add(ply, mover, score);
        assert_eq!(add(1, Side::First, Some(Score::MateIn(9))), None);
        assert_eq!(add(2, Side::Second, Some(Score::MatedIn(8))), None);
        assert_eq!(add(3, Side::First, Some(Score::MateIn(7))), None);
        assert_eq!(add(4, Side::Second, None), None);
        assert_eq!(add(5, Side::First, Some(Score::MateIn(5))), None);
        assert_eq!(add(6, Side::Second, Some(Score::MatedIn(4))), None);
        assert_eq!(add(7, Side::First, Some(Score::MateIn(3))), None);
        let won = Some((Some(Side::First), EndCause::AdjWin));
        assert_eq!(add(8, Side::Second, Some(Score::MatedIn(2))), won);
    }

    #[test]
    fn rules_wait_for_one_move_at_least_and_for_any_number() {
        let none = r#"{"movecount":0,"score":10}"#;
        let refused = [
            serde_json::from_str::<DrawRule>(none).unwrap_err().to_string(),
            serde_json::from_str::<ResignRule>(none).unwrap_err().to_string(),
        ];
        assert!(
            refused.iter().all(|why| why.contains("movecount=0: a number of moves from 1")),
            "{refused:?}"
        );
        let endless = DrawRule { movenumber: 0, movecount: 1 << 31, score: 10 };
        assert_eq!(feed(&mut Adjudicator::new(Some(endless), None), &[0; 9]), None);
    }

    #[test]
    fn a_score_that_makes_no_sense_is_refused() {
        let draw = |score: i32| format!(r#"{{"movecount":1,"score":{score}}}"#);
        let refused = |why: Option<serde_json::Error>| why.map(|why| why.to_string()).unwrap_or_default();
        for score in [0, -1] {
            let why = refused(serde_json::from_str::<ResignRule>(&draw(score)).err());
            assert!(
                why.contains(&format!("score={score}: a number of hundredths from 1 is wanted")),
                "{why}"
            );
        }
        let why = refused(serde_json::from_str::<DrawRule>(&draw(-1)).err());
        assert!(why.contains("score=-1: a number of hundredths from 0 is wanted"), "{why}");
        assert!(serde_json::from_str::<DrawRule>(&draw(0)).is_ok());
        assert!(serde_json::from_str::<ResignRule>(&draw(1)).is_ok());
    }

    #[test]
    fn what_a_rule_leaves_unsaid_is_the_careful_choice() {
        let rule: ResignRule = serde_json::from_str(r#"{"movecount":2,"score":500}"#).unwrap();
        assert_eq!(rule, ResignRule { movecount: 2, score: 500, twosided: true });
        let rule: DrawRule = serde_json::from_str(r#"{"movecount":3,"score":10}"#).unwrap();
        let mut adjudicator = Adjudicator::new(Some(rule), None);
        assert_eq!(feed(&mut adjudicator, &[0; 9]), Some((6, None)));
    }
}
