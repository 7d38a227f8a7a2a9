//! A small network over the patterns, whose output is added to the value of the pattern weights.
//!
//! The pattern weights value each pattern by itself; the network adds the interaction of patterns. It is "efficiently
//! updatable" (Nasu, "NNUE", 2018) in that the contents of patterns select rows of weights:
//!
//! | layer | made of |
//! |---|---|
//! | [`HIDDEN`] units, clipped to 0 to 1 and squared (SCReLU) | the sum of a row for each instance of [`NETWORK_SHAPES`], and biases by stage |
//! | [`SECOND`] units, clipped to 0 to 64 (ReLU) | products with the hidden units, by stage |
//! | the value in discs for the side to move | products with both layers, by stage |
//!
//! All numbers are integers, so every processor finds the same value: hidden units are in 1/[`UNIT`], their squares and
//! the second layer in 1/[`ACTIVE`], weights of the layers in 1/[`LAYER_WEIGHT`], of the output in 1/[`OUTPUT_WEIGHT`]
//! disc.

use super::pattern::{GEOMETRY, Indices, first_instance, instances, length, offset};
use super::rice;
use super::stages::{STAGES, UNITS};
use crate::rules::simd::Isa;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::Aligned;
use kaeshi_core::simd::dot::{COLUMN, Dot};

/// Hidden units.
pub const HIDDEN: usize = 32;
/// Units of the second layer.
pub const SECOND: usize = 16;
/// The shapes that the network sees: those of at most nine squares, and the edge with both X-squares.
pub const NETWORK_SHAPES: [usize; 10] = [0, 2, 4, 5, 6, 7, 8, 9, 10, 11];

/// A fully active hidden unit.
pub const UNIT: i32 = 255;
/// The square of a fully active hidden unit, and one in the second layer.
pub const ACTIVE: i32 = 127;
/// A weight of one in the second layer.
pub const LAYER_WEIGHT: i32 = 1 << LAYER_BITS;
/// An output weight of one disc.
pub const OUTPUT_WEIGHT: i32 = 2 * UNITS;
/// The largest output weight.
pub const OUTPUT_LIMIT: i16 = 8_191;
/// The largest bias of a layer.
pub const BIAS_LIMIT: i32 = 1 << 24;
/// Squares of hidden units are divided by two to this power.
const SQUARE_BITS: u32 = 9;
const LAYER_BITS: u32 = 5;
/// The largest unit of the second layer.
const SECOND_LIMIT: i32 = 64 * ACTIVE;
const _: () = assert!((UNIT * UNIT) >> SQUARE_BITS == ACTIVE);
// `Isa::add_bytes` and `Isa::clipped_squares` rely on these numbers.
const _: () = assert!(HIDDEN == 32 && UNIT == 255 && SQUARE_BITS == 9);
// The sums of rows, biases among them, and the sum of the output fit in their numbers.
const _: () = assert!(MOST_ROWS as i32 * 128 + 2 * UNIT < i16::MAX as i32);
const _: () = assert!(
    (SECOND as i32 * SECOND_LIMIT + HIDDEN as i32 * ACTIVE) as i64 * OUTPUT_LIMIT as i64
        + (BIAS_LIMIT as i64)
        < i32::MAX as i64
);
/// Rows that are summed up for a board.
pub const MOST_ROWS: usize = 38;

/// The weights of a content of a pattern.
pub type NetworkRow = [i8; HIDDEN];

/// The layers of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkHead {
    /// Biases of the hidden units, at most 2 * [`UNIT`].
    pub biases: [i16; HIDDEN],
    /// For each unit of the second layer the weights of the hidden units.
    pub layer: [[i8; HIDDEN]; SECOND],
    /// Biases of the second layer, in 1/([`ACTIVE`] * [`LAYER_WEIGHT`]).
    pub layer_biases: [i32; SECOND],
    /// Output weights of the second layer.
    pub output: [i16; SECOND],
    /// Output weights of the hidden units.
    pub shortcut: [i16; HIDDEN],
    /// Bias of the output, in 1/([`ACTIVE`] * [`OUTPUT_WEIGHT`]).
    pub bias: i32,
}

