//! The weights in floating point, as they are trained.

use super::factored::{self, FactoredValues, MergedWeights};
use super::region::{BIAS_LIMIT, PSQT_LIMIT, PSQT_RATE, Region, WEIGHT_LIMIT};
use super::samples::PackedSample;
use super::{hce, nnue};
use crate::gradient::Gradient;
use kaeshi_core::game::GameError;
use kaeshi_core::random::SplitMix;
use kaeshi_core::simd::Aligned;
use kaeshi_shogi::evaluate::hce::HceWeights;
use kaeshi_shogi::network::{INPUTS, KingBucketMap, NetworkParameters, NetworkShape, UNIT, WEIGHT, WIDTHS};
use kaeshi_shogi::nnue::{Architecture, QuantizedNnue};

/// The kind and shape of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelShape {
    /// The terms of the hand-crafted evaluation (HCE).
    Hce,
    /// A network of the engine.
    Network(NetworkShape),
    /// A network in the form of `nn.bin`.
    Nnue(Architecture),
}

/// Weights in the scale of the winning chance. A network has input weights, output weights, biases, PSQT terms and the
/// bias of the output, in this order; the hand-crafted evaluation has its terms (`hce.rs`).
#[derive(Clone, Debug)]
pub struct Model {
    shape: ModelShape,
    pub(super) values: Aligned<f32>,
    /// The merged weights of a network with king buckets.
    pub(super) merged: MergedWeights,
}

/// The weights of a network by name.
pub(super) struct ModelParts<T> {
    pub(super) inputs: T,
    pub(super) output: T,
    pub(super) biases: T,
    pub(super) psqt: T,
    pub(super) bias: T,
}

impl ModelShape {
    /// A network of one king bucket and one output bucket.
    pub const fn network(width: usize) -> ModelShape {
        ModelShape::Network(NetworkShape::plain(width))
    }

    /// The shape of a network with king buckets.
    pub(super) fn factored(self) -> Option<NetworkShape> {
        match self {
            ModelShape::Network(shape) if shape.king_buckets > 1 => Some(shape),
            ModelShape::Hce | ModelShape::Network(_) | ModelShape::Nnue(_) => None,
        }
    }

    /// How many values a model of this shape has.
    pub(super) fn count(self) -> usize {
        match self {
            ModelShape::Hce => hce::COUNT,
            ModelShape::Network(shape) if shape.king_buckets > 1 => factored::sizes(shape).iter().sum(),
            ModelShape::Network(shape) => sizes(shape).iter().sum(),
            ModelShape::Nnue(architecture) => nnue::count(&architecture),
        }
    }

    /// How many rows of which few positions use the same the values begin with, and their length.
    pub(super) fn rows(self) -> (usize, usize) {
        match self {
            ModelShape::Network(shape) if shape.king_buckets > 1 => (shape.rows(), shape.width),
            ModelShape::Hce | ModelShape::Network(_) => (0, 0),
            ModelShape::Nnue(architecture) => (architecture.features.inputs(), architecture.width),
        }
    }

    /// How many rows are stepped apart: those of [`ModelShape::rows`], and those that king buckets share.
    pub(super) fn stepped_rows(self) -> usize {
        self.rows().0 + if self.factored().is_some() { INPUTS } else { 0 }
    }

    /// A gradient of zero for models of this shape.
    pub(super) fn gradient(self) -> Gradient {
        let count = self.factored().map_or(self.count(), factored::with_gradient);
        Gradient::new(count, self.rows())
    }

    /// The number that stands for it in files.
    pub(super) fn number(self) -> usize {
        match self {
            ModelShape::Hce => 0,
            ModelShape::Network(shape) if shape.is_plain() => shape.width,
            ModelShape::Network(NetworkShape { width, king_buckets, output_buckets }) => {
                BUCKETED | width << 16 | king_buckets << 8 | output_buckets
            }
            ModelShape::Nnue(architecture) => architecture.number() as usize,
        }
    }

    /// The inverse of [`ModelShape::number`].
    ///
    /// # Errors
    /// A shape that no network has.
    pub(super) fn of_number(number: usize) -> Result<ModelShape, GameError> {
        match number {
            0 => Ok(ModelShape::Hce),
            width if WIDTHS.contains(&width) => Ok(ModelShape::network(width)),
            number if number & !(BUCKETED - 1) == BUCKETED => {
                let (width, king_buckets) = ((number ^ BUCKETED) >> 16, number >> 8 & 0xff);
                let shape = NetworkShape { width, king_buckets, output_buckets: number & 0xff };
                shape.checked().map(ModelShape::Network)
            }
            number => match u32::try_from(number).ok().and_then(Architecture::of_number) {
                Some(architecture) => nnue::check(&architecture).map(|()| ModelShape::Nnue(architecture)),
                None => Err(GameError::option(format!("{number} hidden units; there can be {WIDTHS:?}"))),
            },
        }
    }
}

