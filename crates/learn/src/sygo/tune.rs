//! Pairs of games between two sets of numbers of the Monte-Carlo search, from which tuning learns.

use crate::sygo::selfplay::{self, SygoPlayer};
use kaeshi_core::game::GameError;
use kaeshi_sygo::SygoSearchMethod;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::search::montecarlo::MctsParameters;

/// The points that `first` gains over `second` in a pair of games ([`selfplay::pair`]) on a board of `size` rows.
///
/// # Errors
/// No memory for the players' tables.
pub fn pair(
    first: &MctsParameters,
    second: &MctsParameters,
    size: usize,
    iteration: u16,
    seed: u64,
) -> Result<f64, GameError> {
    let weights = SygoWeights::embedded();
    let player =
        |parameters: &MctsParameters| SygoPlayer::new(&weights, SygoSearchMethod::MonteCarlo, *parameters);
    Ok(selfplay::pair(&mut [player(first)?, player(second)?], size, iteration, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_players_share_the_points_of_a_pair() {
        let usual = MctsParameters::default();
        for seed in 0..3 {
            assert!(pair(&usual, &usual, 5, 3, seed).expect("memory").abs() < 1e-9);
        }
    }

    #[test]
    fn a_spoilt_search_loses_its_pairs() {
        use kaeshi_core::tunable::Tunable as _;
        let usual = MctsParameters::default();
        // Nearly all visits go to the turn that looks best at once.
        let spoilt = usual.with_tunable(&[0.05, 0.002]);
        let gain: f64 = (0..8).map(|seed| pair(&usual, &spoilt, 6, 7, seed).expect("memory")).sum();
        assert!(gain > 0.0, "{gain}");
    }
}
