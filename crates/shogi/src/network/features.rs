//! The inputs of the network: which of them a position sets, as each side sees it.
//!
//! A side sees the board from its own end and, when its king stands to the right of the middle
//! file as it sees it, mirrored, so that the own king is always on files 1 to 5. An input is set
//! for every piece on the board (own or enemy, kind, square) and for every count in hand up to the
//! number held: a side with two silvers in hand sets "at least one" and "at least two".
//!
//! | inputs of the own side | then the same of the enemy |
//! |---|---|
//! | `kind * 81 + square`: 14 kinds, the king being one | plus [`OF_SIDE`] |
//! | `ON_BOARD` `+ first[kind] + count - 1`: 18 pawns, 4 lances, knights, silvers, 2 bishops, rooks, 4 golds | plus [`OF_SIDE`] |

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::Side;

/// Inputs of one side's pieces on the board.
const ON_BOARD: usize = 14 * 81;
/// Inputs of one side's pieces in hand.
const IN_HAND: usize = 38;
/// Inputs of one side's pieces.
pub const OF_SIDE: usize = ON_BOARD + IN_HAND;
/// All inputs that one side sees.
pub const INPUTS: usize = 2 * OF_SIDE;
/// The first input of the own king's squares, which are the mirrored ones of its side.
pub const OWN_KING: usize = 7 * 81;
/// How many inputs are set at most: the pieces of a set.
pub const MOST_SET: usize = 40;

/// The first input of each kind in hand: pawn, lance, knight, silver, bishop, rook, gold.
const FIRST_COUNT: [usize; 7] = [0, 18, 22, 26, 30, 32, 34];

/// How one side sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkPerspective {
    side: Side,
    mirrored: bool,
}

/// Squares by side and mirroring: those that side `i` sees at `2 * i`, mirrored at `2 * i + 1`.
pub static SQUARES: [[u8; 128]; 4] = squares();
/// First inputs of pieces on the board by the viewing side.
static PIECES: [[u16; 32]; 2] = pieces();

const fn squares() -> [[u8; 128]; 4] {
    let mut table = [[0; 128]; 4];
    let mut number = 0;
    while number < 81 {
        let square = Square(number);
        table[0][number as usize] = square.0;
        table[1][number as usize] = mirror(square).0;
        table[2][number as usize] = square.rotated().0;
        table[3][number as usize] = mirror(square.rotated()).0;
        number += 1;
    }
    table
}

const fn mirror(square: Square) -> Square {
    Square::new(8 - square.file(), square.rank())
}

const fn pieces() -> [[u16; 32]; 2] {
    let mut table = [[0; 32]; 2];
    let mut kind = 0;
    while kind < 14 {
        let own = kind as usize * 81;
        let black = Piece::new(Side::First, PieceKind(kind)).index();
        let white = Piece::new(Side::Second, PieceKind(kind)).index();
        table[0][black] = own as u16;
        table[0][white] = (own + OF_SIDE) as u16;
        table[1][white] = own as u16;
        table[1][black] = (own + OF_SIDE) as u16;
        kind += 1;
    }
    table
}

/// Whether a king on this square makes its side see the board mirrored.
#[inline(always)]
pub fn mirrors(side: Side, king: Square) -> bool {
    king.is_some() && king.seen_by(side).file() > 4
}

impl NetworkPerspective {
    /// How `side` sees `position`.
    #[inline(always)]
    pub fn of(position: &ShogiPosition, side: Side) -> NetworkPerspective {
        NetworkPerspective::of_king(side, position.king(side))
    }

    /// How `side` sees the board with its king on this square.
    #[inline(always)]
    pub fn of_king(side: Side, king: Square) -> NetworkPerspective {
        NetworkPerspective { side, mirrored: mirrors(side, king) }
    }

    /// How `side` sees the board wherever its king stands.
    pub fn unmirrored(side: Side) -> NetworkPerspective {
        NetworkPerspective { side, mirrored: false }
    }

    /// Whether files run the other way.
    pub fn is_mirrored(self) -> bool {
        self.mirrored
    }

    /// The input of a piece on the board.
    #[inline(always)]
    pub fn on_board(self, piece: Piece, square: Square) -> usize {
        let view = 2 * self.side.index() + usize::from(self.mirrored);
        usize::from(PIECES[self.side.index()][piece.index()]) + usize::from(SQUARES[view][square.index()])
    }

    /// The input of the `count`th piece (1 for the first) of `kind` in `holder`'s hand.
    #[inline(always)]
    pub fn in_hand(self, holder: Side, kind: PieceKind, count: u32) -> usize {
        let enemy = if holder == self.side { 0 } else { OF_SIDE };
        enemy + ON_BOARD + FIRST_COUNT[kind.index() % 7] + count as usize - 1
    }

