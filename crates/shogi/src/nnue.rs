//! Evaluation files of YaneuraOu, `nn.bin`: the networks that shogi programmers train and share.
//!
//! They are efficiently updatable networks (Nasu, "NNUE", 2018) of quantized numbers. The values equal YaneuraOu's to
//! the last bit:
//!
//! | step | what |
//! |---|---|
//! | inputs | what each side sees: pairs of king and piece, and variants of it ([`FeatureSet`]) |
//! | hidden units | for each side 16-bit sums of the weights of the inputs that are set, calculated from the earlier position's |
//! | bytes | the units of the side to move, then of the other one, clipped to 0-127; in the later "SFNN" networks products of the first half of the units with the second |
//! | three layers | sums of bytes times 8-bit weights, divided by 64 and clipped; SFNN networks have many stacks of them, of which the position selects one, and also square the first layer's sums |
//! | value | the last sum divided by `FV_SCALE` |
//!
//! The value is in the scale in which the chance to win is `1 / (1 + exp(-value / 600))`, that of the
//! own evaluation.

mod accumulators;
mod architecture;
mod features;
mod file;
mod layers;
#[cfg(test)]
pub mod samples;
mod stacks;
#[cfg(test)]
mod tests;
mod written;

pub use accumulators::NnueAccumulators;
pub use architecture::{Architecture, NnueHead, Split};
pub use features::FeatureSet;
pub use features::{FeatureIndices, enemy_king, own_king};
pub use file::is_file;
pub use stacks::Stacks;
pub use written::QuantizedNnue;

use crate::rules::position::ShogiPosition;
use kaeshi_core::simd::dot::Dot;
use kaeshi_core::simd::{Aligned, SimdLevel};
use layers::StackedLayer;
use stacks::GameProgress;

/// The divisor of the output, unless the option `FV_SCALE` sets another.
pub const DEFAULT_SCALE: i32 = 16;
/// The number of a fully active unit.
pub const ACTIVE: i32 = layers::ACTIVE;
/// The number of a weight of 1 in the layers before the last.
pub const WEIGHT: i32 = 1 << layers::WEIGHT_BITS;

/// A network ready to value positions.
pub struct NnueNetwork {
    architecture: Architecture,
    /// The biases of the hidden units.
    biases: Aligned<i16>,
    /// For each input the weights of all hidden units.
    weights: Aligned<i16>,
    progress: Option<GameProgress>,
    layers: [StackedLayer; 3],
    checksum: u32,
    level: SimdLevel,
    dot: Dot,
}

impl std::fmt::Debug for NnueNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "nn.bin of {}", self.architecture)
    }
}

impl NnueNetwork {
    /// The same network, calculated with these features of the processor.
    pub fn at_level(self, level: SimdLevel, dot: Dot) -> NnueNetwork {
        NnueNetwork { level, dot, ..self }
    }

    /// Its shape.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// CRC-32 of its file, which identifies it.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The output for the side to move, from nothing but the position: the value times `FV_SCALE`.
    pub fn output(&self, position: &ShogiPosition) -> i32 {
        NnueAccumulators::new(self).output(self, position)
    }

    /// The stack of layers for this position.
    #[inline(always)]
    fn stack(&self, position: &ShogiPosition) -> usize {
        match self.architecture.head {
            NnueHead::Plain => 0,
            NnueHead::Products { stacks, .. } => stacks.select(position, self.progress.as_ref()),
        }
    }
}
