//! Books of ShogiGUI and ShogiHome, `.sbk`: a graph of positions in the encoding of Protocol Buffers.
//!
//! | message | field | what |
//! |---|---|---|
//! | book | 1, 2 | author, description |
//! | book | 3 | positions; the first one without a text is the start of the game |
//! | position | 1 | its number, counted from 0 |
//! | position | 2 to 6 | keys and counts of games, left at 0 here |
//! | position | 7 | SFEN; it may be missing where the move of another position leads there |
//! | position | 9 | moves |
//! | move | 1 | destination, origin, and kinds, as `encoded` has them |
//! | move | 2 | judgement; 0 for none |
//! | move | 3 | weight: how often it is played |
//! | move | 4 | the number of the position that it leads to |
//!
//! Format: `src/background/book/proto/sbk.proto` of <https://github.com/sunfish-shogi/shogihome>. Values, depths
//! and replies have no place in it.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::protobuf::{ProtobufField, ProtobufFields, ProtobufMessage};
use super::{LegalMoves, ShogiBookMove};
use crate::rules::handicap::START;
use crate::rules::notation::parse_move;
use crate::rules::position::ShogiPosition;
use crate::rules::sfen;
use crate::rules::types::{Move, PieceKind, Square};
use kaeshi_core::game::{GameError, Side};

/// A position as it lies in the file.
#[derive(Default)]
struct SbkPosition {
    id: u64,
    text: Option<String>,
    moves: Vec<SbkEdge>,
}

#[derive(Default)]
struct SbkEdge {
    code: u32,
    weight: u64,
    next: u64,
}

/// Reads a whole file: each position as SFEN, with its moves. Positions without moves are left out.
///
/// # Errors
/// Bytes that are no such message, an illegal move, or an invalid SFEN.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<String, Vec<ShogiBookMove>>, GameError> {
    let mut states: Vec<SbkPosition> = Vec::new();
    for field in ProtobufFields::of(bytes) {
        if let (3, ProtobufField::Bytes(bytes)) = field? {
            states.push(read_state(bytes)?);
        }
    }
    if let Some(first) = states.first_mut().filter(|first| first.text.is_none()) {
        first.text = Some(START.to_owned());
    }
    let by_id: HashMap<u64, &SbkPosition> = states.iter().map(|state| (state.id, state)).collect();
    let mut seen: HashSet<u64> = HashSet::new();
    let mut found = BTreeMap::new();
    for root in &states {
        let Some(text) = &root.text else { continue };
        let position = sfen::parse(text).map_err(|reason| at(root.id, reason))?;
        let mut ahead = VecDeque::from([(root, position)]);
        while let Some((state, position)) = ahead.pop_front() {
            if !seen.insert(state.id) {
                continue;
            }
            let mut known = Vec::new();
            for edge in &state.moves {
                let turn = decoded(edge.code)
                    .and_then(|turn| parse_move(&position, &turn.to_string()).ok())
                    .ok_or_else(|| {
                        at(state.id, GameError::file(format!("{:#010x} is no legal move", edge.code)))
                    })?;
                known.push(ShogiBookMove {
                    turn: turn.to_string(),
                    reply: None,
                    value: 0,
                    depth: 0,
                    count: edge.weight,
                });
                // Positions with a comment are visited separately.
                if let Some(next) = by_id.get(&edge.next).filter(|next| next.text.is_none()) {
                    let mut after = position.clone();
                    after.make(turn);
                    ahead.push_back((next, after));
                }
            }
            if !known.is_empty() {
                found.insert(sfen::format(&position), known);
            }
        }
    }
    Ok(found)
}

fn at(id: u64, reason: GameError) -> GameError {
    GameError::file(format!("position {id}: {reason}"))
}

fn read_state(bytes: &[u8]) -> Result<SbkPosition, GameError> {
    let mut state = SbkPosition::default();
    for field in ProtobufFields::of(bytes) {
        match field? {
            (1, ProtobufField::Number(id)) => state.id = id,
            (7, ProtobufField::Bytes(text)) if !text.is_empty() => {
                let text =
                    std::str::from_utf8(text).map_err(|_| at(state.id, GameError::file("no UTF-8")))?;
                state.text = Some(text.to_owned());
            }
            (9, ProtobufField::Bytes(bytes)) => {
                let mut edge = SbkEdge::default();
                for field in ProtobufFields::of(bytes) {
                    match field? {
                        (1, ProtobufField::Number(code)) => edge.code = code as u32,
                        (3, ProtobufField::Number(weight)) => edge.weight = weight,
                        (4, ProtobufField::Number(next)) => edge.next = next,
                        _ => {}
                    }
                }
                state.moves.push(edge);
            }
            _ => {}
        }
    }
    Ok(state)
}