/// The numbers of a network as files hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternNetworkParameters {
    /// One for each of [`FREE_CONTENTS`].
    pub rows: Vec<NetworkRow>,
    /// One for each stage.
    pub heads: Vec<NetworkHead>,
}

/// A network ready to value boards.
#[derive(Clone, Debug)]
pub struct PatternNetwork {
    parameters: PatternNetworkParameters,
    /// The row of every content, shape by shape.
    rows: Aligned<i8>,
    /// For each stage the weights of the second layer in the order of [`kaeshi_core::simd::dot`].
    layers: Vec<Aligned<i8>>,
    dot: Dot,
}

/// Contents of the shapes before the one at `place` of [`NETWORK_SHAPES`].
const fn contents_before(place: usize) -> usize {
    let (mut sum, mut before) = (0, 0);
    while before < place {
        sum += 3usize.pow(length(NETWORK_SHAPES[before]) as u32);
        before += 1;
    }
    sum
}

/// Contents of all shapes together.
const CONTENTS: usize = contents_before(NETWORK_SHAPES.len());

/// Contents that files hold a row of: of mirrored ones one.
pub const FREE_CONTENTS: usize = 54_828;

/// Which of [`FREE_CONTENTS`] rows each instance uses.
#[derive(Debug)]
pub struct NetworkContents {
    /// The number of each content's row.
    numbers: Vec<u32>,
}

impl Default for NetworkContents {
    fn default() -> NetworkContents {
        let mut numbers: Vec<u32> = Vec::with_capacity(CONTENTS);
        let mut free = 0;
        for (place, &shape) in NETWORK_SHAPES.iter().enumerate() {
            let (before, offset) = (contents_before(place), offset(shape));
            for content in 0..contents_before(place + 1) - before {
                // The smaller one of mirrored contents stands for both.
                let canonical = GEOMETRY.canonical[offset + content] as usize - offset;
                if canonical == content {
                    numbers.push(free);
                    free += 1;
                } else {
                    numbers.push(numbers[before + canonical]);
                }
            }
        }
        NetworkContents { numbers }
    }
}

impl NetworkContents {
    /// Shows the number of the row of each instance of a board.
    #[inline(always)]
    pub fn visit(&self, indices: &Indices, mut row: impl FnMut(usize)) {
        for (place, &shape) in NETWORK_SHAPES.iter().enumerate() {
            let before = contents_before(place);
            for instance in first_instance(shape)..first_instance(shape) + instances(shape) {
                row(self.numbers[before + indices.get(instance)] as usize);
            }
        }
    }
}

impl PatternNetworkParameters {
    /// Refuses numbers that are too few, too many, or so large that a sum could overflow.
    fn is_possible(&self) -> bool {
        let heads = |head: &NetworkHead| {
            head.biases.iter().all(|&bias| i32::from(bias).abs() <= 2 * UNIT)
                && head
                    .layer_biases
                    .iter()
                    .chain([&head.bias])
                    .all(|bias| bias.unsigned_abs() <= BIAS_LIMIT as u32)
                && head
                    .output
                    .iter()
                    .chain(&head.shortcut)
                    .all(|weight| weight.unsigned_abs() <= OUTPUT_LIMIT.unsigned_abs())
        };
        self.rows.len() == FREE_CONTENTS && self.heads.len() == STAGES && self.heads.iter().all(heads)
    }

