//! The weights of the pattern evaluation: stages, file format, value of a board.

use std::path::Path;
use std::sync::{Arc, LazyLock, OnceLock};

use crate::evaluate;
use crate::evaluate::network::{PatternNetwork, PatternNetworkParameters};
use crate::evaluate::pattern::{
    GEOMETRY, Indices, NAMES, SHAPES, WEIGHTS, first_instance, instances, offset,
};
use crate::evaluate::rice;
pub use crate::evaluate::stages::{STAGES, UNITS, stage};
use crate::rules::board::ReversiBoard;
use crate::rules::simd::{Isa, PortableIsa};
use kaeshi_core::files::{self, FileKind};
use kaeshi_core::game::GameError;
use kaeshi_core::mutex::Mutex;

const MAGIC: &[u8; 8] = b"KAESHIR2";
/// Files with a network.
const NETWORK_MAGIC: &[u8; 8] = b"KAESHIR3";
/// Files made before 2026-11-29 are compressed by LZ4, stage by stage.
const LZ4_MAGIC: &[u8; 8] = b"KAESHIR1";
/// Files made before 2026-11-23 hold the weights of this many shapes; the others are worth nothing then.
const FIRST_SHAPES: usize = 12;
/// The most bits that files leave out, because they are 0 in all weights.
const MOST_ZERO_BITS: u32 = 7;
/// Discs within which the network changes nearly all values: farther from the window it is not asked.
const NEAR: i32 = 5;

/// The values of one weight.
type WeightStages = [i16; STAGES];

/// The name of the hand-crafted evaluation in options and in files of games.
pub const HAND_LABEL: &str = "hand";

/// How a board is valued: by trained patterns, or by the hand-crafted terms where there are none.
#[derive(Clone, Debug)]
pub struct ReversiWeights {
    /// [`STAGES`] times [`WEIGHTS`] values, then [`PADDING`] zeros; empty for the hand-crafted evaluation.
    values: Box<[i16]>,
    /// The value of an even and an odd number of empty squares, by stage.
    parity: [[i16; 2]; STAGES],
    network: Option<PatternNetwork>,
    /// Whether they are those of the file inside this program.
    embedded: bool,
}

const EMBEDDED_FILE: &[u8] = include_bytes!("../../../../weights/reversi.bin");

/// The weights of [`EMBEDDED_FILE`], once they are unpacked.
static EMBEDDED: OnceLock<Arc<ReversiWeights>> = OnceLock::new();

impl ReversiWeights {
    /// The hand-crafted evaluation (HCE).
    pub fn by_hand() -> ReversiWeights {
        ReversiWeights { values: Box::default(), parity: [[0; 2]; STAGES], network: None, embedded: false }
    }

