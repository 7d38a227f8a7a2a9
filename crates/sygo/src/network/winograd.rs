//! Convolutions with fewer products: those of a square of 2x2 points take 16 products of each input and output, not 36
//! (F(2x2, 3x3); Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
//!
//! It calculates with whole numbers of 16 and 32 bits, so its sums are exactly those of the definition. Where
//! processors add the products of four bytes by one instruction, those are faster.

use kaeshi_core::simd::words::{self, EightWords};

use super::{CHANNELS, PointBytes, PointGrid};

/// Points of a square and its neighbours, in a row and in a column.
const REACH: usize = 4;
/// Points of a square with its neighbours.
const SPOTS: usize = REACH * REACH;
/// Points of a convolution.
const TAPS: usize = 9;
/// Both transformed kernels and transformed squares of sums are integers: the kernels are four times as large.
const SHIFT: u32 = 2;

/// The kernels of a convolution, transformed.
#[derive(Debug)]
pub(super) struct WinogradKernels {
    /// For each spot the weights of two inputs together, as `words::multiply` wants them.
    weights: Vec<[[[i16; 2]; CHANNELS]; CHANNELS / 2]>,
}

/// The transformed squares of a board, and their sums.
#[derive(Clone, Debug, Default)]
pub(super) struct WinogradScratch {
    /// For each spot the inputs of all squares.
    inputs: Vec<[i16; CHANNELS]>,
    sums: Vec<[i32; CHANNELS]>,
}

impl WinogradKernels {
    /// The kernels of a 3x3 convolution; `weight` gets the point (0 to 8), the input and the output.
    pub(super) fn new(weight: impl Fn(usize, usize, usize) -> i8) -> WinogradKernels {
        let mut weights = vec![[[[0; 2]; CHANNELS]; CHANNELS / 2]; SPOTS];
        for pair in 0..CHANNELS * CHANNELS {
            let [input, output] = [pair / CHANNELS, pair % CHANNELS];
            let kernel: [i16; TAPS] = std::array::from_fn(|tap| i16::from(weight(tap, input, output)));
            let rows =
                [0, 1, 2].map(|row| spread([kernel[row * 3], kernel[row * 3 + 1], kernel[row * 3 + 2]]));
            for column in 0..REACH {
                for (row, number) in spread(rows.map(|row| row[column])).into_iter().enumerate() {
                    weights[row * REACH + column][input / 2][output][input % 2] = number;
                }
            }
        }
        WinogradKernels { weights }
    }

    /// Calls `found` with the cell of each point of the board and the sums of its convolution.
    pub(super) fn run(
        &self,
        scratch: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        found: &mut dyn FnMut(usize, &[i32; CHANNELS]),
    ) {
        let [columns, rows] = [grid.size().columns(), grid.size().rows()];
        let [across, down] = [columns, rows].map(|points| points.div_ceil(2));
        let squares = across * down;
        let WinogradScratch { inputs, sums } = scratch;
        inputs.resize(SPOTS * squares, [0; CHANNELS]);
        sums.resize(SPOTS * squares, [0; CHANNELS]);
        for square in 0..squares {
            let [row, column] = [square / across * 2, square % across * 2];
            // Rows farther behind the board than one contribute to none of its points.
            let cells = [0, 1, 2, 3].map(|below: usize| (row + below).min(rows + 1) * grid.stride() + column);
            let cells: [&[PointBytes; REACH]; REACH] =
                cells.map(|cell| from[cell..].first_chunk().expect("cells behind the board"));
            for begin in (0..CHANNELS).step_by(EightWords::COUNT) {
                // Column by column.
                let spots = differences(cells, begin);
                for (spot, &numbers) in spots.as_flattened().iter().enumerate() {
                    let spot = spot % REACH * REACH + spot / REACH;
                    let to = &mut inputs[spot * squares + square][begin..];
                    numbers.store(to.first_chunk_mut().expect("whole registers of channels"));
                }
            }
        }
        let spots = inputs.chunks_exact(squares).zip(sums.chunks_exact_mut(squares));
        for (weights, (inputs, sums)) in self.weights.iter().zip(spots) {
            words::multiply(weights, inputs, sums);
        }
        for square in 0..squares {
            let [row, column] = [square / across * 2, square % across * 2];
            let spots: [&[i32; CHANNELS]; SPOTS] = std::array::from_fn(|spot| &sums[spot * squares + square]);
            let points = gathered(spots);
            for (below, points) in points.iter().enumerate().take(rows - row) {
                for (beside, sums) in points.iter().enumerate().take(columns - column) {
                    found(grid.first() + (row + below) * grid.stride() + column + beside, sums);
                }
            }
        }
    }
}

/// Twice a row of a kernel, transformed.
fn spread([first, second, third]: [i16; 3]) -> [i16; REACH] {
    [2 * first, first + second + third, first - second + third, 2 * third]
}

/// The inputs of a square, transformed, for the channels from `begin` on.
#[inline(always)]
fn differences(cells: [&[PointBytes; REACH]; REACH], begin: usize) -> [[EightWords; REACH]; REACH] {
    let cell = |cell: &PointBytes| {
        EightWords::of_bytes(cell[begin..].first_chunk().expect("whole registers of channels"))
    };
    let row = |[first, second, third, fourth]: &[PointBytes; REACH]| {
        differences_of_four([cell(first), cell(second), cell(third), cell(fourth)])
    };
    let [first, second, third, fourth] = [row(cells[0]), row(cells[1]), row(cells[2]), row(cells[3])];
    let column =
        |column: usize| differences_of_four([first[column], second[column], third[column], fourth[column]]);
    [column(0), column(1), column(2), column(3)]
}

/// A row or a column of inputs, transformed.
#[inline(always)]
fn differences_of_four([first, second, third, fourth]: [EightWords; REACH]) -> [EightWords; REACH] {
    [first - third, second + third, third - second, second - fourth]
}

/// The sums of the four points of a square.
#[inline(always)]
fn gathered(spots: [&[i32; CHANNELS]; SPOTS]) -> [[[i32; CHANNELS]; 2]; 2] {
    let mut points = [[[0; CHANNELS]; 2]; 2];
    for channel in 0..CHANNELS {
        let column = |column: usize| {
            let [first, second, third, fourth] =
                [0, 1, 2, 3].map(|row: usize| spots[row * REACH + column][channel]);
            [first + second + third, second - third - fourth]
        };
        let [first, second, third, fourth] = [column(0), column(1), column(2), column(3)];
        for below in 0..2 {
            points[below][0][channel] = (first[below] + second[below] + third[below]) >> SHIFT;
            points[below][1][channel] = (second[below] - third[below] - fourth[below]) >> SHIFT;
        }
    }
    points
}
