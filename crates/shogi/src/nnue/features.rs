//! The inputs of the networks: which of them a position sets, as each side sees it.
//!
//! A side sees the board from its own end. A piece has a number (Hoki's Bonanza, hence "BonaPiece"):
//!
//! | numbers | what |
//! |---|---|
//! | 0 | a piece that is not there, set once for each piece that a handicap took off |
//! | 1-89 | the first, second … piece of a kind in hand: own pawns from 1, the enemy's from 20, lances from 39 and 44, knights 49 and 54, silvers 59 and 64, golds 69 and 74, bishops 79 and 82, rooks 85 and 88 |
//! | 90-1547 | pieces on the board: `90 + 162 * kind + 81 * enemy + square`, the kinds being pawn, lance, knight, silver, gold and its like, bishop, horse, rook, dragon |
//! | 1548-1709 | the own king and the enemy's: `1548 + 81 * enemy + square` |
//!
//! A set of features takes all or some of these, in most sets once for each square of the own king.

use crate::accumulator::{InputView, MOST_SET};
use crate::network::features::{SQUARES, mirrors};
use crate::rules::hand::Hand;
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;

/// Numbers of pieces without the kings.
pub(super) const WITHOUT_KINGS: usize = 1548;
/// The first number of a piece on the board.
const ON_BOARD: usize = 90;
const OWN_KING: usize = WITHOUT_KINGS;
const ENEMY_KING: usize = OWN_KING + 81;
/// Numbers of pieces with both kings.
const WITH_KINGS: usize = ENEMY_KING + 81;
/// Pieces of a set without the kings.
const PIECES: usize = 38;
/// Squares of a king.
pub(super) const SEATS: usize = 81;
const _: () = assert!(PIECES + 4 == MOST_SET);
/// Pairs of numbers of own and enemy attackers, each counted up to two.
const ATTACKS: usize = 9;

/// How the inputs depend on the square of the own king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planes {
    /// Not at all.
    One,
    /// Separate inputs for every square of the own king.
    Squares,
    /// As [`Planes::Squares`], with the board mirrored if the king stands on files 6 to 9.
    Mirrored,
}

/// Which inputs the kings set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KingInputs {
    /// None.
    Absent,
    /// One each, by their numbers.
    Apart,
    /// One each, by the numbers of the own king.
    Merged,
    /// Two each: as [`KingInputs::Merged`], and behind those inputs as [`KingInputs::Apart`].
    Both,
}

/// A set of features.
#[derive(Debug, PartialEq, Eq)]
pub struct FeatureSet {
    /// The name in the descriptions of files.
    pub name: &'static str,
    /// The hash in files.
    pub(super) hash: u32,
    planes: Planes,
    kings: KingInputs,
    /// Whether the attackers of a piece's square count.
    attacks: bool,
}

/// The hash of two sets one behind the other.
const fn joined(first: u32, second: u32) -> u32 {
    first ^ second << 1 ^ second >> 31
}

const fn set(name: &'static str, hash: u32, planes: Planes, kings: KingInputs) -> FeatureSet {
    FeatureSet { name, hash, planes, kings, attacks: false }
}

/// All sets of features that there are files for.
pub(super) static FEATURE_SETS: [FeatureSet; 9] = [
    set("HalfKP", 0x5d69_d5b8, Planes::Squares, KingInputs::Absent),
    set("K+P", joined(0xd3ce_e169, 0x764c_fb4b), Planes::One, KingInputs::Apart),
    set("K+A2", joined(0xd3ce_e169, 0xa20d_cb9b), Planes::One, KingInputs::Both),
    FeatureSet { attacks: true, ..set("HalfKPE9", 0x5d69_d5b8, Planes::Squares, KingInputs::Absent) },
    set("HalfKP_vm", 0x0b6b_1d9a, Planes::Mirrored, KingInputs::Absent),
    set("HalfKA1", 0x5f13_4cb8, Planes::Squares, KingInputs::Apart),
    set("HalfKA2", 0x5f23_4cb8, Planes::Squares, KingInputs::Merged),
    set("HalfKA_hm1", 0x7f13_4cb8, Planes::Mirrored, KingInputs::Apart),
    set("HalfKA_hm2", 0x7f23_4cb8, Planes::Mirrored, KingInputs::Merged),
];

