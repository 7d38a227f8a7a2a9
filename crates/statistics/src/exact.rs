//! Exact limits for a mean score where the normal approximation fails: few games, or nearly all won.

use statrs::function::beta::beta_reg;

/// Probability left out on each side of a 95 % interval.
const TAIL: f64 = 0.025;
/// Halvings of the interval that a limit is searched in.
const HALVINGS: u32 = 60;

/// The 95 % interval of Clopper and Pearson for `points` out of `games`. Draws make half points; the
/// interval is then a little too wide, because a score with draws varies less than one without.
pub fn interval(points: f64, games: f64) -> [f64; 2] {
    let low = if points <= 0.0 { 0.0 } else { quantile(points, games - points + 1.0, TAIL) };
    let high = if points >= games { 1.0 } else { quantile(points + 1.0, games - points, 1.0 - TAIL) };
    [low, high]
}

/// The quantile of the beta distribution of `a` and `b`: the value with this share of the mass below it.
fn quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if beta_reg(a, b, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from an independent computation by the continued fraction of the incomplete beta function.
    #[test]
    fn known_limits() {
        for (points, games, low, high) in [
            (19.0, 20.0, 0.751_267_237, 0.998_734_911),
            (14.5, 16.0, 0.655_824_432, 0.993_171_278),
            (20.0, 20.0, 0.831_566_529, 1.0),
            (0.0, 20.0, 0.0, 0.168_433_471),
            (1.0, 2.0, 0.012_579_117, 0.987_420_883),
            (2.0, 4.0, 0.067_585_986, 0.932_414_014),
        ] {
            let [found_low, found_high] = interval(points, games);
            assert!((found_low - low).abs() < 1e-7, "{points}/{games}: {found_low}");
            assert!((found_high - high).abs() < 1e-7, "{points}/{games}: {found_high}");
        }
    }
}