/// Marks the numbers of networks with buckets.
const BUCKETED: usize = 1 << 30;

/// Values of a network without king buckets in their order, as [`ModelParts`] names them.
fn sizes(shape: NetworkShape) -> [usize; 5] {
    let NetworkShape { width, output_buckets, .. } = shape;
    [INPUTS * width, output_buckets * 2 * width, width, INPUTS, output_buckets]
}

impl std::fmt::Display for ModelShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ModelShape::Hce => write!(f, "none, the hand-crafted evaluation"),
            ModelShape::Network(shape) => write!(f, "{shape}"),
            ModelShape::Nnue(architecture) => write!(f, "{architecture}"),
        }
    }
}

impl Model {
    /// A model with these values.
    ///
    /// # Errors
    /// A shape that no network has, or other values.
    pub(super) fn of(shape: ModelShape, values: Aligned<f32>) -> Result<Model, GameError> {
        ModelShape::of_number(shape.number())?;
        if values.get().len() != shape.count() {
            return Err(GameError::file("a model has other values"));
        }
        Ok(Model::unchecked(shape, values))
    }

    fn unchecked(shape: ModelShape, values: Aligned<f32>) -> Model {
        let merged = shape.factored().map(|shape| MergedWeights::of(shape, values.get()));
        Model { shape, values, merged: merged.unwrap_or_else(MergedWeights::none) }
    }

    /// The initial model.
    ///
    /// # Errors
    /// A shape that no network has.
    pub(super) fn fresh(shape: ModelShape, seed: u64) -> Result<Model, GameError> {
        match shape {
            ModelShape::Hce => Ok(Model::unchecked(shape, hce::fresh())),
            ModelShape::Network(network) => {
                network.checked()?;
                Ok(Model::unchecked(shape, random(network, seed)))
            }
            ModelShape::Nnue(architecture) => {
                nnue::check(&architecture)?;
                Ok(Model::unchecked(shape, nnue::random(&architecture, seed)))
            }
        }
    }

    /// The same function, with more hidden units if more are wanted, which take no part in it yet. A network of K+P
    /// becomes one of HalfKP, which is nearly the same function; `samples` show where the enemy's king stands.
    pub(super) fn widened(
        &self,
        wanted: ModelShape,
        seed: u64,
        samples: &[PackedSample],
    ) -> Result<Model, GameError> {
        let (old, new) = match (self.shape, wanted) {
            (ModelShape::Hce, ModelShape::Hce) => return Ok(self.clone()),
            (ModelShape::Nnue(old), ModelShape::Nnue(new)) if old == new => return Ok(self.clone()),
            (ModelShape::Nnue(old), ModelShape::Nnue(new))
                if !old.features.follows_king() && (old.width, old.hidden) == (new.width, new.hidden) =>
            {
                nnue::check(&new)?;
                let kings = nnue::enemy_kings(samples);
                return Ok(Model::unchecked(wanted, nnue::folded(&old, self.values.get(), &new, &kings)));
            }
            (ModelShape::Network(old), ModelShape::Network(new))
                if old.width <= new.width
                    && old.king_buckets <= new.king_buckets
                    && old.output_buckets <= new.output_buckets =>
            {
                (old, new.checked()?)
            }
            (old, _) => {
                return Err(GameError::unsupported(format!(
                    "hidden units: {old}; they cannot become {wanted}"
                )));
            }
        };
        let mut values = random(new, seed);
        let (from, to) = (named(old, self.values.get()), named_mut(new, values.get_mut()));
        let columns = |from: &[f32], to: &mut [f32]| {
            for (from, to) in from.chunks_exact(old.width).zip(to.chunks_exact_mut(new.width)) {
                to[..old.width].copy_from_slice(from);
            }
        };
        columns(from.shared, to.shared);
        let output = to.output.chunks_exact_mut(2 * new.width).zip(to.bias.iter_mut()).enumerate();
        for (bucket, (output, bias)) in output {
            let bucket = bucket * old.output_buckets / new.output_buckets;
            output.fill(0.0);
            columns(&from.output[bucket * 2 * old.width..][..2 * old.width], output);
            *bias = from.bias[bucket];
        }
        to.biases[..old.width].copy_from_slice(from.biases);
        to.shared_psqt.copy_from_slice(from.shared_psqt);
        if old.king_buckets > 1 {
            let [coarse, fine] = [old, new].map(|shape| KingBucketMap::of(shape.king_buckets));
            for (row, psqt) in to.delta_psqt.iter_mut().enumerate() {
                let (input, bucket) = (row / new.king_buckets, row % new.king_buckets);
                let earlier = input * old.king_buckets + coarse.coarser(fine, bucket);
                let delta = &mut to.delta[row * new.width..][..old.width];
                delta.copy_from_slice(&from.delta[earlier * old.width..][..old.width]);
                *psqt = from.delta_psqt[earlier];
            }
        }
        Ok(Model::unchecked(wanted, values))
    }

