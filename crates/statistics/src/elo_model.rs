//! The Elo model: expected scores from rating differences.

use serde::{Deserialize, Serialize};

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

impl SprtModel {
    /// The word that names it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SprtModel::Logistic => "logistic",
            SprtModel::Normalized => "normalized",
            SprtModel::Bayesian => "bayesian",
        }
    }

    /// The model a word names, in either spelling.
    pub fn parse(word: &str) -> Option<SprtModel> {
        match word {
            "logistic" => Some(SprtModel::Logistic),
            "normalized" | "normalised" => Some(SprtModel::Normalized),
            "bayesian" => Some(SprtModel::Bayesian),
            _ => None,
        }
    }
}
