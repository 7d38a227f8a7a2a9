//! Convolutions of 3x3 points by products of whole matrices of bytes, for processors with Intel's AMX (Intel,
//! "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, chapter 18). The sums are exactly those
//! of the definition.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod amx;

use std::marker::PhantomData;
use std::sync::LazyLock;

use super::Aligned;

/// Inputs of a cell, and outputs.
pub const CHANNELS: usize = 32;
/// Cells that are calculated at a time.
pub const CELLS: usize = 32;
/// Bytes of a row of a register, and its rows.
const ROW: usize = 64;
const ROWS: usize = 16;
/// Outputs of a register.
const WIDTH: usize = 16;
/// Bytes of the weights of one register.
const TILE: usize = ROW * ROWS;
/// Inputs of a row of a register of weights, for each of its outputs.
const COLUMN: usize = ROW / WIDTH;
/// Points that a register of weights covers, side by side.
const POINTS: usize = ROW / CHANNELS;
/// Registers of weights of a row of points, for half of the outputs; the fourth point counts for nothing.
const PAIRS: usize = 2;
const HALVES: usize = CHANNELS / WIDTH;
/// Points of a row of the convolution, and its rows.
const REACH: usize = 3;

/// Sums of the cells.
pub type TileSums = [[i32; CHANNELS]; CELLS];

/// The weights of a convolution as registers hold them.
#[derive(Debug)]
pub struct TileKernels(Aligned<i8>);

impl TileKernels {
    /// Of a convolution with this weight for each of nine points, input and output.
    pub fn new(weight: impl Fn(usize, usize, usize) -> i8) -> TileKernels {
        let mut weights = Aligned::zeros(REACH * PAIRS * HALVES * TILE);
        for (place, number) in weights.get_mut().iter_mut().enumerate() {
            let (tile, place) = (place / TILE, place % TILE);
            let (row, pair, half) = (tile / (PAIRS * HALVES), tile / HALVES % PAIRS, tile % HALVES);
            let input = place / ROW * COLUMN + place % COLUMN;
            let (point, input) = (pair * POINTS + input / CHANNELS, input % CHANNELS);
            if point < REACH {
                let output = half * WIDTH + place % ROW / COLUMN;
                *number = weight(row * REACH + point, input, output);
            }
        }
        TileKernels(weights)
    }
}

/// The right to use the registers of matrices, which a process asks the system for.
#[derive(Clone, Copy, Debug)]
pub struct Tiles(());

/// Code that calculates convolutions.
pub trait TilesJob {
    /// What it results in.
    type Output;
    /// The code; to be marked `#[inline(always)]`, so that it takes on the features of the caller.
    fn run(self, session: &TileSession) -> Self::Output;
}

/// The registers, set up for this thread.
#[derive(Debug)]
pub struct TileSession(PhantomData<*const ()>);

impl Tiles {
    /// Whether processor and system allow it.
    pub fn detect() -> Option<Tiles> {
        static FOUND: LazyLock<bool> = LazyLock::new(|| {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            return amx::detect();
            #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
            return false;
        });
        FOUND.then_some(Tiles(()))
    }

    /// Runs `job`.
    pub fn run<J: TilesJob>(self, job: J) -> J::Output {
        // SAFETY: `detect` alone makes the value, where the features were found.
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        return unsafe { amx::run(job) };
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        return job.run(&TileSession(PhantomData));
    }
}

impl TileSession {
    /// The sums of [`CELLS`] cells one after the other. `inputs` begins with the first of the nine points of the first
    /// cell; `stride` cells farther on begins the next row of points.
    ///
    /// # Panics
    /// There are fewer inputs than two strides, the cells, and three more.
    #[inline(always)]
    pub fn convolve(
        &self,
        kernels: &TileKernels,
        inputs: &[[u8; CHANNELS]],
        stride: usize,
        sums: &mut TileSums,
    ) {
        let needed = (REACH - 1) * stride + CELLS + PAIRS * POINTS - 1;
        assert!(inputs.len() >= needed, "{} cells of {needed}", inputs.len());
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        amx::convolve(self, &kernels.0, inputs, stride, sums);
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        unreachable!("no system but Linux has them; {kernels:?}, {sums:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix;

    #[test]
    fn the_sums_are_those_of_the_definition() {
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
        let Some(tiles) = Tiles::detect() else {
            println!("no processor with AMX: nothing to compare");
            return;
        };
        let mut random = SplitMix::new(5);
        let weights: Vec<i8> = (0..9 * CHANNELS * CHANNELS).map(|_| random.draw() as i8).collect();
        let weight =
            |tap: usize, input: usize, output: usize| weights[(tap * CHANNELS + input) * CHANNELS + output];
        for stride in [4, 10, 20] {
            let inputs: Vec<[u8; CHANNELS]> = (0..2 * stride + CELLS + 3)
                .map(|_| std::array::from_fn(|_| random.draw() as u8 & 127))
                .collect();
            let found = tiles.run(Convolve(&TileKernels::new(weight), &inputs, stride));
            for (cell, sums) in found.iter().enumerate() {
                for (output, &sum) in sums.iter().enumerate() {
                    let product = |tap: usize, input: usize| {
                        let corner = cell + tap / REACH * stride + tap % REACH;
                        i32::from(inputs[corner][input]) * i32::from(weight(tap, input, output))
                    };
                    let expected: i32 =
                        (0..9).flat_map(|tap| (0..CHANNELS).map(move |input| product(tap, input))).sum();
                    assert_eq!(sum, expected, "cell {cell} output {output} stride {stride}");
                }
            }
        }
    }
}
