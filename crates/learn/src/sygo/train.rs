//! Weights from self-play: pairs of quick games tune the [`parameters`] that all weights are made of
//! ([`spsa`](kaeshi_statistics::spsa)).
//!
//! Least squares to the margins of self-played games were tried first: they lowered the error of
//! the value and lost 4-36 to the hand-set weights, for what goes with winning is not what wins.
//!
//! [`parameters`]: kaeshi_sygo::evaluate::parameters

use std::sync::Arc;

use crate::sygo::selfplay::{self, SygoPlayer};
use kaeshi_core::game::GameError;
use kaeshi_sygo::SygoSearchMethod;
use kaeshi_sygo::evaluate::SIZE_CLASSES;
use kaeshi_sygo::evaluate::parameters::{Values, weights};
use kaeshi_sygo::search::montecarlo::MctsParameters;

/// The points that one set of values gains over another in a pair of games on a board of `size` rows
/// ([`selfplay::pair`]).
///
/// # Errors
/// No memory for the players' tables.
pub fn pair(
    first: &Values,
    second: &Values,
    searcher: SygoSearchMethod,
    size: usize,
    iteration: u16,
    seed: u64,
) -> Result<f64, GameError> {
    let player = |values: &Values| {
        SygoPlayer::new(&Arc::new(weights(&[*values; SIZE_CLASSES])), searcher, MctsParameters::default())
    };
    Ok(selfplay::pair(&mut [player(first)?, player(second)?], size, iteration, seed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_sygo::evaluate::parameters::start;

    fn gain(first: &Values, second: &Values, seed: u64) -> f64 {
        pair(first, second, SygoSearchMethod::AlphaBeta, 5, 1, seed).expect("memory")
    }

    #[test]
    fn a_spoilt_evaluation_loses_its_pairs() {
        let mut spoilt = start();
        spoilt[..8].fill(-300.0);
        assert!((0..10).map(|seed| gain(&start(), &spoilt, seed)).sum::<f64>() > 5.0);
    }

    #[test]
    fn equal_players_share_the_points_of_a_pair() {
        assert!(gain(&start(), &start(), 5).abs() < 1e-9);
    }
}
