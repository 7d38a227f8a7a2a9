//! The positions of a training, in memory or, where they are too many, on disk.

use std::io;
use std::path::{Path, PathBuf};

use super::ModelShape;
use super::samples::{PackedSample, SampleSet, TermCounts};
use super::spilled::SpilledSamples;
use kaeshi_core::game::GameError;
use kaeshi_shogi::evaluate::hce::counts;
use kaeshi_shogi::rules::position::ShogiPosition;

/// The positions of a training.
#[derive(Debug, Default)]
pub struct TrainingData {
    pub(super) training: SampleSet,
    pub(super) validation: SampleSet,
    /// The training positions if they do not fit into memory; `training` is empty then.
    pub(super) spilled: Option<SpilledSamples>,
    /// The folder of positions on disk, and the number that stays in memory.
    overflow: Option<(PathBuf, usize)>,
    failed: Option<io::Error>,
}

/// A position as [`TrainingData`] keeps it.
pub struct Prepared {
    packed: PackedSample,
    terms: Option<Box<TermCounts>>,
    validates: bool,
}

impl Prepared {
    /// A position, to train an evaluation of this shape, with its score in centipawns and its game's
    /// result (1, 0, -1), both for the side to move; positions that validate are not learned from.
    pub fn new(
        shape: ModelShape,
        position: &ShogiPosition,
        score: i16,
        result: i8,
        validates: bool,
    ) -> Prepared {
        let terms = (shape == ModelShape::Hce).then(|| Box::new(counts(position).map(|count| count as i16)));
        Prepared { packed: PackedSample::new(shape, position, score, result), terms, validates }
    }
}

#[cfg(test)]
impl Prepared {
    pub(super) fn packed(packed: PackedSample, validates: bool) -> Prepared {
        Prepared { packed, terms: None, validates }
    }
}

impl TrainingData {
    /// An empty set. Training positions stay in memory up to this number of bytes; larger sets are written to files in
    /// `folder`. Positions for the hand-crafted evaluation (HCE) always stay in memory.
    pub fn bounded(folder: &Path, bytes: u64) -> TrainingData {
        let most = bytes / (size_of::<PackedSample>() + OF_EACH) as u64;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        TrainingData { overflow: Some((folder.to_owned(), most)), ..TrainingData::default() }
    }

    /// Adds a position.
    pub fn add(&mut self, sample: Prepared) {
        if sample.validates || sample.terms.is_some() {
            let set = if sample.validates { &mut self.validation } else { &mut self.training };
            set.samples.push(sample.packed);
            set.terms.extend(sample.terms.map(|terms| *terms));
            return;
        }
        let most = self.overflow.as_ref().map_or(usize::MAX, |(_, most)| *most);
        if self.failed.is_some() {
            return;
        }
        if self.spilled.is_none() && self.training.samples.len() < most {
            self.training.samples.push(sample.packed);
        } else if let Err(error) = self.spill(&sample.packed) {
            self.failed = Some(error);
        }
    }

    /// Writes a position to disk, and before it those in memory.
    fn spill(&mut self, sample: &PackedSample) -> io::Result<()> {
        if self.spilled.is_none() {
            let folder = self.overflow.as_ref().map_or(Path::new(""), |(folder, _)| folder);
            let mut spilled = SpilledSamples::new(folder)?;
            for sample in std::mem::take(&mut self.training.samples) {
                spilled.add(&sample)?;
            }
            self.spilled = Some(spilled);
        }
        self.spilled.as_mut().map_or(Ok(()), |spilled| spilled.add(sample))
    }

    /// To be called when all are added.
    ///
    /// # Errors
    /// Some could not be written to disk.
    pub fn complete(&mut self) -> Result<(), GameError> {
        let reason = |error| GameError::file(format!("cannot write positions to disk: {error}"));
        self.failed.take().map_or(Ok(()), |error| Err(reason(error)))
    }

    /// Positions to learn from, and positions that validate.
    pub fn counts(&self) -> (usize, usize) {
        let spilled = self.spilled.as_ref().map_or(0, SpilledSamples::count);
        (self.training.samples.len() + spilled, self.validation.samples.len())
    }

    /// Whether the positions to learn from are on disk.
    pub fn is_on_disk(&self) -> bool {
        self.spilled.is_some()
    }
}

/// Bytes of a position beside the packed one: its place in the order, and its target.
const OF_EACH: usize = 8;