/// The set whose inputs are pairs of a king and a piece, each by its number.
pub(super) static HALF_KP: FeatureSet = set("HalfKP", 0x5d69_d5b8, Planes::Squares, KingInputs::Absent);

/// The set that has each piece's number, and those of the kings behind them.
static K_P: FeatureSet = set("K+P", joined(0xd3ce_e169, 0x764c_fb4b), Planes::One, KingInputs::Apart);

/// The most pieces of a kind in hand: pawn, lance, knight, silver, bishop, rook, gold.
const MOST_IN_HAND: [u32; 7] = [18, 4, 4, 4, 2, 2, 4];

/// The first numbers of pieces in hand, own and enemy's: pawn, lance, knight, silver, bishop, rook, gold.
const IN_HAND: [[u8; 7]; 2] = [[1, 39, 49, 59, 79, 85, 69], [20, 44, 54, 64, 82, 88, 74]];

/// The first number of each piece on the board by the side that sees it; kings have [`OWN_KING`] and
/// [`ENEMY_KING`].
static FIRST: [[u16; 32]; 2] = first_numbers();

const fn first_numbers() -> [[u16; 32]; 2] {
    // The row of each kind: pawn, lance, knight, silver, bishop, rook, gold, king, and the promoted ones.
    const ROWS: [usize; 14] = [0, 1, 2, 3, 5, 7, 4, 9, 4, 4, 4, 4, 6, 8];
    let mut table = [[0; 32]; 2];
    let mut kind = 0;
    while kind < ROWS.len() {
        let own = (ON_BOARD + 162 * ROWS[kind]) as u16;
        let black = Piece::new(Side::First, PieceKind(kind as u8)).index();
        let white = Piece::new(Side::Second, PieceKind(kind as u8)).index();
        table[0][black] = own;
        table[0][white] = own + 81;
        table[1][white] = own;
        table[1][black] = own + 81;
        kind += 1;
    }
    table
}
const _: () = assert!(ON_BOARD + 162 * 9 == OWN_KING);

impl FeatureSet {
    /// Inputs for one square of the king.
    const fn plane(&self) -> usize {
        match self.kings {
            KingInputs::Absent => WITHOUT_KINGS,
            KingInputs::Apart => WITH_KINGS,
            KingInputs::Merged => ENEMY_KING,
            KingInputs::Both => ENEMY_KING + 162,
        }
    }

    /// Inputs without the distinction by attacks.
    const fn unattacked(&self) -> usize {
        self.plane()
            * match self.planes {
                Planes::One => 1,
                Planes::Squares => 81,
                Planes::Mirrored => 45,
            }
    }

    /// All inputs of one side.
    pub const fn inputs(&self) -> usize {
        self.unattacked() * if self.attacks { ATTACKS } else { 1 }
    }

    /// Whether inputs depend on the square of the own king, so that it changes all of them.
    #[inline(always)]
    pub fn follows_king(&self) -> bool {
        self.planes != Planes::One
    }

    /// Whether a move may change inputs of pieces that it does not touch.
    #[inline(always)]
    pub(super) fn counts_attacks(&self) -> bool {
        self.attacks
    }

    /// How `side` sees `position`.
    #[inline(always)]
    pub(super) fn view(&'static self, position: &ShogiPosition, side: Side) -> NnuePerspective {
        let king = position.king(side);
        let mirrored = self.planes == Planes::Mirrored && mirrors(side, king);
        let plane = if self.follows_king() { seen(side, mirrored, seat(king)) } else { 0 };
        NnuePerspective { set: self, side, mirrored, origin: plane * self.plane() }
    }
}

/// The square of a king; 1a, without significance, for a king that is not on the board.
#[inline(always)]
pub(super) fn seat(king: Square) -> Square {
    if king.is_some() { king } else { Square(0) }
}

