//! The weights in floating point, as they are trained.

use super::gradient::Gradient;
use super::region::Region;
use super::samples::PackedSample;
use super::{hce, nnue};
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
use kaeshi_core::simd::Aligned;
use kaeshi_shogi::evaluate::hce::HceWeights;
use kaeshi_shogi::network::{INPUTS, NetworkParameters, UNIT, WEIGHT, WIDTHS};
use kaeshi_shogi::nnue::{Architecture, QuantizedNnue};

/// Weights of hidden units and output stay below this: a little less than 128 / 64, the largest
/// output weight that the integers of the engine can hold.
const WEIGHT_LIMIT: f32 = 1.98;
/// With it 40 inputs of the largest weight cannot pass the 16 bits of a hidden unit.
const BIAS_LIMIT: f32 = 20.0;
/// Far beyond what a piece is worth.
const SKIP_LIMIT: f32 = 60.0;
/// Factor by which values of single inputs learn faster: a rook is worth far more than a weight changes.
const SKIP_RATE: f32 = 10.0;

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelShape {
    /// The terms of the hand-crafted evaluation (HCE).
    Hce,
    /// A network with this number of hidden units, one of [`WIDTHS`].
    Network(usize),
    /// A network in the form of `nn.bin`.
    Nnue(Architecture),
}

/// Weights in the scale of the winning chance. Those of a network: of the hidden units by input, of the
/// output, the biases, the values of single inputs, the bias of the output; those of the evaluation by
/// hand: those of its terms (`hand.rs`).
#[derive(Clone, Debug)]
pub struct Model {
    shape: ModelShape,
    pub(super) values: Aligned<f32>,
}

/// The weights of a network by name.
pub(super) struct ModelParts<T> {
    pub(super) inputs: T,
    pub(super) output: T,
    pub(super) biases: T,
    pub(super) skip: T,
    pub(super) bias: T,
}

impl ModelShape {
    /// How many values a model of this shape has.
    pub(super) fn count(self) -> usize {
        match self {
            ModelShape::Hce => hce::COUNT,
            ModelShape::Network(width) => INPUTS * width + 3 * width + INPUTS + 1,
            ModelShape::Nnue(architecture) => nnue::count(&architecture),
        }
    }

    /// How many rows of which few positions use the same the values begin with, and their length.
    pub(super) fn rows(self) -> (usize, usize) {
        match self {
            ModelShape::Hce | ModelShape::Network(_) => (0, 0),
            ModelShape::Nnue(architecture) => (architecture.features.inputs(), architecture.width),
        }
    }

    /// A gradient of zero for models of this shape.
    pub(super) fn gradient(self) -> Gradient {
        Gradient::new(self.count(), self.rows())
    }

    /// The number that stands for it in files.
    pub(super) fn number(self) -> usize {
        match self {
            ModelShape::Hce => 0,
            ModelShape::Network(width) => width,
            ModelShape::Nnue(architecture) => architecture.number() as usize,
        }
    }

    /// What [`ModelShape::number`] stands for.
    ///
    /// # Errors
    /// A width that no network has.
    pub(super) fn of_number(number: usize) -> Result<ModelShape, GameError> {
        match number {
            0 => Ok(ModelShape::Hce),
            width if WIDTHS.contains(&width) => Ok(ModelShape::Network(width)),
            number => match u32::try_from(number).ok().and_then(Architecture::of_number) {
                Some(architecture) => nnue::check(&architecture).map(|()| ModelShape::Nnue(architecture)),
                None => Err(GameError(format!("{number} hidden units; there can be {WIDTHS:?}"))),
            },
        }
    }
}

impl std::fmt::Display for ModelShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ModelShape::Hce => write!(f, "none, the hand-crafted evaluation"),
            ModelShape::Network(width) => write!(f, "{width}"),
            ModelShape::Nnue(architecture) => write!(f, "{architecture}"),
        }
    }
}

impl Model {
    /// All zero.
    ///
    /// # Errors
    /// A width that no network has.
    pub(super) fn zeros(shape: ModelShape) -> Result<Model, GameError> {
        ModelShape::of_number(shape.number())?;
        Ok(Model { shape, values: Aligned::zeros(shape.count()) })
    }

    /// Where learning begins.
    ///
    /// # Errors
    /// A width that no network has.
    pub(super) fn fresh(shape: ModelShape, seed: u64) -> Result<Model, GameError> {
        match shape {
            ModelShape::Hce => Ok(Model { shape, values: hce::fresh() }),
            ModelShape::Network(width) => Model::random(width, seed),
            ModelShape::Nnue(architecture) => {
                nnue::check(&architecture)?;
                Ok(Model { shape, values: nnue::random(&architecture, seed) })
            }
        }
    }

