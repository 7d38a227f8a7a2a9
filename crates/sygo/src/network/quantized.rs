//! The network with numbers of eight bits between its convolutions and in their weights, as it plays:
//! several times as fast as with those that it is trained with, and the same on every processor.
//!
//! Each output of a convolution has its own scale; the values that bypass a block (residual connections) are not
//! rounded.

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, OnceLock};

use bytemuck::Zeroable as _;

use super::winograd::{WinogradKernels, WinogradScratch};
use super::{
    CHANNELS, CUT, Convolution, Outputs, PointBytes, PointChannels, PointGrid, SygoNetwork, cut_of, planes,
};
use crate::rules::position::SygoPosition;
use crate::rules::size::BoardSize;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::dot::sums::{DotWeights, MOST_CELLS, Sums, SumsJob, WIDTH};
use kaeshi_core::simd::dot::{COLUMN, Dot};
use kaeshi_core::simd::tiles::{self, TileKernels, TileSession, Tiles, TilesJob};

/// The greatest number of an input.
const MOST: f32 = 127.0;
const COLUMNS: usize = CHANNELS / COLUMN;
const HALVES: usize = CHANNELS / WIDTH;
const _: () = assert!(MOST_CELLS == super::grid::BUNDLE);
const _: () = assert!(tiles::CHANNELS == CHANNELS);

/// A convolution.
#[derive(Debug)]
struct ConvolutionLayer {
    /// Nine points, [`COLUMNS`] each.
    weights: Vec<[DotWeights; HALVES]>,
    /// The weights for Winograd's convolution, and for AMX, made when they are first needed.
    kernels: OnceLock<WinogradKernels>,
    tile_kernels: OnceLock<TileKernels>,
    /// The scale of the sums, for each output.
    scales: PointChannels,
    bias: PointChannels,
}

impl ConvolutionLayer {
    /// The quantized layer of this convolution, whose inputs reach from 0 to `most`.
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
            kernels: OnceLock::new(),
            tile_kernels: OnceLock::new(),
            scales: largest.map(|largest| largest / MOST * most / MOST),
            bias: network.rows[convolution.bias()],
        }
    }

    fn weight(&self, tap: usize, input: usize, output: usize) -> i8 {
        let column = &self.weights[tap * COLUMNS + input / COLUMN];
        column[output / WIDTH][output % WIDTH * COLUMN + input % COLUMN]
    }

    #[inline(always)]
    fn outputs(&self, sums: &[i32; CHANNELS]) -> PointChannels {
        let mut outputs = self.bias;
        for channel in 0..CHANNELS {
            outputs[channel] += sums[channel] as f32 * self.scales[channel];
        }
        outputs
    }

    /// The outputs of all cells of the board, with fewer products.
    #[inline(never)]
    fn run_winograd(
        &self,
        scratch: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        found: &mut dyn FnMut(usize, &PointChannels),
    ) {
        let weight = |tap, input, output| self.weight(tap, input, output);
        let kernels = self.kernels.get_or_init(|| WinogradKernels::new(weight));
        kernels.run(scratch, grid, from, &mut |cell, sums| found(cell, &self.outputs(sums)));
    }
}

/// A way to calculate a convolution.
trait ConvolutionWay: Copy {
    /// The outputs of all cells of the board, and perhaps of some between its rows, which are of no meaning.
    fn run(
        self,
        layer: &ConvolutionLayer,
        scratch: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        found: impl FnMut(usize, &PointChannels),
    );
}

/// Product by product, `CELLS` cells at a time.
#[derive(Clone, Copy)]
struct Direct<S, const CELLS: usize>(PhantomData<S>);

impl<S: Sums, const CELLS: usize> ConvolutionWay for Direct<S, CELLS> {
    #[inline(always)]
    fn run(
        self,
        layer: &ConvolutionLayer,
        _: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        mut found: impl FnMut(usize, &PointChannels),
    ) {
        let (first, stride) = (grid.first(), grid.stride());
        for begin in (first..grid.last()).step_by(CELLS) {
            let mut sums = [[S::zeros(); HALVES]; CELLS];
            for (tap, columns) in layer.weights.as_chunks::<COLUMNS>().0.iter().enumerate() {
                let corner = begin - first + tap / 3 * stride + tap % 3;
                let inputs: &[PointBytes; CELLS] =
                    from[corner..].first_chunk().expect("cells behind the board");
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
                found(begin + index, &layer.outputs(&whole));
            }
        }
    }
}

/// Winograd's convolution.
#[derive(Clone, Copy)]
struct Winograd;

impl ConvolutionWay for Winograd {
    #[inline(always)]
    fn run(
        self,
        layer: &ConvolutionLayer,
        scratch: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        mut found: impl FnMut(usize, &PointChannels),
    ) {
        layer.run_winograd(scratch, grid, from, &mut found);
    }
}