#[inline(always)]
fn seen(side: Side, mirrored: bool, square: Square) -> usize {
    usize::from(SQUARES[2 * side.index() + usize::from(mirrored)][square.index()])
}

/// How one side sees the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NnuePerspective {
    set: &'static FeatureSet,
    side: Side,
    mirrored: bool,
    /// The first input for this square of the own king.
    origin: usize,
}

impl InputView for NnuePerspective {
    #[inline(always)]
    fn on_board(self, piece: Piece, square: Square, attacks: usize, mut set: impl FnMut(usize)) {
        let first = usize::from(FIRST[self.side.index()][piece.index()]);
        let square = seen(self.side, self.mirrored, square);
        if first < OWN_KING {
            return set(self.origin + first + square + attacks * self.set.unattacked());
        }
        match self.set.kings {
            KingInputs::Absent => {}
            KingInputs::Apart => set(self.origin + first + square),
            KingInputs::Merged => set(self.origin + OWN_KING + square),
            KingInputs::Both => {
                set(self.origin + OWN_KING + square);
                set(self.origin + ENEMY_KING + first - OWN_KING + square);
            }
        }
    }

    #[inline(always)]
    fn in_hand(self, holder: Side, kind: PieceKind, count: u32) -> usize {
        let enemy = usize::from(holder != self.side);
        self.origin + usize::from(IN_HAND[enemy][kind.index() % 7]) + count as usize - 1
    }

    #[inline(always)]
    fn missing(self) -> usize {
        self.origin
    }
}

impl NnuePerspective {
    /// Shows every input that is set, as often as it is set.
    pub(super) fn visit(self, position: &ShogiPosition, mut set: impl FnMut(usize)) {
        for square in position.occupied() {
            let attacks = if self.set.attacks { attacks(position, self.side, square) } else { 0 };
            self.on_board(position.piece_on(square), square, attacks, &mut set);
        }
        for holder in [Side::First, Side::Second] {
            for kind in PieceKind::DROPPABLE {
                for count in 1..=position.hand(holder).count(kind) {
                    set(self.in_hand(holder, kind, count));
                }
            }
        }
        for _ in 0..missing(position) {
            set(self.missing());
        }
    }
}

/// The numbers of the pieces and kings of a position, from which the inputs of both sides follow; what a
/// trainer keeps of a position.
#[derive(Debug)]
pub struct FeatureIndices {
    /// For each input of the side to move the corresponding one: itself, mirrored, of the other side, and of the other
    /// side mirrored.
    views: [Vec<u16>; 4],
}

impl Default for FeatureIndices {
    fn default() -> FeatureIndices {
        FeatureIndices::new()
    }
}

impl FeatureIndices {
    /// How many numbers a position has, if no piece is there twice.
    pub const COUNT: usize = PIECES + 2;

    /// The tables.
    pub fn new() -> FeatureIndices {
        let view = |side, mirrored| NnuePerspective { set: &K_P, side, mirrored, origin: 0 };
        let from = view(Side::First, false);
        let table = |to: NnuePerspective| {
            let mut table = vec![0; WITH_KINGS];
            for holder in [Side::First, Side::Second] {
                for kind in PieceKind::all() {
                    let piece = Piece::new(holder, kind);
                    for square in Square::all() {
                        from.on_board(piece, square, 0, |from| {
                            to.on_board(piece, square, 0, |to| table[from] = to as u16);
                        });
                    }
                }
                for kind in PieceKind::DROPPABLE {
                    for count in 1..=MOST_IN_HAND[kind.index()] {
                        table[from.in_hand(holder, kind, count)] = to.in_hand(holder, kind, count) as u16;
                    }
                }
            }
            table
        };
        FeatureIndices {
            views: [(Side::First, false), (Side::First, true), (Side::Second, false), (Side::Second, true)]
                .map(|(side, mirrored)| table(view(side, mirrored))),
        }
    }

    /// Shows the numbers of a position as its side to move sees it.
    pub fn visit(position: &ShogiPosition, mut show: impl FnMut(usize)) {
        K_P.view(position, position.side_to_move()).visit(position, &mut show);
    }

