//! Tuning by games: simultaneous perturbation (SPSA; Spall, "Multivariate stochastic approximation
//! using a simultaneous perturbation gradient approximation", 1992).
//!
//! All values are moved at once, each up or down by chance; who plays with them meets who plays with
//! the opposite, and all values go a little towards the winner's.

use kaeshi_core::random::SplitMix;

/// How fast to learn.
#[derive(Clone, Copy, Debug)]
pub struct SpsaPace {
    /// Part of their steps by which the values follow a pair's gain of 1, at the beginning.
    pub stride: f64,
    /// Pairs after which the stride has fallen to two thirds.
    pub stability: f64,
    /// Number of last pairs over which the result is averaged, about.
    pub memory: f64,
}

/// Values on their way to better ones.
#[derive(Clone, Debug)]
pub struct Spsa {
    pace: SpsaPace,
    steps: Vec<f64>,
    /// The present values.
    pub values: Vec<f64>,
    /// The running mean of the values: the result.
    pub averaged: Vec<f64>,
    /// Pairs of games learned from.
    pub pairs: u64,
}

impl Spsa {
    /// Begins with these values; a step is how far each is moved at first to see what that does.
    pub fn new(pace: SpsaPace, values: Vec<f64>, steps: Vec<f64>) -> Spsa {
        assert_eq!(values.len(), steps.len());
        Spsa { pace, steps, averaged: values.clone(), values, pairs: 0 }
    }

    /// The step of each value with a sign drawn by chance.
    pub fn draw(&self, random: &mut SplitMix) -> Vec<f64> {
        let signed = |step: &f64| if random.draw() >> 40 & 1 == 0 { *step } else { -step };
        self.steps.iter().map(signed).collect()
    }

    /// The values moved by these steps, forth (1) or back (-1).
    pub fn moved(&self, steps: &[f64], sign: f64) -> Vec<f64> {
        let spread = sign * (1.0 + self.pairs as f64 / 400.0).powf(-0.15);
        self.values.iter().zip(steps).map(|(value, step)| value + spread * step).collect()
    }

    /// Learns from a pair of games, where the values moved forth gained this number of points over those
    /// moved back.
    pub fn learn(&mut self, steps: &[f64], gain: f64) {
        let pairs = self.pairs as f64;
        let stride = self.pace.stride * (1.0 + pairs / self.pace.stability).powf(-0.6);
        let memory = 1.0 / (1.0 + (pairs / 2.0).min(self.pace.memory));
        for ((value, averaged), step) in self.values.iter_mut().zip(&mut self.averaged).zip(steps) {
            *value += stride * gain * step;
            *averaged += (*value - *averaged) * memory;
        }
        self.pairs += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_near_those_that_win() {
        let best = [3.0, -40.0, 0.5];
        let loss = |values: &[f64]| {
            let far = values.iter().zip(best).zip([1.0, 10.0, 0.1]).map(|((value, best), step)| {
                let away: f64 = (value - best) / step;
                away * away
            });
            far.sum::<f64>()
        };
        let pace = SpsaPace { stride: 0.1, stability: 300.0, memory: 400.0 };
        let mut spsa = Spsa::new(pace, vec![0.0; 3], vec![1.0, 10.0, 0.1]);
        let mut random = SplitMix::new(7);
        let begun = loss(&spsa.values);
        for _ in 0..3_000 {
            let steps = spsa.draw(&mut random);
            let better = loss(&spsa.moved(&steps, 1.0)) < loss(&spsa.moved(&steps, -1.0));
            // A better player wins three games of four.
            let won = (random.below(4) > 0) == better;
            spsa.learn(&steps, if won { 1.0 } else { -1.0 });
        }
        assert_eq!(spsa.pairs, 3_000);
        assert!(loss(&spsa.averaged) < 0.1 * begun, "{:?}", spsa.averaged);
    }
}
