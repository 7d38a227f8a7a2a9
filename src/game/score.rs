//! The value of a position as the outside sees it.

use std::cmp::Ordering;
use std::ops::Neg;

/// A score from the view of the side to move at the root.
///
/// The order is that of preference: `MatedIn` < `Cp`/`Exact` < `MateIn`; a sooner mate is a
/// better mate, a later one is the lesser evil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An estimate: centipawns, hundredths of a disc or of a point.
    Cp(i32),
    /// A proven final margin, in the same hundredths.
    Exact(i32),
    /// The side to move wins in so many plies.
    MateIn(u16),
    /// The side to move loses in so many plies; 0 if it is lost already.
    MatedIn(u16),
}

impl Score {
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
    fn negation_reverses_the_order() {
        let all = [Score::MatedIn(0), Score::MatedIn(4), Score::Cp(-7), Score::Exact(9), Score::MateIn(5)];
        for (i, &low) in all.iter().enumerate() {
            for &high in &all[i + 1..] {
                assert!(low < high && -low > -high);
            }
        }
    }
}