    /// Shows the inputs of `set` that one side sees in the position of `numbers`, or in its mirror image: the side
    /// to move, or the `other` one.
    #[inline(always)]
    pub fn inputs(
        &self,
        set: &FeatureSet,
        numbers: &[u16],
        other: bool,
        mirrored: bool,
        mut show: impl FnMut(usize),
    ) {
        let view = &self.views[2 * usize::from(other) + usize::from(mirrored)];
        if !set.follows_king() {
            return numbers.iter().for_each(|&number| show(view[usize::from(number)].into()));
        }
        let mut seen = numbers.iter().map(|&number| usize::from(view[usize::from(number)]));
        let king = seen.clone().find(|number| (OWN_KING..ENEMY_KING).contains(number));
        let plane = (king.unwrap_or(OWN_KING) - OWN_KING) * WITHOUT_KINGS;
        seen.by_ref().filter(|&number| number < WITHOUT_KINGS).for_each(|number| show(plane + number));
    }
}

impl FeatureSet {
    /// Whether its inputs follow from [`FeatureIndices`].
    pub fn follows_from_numbers(&self) -> bool {
        !self.attacks
            && matches!(
                (self.planes, self.kings),
                (Planes::One, KingInputs::Apart) | (Planes::Squares, KingInputs::Absent)
            )
    }

    /// For each input the ones of K+P that say the same together: the number of the piece and that of the own
    /// king, which is the same for all pieces.
    pub fn piece_and_king(&self, input: usize) -> [usize; 2] {
        [input % self.plane(), OWN_KING + input / self.plane()]
    }
}

/// The number that stands for the own king on a square.
pub const fn own_king(square: usize) -> usize {
    OWN_KING + square
}

/// The number that stands for the enemy's king on a square.
pub const fn enemy_king(square: usize) -> usize {
    ENEMY_KING + square
}

/// How many pieces of a set are neither on the board nor in a hand, kings apart.
pub(super) fn missing(position: &ShogiPosition) -> usize {
    let kings = position.kind(PieceKind::KING).count();
    let there =
        position.occupied().count() - kings + position.hands().into_iter().map(Hand::total).sum::<u32>();
    PIECES.saturating_sub(there as usize)
}

