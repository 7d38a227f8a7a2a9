//! One judgement: the layers from the planes to the outputs.

use bytemuck::Zeroable as _;

use super::{CHANNELS, Cell, Convolution, Grid, Network, POINT_OUTPUTS, WHOLE_OUTPUTS, planes};
use crate::simd::Level;
use crate::simd::lanes::{LANES, Lanes, LanesJob};
use crate::sygo::rules::position::Position;
use crate::sygo::rules::size::Size;

/// The numbers of all layers for one position.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Where the points lie.
    pub grid: Grid,
    /// The input.
    pub planes: Vec<Cell>,
    /// After the first convolution.
    pub begin: Vec<Cell>,
    /// After each block.
    pub blocks: Vec<Middle>,
    /// Mean of the last layer.
    pub pooled: Cell,
    /// The hidden layer of the position's head.
    pub hidden: Cell,
    /// The outputs of each cell.
    pub points: Vec<[f32; POINT_OUTPUTS]>,
    /// The outputs of the position.
    pub whole: [f32; WHOLE_OUTPUTS],
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
        let grid = Grid::new(size);
        let cells = || vec![Cell::zeroed(); grid.cells()];
        let middle = || Middle { inner: cells(), mean: Cell::zeroed(), out: cells() };
        Pass {
            planes: cells(),
            begin: cells(),
            blocks: (0..network.blocks()).map(|_| middle()).collect(),
            pooled: Cell::zeroed(),
            hidden: Cell::zeroed(),
            points: vec![[0.0; POINT_OUTPUTS]; grid.cells()],
            whole: [0.0; WHOLE_OUTPUTS],
            grid,
        }
    }

    /// Judges a position by `network`, which is to have as many blocks as that of [`Pass::new`].
    pub fn run(&mut self, network: &Network, position: &Position) {
        self.run_at(Level::best(), network, position);
    }

    /// The same with the registers of this level.
    pub(super) fn run_at(&mut self, level: Level, network: &Network, position: &Position) {
        if self.grid != Grid::new(position.board.size()) {
            *self = Pass::new(network, position.board.size());
        }
        self.planes.fill(Cell::zeroed());
        planes::fill(position, &self.grid, &mut self.planes);
        level.run_lanes(Forward { network, pass: self });
    }

    /// The numbers before the heads.
    pub fn last(&self) -> &[Cell] {
        self.blocks.last().map_or(&self.begin, |middle| &middle.out)
    }

    /// The worth of the end for the side to move, from -1 to 1.
    pub fn worth(&self) -> f32 {
        self.whole[2].tanh()
    }

    /// The margin by which the side to move will be ahead, in points.
    pub fn margin(&self) -> f32 {
        self.grid.rows().flatten().map(|cell| self.points[cell][2].tanh()).sum()
    }
}

struct Forward<'a> {
    network: &'a Network,
    pass: &'a mut Pass,
}

impl LanesJob for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, const SUMS: usize>(self) {
        let Forward { network, pass } = self;
        let grid = &pass.grid;
        let share = 1.0 / grid.points() as f32;
        convolve::<L, SUMS>(network, network.first(), grid, &pass.planes, &mut pass.begin);
        keep(grid, &mut pass.begin, |_, _| ());
        for index in 0..pass.blocks.len() {
            let block = network.block(index);
            let (before, rest) = pass.blocks.split_at_mut(index);
            let from = before.last().map_or(&pass.begin, |middle| &middle.out);
            let Middle { inner, mean, out } = &mut rest[0];
            convolve::<L, SUMS>(network, block.first, grid, from, inner);
            *mean = Cell::zeroed();
            keep(grid, inner, |_, cell| {
                for (mean, number) in mean.iter_mut().zip(cell.iter()) {
                    *mean += share * number;
                }
            });
            let mut spread = Cell::zeroed();
            for (input, row) in mean.iter().zip(&network.rows[block.pooled..][..CHANNELS]) {
                for (spread, weight) in spread.iter_mut().zip(row) {
                    *spread += input * weight;
                }
            }
            convolve::<L, SUMS>(network, block.second, grid, inner, out);
            for row in grid.rows() {
                for cell in row {
                    for ((number, skipped), spread) in out[cell].iter_mut().zip(&from[cell]).zip(&spread) {
                        *number += skipped + spread;
                    }
                }
            }
            keep(grid, out, |_, _| ());
        }
        let heads = network.heads();
        let bias = &network.rows[heads.bias];
        let (points, pooled) = (&mut pass.points, &mut pass.pooled);
        let last = pass.blocks.last_mut().map_or(&mut pass.begin, |middle| &mut middle.out);
        *pooled = Cell::zeroed();
        keep(grid, last, |index, cell| {
            for (pooled, number) in pooled.iter_mut().zip(cell.iter()) {
                *pooled += share * number;
            }
            for output in 0..POINT_OUTPUTS {
                points[index][output] = bias[output] + product(cell, &network.rows[heads.points + output]);
            }
        });
        let mut hidden = network.rows[heads.hidden + CHANNELS];
        for (input, row) in pooled.iter().zip(&network.rows[heads.hidden..][..CHANNELS]) {
            for (hidden, weight) in hidden.iter_mut().zip(row) {
                *hidden += input * weight;
            }
        }
        hidden.iter_mut().for_each(|number| *number = number.max(0.0));
        pass.hidden = hidden;
        for output in 0..WHOLE_OUTPUTS {
            pass.whole[output] =
                bias[POINT_OUTPUTS + output] + product(&hidden, &network.rows[heads.whole + output]);
        }
    }
}

/// The sum of products, as eight sums side by side.
#[inline(always)]
fn product(one: &Cell, other: &Cell) -> f32 {
    let mut sums = [0.0f32; 8];
    for (one, other) in one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0) {
        for lane in 0..8 {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum()
}

/// Sets negative numbers and all cells off the board to zero, and shows each cell of the board.
#[inline(always)]
fn keep(grid: &Grid, cells: &mut [Cell], mut seen: impl FnMut(usize, &Cell)) {
    let mut empty = grid.first();
    for row in grid.rows() {
        cells[empty..row.start].fill([0.0; CHANNELS]);
        empty = row.end;
        for index in row {
            cells[index].iter_mut().for_each(|number| *number = number.max(0.0));
            seen(index, &cells[index]);
        }
    }
    cells[empty..grid.last()].fill([0.0; CHANNELS]);
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
