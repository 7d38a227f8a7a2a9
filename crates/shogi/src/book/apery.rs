//! Books in the binary format of Apery, `.bin`: 16 bytes a move, little-endian, in the order of the keys.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | key of the position: board, hand of the side to move, and who that is |
//! | 8..10 | move: destination, origin (or 81 + kind of a drop) from bit 7 on, promotion in bit 14 |
//! | 10..12 | how often it was played |
//! | 12..16 | value for the side to move in centipawns |
//!
//! Format: `src/book.hpp` of <https://github.com/HiraokaTakuya/apery>. The random numbers of the keys are
//! those of C++'s `std::mt19937_64` with its default seed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{LegalMoves, ShogiBookMove};
use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::{GameError, Side};

/// Bytes of a move.
const ENTRY_BYTES: usize = 16;
/// Apery numbers pieces from 1 for Black's pawn to 30 for White's dragon; 0 is an empty square.
const PIECES: usize = 31;
/// A hand holds 0 to 18 pieces of a kind.
const COUNTS: usize = 19;
/// Origins from here on are kinds of drops.
const DROPS: u16 = 81;

/// A move with the key of its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AperyEntry {
    /// Key of the position.
    pub key: u64,
    /// The move with its data; without a reply and a depth.
    pub known: ShogiBookMove,
}

/// Reads a whole file.
///
/// # Errors
/// A length that is no multiple of 16 bytes, or which move, counted from 1, means nothing.
pub fn read(bytes: &[u8]) -> Result<Vec<AperyEntry>, GameError> {
    let (moves, rest) = bytes.as_chunks::<ENTRY_BYTES>();
    if !rest.is_empty() {
        return Err(GameError::file(format!(
            "{} bytes are no whole number of moves of 16 bytes",
            bytes.len()
        )));
    }
    let entry = |(number, bytes): (usize, &[u8; ENTRY_BYTES])| {
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, c0, c1, v0, v1, v2, v3] = *bytes;
        let code = u16::from_le_bytes([m0, m1]);
        let turn = decoded(code)
            .ok_or_else(|| GameError::file(format!("move {}: {code:#06x} is no move", number + 1)))?;
        let known = ShogiBookMove {
            turn: turn.to_string(),
            reply: None,
            value: i32::from_le_bytes([v0, v1, v2, v3]),
            depth: 0,
            count: u16::from_le_bytes([c0, c1]).into(),
        };
        Ok(AperyEntry { key: u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]), known })
    };
    let mut entries = moves.iter().enumerate().map(entry).collect::<Result<Vec<AperyEntry>, GameError>>()?;
    entries.sort_by_key(|entry| entry.key);
    Ok(entries)
}

/// The bytes of a book: of each position its legal moves. A move that was never played counts once,
/// since Apery divides by the sum of the counts; counts above 65,535 are cut off there.
pub fn write<'a>(positions: impl Iterator<Item = (&'a ShogiPosition, &'a LegalMoves)>) -> Vec<u8> {
    let mut by_key: BTreeMap<u64, &LegalMoves> = BTreeMap::new();
    for (position, moves) in positions {
        by_key.entry(key(position)).or_insert(moves);
    }
    let entries = by_key.iter().flat_map(|(key, moves)| moves.iter().map(move |known| (key, known)));
    entries
        .flat_map(|(key, (turn, known))| {
            let count = u16::try_from(known.count.max(1)).unwrap_or(u16::MAX);
            let halves = [encoded(*turn).to_le_bytes(), count.to_le_bytes()].concat();
            [&key.to_le_bytes()[..], &halves, &known.value.to_le_bytes()].concat()
        })
        .collect()
}

/// Apery's 16 bits of a move.
pub fn encoded(turn: Move) -> u16 {
    let origin =
        if turn.is_drop() { DROPS + turn.dropped().index() as u16 } else { turn.from().index() as u16 };
    turn.to().index() as u16 | origin << 7 | u16::from(turn.is_promotion()) << 14
}

/// The move of Apery's 16 bits, if they mean one.
pub fn decoded(code: u16) -> Option<Move> {
    let to = Square::from_index(usize::from(code & 127))?;
    let origin = code >> 7 & 127;
    let promotes = code >> 14 & 1 == 1;
    match Square::from_index(usize::from(origin)) {
        Some(from) => Some(Move::step(from, to, promotes)),
        None => {
            let kind = PieceKind::DROPPABLE.into_iter().find(|kind| DROPS + kind.index() as u16 == origin)?;
            (!promotes).then(|| Move::drop(kind, to))
        }
    }
}

/// Random numbers of the keys.
struct AperyKeys {
    pieces: Vec<u64>,
    hands: Vec<u64>,
    white: u64,
}

/// The order of the kinds in the hands of Apery.
const IN_HAND: [PieceKind; 7] = [
    PieceKind::PAWN,
    PieceKind::LANCE,
    PieceKind::KNIGHT,
    PieceKind::SILVER,
    PieceKind::GOLD,
    PieceKind::BISHOP,
    PieceKind::ROOK,
];

static NUMBERS: LazyLock<AperyKeys> = LazyLock::new(|| {
    let mut random = Mersenne::new();
    let mut draw = |count: usize| (0..count).map(|_| random.next()).collect::<Vec<u64>>();
    let (pieces, hands) = (draw(PIECES * 81), draw(IN_HAND.len() * COUNTS));
    AperyKeys { pieces, hands, white: draw(1).iter().sum() }
});

