//! The own network: two perspectives, one hidden layer, one output.
//!
//! It is an "efficiently updatable" network (Nasu, "NNUE", 2018) with one hidden layer: 2344 inputs a side
//! ([`features`]) feed a layer of `width` units, whose weights both sides share; the units of the side to move and of
//! the other side, after a squared clipped ReLU (SCReLU), have separate output weights. Each input also has a
//! piece-square (PSQT) term, which learns the values of material and squares. In the scale of the winning chance `1 /
//! (1 + exp(-value))`:
//!
//! `value = bias + sum(output[i] * clip(units[i])^2) + (psqt(us) - psqt(them)) / 2`
//!
//! A network may have several sets of input weights, of which the own king's square selects one (king buckets), and
//! of output weights, of which the number of pieces on the board selects one (output buckets): [`NetworkShape`].
//!
//! All numbers are integers, units in 1/[`UNIT`] and output weights in 1/[`WEIGHT`], so every processor finds the same
//! value.

mod accumulator;
pub mod features;
mod file;
mod forward;
mod shape;

use crate::rules::position::ShogiPosition;
pub use accumulator::NetworkAccumulators;
pub use features::INPUTS;
use forward::Afresh;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::{Aligned, SimdLevel};
use shape::WIDEST;
pub use shape::{KING_BUCKETS, KingBucketMap, NetworkShape, OUTPUT_BUCKETS, WIDTHS};

/// A fully active hidden unit.
pub const UNIT: i32 = 255;
/// An output weight of one.
pub const WEIGHT: i32 = 256;
/// Centipawns to one in the scale of the winning chance.
pub const SCALE: i32 = 600;
/// The largest output weight.
pub const OUTPUT_LIMIT: i16 = 511;
/// Half the range of 16 bits: squares of units less this fit in them.
const MIDDLE: i32 = 1 << 15;
const _: () = assert!(UNIT * UNIT - MIDDLE <= i16::MAX as i32);
/// Units whose part of the output is summed in 32 bits.
const SUMMED: usize = 128;
const _: () = assert!(MIDDLE as i64 * OUTPUT_LIMIT as i64 * SUMMED as i64 <= i32::MAX as i64);
/// The largest absolute bias of the output and PSQT term of an input.
pub const PSQT_LIMIT: i32 = 1 << 24;

/// The parameters of a network as files hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkParameters {
    /// The number of units and buckets.
    pub shape: NetworkShape,
    /// For each king bucket `width` weights for each of [`INPUTS`] inputs, in 1/[`UNIT`].
    pub inputs: Vec<i16>,
    /// The bias of each hidden unit, in 1/[`UNIT`].
    pub biases: Vec<i16>,
    /// For each output bucket the weights of the units of the side to move, then of the other side, in 1/[`WEIGHT`].
    pub output: Vec<i16>,
    /// The bias of each output bucket, in 1/([`UNIT`] * [`WEIGHT`]).
    pub bias: Vec<i32>,
    /// For each king bucket the PSQT term of each input, in 1/([`UNIT`] * [`WEIGHT`]).
    pub psqt: Vec<i32>,
}

/// A network ready to evaluate positions.
pub struct ShogiNetwork {
    shape: NetworkShape,
    kings: KingBucketMap,
    inputs: Aligned<i16>,
    biases: Aligned<i16>,
    output: Aligned<i16>,
    /// For each output bucket [`MIDDLE`] times the sum of its weights, to be added to a sum over squares less
    /// [`MIDDLE`].
    middles: Vec<i64>,
    bias: Vec<i32>,
    psqt: Vec<i32>,
    level: SimdLevel,
}

impl std::fmt::Debug for ShogiNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Network of {} units{}", self.shape.width, self.shape.buckets())
    }
}

impl ShogiNetwork {
    /// A network with these numbers.
    ///
    /// # Errors
    /// Numbers that are too few, too many, or so large that a sum could overflow.
    pub fn new(parameters: &NetworkParameters) -> Result<ShogiNetwork, GameError> {
        parameters.check()?;
        let buckets = parameters.output.chunks_exact(2 * parameters.shape.width);
        let sums = buckets.map(|weights| weights.iter().map(|&weight| i64::from(weight)).sum::<i64>());
        Ok(ShogiNetwork {
            middles: sums.map(|sum| sum * i64::from(MIDDLE)).collect(),
            shape: parameters.shape,
            kings: *KingBucketMap::of(parameters.shape.king_buckets),
            inputs: Aligned::of(&parameters.inputs),
            biases: Aligned::of(&parameters.biases),
            output: Aligned::of(&parameters.output),
            bias: parameters.bias.clone(),
            psqt: parameters.psqt.clone(),
            level: SimdLevel::best(),
        })
    }

