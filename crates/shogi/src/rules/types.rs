//! Squares, kinds of pieces, pieces and moves.

use std::fmt;

use kaeshi_core::game::Side;

/// A square, numbered file by file: `9 * file + rank`, with 1a as 0, 1i as 8 and 9i as 80.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub u8);

impl Square {
    /// Stands for the place of a king that is not on the board.
    pub const NONE: Square = Square(127);

    /// The square on this file (0 for file 1) and rank (0 for rank a).
    #[inline(always)]
    pub const fn new(file: u8, rank: u8) -> Square {
        debug_assert!(file < 9 && rank < 9);
        Square(file * 9 + rank)
    }

    /// The square with this number, if there is one.
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < 81 { Some(Square(index as u8)) } else { None }
    }

    /// 0 for file 1, 8 for file 9.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 / 9
    }

    /// 0 for rank a, 8 for rank i.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 % 9
    }

    /// Index into tables of 128 entries, which therefore need no bounds check.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 127) as usize
    }

    /// Whether this is a square of the board.
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 < 81
    }

    /// The square seen from the other side of the board.
    #[inline(always)]
    pub const fn rotated(self) -> Square {
        Square(80 - self.0)
    }

    /// The square as `side` sees it: unchanged for Black, rotated for White.
    #[inline(always)]
    pub const fn seen_by(self, side: Side) -> Square {
        match side {
            Side::First => self,
            Side::Second => self.rotated(),
        }
    }

    /// All squares in order.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..81).map(Square)
    }

    /// Number of king's steps to `other`.
    #[inline(always)]
    pub const fn distance(self, other: Square) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file() + 1, (b'a' + self.rank()) as char)
    }
}

/// A kind of piece; the promoted one is the plain one plus 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PieceKind(pub u8);

#[allow(missing_docs)]
impl PieceKind {
    pub const PAWN: PieceKind = PieceKind(0);
    pub const LANCE: PieceKind = PieceKind(1);
    pub const KNIGHT: PieceKind = PieceKind(2);
    pub const SILVER: PieceKind = PieceKind(3);
    pub const BISHOP: PieceKind = PieceKind(4);
    pub const ROOK: PieceKind = PieceKind(5);
    pub const GOLD: PieceKind = PieceKind(6);
    pub const KING: PieceKind = PieceKind(7);
    pub const TOKIN: PieceKind = PieceKind(8);
    pub const PRO_LANCE: PieceKind = PieceKind(9);
    pub const PRO_KNIGHT: PieceKind = PieceKind(10);
    pub const PRO_SILVER: PieceKind = PieceKind(11);
    pub const HORSE: PieceKind = PieceKind(12);
    pub const DRAGON: PieceKind = PieceKind(13);
}

impl PieceKind {
    /// How many kinds there are.
    pub const COUNT: usize = 14;
    /// The kinds that can be held in hand.
    pub const DROPPABLE: [PieceKind; 7] = [
        PieceKind::PAWN,
        PieceKind::LANCE,
        PieceKind::KNIGHT,
        PieceKind::SILVER,
        PieceKind::BISHOP,
        PieceKind::ROOK,
        PieceKind::GOLD,
    ];
    /// The kinds of [`PieceKind::DROPPABLE`] in the order of SFEN and of piece stands, the strongest first.
    pub const STAND: [PieceKind; 7] = [
        PieceKind::ROOK,
        PieceKind::BISHOP,
        PieceKind::GOLD,
        PieceKind::SILVER,
        PieceKind::KNIGHT,
        PieceKind::LANCE,
        PieceKind::PAWN,
    ];
    /// How many pieces of each of [`PieceKind::DROPPABLE`] a set has.
    pub const IN_SET: [u32; 7] = [18, 4, 4, 4, 2, 2, 4];

    /// All kinds.
    pub fn all() -> impl Iterator<Item = PieceKind> {
        (0..14).map(PieceKind)
    }

    /// Index into tables of 16 entries.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Whether the kind has a promoted form.
    #[inline(always)]
    pub const fn can_promote(self) -> bool {
        self.0 < 6
    }

    /// Whether it is a promoted form.
    #[inline(always)]
    pub const fn is_promoted(self) -> bool {
        self.0 >= 8
    }

