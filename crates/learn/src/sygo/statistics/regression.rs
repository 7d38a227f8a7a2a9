//! Linear regression by least squares.

/// Sums of a regression with `N` predictors, a constant among them.
#[derive(Clone, Debug)]
pub struct LinearRegression<const N: usize> {
    /// Size of the sample.
    pub count: u64,
    products: [[f64; N]; N],
    with_outcome: [f64; N],
    squared_outcomes: f64,
}

impl<const N: usize> Default for LinearRegression<N> {
    fn default() -> LinearRegression<N> {
        LinearRegression { count: 0, products: [[0.0; N]; N], with_outcome: [0.0; N], squared_outcomes: 0.0 }
    }
}

impl<const N: usize> LinearRegression<N> {
    /// Adds an observation.
    pub fn add(&mut self, predictors: [f64; N], outcome: f64) {
        self.count += 1;
        for (row, &predictor) in self.products.iter_mut().zip(&predictors) {
            row.iter_mut().zip(&predictors).for_each(|(sum, other)| *sum += predictor * other);
        }
        self.with_outcome.iter_mut().zip(&predictors).for_each(|(sum, value)| *sum += value * outcome);
        self.squared_outcomes += outcome * outcome;
    }

    /// The coefficients, each with half of its 95 % interval; `None` if the observations do not determine them.
    pub fn coefficients(&self) -> Option<[(f64, f64); N]> {
        let freedom = self.count.checked_sub(N as u64).filter(|&freedom| freedom > 0)? as f64;
        let inverse = inverse(self.products)?;
        let coefficients =
            inverse.map(|row| row.iter().zip(&self.with_outcome).map(|(a, b)| a * b).sum::<f64>());
        let explained: f64 = coefficients.iter().zip(&self.with_outcome).map(|(a, b)| a * b).sum();
        let variance = (self.squared_outcomes - explained).max(0.0) / freedom;
        Some(std::array::from_fn(|i| (coefficients[i], 1.96 * (variance * inverse[i][i]).sqrt())))
    }
}

/// The inverse by Gauss-Jordan elimination with pivots from the diagonal: enough for positive definite matrices.
fn inverse<const N: usize>(mut matrix: [[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let scale = (0..N).map(|i| matrix[i][i]).fold(0.0, f64::max);
    let mut inverse = [[0.0; N]; N];
    (0..N).for_each(|i| inverse[i][i] = 1.0);
    for pivot in 0..N {
        let by = matrix[pivot][pivot];
        if by <= 1e-12 * scale {
            return None;
        }
        matrix[pivot].iter_mut().chain(&mut inverse[pivot]).for_each(|value| *value /= by);
        let (pivot_row, pivot_inverse) = (matrix[pivot], inverse[pivot]);
        for row in (0..N).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            matrix[row].iter_mut().zip(&pivot_row).for_each(|(value, other)| *value -= factor * other);
            inverse[row].iter_mut().zip(&pivot_inverse).for_each(|(value, other)| *value -= factor * other);
        }
    }
    Some(inverse)
}
