//! Elo, normalised Elo and likelihood of superiority.

use super::counts::ResultCounts;
use super::exact;
use super::normal::{self, Z95};

/// Elo per unit of log odds, 800/ln 10: what makes normalised Elo comparable with Elo.
pub const NORMALISED_UNIT: f64 = 347.435_585_522_601_7;

/// With fewer units their variance says nothing.
const FEW_UNITS: u64 = 5;
/// With fewer points for either side the score is not normally distributed.
const FEW_POINTS: f64 = 5.0;

/// Elo difference that a mean score means; infinite at 0 and 1.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// Mean score that an Elo difference predicts.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// An estimate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end; Elo intervals are not symmetric far from an even score.
    pub high: f64,
}

impl Interval {
    /// Half the width, which is what stands behind "±".
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl ResultCounts {
    /// Mean score with its 95 % interval. Where the normal approximation fails - few units, hardly
    /// a point for one side, no variance at all - it is the exact interval of [`exact`] over the games.
    /// `None` before the first unit.
    pub fn score(&self) -> Option<Interval> {
        let moments = self.moments()?;
        let games = self.units() as f64 * self.games_per_unit();
        let points = moments.mean * games;
        let scarce = points.min(games - points) < FEW_POINTS;
        if scarce || self.units() < FEW_UNITS || moments.variance <= 0.0 {
            let [low, high] = exact::interval(points, games);
            return Some(Interval { value: moments.mean, low, high });
        }
        let reach = Z95 * moments.standard_error();
        let (low, high) = ((moments.mean - reach).max(0.0), (moments.mean + reach).min(1.0));
        Some(Interval { value: moments.mean, low, high })
    }

    /// Elo difference; an end is infinite where the interval of the score reaches 0 or 1.
    pub fn elo(&self) -> Option<Interval> {
        let score = self.score()?;
        Some(Interval {
            value: elo_of_score(score.value),
            low: elo_of_score(score.low),
            high: elo_of_score(score.high),
        })
    }

    /// Normalised Elo: the mean in units of the standard deviation of one *game*, times
    /// [`NORMALISED_UNIT`] (Van den Bergh, "Normalized Elo", 2020). `None` without variance, or with so
    /// few units that it is not known.
    pub fn normalised_elo(&self) -> Option<Interval> {
        let moments = self.moments()?;
        let deviation = (moments.variance * self.games_per_unit()).sqrt();
        if deviation <= 0.0 || self.units() < FEW_UNITS {
            return None;
        }
        let value = (moments.mean - 0.5) / deviation * NORMALISED_UNIT;
        let reach = Z95 * moments.standard_error() / deviation * NORMALISED_UNIT;
        Some(Interval { value, low: value - reach, high: value + reach })
    }

    /// Likelihood of superiority: how sure it is that the engine is the stronger one.
    pub fn superiority(&self) -> Option<f64> {
        let moments = self.moments()?;
        let error = moments.standard_error();
        let distance = moments.mean - 0.5;
        Some(if error > 0.0 {
            normal::cumulative(distance / error)
        } else if distance == 0.0 {
            0.5
        } else {
            // Without a single point for the other side: the chance that an even match goes so, too.
            let chance = 0.5f64.powf(self.units() as f64);
            if distance > 0.0 { 1.0 - chance } else { chance }
        })
    }
}

/// Smallest true score under which `n` units could all be won with probability `level`: the
/// one-sided bound of Clopper and Pearson for a clean sweep.
pub fn sweep_bound(n: u64, level: f64) -> f64 {
    level.powf(1.0 / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_sweep_has_a_finite_bound() {
        let twenty = ResultCounts::games(20, 0, 0);
        let elo = twenty.elo().unwrap();
        assert_eq!((elo.value, elo.high), (f64::INFINITY, f64::INFINITY));
        assert!((twenty.score().unwrap().low - 0.8316).abs() < 5e-5);
        assert!((elo.low - 277.0).abs() < 1.0, "{}", elo.low);
        assert!((ResultCounts::games(0, 0, 20).elo().unwrap().high + elo.low).abs() < 1e-9);
    }

    #[test]
    fn near_the_ends_and_without_variance_the_interval_is_exact() {
        let low = |counts: ResultCounts| counts.elo().unwrap().low;
        assert!((low(ResultCounts::Pairs([0, 0, 1, 0, 9])) - 192.0).abs() < 0.1);
        assert_eq!(low(ResultCounts::Pairs([0, 0, 1, 0, 9])), low(ResultCounts::games(19, 0, 1)));
        let one = ResultCounts::Pairs([0, 0, 1, 0, 0]).elo().unwrap();
        assert!(one.value.abs() < 1e-9 && (one.high - 757.9).abs() < 0.1 && (one.low + 757.9).abs() < 0.1);
        assert!(low(ResultCounts::Pairs([0, 0, 50, 0, 0])) < -60.0);
        assert_eq!(ResultCounts::Pairs([0, 1, 1, 1, 0]).normalised_elo(), None);
        // With enough points for both sides it is the normal one.
        assert!((low(ResultCounts::games(95, 0, 5)) - 396.2).abs() < 0.1);
    }

    #[test]
    fn score_and_elo_are_inverse() {
        for elo in [-700.0, -3.0, 0.0, 12.5, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn superiority_without_variance() {
        assert_eq!(ResultCounts::Pairs([0, 0, 7, 0, 0]).superiority(), Some(0.5));
        assert!(ResultCounts::Pairs([0, 0, 0, 0, 7]).superiority().unwrap() > 0.99);
        assert!(ResultCounts::Pairs([7, 0, 0, 0, 0]).superiority().unwrap() < 0.01);
    }
}
