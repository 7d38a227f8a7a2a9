//! One judgement in floating-point numbers, all layers of which are kept: training needs them.

use bytemuck::Zeroable as _;

use super::{CHANNELS, CUT, Cell, Convolution, Grid, Network, Outputs, planes};
use crate::rules::position::Position;
use crate::rules::size::Size;
use kaeshi_core::simd::Level;
use kaeshi_core::simd::lanes::{LANES, Lanes, LanesJob};

/// The numbers of all layers for one position.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The input.
    pub planes: Vec<Cell>,
    /// After the first convolution.
    pub begin: Vec<Cell>,
    /// After each block.
    pub blocks: Vec<Middle>,
    /// What comes of it.
    pub outputs: Outputs,
}

/// The numbers of a block.
#[derive(Clone, Debug)]
pub struct Middle {
    /// Between its convolutions.
    pub inner: Vec<Cell>,
    /// Mean of these.
    pub mean: Cell,
    /// At its end.
    pub out: Vec<Cell>,
}

impl Pass {
    /// Room for a board of this size.
    pub fn new(network: &Network, size: Size) -> Pass {
        let outputs = Outputs::new(size);
        let cells = || vec![Cell::zeroed(); outputs.grid.cells()];
        let middle = || Middle { inner: cells(), mean: Cell::zeroed(), out: cells() };
        Pass {
            planes: cells(),
            begin: cells(),
            blocks: (0..network.blocks()).map(|_| middle()).collect(),
            outputs,
        }
    }

    /// Judges a position by `network`, which is to have as many blocks as that of [`Pass::new`].
    pub fn run(&mut self, network: &Network, position: &Position) {
        self.run_at(Level::best(), network, position);
    }

    /// The same with the registers of this level.
    pub(super) fn run_at(&mut self, level: Level, network: &Network, position: &Position) {
        if self.outputs.grid != Grid::new(position.board.size()) {
            *self = Pass::new(network, position.board.size());
        }
        self.planes.fill(Cell::zeroed());
        planes::fill(position, &self.outputs.grid, &mut self.planes);
        level.run_lanes(Forward { network, pass: self });
    }

    /// The numbers before the heads.
    pub fn last(&self) -> &[Cell] {
        self.blocks.last().map_or(&self.begin, |middle| &middle.out)
    }
}

/// Where the numbers of a layer before the last one end, and those of the last one do not.
pub fn cut_of(last: bool) -> f32 {
    if last { f32::INFINITY } else { CUT }
}

struct Forward<'a> {
    network: &'a Network,
    pass: &'a mut Pass,
}

impl LanesJob for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const SUMS: usize>(self) {
        let Forward { network, pass: Pass { planes, begin, blocks, outputs } } = self;
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
            *mean = Cell::zeroed();
            for cell in grid.rows().flatten() {
                for (mean, number) in mean.iter_mut().zip(&inner[cell]) {
                    *mean += share * number;
                }
            }
            let mut spread = Cell::zeroed();
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
fn keep(grid: &Grid, cells: &mut [Cell], cut: f32) {
    let mut empty = grid.first();
    for row in grid.rows() {
        cells[empty..row.start].fill(Cell::zeroed());
        empty = row.end;
        for cell in &mut cells[row] {
            cell.iter_mut().for_each(|number| *number = number.max(0.0).min(cut));
        }
    }
    cells[empty..grid.last()].fill(Cell::zeroed());
}

#[inline(always)]
fn convolve<L: Lanes, const SUMS: usize>(
    network: &Network,
    convolution: Convolution,
    grid: &Grid,
    from: &[Cell],
    to: &mut [Cell],
) {
    let bias = &network.rows[convolution.bias()];
    convolve_rows::<L, SUMS>(network.taps(convolution), bias, grid, from, to);
}

/// The convolution of these rows, everywhere from the first point to the last; the cells between the
/// rows of the board hold numbers of no meaning.
#[inline(always)]
pub fn convolve_rows<L: Lanes, const SUMS: usize>(
    rows: &[Cell],
    bias: &Cell,
    grid: &Grid,
    from: &[Cell],
    to: &mut [Cell],
) {
    let (first, stride) = (grid.first(), grid.stride());
    for begin in (first..grid.last()).step_by(SUMS) {
        for half in 0..CHANNELS / LANES {
            let mut sums = [L::load(&bias.as_chunks().0[half]); SUMS];
            for (tap, rows) in rows.as_chunks::<CHANNELS>().0.iter().enumerate() {
                let corner = begin - first + tap / 3 * stride + tap % 3;
                let inputs: &[Cell; SUMS] = from[corner..].first_chunk().expect("cells behind the board");
                for channel in 0..CHANNELS {
                    let row = L::load(&rows[channel].as_chunks().0[half]);
                    for sum in 0..SUMS {
                        sums[sum] = sums[sum].add_product(inputs[sum][channel], row);
                    }
                }
            }
            let to: &mut [Cell; SUMS] = to[begin..].first_chunk_mut().expect("whole bundles");
            for sum in 0..SUMS {
                sums[sum].store(&mut to[sum].as_chunks_mut().0[half]);
            }
        }
    }
}
