//! Histories: statistics of the search about moves, and about errors of its static values.
//!
//! Moves that refuted one node are tried first at others (Schaeffer, "The history heuristic and
//! alpha-beta search enhancements in practice", 1989). Continuations, captures, corrections and the
//! pull towards the limits are as in Stockfish.

use bytemuck::Pod;

use crate::rules::position::ShogiPosition;
use crate::rules::types::{Move, Piece, PieceKind, Square};
use kaeshi_core::driver::pages::{prefer_large, prefetch, provide};
use kaeshi_core::game::{GameError, Side};

/// Histories stay between plus and minus this.
const LIMIT: i32 = 14_000;
/// Corrections stay between plus and minus this.
const CORRECTION_LIMIT: i32 = 8_192;
/// Units of a correction in one centipawn, all tables together.
const CORRECTION_GRAIN: i32 = 128;
/// A quiet move is judged behind each of the moves that were played this many plies before it.
pub(crate) const CONTINUATION_PLIES: [usize; 3] = [1, 2, 4];
/// A value for each of [`CONTINUATION_PLIES`].
pub(crate) type ForContinuations<T> = [T; CONTINUATION_PLIES.len()];
const CORRECTIONS: usize = 1 << 14;
const SQUARES: usize = 81;
/// Pieces of both sides times squares.
const PIECE_TOS: usize = 28 * SQUARES;

/// A piece arriving on a square: the index into continuation histories.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// No move came before.
    pub const NONE: PieceTo = PieceTo(PIECE_TOS as u16);

    #[inline(always)]
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        let row = piece.kind().0 as usize + 14 * piece.side().index();
        PieceTo((row * 81 + to.0 as usize) as u16)
    }
}

/// The histories of one thread.
pub(crate) struct History {
    /// By side, origin or dropped kind, and destination.
    quiet: Vec<[i16; 1 << 15]>,
    /// By capturing piece, destination and captured kind.
    capture: Vec<[i16; 16]>,
    /// By the [`PieceTo`] of an earlier move, and of this one.
    continuation: ContinuationTable,
    correction: [Vec<[i16; 2]>; 3],
    /// By the [`PieceTo`]s of the last two moves.
    continuation_correction: ContinuationTable,
}

/// Values by pairs of [`PieceTo`]s. Only rows that were written are cleared: a short search writes few of the ten
/// megabytes.
struct ContinuationTable {
    rows: Vec<[i16; PIECE_TOS]>,
    /// Whether anything was written to a row.
    is_written: Vec<bool>,
}

impl ContinuationTable {
    fn new() -> Result<ContinuationTable, GameError> {
        Ok(ContinuationTable { rows: zeroed(PIECE_TOS + 1)?, is_written: vec![false; PIECE_TOS + 1] })
    }

    fn clear(&mut self) {
        for (row, is_written) in self.rows.iter_mut().zip(&mut self.is_written) {
            if std::mem::take(is_written) {
                row.fill(0);
            }
        }
    }

    #[inline(always)]
    fn row(&self, first: PieceTo) -> &[i16; PIECE_TOS] {
        &self.rows[usize::from(first.0)]
    }

    #[inline(always)]
    fn cell_mut(&mut self, first: PieceTo, second: PieceTo) -> &mut i16 {
        self.is_written[usize::from(first.0)] = true;
        &mut self.rows[usize::from(first.0)][usize::from(second.0)]
    }
}

/// The rows of the histories that judge the quiet moves of one node.
#[derive(Clone, Copy)]
pub(crate) struct Quiets<'a> {
    quiet: &'a [i16; 1 << 15],
    continuations: ForContinuations<&'a [i16; PIECE_TOS]>,
}

impl Quiets<'_> {
    /// The value of the quiet move that arrives at `piece_to`.
    #[inline(always)]
    pub fn of(&self, mv: Move, piece_to: PieceTo) -> i32 {
        let at = usize::from(piece_to.0);
        let quiet = 2 * i32::from(self.quiet[usize::from(mv.bits() & 0x7fff)]);
        self.continuations.iter().fold(quiet, |sum, row| sum + i32::from(row[at]))
    }

    /// The values of the drops of `kind` by `side`, by square, which lie next to each other in the rows.
    #[inline(always)]
    pub fn of_drops(&self, side: Side, kind: PieceKind) -> [i32; SQUARES] {
        let quiet = usize::from(Move::drop(kind, Square(0)).bits());
        let at = usize::from(PieceTo::new(Piece::new(side, kind), Square(0)).0);
        let quiet = &self.quiet[quiet..][..SQUARES];
        let continuations = self.continuations.map(|row| &row[at..][..SQUARES]);
        std::array::from_fn(|i| {
            continuations.iter().fold(2 * i32::from(quiet[i]), |sum, row| sum + i32::from(row[i]))
        })
    }
}

#[inline(always)]
fn gravity(cell: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let value = i32::from(*cell);
    *cell = (value + bonus - value * bonus.abs() / limit) as i16;
}

/// Rows of zeroes. Their memory is allocated at once, so that the first search need not wait for it.
fn zeroed<T: Pod>(rows: usize) -> Result<Vec<T>, GameError> {
    let table = bytemuck::try_zeroed_slice_box(rows);
    let mut table = table
        .map_err(|()| GameError::resources("no memory for the histories of a search thread"))?
        .into_vec();
    prefer_large(&mut table);
    provide(&mut table);
    Ok(table)
}

