//! Measures how far shallow searches lie from deep ones, for [`kaeshi_reversi::search::probcut`].

use crate::reversi::record::{ReversiGameRecord, UNKNOWN, board_after};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::{GameError, SearchMemory as _};
use kaeshi_reversi::evaluate::weights::ReversiWeights;
use kaeshi_reversi::rules::board::ReversiBoard;
use kaeshi_reversi::rules::simd;
use kaeshi_reversi::search::endgame::EndgameContext;
use kaeshi_reversi::search::memory::ReversiMemory;
use kaeshi_reversi::search::midgame::{IndexedBoard, MidgameSearch, Principal, Sequence};
use kaeshi_reversi::search::probcut::{LEAST_DEPTH, reduced};

/// One comparison of two searches of the same position.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// Empty squares.
    pub empties: u32,
    /// The deep search.
    pub depth: u32,
    /// The shallow one.
    pub reduced: u32,
    /// Deep value less shallow value, in discs.
    pub difference: i32,
}

/// Compares, in every `step`-th position of the games, searches of up to `deepest` plies (and to
/// the end, if it is not farther) with the shallow ones that ProbCut would do, and with none.
///
/// # Errors
/// There is no memory for a table.
pub fn compare(
    games: &[ReversiGameRecord],
    weights: &ReversiWeights,
    deepest: u32,
    step: usize,
) -> Result<Vec<Comparison>, GameError> {
    let memory = ReversiMemory::with_bytes(16 << 20)?;
    let (control, mut context) = (SearchControl::free(), EndgameContext::new()?);
    let mut comparisons = Vec::new();
    for board in games.iter().flat_map(positions).step_by(step.max(1)) {
        let empties = board.empties();
        memory.clear(1);
        let node = IndexedBoard::new(board);
        let mut values = Vec::new();
        for depth in 0..=deepest.min(empties) {
            let mut search = MidgameSearch::new(&memory, weights, &control, &mut context, 1);
            let mut line = Sequence::new();
            let window = (-64, 64);
            let job = Principal { search: &mut search, node: &node, window, depth, line: &mut line };
            values.push(simd::run(simd::best(), job).unwrap_or(0));
        }
        for depth in LEAST_DEPTH..values.len() as u32 {
            for reduced in [reduced(depth), 0] {
                let difference = values[depth as usize] - values[reduced as usize];
                comparisons.push(Comparison { empties, depth, reduced, difference });
            }
        }
    }
    Ok(comparisons)
}

/// The positions of a game that are not random and have a move.
fn positions(game: &ReversiGameRecord) -> Vec<ReversiBoard> {
    let mut board = ReversiBoard::START;
    let mut boards = Vec::new();
    for &(square, value) in &game.plies {
        if value != UNKNOWN {
            boards.push(board);
        }
        board = board_after(board, square);
    }
    boards
}

/// Coefficients of the standard deviation as a linear function of 1, the number of empty squares,
/// the depth and the reduced depth: least squares on the mean absolute differences.
pub fn fit(comparisons: &[Comparison]) -> [f64; 4] {
    // The mean absolute value of a normal variable is its deviation times the root of 2 / pi.
    let scale = (std::f64::consts::PI / 2.0).sqrt();
    let mut sums = [[0.0; 5]; 4];
    for c in comparisons {
        let x = [1.0, f64::from(c.empties), f64::from(c.depth), f64::from(c.reduced)];
        let y = f64::from(c.difference.abs()) * scale;
        for (row, &a) in sums.iter_mut().zip(&x) {
            for (sum, &b) in row.iter_mut().zip(&x) {
                *sum += a * b;
            }
            row[4] += a * y;
        }
    }
    solve(sums)
}

/// Gauss-Jordan elimination with the greatest pivot; 0 for what the data leave open.
fn solve(mut rows: [[f64; 5]; 4]) -> [f64; 4] {
    for i in 0..4 {
        let pivot = (i..4).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs())).unwrap_or(i);
        rows.swap(i, pivot);
        if rows[i][i].abs() < 1e-9 {
            continue;
        }
        let lead = rows[i];
        for (r, row) in rows.iter_mut().enumerate() {
            if r != i {
                let factor = row[i] / lead[i];
                row.iter_mut().zip(&lead).for_each(|(value, &above)| *value -= factor * above);
            }
        }
    }
    std::array::from_fn(|i| if rows[i][i].abs() < 1e-9 { 0.0 } else { rows[i][4] / rows[i][i] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_law_is_found_again() {
        let mut comparisons = Vec::new();
        for empties in 10..50 {
            for depth in 3..10 {
                let reduced = reduced(depth);
                // Deviation 20 + empties - depth + 2 * reduced, as two equal absolute values.
                let size = 20 + empties as i32 - depth as i32 + 2 * reduced as i32;
                for difference in [size, -size] {
                    comparisons.push(Comparison { empties, depth, reduced, difference });
                }
            }
        }
        let scale = (std::f64::consts::PI / 2.0).sqrt();
        let found = fit(&comparisons).map(|value| value / scale);
        for (value, expected) in found.iter().zip([20.0, 1.0, -1.0, 2.0]) {
            assert!((value - expected).abs() < 1e-6, "{found:?}");
        }
    }
}
