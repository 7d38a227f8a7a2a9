//! The network with numbers of eight bits between its convolutions and in their weights, as it plays:
//! several times as fast as with those that it is trained with, and the same on every processor.
//!
//! Each output of a convolution has a scale of its own; what is carried past a block is not rounded.

use std::sync::{Arc, LazyLock};

use bytemuck::Zeroable as _;

use super::{CHANNELS, CUT, Convolution, Outputs, PointChannels, PointGrid, SygoNetwork, cut_of, planes};
use crate::rules::position::SygoPosition;
use crate::rules::size::BoardSize;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::dot::sums::{DotWeights, MOST_CELLS, Sums, SumsJob, WIDTH};
use kaeshi_core::simd::dot::{COLUMN, Dot};

/// The greatest number of an input.
const MOST: f32 = 127.0;
const COLUMNS: usize = CHANNELS / COLUMN;
const HALVES: usize = CHANNELS / WIDTH;
const _: () = assert!(MOST_CELLS == super::grid::BUNDLE);

/// The inputs of one point.
type Bytes = [u8; CHANNELS];

/// A convolution.
#[derive(Debug)]
struct ConvolutionLayer {
    /// Nine points, [`COLUMNS`] each.
    weights: Vec<[DotWeights; HALVES]>,
    /// What a sum is worth, for each output.
    scales: PointChannels,
    bias: PointChannels,
}

impl ConvolutionLayer {
    /// Of this convolution, whose inputs reach from 0 to `most`.
    fn new(network: &SygoNetwork, convolution: Convolution, most: f32) -> ConvolutionLayer {
        let taps = network.taps(convolution);
        let mut largest = [f32::MIN_POSITIVE; CHANNELS];
        for row in taps {
            for (largest, weight) in largest.iter_mut().zip(row) {
                *largest = largest.max(weight.abs());
            }
        }
        let column = |rows: &[PointChannels; COLUMN]| {
            let mut column = [[0; WIDTH * COLUMN]; HALVES];
            for (output, largest) in largest.iter().enumerate() {
                for (input, row) in rows.iter().enumerate() {
                    let weight = (row[output] / largest * MOST).round() as i8;
                    column[output / WIDTH][output % WIDTH * COLUMN + input] = weight;
                }
            }
            column
        };
        ConvolutionLayer {
            weights: taps.as_chunks().0.iter().map(column).collect(),
            scales: largest.map(|largest| largest / MOST * most / MOST),
            bias: network.rows[convolution.bias()],
        }
    }

    /// The outputs of all cells from the first point to the last; those between the rows of the board
    /// are of no meaning.
    #[inline(always)]
    fn run<S: Sums, const CELLS: usize>(
        &self,
        grid: &PointGrid,
        from: &[Bytes],
        mut found: impl FnMut(usize, &PointChannels),
    ) {
        let (first, stride) = (grid.first(), grid.stride());
        for begin in (first..grid.last()).step_by(CELLS) {
            let mut sums = [[S::zeros(); HALVES]; CELLS];
            for (tap, columns) in self.weights.as_chunks::<COLUMNS>().0.iter().enumerate() {
                let corner = begin - first + tap / 3 * stride + tap % 3;
                let inputs: &[Bytes; CELLS] = from[corner..].first_chunk().expect("cells behind the board");
                for (column, weights) in columns.iter().enumerate() {
                    for cell in 0..CELLS {
                        let four = inputs[cell].as_chunks().0[column];
                        for half in 0..HALVES {
                            sums[cell][half] = sums[cell][half].add(four, &weights[half]);
                        }
                    }
                }
            }
            for (index, sums) in sums.into_iter().enumerate() {
                let mut whole = [0; CHANNELS];
                for (sums, to) in sums.into_iter().zip(whole.as_chunks_mut().0) {
                    sums.store(to);
                }
                let mut outputs = self.bias;
                for channel in 0..CHANNELS {
                    outputs[channel] += whole[channel] as f32 * self.scales[channel];
                }
                found(begin + index, &outputs);
            }
        }
    }
}

/// A network as it plays.
#[derive(Debug)]
pub struct QuantizedSygoNetwork {
    network: SygoNetwork,
    first: ConvolutionLayer,
    blocks: Vec<[ConvolutionLayer; 2]>,
}

impl QuantizedSygoNetwork {
    /// Of a network.
    pub fn new(network: SygoNetwork) -> QuantizedSygoNetwork {
        let layer = |convolution| ConvolutionLayer::new(&network, convolution, CUT);
        let blocks = (0..network.blocks()).map(|index| network.block(index));
        QuantizedSygoNetwork {
            first: ConvolutionLayer::new(&network, network.first(), 1.0),
            blocks: blocks.map(|block| [layer(block.first), layer(block.second)]).collect(),
            network,
        }
    }

    /// The network before the rounding.
    pub fn network(&self) -> &SygoNetwork {
        &self.network
    }

    /// The network in the program.
    pub fn embedded() -> Arc<QuantizedSygoNetwork> {
        static EMBEDDED: LazyLock<Arc<QuantizedSygoNetwork>> =
            LazyLock::new(|| Arc::new(QuantizedSygoNetwork::new(SygoNetwork::embedded())));
        Arc::clone(&EMBEDDED)
    }

