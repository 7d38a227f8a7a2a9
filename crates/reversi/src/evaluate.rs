//! The hand-crafted evaluation (HCE): corners, the squares beside them, mobility, parity.

pub mod network;
pub mod pattern;
mod rice;
mod stages;
pub mod weights;

use crate::rules::board::{CORNERS, ReversiBoard};

/// Hundredths of a disc for a corner.
const CORNER: i32 = 900;
/// For a disc diagonally beside an empty corner.
const X_SQUARE: i32 = -500;
/// For a disc on the edge beside an empty corner.
const C_SQUARE: i32 = -200;
/// For each more legal move than the opponent, at most.
const MOBILITY: i32 = 120;
/// For each empty square less beside own discs: these become the opponent's moves.
const FRONTIER: i32 = 35;
/// For moving last in the whole game, when few squares are left.
const PARITY: i32 = 150;
/// Values stay inside the board: 64 discs.
pub const LIMIT: i32 = 6400;

/// One term, for the side to move, in hundredths of a disc.
pub struct Term {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: i32,
}

/// All terms for the side to move.
pub fn terms(board: ReversiBoard) -> [Term; 5] {
    let ReversiBoard { me, opponent } = board;
    let count = |set: u64| (me & set).count_ones() as i32 - (opponent & set).count_ones() as i32;
    let moves = |b: ReversiBoard| b.moves().count_ones() as i32;
    let empty = board.empty();
    let open = |discs: u64| (neighbours(discs) & empty).count_ones() as i32;
    let (own, other) = (moves(board), moves(board.passed()));
    let (x_squares, c_squares) = beside_empty_corners(empty);
    let empties = board.empties();
    let parity = match empties {
        0..=20 if empties % 2 == 1 => PARITY,
        0..=20 => -PARITY,
        _ => 0,
    };
    [
        Term { name: "corners", value: CORNER * count(CORNERS) },
        Term { name: "beside corners", value: X_SQUARE * count(x_squares) + C_SQUARE * count(c_squares) },
        Term { name: "mobility", value: MOBILITY * 10 * (own - other) / (own + other + 2) },
        Term { name: "frontier", value: FRONTIER * (open(opponent) - open(me)) },
        Term { name: "parity", value: parity },
    ]
}

/// Static value for the side to move in hundredths of a disc.
pub fn evaluate(board: ReversiBoard) -> i32 {
    terms(board).iter().map(|term| term.value).sum::<i32>().clamp(1 - LIMIT, LIMIT - 1)
}

/// All squares next to `set`.
fn neighbours(set: u64) -> u64 {
    const NOT_A: u64 = !0x0101_0101_0101_0101;
    const NOT_H: u64 = !0x8080_8080_8080_8080;
    let row = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    row | row << 8 | row >> 8
}

/// X-squares and C-squares of the corners that are empty.
fn beside_empty_corners(empty: u64) -> (u64, u64) {
    let corners = empty & CORNERS;
    let around = neighbours(corners) & !corners;
    let x_squares = around & 0x0042_0000_0000_4200;
    (x_squares, around & !x_squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_is_good_and_the_square_before_it_bad() {
        let rest = 0x0000_0010_0000_0000;
        let with = |square: u32| evaluate(ReversiBoard { me: 1 << square | 1 << 27, opponent: rest });
        assert!(with(0) > with(20));
        assert!(with(9) < with(18));
    }

    #[test]
    fn the_value_is_the_same_in_all_mirrors() {
        use crate::rules::board::symmetric;
        let board = ReversiBoard { me: 0x0000_0408_1010_2001, opponent: 0x0002_1810_080e_0000 };
        for s in 0..8 {
            let mirrored =
                ReversiBoard { me: symmetric(board.me, s), opponent: symmetric(board.opponent, s) };
            assert_eq!(evaluate(mirrored), evaluate(board), "symmetry {s}");
        }
    }
}
