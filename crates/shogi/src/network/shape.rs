//! How large a network is, and which of its weights a position uses: king buckets and output buckets.

use super::features::NetworkPerspective;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::{GameError, Side};

/// The numbers of hidden units that there can be.
pub const WIDTHS: [usize; 6] = [16, 32, 64, 128, 256, WIDEST];
pub(super) const WIDEST: usize = 512;
/// The numbers of king buckets that there can be.
pub const KING_BUCKETS: [usize; 5] = [1, 4, 9, 15, 45];
/// The numbers of output buckets that there can be.
pub const OUTPUT_BUCKETS: [usize; 3] = [1, 4, MOST_OUTPUTS];
const MOST_OUTPUTS: usize = 8;

/// Squares of the own king, which is on files 1 to 5 as its side sees the board.
const KING_SQUARES: usize = 45;

/// The king bucket of each square, rank by rank from the far end; in a row the files 1 to 5. Each map refines the
/// one before it, so that a network of fewer buckets has the same values with more.
const KING_MAPS: [[[u8; 5]; 9]; 3] = [
    // 4: away from the two near ranks, or in the corner, before it, or in the middle.
    [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 1, 2, 2, 3],
        [1, 1, 2, 2, 3],
    ],
    // 9.
    [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [2, 2, 2, 2, 2],
        [3, 3, 4, 4, 5],
        [6, 6, 7, 7, 8],
    ],
    // 15.
    [
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1],
        [2, 2, 3, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 12, 13, 14],
    ],
];

/// Least number of pieces off the board in the second and each further of eight output buckets; every second bound
/// begins a bucket of four. Of the positions of self-play the eight have 13, 9, 10, 18, 16, 14, 13 and 7 %.
const OUTPUT_BOUNDS: [u32; MOST_OUTPUTS - 1] = [1, 2, 3, 5, 7, 9, 12];
/// Pieces of a set.
const PIECES: u32 = 40;

/// The size of a network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NetworkShape {
    /// Hidden units, one of [`WIDTHS`].
    pub width: usize,
    /// Sets of input weights, of which the square of the own king selects one: one of [`KING_BUCKETS`].
    pub king_buckets: usize,
    /// Sets of output weights, of which the number of pieces on the board selects one: one of [`OUTPUT_BUCKETS`].
    pub output_buckets: usize,
}

impl NetworkShape {
    /// One bucket of each kind.
    pub const fn plain(width: usize) -> NetworkShape {
        NetworkShape { width, king_buckets: 1, output_buckets: 1 }
    }

    /// Whether there is one bucket of each kind.
    pub fn is_plain(self) -> bool {
        self == NetworkShape::plain(self.width)
    }

    /// The shape, if there can be such networks.
    ///
    /// # Errors
    /// Names the possible numbers.
    pub fn checked(self) -> Result<NetworkShape, GameError> {
        for (what, number, possible) in [
            ("hidden units", self.width, &WIDTHS[..]),
            ("king buckets", self.king_buckets, &KING_BUCKETS[..]),
            ("output buckets", self.output_buckets, &OUTPUT_BUCKETS[..]),
        ] {
            if !possible.contains(&number) {
                return Err(GameError::option(format!("{number} {what}; there can be {possible:?}")));
            }
        }
        Ok(self)
    }

    /// The buckets in words, behind a comma; nothing where there is one of each kind.
    pub(crate) fn buckets(self) -> String {
        if self.is_plain() {
            return String::new();
        }
        format!(", {} king buckets, {} output buckets", self.king_buckets, self.output_buckets)
    }

    /// The rows of input weights: one for each input in each king bucket.
    pub fn rows(self) -> usize {
        self.king_buckets * super::INPUTS
    }

    /// Selects the output weights of a position.
    #[inline(always)]
    pub fn output_bucket(self, position: &ShogiPosition) -> usize {
        if self.output_buckets == 1 {
            return 0;
        }
        let off = PIECES.saturating_sub(position.occupied().count());
        let of_eight = OUTPUT_BOUNDS.iter().filter(|&&bound| bound <= off).count();
        of_eight * self.output_buckets / MOST_OUTPUTS
    }

    /// The king bucket of `side`.
    pub fn king_bucket(self, position: &ShogiPosition, side: Side) -> usize {
        let king = position.king(side);
        if king.is_some() {
            KingBucketMap::of(self.king_buckets).bucket(NetworkPerspective::of(position, side), side, king)
        } else {
            0
        }
    }
}

/// `64`, or `64, 9 king buckets, 4 output buckets`.
impl std::fmt::Display for NetworkShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.width, self.buckets())
    }
}

/// Prints like [`std::fmt::Display`].
impl std::fmt::Debug for NetworkShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The king bucket of each square.
#[derive(Clone, Copy, Debug)]
pub struct KingBucketMap {
    /// By the square that the own side sees; those on files 6 to 9 are never looked up.
    buckets: [u8; 128],
}

