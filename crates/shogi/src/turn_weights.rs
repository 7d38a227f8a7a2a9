//! How much depends on a turn by its ply, which is how the time of a game is spread over its turns.

/// Plies and the weight of a turn there; in between weights are interpolated. A weight is the root mean square change
/// of the expected score (logistic, 350 centipawns for a factor of e) from one move of an engine to its next, times the
/// share of the games that are still going on, smoothed. From 284 games at 10 s + 0.1 s: docs/evidence/shogi.md, "The
/// clock".
const WEIGHTS: [(f32, f32); 10] = [
    (0.0, 0.12),
    (10.0, 0.17),
    (30.0, 0.28),
    (50.0, 0.41),
    (70.0, 0.47),
    (90.0, 0.48),
    (110.0, 0.46),
    (130.0, 0.25),
    (150.0, 0.136),
    (170.0, 0.055),
];
/// About the part of its share that a turn takes on average: searches end at stable moves before their share is used.
pub const MEAN_USE: f32 = 0.83;
/// Plies in which the weight falls to 1 / e behind the last of [`WEIGHTS`].
const TAIL: f32 = 30.0;
/// The tail looks the same from here on, and would end in zeros.
const LAST_PLY: f32 = 400.0;
/// Turns that are looked ahead: those behind them weigh next to nothing.
const TURNS: u8 = 80;

/// The weights of the turn at this ply and of the same side's later ones.
pub fn turn_weights(ply: f32) -> Vec<f32> {
    let ply = ply.min(LAST_PLY);
    (0..TURNS).map(|turn| weight(ply + 2.0 * f32::from(turn))).collect()
}

fn weight(ply: f32) -> f32 {
    let (last, least) = WEIGHTS[WEIGHTS.len() - 1];
    let between = WEIGHTS.windows(2).find(|pair| ply < pair[1].0);
    match between {
        Some(&[(from, low), (to, high)]) => low + (high - low) * (ply - from) / (to - from),
        _ => least * ((last - ply) / TAIL).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_core::game::TimeAllocation;

    #[test]
    fn weights_are_interpolated_and_never_zero() {
        let near =
            |ply: f32, wanted: f32| assert!((weight(ply) - wanted).abs() < 1e-4, "{ply}: {}", weight(ply));
        near(0.0, 0.12);
        near(20.0, 0.225);
        near(110.0, 0.46);
        near(120.0, 0.355);
        near(170.0, 0.055);
        near(200.0, 0.055 / std::f32::consts::E);
        assert!(turn_weights(60_000.0).iter().all(|&weight| weight > 0.0));
    }

    /// In the tail turns weigh e^(-2/30) times as much as the one before: 1 / (1 - 0.9355) = 15.5 turns of the first
    /// one's weight, less what lies behind 80 turns.
    #[test]
    fn turns_left_shrink_with_the_game() {
        let turns = |ply| TimeAllocation::weighted(turn_weights(ply)).turns_left();
        let left: Vec<f32> = [10.0, 50.0, 90.0, 130.0].map(turns).to_vec();
        assert!(left.is_sorted_by(|before, after| before > after), "{left:?}");
        assert!((turns(300.0) - 15.4).abs() < 0.1, "{}", turns(300.0));
    }
}
