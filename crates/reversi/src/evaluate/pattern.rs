//! Patterns: 62 groups of squares whose contents are numbers in base 3.
//!
//! A digit is 0 for a disc of the side to move, 1 for an empty square, 2 for an opponent's disc, so
//! that the index seen by the other side is the greatest index less this one. The choice of shapes
//! follows Buro's Logistello and Delorme's Edax.

use std::sync::LazyLock;

use crate::rules::board::{ReversiBoard, squares, symmetric};

/// Instances of all shapes.
pub const INSTANCES: usize = 62;
/// Instances and padding: four registers of 256 bits.
const LANES: usize = 64;
/// Number of shapes.
pub const SHAPES: usize = 15;
/// Squares of each shape in one of its places, as column and row counted from zero.
const SQUARES: [&[u8]; SHAPES] = [
    &[0, 1, 2, 8, 9, 10, 16, 17, 18],
    &[32, 24, 16, 8, 0, 9, 1, 2, 3, 4],
    &[0, 1, 2, 3, 4, 5, 6, 7, 9, 14],
    &[0, 2, 3, 4, 5, 7, 10, 11, 12, 13],
    &[8, 9, 10, 11, 12, 13, 14, 15],
    &[16, 17, 18, 19, 20, 21, 22, 23],
    &[24, 25, 26, 27, 28, 29, 30, 31],
    &[0, 9, 18, 27, 36, 45, 54, 63],
    &[1, 10, 19, 28, 37, 46, 55],
    &[2, 11, 20, 29, 38, 47],
    &[3, 12, 21, 30, 39],
    &[4, 13, 22, 31],
    &[0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
    &[0, 1, 2, 3, 8, 9, 10, 16, 17, 24],
    &[0, 1, 8, 9, 10, 17, 18, 19, 26, 27],
];
/// The names of the shapes.
pub const NAMES: [&str; SHAPES] = [
    "corner 3x3",
    "corner angle",
    "edge + 2 X",
    "edge + block",
    "second row",
    "third row",
    "fourth row",
    "diagonal 8",
    "diagonal 7",
    "diagonal 6",
    "diagonal 5",
    "diagonal 4",
    "corner 2x5",
    "triangle",
    "broad diagonal",
];

/// How many instances each shape has, in the order of [`GEOMETRY`].
const INSTANCES_OF: [usize; SHAPES] = [4, 4, 4, 4, 4, 4, 4, 2, 4, 4, 4, 4, 8, 4, 4];

/// How many instances a shape has.
pub(super) const fn instances(shape: usize) -> usize {
    INSTANCES_OF[shape]
}

/// The first instance of a shape.
pub(super) const fn first_instance(shape: usize) -> usize {
    let (mut sum, mut before) = (0, 0);
    while before < shape {
        sum += instances(before);
        before += 1;
    }
    sum
}

/// Weights of one stage, one for each content of each shape.
pub const WEIGHTS: usize = {
    let mut sum = 0;
    let mut shape = 0;
    while shape < SHAPES {
        sum += 3usize.pow(SQUARES[shape].len() as u32);
        shape += 1;
    }
    sum
};

/// Squares of a shape.
pub const fn length(shape: usize) -> usize {
    SQUARES[shape].len()
}

/// Index of the first weight of a shape.
pub const fn offset(shape: usize) -> usize {
    let mut sum = 0;
    let mut i = 0;
    while i < shape {
        sum += 3usize.pow(SQUARES[i].len() as u32);
        i += 1;
    }
    sum
}

/// A number for each lane. Registers of 512 bits are loaded and stored at once only where no cache line ends within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
struct LaneNumbers([u16; LANES]);

/// Tables derived from `SQUARES`.
pub struct Geometry {
    /// The shape of each instance.
    pub shape: [u8; INSTANCES],
    /// Index of the first weight of each instance.
    pub offset: [usize; INSTANCES],
    /// For each square, the change of each index by a step of one digit.
    steps: [LaneNumbers; 64],
    /// The greatest index of each instance.
    greatest: LaneNumbers,
    /// For each weight the index of the weight that it shares with its mirror image.
    pub canonical: Vec<u32>,
}

/// The geometry, computed once.
pub static GEOMETRY: LazyLock<Geometry> = LazyLock::new(geometry);

fn image(square: u8, symmetry: usize) -> u8 {
    symmetric(1 << square, symmetry).trailing_zeros() as u8
}

fn geometry() -> Geometry {
    let mut geometry = Geometry {
        shape: [0; INSTANCES],
        offset: [0; INSTANCES],
        steps: [LaneNumbers([0; LANES]); 64],
        greatest: LaneNumbers([0; LANES]),
        canonical: (0..WEIGHTS as u32).collect(),
    };
    let mut instance = 0;
    for (shape, base) in SQUARES.iter().enumerate() {
        let mut seen: Vec<u64> = Vec::new();
        let mut mirror: Option<Vec<usize>> = None;
        for symmetry in 0..8 {
            let squares: Vec<u8> = base.iter().map(|&square| image(square, symmetry)).collect();
            let set = squares.iter().fold(0, |set, &square| set | 1u64 << square);
            if !seen.contains(&set) {
                seen.push(set);
                geometry.shape[instance] = shape as u8;
                geometry.offset[instance] = offset(shape);
                let mut power = 1;
                for &square in &squares {
                    geometry.steps[usize::from(square)].0[instance] = power;
                    geometry.greatest.0[instance] += 2 * power;
                    power = power.wrapping_mul(3);
                }
                instance += 1;
            } else if set == seen[0] && squares != *base {
                let place = |square: &u8| base.iter().position(|other| other == square);
                mirror = mirror.or_else(|| squares.iter().map(place).collect());
            }
        }
        if let Some(mirror) = mirror {
            mark_mirrored(&mut geometry.canonical, offset(shape), &mirror);
        }
    }
    debug_assert_eq!(instance, INSTANCES);
    geometry
}

/// Lets the smaller index of each mirrored pair of one shape stand for both.
fn mark_mirrored(canonical: &mut [u32], offset: usize, mirror: &[usize]) {
    let powers: Vec<usize> = mirror.iter().map(|&to| 3usize.pow(to as u32)).collect();
    for index in 0..3usize.pow(mirror.len() as u32) {
        let (mut rest, mut mirrored) = (index, 0);
        for power in &powers {
            mirrored += rest % 3 * power;
            rest /= 3;
        }
        canonical[offset + index] = (offset + index.min(mirrored)) as u32;
    }
}

/// The index of every instance for one board, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indices(LaneNumbers);

impl Indices {
    /// All indices of `board`, from nothing.
    pub fn new(board: ReversiBoard) -> Indices {
        let geometry = &*GEOMETRY;
        let mut indices = [0u16; LANES];
        for (set, digit) in [(board.empty(), 1), (board.opponent, 2)] {
            for square in squares(set) {
                for (index, step) in indices.iter_mut().zip(&geometry.steps[square].0) {
                    *index = index.wrapping_add(digit * step);
                }
            }
        }
        Indices(LaneNumbers(indices))
    }

    /// The indices after a disc on `square` turned `flips` over, seen by the other side.
    #[inline(always)]
    pub fn after(&self, geometry: &Geometry, square: usize, flips: u64) -> Indices {
        let mut turned = [0u16; LANES];
        let mut left = flips;
        while left != 0 {
            let steps = &geometry.steps[left.trailing_zeros() as usize & 63].0;
            left &= left - 1;
            for i in 0..LANES {
                turned[i] = turned[i].wrapping_add(steps[i]);
            }
        }
        let placed = &geometry.steps[square & 63].0;
        let mut next = [0u16; LANES];
        for i in 0..LANES {
            next[i] = geometry.greatest.0[i]
                .wrapping_sub(self.0.0[i])
                .wrapping_add(placed[i])
                .wrapping_add(turned[i].wrapping_mul(2));
        }
        Indices(LaneNumbers(next))
    }

    /// The indices seen by the other side.
    #[inline(always)]
    pub fn passed(&self, geometry: &Geometry) -> Indices {
        let mut next = [0u16; LANES];
        for ((next, greatest), index) in next.iter_mut().zip(&geometry.greatest.0).zip(&self.0.0) {
            *next = greatest.wrapping_sub(*index);
        }
        Indices(LaneNumbers(next))
    }

    /// The index of one instance.
    #[inline(always)]
    pub fn get(&self, instance: usize) -> usize {
        usize::from(self.0.0[instance])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::endgame::tests::random_board;

    #[test]
    fn indices_follow_the_moves() {
        let mut seed = 99;
        for empties in 1..60 {
            let Some(board) = random_board(&mut seed, empties) else { continue };
            let indices = Indices::new(board);
            assert_eq!(indices.passed(&GEOMETRY), Indices::new(board.passed()));
            for square in squares(board.moves()) {
                let flips = board.flips(square);
                assert_eq!(indices.after(&GEOMETRY, square, flips), Indices::new(board.after(square, flips)));
            }
        }
    }

    #[test]
    fn every_instance_has_its_own_squares_and_symmetric_boards_use_the_same_weights() {
        let geometry = &*GEOMETRY;
        for (instance, &shape) in geometry.shape.iter().enumerate() {
            let squares = geometry.steps.iter().filter(|steps| steps.0[instance] != 0).count();
            assert_eq!(squares, SQUARES[usize::from(shape)].len());
        }
        let used = |board: ReversiBoard| {
            let indices = Indices::new(board);
            let mut all: Vec<u32> =
                (0..INSTANCES).map(|i| geometry.canonical[geometry.offset[i] + indices.get(i)]).collect();
            all.sort_unstable();
            all
        };
        let mut seed = 5;
        for _ in 0..20 {
            let board = random_board(&mut seed, 30).expect("no game ends so early");
            for s in 1..8 {
                let mirrored =
                    ReversiBoard { me: symmetric(board.me, s), opponent: symmetric(board.opponent, s) };
                assert_eq!(used(mirrored), used(board));
            }
        }
    }

    #[test]
    fn the_tables_have_the_known_size() {
        let mut distinct = GEOMETRY.canonical.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((WEIGHTS, distinct.len()), (403_461, 233_919));
    }
}
