//! How a kind of weights is trained.

use std::ops::Range;

/// A kind of weights and how it is trained.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Which of the values.
    pub(super) range: Range<usize>,
    /// Factor of the rate.
    pub(super) rate: f32,
    /// Whether weights decay.
    pub(super) decays: bool,
    /// The largest amount.
    pub(super) limit: f32,
    /// Values of a row, if the values lie in rows of which few positions use the same; otherwise 0.
    pub(super) row: usize,
}