impl History {
    /// # Errors
    /// There is no memory for it.
    pub fn new() -> Result<History, GameError> {
        let corrections = || zeroed(CORRECTIONS);
        Ok(History {
            quiet: zeroed(2)?,
            capture: zeroed(PIECE_TOS + 1)?,
            continuation: ContinuationTable::new()?,
            correction: [corrections()?, corrections()?, corrections()?],
            continuation_correction: ContinuationTable::new()?,
        })
    }

    pub fn clear(&mut self) {
        self.quiet.iter_mut().for_each(|table| table.fill(0));
        self.capture.iter_mut().for_each(|table| table.fill(0));
        self.continuation.clear();
        self.correction.iter_mut().for_each(|table| table.fill([0; 2]));
        self.continuation_correction.clear();
    }

    /// Whether nothing was learned.
    #[cfg(test)]
    pub fn is_clear(&self) -> bool {
        let rows = [&self.continuation, &self.continuation_correction].map(|table| &table.rows);
        self.quiet.as_flattened().iter().all(|&value| value == 0)
            && self.capture.as_flattened().iter().all(|&value| value == 0)
            && rows.into_iter().flatten().flatten().all(|&value| value == 0)
            && self.correction.iter().flatten().flatten().all(|&value| value == 0)
    }

    /// The histories of the quiet moves of `side` after moves to these [`PieceTo`]s.
    #[inline(always)]
    pub(crate) fn quiets(&self, side: Side, before: ForContinuations<PieceTo>) -> Quiets<'_> {
        let continuations = before.map(|before| self.continuation.row(before));
        Quiets { quiet: &self.quiet[side.index()], continuations }
    }

    #[inline(always)]
    pub fn capture(&self, piece_to: PieceTo, captured: PieceKind) -> i32 {
        i32::from(self.capture[usize::from(piece_to.0)][captured.index()])
    }

    pub(crate) fn add_quiet_bonus(&mut self, side: Side, mv: Move, bonus: i32) {
        gravity(&mut self.quiet[side.index()][usize::from(mv.bits() & 0x7fff)], bonus, LIMIT);
    }

    pub(crate) fn add_continuation_bonus(&mut self, before: PieceTo, piece_to: PieceTo, bonus: i32) {
        if before != PieceTo::NONE && piece_to != PieceTo::NONE {
            gravity(self.continuation.cell_mut(before, piece_to), bonus, LIMIT);
        }
    }

    pub(crate) fn add_capture_bonus(&mut self, piece_to: PieceTo, captured: PieceKind, bonus: i32) {
        gravity(&mut self.capture[usize::from(piece_to.0)][captured.index()], bonus, LIMIT);
    }

    /// The mean error of static values of similar positions, in centipawns; `moves` are the [`PieceTo`]s of the last
    /// two moves.
    pub(crate) fn correction(&self, position: &ShogiPosition, moves: [PieceTo; 2]) -> i32 {
        let side = position.side_to_move().index();
        let mut sum = 0;
        for (key, table) in correction_keys(position).into_iter().zip(&self.correction) {
            sum += i32::from(table[key][side]);
        }
        let [earlier, last] = moves;
        if last != PieceTo::NONE {
            sum += i32::from(self.continuation_correction.row(earlier)[usize::from(last.0)]);
        }
        sum / CORRECTION_GRAIN
    }

    /// Prefetches the rows of these [`PieceTo`]s, the last of which is the move about to be made.
    #[inline(always)]
    pub fn prefetch(&self, moves: [PieceTo; 2]) {
        let [earlier, last] = moves;
        let row = self.continuation_correction.row(earlier);
        if let Some(cell) = row.get(usize::from(last.0)) {
            prefetch(cell);
        }
    }

    /// The search found `surplus` more than the static value, at this depth.
    pub(crate) fn correct(
        &mut self,
        position: &ShogiPosition,
        moves: [PieceTo; 2],
        depth: i32,
        surplus: i32,
    ) {
        let side = position.side_to_move().index();
        let bonus = (surplus * depth * 2).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        for (key, table) in correction_keys(position).into_iter().zip(&mut self.correction) {
            gravity(&mut table[key][side], bonus, CORRECTION_LIMIT);
        }
        let [earlier, last] = moves;
        if last != PieceTo::NONE {
            gravity(self.continuation_correction.cell_mut(earlier, last), bonus, CORRECTION_LIMIT);
        }
    }
}

/// Pawns; generals and kings; hands with kings.
#[inline(always)]
fn correction_keys(position: &ShogiPosition) -> [usize; 3] {
    let black = position.of(Side::First);
    let pawns = position.kind(PieceKind::PAWN);
    let castle =
        position.kind(PieceKind::KING) | position.kind(PieceKind::GOLD) | position.kind(PieceKind::SILVER);
    let kings = u64::from(position.king(Side::First).0) << 8 | u64::from(position.king(Side::Second).0);
    let [black_hand, white_hand] = position.hands();
    [
        mix(pawns.0, pawns.0 & black.0),
        mix(castle.0, castle.0 & black.0),
        mix(u128::from(u64::from(black_hand.0) << 32 | u64::from(white_hand.0)), u128::from(kings)),
    ]
}

#[inline(always)]
fn mix(a: u128, b: u128) -> usize {
    const M: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |bits: u128, salt: u64| {
        (bits as u64 ^ salt).wrapping_mul(M) ^ ((bits >> 64) as u64).wrapping_mul(!M | 1)
    };
    let first = fold(a, 0);
    let both = (first ^ first >> 29).wrapping_add(fold(b, M)).wrapping_mul(M);
    (both >> 40) as usize % CORRECTIONS
}
