//! A training as bytes: to go on after an interruption, and to begin another one with full precision.

use super::optimizer::OptimizerMoments;
use super::{Epoch, Model, ModelShape, ShogiTrainer, TrainingProgress};
use kaeshi_core::driver::pages::prefer_large;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::Aligned;
use kaeshi_shogi::evaluate::hce::HceWeights;
use kaeshi_shogi::network::NetworkParameters;
use kaeshi_shogi::nnue;

const MAGIC: &[u8; 8] = b"KAESHIST";
const VERSION: u32 = 1;

/// Reads numbers one after the other.
struct StateReader<'a>(&'a [u8]);

impl StateReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], GameError> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn number(&mut self) -> Result<usize, GameError> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    /// The values of a model; memory is taken only where the file is long enough.
    fn values(&mut self, shape: ModelShape) -> Result<Aligned<f32>, GameError> {
        if self.0.len() < 4 * shape.count() {
            return Err(damaged());
        }
        let mut values = Aligned::zeros(shape.count());
        prefer_large(values.get_mut());
        self.floats(values.get_mut())?;
        Ok(values)
    }

    fn floats(&mut self, values: &mut [f32]) -> Result<(), GameError> {
        values.iter_mut().try_for_each(|value| self.take().map(|bytes| *value = f32::from_le_bytes(bytes)))
    }
}

fn damaged() -> GameError {
    GameError::file("the state of the training is damaged")
}

/// The header of the state of a training.
struct TrainingHeader {
    shape: ModelShape,
    fingerprint: u32,
}

/// The checked beginning, and a reader of what follows.
fn open(bytes: &[u8]) -> Result<(TrainingHeader, StateReader<'_>), GameError> {
    let body = bytes.strip_prefix(MAGIC).ok_or_else(|| GameError::file("this is no state of a training"))?;
    let mut reader = StateReader(body);
    let (version, sum) = (reader.number()?, reader.number()?);
    if version != VERSION as usize || crc32fast::hash(reader.0) as usize != sum {
        return Err(damaged());
    }
    let shape = ModelShape::of_number(reader.number()?).map_err(|_| damaged())?;
    let head = TrainingHeader { shape, fingerprint: reader.number()? as u32 };
    Ok((head, reader))
}

impl ShogiTrainer<'_> {
    /// All that is needed to go on.
    pub fn to_bytes(&self) -> Vec<u8> {
        let values = self.model.values.get().len();
        let mut body = Vec::with_capacity(4 * (3 * values + self.moments.steps.len()) + 4096);
        let mut number = |value: usize| body.extend((value as u32).to_le_bytes());
        number(self.model.shape().number());
        number(self.fingerprint as usize);
        for values in [self.model.values.get(), &self.moments.first, &self.moments.second] {
            body.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        body.extend(self.moments.steps.iter().flat_map(|steps| steps.to_le_bytes()));
        let TrainingProgress { epochs, steps, error } = &self.progress;
        body.extend((epochs.len() as u32).to_le_bytes());
        for epoch in epochs {
            body.extend(epoch.training.to_le_bytes());
            body.extend(epoch.validation.to_le_bytes());
        }
        body.extend((*steps as u32).to_le_bytes());
        body.extend(error.to_le_bytes());
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    /// Goes on where [`ShogiTrainer::to_bytes`] was called.
    ///
    /// # Errors
    /// Bytes that are damaged, or come from another recipe or other positions.
    pub fn resume(&mut self, bytes: &[u8]) -> Result<(), GameError> {
        let (head, mut reader) = open(bytes)?;
        if head.shape != self.model.shape() || head.fingerprint != self.fingerprint {
            return Err(GameError::file("it belongs to a training by another recipe or on other positions"));
        }
        let model = Model::of(head.shape, reader.values(head.shape)?)?;
        let mut moments = OptimizerMoments::zeros(head.shape.count(), head.shape.stepped_rows());
        reader.floats(&mut moments.first)?;
        reader.floats(&mut moments.second)?;
        for steps in &mut moments.steps {
            *steps = u32::from_le_bytes(reader.take()?);
        }
        let mut progress = TrainingProgress::default();
        for _ in 0..reader.number()? {
            let training = f64::from_le_bytes(reader.take()?);
            let validation = f64::from_le_bytes(reader.take()?);
            progress.epochs.push(Epoch { training, validation });
        }
        progress.steps = reader.number()?;
        progress.error = f64::from_le_bytes(reader.take()?);
        if !reader.0.is_empty() {
            return Err(damaged());
        }
        (self.model, self.moments, self.progress) = (model, moments, progress);
        self.shuffle();
        Ok(())
    }
}

impl Model {
    /// The weights in a file of the engine, or those a training had come to.
    ///
    /// # Errors
    /// Bytes that are neither.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, GameError> {
        if HceWeights::is_file(bytes) {
            return HceWeights::from_bytes(bytes).map(|weights| Model::from_weights(&weights));
        }
        if nnue::is_file(bytes) {
            let network = nnue::NnueNetwork::read(bytes, bytes.len() as u64)?;
            return network.quantized().map(|quantized| Model::from_quantized(&quantized));
        }
        if !bytes.starts_with(MAGIC) {
            return NetworkParameters::from_bytes(bytes)
                .map(|parameters| Model::from_parameters(&parameters));
        }
        let (head, mut reader) = open(bytes)?;
        Model::of(head.shape, reader.values(head.shape)?)
    }
}
