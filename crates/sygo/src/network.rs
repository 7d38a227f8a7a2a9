//! A convolutional network that judges a position: which turns are promising, whose each point will
//! be, and how the game will end.
//!
//! It is a residual network of 3x3 convolutions, each block of which also sees the mean of the board
//! (global pooling; Wu, "Accelerating self-play learning in Go", 2019), so that one network serves
//! boards of every size. Sums run over the inputs in one order on every processor and no instruction
//! fuses a product with a sum, so the values are the same everywhere.

mod forward;
mod grid;
mod outputs;
mod planes;
mod policy;
mod quantized;
mod winograd;

use std::path::Path;

use bytemuck::Zeroable as _;

use kaeshi_core::files::located;
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;

pub use forward::{SygoForwardPass, convolve_rows, cut_of};
pub use grid::PointGrid;
pub use outputs::Outputs;
pub use policy::{Policy, Temperatures, changed};
pub use quantized::{QuantizedEvaluator, QuantizedSygoNetwork};

/// Numbers of a point between two layers, and planes of the input.
pub const CHANNELS: usize = 32;
/// The numbers of one point.
pub type PointChannels = [f32; CHANNELS];
/// The same in whole numbers from 0 to 127.
type PointBytes = [u8; CHANNELS];

/// Numbers between two convolutions reach from 0 to this.
pub const CUT: f32 = 6.0;
/// Rows of a convolution: nine points, [`CHANNELS`] inputs each.
pub const TAPS: usize = 9 * CHANNELS;
/// Outputs of a point: growth there, placement there, whose it will be.
pub const POINT_OUTPUTS: usize = 3;
/// Outputs of a position: growing at all, passing, the worth of the end.
pub const WHOLE_OUTPUTS: usize = 3;

const MAGIC: [u8; 8] = *b"KSYGONN1";
const BLOCKS_MOST: usize = 32;

/// The parameters, in rows of [`CHANNELS`].
#[derive(Clone, Debug, PartialEq)]
pub struct SygoNetwork {
    blocks: usize,
    /// All parameters: the first convolution, the blocks, the heads.
    pub rows: Vec<PointChannels>,
}

/// The first row of the parameters of a convolution; the row of biases follows its [`TAPS`].
#[derive(Clone, Copy, Debug)]
pub struct Convolution(pub usize);

impl Convolution {
    /// The row of biases.
    pub fn bias(self) -> usize {
        self.0 + TAPS
    }
}

/// The first rows of the parameters of a block.
#[derive(Clone, Copy, Debug)]
pub struct ResidualBlock {
    /// The first convolution.
    pub first: Convolution,
    /// The second one.
    pub second: Convolution,
    /// The rows that spread the mean of the board.
    pub pooled: usize,
}

/// The first rows of the parameters of the heads.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// One row for each of [`POINT_OUTPUTS`].
    pub points: usize,
    /// The hidden layer of the position's head, then its biases.
    pub hidden: usize,
    /// One row for each of [`WHOLE_OUTPUTS`].
    pub whole: usize,
    /// The row that begins with the biases of all outputs.
    pub bias: usize,
}

const BLOCK_ROWS: usize = 2 * (TAPS + 1) + CHANNELS;
const HEAD_ROWS: usize = POINT_OUTPUTS + CHANNELS + 1 + WHOLE_OUTPUTS + 1;

