//! Training settings of a kind of weights.

use std::ops::Range;

/// Weights of hidden units and output stay below this: a little less than 511 / 256, the largest
/// output weight that the integers of the engine can hold.
pub(super) const WEIGHT_LIMIT: f32 = 1.98;
/// With it 40 inputs of the largest weight cannot pass the 16 bits of a hidden unit.
pub(super) const BIAS_LIMIT: f32 = 20.0;
/// Far beyond the value of a piece.
pub(super) const PSQT_LIMIT: f32 = 60.0;
/// Factor by which values of single inputs learn faster: a rook is worth far more than a weight changes.
pub(super) const PSQT_RATE: f32 = 10.0;

/// A kind of weights and its training settings.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The range of the values.
    pub(super) range: Range<usize>,
    /// Factor of the rate.
    pub(super) rate: f32,
    /// Whether weights decay.
    pub(super) decays: bool,
    /// The largest absolute value.
    pub(super) limit: f32,
    /// Values of a row, if the values lie in rows of which few positions use the same; otherwise 0.
    pub(super) row: usize,
}
