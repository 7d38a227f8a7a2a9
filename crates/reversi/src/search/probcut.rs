//! ProbCut (Buro 1995): the depth of the shallow search that predicts a deep one, and the error of the prediction.

use crate::search::table::EXACT;

/// Depths from which ProbCut is tried.
pub const LEAST_DEPTH: u32 = 3;
/// Depth to which ProbCut searches may be nested.
pub const DEEPEST: u32 = 2;
/// Confidence of each level in per cent, as reported.
pub const PER_CENT: [u8; EXACT as usize + 1] = [73, 87, 95, 98, 99, 100];
/// The same in standard deviations.
const DEVIATIONS: [f32; EXACT as usize] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Depth of the shallow search: about half, of the same parity.
#[inline(always)]
pub fn reduced(depth: u32) -> u32 {
    let half = 2 * (depth / 4) + (depth & 1);
    if half == 0 { depth - 2 } else { half }
}

/// Standard deviation, in discs, of the difference between searches of `depth` and `reduced`, in the middle
/// game: fitted by `kaeshi train --probcut` to searches of up to 13 plies in self-played games, and taken a
/// little smaller, which wins more games. With the network it is 0.9 times that without, at 11 plies.
fn middle_game(e: f32, d: f32, r: f32) -> f32 {
    (3.19 - 0.0483 * e + 0.1546 * d - 0.2598 * r).max(0.9)
}

/// The same for searches to the end.
fn to_the_end(e: f32, d: f32, r: f32) -> f32 {
    (4.361 - 0.0554 * e + 0.377 * d - 0.748 * r).max(1.6)
}

/// Standard deviation, in discs, of the difference between searches of `depth` and `reduced`.
pub fn deviation(empties: u32, depth: u32, reduced: u32) -> f32 {
    let law = if depth >= empties { to_the_end } else { middle_game };
    law(empties as f32, depth as f32, reduced as f32)
}

/// Discs by which the shallow result must lie outside the window.
#[inline(always)]
pub fn margin(level: u8, empties: u32, depth: u32, reduced: u32) -> i32 {
    let Some(&t) = DEVIATIONS.get(usize::from(level)) else { return 128 };
    (t * deviation(empties, depth, reduced)).round() as i32
}

/// The level whose confidence is `per_cent`, or the next surer one.
pub fn level(per_cent: u8) -> u8 {
    PER_CENT.iter().position(|&p| p >= per_cent).map_or(EXACT, |level| level as u8)
}