    /// The network of a file, or the one in the program for `embedded` or no name.
    ///
    /// # Errors
    /// It cannot be read, or is no network.
    pub fn named(name: &str) -> Result<Arc<QuantizedSygoNetwork>, GameError> {
        if matches!(name, "" | "embedded") {
            return Ok(QuantizedSygoNetwork::embedded());
        }
        Ok(Arc::new(QuantizedSygoNetwork::new(SygoNetwork::of_file(name.as_ref())?)))
    }
}

/// The numbers between the layers of a [`QuantizedSygoNetwork`] network, and its outputs.
#[derive(Clone, Debug)]
pub struct QuantizedEvaluator {
    dot: Dot,
    planes: Vec<PointChannels>,
    /// What is carried past the blocks.
    carried: Vec<PointChannels>,
    from: Vec<Bytes>,
    inner: Vec<Bytes>,
    /// What it says of the last position.
    pub outputs: Outputs,
}

impl QuantizedEvaluator {
    /// Room for a board of this size.
    pub fn new(size: BoardSize) -> QuantizedEvaluator {
        QuantizedEvaluator::in_way(Dot::best(), size)
    }

    /// The same for sums calculated in this way.
    pub(super) fn in_way(dot: Dot, size: BoardSize) -> QuantizedEvaluator {
        let outputs = Outputs::new(size);
        let cells = outputs.grid.cells();
        QuantizedEvaluator {
            dot,
            planes: vec![PointChannels::zeroed(); cells],
            carried: vec![PointChannels::zeroed(); cells],
            from: vec![[0; CHANNELS]; cells],
            inner: vec![[0; CHANNELS]; cells],
            outputs,
        }
    }

    /// Judges a position.
    pub fn run(&mut self, network: &QuantizedSygoNetwork, position: &SygoPosition) {
        if self.outputs.grid != PointGrid::new(position.board.size()) {
            *self = QuantizedEvaluator::in_way(self.dot, position.board.size());
        }
        self.planes.fill(PointChannels::zeroed());
        planes::fill(position, &self.outputs.grid, &mut self.planes);
        self.dot.run(QuantizedForward { network, judge: self });
    }
}

struct QuantizedForward<'a> {
    network: &'a QuantizedSygoNetwork,
    judge: &'a mut QuantizedEvaluator,
}

impl SumsJob for QuantizedForward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Sums, const CELLS: usize>(self) {
        let QuantizedForward { network, judge } = self;
        let QuantizedEvaluator { planes, carried, from, inner, outputs, .. } = judge;
        let grid = &outputs.grid;
        for (bytes, plane) in from.iter_mut().zip(planes.iter()) {
            *bytes = rounded(plane, MOST);
        }
        let cut = cut_of(network.blocks.is_empty());
        network.first.run::<S, CELLS>(grid, from, |index, cell| {
            let carried = &mut carried[index];
            for channel in 0..CHANNELS {
                carried[channel] = cell[channel].clamp(0.0, cut);
            }
        });
        for (index, [first, second]) in network.blocks.iter().enumerate() {
            for row in grid.rows() {
                for cell in row {
                    from[cell] = rounded(&carried[cell], MOST / CUT);
                }
            }
            clear(grid, from);
            first.run::<S, CELLS>(grid, from, |index, cell| inner[index] = rounded(cell, MOST / CUT));
            clear(grid, inner);
            let spread = spread(&network.network, index, grid, inner);
            let cut = cut_of(index + 1 == network.blocks.len());
            second.run::<S, CELLS>(grid, inner, |index, cell| {
                let carried = &mut carried[index];
                for channel in 0..CHANNELS {
                    let sum = cell[channel] + (carried[channel] + spread[channel]);
                    carried[channel] = sum.clamp(0.0, cut);
                }
            });
        }
        outputs.run_heads(&network.network, carried);
    }
}

/// What a block adds to every point: its mean over the board.
#[inline(always)]
fn spread(network: &SygoNetwork, block: usize, grid: &PointGrid, inner: &[Bytes]) -> PointChannels {
    let mut sums = [0u32; CHANNELS];
    for cell in grid.rows().flatten() {
        for (sum, &byte) in sums.iter_mut().zip(&inner[cell]) {
            *sum += u32::from(byte);
        }
    }
    let share = CUT / MOST / grid.points() as f32;
    let mut spread = PointChannels::zeroed();
    for (sum, row) in sums.iter().zip(&network.rows[network.block(block).pooled..][..CHANNELS]) {
        for (spread, weight) in spread.iter_mut().zip(row) {
            *spread += *sum as f32 * share * weight;
        }
    }
    spread
}

/// The numbers as bytes, `scale` times as large.
#[inline(always)]
fn rounded(cell: &PointChannels, scale: f32) -> Bytes {
    /// Where numbers of 32 bits have no fraction: adding it rounds, and leaves the integer in the last bits.
    const WHOLE: f32 = 12_582_912.0;
    let mut bytes = [0; CHANNELS];
    for channel in 0..CHANNELS {
        let number = (cell[channel] * scale).clamp(0.0, MOST);
        bytes[channel] = (number + WHOLE).to_bits() as u8;
    }
    bytes
}

/// Sets all cells off the board to zero.
#[inline(always)]
fn clear(grid: &PointGrid, cells: &mut [Bytes]) {
    let mut empty = grid.first();
    for row in grid.rows() {
        cells[empty..row.start].fill([0; CHANNELS]);
        empty = row.end;
    }
    cells[empty..grid.last()].fill([0; CHANNELS]);
}