    /// The weights inside this program, unpacked once; the hand-crafted evaluation while there is no memory for them,
    /// or should they be damaged.
    pub fn usual() -> &'static ReversiWeights {
        static BY_HAND: LazyLock<ReversiWeights> = LazyLock::new(ReversiWeights::by_hand);
        match ReversiWeights::unpacked() {
            Ok(weights) => weights,
            Err(reason) => {
                log::error!("{reason}; the hand-crafted evaluation takes its place");
                &BY_HAND
            }
        }
    }

    /// The weights inside this program.
    ///
    /// # Errors
    /// There is no memory for them. A later call tries again.
    pub fn embedded() -> Result<Arc<ReversiWeights>, GameError> {
        ReversiWeights::unpacked().map(Arc::clone)
    }

    fn unpacked() -> Result<&'static Arc<ReversiWeights>, GameError> {
        static UNPACKING: Mutex<()> = Mutex::new(());
        if let Some(weights) = EMBEDDED.get() {
            return Ok(weights);
        }
        // One thread at a time: two could both take the memory that is left.
        let _unpacking = UNPACKING.lock();
        match EMBEDDED.get() {
            Some(weights) => Ok(weights),
            None => {
                let weights = Arc::new(ReversiWeights::from_bytes(EMBEDDED_FILE)?);
                Ok(EMBEDDED.get_or_init(|| weights))
            }
        }
    }

    /// The evaluation with this name: a file, `embedded`, or `hand` for the hand-crafted one.
    ///
    /// # Errors
    /// There is no such file, or it does not hold weights.
    pub fn named(name: &str) -> Result<Arc<ReversiWeights>, GameError> {
        match name {
            "embedded" => ReversiWeights::embedded(),
            HAND_LABEL => Ok(Arc::new(ReversiWeights::by_hand())),
            file => ReversiWeights::read(file.as_ref()).map(Arc::new),
        }
    }

    /// Reads a file that [`ReversiWeights::to_bytes`] made.
    pub fn read(path: &Path) -> Result<ReversiWeights, GameError> {
        let bytes = files::read(path, FileKind::WEIGHTS)
            .map_err(|error| GameError::file(format!("{}: {error}", path.display())))?;
        ReversiWeights::from_bytes(&bytes).map_err(|error| error.with_context(path.display()))
    }

    /// Weights from trained values in discs: for each stage [`WEIGHTS`] canonical values (others
    /// are ignored) and the two of parity.
    pub fn from_discs(stages: &[(Vec<f32>, [f32; 2])]) -> ReversiWeights {
        let unit = |discs: f32| (discs * UNITS as f32).round().clamp(-32_000.0, 32_000.0) as i16;
        let mut values = vec![0; STAGES * WEIGHTS + PADDING].into_boxed_slice();
        let mut parity = [[0; 2]; STAGES];
        for ((stage, weights), parity) in stages.iter().zip(values.chunks_mut(WEIGHTS)).zip(&mut parity) {
            for (value, &canonical) in weights.iter_mut().zip(&GEOMETRY.canonical) {
                *value = unit(stage.0[canonical as usize]);
            }
            *parity = stage.1.map(unit);
        }
        ReversiWeights { values, parity, network: None, embedded: false }
    }

    /// The same weights with this network, or without any.
    pub fn with_network(self, network: Option<PatternNetwork>) -> ReversiWeights {
        ReversiWeights { network, embedded: false, ..self }
    }

    /// The same weights rounded to multiples of two to the power of `bits`, so that files of them are smaller.
    pub fn rounded(mut self, bits: u32) -> ReversiWeights {
        self.embedded = false;
        let most = i32::from(i16::MAX) >> bits << bits;
        for value in self.values.iter_mut().chain(self.parity.as_flattened_mut()) {
            *value = ((i32::from(*value) + (1 << bits >> 1)) >> bits << bits).min(most) as i16;
        }
        self
    }

    /// The network whose value is added.
    pub fn network(&self) -> Option<&PatternNetwork> {
        self.network.as_ref()
    }

    /// The weights of a stage in discs, and its two of parity: what [`ReversiWeights::from_discs`] takes.
    pub fn discs(&self, stage: usize) -> (Vec<f32>, [f32; 2]) {
        let discs = |unit: i16| f32::from(unit) / UNITS as f32;
        let weights = self.values[stage * WEIGHTS..(stage + 1) * WEIGHTS].iter();
        (weights.map(|&unit| discs(unit)).collect(), self.parity[stage].map(discs))
    }

    /// Header, checksum of the rest, number of weights, and the stages of the two weights of parity and of each
    /// canonical one, compressed. With a network, two numbers stand before the compressed bytes and the network behind:
    /// by which power of two the weights are divided, and how many compressed bytes there are.
    pub fn to_bytes(&self) -> Vec<u8> {
        let parity = (0..2).map(|odd| self.parity.map(|parity| parity[odd]));
        let free = free_weights();
        let weights =
            free.iter().map(|&index| std::array::from_fn(|stage| self.values[stage * WEIGHTS + index]));
        let mut body = (free.len() as u32 + 2).to_le_bytes().to_vec();
        let weights = parity.chain(weights);
        let magic = match &self.network {
            Some(network) => {
                let bits = self.zero_bits();
                let packed =
                    rice::compress(weights.map(|stages: WeightStages| stages.map(|value| value >> bits)));
                body.push(bits as u8);
                body.extend((packed.len() as u32).to_le_bytes());
                body.extend(packed);
                body.extend(network.parameters().to_bytes());
                NETWORK_MAGIC
            }
            None => {
                body.extend(rice::compress(weights));
                MAGIC
            }
        };
        let mut bytes = magic.to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// How many of the lowest bits are 0 in all weights, at most [`MOST_ZERO_BITS`].
    fn zero_bits(&self) -> u32 {
        let all = self.values.iter().chain(self.parity.as_flattened()).fold(0, |all, &value| all | value);
        all.trailing_zeros().min(MOST_ZERO_BITS)
    }

    fn from_bytes(bytes: &[u8]) -> Result<ReversiWeights, GameError> {
        let bad = || GameError::file("no weights of Reversi, or damaged ones");
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or_else(bad)?;
        let (sum, body) = rest.split_first_chunk::<4>().ok_or_else(bad)?;
        let (length, packed) = body.split_first_chunk::<4>().ok_or_else(bad)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(bad());
        }
        let length = u32::from_le_bytes(*length) as usize;
        // The length is checked before memory of that size is taken.
        let free = free_weights();
        let mut network = None;
        let weights = match magic {
            MAGIC if length == free.len() + 2 => rice::decompress(packed, length)?,
            NETWORK_MAGIC if length == free.len() + 2 => {
                let (&[bits], rest) = packed.split_first_chunk().ok_or_else(bad)?;
                let (size, rest) = rest.split_first_chunk::<4>().ok_or_else(bad)?;
                let packed = rest.split_at_checked(u32::from_le_bytes(*size) as usize);
                let (packed, rest) = packed.ok_or_else(bad)?;
                let parameters = PatternNetworkParameters::from_bytes(rest)?.ok_or_else(bad)?;
                network = Some(PatternNetwork::new(parameters)?);
                rice::decompress(packed, length)?.and_then(|weights| multiplied(weights, bits))
            }
            LZ4_MAGIC => decompress_lz4(packed, length, &free),
            _ => None,
        };
        let weights = weights.ok_or_else(bad)?;
        let (parity, weights) = weights.split_first_chunk::<2>().ok_or_else(bad)?;
        let mut values = bytemuck::try_zeroed_slice_box::<i16>(STAGES * WEIGHTS + PADDING)
            .map_err(|()| rice::no_memory())?;
        for (&index, weight) in free.iter().zip(weights) {
            for (stage, &value) in weight.iter().enumerate() {
                values[stage * WEIGHTS + index] = value;
            }
        }
        for values in values.chunks_mut(WEIGHTS).take(STAGES) {
            for (i, &canonical) in GEOMETRY.canonical.iter().enumerate() {
                values[i] = values[canonical as usize];
            }
        }
        let parity = std::array::from_fn(|stage| [parity[0][stage], parity[1][stage]]);
        Ok(ReversiWeights { values, parity, network, embedded: bytes == EMBEDDED_FILE })
    }

    /// A text that identifies the weights: `hand`, or a checksum.
    pub fn label(&self) -> String {
        if self.is_by_hand() {
            return HAND_LABEL.to_owned();
        }
        let mut sum = crc32fast::Hasher::new();
        sum.update(bytemuck::cast_slice(&self.values[..STAGES * WEIGHTS]));
        sum.update(bytemuck::cast_slice(self.parity.as_flattened()));
        if let Some(network) = &self.network {
            sum.update(&network.parameters().to_bytes());
        }
        format!("{:08x}", sum.finalize())
    }

    /// Whether they are those inside this program, or were read from a copy of their file.
    pub fn is_embedded(&self) -> bool {
        self.embedded
    }

    /// Whether this is the hand-crafted evaluation.
    pub fn is_by_hand(&self) -> bool {
        self.values.is_empty()
    }

    /// The terms of the value in discs, for people.
    pub fn terms(&self, board: ReversiBoard) -> Vec<(&'static str, f64)> {
        if self.values.is_empty() {
            let terms = evaluate::terms(board);
            return terms.iter().map(|term| (term.name, f64::from(term.value) / 100.0)).collect();
        }
        let indices = Indices::new(board);
        let stage = stage(board.empties());
        let discs = |units: i32| f64::from(units) / f64::from(UNITS);
        let mut terms: Vec<(&str, f64)> = NAMES.iter().map(|&name| (name, 0.0)).collect();
        for (instance, &shape) in GEOMETRY.shape.iter().enumerate() {
            let at = stage * WEIGHTS + GEOMETRY.offset[instance] + indices.get(instance);
            terms[usize::from(shape)].1 += discs(i32::from(self.values[at]));
        }
        let parity = self.parity[stage][(board.empties() & 1) as usize];
        terms.push(("parity", discs(i32::from(parity))));
        if let Some(network) = &self.network {
            terms.push(("network", discs(network.value(PortableIsa, stage, &indices))));
        }
        terms
    }

    /// Value for the side to move in [`UNITS`] of a disc, within the board.
    pub fn value(&self, board: ReversiBoard, indices: &Indices) -> i32 {
        self.value_near(PortableIsa, board, indices, (-64, 64))
    }

    /// [`ReversiWeights::value`] if the value of the patterns lies in or near this window in discs, otherwise the value
    /// of the patterns alone.
    #[inline(always)]
    pub fn value_near<I: Isa>(
        &self,
        isa: I,
        board: ReversiBoard,
        indices: &Indices,
        (alpha, beta): (i32, i32),
    ) -> i32 {
        let value = self.pattern_value(board, indices);
        let Some(network) = &self.network else { return value };
        if value < (alpha - NEAR) * UNITS || value > (beta + NEAR) * UNITS {
            return value;
        }
        let value = value + network.value(isa, stage(board.empties()), indices);
        value.clamp(-63 * UNITS, 63 * UNITS)
    }

    /// The value of the patterns alone for the side to move, in [`UNITS`] of a disc, within the board.
    #[inline(always)]
    pub fn pattern_value(&self, board: ReversiBoard, indices: &Indices) -> i32 {
        if self.values.is_empty() {
            return evaluate::evaluate(board) * UNITS / 100;
        }
        let empties = board.empties();
        let stage = stage(empties);
        let weights: &StageWeights =
            self.values[stage * WEIGHTS..].first_chunk().expect("a stage and padding");
        let parity = i32::from(self.parity[stage][(empties & 1) as usize]);
        // Each is code without a loop, with offsets known to the compiler.
        let shapes: [i32; SHAPES] = [
            sum_of::<0>(weights, indices),
            sum_of::<1>(weights, indices),
            sum_of::<2>(weights, indices),
            sum_of::<3>(weights, indices),
            sum_of::<4>(weights, indices),
            sum_of::<5>(weights, indices),
            sum_of::<6>(weights, indices),
            sum_of::<7>(weights, indices),
            sum_of::<8>(weights, indices),
            sum_of::<9>(weights, indices),
            sum_of::<10>(weights, indices),
            sum_of::<11>(weights, indices),
            sum_of::<12>(weights, indices),
            sum_of::<13>(weights, indices),
            sum_of::<14>(weights, indices),
        ];
        let sum = parity + shapes.iter().sum::<i32>();
        sum.clamp(-63 * UNITS, 63 * UNITS)
    }
}

