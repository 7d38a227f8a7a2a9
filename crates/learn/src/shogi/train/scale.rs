//! How much a pawn is worth in winning chances: fitted to scores and results.

use super::samples::PackedSample;

/// The scale if no fit is possible, to which networks are calibrated.
const USUAL: f64 = 600.0;
/// No game is so clear, or so blurred.
const RANGE: (f64, f64) = (100.0, 6_000.0);
/// Positions that are enough.
const MOST: usize = 1_000_000;
const ITERATIONS: usize = 25;

/// The scale K for which `1 / (1 + exp(-score / K))` explains the results best: the maximum of the
/// likelihood by Newton's method, the likelihood being concave in `1 / K`.
pub(super) fn fit(samples: &[PackedSample]) -> f64 {
    let step = samples.len().div_ceil(MOST).max(1);
    let mut slope = 1.0 / USUAL;
    for _ in 0..ITERATIONS {
        let (mut first, mut second) = (0.0, 0.0);
        for sample in samples.iter().step_by(step) {
            let score = f64::from(sample.score);
            let chance = 1.0 / (1.0 + (-score * slope).exp());
            first += ((f64::from(sample.result) + 1.0) / 2.0 - chance) * score;
            second += chance * (1.0 - chance) * score * score;
        }
        if second <= 0.0 {
            return USUAL;
        }
        slope = (slope + first / second).clamp(1.0 / RANGE.1, 1.0 / RANGE.0);
    }
    1.0 / slope
}

#[cfg(test)]
mod tests {
    use bytemuck::Zeroable;

    use super::*;
    use kaeshi_core::random::SplitMix;

    #[test]
    fn the_scale_behind_random_results_is_found() {
        let mut random = SplitMix::new(4);
        let samples: Vec<PackedSample> = (0..40_000)
            .map(|_| {
                let score = random.within((0, 3_000)) as i16 - 1_500;
                let chance = 1.0 / (1.0 + (-f64::from(score) / 450.0).exp());
                let won = f64::from(random.below(1 << 20)) < chance * f64::from(1 << 20);
                let mut sample = PackedSample::zeroed();
                (sample.score, sample.result) = (score, if won { 1 } else { -1 });
                sample
            })
            .collect();
        let found = fit(&samples);
        assert!((430.0..470.0).contains(&found), "{found}");
        assert!((fit(&[]) - USUAL).abs() < 1e-9);
    }
}