/// The bytes of a book: what no move of the book leads to first, and after all of it the positions at the ends.
pub fn write<'a>(positions: impl Iterator<Item = (&'a ShogiPosition, &'a LegalMoves)>) -> Vec<u8> {
    let known: Vec<_> = positions.collect();
    let after = |position: &ShogiPosition, turn: Move| {
        let mut next = position.clone();
        next.make(turn);
        next
    };
    let reached: HashSet<u64> = known
        .iter()
        .flat_map(|(position, moves)| moves.iter().map(|(turn, _)| after(position, *turn).key()))
        .collect();
    let (inner, roots): (Vec<_>, Vec<_>) =
        known.iter().copied().partition(|(position, _)| reached.contains(&position.key()));
    let mut order: Vec<(ShogiPosition, &LegalMoves)> =
        roots.into_iter().chain(inner).map(|(position, moves)| (position.clone(), moves)).collect();
    let mut ids: HashMap<u64, u64> =
        (0..).zip(&order).map(|(id, (position, _))| (position.key(), id)).collect();
    for (position, moves) in &known {
        for (turn, _) in *moves {
            let next = after(position, *turn);
            if let Entry::Vacant(place) = ids.entry(next.key()) {
                place.insert(order.len() as u64);
                order.push((next, &[]));
            }
        }
    }
    let mut book = ProtobufMessage::default();
    book.bytes(1, b"Kaeshi");
    book.bytes(2, b"");
    for (id, (position, moves)) in (0u64..).zip(&order) {
        let mut state = ProtobufMessage::default();
        state.number(1, id);
        (2..=6).for_each(|field| state.number(field, 0));
        state.bytes(7, sfen::format(position).as_bytes());
        for (turn, known) in *moves {
            let mut edge = ProtobufMessage::default();
            edge.number(1, i64::from(encoded(position, *turn) as i32) as u64);
            edge.number(2, 0);
            edge.number(3, known.count.min(i32::MAX as u64));
            edge.number(4, ids.get(&after(position, *turn).key()).copied().unwrap_or_default());
            state.bytes(9, edge.as_bytes());
        }
        book.bytes(3, state.as_bytes());
    }
    book.as_bytes().to_vec()
}

/// Kinds as the format numbers them, from 1 on; promoted ones have 8 more.
const KINDS: [PieceKind; 8] = [
    PieceKind::PAWN,
    PieceKind::LANCE,
    PieceKind::KNIGHT,
    PieceKind::SILVER,
    PieceKind::GOLD,
    PieceKind::BISHOP,
    PieceKind::ROOK,
    PieceKind::KING,
];

fn number_of(kind: PieceKind) -> u32 {
    let plain = (1..).zip(KINDS).find(|(_, known)| *known == kind.plain()).map_or(0, |(number, _)| number);
    plain + if kind.is_promoted() { 8 } else { 0 }
}

/// Rank and file of the origin (0 for drops), of the destination, promotion in bit 19, the captured kind in
/// bits 20 to 23, the kind that moves in bits 24 to 27, White's in bit 28, and once more in bit 31.
fn encoded(position: &ShogiPosition, turn: Move) -> u32 {
    let place = |square: Square| u32::from(square.rank() + 1) | u32::from(square.file() + 1) << 4;
    let white = position.side_to_move() == Side::Second;
    let captured = position.piece_on(turn.to()).some().map_or(0, |piece| number_of(piece.kind()));
    let (origin, kind) = if turn.is_drop() {
        (0, turn.dropped())
    } else {
        (place(turn.from()), position.piece_on(turn.from()).kind())
    };
    origin
        | place(turn.to()) << 8
        | u32::from(turn.is_promotion()) << 19
        | captured << 20
        | number_of(kind) << 24
        | u32::from(white) << 28
        | u32::from(white) << 31
}

fn decoded(code: u32) -> Option<Move> {
    let place = |bits: u32| {
        let (rank, file) = ((bits & 15).checked_sub(1)?, (bits >> 4 & 15).checked_sub(1)?);
        (rank < 9 && file < 9).then(|| Square::new(file as u8, rank as u8))
    };
    let to = place(code >> 8)?;
    if code & 0xff == 0 {
        let number = (code >> 24 & 15).checked_sub(1)?;
        let kind = KINDS.get(number as usize).filter(|kind| **kind != PieceKind::KING)?;
        return Some(Move::drop(*kind, to));
    }
    Some(Move::step(place(code)?, to, code >> 19 & 1 == 1))
}