    /// The same network, calculated with these features of the processor.
    pub fn at_level(self, level: SimdLevel) -> ShogiNetwork {
        ShogiNetwork { level, ..self }
    }

    /// Hidden units.
    pub fn width(&self) -> usize {
        self.shape.width
    }

    /// How large it is.
    pub fn shape(&self) -> NetworkShape {
        self.shape
    }

    /// CRC-32 of its numbers, which identifies it.
    pub fn checksum(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        for part in [&self.inputs, &self.biases, &self.output] {
            sum.update(bytemuck::cast_slice(part.get()));
        }
        sum.update(bytemuck::cast_slice(&self.psqt));
        sum.update(bytemuck::cast_slice(&self.bias));
        sum.finalize()
    }

    /// Value for the side to move in centipawns, from nothing but the position.
    pub fn value(&self, position: &ShogiPosition) -> i32 {
        self.level.run(Afresh { network: self, position })
    }
}

impl NetworkParameters {
    /// The numbers of a network of this shape, all zero.
    pub fn zeros(shape: NetworkShape) -> NetworkParameters {
        let NetworkShape { width, output_buckets, .. } = shape;
        NetworkParameters {
            shape,
            inputs: vec![0; shape.rows() * width],
            biases: vec![0; width],
            output: vec![0; output_buckets * 2 * width],
            bias: vec![0; output_buckets],
            psqt: vec![0; shape.rows()],
        }
    }

    /// Whether the sums of every position fit their registers.
    fn check(&self) -> Result<(), GameError> {
        let shape = self.shape.checked()?;
        let width = shape.width;
        if self.inputs.len() != shape.rows() * width
            || self.biases.len() != width
            || self.output.len() != shape.output_buckets * 2 * width
            || self.bias.len() != shape.output_buckets
            || self.psqt.len() != shape.rows()
        {
            return Err(GameError::file(format!("a network of {shape} has other numbers")));
        }
        let mut largest = vec![0; width];
        for row in self.inputs.chunks_exact(width) {
            for (largest, weight) in largest.iter_mut().zip(row) {
                *largest = weight.unsigned_abs().max(*largest);
            }
        }
        for (unit, (bias, largest)) in self.biases.iter().zip(largest).enumerate() {
            let most = i32::from(*bias).abs() + i32::from(largest) * features::MOST_SET as i32;
            if most > i32::from(i16::MAX) {
                return Err(GameError::file(format!(
                    "hidden unit {unit} could reach {most}, beyond 16 bits"
                )));
            }
        }
        if let Some(weight) = self.output.iter().find(|weight| weight.unsigned_abs() > OUTPUT_LIMIT as u16) {
            return Err(GameError::file(format!("an output weight of {weight} lies beyond {OUTPUT_LIMIT}")));
        }
        if self.psqt.iter().chain(&self.bias).any(|value| value.unsigned_abs() > PSQT_LIMIT as u32) {
            return Err(GameError::file(format!("an input's own value lies beyond {PSQT_LIMIT}")));
        }
        Ok(())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    /// A network of random numbers as large as they may be.
    pub(crate) fn random_parameters(shape: NetworkShape, seed: u64) -> NetworkParameters {
        let mut state = seed;
        let mut random = move |bound: i32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i32 % (2 * bound + 1) - bound
        };
        let mut parameters = NetworkParameters::zeros(shape);
        parameters.inputs.fill_with(|| random(60) as i16);
        parameters.biases.fill_with(|| random(250) as i16);
        parameters.output.fill_with(|| random(i32::from(OUTPUT_LIMIT)) as i16);
        parameters.psqt.fill_with(|| random(40_000));
        parameters.bias.fill_with(|| random(1_000));
        parameters
    }