    /// Its shape.
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
        let shape = match self.shape {
            ModelShape::Hce => return hce::regions(),
            ModelShape::Nnue(architecture) => return nnue::regions(&architecture),
            ModelShape::Network(shape) if shape.king_buckets > 1 => return factored::regions(shape),
            ModelShape::Network(shape) => shape,
        };
        let [inputs, output, biases, psqt, bias] = sizes(shape);
        vec![
            region(inputs, 1.0, true, WEIGHT_LIMIT),
            region(output, 1.0, true, WEIGHT_LIMIT),
            region(biases, 1.0, false, BIAS_LIMIT),
            region(psqt, PSQT_RATE, false, PSQT_LIMIT),
            region(bias, 1.0, false, PSQT_LIMIT),
        ]
    }

    /// The weights that a network of this shape calculates with; those of inputs by row.
    #[inline(always)]
    pub(super) fn parts(&self, shape: NetworkShape) -> ModelParts<&[f32]> {
        let FactoredValues { output, biases, bias, shared, shared_psqt, .. } =
            named(shape, self.values.get());
        let (inputs, psqt) = match shape.king_buckets {
            1 => (shared, shared_psqt),
            _ => (self.merged.inputs.get(), &self.merged.psqt[..]),
        };
        ModelParts { inputs, output, biases, psqt, bias }
    }

    /// The file of the engine with these weights, rounded.
    pub(super) fn to_file(&self) -> Vec<u8> {
        match self.shape {
            ModelShape::Hce => hce::to_weights(self.values.get()).to_bytes(),
            ModelShape::Network(shape) => self.to_parameters(shape).to_bytes(),
            ModelShape::Nnue(architecture) => nnue::to_quantized(&architecture, self.values.get()).to_bytes(),
        }
    }

    /// The same model, rounded as in the engine.
    pub(super) fn rounded(&self) -> Model {
        match self.shape {
            ModelShape::Hce => Model::from_weights(&hce::to_weights(self.values.get())),
            ModelShape::Network(shape) => Model::from_parameters(&self.to_parameters(shape)),
            ModelShape::Nnue(architecture) => {
                Model::from_quantized(&nnue::to_quantized(&architecture, self.values.get()))
            }
        }
    }

    /// The weights of an `nn.bin`.
    pub(super) fn from_quantized(quantized: &QuantizedNnue) -> Model {
        Model::unchecked(ModelShape::Nnue(quantized.architecture), nnue::from_quantized(quantized))
    }

    /// The rounded weights of the engine's network.
    pub(super) fn to_parameters(&self, shape: NetworkShape) -> NetworkParameters {
        let parts = self.parts(shape);
        let (unit, weight) = (UNIT as f32, WEIGHT as f32);
        let short = |values: &[f32], units: f32| values.iter().map(|v| (v * units).round() as i16).collect();
        let long = |values: &[f32]| values.iter().map(|v| (v * unit * weight).round() as i32).collect();
        // In the file one king bucket lies behind the other.
        let buckets = shape.king_buckets;
        let rows = (0..buckets).flat_map(|bucket| (0..INPUTS).map(move |input| input * buckets + bucket));
        let inputs: Vec<f32> =
            rows.clone().flat_map(|row| &parts.inputs[row * shape.width..][..shape.width]).copied().collect();
        let psqt: Vec<f32> = rows.map(|row| parts.psqt[row]).collect();
        NetworkParameters {
            shape,
            inputs: short(&inputs, unit),
            biases: short(parts.biases, unit),
            output: short(parts.output, weight),
            bias: long(parts.bias),
            psqt: long(&psqt),
        }
    }

    /// The weights of the engine's hand-crafted evaluation.
    pub(super) fn from_weights(weights: &HceWeights) -> Model {
        Model::unchecked(ModelShape::Hce, hce::from_weights(weights))
    }

    /// The weights of a network of the engine. The shared weights of king buckets are their mean.
    pub fn from_parameters(parameters: &NetworkParameters) -> Model {
        let shape = parameters.shape;
        let mut values = Aligned::zeros(ModelShape::Network(shape).count());
        let parts = named_mut(shape, values.get_mut());
        let (unit, weight) = (UNIT as f32, WEIGHT as f32);
        let fill = |to: &mut [f32], from: &[i16], units: f32| {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = f32::from(from) / units);
        };
        let fill_long = |to: &mut [f32], from: &[i32]| {
            to.iter_mut().zip(from).for_each(|(to, &from)| *to = from as f32 / (unit * weight));
        };
        fill(parts.biases, &parameters.biases, unit);
        fill(parts.output, &parameters.output, weight);
        fill_long(parts.bias, &parameters.bias);
        let (buckets, width) = (shape.king_buckets, shape.width);
        if buckets == 1 {
            fill(parts.shared, &parameters.inputs, unit);
            fill_long(parts.shared_psqt, &parameters.psqt);
            return Model::unchecked(ModelShape::Network(shape), values);
        }
        for input in 0..INPUTS {
            let shared = &mut parts.shared[input * width..][..width];
            let row = |bucket: usize| bucket * INPUTS + input;
            let weights = |bucket| &parameters.inputs[row(bucket) * width..][..width];
            for (index, shared) in shared.iter_mut().enumerate() {
                let sum: f32 = (0..buckets).map(|bucket| f32::from(weights(bucket)[index])).sum();
                *shared = sum / (unit * buckets as f32);
            }
            let psqt = |bucket| parameters.psqt[row(bucket)] as f32 / (unit * weight);
            parts.shared_psqt[input] = (0..buckets).map(psqt).sum::<f32>() / buckets as f32;
            for bucket in 0..buckets {
                let own = input * buckets + bucket;
                let delta = &mut parts.delta[own * width..][..width];
                for ((to, from), shared) in delta.iter_mut().zip(weights(bucket)).zip(&*shared) {
                    *to = f32::from(*from) / unit - shared;
                }
                parts.delta_psqt[own] = psqt(bucket) - parts.shared_psqt[input];
            }
        }
        Model::unchecked(ModelShape::Network(shape), values)
    }
}