/// The indices of the weights that a file holds: of symmetric ones one.
fn free_weights() -> Vec<usize> {
    (0..WEIGHTS).filter(|&index| GEOMETRY.canonical[index] as usize == index).collect()
}

/// The weights times two to the power of `bits`, if that is possible.
fn multiplied(mut weights: Vec<WeightStages>, bits: u8) -> Option<Vec<WeightStages>> {
    if u32::from(bits) > MOST_ZERO_BITS {
        return None;
    }
    for value in weights.as_flattened_mut() {
        *value = value.checked_mul(1 << bits)?;
    }
    Some(weights)
}

/// The weights in a file of the former form: for each stage the low bytes of all values, then the high ones.
fn decompress_lz4(packed: &[u8], length: usize, free: &[usize]) -> Option<Vec<WeightStages>> {
    let first = free.partition_point(|&index| index < offset(FIRST_SHAPES));
    let size = |count: usize| STAGES * count * 2;
    let count = [free.len() + 2, first + 2].into_iter().find(|&count| size(count) == length)?;
    let raw = lz4_flex::decompress(packed, length).ok().filter(|raw| raw.len() == length)?;
    let value = |stage: usize, index: usize| {
        let low = 2 * stage * count + index;
        i16::from_le_bytes([raw[low], raw[low + count]])
    };
    Some((0..count).map(|index| std::array::from_fn(|stage| value(stage, index))).collect())
}

