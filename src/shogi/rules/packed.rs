//! Positions in 32 bytes, as YaneuraOu and cshogi pack them (`PackedSfen`).
//!
//! A stream of bits, the lowest of each byte first: the side to move, the squares of both kings with 7 bits
//! each, the other squares in order, the hands of Black and of White, and what is missing from a set. Kinds have
//! Huffman codes; a set of pieces always fills 256 bits, wherever they are. Format: `source/extra/sfen_packer.cpp`
//! of <https://github.com/yaneurao/YaneuraOu>.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::game::{Rejected, Side};
use crate::shogi::rules::position::Position;
use crate::shogi::rules::sfen;
use crate::shogi::rules::types::{Kind, Piece, Square};

/// A packed position.
pub type Packed = [u8; 32];

/// Kinds in the order of hands, with their codes behind the first bit, which says that a square is not empty:
/// bits, lowest first, and how many.
const CODES: [(Kind, u32, u32); 7] = [
    (Kind::PAWN, 0b0, 1),
    (Kind::LANCE, 0b001, 3),
    (Kind::KNIGHT, 0b101, 3),
    (Kind::SILVER, 0b011, 3),
    (Kind::GOLD, 0b0111, 4),
    (Kind::BISHOP, 0b0_1111, 5),
    (Kind::ROOK, 0b1_1111, 5),
];
/// Bits of all codes before that of a promotion; longer ones are none.
const LONGEST: u32 = 5;

/// Packs a position.
///
/// # Errors
/// If a king is missing: 256 bits do not suffice then.
pub fn pack(position: &Position) -> Result<Packed, Rejected> {
    let mut bits = Writer::default();
    bits.put(position.side_to_move() as u32, 1);
    for side in [Side::First, Side::Second] {
        let king = position.king(side);
        if !king.is_some() {
            return Err(Rejected::new("only positions with both kings can be packed"));
        }
        bits.put(king.index() as u32, 7);
    }
    let mut missing = Kind::IN_SET;
    let mut take = |kind: Kind| {
        if let Some(left) = missing.get_mut(kind.plain().index()) {
            *left = left.saturating_sub(1);
        }
    };
    for square in Square::all() {
        match position.piece_on(square).some() {
            None => bits.put(0, 1),
            Some(piece) if piece.kind() == Kind::KING => {}
            Some(piece) => {
                bits.put(1, 1);
                bits.piece(piece.kind().plain(), piece.kind().is_promoted(), piece.side());
                take(piece.kind());
            }
        }
    }
    for side in [Side::First, Side::Second] {
        for (kind, ..) in CODES {
            for _ in 0..position.hand(side).count(kind) {
                bits.piece(kind, false, side);
                take(kind);
            }
        }
    }
    for (kind, ..) in CODES {
        for _ in 0..missing.get(kind.index()).copied().unwrap_or_default() {
            // What is in no hand is promoted there; a gold, which cannot be, is White's promoted silver.
            if kind == Kind::GOLD {
                bits.piece(Kind::SILVER, true, Side::Second);
            } else {
                bits.piece(kind, true, Side::First);
            }
        }
    }
    Ok(bits.bytes)
}

