//! Positions in memory, as small as training allows.

use std::sync::LazyLock;

use bytemuck::{Pod, Zeroable};

use super::ModelShape;
use kaeshi_shogi::evaluate::hce::term;
use kaeshi_shogi::network::features::{INPUTS, MOST_SET, NetworkPerspective, mirrored, turned};
use kaeshi_shogi::nnue::FeatureIndices;
use kaeshi_shogi::rules::position::ShogiPosition;

/// A position: what the side to move sees, unmirrored; the other views follow by [`VIEWS`]. For networks in the
/// form of `nn.bin` it is [`FeatureIndices`] that are kept.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PackedSample {
    pub(super) inputs: [u16; MOST_SET],
    /// For the side to move, in centipawns.
    pub(super) score: i16,
    /// For the side to move: 1 won, 0 drawn, -1 lost.
    pub(super) result: i8,
    pub(super) count: u8,
    /// Whether the side to move sees the board mirrored (1), and the other one (2); where numbers are kept, whether
    /// the mirror image is meant.
    pub(super) mirrors: u8,
    /// Selects the output weights of a network.
    pub(super) output_bucket: u8,
    /// Select the input weights of the side to move, and of the other one.
    pub(super) king_buckets: [u8; 2],
}

const _: () = assert!(size_of::<PackedSample>() <= 100);
const _: () = assert!(MOST_SET == FeatureIndices::COUNT);

static NUMBERS: LazyLock<FeatureIndices> = LazyLock::new(FeatureIndices::new);

/// For each unmirrored input of the side to move the corresponding one: itself, mirrored, of the other side, and of the
/// other side mirrored.
static VIEWS: LazyLock<[Vec<u16>; 4]> = LazyLock::new(|| {
    let table = |view: fn(usize) -> usize| (0..INPUTS).map(|input| view(input) as u16).collect();
    [table(|input| input), table(mirrored), table(turned), table(|input| mirrored(turned(input)))]
});

/// The inputs that a position sets, for the side to move and for the other one.
pub(super) struct InputRows {
    inputs: [[u32; MOST_SET]; 2],
    count: usize,
}

impl InputRows {
    #[inline(always)]
    pub(super) fn of(&self, half: usize) -> &[u32] {
        &self.inputs[half][..self.count]
    }
}

/// The four tables of views, for repeated use.
pub(super) fn views() -> &'static [Vec<u16>; 4] {
    &VIEWS
}

/// The tables of numbers, for repeated use.
pub(super) fn numbers() -> &'static FeatureIndices {
    &NUMBERS
}

impl PackedSample {
    pub(super) fn new(shape: ModelShape, position: &ShogiPosition, score: i16, result: i8) -> PackedSample {
        let us = position.side_to_move();
        let mut packed = PackedSample { score, result, ..PackedSample::zeroed() };
        let PackedSample { inputs, count, .. } = &mut packed;
        let keep = |input: usize| {
            inputs[usize::from(*count)] = input as u16;
            *count += 1;
        };
        if let ModelShape::Nnue(_) = shape {
            FeatureIndices::visit(position, keep);
            return packed;
        }
        NetworkPerspective::unmirrored(us).visit(position, keep);
        let mirrors = |side| u8::from(NetworkPerspective::of(position, side).is_mirrored());
        packed.mirrors = mirrors(us) | mirrors(us.other()) << 1;
        if let ModelShape::Network(shape) = shape {
            packed.king_buckets = [us, us.other()].map(|side| shape.king_bucket(position, side) as u8);
            packed.output_bucket = shape.output_bucket(position) as u8;
        }
        packed
    }

    /// The inputs as a network with this number of king buckets takes them: for each input the rows of all buckets
    /// lie together.
    #[inline(always)]
    pub(super) fn rows(&self, views: &[Vec<u16>; 4], king_buckets: usize) -> InputRows {
        let count = usize::from(self.count).min(MOST_SET);
        let mut inputs = [[0; MOST_SET]; 2];
        let us = &views[usize::from(self.mirrors & 1)][..INPUTS];
        let them = &views[2 + usize::from(self.mirrors >> 1 & 1)][..INPUTS];
        let buckets = king_buckets as u32;
        let [our, their] = self.king_buckets.map(|bucket| u32::from(bucket).min(buckets - 1));
        for (index, &input) in self.inputs[..count].iter().enumerate() {
            inputs[0][index] = u32::from(us[usize::from(input)]) * buckets + our;
            inputs[1][index] = u32::from(them[usize::from(input)]) * buckets + their;
        }
        InputRows { inputs, count }
    }

    /// The inputs that the side to move sees, unmirrored; for networks in the form of `nn.bin` the
    /// numbers of pieces and kings as it sees them.
    #[inline(always)]
    pub(super) fn numbers(&self) -> &[u16] {
        &self.inputs[..usize::from(self.count).min(MOST_SET)]
    }

    /// Whether the numbers stand for their mirror image.
    #[inline(always)]
    pub(super) fn is_mirrored(&self) -> bool {
        self.mirrors != 0
    }

    /// Makes the numbers stand for their mirror image.
    pub(super) fn mirror(&mut self) {
        self.mirrors = 1;
    }

    /// The winning chance to be learned.
    pub(super) fn target(&self, scale: f64, result: f32) -> f32 {
        let score = 1.0 / (1.0 + (-f64::from(self.score) / scale).exp());
        (1.0 - result) * score as f32 + result * (f32::from(self.result) + 1.0) / 2.0
    }
}

/// How often each term of the hand-crafted evaluation (HCE) applies, for the side to move.
pub(super) type TermCounts = [i16; term::COUNT];

/// Positions for one purpose.
#[derive(Debug, Default)]
pub(super) struct SampleSet {
    pub(super) samples: Vec<PackedSample>,
    /// The terms of each position, if the hand-crafted evaluation (HCE) is trained.
    pub(super) terms: Vec<TermCounts>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaeshi_shogi::rules::sfen::parse;

    #[test]
    fn packed_positions_keep_what_both_sides_see() {
        for sfen in [
            kaeshi_shogi::rules::handicap::START,
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
            "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
        ] {
            let position = parse(sfen).unwrap();
            let packed = PackedSample::new(ModelShape::network(16), &position, 5, -1);
            let rows = packed.rows(views(), 1);
            let us = position.side_to_move();
            for (half, side) in [us, us.other()].into_iter().enumerate() {
                let mut seen = Vec::new();
                NetworkPerspective::of(&position, side).visit(&position, |input| seen.push(input as u32));
                assert_eq!(rows.of(half), seen, "{sfen}");
            }
        }
    }
}
