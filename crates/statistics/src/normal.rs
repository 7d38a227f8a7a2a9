//! The normal distribution, as far as a match needs it.

use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

/// Two-sided 95 % quantile.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable lies below `x`.
pub fn cumulative(x: f64) -> f64 {
    0.5 * (1.0 + erf(x / SQRT_2))
}

/// The error function, by the series whose terms are all positive (Abramowitz and Stegun 7.1.6).
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let mut term = x;
    let mut sum = x;
    for n in 1..400 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
        if term.abs() < sum.abs() * 1e-17 {
            break;
        }
    }
    FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_tables() {
        for (x, p) in
            [(0.0, 0.5), (1.0, 0.841_344_746_069), (-2.0, 0.022_750_131_948), (4.5, 0.999_996_602_327)]
        {
            assert!((cumulative(x) - p).abs() < 1e-11, "{x}");
        }
        assert!((cumulative(Z95) - 0.975).abs() < 1e-12);
        assert_eq!(cumulative(40.0), 1.0);
        assert_eq!(cumulative(-40.0), 0.0);
    }
}
