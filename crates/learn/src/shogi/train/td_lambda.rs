//! The target of a position: its score mixed with those found later in the game, as in TD(lambda).
//!
//! A later search saw farther along the line that was played, and the errors of single searches
//! cancel out. The shares fall off with every ply (Sutton, "Learning to predict by
//! the methods of temporal differences", 1988).

use kaeshi_shogi::network::SCALE;

/// Chances nearer to 0 or 1 count as this: 600 * ln(199) is a score of 3,176.
const SUREST: f32 = 0.995;
/// Plies whose share is too small to matter: 0.99^600 = 0.002.
const FARTHEST: usize = 600;

/// The score of a position, in centipawns for its side to move: its own, `scores[0]`, mixed
/// in the scale of winning chances with the one of each ply after it, to which falls the share `lambda`
/// of all that remains; `result` (1 won, 0 drawn, -1 lost for the side to move) stands behind the last.
pub fn mixed(scores: &[i16], result: i8, lambda: f32) -> i16 {
    if lambda == 0.0 {
        return scores[0];
    }
    let seen = &scores[..scores.len().min(FARTHEST)];
    // Seen by the side to move after the last ply.
    let odd = seen.len() % 2 == 1;
    let mut chance = (f32::from(if odd { -result } else { result }) + 1.0) / 2.0;
    for &score in seen.iter().rev() {
        let own = 1.0 / (1.0 + (-f32::from(score) / SCALE as f32).exp());
        chance = (1.0 - lambda) * own + lambda * (1.0 - chance);
    }
    let chance = chance.clamp(1.0 - SUREST, SUREST);
    (SCALE as f32 * (chance / (1.0 - chance)).ln()) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_share_the_own_score_stands() {
        assert_eq!(mixed(&[17, -900], 1, 0.0), 17);
    }

    #[test]
    fn equal_scores_stay_and_the_result_draws_the_last_ones() {
        let scores: Vec<i16> = (0..200).map(|ply| if ply % 2 == 0 { 300 } else { -300 }).collect();
        assert!((i32::from(mixed(&scores, 1, 0.9)) - 300).abs() <= 1);
        assert!(mixed(&scores[195..], 1, 0.9) > -300 + 100);
        assert!(mixed(&scores[196..], 1, 0.9) > 300 + 100);
        assert!(mixed(&scores[196..], -1, 0.9) < 300 - 100);
    }

    #[test]
    fn a_fall_two_plies_later_is_seen_before() {
        // Two even scores, then one behind: each takes half of the remaining share.
        let chance = |score: i16| 1.0 / (1.0 + (-f64::from(score) / 600.0).exp());
        let found = chance(mixed(&[0, 0, -1200], -1, 0.5));
        let expected = 0.5 * 0.5 + 0.25 * 0.5 + 0.125 * chance(-1200);
        assert!((found - expected).abs() < 0.001, "{found} {expected}");
    }
}