    /// The promoted form of a kind that has one.
    #[inline(always)]
    pub const fn promoted(self) -> PieceKind {
        debug_assert!(self.can_promote());
        PieceKind(self.0 + 8)
    }

    /// The kind without its promotion, as it is held in hand.
    #[inline(always)]
    pub const fn plain(self) -> PieceKind {
        PieceKind(self.0 & 7)
    }

    /// Whether it moves like a gold.
    #[inline(always)]
    pub const fn is_goldlike(self) -> bool {
        self.0 == 6 || (self.0 >= 8 && self.0 <= 11)
    }

    /// The letter of the plain kind, as SFEN writes it for Black.
    pub const fn letter(self) -> char {
        b"PLNSBRGK"[(self.0 & 7) as usize] as char
    }

    /// The plain kind of an SFEN letter of either case.
    pub fn from_letter(letter: char) -> Option<PieceKind> {
        (0..8).map(PieceKind).find(|kind| kind.letter() == letter.to_ascii_uppercase())
    }

    /// The English name.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 14] = [
            "pawn",
            "lance",
            "knight",
            "silver",
            "bishop",
            "rook",
            "gold",
            "king",
            "tokin",
            "promoted lance",
            "promoted knight",
            "promoted silver",
            "horse",
            "dragon",
        ];
        NAMES[self.index()]
    }
}

impl fmt::Debug for PieceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A piece of one side, or no piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece(u8);

impl Piece {
    /// No piece.
    pub const NONE: Piece = Piece(15);

    /// A piece of `side`.
    #[inline(always)]
    pub const fn new(side: Side, kind: PieceKind) -> Piece {
        Piece(kind.0 | (side as u8) << 4)
    }

    /// Its side; meaningless for [`Piece::NONE`].
    #[inline(always)]
    pub const fn side(self) -> Side {
        if self.0 & 16 == 0 { Side::First } else { Side::Second }
    }

    /// Its kind; meaningless for [`Piece::NONE`].
    #[inline(always)]
    pub const fn kind(self) -> PieceKind {
        PieceKind(self.0 & 15)
    }

    /// Index into tables of 32 entries.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Whether there is a piece at all.
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 15
    }

    /// The piece, or `None` for an empty square.
    #[inline(always)]
    pub const fn some(self) -> Option<Piece> {
        if self.is_some() { Some(self) } else { None }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(piece) = self.some() else { return f.write_str("none") };
        let letter = piece.kind().letter();
        let letter = if piece.side() == Side::First { letter } else { letter.to_ascii_lowercase() };
        write!(f, "{}{letter}", if piece.kind().is_promoted() { "+" } else { "" })
    }
}

/// A move in 16 bits: destination, origin or dropped kind, drop flag, promotion flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u16);

impl Move {
    /// No move.
    pub const NONE: Move = Move(0);
    const DROP: u16 = 1 << 14;
    const PROMOTE: u16 = 1 << 15;

    /// A move on the board.
    #[inline(always)]
    pub const fn step(from: Square, to: Square, promote: bool) -> Move {
        Move(to.0 as u16 | (from.0 as u16) << 7 | (promote as u16) << 15)
    }

    /// A drop.
    #[inline(always)]
    pub const fn drop(kind: PieceKind, to: Square) -> Move {
        Move(to.0 as u16 | (kind.0 as u16) << 7 | Move::DROP)
    }

    /// The destination.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square((self.0 & 127) as u8)
    }

    /// The origin of a move on the board.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square((self.0 >> 7 & 127) as u8)
    }

    /// The dropped kind of a drop.
    #[inline(always)]
    pub const fn dropped(self) -> PieceKind {
        PieceKind((self.0 >> 7 & 7) as u8)
    }

    /// Whether it is a drop.
    #[inline(always)]
    pub const fn is_drop(self) -> bool {
        self.0 & Move::DROP != 0
    }

    /// Whether it promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & Move::PROMOTE != 0
    }

    /// Whether it is a move at all.
    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Its 16 bits.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move with these bits; they may mean nothing in a position.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_drop() {
            write!(f, "{}*{}", self.dropped().letter(), self.to())
        } else {
            write!(f, "{}{}{}", self.from(), self.to(), if self.is_promotion() { "+" } else { "" })
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