    /// The number of bytes of the rows, the rows compressed, and the heads.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let rows = rice::compress_rows(&self.rows);
        let mut bytes = (rows.len() as u32).to_le_bytes().to_vec();
        bytes.extend(rows);
        for head in &self.heads {
            let shorts = head.biases.iter().chain(&head.output).chain(&head.shortcut);
            bytes.extend(shorts.flat_map(|number| number.to_le_bytes()));
            bytes
                .extend(head.layer_biases.iter().chain([&head.bias]).flat_map(|number| number.to_le_bytes()));
            bytes.extend(head.layer.as_flattened().iter().map(|&weight| weight as u8));
        }
        bytes
    }

    /// Reads the bytes that [`PatternNetworkParameters::to_bytes`] wrote; `None` for other bytes.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Option<PatternNetworkParameters>, GameError> {
        let parts = bytes
            .split_first_chunk::<4>()
            .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
        let Some((rows, heads)) = parts else { return Ok(None) };
        let rows = rice::decompress_rows(rows, FREE_CONTENTS)?;
        Ok(rows
            .zip(PatternNetworkParameters::heads(heads))
            .map(|(rows, heads)| PatternNetworkParameters { rows, heads }))
    }

    /// The heads from their bytes; `None` if these are others.
    fn heads(mut rest: &[u8]) -> Option<Vec<NetworkHead>> {
        let mut heads = Vec::new();
        for _ in 0..STAGES {
            let mut head = NetworkHead::ZERO;
            for number in head.biases.iter_mut().chain(&mut head.output).chain(&mut head.shortcut) {
                *number = i16::from_le_bytes(*take(&mut rest)?);
            }
            for number in head.layer_biases.iter_mut().chain([&mut head.bias]) {
                *number = i32::from_le_bytes(*take(&mut rest)?);
            }
            for weight in head.layer.as_flattened_mut() {
                *weight = i8::from_le_bytes(*take(&mut rest)?);
            }
            heads.push(head);
        }
        rest.is_empty().then_some(heads)
    }
}

fn take<'a, const COUNT: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; COUNT]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(first)
}

impl NetworkHead {
    /// All weights 0.
    pub const ZERO: NetworkHead = NetworkHead {
        biases: [0; HIDDEN],
        layer: [[0; HIDDEN]; SECOND],
        layer_biases: [0; SECOND],
        output: [0; SECOND],
        shortcut: [0; HIDDEN],
        bias: 0,
    };
}

/// Sums that begin at a cache line, which [`Dot::add`] wants.
#[repr(align(64))]
struct SecondSums([i32; SECOND]);

impl PatternNetwork {
    /// A network with these numbers.
    ///
    /// # Errors
    /// Numbers that are too few, too many, or so large that a sum could overflow; no memory for the network.
    pub fn new(parameters: PatternNetworkParameters) -> Result<PatternNetwork, GameError> {
        if !parameters.is_possible() {
            return Err(GameError::file("a network of Reversi with impossible numbers"));
        }
        let mut rows = Aligned::try_zeros(CONTENTS * HIDDEN + PADDING).ok_or_else(rice::no_memory)?;
        let contents = NetworkContents::default();
        for (row, &number) in rows.get_mut().chunks_exact_mut(HIDDEN).zip(&contents.numbers) {
            row.copy_from_slice(&parameters.rows[number as usize]);
        }
        let layers = parameters.heads.iter().map(|head| {
            let mut layer = Aligned::zeros(HIDDEN * SECOND);
            for (unit, weights) in head.layer.iter().enumerate() {
                for (input, &weight) in weights.iter().enumerate() {
                    layer.get_mut()[(input / COLUMN * SECOND + unit) * COLUMN + input % COLUMN] = weight;
                }
            }
            layer
        });
        Ok(PatternNetwork { layers: layers.collect(), rows, dot: Dot::best(), parameters })
    }

    /// Its parameters.
    pub fn parameters(&self) -> &PatternNetworkParameters {
        &self.parameters
    }

