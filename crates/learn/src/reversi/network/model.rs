//! The weights in floating point, as they are trained.

use std::ops::Range;

use kaeshi_core::random::SplitMix;
use kaeshi_reversi::evaluate::network::{
    ACTIVE, FREE_CONTENTS, HIDDEN, LAYER_WEIGHT, NetworkHead, OUTPUT_LIMIT, OUTPUT_WEIGHT,
    PatternNetworkParameters, SECOND, UNIT,
};
use kaeshi_reversi::evaluate::weights::STAGES;

/// Values of the layers of a stage, in the order of [`HeadParts`].
pub(super) const HEAD: usize = HIDDEN + SECOND * HIDDEN + 2 * SECOND + HIDDEN + 1;
/// Largest weight of eight bits.
const LARGEST: f32 = 127.0;
/// Initial bias of the hidden units, between 0 and 1.
const BIAS: f32 = 0.4;

/// The rows, then the heads of all stages. A weight of the output is in discs, all others are in units.
pub(super) struct NetworkModel {
    pub(super) values: Vec<f32>,
}

/// The values of a head by name.
pub(super) struct HeadParts<T> {
    pub(super) biases: T,
    pub(super) layer: T,
    pub(super) layer_biases: T,
    pub(super) output: T,
    pub(super) shortcut: T,
    pub(super) bias: T,
}

/// The ranges of the parts of a head.
pub(super) const PARTS: HeadParts<Range<usize>> = {
    let layer = HIDDEN + SECOND * HIDDEN;
    HeadParts {
        biases: 0..HIDDEN,
        layer: HIDDEN..layer,
        layer_biases: layer..layer + SECOND,
        output: layer + SECOND..layer + 2 * SECOND,
        shortcut: layer + 2 * SECOND..HEAD - 1,
        bias: HEAD - 1..HEAD,
    }
};

impl NetworkModel {
    /// The largest weight of a row.
    pub(super) const ROW_LIMIT: f32 = LARGEST / UNIT as f32;

    /// A network that adds little to any value: rows of zeros, so that those of contents which no position has stay
    /// zero, and layers in which the hidden units differ.
    pub(super) fn fresh(seed: u64) -> NetworkModel {
        let mut values = vec![0.0; FREE_CONTENTS * HIDDEN + STAGES * HEAD];
        let mut random = SplitMix::new(seed);
        let mut head = [0.0; HEAD];
        let mut uniform = |bound: f32| bound * (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
        head[PARTS.biases].fill(BIAS);
        head[PARTS.layer].fill_with(|| uniform((3.0 / HIDDEN as f32).sqrt()));
        head[PARTS.shortcut].fill_with(|| uniform(1.0));
        let rows = values.len() - STAGES * HEAD;
        values[rows..].chunks_exact_mut(HEAD).for_each(|values| values.copy_from_slice(&head));
        NetworkModel { values }
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        (self.values.len() - STAGES * HEAD) / HIDDEN
    }

    /// The parts of a head, and their largest values.
    pub(super) fn regions() -> [(Range<usize>, f32); 6] {
        let (layer, output) = (LARGEST / LAYER_WEIGHT as f32, f32::from(OUTPUT_LIMIT) / OUTPUT_WEIGHT as f32);
        [
            (PARTS.biases, 2.0),
            (PARTS.layer, layer),
            (PARTS.layer_biases, 32.0),
            (PARTS.output, output),
            (PARTS.shortcut, output),
            (PARTS.bias, 64.0),
        ]
    }

    /// Gives the heads of stages with fewer than `few` positions the values of the nearest one with more.
    pub(super) fn fill_heads(&mut self, positions: &[usize; STAGES], few: usize) {
        let rows = self.values.len() - STAGES * HEAD;
        for stage in 0..STAGES {
            let trained = (0..STAGES).filter(|&other| positions[other] >= few);
            if let Some(nearest) = trained.min_by_key(|other| other.abs_diff(stage)) {
                let from = rows + nearest * HEAD;
                self.values.copy_within(from..from + HEAD, rows + stage * HEAD);
            }
        }
    }

    /// The weights as the engine has them, rounded.
    pub(super) fn to_parameters(&self) -> PatternNetworkParameters {
        let (rows, heads) = self.values.split_at(self.values.len() - STAGES * HEAD);
        let byte = |value: f32, unit: i32| (value * unit as f32).round().clamp(-LARGEST, LARGEST) as i8;
        let short = |value: f32, unit: i32| (value * unit as f32).round() as i16;
        let long = |value: f32, unit: i32| (value * unit as f32).round() as i32;
        let row = |row: &[f32]| std::array::from_fn(|unit| byte(row[unit], UNIT));
        let head = |head: &[f32]| {
            let part = |range: Range<usize>| &head[range];
            let (biases, layer, layer_biases) =
                (part(PARTS.biases), part(PARTS.layer), part(PARTS.layer_biases));
            let (output, shortcut) = (part(PARTS.output), part(PARTS.shortcut));
            NetworkHead {
                biases: std::array::from_fn(|unit| short(biases[unit], UNIT)),
                layer: std::array::from_fn(|unit| {
                    std::array::from_fn(|input| byte(layer[unit * HIDDEN + input], LAYER_WEIGHT))
                }),
                layer_biases: std::array::from_fn(|unit| long(layer_biases[unit], ACTIVE * LAYER_WEIGHT)),
                output: std::array::from_fn(|unit| short(output[unit], OUTPUT_WEIGHT)),
                shortcut: std::array::from_fn(|unit| short(shortcut[unit], OUTPUT_WEIGHT)),
                bias: long(head[HEAD - 1], ACTIVE * OUTPUT_WEIGHT),
            }
        };
        PatternNetworkParameters {
            rows: rows.chunks_exact(HIDDEN).map(row).collect(),
            heads: heads.chunks_exact(HEAD).map(head).collect(),
        }
    }
}