/// Apery's key of a position.
pub fn key(position: &ShogiPosition) -> u64 {
    let numbers = &*NUMBERS;
    let number = |table: &[u64], at: usize| table.get(at).copied().unwrap_or_default();
    let side = position.side_to_move();
    let mut key = if side == Side::Second { numbers.white } else { 0 };
    for square in Square::all() {
        if let Some(piece) = position.piece_on(square).some() {
            let piece = piece.kind().index() + 1 + 16 * piece.side().index();
            key ^= number(&numbers.pieces, 81 * piece + square.index());
        }
    }
    let hand = position.hand(side);
    for (kind, place) in IN_HAND.into_iter().zip(0..) {
        key ^= number(&numbers.hands, COUNTS * place + hand.count(kind) as usize);
    }
    key
}

/// Nishimura and Matsumoto's Mersenne Twister of 64 bits, as the C++ standard defines `std::mt19937_64`.
struct Mersenne {
    state: Vec<u64>,
    next: usize,
}

impl Mersenne {
    const WORDS: usize = 312;
    const SHIFTED: usize = 156;

    fn new() -> Mersenne {
        let mut state = vec![5489_u64];
        for number in 1..Mersenne::WORDS as u64 {
            let last = state.last().copied().unwrap_or_default();
            state.push((last ^ last >> 62).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(number));
        }
        Mersenne { state, next: Mersenne::WORDS }
    }

    #[allow(clippy::indexing_slicing)] // Every index is taken modulo the length.
    fn next(&mut self) -> u64 {
        if self.next == Mersenne::WORDS {
            for at in 0..Mersenne::WORDS {
                let after = self.state[(at + 1) % Mersenne::WORDS];
                let mixed = self.state[at] & 0xffff_ffff_8000_0000 | after & 0x7fff_ffff;
                let twist = if mixed & 1 == 1 { 0xb502_6f5a_a966_19e9 } else { 0 };
                self.state[at] = self.state[(at + Mersenne::SHIFTED) % Mersenne::WORDS] ^ mixed >> 1 ^ twist;
            }
            self.next = 0;
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 29 & 0x5555_5555_5555_5555;
        word ^= word << 17 & 0x71d6_7fff_eda6_0000;
        word ^= word << 37 & 0xfff7_eee0_0000_0000;
        word ^ word >> 43
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::rules::handicap::START;
    use crate::rules::notation::parse_move;
    use crate::rules::sfen;

    /// The positions after these moves, the first one without any.
    fn game(moves: &[&str]) -> Vec<ShogiPosition> {
        let mut positions = vec![sfen::parse(START).unwrap()];
        for text in moves {
            let mut next = positions.last().unwrap().clone();
            next.make(parse_move(&next, text).unwrap());
            positions.push(next);
        }
        positions
    }

    #[test]
    fn keys_are_those_of_cshogi() {
        let positions = game(&["7g7f", "3c3d", "8h2b+", "3a2b"]);
        assert_eq!(key(&positions[0]), 0xeebe_8ee7_e1ad_7e15);
        assert_eq!(key(&positions[1]), 0x3e7b_1f82_5672_20d5);
        assert_eq!(key(&positions[3]), 0xae54_bd28_c40a_f516);
        assert_eq!(key(&positions[4]), 0x90ae_65b3_5a8b_05f5);
    }

    #[test]
    fn moves_are_those_of_cshogi() {
        for (text, code) in [("8h2b+", 0x630a), ("B*5e", 0x2aa8), ("7f7e", 0x1dba)] {
            let turn = decoded(code).unwrap();
            assert_eq!(turn.to_string(), text);
            assert_eq!(encoded(turn), code);
        }
    }

    #[test]
    fn a_written_book_is_read_back() {
        let positions = game(&["7g7f"]);
        let known = |turn: &str, value, count| {
            let turn = turn.to_owned();
            ShogiBookMove { turn, reply: None, value, depth: 0, count }
        };
        let moves = |position: &ShogiPosition, known: &[ShogiBookMove]| -> Vec<(Move, ShogiBookMove)> {
            known.iter().map(|known| (parse_move(position, &known.turn).unwrap(), known.clone())).collect()
        };
        let first = moves(&positions[0], &[known("7g7f", 32, 5), known("2g2f", -30_000, 65_535)]);
        let second = moves(&positions[1], &[known("3c3d", -7, 1)]);
        let bytes = write([(&positions[0], &first[..]), (&positions[1], &second[..])].into_iter());
        let read = read(&bytes).unwrap();
        let of = |position: &ShogiPosition| -> Vec<ShogiBookMove> {
            read.iter().filter(|entry| entry.key == key(position)).map(|entry| entry.known.clone()).collect()
        };
        assert_eq!(of(&positions[0]), [known("7g7f", 32, 5), known("2g2f", -30_000, 65_535)]);
        assert_eq!(of(&positions[1]), [known("3c3d", -7, 1)]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read(&[0; 17]).unwrap_err().reason().contains("17 bytes"));
        let mut bytes = [0; 32];
        bytes[24..26].copy_from_slice(&(88_u16 << 7).to_le_bytes());
        assert!(read(&bytes).unwrap_err().reason().contains("move 2: 0x2c00"));
    }
}
