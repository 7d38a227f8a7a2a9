//! Positions in 32 bytes, as YaneuraOu (`PackedSfen`) and Apery (`HuffmanCodedPos`) pack them.
//!
//! A stream of bits, the lowest of each byte first: the side to move, the squares of both kings with 7 bits each, the
//! other squares in order, the hands of Black and of White, and the pieces missing from a set. Kinds have Huffman
//! codes; a set of pieces always fills 256 bits, wherever they are. Formats: `source/extra/sfen_packer.cpp` of
//! <https://github.com/yaneurao/YaneuraOu>, `HuffmanCodedPos` in `src/position.cpp` of
//! <https://github.com/TadaoYamaoka/cshogi>.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::rules::position::ShogiPosition;
use crate::rules::sfen;
use crate::rules::types::{Piece, PieceKind, Square};
use kaeshi_core::game::{GameError, Side};

/// A packed position.
pub type PackedPosition = [u8; 32];

/// The program whose encoding is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// `PackedSfen`.
    YaneuraOu,
    /// `HuffmanCodedPos`: the codes of knight and silver are exchanged, and so are the bits of promotion and side on
    /// the board. Of bishops and rooks off the board the last bit of the code says whether they are in a hand, and
    /// the next one which of both they are.
    Apery,
}

/// Kinds in the order of hands, with their codes behind the first bit, which says that a square is not empty:
/// bits, lowest first, and how many.
type Codes = [(PieceKind, u32, u32); 7];

const fn codes(knight: u32, silver: u32) -> Codes {
    [
        (PieceKind::PAWN, 0b0, 1),
        (PieceKind::LANCE, 0b001, 3),
        (PieceKind::KNIGHT, knight, 3),
        (PieceKind::SILVER, silver, 3),
        (PieceKind::GOLD, 0b0111, 4),
        (PieceKind::BISHOP, 0b0_1111, 5),
        (PieceKind::ROOK, 0b1_1111, 5),
    ]
}

const OF_YANEURAOU: Codes = codes(0b101, 0b011);
const OF_APERY: Codes = codes(0b011, 0b101);

impl Coding {
    const fn codes(self) -> &'static Codes {
        match self {
            Coding::YaneuraOu => &OF_YANEURAOU,
            Coding::Apery => &OF_APERY,
        }
    }
}

/// Kinds whose code Apery changes off the board.
const LARGE: [PieceKind; 2] = [PieceKind::BISHOP, PieceKind::ROOK];

/// The location of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceLocation {
    Board,
    /// In hand, or missing.
    Off,
}

/// Bits of all codes before that of a promotion; longer ones are none.
const LONGEST: u32 = 5;

/// Packs a position.
///
/// # Errors
/// If a king is missing: 256 bits do not suffice then.
pub fn pack(position: &ShogiPosition, coding: Coding) -> Result<PackedPosition, GameError> {
    let mut bits = BitWriter { bytes: PackedPosition::default(), next: 0, coding };
    bits.put(position.side_to_move() as u32, 1);
    for side in [Side::First, Side::Second] {
        let king = position.king(side);
        if !king.is_some() {
            return Err(GameError::unsupported("only positions with both kings can be packed"));
        }
        bits.put(king.index() as u32, 7);
    }
    let mut missing = PieceKind::IN_SET;
    let mut take = |kind: PieceKind| {
        if let Some(left) = missing.get_mut(kind.plain().index()) {
            *left = left.saturating_sub(1);
        }
    };
    for square in Square::all() {
        match position.piece_on(square).some() {
            None => bits.put(0, 1),
            Some(piece) if piece.kind() == PieceKind::KING => {}
            Some(piece) => {
                bits.put(1, 1);
                bits.piece(
                    PieceLocation::Board,
                    piece.kind().plain(),
                    piece.kind().is_promoted(),
                    piece.side(),
                );
                take(piece.kind());
            }
        }
    }
    for side in [Side::First, Side::Second] {
        for &(kind, ..) in coding.codes() {
            for _ in 0..position.hand(side).count(kind) {
                bits.piece(PieceLocation::Off, kind, false, side);
                take(kind);
            }
        }
    }
    for &(kind, ..) in coding.codes() {
        for _ in 0..missing.get(kind.index()).copied().unwrap_or_default() {
            // A piece that is off the board and in no hand is encoded as a promoted piece; a gold, which does not
            // promote, as White's promoted silver.
            if kind == PieceKind::GOLD {
                bits.piece(PieceLocation::Off, PieceKind::SILVER, true, Side::Second);
            } else {
                bits.piece(PieceLocation::Off, kind, true, Side::First);
            }
        }
    }
    Ok(bits.bytes)
}