    /// Shows every input that the viewing side's own pieces set: those below [`OF_SIDE`].
    #[inline(always)]
    pub fn visit_own(self, position: &ShogiPosition, mut set: impl FnMut(usize)) {
        for square in position.of(self.side) {
            set(self.on_board(position.piece_on(square), square));
        }
        self.visit_hand(position, self.side, &mut set);
    }

    #[inline(always)]
    fn visit_hand(self, position: &ShogiPosition, holder: Side, set: &mut impl FnMut(usize)) {
        let hand = position.hand(holder);
        if hand.is_empty() {
            return;
        }
        for kind in PieceKind::DROPPABLE {
            for count in 1..=hand.count(kind) {
                set(self.in_hand(holder, kind, count));
            }
        }
    }

    /// Shows every input that is set.
    #[inline(always)]
    pub fn visit(self, position: &ShogiPosition, mut set: impl FnMut(usize)) {
        for square in position.occupied() {
            set(self.on_board(position.piece_on(square), square));
        }
        for holder in [Side::First, Side::Second] {
            self.visit_hand(position, holder, &mut set);
        }
    }
}

/// Kinds of pieces on the board, then of pieces in hand.
pub const PIECE_KINDS: usize = 14 + FIRST_COUNT.len();

/// Which of [`PIECE_KINDS`] sets an input below [`OF_SIDE`].
pub fn piece_kind(input: usize) -> usize {
    match input.checked_sub(ON_BOARD) {
        None => input / 81,
        Some(place) => 13 + FIRST_COUNT.iter().filter(|&&first| first <= place).count(),
    }
}

/// The input under which the mirrored view shows what the unmirrored one shows under `input`.
pub fn mirrored(input: usize) -> usize {
    let (enemy, own) = (input / OF_SIDE * OF_SIDE, input % OF_SIDE);
    if own >= ON_BOARD {
        return input;
    }
    let square = mirror(Square((own % 81) as u8));
    enemy + own - own % 81 + usize::from(square.0)
}

/// The input under which the other side, unmirrored, sees what one side, unmirrored, sees under `input`.
pub fn turned(input: usize) -> usize {
    let (enemy, own) = (input / OF_SIDE, input % OF_SIDE);
    let turned = if own >= ON_BOARD { own } else { own - own % 81 + 80 - own % 81 };
    (1 - enemy) * OF_SIDE + turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sfen::parse;

    fn inputs(sfen: &str, side: Side) -> Vec<usize> {
        let position = parse(sfen).unwrap();
        let mut inputs = Vec::new();
        NetworkPerspective::of(&position, side).visit(&position, |input| inputs.push(input));
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn a_whole_set_sets_forty_different_inputs() {
        for sfen in [
            crate::rules::handicap::START,
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        ] {
            for side in [Side::First, Side::Second] {
                let mut inputs = inputs(sfen, side);
                inputs.dedup();
                assert_eq!(inputs.len(), MOST_SET, "{sfen}");
                assert!(inputs.iter().all(|&input| input < INPUTS));
            }
        }
    }

    #[test]
    fn mirrored_positions_look_the_same() {
        let one = "lnsgk1snl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B1K3R1/LNSG1GSNL b - 1";
        let other = "lns1kgsnl/1b5r1/pp1pppppp/2p6/9/6P2/PPPPPP1PP/1R3K1B1/LNSG1GSNL b - 1";
        assert_eq!(inputs(one, Side::First), inputs(other, Side::First));
        assert_ne!(inputs(one, Side::Second), inputs(other, Side::Second));
    }

    #[test]
    fn the_own_king_is_always_on_the_near_files() {
        for square in Square::all().filter(|square| *square != Square::new(4, 0)) {
            let mut position = ShogiPosition::default();
            position.put(Piece::new(Side::First, PieceKind::KING), square);
            position.put(Piece::new(Side::Second, PieceKind::KING), square.rotated());
            for side in [Side::First, Side::Second] {
                let view = NetworkPerspective::of(&position, side);
                let seen = view.on_board(Piece::new(side, PieceKind::KING), position.king(side)) - 7 * 81;
                assert!(Square(seen as u8).file() <= 4, "{square}");
            }
        }
    }

    #[test]
    fn the_tables_of_views_follow_the_definition() {
        let position =
            parse("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1").unwrap();
        let collect = |view: NetworkPerspective| {
            let mut inputs = Vec::new();
            view.visit(&position, |input| inputs.push(input));
            inputs
        };
        let plain = NetworkPerspective::unmirrored;
        for side in [Side::First, Side::Second] {
            let base = collect(plain(side));
            let turned: Vec<usize> = base.iter().map(|&input| turned(input)).collect();
            assert_eq!(turned, collect(plain(side.other())));
            let mirrored: Vec<usize> = base.iter().map(|&input| mirrored(input)).collect();
            assert_eq!(mirrored, collect(NetworkPerspective { side, mirrored: true }));
        }
    }
}
