//! Generalised log-likelihood ratios of two hypotheses about the strength difference.
//!
//! The ratio compares the likeliest distributions over the cells that fulfil either hypothesis
//! (empirical likelihood). The normalised kind follows M. Van den Bergh, "Comments on normalized
//! Elo", section 4.1; roots are found to the end of the arithmetic, which costs microseconds.

use super::counts::{ResultCounts, ScoreMoments};
use super::elo::{NORMALISED_UNIT, score_of_elo};
use crate::elo_model::SprtModel as Model;

/// Width, as a share of where a root can lie, to which it is found. The ratio is stationary there, so
/// that its own error is of the square of this.
const ROOT_TOLERANCE: f64 = 1e-14;

/// Log-likelihood ratio of `elo1` against `elo0`; positive speaks for `elo1`. 0 before the first
/// unit and where a hypothesis is too far out for any distribution to be found.
pub fn ratio(counts: &ResultCounts, model: Model, elo0: f64, elo1: f64) -> f64 {
    if counts.units() == 0 {
        return 0.0;
    }
    let weights = counts.regularised();
    match model {
        Model::Logistic => by_mean(&weights, score_of_elo(elo0), score_of_elo(elo1)),
        Model::Bayesian => {
            let draw_elo = draw_elo(&weights);
            by_mean(&weights, bayesian_score(elo0, draw_elo), bayesian_score(elo1, draw_elo))
        }
        Model::Normalized => {
            let unit = counts.games_per_unit().sqrt() / NORMALISED_UNIT;
            by_normalised_mean(&weights, elo0 * unit, elo1 * unit)
        }
    }
}

/// The same by the normal approximation in closed form; a cross-check for tests and reports.
pub fn approximate_ratio(counts: &ResultCounts, model: Model, elo0: f64, elo1: f64) -> f64 {
    let Some(moments) = ScoreMoments::of(&counts.regularised()) else { return 0.0 };
    if moments.variance <= 0.0 {
        return 0.0;
    }
    let deviation = moments.variance.sqrt();
    match model {
        Model::Normalized => {
            let unit = counts.games_per_unit().sqrt() / NORMALISED_UNIT;
            let (t0, t1) = (elo0 * unit, elo1 * unit);
            moments.n * (t1 - t0) * ((moments.mean - 0.5) / deviation - (t0 + t1) / 2.0)
        }
        Model::Logistic | Model::Bayesian => {
            let (s0, s1) = (score_of_elo(elo0), score_of_elo(elo1));
            moments.n * (s1 - s0) * (2.0 * moments.mean - s0 - s1) / (2.0 * moments.variance)
        }
    }
}

/// The distribution over the cells that explains `counts` best among those with this Elo
/// difference; adds up to 1. `None` where there is none, and for BayesElo.
pub fn likeliest(counts: &ResultCounts, model: Model, elo: f64) -> Option<Vec<f64>> {
    let weights = counts.regularised();
    let divisors = match model {
        Model::Logistic => {
            let score = score_of_elo(elo);
            let deviations: Vec<f64> = (0..weights.len()).map(|i| value(i, weights.len()) - score).collect();
            tilt(&weights, &deviations)?
        }
        Model::Normalized => likeliest_at(&weights, elo * counts.games_per_unit().sqrt() / NORMALISED_UNIT)?,
        Model::Bayesian => return None,
    };
    let n: f64 = weights.iter().sum();
    Some(weights.iter().zip(&divisors).map(|(w, d)| w / d / n).collect())
}

/// Probabilities of loss, draw and win at this BayesElo difference, with the draw Elo of `counts`. `None` for pairs.
pub fn bayesian_cells(counts: &ResultCounts, elo: f64) -> Option<Vec<f64>> {
    let weights = counts.regularised();
    (weights.len() == 3).then(|| {
        let [loss, win] = decided(elo, draw_elo(&weights));
        vec![loss, 1.0 - loss - win, win]
    })
}

/// Draw Elo that explains how often games are drawn.
fn draw_elo(weights: &[f64]) -> f64 {
    let n: f64 = weights.iter().sum();
    let (loss, win) = (weights[0] / n, weights[weights.len() - 1] / n);
    200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10()
}

/// Probabilities of loss and win.
fn decided(elo: f64, draw_elo: f64) -> [f64; 2] {
    [draw_elo + elo, draw_elo - elo].map(|distance| 1.0 / (1.0 + 10f64.powf(distance / 400.0)))
}