    /// The definition in the crate's words, in wide integers.
    fn by_definition(parameters: &NetworkParameters, position: &ShogiPosition) -> i32 {
        let width = parameters.shape.width;
        let us = position.side_to_move();
        let bucket = parameters.shape.output_bucket(position);
        let output = &parameters.output[bucket * 2 * width..];
        let mut sum = 0i64;
        let mut psqt = 0i64;
        for (half, side) in [us, us.other()].into_iter().enumerate() {
            let mut units: Vec<i64> = parameters.biases.iter().map(|&bias| i64::from(bias)).collect();
            let origin = INPUTS * parameters.shape.king_bucket(position, side);
            features::NetworkPerspective::of(position, side).visit(position, |input| {
                let input = origin + input;
                for (unit, sum) in units.iter_mut().enumerate() {
                    *sum += i64::from(parameters.inputs[input * width + unit]);
                }
                psqt += i64::from(parameters.psqt[input]) * if half == 0 { 1 } else { -1 };
            });
            for (unit, value) in units.iter().enumerate() {
                let clipped = (*value).clamp(0, i64::from(UNIT));
                sum += clipped * clipped * i64::from(output[half * width + unit]);
            }
        }
        let value = sum / i64::from(UNIT) + i64::from(parameters.bias[bucket]) + psqt / 2;
        (value * i64::from(SCALE) / i64::from(UNIT * WEIGHT)) as i32
    }

    #[test]
    fn every_level_and_every_path_find_the_value_of_the_definition() {
        let buckets = KING_BUCKETS.into_iter().zip(OUTPUT_BUCKETS.into_iter().cycle());
        let bucketed = buckets.map(|(king_buckets, output_buckets)| (king_buckets, output_buckets, 32));
        let plain = WIDTHS.into_iter().map(|width| (1, 1, width));
        let shapes = plain.chain(bucketed).chain([(9, 4, WIDEST), (4, 8, 16), (45, 1, 64), (15, 4, 128)]);
        for (seed, (king_buckets, output_buckets, width)) in shapes.enumerate() {
            let shape = NetworkShape { width, king_buckets, output_buckets };
            let parameters = random_parameters(shape, seed as u64 + 5);
            let networks: Vec<ShogiNetwork> = SimdLevel::all()
                .into_iter()
                .map(|level| ShogiNetwork::new(&parameters).unwrap().at_level(level))
                .collect();
            let mut running: Vec<NetworkAccumulators> =
                networks.iter().map(NetworkAccumulators::new).collect();
            let mut random = 3u64 + seed as u64;
            let mut next = move |bound: usize| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 33) as usize % bound
            };
            for game in 0..6 {
                let start = if game % 2 == 0 {
                    crate::rules::handicap::START
                } else {
                    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
                };
                let mut position = parse(start).unwrap();
                let mut depth = 0;
                for _ in 0..400 {
                    // Mostly onward, as a search does, sometimes back or a pass, not always valued.
                    let moves = position.legal_moves();
                    if depth > 0 && (moves.is_empty() || next(3) == 0) {
                        if position.last_move().is_some() {
                            position.unmake();
                        } else {
                            position.unmake_pass();
                        }
                        depth -= 1;
                    } else if !position.in_check() && next(12) == 0 {
                        position.make_pass();
                        depth += 1;
                    } else if moves.is_empty() {
                        break;
                    } else {
                        // Kings cross the middle more often than in games.
                        let kings: Vec<_> = moves
                            .iter()
                            .filter(|mv| !mv.is_drop() && mv.from() == position.king(position.side_to_move()))
                            .collect();
                        let mv = if !kings.is_empty() && next(3) == 0 {
                            *kings[next(kings.len())]
                        } else {
                            moves[next(moves.len())]
                        };
                        position.make(mv);
                        depth += 1;
                    }
                    if next(4) == 0 {
                        continue;
                    }
                    let expected = by_definition(&parameters, &position);
                    for (network, accumulators) in networks.iter().zip(&mut running) {
                        assert_eq!(accumulators.value(network, &position), expected, "{network:?}");
                    }
                    assert_eq!(networks[0].value(&position), expected);
                }
            }
        }
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let refused = |change: fn(&mut NetworkParameters)| {
            let mut parameters = random_parameters(NetworkShape::plain(16), 1);
            assert!(ShogiNetwork::new(&parameters).is_ok());
            change(&mut parameters);
            ShogiNetwork::new(&parameters).unwrap_err().to_string()
        };
        assert!(refused(|p| p.inputs[16 * 700 + 3] = 900).contains("unit 3"));
        assert!(refused(|p| p.biases[2] = i16::MIN).contains("unit 2"));
        assert!(refused(|p| p.output[7] = -512).contains("-512"));
        assert!(refused(|p| p.psqt[7] = PSQT_LIMIT + 1).contains("own value"));
        assert!(refused(|p| p.shape.width = 17).contains("17"));
        assert!(refused(|p| p.shape.king_buckets = 4).contains("other numbers"));
        assert!(refused(|p| p.bias[0] = i32::MIN).contains("own value"));
    }
}
