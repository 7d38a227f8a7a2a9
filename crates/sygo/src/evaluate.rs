//! Static value of a position: the expected final margin, linear in what [`features`] counts, with
//! weights that pass smoothly from the empty to the full board.
//!
//! [`features`]: crate::evaluate::features

pub mod features;
pub mod parameters;

use std::sync::{Arc, LazyLock};

use crate::evaluate::features::{FEATURES, FeatureCounts, Sketch, add, count, sketch};
use crate::rules::board::Colour;
use crate::rules::board::SygoBoard;
use crate::rules::position::SygoPosition;
use kaeshi_core::game::GameError;
use kaeshi_core::simd::SimdLevel;
use kaeshi_core::simd::bits::{BitSet, BitsJob};

/// Boards up to 10x10, up to 15x15, larger.
pub const SIZE_CLASSES: usize = 3;
/// Full board, half full, empty: weights between are interpolated.
pub const PHASES: usize = 3;
/// How many weights there are.
pub const WEIGHTS: usize = SIZE_CLASSES * PHASES * FEATURES;
/// Steps of the interpolation between two phases.
const FINENESS: i32 = 64;
/// Divisor that converts weights to hundredths of a point.
const SCALE: i32 = 10;

/// The weights, in thousandths of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SygoWeights(Box<[i16]>);

/// The place of a board between two phases: the lower one, and steps of `FINENESS` to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// Place of the first weight of the lower phase.
    pub from: usize,
    /// How far the board is on the way to the next phase, of 1.
    pub way: f64,
    steps: i32,
}

/// Which of the size classes a board belongs to.
pub fn size_class(size: usize) -> usize {
    match size {
        0..=10 => 0,
        11..=15 => 1,
        _ => 2,
    }
}

/// The place of this board between two phases.
#[inline(always)]
pub fn stand(board: &SygoBoard) -> Stand {
    let spans = (PHASES - 1) as i32;
    let total = board.size().points() as i32;
    let fine = board.vacant().len() as i32 * spans * FINENESS / total;
    let phase = (fine / FINENESS).min(spans - 1);
    let steps = fine - phase * FINENESS;
    Stand {
        from: (size_class(board.size().mean()) * PHASES + phase as usize) * FEATURES,
        way: f64::from(steps) / f64::from(FINENESS),
        steps,
    }
}

impl SygoWeights {
    /// The weights in the binary.
    pub fn embedded() -> Arc<SygoWeights> {
        static EMBEDDED: LazyLock<Arc<SygoWeights>> = LazyLock::new(|| {
            let bytes = include_bytes!("../../../weights/sygo.bin");
            Arc::new(
                SygoWeights::from_bytes(bytes)
                    .unwrap_or_else(|_| parameters::weights(&[parameters::start(); SIZE_CLASSES])),
            )
        });
        Arc::clone(&EMBEDDED)
    }

    /// The weights that `weight` gives for each place.
    pub fn from_fn(weight: impl FnMut(usize) -> i16) -> SygoWeights {
        SygoWeights((0..WEIGHTS).map(weight).collect())
    }

    /// A static evaluation with these weights.
    ///
    /// # Errors
    /// Not [`WEIGHTS`] of them.
    pub fn new(weights: Vec<i16>) -> Result<SygoWeights, GameError> {
        if weights.len() != WEIGHTS {
            return Err(GameError::file(format!("{} weights instead of {WEIGHTS}", weights.len())));
        }
        Ok(SygoWeights(weights.into()))
    }

    /// Reads little-endian 16-bit numbers.
    ///
    /// # Errors
    /// Not [`WEIGHTS`] of them.
    pub fn from_bytes(bytes: &[u8]) -> Result<SygoWeights, GameError> {
        if bytes.len() != 2 * WEIGHTS {
            return Err(GameError::file(format!("{} bytes instead of {}", bytes.len(), 2 * WEIGHTS)));
        }
        SygoWeights::new(bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    /// Writes little-endian 16-bit numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|weight| weight.to_le_bytes()).collect()
    }

    /// The weight at a place.
    pub fn weight(&self, place: usize) -> i16 {
        self.0[place]
    }

    /// Value of a position for the side to move, in hundredths of a point.
    pub fn position(&self, position: &SygoPosition) -> i32 {
        self.value(&position.board, position.side, !position.grown)
    }

    /// Value for `mover`, whose turn it is, in hundredths of a point; `right` says whether the
    /// balance right is alive.
    pub fn value(&self, board: &SygoBoard, mover: Colour, right: bool) -> i32 {
        SimdLevel::best().run_bits(Valuation { weights: self, board, mover, right })
    }

    #[inline(always)]
    fn sum(&self, stand: Stand, counts: &FeatureCounts) -> i32 {
        let weights = &self.0[stand.from..stand.from + 2 * FEATURES];
        let (mut low, mut high) = (0, 0);
        for (i, &count) in counts.iter().enumerate() {
            low += i32::from(weights[i]) * count;
            high += i32::from(weights[FEATURES + i]) * count;
        }
        (low * (FINENESS - stand.steps) + high * stand.steps) / (FINENESS * SCALE)
    }

    /// The terms behind the value: own stones, enemy stones, vacant points, tempo.
    pub fn terms(&self, position: &SygoPosition) -> [(&'static str, i32); 4] {
        let counts = count(&position.board, position.side, !position.grown);
        let term = |wanted: fn(Sketch) -> bool| {
            let part = std::array::from_fn(|i| if wanted(sketch(i)) { counts[i] } else { 0 });
            self.sum(stand(&position.board), &part)
        };
        [
            ("own stones", term(|s| matches!(s, Sketch::Stones { own: true, .. }))),
            ("enemy stones", term(|s| matches!(s, Sketch::Stones { own: false, .. }))),
            ("vacant points", term(|s| matches!(s, Sketch::Nearer(_) | Sketch::Even))),
            ("tempo", term(|s| matches!(s, Sketch::Groups { .. } | Sketch::Turn | Sketch::BalanceRight))),
        ]
    }
}

/// [`SygoWeights::value`], for the registers of this processor.
struct Valuation<'a> {
    weights: &'a SygoWeights,
    board: &'a SygoBoard,
    mover: Colour,
    right: bool,
}

impl BitsJob for Valuation<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<B: BitSet>(self) -> i32 {
        let mut counts = [0; FEATURES];
        add::<B>(&mut counts, self.board, self.mover, self.right);
        self.weights.sum(stand(self.board), &counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_are_whole() {
        let bytes = include_bytes!("../../../weights/sygo.bin");
        let weights = SygoWeights::from_bytes(bytes).expect("weights/sygo.bin fits the features");
        assert_eq!(weights.to_bytes(), bytes);
        assert_eq!(*SygoWeights::embedded(), weights);
    }

    #[test]
    fn mirrored_boards_have_one_value_and_colours_only_differ_by_the_mover() {
        let value = |text: &str| {
            let position = crate::rules::notation::parse_position(text).expect(text);
            SygoWeights::embedded().position(&position)
        };
        let one = value("5/1w2b/1wb2/2w2/5 w g 0 9");
        assert_eq!(one, value("5/b2w1/2bw1/2w2/5 w g 0 9"));
        assert_eq!(one, value("5/1b2w/1bw2/2b2/5 b g 0 9"));
    }
}
