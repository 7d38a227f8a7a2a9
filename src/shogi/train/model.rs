//! The network in floating point, as it is trained.

use std::ops::Range;

use crate::game::Rejected;
use crate::random::SplitMix;
use crate::shogi::network::{INPUTS, Parameters, UNIT, WEIGHT, WIDTHS};
use crate::simd::Aligned;

/// Weights of hidden units and output stay below this: a little less than 128 / 64, the largest
/// output weight that the integers of the engine can hold.
const WEIGHT_LIMIT: f32 = 1.98;
/// With it 40 inputs of the largest weight cannot pass the 16 bits of a hidden unit.
const BIAS_LIMIT: f32 = 20.0;
/// Far beyond what a piece is worth.
const SKIP_LIMIT: f32 = 60.0;
/// Values of single inputs learn so much faster: a rook is worth far more than a weight changes.
const SKIP_RATE: f32 = 10.0;

/// A kind of weights and how it is trained.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Which of the values.
    pub(super) range: Range<usize>,
    /// Factor of the rate.
    pub(super) rate: f32,
    /// Whether weights decay.
    pub(super) decays: bool,
    /// The largest amount.
    pub(super) limit: f32,
}

/// Weights in the scale of the winning chance: those of the hidden units by input, of the output,
/// the biases, the values of single inputs, the bias of the output.
#[derive(Clone, Debug)]
pub struct Model {
    width: usize,
    pub(super) values: Aligned<f32>,
}

/// The weights by name.
pub(super) struct Parts<T> {
    pub(super) inputs: T,
    pub(super) output: T,
    pub(super) biases: T,
    pub(super) skip: T,
    pub(super) bias: T,
}

impl Model {
    /// How many values a model of this width has.
    pub(super) fn count(width: usize) -> usize {
        INPUTS * width + 3 * width + INPUTS + 1
    }

    /// All zero.
    ///
    /// # Errors
    /// A width that no network has.
    pub(super) fn zeros(width: usize) -> Result<Model, Rejected> {
        if !WIDTHS.contains(&width) {
            return Err(Rejected(format!("{width} hidden units; there can be {WIDTHS:?}")));
        }
        Ok(Model { width, values: Aligned::zeros(Model::count(width)) })
    }

    /// Where learning begins: hidden units half active, each a little different; no material known.
    pub(super) fn random(width: usize, seed: u64) -> Result<Model, Rejected> {
        let mut model = Model::zeros(width)?;
        let mut random = SplitMix::new(seed);
        let mut uniform = |bound: f32| bound * (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
        let parts = model.parts_mut();
        parts.inputs.fill_with(|| uniform(0.06));
        parts.output.fill_with(|| uniform((1.0 / width as f32).sqrt()));
        parts.biases.fill(0.3);
        Ok(model)
    }

    /// The same function with more hidden units, which take no part in it yet.
    pub(super) fn widened(&self, width: usize, seed: u64) -> Result<Model, Rejected> {
        if width < self.width {
            return Err(Rejected(format!("{} hidden units cannot become {width}", self.width)));
        }
        let mut model = Model::random(width, seed)?;
        let (from, to) = (self.parts(), model.parts_mut());
        for (from, to) in from.inputs.chunks(self.width).zip(to.inputs.chunks_mut(width)) {
            to[..self.width].copy_from_slice(from);
        }
        for (from, to) in from.output.chunks(self.width).zip(to.output.chunks_mut(width)) {
            to.fill(0.0);
            to[..self.width].copy_from_slice(from);
        }
        to.biases[..self.width].copy_from_slice(from.biases);
        to.skip.copy_from_slice(from.skip);
        to.bias.copy_from_slice(from.bias);
        Ok(model)
    }

    /// Hidden units.
    pub fn width(&self) -> usize {
        self.width
    }

    pub(super) fn regions(&self) -> [Region; 5] {
        let mut begin = 0;
        let mut region = |count: usize, rate, decays, limit| {
            let range = begin..begin + count;
            begin += count;
            Region { range, rate, decays, limit }
        };
        [
            region(INPUTS * self.width, 1.0, true, WEIGHT_LIMIT),
            region(2 * self.width, 1.0, true, WEIGHT_LIMIT),
            region(self.width, 1.0, false, BIAS_LIMIT),
            region(INPUTS, SKIP_RATE, false, SKIP_LIMIT),
            region(1, 1.0, false, SKIP_LIMIT),
        ]
    }

    #[inline(always)]
    pub(super) fn parts(&self) -> Parts<&[f32]> {
        let (inputs, rest) = self.values.get().split_at(INPUTS * self.width);
        let (output, rest) = rest.split_at(2 * self.width);
        let (biases, rest) = rest.split_at(self.width);
        let (skip, bias) = rest.split_at(INPUTS);
        Parts { inputs, output, biases, skip, bias }
    }

    fn parts_mut(&mut self) -> Parts<&mut [f32]> {
        parts_mut(self.width, self.values.get_mut())
    }

    /// The rounded weights of the engine's network.
    pub(super) fn to_parameters(&self) -> Parameters {
        let parts = self.parts();
        let (unit, weight) = (UNIT as f32, WEIGHT as f32);
        let short = |values: &[f32], units: f32| values.iter().map(|v| (v * units).round() as i16).collect();
        Parameters {
            width: self.width,
            inputs: short(parts.inputs, unit),
            biases: short(parts.biases, unit),
            output: short(parts.output, weight),
            bias: (parts.bias[0] * unit * weight).round() as i32,
            skip: parts.skip.iter().map(|v| (v * unit * weight).round() as i32).collect(),
        }
    }

    /// The weights of a network of the engine.
    pub fn from_parameters(parameters: &Parameters) -> Model {
        let width = parameters.width;
        let mut model = Model { width, values: Aligned::zeros(Model::count(width)) };
        let parts = model.parts_mut();
        let (unit, weight) = (UNIT as f32, WEIGHT as f32);
        let fill = |to: &mut [f32], from: &[i16], units: f32| {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / units);
        };
        fill(parts.inputs, &parameters.inputs, unit);
        fill(parts.biases, &parameters.biases, unit);
        fill(parts.output, &parameters.output, weight);
        for (to, &from) in parts.skip.iter_mut().zip(&parameters.skip) {
            *to = from as f32 / (unit * weight);
        }
        parts.bias[0] = parameters.bias as f32 / (unit * weight);
        model
    }
}

/// Values in the order of [`Model`] by name.
pub(super) fn parts_mut(width: usize, values: &mut [f32]) -> Parts<&mut [f32]> {
    let (inputs, rest) = values.split_at_mut(INPUTS * width);
    let (output, rest) = rest.split_at_mut(2 * width);
    let (biases, rest) = rest.split_at_mut(width);
    let (skip, bias) = rest.split_at_mut(INPUTS);
    Parts { inputs, output, biases, skip, bias }
}