    /// Its output for the side to move, in [`UNITS`] of a disc, to be added to the value of the patterns.
    #[inline(always)]
    pub fn value<I: Isa>(&self, isa: I, stage: usize, indices: &Indices) -> i32 {
        let rows: &NetworkRows = self.rows.get().first_chunk().expect("all rows and padding");
        let head = &self.parameters.heads[stage];
        let mut units = head.biases;
        // Each is code without a loop, with offsets known to the compiler.
        add_rows::<I, 0>(isa, rows, indices, &mut units);
        add_rows::<I, 1>(isa, rows, indices, &mut units);
        add_rows::<I, 2>(isa, rows, indices, &mut units);
        add_rows::<I, 3>(isa, rows, indices, &mut units);
        add_rows::<I, 4>(isa, rows, indices, &mut units);
        add_rows::<I, 5>(isa, rows, indices, &mut units);
        add_rows::<I, 6>(isa, rows, indices, &mut units);
        add_rows::<I, 7>(isa, rows, indices, &mut units);
        add_rows::<I, 8>(isa, rows, indices, &mut units);
        add_rows::<I, 9>(isa, rows, indices, &mut units);
        let active = isa.clipped_squares(&units);
        let mut sums = SecondSums(head.layer_biases);
        self.dot.add(&self.layers[stage].get()[..HIDDEN * SECOND], &active, &mut sums.0);
        let mut value = head.bias;
        for (sum, weight) in sums.0.iter().zip(&head.output) {
            value += (sum >> LAYER_BITS).clamp(0, SECOND_LIMIT) * i32::from(*weight);
        }
        for (unit, weight) in active.iter().zip(&head.shortcut) {
            value += i32::from(*unit) * i32::from(*weight);
        }
        value / (ACTIVE * OUTPUT_WEIGHT / UNITS)
    }
}

/// Bytes behind the last row, so that no index of 16 bits leads out of [`NetworkRows`].
const PADDING: usize = (contents_before(NETWORK_SHAPES.len() - 1) + (1 << 16) - CONTENTS) * HIDDEN;
/// All rows, and what follows them.
type NetworkRows = [i8; CONTENTS * HIDDEN + PADDING];

/// Adds the rows of all instances of a shape.
#[inline(always)]
fn add_rows<I: Isa, const PLACE: usize>(
    isa: I,
    rows: &NetworkRows,
    indices: &Indices,
    units: &mut [i16; HIDDEN],
) {
    let first = const { first_instance(NETWORK_SHAPES[PLACE]) };
    for instance in first..first + const { instances(NETWORK_SHAPES[PLACE]) } {
        let row = const { contents_before(PLACE) } + indices.get(instance);
        isa.add_bytes(units, rows[row * HIDDEN..].first_chunk().expect("a whole row"));
    }
}