/// The position of 32 bytes; the number of its move is 1.
///
/// # Errors
/// What is wrong: a code that is none, a set that is not complete, or an impossible position.
pub fn unpack(bytes: &Packed) -> Result<Position, Rejected> {
    let mut bits = Reader { bytes, next: 0 };
    let mut position = Position::default();
    position.set_side_to_move(side(bits.take(1)?));
    let mut kings = [Square::NONE; 2];
    for (king, side) in kings.iter_mut().zip([Side::First, Side::Second]) {
        let index = bits.take(7)?;
        *king = Square::from_index(index as usize)
            .ok_or_else(|| Rejected(format!("the king of {} is on square {index}", sfen::colour(side))))?;
        position.put(Piece::new(side, Kind::KING), *king);
    }
    if kings.first() == kings.last() {
        return Err(Rejected::new("both kings are on one square"));
    }
    let mut left = Kind::IN_SET;
    let mut take = |kind: Kind| match left.get_mut(kind.plain().index()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            Ok(())
        }
        _ => Err(Rejected(format!("more pieces of the kind {} than a set has", kind.name()))),
    };
    for square in Square::all().filter(|square| !kings.contains(square)) {
        if bits.take(1)? == 1 {
            let (kind, promoted, side) = bits.piece()?;
            take(kind)?;
            position.put(Piece::new(side, if promoted { kind.promoted() } else { kind }), square);
        }
    }
    while bits.next < 256 {
        match bits.piece()? {
            (Kind::SILVER, true, Side::Second) => take(Kind::GOLD)?,
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

#[derive(Default)]
struct Writer {
    bytes: Packed,
    next: u32,
}

impl Writer {
    fn put(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            if let Some(byte) = self.bytes.get_mut((self.next / 8) as usize) {
                *byte |= ((value >> bit & 1) as u8) << (self.next % 8);
            }
            self.next += 1;
        }
    }

    fn piece(&mut self, kind: Kind, promoted: bool, side: Side) {
        if let Some(&(_, code, bits)) = CODES.iter().find(|(known, ..)| *known == kind) {
            self.put(code, bits);
        }
        if kind != Kind::GOLD {
            self.put(promoted.into(), 1);
        }
        self.put(side as u32, 1);
    }
}

struct Reader<'a> {
    bytes: &'a Packed,
    next: u32,
}

impl Reader<'_> {
    fn take(&mut self, bits: u32) -> Result<u32, Rejected> {
        let mut value = 0;
        for bit in 0..bits {
            let byte = self.bytes.get((self.next / 8) as usize);
            let byte = byte.ok_or_else(|| Rejected::new("the last piece needs more than 256 bits"))?;
            value |= u32::from(byte >> (self.next % 8) & 1) << bit;
            self.next += 1;
        }
        Ok(value)
    }

    fn piece(&mut self) -> Result<(Kind, bool, Side), Rejected> {
        let (mut code, mut length) = (0, 0);
        let kind = loop {
            code |= self.take(1)? << length;
            length += 1;
            if let Some((kind, ..)) =
                CODES.into_iter().find(|&(_, known, bits)| (known, bits) == (code, length))
            {
                break kind;
            }
            if length == LONGEST {
                return Err(Rejected(format!("{code:#b} is no piece")));
            }
        };
        let promoted = kind != Kind::GOLD && self.take(1)? == 1;
        Ok((kind, promoted, side(self.take(1)?)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::random::SplitMix;
    use crate::shogi::rules::handicap::START;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Made by cshogi 1.1.0 (`Board.to_psfen`): a start, a game, a handicap, and a board without four golds and more.
    #[test]
    fn the_bytes_are_those_of_cshogi() {
        for (text, bytes) in [
            (START, "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"),
            (
                "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
                "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc",
            ),
            (
                "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
                "59a451220ceb67227e9653221caf447824c22b119e53221cab447c2ca344187e",
            ),
            (
                "3sks3/9/4p4/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
                "5924200c40fc2c40384e101e897082f000e100e26301c220499294526b7bbf7e",
            ),
        ] {
            let position = sfen::parse(text).unwrap();
            let packed = pack(&position).unwrap();
            assert_eq!(hex(&packed), bytes, "{text}");
            assert_eq!(sfen::format(&unpack(&packed).unwrap()), sfen::format(&position));
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
                    let packed = pack(&position).unwrap();
                    let again = unpack(&packed).unwrap();
                    assert_eq!(again.key(), position.key(), "{}", sfen::format(&position));
                    assert_eq!(again.hands(), position.hands());
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
        let good = pack(&sfen::parse(START).unwrap()).unwrap();
        let mut refused = 0;
        for _ in 0..2_000 {
            let mut bad = good;
            bad[random.below(32) as usize] ^= 1 << random.below(8);
            // Whatever is understood can be packed again.
            match unpack(&bad) {
                Ok(position) => assert!(pack(&position).is_ok()),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 500, "{refused}");
        assert!(unpack(&[0; 32]).is_err() && unpack(&[0xff; 32]).is_err());
        assert!(pack(&sfen::parse("9/9/9/9/9/9/9/9/4K4 b G 1").unwrap()).is_err());
    }
}