impl SygoNetwork {
    /// An untrained network of `blocks` blocks.
    pub fn new(blocks: usize, seed: u64) -> SygoNetwork {
        let mut network = SygoNetwork { blocks, rows: vec![PointChannels::zeroed(); rows(blocks)] };
        let mut random = SplitMix::new(seed);
        let mut uniform = move || (random.draw() >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0;
        let mut fill = |begin: usize, count: usize, inputs: usize, share: f32| {
            let bound = share * (6.0 / inputs as f32).sqrt();
            for row in &mut network.rows[begin..begin + count] {
                row.fill_with(|| bound * uniform());
            }
        };
        fill(0, TAPS, TAPS, 1.0);
        for block in 0..blocks {
            let block = SygoNetwork::block_of(block);
            fill(block.first.0, TAPS, TAPS, 1.0);
            fill(block.second.0, TAPS, TAPS, 0.3);
            fill(block.pooled, CHANNELS, CHANNELS, 0.3);
        }
        let heads = SygoNetwork::heads_of(blocks);
        fill(heads.points, POINT_OUTPUTS, CHANNELS, 0.3);
        fill(heads.hidden, CHANNELS, CHANNELS, 1.0);
        fill(heads.whole, WHOLE_OUTPUTS, CHANNELS, 0.3);
        network
    }

    /// The network in the program.
    ///
    /// # Panics
    /// The program was built with a file that is no network.
    pub fn embedded() -> SygoNetwork {
        let bytes = include_bytes!("../../../weights/sygo-network.bin");
        SygoNetwork::from_bytes(bytes).expect("weights/sygo-network.bin is a network")
    }

    /// The network of a file.
    ///
    /// # Errors
    /// It cannot be read, or is no network.
    pub fn of_file(path: &Path) -> Result<SygoNetwork, GameError> {
        let refuse =
            |reason: &dyn std::fmt::Display| GameError::file(format!("{}: {reason}", path.display()));
        let bytes = files::read(&located(path), FileKind::WEIGHTS).map_err(|error| refuse(&error))?;
        SygoNetwork::from_bytes(&bytes).map_err(|error| refuse(&error))
    }

    /// The network with more blocks before its heads, which change nothing yet but that the numbers that
    /// they read end at [`CUT`]; one with no more blocks than these is left as it is.
    #[must_use]
    pub fn deepened(&self, blocks: usize, seed: u64) -> SygoNetwork {
        if blocks <= self.blocks {
            return self.clone();
        }
        let mut deeper = SygoNetwork::new(blocks, seed);
        let heads = self.heads().points;
        deeper.rows[..heads].copy_from_slice(&self.rows[..heads]);
        for block in (self.blocks..blocks).map(SygoNetwork::block_of) {
            deeper.rows[block.second.0..block.pooled + CHANNELS].fill(PointChannels::zeroed());
        }
        let begin = deeper.heads().points;
        deeper.rows[begin..].copy_from_slice(&self.rows[heads..]);
        deeper
    }

    /// How many residual blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The first convolution.
    pub fn first(&self) -> Convolution {
        Convolution(0)
    }

    fn block_of(index: usize) -> ResidualBlock {
        let begin = TAPS + 1 + index * BLOCK_ROWS;
        let second = begin + TAPS + 1;
        ResidualBlock { first: Convolution(begin), second: Convolution(second), pooled: second + TAPS + 1 }
    }

    /// A block.
    pub fn block(&self, index: usize) -> ResidualBlock {
        SygoNetwork::block_of(index)
    }

    fn heads_of(blocks: usize) -> Heads {
        let points = TAPS + 1 + blocks * BLOCK_ROWS;
        let hidden = points + POINT_OUTPUTS;
        let whole = hidden + CHANNELS + 1;
        Heads { points, hidden, whole, bias: whole + WHOLE_OUTPUTS }
    }

    /// The heads.
    pub fn heads(&self) -> Heads {
        SygoNetwork::heads_of(self.blocks)
    }

    /// The rows of a convolution.
    #[inline(always)]
    pub fn taps(&self, convolution: Convolution) -> &[PointChannels] {
        &self.rows[convolution.0..convolution.bias()]
    }

    /// Whether a file begins as one of these does.
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Reads what [`SygoNetwork::to_bytes`] wrote.
    ///
    /// # Errors
    /// It is damaged, or another kind of file.
    pub fn from_bytes(bytes: &[u8]) -> Result<SygoNetwork, GameError> {
        let Some((head, rest)) = bytes.split_at_checked(MAGIC.len() + 4) else {
            return Err(GameError::file("too short for a network of Sygo"));
        };
        let Some((numbers, sum)) = rest.split_last_chunk::<4>() else {
            return Err(GameError::file("too short for a network of Sygo"));
        };
        if !SygoNetwork::is_file(head) {
            return Err(GameError::file("not a network of Sygo"));
        }
        let blocks = usize::from(head[MAGIC.len()]);
        if blocks > BLOCKS_MOST || numbers.len() != rows(blocks) * size_of::<PointChannels>() {
            return Err(GameError::file(format!("{} bytes do not fit {blocks} blocks", bytes.len())));
        }
        if crc32fast::hash(numbers) != u32::from_le_bytes(*sum) {
            return Err(GameError::file("the network is damaged: its check sum is wrong"));
        }
        let mut network = SygoNetwork { blocks, rows: vec![PointChannels::zeroed(); rows(blocks)] };
        let places = network.rows.as_flattened_mut().iter_mut();
        for (place, bytes) in places.zip(numbers.as_chunks::<4>().0) {
            *place = f32::from_le_bytes(*bytes);
        }
        if network.rows.as_flattened().iter().any(|number| !number.is_finite()) {
            return Err(GameError::file("a parameter of the network is not finite"));
        }
        Ok(network)
    }

    /// The network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers: Vec<u8> =
            self.rows.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut bytes = MAGIC.to_vec();
        bytes.extend([self.blocks as u8, CHANNELS as u8, 0, 0]);
        bytes.extend(&numbers);
        bytes.extend(crc32fast::hash(&numbers).to_le_bytes());
        bytes
    }
}

