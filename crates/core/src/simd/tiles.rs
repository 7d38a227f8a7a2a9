//! Convolutions of 3x3 points by Intel's AMX, which multiplies matrices of bytes (Intel, "Intel 64 and IA-32
//! Architectures Software Developer's Manual", volume 1, chapter 18). The sums are exactly those of the definition.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod none;

use super::Aligned;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use amx::{TileSession, Tiles};
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use none::{TileSession, Tiles};

/// Inputs of a cell, and outputs.
pub const CHANNELS: usize = 32;
/// Cells that are calculated at a time.
pub const CELLS: usize = 32;
/// Bytes of a row of a tile, and its rows.
const TILE_ROW_BYTES: usize = 64;
const TILE_ROWS: usize = 16;
/// Bytes of a tile.
const TILE: usize = TILE_ROW_BYTES * TILE_ROWS;
/// Outputs of a tile of weights.
const WIDTH: usize = 16;
/// Inputs of a row of a tile of weights, for each of its outputs.
const INPUTS_PER_DWORD: usize = TILE_ROW_BYTES / WIDTH;
/// Points, side by side, whose inputs a row of a tile holds.
const TAPS_PER_TILE: usize = TILE_ROW_BYTES / CHANNELS;
/// Tiles of weights of a row of points, for half of the outputs; the fourth tap has zero weights.
const TAP_PAIRS: usize = 2;
const HALVES: usize = CHANNELS / WIDTH;
/// Rows and columns of the convolution.
const KERNEL_SIZE: usize = 3;

/// Sums of the cells.
pub type TileSums = [[i32; CHANNELS]; CELLS];

/// The weights of a convolution in the layout of tiles.
#[derive(Debug)]
pub struct TileKernels {
    #[cfg_attr(not(all(target_arch = "x86_64", target_os = "linux")), allow(dead_code))]
    weights: Aligned<i8>,
}

impl TileKernels {
    /// The kernels of a 3x3 convolution; `weight` gets the point (0 to 8), the input and the output.
    pub fn new(weight: impl Fn(usize, usize, usize) -> i8) -> TileKernels {
        let mut weights = Aligned::zeros(KERNEL_SIZE * TAP_PAIRS * HALVES * TILE);
        for (place, number) in weights.get_mut().iter_mut().enumerate() {
            let (tile, place) = (place / TILE, place % TILE);
            let (row, pair, half) = (tile / (TAP_PAIRS * HALVES), tile / HALVES % TAP_PAIRS, tile % HALVES);
            let input = place / TILE_ROW_BYTES * INPUTS_PER_DWORD + place % INPUTS_PER_DWORD;
            let (point, input) = (pair * TAPS_PER_TILE + input / CHANNELS, input % CHANNELS);
            if point < KERNEL_SIZE {
                let output = half * WIDTH + place % TILE_ROW_BYTES / INPUTS_PER_DWORD;
                *number = weight(row * KERNEL_SIZE + point, input, output);
            }
        }
        TileKernels { weights }
    }
}

/// Code that calculates convolutions.
pub trait TilesJob {
    /// The result.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run(self, session: &TileSession) -> Self::Output;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    struct Convolve<'a>(&'a TileKernels, &'a [[u8; CHANNELS]], usize);

    impl TilesJob for Convolve<'_> {
        type Output = TileSums;

        #[inline(always)]
        fn run(self, session: &TileSession) -> TileSums {
            let mut sums = [[0; CHANNELS]; CELLS];
            session.convolve(self.0, self.1, self.2, &mut sums);
            sums
        }
    }

    /// The products of tiles as the manual defines them.
    fn convolve_by_definition_of_tiles(
        kernels: &TileKernels,
        inputs: &[[u8; CHANNELS]],
        stride: usize,
    ) -> TileSums {
        let bytes = inputs.as_flattened();
        let mut sums = [[0; CHANNELS]; CELLS];
        for (tile, weights) in kernels.weights.get().chunks(TILE).enumerate() {
            let (row, pair, half) = (tile / (TAP_PAIRS * HALVES), tile / HALVES % TAP_PAIRS, tile % HALVES);
            for (cell, sums) in sums.iter_mut().enumerate() {
                let begin = (row * stride + cell + pair * TAPS_PER_TILE) * CHANNELS;
                for output in 0..WIDTH {
                    for input in 0..TILE_ROW_BYTES {
                        let place = input / INPUTS_PER_DWORD * TILE_ROW_BYTES
                            + output * INPUTS_PER_DWORD
                            + input % INPUTS_PER_DWORD;
                        sums[half * WIDTH + output] +=
                            i32::from(bytes[begin + input]) * i32::from(weights[place]);
                    }
                }
            }
        }
        sums
    }

    #[test]
    fn the_sums_are_those_of_the_definition() {
        let mut random = SplitMix::new(5);
        let weights: Vec<i8> = (0..9 * CHANNELS * CHANNELS).map(|_| random.draw() as i8).collect();
        let weight =
            |tap: usize, input: usize, output: usize| weights[(tap * CHANNELS + input) * CHANNELS + output];
        let kernels = TileKernels::new(weight);
        println!("{:?}", Tiles::detect());
        for stride in [4, 10, 20] {
            let inputs: Vec<[u8; CHANNELS]> = (0..2 * stride + CELLS + 3)
                .map(|_| std::array::from_fn(|_| random.draw() as u8 & 127))
                .collect();
            let product = |cell: usize, output: usize, tap: usize, input: usize| {
                let corner = cell + tap / KERNEL_SIZE * stride + tap % KERNEL_SIZE;
                i32::from(inputs[corner][input]) * i32::from(weight(tap, input, output))
            };
            let expected: TileSums = std::array::from_fn(|cell| {
                std::array::from_fn(|output| {
                    let products = (0..9)
                        .flat_map(|tap| (0..CHANNELS).map(move |input| product(cell, output, tap, input)));
                    products.sum()
                })
            });
            assert!(
                convolve_by_definition_of_tiles(&kernels, &inputs, stride) == expected,
                "weights, stride {stride}"
            );
            if let Some(tiles) = Tiles::detect() {
                let found = tiles.run(Convolve(&kernels, &inputs, stride));
                assert!(found == expected, "stride {stride}");
            }
        }
    }

    #[test]
    fn too_few_inputs_are_refused() {
        let Some(tiles) = Tiles::detect() else { return };
        let kernels = TileKernels::new(|_, _, _| 1);
        for (cells, stride) in [(54, 10), (54, usize::MAX)] {
            let inputs = vec![[0; CHANNELS]; cells];
            let run = || tiles.run(Convolve(&kernels, &inputs, stride));
            assert!(std::panic::catch_unwind(run).is_err(), "{cells} cells, stride {stride}");
        }
    }
}
