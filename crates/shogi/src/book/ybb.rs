//! Books in YaneuraOu's binary format, `.ybb`: an index in the order of the packed positions, then the moves.
//! Little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | `YANE-BINBOOK-V1` and a zero |
//! | 8 | number of positions |
//! | 8 | bit 0: whether moves have depths |
//! | 44 a position | packed position (32), offset of its moves in their part (8), number of the move (2), moves (2) |
//! | 4 or 6 a move | move (2), value in centipawns (2), depth (2, if there are depths) |
//!
//! Format: `source/book/book.cpp` of <https://github.com/yaneurao/YaneuraOu>.

use std::collections::BTreeMap;

use super::{LegalMoves, ShogiBookMove};
use crate::rules::packed::{Coding, PackedPosition, pack, unpack};
use crate::rules::position::ShogiPosition;
use crate::rules::sfen;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::GameError;

const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";
const HEADER_BYTES: usize = 32;
const POSITION_BYTES: usize = 44;
/// Set where moves have depths.
const HAS_DEPTHS: u64 = 1;

/// Reads a whole file: each position as SFEN, with its moves.
///
/// # Errors
/// A file of another format or one that ends too early, or which position, counted from 1, is wrong.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, Vec<ShogiBookMove>>, GameError> {
    let header = bytes.get(..HEADER_BYTES).filter(|header| header.starts_with(MAGIC));
    let header =
        header.ok_or_else(|| GameError::file("this is no book: it does not begin with YANE-BINBOOK-V1"))?;
    let flags = u64_at(header, 24).unwrap_or_default();
    if flags & !HAS_DEPTHS != 0 {
        return Err(GameError::file(format!("the flags {flags:#x} are of a later version")));
    }
    let count = u64_at(header, 16).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    let index = count.checked_mul(POSITION_BYTES).and_then(|length| bytes.get(HEADER_BYTES..)?.get(..length));
    let index =
        index.ok_or_else(|| GameError::file(format!("the file ends before its {count} positions")))?;
    let moves = bytes.get(HEADER_BYTES + index.len()..).unwrap_or_default();
    let move_bytes = if flags & HAS_DEPTHS == 0 { 4 } else { 6 };
    let mut found = BTreeMap::new();
    for (number, entry) in (1..).zip(index.chunks_exact(POSITION_BYTES)) {
        let at = |reason: GameError| GameError::file(format!("position {number}: {reason}"));
        let short = || at(GameError::file("the file ends before its moves"));
        let packed: &PackedPosition = entry.first_chunk().ok_or_else(short)?;
        let mut position = unpack(packed, Coding::YaneuraOu).map_err(at)?;
        position.set_move_number(u16_at(entry, 40).unwrap_or(1).max(1).into());
        let begin = u64_at(entry, 32).and_then(|begin| usize::try_from(begin).ok()).ok_or_else(short)?;
        let length = usize::from(u16_at(entry, 42).unwrap_or_default()) * move_bytes;
        let here = begin.checked_add(length).and_then(|end| moves.get(begin..end)).ok_or_else(short)?;
        let known = here.chunks_exact(move_bytes).map(read_move).collect::<Result<_, _>>().map_err(at)?;
        found.insert(sfen::format(&position), known);
    }
    Ok(found)
}

/// The bytes of a book. Replies and counts have no place in it; values and depths are cut off at what 16 bits hold.
/// Positions without a king are left out, and those without moves.
pub fn write<'a>(positions: impl Iterator<Item = (&'a ShogiPosition, &'a LegalMoves)>) -> Vec<u8> {
    let packed = positions.filter(|(_, moves)| !moves.is_empty());
    let by_bytes: BTreeMap<PackedPosition, (u32, &LegalMoves)> = packed
        .filter_map(|(position, moves)| {
            Some((pack(position, Coding::YaneuraOu).ok()?, (position.move_number(), moves)))
        })
        .collect();
    let has_depths = by_bytes.values().any(|(_, moves)| moves.iter().any(|(_, known)| known.depth > 0));
    let (mut index, mut all) = (Vec::new(), Vec::new());
    for (packed, (number, moves)) in &by_bytes {
        index.extend(packed);
        index.extend((all.len() as u64).to_le_bytes());
        index.extend(u16::try_from(*number).unwrap_or(u16::MAX).to_le_bytes());
        let count = u16::try_from(moves.len()).unwrap_or(u16::MAX);
        index.extend(count.to_le_bytes());
        for (turn, known) in moves.iter().take(count.into()) {
            let value = known.value.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            all.extend(encoded(*turn).to_le_bytes());
            all.extend(value.to_le_bytes());
            if has_depths {
                all.extend(known.depth.to_le_bytes());
            }
        }
    }
    let flags = if has_depths { HAS_DEPTHS } else { 0 };
    let count = by_bytes.len() as u64;
    [&MAGIC[..], &count.to_le_bytes(), &flags.to_le_bytes(), &index, &all].concat()
}

/// YaneuraOu's 16 bits of a move: ours, but that kinds of drops are counted from 1.
pub fn encoded(turn: Move) -> u16 {
    if turn.is_drop() { turn.bits() + (1 << 7) } else { turn.bits() }
}

/// The move of YaneuraOu's 16 bits, if they mean one.
pub fn decoded(bits: u16) -> Option<Move> {
    let coded = Move::from_bits(bits);
    let to = Square::from_index(coded.to().index())?;
    let origin = usize::from(bits >> 7 & 127);
    if coded.is_drop() {
        let kind = PieceKind::DROPPABLE.into_iter().find(|kind| kind.index() + 1 == origin)?;
        return (!coded.is_promotion()).then(|| Move::drop(kind, to));
    }
    Some(Move::step(Square::from_index(origin)?, to, coded.is_promotion()))
}

fn read_move(bytes: &[u8]) -> Result<ShogiBookMove, GameError> {
    let bits = u16_at(bytes, 0).unwrap_or_default();
    let turn = decoded(bits).ok_or_else(|| GameError::file(format!("{bits:#06x} is no move")))?;
    let value = i32::from(u16_at(bytes, 2).unwrap_or_default() as i16);
    let depth = u16_at(bytes, 4).unwrap_or_default();
    Ok(ShogiBookMove { turn: turn.to_string(), reply: None, value, depth, count: 0 })
}

fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}