/// The position of 32 bytes; the number of its move is 1.
///
/// # Errors
/// An invalid code, an incomplete set of pieces, or an impossible position.
pub fn unpack(bytes: &PackedPosition, coding: Coding) -> Result<ShogiPosition, GameError> {
    let mut bits = BitReader { bytes, next: 0, coding };
    let mut position = ShogiPosition::default();
    position.set_side_to_move(side(bits.take(1)?));
    let mut kings = [Square::NONE; 2];
    for (king, side) in kings.iter_mut().zip([Side::First, Side::Second]) {
        let index = bits.take(7)?;
        *king = Square::from_index(index as usize).ok_or_else(|| {
            GameError::position(format!("the king of {} is on square {index}", sfen::colour(side)))
        })?;
        position.put(Piece::new(side, PieceKind::KING), *king);
    }
    if kings.first() == kings.last() {
        return Err(GameError::position("both kings are on one square"));
    }
    let mut left = PieceKind::IN_SET;
    let mut take = |kind: PieceKind| match left.get_mut(kind.plain().index()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            Ok(())
        }
        _ => Err(GameError::position(format!("more pieces of the kind {} than a set has", kind.name()))),
    };
    for square in Square::all().filter(|square| !kings.contains(square)) {
        if bits.take(1)? == 1 {
            let (kind, promoted, side) = bits.piece(PieceLocation::Board)?;
            take(kind)?;
            position.put(Piece::new(side, if promoted { kind.promoted() } else { kind }), square);
        }
    }
    while bits.next < 256 {
        match bits.piece(PieceLocation::Off)? {
            (PieceKind::SILVER, true, Side::Second) => take(PieceKind::GOLD)?,
            (kind, true, _) => take(kind)?,
            (kind, false, side) => {
                take(kind)?;
                position.put_in_hand(side, kind);
            }
        }
    }
    sfen::parse(&sfen::format(&position))
}

fn side(bit: u32) -> Side {
    if bit == 0 { Side::First } else { Side::Second }
}

struct BitWriter {
    bytes: PackedPosition,
    next: u32,
    coding: Coding,
}

impl BitWriter {
    fn put(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            if let Some(byte) = self.bytes.get_mut((self.next / 8) as usize) {
                *byte |= ((value >> bit & 1) as u8) << (self.next % 8);
            }
            self.next += 1;
        }
    }

    fn piece(&mut self, place: PieceLocation, kind: PieceKind, promoted: bool, side: Side) {
        let (mut kind, mut promoted) = (kind, u32::from(promoted));
        if self.coding == Coding::Apery && place == PieceLocation::Off && LARGE.contains(&kind) {
            let in_hand = promoted == 0;
            promoted = u32::from(kind == PieceKind::ROOK);
            kind = if in_hand { PieceKind::ROOK } else { PieceKind::BISHOP };
        }
        if let Some(&(_, code, bits)) = self.coding.codes().iter().find(|(known, ..)| *known == kind) {
            self.put(code, bits);
        }
        let side = side as u32;
        match (kind, place, self.coding) {
            (PieceKind::GOLD, ..) => self.put(side, 1),
            (_, PieceLocation::Board, Coding::Apery) => self.put(side | promoted << 1, 2),
            _ => self.put(promoted | side << 1, 2),
        }
    }
}

struct BitReader<'a> {
    bytes: &'a PackedPosition,
    next: u32,
    coding: Coding,
}

