//! The value of a position as the outside sees it.
//!
//! In JSON a score is `{"cp": 55}`, `{"exact": 1200}` or `{"mate": -4}`, mates as [`Score::mate`] has them.

use std::cmp::Ordering;
use std::ops::Neg;

use serde::{Deserialize, Serialize};

/// A score from the view of the side to move at the root.
///
/// The order is that of preference: `MatedIn` < `Cp`/`Exact` < `MateIn`; a sooner mate is a
/// better mate, a later one is the lesser evil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Json", from = "Json")]
pub enum Score {
    /// An estimate: centipawns, hundredths of a disc or of a point.
    Cp(i32),
    /// A proven final margin, in the same hundredths.
    Exact(i32),
    /// The side to move wins in this number of plies.
    MateIn(u16),
    /// The side to move loses in this number of plies; 0 if it is lost already.
    MatedIn(u16),
}

/// A score as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Json {
    Cp(i32),
    Exact(i32),
    Mate(i32),
}

impl From<Score> for Json {
    fn from(score: Score) -> Json {
        match score {
            Score::Cp(value) => Json::Cp(value),
            Score::Exact(value) => Json::Exact(value),
            Score::MateIn(plies) => Json::Mate(i32::from(plies)),
            Score::MatedIn(plies) => Json::Mate(-i32::from(plies)),
        }
    }
}

impl From<Json> for Score {
    fn from(json: Json) -> Score {
        match json {
            Json::Cp(value) => Score::Cp(value),
            Json::Exact(value) => Score::Exact(value),
            Json::Mate(plies) => Score::mate(plies),
        }
    }
}

impl Score {
    /// A mate in plies as protocols write it: negative or 0 when the side to move is mated.
    /// Distances saturate at 65,535.
    pub fn mate(plies: i32) -> Score {
        let distance = u16::try_from(plies.unsigned_abs()).unwrap_or(u16::MAX);
        if plies > 0 { Score::MateIn(distance) } else { Score::MatedIn(distance) }
    }

    /// Plies to mate as [`Score::mate`] takes them; `None` for any other score.
    pub fn plies_to_mate(self) -> Option<i32> {
        match self {
            Score::Cp(_) | Score::Exact(_) => None,
            Score::MateIn(plies) => Some(i32::from(plies)),
            Score::MatedIn(plies) => Some(-i32::from(plies)),
        }
    }

    /// As people read it: `+0.55`, `+12.00!` for a proven margin, `mate -4`.
    pub fn shown(self) -> String {
        match self {
            Score::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
            Score::Exact(value) => format!("{:+.2}!", f64::from(value) / 100.0),
            Score::MateIn(plies) => format!("mate {plies}"),
            Score::MatedIn(0) => "mate 0".to_owned(),
            Score::MatedIn(plies) => format!("mate -{plies}"),
        }
    }

    /// Key that orders scores by preference.
    fn rank(self) -> i64 {
        const MATE: i64 = 1 << 40;
        match self {
            Score::Cp(value) | Score::Exact(value) => i64::from(value),
            Score::MateIn(plies) => MATE - i64::from(plies),
            Score::MatedIn(plies) => i64::from(plies) - MATE,
        }
    }

    /// Hundredths of the unit; mates saturate at `limit`.
    pub fn clamped(self, limit: i32) -> i32 {
        match self {
            Score::Cp(value) | Score::Exact(value) => value.clamp(-limit, limit),
            Score::MateIn(_) => limit,
            Score::MatedIn(_) => -limit,
        }
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        match self {
            Score::Cp(value) => Score::Cp(-value),
            Score::Exact(value) => Score::Exact(-value),
            Score::MateIn(plies) => Score::MatedIn(plies),
            Score::MatedIn(plies) => Score::MateIn(plies),
        }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Score) -> Option<Ordering> {
        Some(self.rank().cmp(&other.rank()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sooner_mate_is_better_and_a_later_defeat_too() {
        assert!(Score::MateIn(1) > Score::MateIn(3));
        assert!(Score::MateIn(900) > Score::Cp(30_000));
        assert!(Score::MatedIn(8) > Score::MatedIn(2));
        assert!(Score::MatedIn(900) < Score::Exact(-6_400));
    }

    #[test]
    fn scores_are_read_as_they_are_written() {
        for (score, json, shown) in [
            (Score::Cp(-55), r#"{"cp":-55}"#, "-0.55"),
            (Score::Exact(1200), r#"{"exact":1200}"#, "+12.00!"),
            (Score::MateIn(3), r#"{"mate":3}"#, "mate 3"),
            (Score::MatedIn(4), r#"{"mate":-4}"#, "mate -4"),
            (Score::MatedIn(0), r#"{"mate":0}"#, "mate 0"),
        ] {
            assert_eq!(serde_json::to_string(&score).unwrap(), json);
            assert_eq!(serde_json::from_str::<Score>(json).unwrap(), score);
            assert_eq!(score.shown(), shown);
            let mate = score.plies_to_mate().map(Score::mate);
            assert!(mate.is_none_or(|mate| mate == score), "{mate:?}");
        }
        assert_eq!(Score::mate(100_000), Score::MateIn(u16::MAX));
        assert_eq!(Score::mate(i32::MIN), Score::MatedIn(u16::MAX));
    }

    #[test]
    fn negation_reverses_the_order() {
        let all = [Score::MatedIn(0), Score::MatedIn(4), Score::Cp(-7), Score::Exact(9), Score::MateIn(5)];
        for (i, &low) in all.iter().enumerate() {
            for &high in &all[i + 1..] {
                assert!(low < high && -low > -high);
            }
        }
    }
}