/// Values behind those of the last stage, so that no index of 16 bits leads out of [`StageWeights`].
const PADDING: usize = offset(SHAPES - 1) + (1 << 16) - WEIGHTS;
/// The weights of a stage and what follows them.
type StageWeights = [i16; WEIGHTS + PADDING];

/// The weights of all instances of a shape together.
#[inline(always)]
fn sum_of<const SHAPE: usize>(weights: &StageWeights, indices: &Indices) -> i32 {
    let first = const { first_instance(SHAPE) };
    let mut sum = 0;
    for instance in first..first + const { instances(SHAPE) } {
        sum += i32::from(weights[const { offset(SHAPE) } + indices.get(instance)]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::network::some_network;
    use crate::evaluate::pattern::INSTANCES;
    use crate::rules::board::symmetric;
    use crate::rules::simd::{self, IsaJob};
    use crate::search::endgame::tests::random_board;

    fn some_weights() -> ReversiWeights {
        let mut seed = 7u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as f32 / 65_536.0 - 0.5
        };
        let stages: Vec<(Vec<f32>, [f32; 2])> =
            (0..STAGES).map(|_| ((0..WEIGHTS).map(|_| next()).collect(), [next(), next()])).collect();
        ReversiWeights::from_discs(&stages)
    }

    #[test]
    fn weights_survive_their_file() {
        let weights = some_weights();
        let bytes = weights.to_bytes();
        let read = ReversiWeights::from_bytes(&bytes).expect("what was written");
        assert!(read.values == weights.values && read.parity == weights.parity);
        for at in [0, 9, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(ReversiWeights::from_bytes(&damaged).is_err(), "byte {at}");
        }
        assert!(
            ReversiWeights::from_bytes(&bytes[..50]).is_err() && ReversiWeights::from_bytes(&[]).is_err()
        );
    }

    fn with_a_network() -> ReversiWeights {
        let network = PatternNetwork::new(some_network(5)).expect("possible numbers");
        some_weights().rounded(2).with_network(Some(network))
    }

    #[test]
    fn weights_with_a_network_survive_their_file() {
        let weights = with_a_network();
        let bytes = weights.to_bytes();
        let read = ReversiWeights::from_bytes(&bytes).expect("what was written");
        assert!(read.values == weights.values && read.parity == weights.parity);
        let parameters =
            |weights: &ReversiWeights| weights.network().map(|network| network.parameters().clone());
        assert!(parameters(&read).is_some() && parameters(&read) == parameters(&weights));
        assert_eq!(read.label(), weights.label());
        assert_ne!(weights.with_network(None).label(), read.label());
        for at in [0, 9, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(ReversiWeights::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_right_checksum_does_not_make_a_wrong_network_right() {
        let whole = with_a_network().to_bytes();
        let with = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut body = whole[12..].to_vec();
            change(&mut body);
            [&NETWORK_MAGIC[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
        };
        assert!(ReversiWeights::from_bytes(&with(&|_| ())).is_ok());
        for length in [4, 5, 9, 100, whole.len() - 13] {
            assert!(ReversiWeights::from_bytes(&with(&|body| body.truncate(length))).is_err(), "{length}");
        }
        assert!(ReversiWeights::from_bytes(&with(&|body| body.push(0))).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[4] = 255)).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[4] += 6)).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[5..9].fill(255))).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[5] ^= 1)).is_err());
    }

    #[test]
    fn the_network_counts_near_the_window_and_not_far_from_it() {
        struct Near<'a>(&'a ReversiWeights, ReversiBoard, (i32, i32));
        impl IsaJob for Near<'_> {
            type Output = i32;
            #[inline(always)]
            fn run<I: Isa>(self, isa: I) -> i32 {
                self.0.value_near(isa, self.1, &Indices::new(self.1), self.2)
            }
        }
        let weights = with_a_network();
        let mut seed = 21;
        for empties in [9, 25, 44] {
            let board = random_board(&mut seed, empties).expect("a game that goes on");
            let indices = Indices::new(board);
            let patterns = weights.pattern_value(board, &indices);
            let whole = weights.value(board, &indices);
            assert_ne!(whole, patterns);
            let discs = patterns / UNITS;
            for level in simd::levels() {
                let value = |window| simd::run(level, Near(&weights, board, window));
                assert_eq!(value((discs, discs + 1)), whole);
                assert_eq!(value((discs + NEAR + 2, discs + NEAR + 3)), patterns);
                assert_eq!(value((discs - NEAR - 3, discs - NEAR - 2)), patterns);
            }
        }
    }

    #[test]
    fn rounded_weights_are_the_nearest_multiples() {
        let mut weights = some_weights();
        weights.values[..2].copy_from_slice(&[i16::MAX - 1, i16::MIN]);
        let rounded = weights.clone().rounded(3);
        assert_eq!(rounded.values[..2], [i16::MAX - 7, i16::MIN], "the next multiple would not fit");
        for (before, after) in weights.values.iter().zip(&rounded.values).skip(2) {
            assert!(after % 8 == 0 && before.abs_diff(*after) <= 4, "{before} {after}");
        }
    }

    #[test]
    fn a_right_checksum_does_not_make_wrong_weights_right() {
        let whole = some_weights().to_bytes();
        let with = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut body = whole[12..].to_vec();
            change(&mut body);
            [&MAGIC[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
        };
        assert!(ReversiWeights::from_bytes(&with(&|_| ())).is_ok());
        assert!(ReversiWeights::from_bytes(&with(&|body| body.truncate(4))).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body.push(0))).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[0] ^= 1)).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[..4].fill(255))).is_err());
        assert!(ReversiWeights::from_bytes(&with(&|body| body[4..].fill(255))).is_err());
    }

    /// A file of the former form with the first `weights` of each stage.
    fn lz4_file(weights: &ReversiWeights, count: usize) -> Vec<u8> {
        let mut raw = Vec::new();
        for (values, parity) in weights.values.chunks(WEIGHTS).zip(&weights.parity) {
            let free = free_weights().into_iter().filter(|&index| index < count).map(|index| values[index]);
            let all: Vec<[u8; 2]> = parity.iter().copied().chain(free).map(i16::to_le_bytes).collect();
            raw.extend(all.iter().map(|bytes| bytes[0]));
            raw.extend(all.iter().map(|bytes| bytes[1]));
        }
        let body = lz4_flex::compress_prepend_size(&raw);
        [&LZ4_MAGIC[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat()
    }

    #[test]
    fn files_of_the_former_form_are_read() {
        let weights = some_weights();
        let bytes = lz4_file(&weights, WEIGHTS);
        let read = ReversiWeights::from_bytes(&bytes).expect("what was written before");
        assert!(read.values == weights.values && read.parity == weights.parity);
        assert!(ReversiWeights::from_bytes(&bytes[..bytes.len() - 9]).is_err());
    }

    #[test]
    fn files_with_fewer_shapes_are_read() {
        let weights = some_weights();
        let first = offset(FIRST_SHAPES);
        let read = ReversiWeights::from_bytes(&lz4_file(&weights, first)).expect("what was written before");
        assert_eq!(read.parity, weights.parity);
        for (read, written) in read.values.chunks_exact(WEIGHTS).zip(weights.values.chunks_exact(WEIGHTS)) {
            assert!(read[..first] == written[..first]);
            assert!(read[first..].iter().all(|&value| value == 0));
        }
    }

    #[test]
    fn symmetric_boards_have_the_same_value() {
        let weights = with_a_network();
        let mut seed = 3;
        for empties in [4, 20, 41] {
            let board = random_board(&mut seed, empties).expect("a game that goes on");
            let value = weights.value(board, &Indices::new(board));
            for s in 1..8 {
                let mirrored =
                    ReversiBoard { me: symmetric(board.me, s), opponent: symmetric(board.opponent, s) };
                assert_eq!(weights.value(mirrored, &Indices::new(mirrored)), value);
            }
        }
    }

    #[test]
    fn a_value_is_the_sum_of_its_terms() {
        let weights = with_a_network();
        let mut seed = 11;
        for empties in [4, 12, 33, 50] {
            let board = random_board(&mut seed, empties).expect("a game that goes on");
            let terms: f64 = weights.terms(board).iter().map(|(_, value)| value).sum();
            let value = weights.value(board, &Indices::new(board));
            assert!((terms * f64::from(UNITS) - f64::from(value)).abs() < 1e-6, "{terms} {value}");
        }
    }

    #[test]
    fn the_offsets_agree_with_the_geometry() {
        for shape in 0..SHAPES {
            let instances = first_instance(shape)..first_instance(shape + 1);
            assert!(GEOMETRY.offset[instances].iter().all(|begin| *begin == offset(shape)), "shape {shape}");
        }
        assert_eq!(first_instance(SHAPES), INSTANCES);
    }

    #[test]
    fn the_embedded_weights_are_whole() {
        let weights = ReversiWeights::embedded().expect("the weights inside this program");
        assert!(weights.to_bytes() == EMBEDDED_FILE, "the program would write them otherwise");
    }
}