impl BitReader<'_> {
    fn take(&mut self, bits: u32) -> Result<u32, GameError> {
        let mut value = 0;
        for bit in 0..bits {
            let byte = self.bytes.get((self.next / 8) as usize);
            let byte = byte.ok_or_else(|| GameError::position("the last piece needs more than 256 bits"))?;
            value |= u32::from(byte >> (self.next % 8) & 1) << bit;
            self.next += 1;
        }
        Ok(value)
    }

    fn piece(&mut self, place: PieceLocation) -> Result<(PieceKind, bool, Side), GameError> {
        let (mut code, mut length) = (0, 0);
        let kind = loop {
            code |= self.take(1)? << length;
            length += 1;
            if let Some(&(kind, ..)) =
                self.coding.codes().iter().find(|&&(_, known, bits)| (known, bits) == (code, length))
            {
                break kind;
            }
            if length == LONGEST {
                return Err(GameError::position(format!("{code:#b} is no piece")));
            }
        };
        if kind == PieceKind::GOLD {
            return Ok((kind, false, side(self.take(1)?)));
        }
        let (first, second) = (self.take(1)?, self.take(1)?);
        Ok(match (place, self.coding) {
            (PieceLocation::Board, Coding::Apery) => (kind, second == 1, side(first)),
            (PieceLocation::Off, Coding::Apery) if LARGE.contains(&kind) => (
                if first == 1 { PieceKind::ROOK } else { PieceKind::BISHOP },
                kind == PieceKind::BISHOP,
                side(second),
            ),
            _ => (kind, first == 1, side(second)),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use kaeshi_core::random::SplitMix;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Made by cshogi 1.1.0 (`Board.to_psfen`, `Board.to_hcp`): a start, a game, a handicap, and a board without four
    /// golds and more.
    #[test]
    fn the_bytes_are_those_of_cshogi() {
        for (text, yaneuraou, apery) in [
            (
                START,
                "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
                "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
            ),
            (
                "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
                "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc",
                "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd",
            ),
            (
                "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
                "59a451220ceb67227e9653221caf447824c22b119e53221cab447c2ca344187e",
                "59a449210cd757217e8e4d212caf427814c2ab109e4d212c97427c1c9342185e",
            ),
            (
                "3sks3/9/4p4/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
                "5924200c40fc2c40384e101e897082f000e100e26301c220499294526b7bbf7e",
                "5924200c40fc1c405836101e85b081f0006101e2e300c220499294d25abd3f5e",
            ),
        ] {
            let position = sfen::parse(text).unwrap();
            for (coding, bytes) in [(Coding::YaneuraOu, yaneuraou), (Coding::Apery, apery)] {
                let packed = pack(&position, coding).unwrap();
                assert_eq!(hex(&packed), bytes, "{text}");
                assert_eq!(sfen::format(&unpack(&packed, coding).unwrap()), sfen::format(&position));
            }
        }
    }

    #[test]
    fn positions_of_random_games_come_back() {
        let mut random = SplitMix::new(5);
        for start in [
            START,
            "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "4k4/9/9/9/9/9/9/9/4K4 b G 1",
        ] {
            for _ in 0..30 {
                let mut position = sfen::parse(start).unwrap();
                for _ in 0..120 {
                    for coding in [Coding::YaneuraOu, Coding::Apery] {
                        let again = unpack(&pack(&position, coding).unwrap(), coding).unwrap();
                        assert_eq!(again.key(), position.key(), "{}", sfen::format(&position));
                        assert_eq!(again.hands(), position.hands());
                    }
                    let moves = position.legal_moves();
                    let Some(&turn) = moves.get(random.below(moves.len().max(1) as u32) as usize) else {
                        break;
                    };
                    position.make(turn);
                }
            }
        }
    }

    #[test]
    fn what_is_no_position_is_refused() {
        let mut random = SplitMix::new(6);
        let good = pack(&sfen::parse(START).unwrap(), Coding::YaneuraOu).unwrap();
        let mut refused = 0;
        for _ in 0..2_000 {
            let mut bad = good;
            bad[random.below(32) as usize] ^= 1 << random.below(8);
            // Whatever is understood can be packed again.
            match unpack(&bad, Coding::YaneuraOu) {
                Ok(position) => assert!(pack(&position, Coding::YaneuraOu).is_ok()),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 500, "{refused}");
        for coding in [Coding::YaneuraOu, Coding::Apery] {
            assert!(unpack(&[0; 32], coding).is_err() && unpack(&[0xff; 32], coding).is_err());
        }
        let kingless = sfen::parse("9/9/9/9/9/9/9/9/4K4 b G 1").unwrap();
        assert!(pack(&kingless, Coding::YaneuraOu).is_err());
    }
}