    /// Hidden units half active, each a little different; no material known.
    fn random(width: usize, seed: u64) -> Result<Model, GameError> {
        let mut model = Model::zeros(ModelShape::Network(width))?;
        let mut random = SplitMix::new(seed);
        let mut uniform = |bound: f32| bound * (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
        let parts = model.parts_mut();
        parts.inputs.fill_with(|| uniform(0.06));
        parts.output.fill_with(|| uniform((1.0 / width as f32).sqrt()));
        parts.biases.fill(0.3);
        Ok(model)
    }

    /// The same function, with more hidden units if more are wanted, which take no part in it yet. A network of K+P
    /// becomes one of HalfKP, which is nearly the same function; `samples` show where the enemy's king stands.
    pub(super) fn widened(
        &self,
        wanted: ModelShape,
        seed: u64,
        samples: &[PackedSample],
    ) -> Result<Model, GameError> {
        let (old, width) = match (self.shape, wanted) {
            (ModelShape::Hce, ModelShape::Hce) => return Ok(self.clone()),
            (ModelShape::Nnue(old), ModelShape::Nnue(new)) if old == new => return Ok(self.clone()),
            (ModelShape::Nnue(old), ModelShape::Nnue(new))
                if !old.features.follows_king() && (old.width, old.hidden) == (new.width, new.hidden) =>
            {
                nnue::check(&new)?;
                let kings = nnue::enemy_kings(samples);
                return Ok(Model {
                    shape: wanted,
                    values: nnue::folded(&old, self.values.get(), &new, &kings),
                });
            }
            (ModelShape::Network(old), ModelShape::Network(width)) if old <= width => (old, width),
            (old, _) => return Err(GameError(format!("hidden units: {old}; they cannot become {wanted}"))),
        };
        let mut model = Model::random(width, seed)?;
        let (from, to) = (self.parts(), model.parts_mut());
        for (from, to) in from.inputs.chunks(old).zip(to.inputs.chunks_mut(width)) {
            to[..old].copy_from_slice(from);
        }
        for (from, to) in from.output.chunks(old).zip(to.output.chunks_mut(width)) {
            to.fill(0.0);
            to[..old].copy_from_slice(from);
        }
        to.biases[..old].copy_from_slice(from.biases);
        to.skip.copy_from_slice(from.skip);
        to.bias.copy_from_slice(from.bias);
        Ok(model)
    }

    /// What it is a model of.
    pub fn shape(&self) -> ModelShape {
        self.shape
    }

    pub(super) fn regions(&self) -> Vec<Region> {
        let mut begin = 0;
        let mut region = |count: usize, rate, decays, limit| {
            let range = begin..begin + count;
            begin += count;
            Region { range, rate, decays, limit, row: 0 }
        };
        let width = match self.shape {
            ModelShape::Hce => return hce::regions(),
            ModelShape::Nnue(architecture) => return nnue::regions(&architecture),
            ModelShape::Network(width) => width,
        };
        vec![
            region(INPUTS * width, 1.0, true, WEIGHT_LIMIT),
            region(2 * width, 1.0, true, WEIGHT_LIMIT),
            region(width, 1.0, false, BIAS_LIMIT),
            region(INPUTS, SKIP_RATE, false, SKIP_LIMIT),
            region(1, 1.0, false, SKIP_LIMIT),
        ]
    }

    fn width(&self) -> usize {
        self.shape.number()
    }

    #[inline(always)]
    pub(super) fn parts(&self) -> ModelParts<&[f32]> {
        let width = self.width();
        let (inputs, rest) = self.values.get().split_at(INPUTS * width);
        let (output, rest) = rest.split_at(2 * width);
        let (biases, rest) = rest.split_at(width);
        let (skip, bias) = rest.split_at(INPUTS);
        ModelParts { inputs, output, biases, skip, bias }
    }

    fn parts_mut(&mut self) -> ModelParts<&mut [f32]> {
        parts_mut(self.width(), self.values.get_mut())
    }

    /// The file of the engine with these weights, rounded.
    pub(super) fn to_file(&self) -> Vec<u8> {
        match self.shape {
            ModelShape::Hce => hce::to_weights(self.values.get()).to_bytes(),
            ModelShape::Network(_) => self.to_parameters().to_bytes(),
            ModelShape::Nnue(architecture) => nnue::to_quantized(&architecture, self.values.get()).to_bytes(),
        }
    }

    /// The same as the engine will have it.
    pub(super) fn rounded(&self) -> Model {
        match self.shape {
            ModelShape::Hce => Model::from_weights(&hce::to_weights(self.values.get())),
            ModelShape::Network(_) => Model::from_parameters(&self.to_parameters()),
            ModelShape::Nnue(architecture) => {
                Model::from_quantized(&nnue::to_quantized(&architecture, self.values.get()))
            }
        }
    }

    /// The weights of an `nn.bin`.
    pub(super) fn from_quantized(quantized: &QuantizedNnue) -> Model {
        Model { shape: ModelShape::Nnue(quantized.architecture), values: nnue::from_quantized(quantized) }
    }

    /// The rounded weights of the engine's network.
    pub(super) fn to_parameters(&self) -> NetworkParameters {
        let parts = self.parts();
        let (unit, weight) = (UNIT as f32, WEIGHT as f32);
        let short = |values: &[f32], units: f32| values.iter().map(|v| (v * units).round() as i16).collect();
        NetworkParameters {
            width: self.width(),
            inputs: short(parts.inputs, unit),
            biases: short(parts.biases, unit),
            output: short(parts.output, weight),
            bias: (parts.bias[0] * unit * weight).round() as i32,
            skip: parts.skip.iter().map(|v| (v * unit * weight).round() as i32).collect(),
        }
    }

    /// The weights of the engine's hand-crafted evaluation.
    pub(super) fn from_weights(weights: &HceWeights) -> Model {
        Model { shape: ModelShape::Hce, values: hce::from_weights(weights) }
    }

    /// The weights of a network of the engine.
    pub fn from_parameters(parameters: &NetworkParameters) -> Model {
        let shape = ModelShape::Network(parameters.width);
        let mut model = Model { shape, values: Aligned::zeros(shape.count()) };
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

/// Values of a network in the order of [`Model`] by name.
pub(super) fn parts_mut(width: usize, values: &mut [f32]) -> ModelParts<&mut [f32]> {
    let (inputs, rest) = values.split_at_mut(INPUTS * width);
    let (output, rest) = rest.split_at_mut(2 * width);
    let (biases, rest) = rest.split_at_mut(width);
    let (skip, bias) = rest.split_at_mut(INPUTS);
    ModelParts { inputs, output, biases, skip, bias }
}
