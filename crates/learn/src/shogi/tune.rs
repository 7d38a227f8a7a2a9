//! Pairs of games between two sets of search parameters, from which tuning learns.

use crate::shogi::selfplay::{ShogiPlayer, play_on};
use kaeshi_core::game::{GameError, Side};
use kaeshi_core::random::{SplitMix, mix};
use kaeshi_shogi::search::parameters::ShogiSearchParameters;
use kaeshi_shogi::{Shogi, ShogiSettings};

/// Random plies at the beginning, as in self-play.
const RANDOM: (u32, u32) = (7, 8);
/// A game is given up when both sides agree on such a score, in centipawns, for two moves.
const ADJUDICATE: i16 = 2_000;

/// Points that `first` has more than `second` after two games from one opening, each side played
/// once by each: -2 to 2. A function of its arguments alone; no deeper search of a move begins after
/// `nodes`.
///
/// # Errors
/// No memory for the players' tables.
pub fn pair(
    first: &ShogiSearchParameters,
    second: &ShogiSearchParameters,
    nodes: u64,
    seed: u64,
) -> Result<f64, GameError> {
    let mut players = [player(first, nodes)?, player(second, nodes)?];
    let mut referee = player(&ShogiSearchParameters::default(), nodes)?;
    let opening = referee.opening(RANDOM, &mut SplitMix::new(mix(seed)));
    let game = shogi(&ShogiSearchParameters::default());
    let mut gain = 0.0;
    for first_is in [Side::First, Side::Second] {
        players.iter_mut().for_each(ShogiPlayer::new_game);
        let record = play_on(&game, opening.clone(), ADJUDICATE, |position| {
            players[usize::from(position.side_to_move() != first_is)].choose(position)
        });
        gain += match record.end.winner {
            Some(winner) if winner == first_is => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        };
    }
    Ok(gain)
}

fn player(parameters: &ShogiSearchParameters, nodes: u64) -> Result<ShogiPlayer, GameError> {
    ShogiPlayer::new(shogi(parameters), nodes)
}

/// Shogi as self-play plays it.
fn shogi(parameters: &ShogiSearchParameters) -> Shogi {
    Shogi {
        settings: ShogiSettings {
            draw_value: [0; 2],
            parameters: parameters.clone(),
            ..ShogiSettings::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_players_share_the_points_of_a_pair() {
        let usual = ShogiSearchParameters::default();
        for seed in 0..3 {
            assert!(pair(&usual, &usual, 50, seed).expect("memory").abs() < 1e-9);
        }
    }

    #[test]
    fn a_spoilt_search_loses_its_pairs() {
        let usual = ShogiSearchParameters::default();
        // These parameters try captures that lose a rook and prune every move that looks bad at once.
        let spoilt = ShogiSearchParameters {
            lmp_base: 1,
            lmp_factor: 1,
            futility_base: 15,
            futility_margin: 11,
            ..usual.clone()
        };
        let gain: f64 = (0..12).map(|seed| pair(&usual, &spoilt, 400, seed).expect("memory")).sum();
        assert!(gain > 0.0, "{gain}");
    }
}