/// The maps to each of [`KING_BUCKETS`].
static MAPS: [KingBucketMap; 5] = [
    KingBucketMap::new(0),
    KingBucketMap::new(1),
    KingBucketMap::new(2),
    KingBucketMap::new(3),
    KingBucketMap::new(4),
];

impl KingBucketMap {
    const fn new(index: usize) -> KingBucketMap {
        let mut map = KingBucketMap { buckets: [0; 128] };
        let mut square = 0;
        while square < KING_SQUARES {
            map.buckets[square] = match index {
                0 => 0,
                1..=3 => KING_MAPS[index - 1][square % 9][square / 9],
                _ => square as u8,
            };
            square += 1;
        }
        map
    }

    /// The map to this number of buckets, one of [`KING_BUCKETS`]; any other number counts as one.
    pub fn of(buckets: usize) -> &'static KingBucketMap {
        &MAPS[KING_BUCKETS.iter().position(|&number| number == buckets).unwrap_or(0)]
    }

    /// The bucket of a king that `side` sees by `view`, or of none.
    #[inline(always)]
    pub(super) fn bucket(&self, view: NetworkPerspective, side: Side, king: Square) -> usize {
        let input = view.on_board(Piece::new(side, PieceKind::KING), king);
        usize::from(self.buckets[(input - super::features::OWN_KING) & 127])
    }

    /// The bucket of this map in which a bucket of the finer map `finer` lies.
    pub fn coarser(&self, finer: &KingBucketMap, bucket: usize) -> usize {
        let square = finer.buckets[..KING_SQUARES].iter().position(|&found| usize::from(found) == bucket);
        square.map_or(0, |square| self.buckets[square].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    #[test]
    fn every_map_has_all_its_buckets_and_refines_the_coarser_ones() {
        for (index, &buckets) in KING_BUCKETS.iter().enumerate() {
            let map = KingBucketMap::of(buckets);
            let squares = &map.buckets[..KING_SQUARES];
            for bucket in 0..buckets {
                assert!(squares.contains(&(bucket as u8)), "{bucket} of {buckets}");
            }
            assert!(squares.iter().all(|&bucket| usize::from(bucket) < buckets));
            for coarse in KING_BUCKETS[..index].iter().map(|&buckets| KingBucketMap::of(buckets)) {
                for square in 0..KING_SQUARES {
                    let bucket = usize::from(map.buckets[square]);
                    assert_eq!(coarse.coarser(map, bucket), usize::from(coarse.buckets[square]));
                }
            }
        }
    }

    #[test]
    fn kings_on_both_wings_and_of_both_sides_fall_in_the_same_bucket() {
        let shape = |king_buckets| NetworkShape { king_buckets, ..NetworkShape::plain(16) };
        for (sfen, bucket) in [
            ("1k7/9/9/9/9/9/9/9/1K7 b - 1", 11),
            ("7k1/9/9/9/9/9/9/9/7K1 b - 1", 11),
            ("9/4k4/9/9/9/9/9/4K4/9 w - 1", 9),
            ("9/4K4/9/9/9/9/9/4k4/9 w - 1", 0),
        ] {
            let position = parse(sfen).unwrap();
            for side in [Side::First, Side::Second] {
                assert_eq!(shape(15).king_bucket(&position, side), bucket, "{sfen}");
                assert_eq!(shape(1).king_bucket(&position, side), 0);
            }
        }
    }

    #[test]
    fn output_buckets_follow_the_pieces_off_the_board() {
        let shape = |output_buckets| NetworkShape { output_buckets, ..NetworkShape::plain(16) };
        for (sfen, of_four, of_eight) in [
            (crate::rules::handicap::START, 0, 0),
            ("lnsgkgsnl/1r5b1/pppppp1pp/9/9/9/PPPPPP1PP/1B5R1/LNSGKGSNL b Pp 1", 1, 2),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 3, 6),
            ("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1", 3, 7),
        ] {
            let position = parse(sfen).unwrap();
            assert_eq!(shape(1).output_bucket(&position), 0);
            assert_eq!(shape(4).output_bucket(&position), of_four, "{sfen}");
            assert_eq!(shape(8).output_bucket(&position), of_eight, "{sfen}");
        }
    }

    #[test]
    fn impossible_shapes_are_refused_by_name() {
        let plain = NetworkShape::plain(64);
        assert!(plain.checked().is_ok() && plain.is_plain());
        for (shape, word) in [
            (NetworkShape { width: 17, ..plain }, "17 hidden units"),
            (NetworkShape { king_buckets: 2, ..plain }, "2 king buckets"),
            (NetworkShape { output_buckets: 9, ..plain }, "9 output buckets"),
        ] {
            assert!(shape.checked().unwrap_err().reason().contains(word));
        }
    }
}