/// The convolution by AMX.
impl ConvolutionWay for &TileSession {
    #[inline(always)]
    fn run(
        self,
        layer: &ConvolutionLayer,
        _: &mut WinogradScratch,
        grid: &PointGrid,
        from: &[PointBytes],
        mut found: impl FnMut(usize, &PointChannels),
    ) {
        let weight = |tap, input, output| layer.weight(tap, input, output);
        let kernels = layer.tile_kernels.get_or_init(|| TileKernels::new(weight));
        let (first, last) = (grid.first(), grid.last());
        let mut sums = [[0; CHANNELS]; tiles::CELLS];
        for begin in (first..last).step_by(tiles::CELLS) {
            self.convolve(kernels, &from[begin - first..], grid.stride(), &mut sums);
            for (cell, sums) in (begin..last).zip(&sums) {
                found(cell, &layer.outputs(sums));
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
    /// Quantizes a network.
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
    /// The values that bypass the blocks.
    carried: Vec<PointChannels>,
    from: Vec<PointBytes>,
    inner: Vec<PointBytes>,
    /// Whether convolutions are Winograd's.
    winograd: bool,
    /// AMX, if available.
    tiles: Option<Tiles>,
    /// Scratch memory of Winograd's convolution.
    scratch: WinogradScratch,
    /// The outputs for the last position.
    pub outputs: Outputs,
}

impl QuantizedEvaluator {
    /// Room for a board of this size.
    pub fn new(size: BoardSize) -> QuantizedEvaluator {
        let dot = Dot::best();
        QuantizedEvaluator::in_way(dot, dot.widens(), Tiles::detect(), size)
    }

    /// An evaluator that uses this kernel for sums, Winograd's convolution, or AMX.
    pub(super) fn in_way(
        dot: Dot,
        winograd: bool,
        tiles: Option<Tiles>,
        size: BoardSize,
    ) -> QuantizedEvaluator {
        let outputs = Outputs::new(size);
        let cells = outputs.grid.cells();
        QuantizedEvaluator {
            dot,
            planes: vec![PointChannels::zeroed(); cells],
            carried: vec![PointChannels::zeroed(); cells],
            from: vec![[0; CHANNELS]; cells],
            inner: vec![[0; CHANNELS]; cells],
            winograd,
            tiles,
            scratch: WinogradScratch::default(),
            outputs,
        }
    }

    /// Judges a position.
    pub fn run(&mut self, network: &QuantizedSygoNetwork, position: &SygoPosition) {
        if self.outputs.grid != PointGrid::new(position.board.size()) {
            let size = position.board.size();
            *self = QuantizedEvaluator::in_way(self.dot, self.winograd, self.tiles, size);
        }
        self.planes.fill(PointChannels::zeroed());
        planes::fill(position, &self.outputs.grid, &mut self.planes);
        match self.tiles {
            Some(tiles) => tiles.run(QuantizedForward { network, judge: self }),
            None => self.dot.run(QuantizedForward { network, judge: self }),
        }
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
        // A choice for each convolution would let both ways share closures, which costs the usual way a fifth, and
        // a second copy where no processor profits from it 2 % of the instructions.
        if cfg!(any(test, target_arch = "wasm32")) && self.judge.winograd {
            self.run_layers(Winograd);
        } else {
            self.run_layers(Direct::<S, CELLS>(PhantomData));
        }
    }
}

impl TilesJob for QuantizedForward<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, session: &TileSession) {
        self.run_layers(session);
    }
}

impl QuantizedForward<'_> {
    #[inline(always)]
    fn run_layers(self, way: impl ConvolutionWay) {
        let QuantizedForward { network, judge } = self;
        let QuantizedEvaluator { planes, carried, from, inner, scratch, outputs, .. } = judge;
        let grid = &outputs.grid;
        for (bytes, plane) in from.iter_mut().zip(planes.iter()) {
            *bytes = rounded(plane, MOST);
        }
        let last = network.blocks.is_empty();
        way.run(&network.first, scratch, grid, from, |index, cell| {
            carried[index] = limited(*cell, last);
        });
        for (index, [first, second]) in network.blocks.iter().enumerate() {
            for row in grid.rows() {
                for cell in row {
                    from[cell] = rounded(&carried[cell], MOST / CUT);
                }
            }
            clear(grid, from);
            way.run(first, scratch, grid, from, |index, cell| {
                inner[index] = rounded(cell, MOST / CUT);
            });
            clear(grid, inner);
            let spread = spread(&network.network, index, grid, inner);
            let last = index + 1 == network.blocks.len();
            way.run(second, scratch, grid, inner, |index, cell| {
                let mut sums = carried[index];
                for channel in 0..CHANNELS {
                    sums[channel] = cell[channel] + (sums[channel] + spread[channel]);
                }
                carried[index] = limited(sums, last);
            });
        }
        outputs.run_heads(&network.network, carried);
    }
}

/// The amount that a block adds to every point: its mean over the board.
#[inline(always)]
fn spread(network: &SygoNetwork, block: usize, grid: &PointGrid, inner: &[PointBytes]) -> PointChannels {
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

/// The numbers of a layer, none below 0 and none above [`cut_of`]. It is vector code because both limits are constants.
#[inline(always)]
fn limited(mut cell: PointChannels, last: bool) -> PointChannels {
    if last {
        cell.iter_mut().for_each(|number| *number = number.clamp(0.0, cut_of(true)));
    } else {
        cell.iter_mut().for_each(|number| *number = number.clamp(0.0, cut_of(false)));
    }
    cell
}

/// The numbers as bytes, `scale` times as large.
#[inline(always)]
fn rounded(cell: &PointChannels, scale: f32) -> PointBytes {
    /// At this size 32-bit floats have no fraction: adding it rounds, and leaves the integer in the last bits.
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
fn clear(grid: &PointGrid, cells: &mut [PointBytes]) {
    let mut empty = grid.first();
    for row in grid.rows() {
        cells[empty..row.start].fill([0; CHANNELS]);
        empty = row.end;
    }
    cells[empty..grid.last()].fill([0; CHANNELS]);
}