/// A network of small random numbers.
#[cfg(test)]
pub(super) fn some_network(seed: u32) -> PatternNetworkParameters {
    let mut state = seed;
    let mut next = move |bound: i32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as i32 % (2 * bound + 1) - bound
    };
    let mut row = || std::array::from_fn(|_| next(20) as i8);
    let rows = (0..FREE_CONTENTS).map(|content| if content % 3 == 0 { [0; HIDDEN] } else { row() }).collect();
    let head = |_| NetworkHead {
        biases: std::array::from_fn(|_| 100 + next(50) as i16),
        layer: std::array::from_fn(|_| std::array::from_fn(|_| next(40) as i8)),
        layer_biases: std::array::from_fn(|_| next(4_000)),
        output: std::array::from_fn(|_| next(300) as i16),
        shortcut: std::array::from_fn(|_| next(300) as i16),
        bias: next(20_000),
    };
    PatternNetworkParameters { rows, heads: (0..STAGES).map(head).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::stages::stage;
    use crate::rules::simd::{self, IsaJob};
    use crate::search::endgame::tests::random_board;

    /// The value by the definition, without any care for speed.
    fn reference(parameters: &PatternNetworkParameters, stage: usize, indices: &Indices) -> i32 {
        let head = &parameters.heads[stage];
        let mut units = head.biases.map(i32::from);
        NetworkContents::default().visit(indices, |row| {
            units
                .iter_mut()
                .zip(&parameters.rows[row])
                .for_each(|(unit, &weight)| *unit += i32::from(weight));
        });
        let active = units.map(|unit| unit.clamp(0, UNIT).pow(2) >> SQUARE_BITS);
        let shortcut =
            active.iter().zip(&head.shortcut).map(|(unit, &weight)| unit * i32::from(weight)).sum::<i32>();
        let second =
            head.layer.iter().zip(&head.layer_biases).zip(&head.output).map(|((layer, bias), &weight)| {
                let sum = bias
                    + layer.iter().zip(&active).map(|(&weight, unit)| i32::from(weight) * unit).sum::<i32>();
                (sum >> LAYER_BITS).clamp(0, SECOND_LIMIT) * i32::from(weight)
            });
        (head.bias + shortcut + second.sum::<i32>()) / (ACTIVE * OUTPUT_WEIGHT / UNITS)
    }

    struct NetworkValue<'a>(&'a PatternNetwork, usize, Indices);

    impl IsaJob for NetworkValue<'_> {
        type Output = i32;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> i32 {
            self.0.value(isa, self.1, &self.2)
        }
    }

    #[test]
    fn every_set_of_features_finds_the_value_of_the_definition() {
        let network = PatternNetwork::new(some_network(3)).expect("possible numbers");
        let mut seed = 8;
        let mut different = Vec::new();
        for empties in 4..56 {
            let Some(board) = random_board(&mut seed, empties) else { continue };
            let (stage, indices) = (stage(empties), Indices::new(board));
            let expected = reference(network.parameters(), stage, &indices);
            for level in simd::levels() {
                assert_eq!(simd::run(level, NetworkValue(&network, stage, indices)), expected, "{level:?}");
            }
            different.push(expected);
        }
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 30, "{different:?}");
    }

    #[test]
    fn a_network_of_zeros_adds_nothing() {
        let zeros = PatternNetworkParameters {
            rows: vec![[0; HIDDEN]; FREE_CONTENTS],
            heads: vec![NetworkHead::ZERO; STAGES],
        };
        let network = PatternNetwork::new(zeros).expect("possible numbers");
        let board = random_board(&mut 4, 30).expect("no game ends so early");
        let level = simd::best();
        assert_eq!(simd::run(level, NetworkValue(&network, stage(30), Indices::new(board))), 0);
    }

    #[test]
    fn numbers_that_no_network_has_are_refused() {
        let refused = |change: &dyn Fn(&mut PatternNetworkParameters)| {
            let mut parameters = some_network(1);
            change(&mut parameters);
            PatternNetwork::new(parameters).is_err()
        };
        assert!(!refused(&|_| ()));
        assert!(refused(&|network| network.rows.truncate(9)));
        assert!(refused(&|network| network.heads.push(NetworkHead::ZERO)));
        assert!(refused(&|network| network.heads[3].biases[31] = 511));
        assert!(refused(&|network| network.heads[19].layer_biases[15] = i32::MIN + 1));
        assert!(refused(&|network| network.heads[0].bias = BIAS_LIMIT + 1));
        assert!(refused(&|network| network.heads[7].output[0] = OUTPUT_LIMIT + 1));
        assert!(refused(&|network| network.heads[7].shortcut[9] = -OUTPUT_LIMIT - 1));
    }

    #[test]
    fn the_contents_of_a_shape_are_those_of_its_table() {
        assert_eq!(CONTENTS, 108_216);
        let numbers = NetworkContents::default().numbers;
        assert_eq!((numbers.len(), numbers.iter().max()), (CONTENTS, Some(&(FREE_CONTENTS as u32 - 1))));
        let rows = NETWORK_SHAPES.iter().map(|&shape| instances(shape)).sum::<usize>();
        assert_eq!(rows, MOST_ROWS);
    }
}