/// Rows of a network of `blocks` blocks.
fn rows(blocks: usize) -> usize {
    TAPS + 1 + blocks * BLOCK_ROWS + HEAD_ROWS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_position;
    use crate::rules::position::SygoPosition;
    use crate::search::playout::PlayoutScratch;
    use kaeshi_core::simd::SimdLevel;
    use kaeshi_core::simd::dot::Dot;
    use kaeshi_core::simd::tiles::Tiles;

    #[test]
    fn a_file_is_read_as_written_and_damage_is_noticed() {
        let network = SygoNetwork::new(1, 7);
        let bytes = network.to_bytes();
        assert_eq!(SygoNetwork::from_bytes(&bytes).unwrap(), network);
        for (place, says) in
            [(0, "not a network"), (8, "do not fit"), (500, "damaged"), (bytes.len() - 1, "damaged")]
        {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            let said = SygoNetwork::from_bytes(&damaged).unwrap_err().to_string();
            assert!(said.contains(says), "byte {place}: {said}");
        }
        assert!(SygoNetwork::from_bytes(&bytes[..10]).is_err());
        assert!(SygoNetwork::of_file("no/such.bin".as_ref()).unwrap_err().reason().contains("no/such.bin: "));
    }

    const TEXTS: [&str; 3] =
        ["1w7/ww7/ww2b4/w3b4/2bbb4/2b6/9/2bbb4/9 w g 0 13", "4/1b2/2w1 w - 0 3", "3/1w1/3 b - 0 2"];

    fn bits(outputs: &Outputs) -> Vec<u32> {
        let points = outputs.grid.rows().flatten().flat_map(|cell| outputs.points[cell]);
        points.chain(outputs.whole).map(f32::to_bits).collect()
    }

    fn all_same(found: &[Vec<u32>]) -> bool {
        found.iter().all(|bits| *bits == found[0])
    }

    #[test]
    fn every_processor_finds_the_same() {
        let network = SygoNetwork::embedded();
        let quantized = QuantizedSygoNetwork::embedded();
        for text in TEXTS {
            let position = parse_position(text).expect(text);
            let size = position.board.size();
            let exact = SimdLevel::all().into_iter().map(|level| {
                let mut pass = SygoForwardPass::new(&network, size);
                pass.run_at(level, &network, &position);
                bits(&pass.outputs)
            });
            assert!(all_same(&exact.collect::<Vec<_>>()), "{text}");
            let ways = Dot::all().into_iter().flat_map(|dot| [(dot, false, None), (dot, true, None)]);
            let tiles = Tiles::detect().map(|tiles| (Dot::PORTABLE, false, Some(tiles)));
            let rounded = ways.chain(tiles).map(|(dot, winograd, tiles)| {
                let mut judge = QuantizedEvaluator::in_way(dot, winograd, tiles, size);
                judge.run(&quantized, &position);
                bits(&judge.outputs)
            });
            assert!(all_same(&rounded.collect::<Vec<_>>()), "{text}");
        }
    }

    #[test]
    fn blocks_that_are_added_change_nothing_at_first() {
        let network = SygoNetwork::new(1, 7);
        let deeper = network.deepened(3, 8);
        assert_eq!((deeper.blocks(), network.deepened(1, 8)), (3, network.clone()));
        for text in TEXTS {
            let position = parse_position(text).expect(text);
            let found = [&network, &deeper].map(|network| {
                let mut pass = SygoForwardPass::new(network, position.board.size());
                pass.run(network, &position);
                bits(&pass.outputs)
            });
            assert!(all_same(&found), "{text}");
        }
    }

    #[test]
    fn eight_bits_lose_little() {
        let (network, quantized) = (SygoNetwork::embedded(), QuantizedSygoNetwork::embedded());
        let mut random = PlayoutScratch::new(5);
        let (mut squares, mut count) = ([0.0; 2], 0.0);
        for game in 0..8 {
            let mut position = SygoPosition::new(5 + game);
            let size = position.board.size();
            let (mut pass, mut judge) = (SygoForwardPass::new(&network, size), QuantizedEvaluator::new(size));
            while !position.is_over() {
                pass.run(&network, &position);
                judge.run(&quantized, &position);
                let share = 1.0 / size.points() as f32;
                squares[0] += (pass.outputs.worth() - judge.outputs.worth()).powi(2);
                squares[1] += (share * (pass.outputs.margin() - judge.outputs.margin())).powi(2);
                count += 1.0;
                random.turn(&mut position);
            }
        }
        let errors = squares.map(|sum| (sum / count).sqrt());
        assert!(errors[0] < 0.03 && errors[1] < 0.02, "{errors:?}");
    }

    #[test]
    fn a_board_with_a_colour_everywhere_but_eyes_is_owned_by_it() {
        let position =
            parse_position("bbbbbbb/b1bbb1b/bbbbbbb/bbbbbbb/bbbbbbb/b1bbb1b/bbbbbbb b g 1 40").unwrap();
        let mut judge = QuantizedEvaluator::new(position.board.size());
        judge.run(&QuantizedSygoNetwork::embedded(), &position);
        let (margin, worth) = (judge.outputs.margin(), judge.outputs.worth());
        assert!(margin > 40.0 && worth > 0.8, "{margin} {worth}");
    }
}