/// Mean score of a BayesElo difference under a draw Elo.
fn bayesian_score(elo: f64, draw_elo: f64) -> f64 {
    let [loss, win] = decided(elo, draw_elo);
    win + (1.0 - win - loss) / 2.0
}

/// Score of a cell among `len` equally spaced ones.
fn value(cell: usize, len: usize) -> f64 {
    cell as f64 / (len - 1) as f64
}

/// Ratio of two hypotheses about the mean score.
fn by_mean(weights: &[f64], s0: f64, s1: f64) -> f64 {
    let tilts = |s: f64| -> Option<Vec<f64>> {
        let deviations: Vec<f64> = (0..weights.len()).map(|i| value(i, weights.len()) - s).collect();
        tilt(weights, &deviations)
    };
    match (tilts(s0), tilts(s1)) {
        (Some(q0), Some(q1)) => log_ratio(weights, &q0, &q1),
        _ => 0.0,
    }
}

/// Ratio of two hypotheses about (mean - 1/2) / deviation.
fn by_normalised_mean(weights: &[f64], t0: f64, t1: f64) -> f64 {
    match (likeliest_at(weights, t0), likeliest_at(weights, t1)) {
        (Some(q0), Some(q1)) => log_ratio(weights, &q0, &q1),
        _ => 0.0,
    }
}

/// Sum of w ln(q1/q0), where `q0` and `q1` are divisors of the same weights.
fn log_ratio(weights: &[f64], q0: &[f64], q1: &[f64]) -> f64 {
    weights.iter().zip(q0).zip(q1).map(|((w, d0), d1)| w * (d0 / d1).ln()).sum()
}

/// Divisors `1 + θ b` that turn `weights` into the likeliest distribution in which the
/// `deviations` b have the mean 0. `None` if they all have one sign.
fn tilt(weights: &[f64], deviations: &[f64]) -> Option<Vec<f64>> {
    let max = deviations.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let min = deviations.iter().copied().fold(f64::INFINITY, f64::min);
    if max <= 0.0 || min >= 0.0 {
        return None;
    }
    // The sum falls from +∞ to -∞ between the poles; its slope comes with it.
    let sum = |theta: f64| {
        weights.iter().zip(deviations).fold((0.0, 0.0), |(sum, slope), (w, b)| {
            let share = b / (1.0 + theta * b);
            (sum + w * share, slope - w * share * share)
        })
    };
    let (mut low, mut high) = (-1.0 / max, -1.0 / min);
    let tolerance = ROOT_TOLERANCE * (high - low);
    let (mut theta, mut step) = (0.0, high - low);
    for _ in 0..200 {
        let (value, slope) = sum(theta);
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        // Newton's step, unless it leaves the bracket or shrinks too slowly; then half the bracket.
        let newton = theta - value / slope;
        let shrinks = (newton - theta).abs() < step.abs() / 2.0;
        let next = if newton > low && newton < high && shrinks { newton } else { low + (high - low) / 2.0 };
        step = next - theta;
        theta = next;
        if step.abs() <= tolerance {
            break;
        }
    }
    Some(deviations.iter().map(|b| 1.0 + theta * b).collect())
}

/// Divisors of the likeliest distribution with the normalised mean `t`, by fixed-point iteration
/// over the linearised constraint.
fn likeliest_at(weights: &[f64], t: f64) -> Option<Vec<f64>> {
    let len = weights.len();
    let mut q = vec![1.0 / len as f64; len];
    let mut divisors = Vec::new();
    for _ in 0..200 {
        let moments = ScoreMoments::of(&q)?;
        let deviation = moments.variance.sqrt();
        let constraint: Vec<f64> = (0..len)
            .map(|i| {
                let a = value(i, len);
                let spread = ((a - moments.mean) / deviation).powi(2);
                a - 0.5 - 0.5 * t * deviation * (1.0 + spread)
            })
            .collect();
        divisors = tilt(weights, &constraint)?;
        let total: f64 = weights.iter().zip(&divisors).map(|(w, d)| w / d).sum();
        let next: Vec<f64> = weights.iter().zip(&divisors).map(|(w, d)| w / d / total).collect();
        let change = q.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        q = next;
        if change < 1e-13 {
            break;
        }
    }
    Some(divisors)
}

#[cfg(test)]
mod tests;