/// Which pair of numbers of attackers a square has, as `side` sees it: `3 * own + enemy`.
pub(super) fn attacks(position: &ShogiPosition, side: Side, square: Square) -> usize {
    let of = |side| position.attackers(side, square, position.occupied()).count().min(2) as usize;
    3 * of(side) + of(side.other())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use crate::rules::sfen::parse;

    fn inputs(name: &str, sfen: &str, side: Side) -> Vec<usize> {
        let position = parse(sfen).unwrap();
        let set = FEATURE_SETS.iter().find(|set| set.name == name).unwrap();
        let mut inputs = Vec::new();
        set.view(&position, side).visit(&position, |input| inputs.push(input));
        inputs.sort_unstable();
        assert!(inputs.iter().all(|&input| input < set.inputs()), "{name}");
        inputs
    }

    #[test]
    fn the_sets_have_the_sizes_of_their_files() {
        let sizes: Vec<usize> = FEATURE_SETS.iter().map(FeatureSet::inputs).collect();
        assert_eq!(sizes, [125_388, 1_710, 1_791, 1_128_492, 69_660, 138_510, 131_949, 76_950, 73_305]);
    }

    #[test]
    fn a_whole_set_of_pieces_sets_different_inputs() {
        for (set, set_inputs) in FEATURE_SETS.iter().zip([38, 40, 42, 38, 38, 40, 40, 40, 40]) {
            for sfen in [START, "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"] {
                for side in [Side::First, Side::Second] {
                    let mut inputs = inputs(set.name, sfen, side);
                    inputs.dedup();
                    assert_eq!(inputs.len(), set_inputs, "{} {sfen}", set.name);
                }
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_table() {
        // Kings 5i and 5a; a black pawn 7f, a white rook 8b, Black two pawns in hand, White a gold.
        let sfen = "4k4/1r7/9/9/9/2P6/9/9/4K4 b 2Pg 1";
        let of = |square: (usize, usize)| 9 * (square.0 - 1) + square.1 - 1;
        let missing = [0; 33];
        let expected = |king: usize, plane: usize, numbers: &[usize]| {
            let mut inputs: Vec<usize> = missing.iter().chain(numbers).map(|n| king * plane + n).collect();
            inputs.sort_unstable();
            inputs
        };
        let black = [1, 2, 74, 90 + of((7, 6)), 90 + 7 * 162 + 81 + of((8, 2))];
        let white = [20, 21, 69, 90 + 81 + of((3, 4)), 90 + 7 * 162 + of((2, 8))];
        assert_eq!(inputs("HalfKP", sfen, Side::First), expected(of((5, 9)), 1548, &black));
        assert_eq!(inputs("HalfKP", sfen, Side::Second), expected(of((5, 9)), 1548, &white));
        let kings = [1548 + of((5, 9)), 1548 + 81 + of((5, 1))];
        assert_eq!(inputs("K+P", sfen, Side::First), expected(0, 0, &[&black[..], &kings].concat()));
        let merged = [1548 + of((5, 9)), 1548 + of((5, 1))];
        let whole = [&black[..], &merged].concat();
        assert_eq!(inputs("HalfKA2", sfen, Side::First), expected(of((5, 9)), 1629, &whole));
    }

    #[test]
    fn inputs_follow_from_numbers() {
        let tables = FeatureIndices::new();
        let mut sets = 0;
        for set in FEATURE_SETS.iter().filter(|set| set.follows_from_numbers()) {
            sets += 1;
            for (sfen, mirrored) in [
                (START, "lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL b - 1"),
                ("4k4/1r7/9/9/9/2P6/9/9/4K4 b 2Pg 1", "4k4/7r1/9/9/9/6P2/9/9/4K4 b 2Pg 1"),
                (
                    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
                    "ln6l/kg1+P5/3S1pn2/pP4p1p/1pS2P3/P1P2bPP1/1SG5P/8R/LKb4NL w RGgsn5p 1",
                ),
            ] {
                let position = parse(sfen).unwrap();
                let us = position.side_to_move();
                let mut numbers = Vec::new();
                FeatureIndices::visit(&position, |number| numbers.push(number as u16));
                assert_eq!(numbers.len(), FeatureIndices::COUNT);
                for (other, side) in [(false, us), (true, us.other())] {
                    for (image, sfen) in [(false, sfen), (true, mirrored)] {
                        let mut found = Vec::new();
                        tables.inputs(set, &numbers, other, image, |input| found.push(input));
                        found.sort_unstable();
                        assert_eq!(found, inputs(set.name, sfen, side), "{} {sfen}", set.name);
                    }
                }
            }
        }
        assert_eq!(sets, 2);
    }

    #[test]
    fn mirrored_sets_see_mirrored_positions_alike() {
        let one = "lnsgk1snl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B1K3R1/LNSG1GSNL b - 1";
        let other = "lns1kgsnl/1b5r1/pp1pppppp/2p6/9/6P2/PPPPPP1PP/1R3K1B1/LNSG1GSNL b - 1";
        for name in ["HalfKP_vm", "HalfKA_hm1", "HalfKA_hm2"] {
            assert_eq!(inputs(name, one, Side::First), inputs(name, other, Side::First), "{name}");
        }
        assert_ne!(inputs("HalfKP", one, Side::First), inputs("HalfKP", other, Side::First));
    }

    #[test]
    fn attackers_of_both_sides_are_counted_up_to_two() {
        let position = parse("4k4/9/9/4r4/4p4/4P4/3GRG3/9/4K4 b - 1").unwrap();
        let at = |file: u8, rank: u8| Square::new(file - 1, rank - 1);
        assert_eq!(attacks(&position, Side::First, at(5, 6)), 3 * 2 + 1);
        assert_eq!(attacks(&position, Side::Second, at(5, 6)), 3 + 2);
        assert_eq!(attacks(&position, Side::First, at(5, 5)), 3 + 1);
    }
}
