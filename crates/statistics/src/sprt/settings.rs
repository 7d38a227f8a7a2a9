//! What a sequential test is asked to decide.

use serde::{Deserialize, Serialize};

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
    /// What `elo0` and `elo1` mean.
    pub model: SprtModel,
}

/// The Elo model of an SPRT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtModel {
    /// Normalised Elo: expected score in standard deviations.
    #[default]
    Normalized,
    /// Ordinary Elo.
    Logistic,
    /// BayesElo; trinomial only.
    Bayesian,
}