/// Hidden units half active, each a little different; no material known, and no difference between buckets.
fn random(shape: NetworkShape, seed: u64) -> Aligned<f32> {
    let mut values = Aligned::zeros(ModelShape::Network(shape).count());
    let mut random = SplitMix::new(seed);
    let mut uniform = |bound: f32| bound * (random.below(1 << 24) as f32 / (1 << 23) as f32 - 1.0);
    let parts = named_mut(shape, values.get_mut());
    parts.shared.fill_with(|| uniform(0.06));
    let (first, others) = parts.output.split_at_mut(2 * shape.width);
    first.fill_with(|| uniform((1.0 / shape.width as f32).sqrt()));
    others.chunks_exact_mut(2 * shape.width).for_each(|bucket| bucket.copy_from_slice(first));
    parts.biases.fill(0.3);
    values
}

/// The values of a network by name; without king buckets none are those of a bucket alone.
#[inline(always)]
fn named(shape: NetworkShape, mut values: &[f32]) -> FactoredValues<&[f32]> {
    if shape.king_buckets > 1 {
        return factored::parts(shape, values);
    }
    let [shared, output, biases, shared_psqt, bias] = sizes(shape).map(|size| {
        let (part, rest) = values.split_at(size);
        values = rest;
        part
    });
    FactoredValues { delta: &[], output, biases, bias, delta_psqt: &[], shared, shared_psqt }
}

fn named_mut(shape: NetworkShape, values: &mut [f32]) -> FactoredValues<&mut [f32]> {
    if shape.king_buckets > 1 {
        return factored::parts_mut(shape, values);
    }
    let ModelParts { inputs, output, biases, psqt, bias } = parts_mut(shape, values);
    FactoredValues {
        delta: &mut [],
        output,
        biases,
        bias,
        delta_psqt: &mut [],
        shared: inputs,
        shared_psqt: psqt,
    }
}

/// The gradient of a network by name, as far as it is dense.
pub(super) fn parts_mut(shape: NetworkShape, values: &mut [f32]) -> ModelParts<&mut [f32]> {
    let mut values = Some(values);
    let mut take = |size: usize| {
        let (part, rest) = values.take().unwrap_or_default().split_at_mut(size);
        values = Some(rest);
        part
    };
    if shape.king_buckets > 1 {
        let [_, output, biases, bias, psqt, ..] = factored::sizes(shape);
        let [output, biases, bias, psqt] = [output, biases, bias, psqt].map(take);
        return ModelParts { inputs: &mut [], output, biases, psqt, bias };
    }
    let [inputs, output, biases, psqt, bias] = sizes(shape).map(&mut take);
    ModelParts { inputs, output, biases, psqt, bias }
}
