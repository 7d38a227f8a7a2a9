//! The hand-crafted evaluation (HCE) as it is trained: logistic regression over its terms.
//!
//! The value of a piece is the value of its kind plus a term of its square; the latter decays, so that rare squares are
//! not overfitted.

use std::sync::LazyLock;

use super::region::Region;
use super::samples::{PackedSample, TermCounts, views};
use kaeshi_core::simd::Aligned;
use kaeshi_shogi::evaluate::hce::{HceWeights, term};
use kaeshi_shogi::network::SCALE;
use kaeshi_shogi::network::features::{OF_SIDE, PIECE_KINDS, piece_kind};
use kaeshi_shogi::rules::material::{IN_HAND, ON_BOARD};

/// The values: of the kinds of pieces, of their places, of the terms, of the right to move.
pub(super) const COUNT: usize = TEMPO + 1;
const PLACES: usize = PIECE_KINDS;
const TERMS: usize = PLACES + OF_SIDE;
const TEMPO: usize = TERMS + term::COUNT;
/// Largest weight that 16 bits hold in sixteenths of a centipawn.
const LIMIT: f32 = i16::MAX as f32 / UNITS;
/// Units of a weight of the engine to one in the scale of the winning chance.
const UNITS: f32 = 16.0 * SCALE as f32;
/// Index of the king among the kinds of pieces.
const KING: usize = 7;

/// The kind of piece behind each input.
static KINDS: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..OF_SIDE).map(|input| piece_kind(input) as u8).collect());

/// How each kind of weights is trained. Terms that count by dozens learn the slower.
pub(super) fn regions() -> Vec<Region> {
    let region = |range, rate, decays| Region { range, rate, decays, limit: LIMIT, row: 0 };
    vec![
        region(0..PLACES, 10.0, false),
        region(PLACES..TERMS, 2.0, true),
        region(TERMS..TERMS + term::LOOSE, 0.1, false),
        region(TERMS + term::LOOSE..TERMS + term::UNGUARDED, 0.005, false),
        region(TERMS + term::UNGUARDED..TEMPO, 0.1, false),
        region(TEMPO..COUNT, 1.0, false),
    ]
}

/// The initial values: material alone.
pub(super) fn fresh() -> Aligned<f32> {
    let mut values = Aligned::zeros(COUNT);
    let material = ON_BOARD[..14].iter().chain(&IN_HAND[..PIECE_KINDS - 14]);
    for (kind, (value, material)) in values.get_mut().iter_mut().zip(material).enumerate() {
        *value = if kind == KING { 0.0 } else { *material as f32 / SCALE as f32 };
    }
    values
}

/// The rounded weights of the engine.
pub(super) fn to_weights(values: &[f32]) -> HceWeights {
    let rounded = |value: f32| (value * UNITS).round() as i16;
    let mut weights = HceWeights::ZERO;
    for (input, weight) in weights.placed.iter_mut().enumerate() {
        *weight = rounded(values[piece_kind(input)] + values[PLACES + input]);
    }
    for (weight, value) in weights.terms.iter_mut().zip(&values[TERMS..]) {
        *weight = rounded(*value);
    }
    weights.tempo = rounded(values[TEMPO]);
    weights
}

/// Values that make these weights; what a piece is worth is all with its places.
pub(super) fn from_weights(weights: &HceWeights) -> Aligned<f32> {
    let mut values = Aligned::zeros(COUNT);
    let all = weights.placed.iter().chain(&weights.terms).chain([&weights.tempo]);
    for (value, weight) in values.get_mut()[PLACES..].iter_mut().zip(all) {
        *value = f32::from(*weight) / UNITS;
    }
    values
}

/// Forward over these positions and, if a gradient is wanted, backward; the sum of the squared errors.
pub(super) fn pass<'a>(
    values: &[f32],
    positions: impl Iterator<Item = (&'a PackedSample, &'a TermCounts, f32)>,
    mut gradient: Option<&mut [f32]>,
) -> f64 {
    let (views, kinds) = (views(), &**KINDS);
    let mut sum = 0.0;
    for (sample, terms, target) in positions {
        let rows = sample.rows(views, 1);
        let own = |half: usize| rows.of(half).iter().map(|&input| input as usize).filter(|&i| i < OF_SIDE);
        let side = |half| -> f32 {
            own(half).map(|input| values[usize::from(kinds[input])] + values[PLACES + input]).sum()
        };
        let counted: f32 = terms.iter().zip(&values[TERMS..]).map(|(&n, value)| f32::from(n) * value).sum();
        let value = side(0) - side(1) + counted + values[TEMPO];
        let chance = 1.0 / (1.0 + (-value).exp());
        let error = chance - target;
        sum += f64::from(error * error);
        let Some(gradient) = gradient.as_deref_mut() else { continue };
        let slope = 2.0 * error * chance * (1.0 - chance);
        for (half, slope) in [(0, slope), (1, -slope)] {
            for input in own(half) {
                gradient[usize::from(kinds[input])] += slope;
                gradient[PLACES + input] += slope;
            }
        }
        for (to, &count) in gradient[TERMS..].iter_mut().zip(terms) {
            *to += slope * f32::from(count);
        }
        gradient[TEMPO] += slope;
    }
    sum
}
