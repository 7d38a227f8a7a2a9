//! One judgement in floating-point numbers, all layers of which are kept: training needs them.

use bytemuck::Zeroable as _;

use super::{CHANNELS, CUT, Convolution, Outputs, PointChannels, PointGrid, SygoNetwork, planes};
use crate::rules::position::SygoPosition;
use crate::rules::size::BoardSize;
use kaeshi_core::simd::SimdLevel;
use kaeshi_core::simd::lanes::{LANES, Lanes, LanesJob};

/// The numbers of all layers for one position.
#[derive(Clone, Debug)]
pub struct SygoForwardPass {
    /// The input.
    pub planes: Vec<PointChannels>,
    /// After the first convolution.
    pub begin: Vec<PointChannels>,
    /// After each block.
    pub blocks: Vec<Middle>,
    /// The outputs.
    pub outputs: Outputs,
}

/// The numbers of a block.
#[derive(Clone, Debug)]
pub struct Middle {
    /// Between its convolutions.
    pub inner: Vec<PointChannels>,
    /// Mean of these.
    pub mean: PointChannels,
    /// At its end.
    pub out: Vec<PointChannels>,
}

impl SygoForwardPass {
    /// Room for a board of this size.
    pub fn new(network: &SygoNetwork, size: BoardSize) -> SygoForwardPass {
        let outputs = Outputs::new(size);
        let cells = || vec![PointChannels::zeroed(); outputs.grid.cells()];
        let middle = || Middle { inner: cells(), mean: PointChannels::zeroed(), out: cells() };
        SygoForwardPass {
            planes: cells(),
            begin: cells(),
            blocks: (0..network.blocks()).map(|_| middle()).collect(),
            outputs,
        }
    }

    /// Judges a position by `network`, which is to have as many blocks as that of [`SygoForwardPass::new`].
    pub fn run(&mut self, network: &SygoNetwork, position: &SygoPosition) {
        self.run_at(SimdLevel::best(), network, position);
    }

    /// The same with the registers of this level.
    pub(super) fn run_at(&mut self, level: SimdLevel, network: &SygoNetwork, position: &SygoPosition) {
        if self.outputs.grid != PointGrid::new(position.board.size()) {
            *self = SygoForwardPass::new(network, position.board.size());
        }
        self.planes.fill(PointChannels::zeroed());
        planes::fill(position, &self.outputs.grid, &mut self.planes);
        level.run_lanes(FloatForward { network, pass: self });
    }

    /// The numbers before the heads.
    pub fn last(&self) -> &[PointChannels] {
        self.blocks.last().map_or(&self.begin, |middle| &middle.out)
    }
}

/// Upper limit of the values of a layer; there is none for the last layer.
#[inline(always)]
pub fn cut_of(last: bool) -> f32 {
    if last { f32::INFINITY } else { CUT }
}

struct FloatForward<'a> {
    network: &'a SygoNetwork,
    pass: &'a mut SygoForwardPass,
}

impl LanesJob for FloatForward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const SUMS: usize>(self) {
        let FloatForward { network, pass: SygoForwardPass { planes, begin, blocks, outputs } } = self;
        let grid = &outputs.grid;
        let share = 1.0 / grid.points() as f32;
        let count = blocks.len();
        convolve::<L, SUMS>(network, network.first(), grid, planes, begin);
        keep(grid, begin, cut_of(count == 0));
        for index in 0..count {
            let block = network.block(index);
            let (before, rest) = blocks.split_at_mut(index);
            let from = before.last().map_or(&*begin, |middle| &middle.out);
            let Middle { inner, mean, out } = &mut rest[0];
            convolve::<L, SUMS>(network, block.first, grid, from, inner);
            keep(grid, inner, CUT);
            *mean = PointChannels::zeroed();
            for cell in grid.rows().flatten() {
                for (mean, number) in mean.iter_mut().zip(&inner[cell]) {
                    *mean += share * number;
                }
            }
            let mut spread = PointChannels::zeroed();
            for (input, row) in mean.iter().zip(&network.rows[block.pooled..][..CHANNELS]) {
                for (spread, weight) in spread.iter_mut().zip(row) {
                    *spread += input * weight;
                }
            }
            convolve::<L, SUMS>(network, block.second, grid, inner, out);
            for cell in grid.rows().flatten() {
                for ((number, skipped), spread) in out[cell].iter_mut().zip(&from[cell]).zip(&spread) {
                    *number += skipped + spread;
                }
            }
            keep(grid, out, cut_of(index + 1 == count));
        }
        let last = blocks.last().map_or(&*begin, |middle| &middle.out);
        outputs.run_heads(network, last);
    }
}

/// Sets negative numbers and all cells off the board to zero, and numbers above `cut` to that.
#[inline(always)]
fn keep(grid: &PointGrid, cells: &mut [PointChannels], cut: f32) {
    let mut empty = grid.first();
    for row in grid.rows() {
        cells[empty..row.start].fill(PointChannels::zeroed());
        empty = row.end;
        for cell in &mut cells[row] {
            cell.iter_mut().for_each(|number| *number = number.max(0.0).min(cut));
        }
    }
    cells[empty..grid.last()].fill(PointChannels::zeroed());
}

#[inline(always)]
fn convolve<L: Lanes, const SUMS: usize>(
    network: &SygoNetwork,
    convolution: Convolution,
    grid: &PointGrid,
    from: &[PointChannels],
    to: &mut [PointChannels],
) {
    let bias = &network.rows[convolution.bias()];
    convolve_rows::<L, SUMS>(network.taps(convolution), bias, grid, from, to);
}

/// The convolution of these rows, everywhere from the first point to the last; the cells between the
/// rows of the board hold numbers of no meaning.
#[inline(always)]
pub fn convolve_rows<L: Lanes, const SUMS: usize>(
    rows: &[PointChannels],
    bias: &PointChannels,
    grid: &PointGrid,
    from: &[PointChannels],
    to: &mut [PointChannels],
) {
    let (first, stride) = (grid.first(), grid.stride());
    for begin in (first..grid.last()).step_by(SUMS) {
        for half in 0..CHANNELS / LANES {
            let mut sums = [L::load(&bias.as_chunks().0[half]); SUMS];
            for (tap, rows) in rows.as_chunks::<CHANNELS>().0.iter().enumerate() {
                let corner = begin - first + tap / 3 * stride + tap % 3;
                let inputs: &[PointChannels; SUMS] =
                    from[corner..].first_chunk().expect("cells behind the board");
                for channel in 0..CHANNELS {
                    let row = L::load(&rows[channel].as_chunks().0[half]);
                    for sum in 0..SUMS {
                        sums[sum] = sums[sum].add_product(inputs[sum][channel], row);
                    }
                }
            }
            let to: &mut [PointChannels; SUMS] = to[begin..].first_chunk_mut().expect("whole bundles");
            for sum in 0..SUMS {
                sums[sum].store(&mut to[sum].as_chunks_mut().0[half]);
            }
        }
    }
}
