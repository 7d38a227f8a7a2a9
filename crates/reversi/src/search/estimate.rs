//! Estimates of the final margin from the value that a search of some depth found.
//!
//! Values of searches lean to one side, in three ways that hold for positions of every origin:
//!
//! - The side that moves last before the evaluation picks the largest of several values that all have errors. So odd
//!   depths find too much for the side to move at the root, and even depths too little.
//! - A side with an odd number of empty squares before it gets too little: the terms of parity were set by the results
//!   of games, in which it does not make all of its advantage.
//! - Values are too near 0: the fit gives less weight to positions whose target is far from 0, and labels of early
//!   stages are values of later ones.
//!
//! The search compares values of one depth, to which this does not matter. It works with values as they are, and
//! reports estimates. The constants belong to the weights inside this program; they were fitted to exact scores of
//! positions with 14 to 20 empty squares from others' games, self-play and random games, before there was a network and
//! with it, and above that to the agreement of depths 1 to 12 (docs/evidence/reversi.md).

/// Number of empty squares of the evaluated boards at which the constants below hold.
const MIDDLE: f32 = 15.0;
/// Discs that the side to move on an evaluated board with an even number of empty squares is worth more, and how that
/// grows with each empty square.
const EVEN: [f32; 2] = [0.65, -0.012];
/// The same for an odd number.
const ODD: [f32; 2] = [1.1, -0.018];
/// Discs that a root with an odd number of empty squares is worth more; from [`NO_LAST_MOVE`] empty squares of the
/// evaluated board down to [`MIDDLE`] it grows from nothing to this.
const LAST_MOVE: f32 = 0.6;
/// See [`LAST_MOVE`].
const NO_LAST_MOVE: f32 = 24.0;
/// Discs by which large values are farther from 0 than they seem.
const APART: f32 = 0.7;
/// Values that are large to [`APART`], in discs.
const LARGE: f32 = 10.0;
/// The largest difference, in discs, to the value one ply less deep that is taken into account: a larger one has other
/// causes than the change between odd and even depths.
const MAX_DIFFERENCE: f32 = 16.0;
/// The value of a game in which one side has lost all its discs: no evaluation is so large.
pub const WIPEOUT: i32 = 64;

/// The final margin to be expected, in hundredths of a disc, where a search of `depth` plies at `empties` empty squares
/// has found `value` discs. Grows with the value; what a search to the end has found stays as it is.
pub fn estimate(value: i32, empties: u32, depth: u32) -> i32 {
    if depth >= empties || value.abs() == WIPEOUT {
        return 100 * value;
    }
    farther_apart(level(value as f32, empties, depth))
}

/// The estimate of the final margin from the values of two searches: `value` at `depth`, which is at least 1, and
/// `before` at one ply less.
///
/// The bias by the choice of the last ply depends on the position: on the number of moves, and on how much they differ.
/// It has opposite signs at successive depths, so their mean is nearly unbiased.
pub fn estimate_of_two(value: i32, before: f32, empties: u32, depth: u32) -> i32 {
    if depth >= empties || value.abs() == WIPEOUT {
        return 100 * value;
    }
    let before = before.clamp(value as f32 - MAX_DIFFERENCE, value as f32 + MAX_DIFFERENCE);
    farther_apart((level(value as f32, empties, depth) + level(before, empties, depth - 1)) / 2.0)
}

/// The value in discs without the bias of an odd or even depth and number of empty squares.
fn level(value: f32, empties: u32, depth: u32) -> f32 {
    let evaluated = (empties - depth) as f32;
    let [tempo, growth] = [EVEN, ODD][(empties - depth) as usize % 2];
    let tempo = tempo + growth * (evaluated - MIDDLE);
    let mut level = value + if depth % 2 == 1 { -tempo } else { tempo };
    if empties % 2 == 1 {
        level += LAST_MOVE * ((NO_LAST_MOVE - evaluated) / (NO_LAST_MOVE - MIDDLE)).clamp(0.0, 1.0);
    }
    level
}

/// A level value in hundredths of a disc, as far from 0 as the margin to be expected.
fn farther_apart(level: f32) -> i32 {
    let estimate = level + APART * level / (level * level + LARGE * LARGE).sqrt();
    ((100.0 * estimate).round() as i32).clamp(-6400, 6400)
}

/// The discs that a search of `depth` plies at `empties` empty squares finds where `hundredths` of a disc are to be
/// expected: the inverse of [`estimate`], rounded.
pub fn value(hundredths: i32, empties: u32, depth: u32) -> i32 {
    let distance = |value: &i32| hundredths.abs_diff(estimate(*value, empties, depth));
    // Several values may have the estimate of a full board.
    (-64..=64).min_by_key(|value| (distance(value), value.abs())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_grow_with_the_value_and_lead_back_to_it() {
        for empties in 1..=60 {
            for depth in 1..=60 {
                let estimates: Vec<i32> = (-64..=64).map(|value| estimate(value, empties, depth)).collect();
                assert!(estimates.is_sorted(), "{empties} {depth}");
                for found in -60..=60 {
                    assert_eq!(value(estimate(found, empties, depth), empties, depth), found);
                }
            }
        }
    }

    #[test]
    fn values_of_the_end_are_not_estimates() {
        for score in -64..=64 {
            assert_eq!((estimate(score, 20, 20), value(100 * score, 20, 21)), (100 * score, score));
        }
    }

    #[test]
    fn two_values_are_expected_between_their_estimates() {
        for (empties, depth) in [(20, 1), (21, 1), (20, 2), (33, 7), (50, 12)] {
            for (value, before) in [(3, 3), (5, -1), (-20, -8), (0, 2)] {
                let two = estimate_of_two(value, before as f32, empties, depth);
                let one = [(value, depth), (before, depth - 1)].map(|(v, d)| estimate(v, empties, d));
                assert!(one.iter().min() <= Some(&two) && Some(&two) <= one.iter().max(), "{two} {one:?}");
            }
        }
        assert_eq!(estimate_of_two(6, -10.0, 14, 14), 600, "the end needs no estimate");
        let [near, far] = [-6.0, -60.0].map(|before| estimate_of_two(10, before, 20, 4));
        assert_eq!(near, far, "another kind of difference");
        for wiped_out in [-64, 64] {
            assert_eq!(estimate_of_two(wiped_out, 3.0, 40, 3), 100 * wiped_out);
            assert_eq!(estimate(wiped_out, 40, 3), 100 * wiped_out);
        }
    }

    /// By hand: at 21 empty squares depth 1 evaluates 20, an even number, and takes 0.65 - 0.06 discs from the value;
    /// an odd root adds 0.6 * 4 / 9. Depth 2 evaluates 19 and adds 1.1 - 0.072 and 0.6 * 5 / 9.
    #[test]
    fn odd_depths_are_lowered_and_even_ones_raised() {
        let level =
            |level: f32| (100.0 * (level + 0.7 * level / (level * level + 100.0).sqrt())).round() as i32;
        assert_eq!(estimate(4, 21, 1), level(4.0 - 0.59 + 0.6 * 4.0 / 9.0));
        assert_eq!(estimate(4, 21, 2), level(4.0 + 1.028 + 0.6 * 5.0 / 9.0));
        assert_eq!(estimate(-4, 40, 3), level(-4.0 - (1.1 - 0.018 * 22.0)));
    }
}
