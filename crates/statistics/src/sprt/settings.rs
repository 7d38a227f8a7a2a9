//! The settings of a sequential test.

use serde::{Deserialize, Serialize};

pub use crate::elo_model::SprtModel;

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtSettings {
    /// Null hypothesis, in the Elo of `model`.
    pub elo0: f64,
    /// Alternative, greater than `elo0`.
    pub elo1: f64,
    /// Probability to accept `elo1` although `elo0` is true.
    pub alpha: f64,
    /// Probability to accept `elo0` although `elo1` is true.
    pub beta: f64,
    /// The meaning of `elo0` and `elo1`.
    pub model: SprtModel,
}
