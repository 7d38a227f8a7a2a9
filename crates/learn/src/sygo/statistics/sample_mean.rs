//! The mean of a sample, and its error.

/// Sums of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleMean {
    /// Size of the sample.
    pub count: u64,
    sum: f64,
    squares: f64,
}

impl SampleMean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    /// The mean; 0 of nothing.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Half of the mean's 95 % interval; infinite for fewer than two values.
    pub fn error(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 {
            return f64::INFINITY;
        }
        let variance = (self.squares - self.sum * self.mean()).max(0.0) / (count - 1.0);
        1.96 * (variance / count).sqrt()
    }
}
