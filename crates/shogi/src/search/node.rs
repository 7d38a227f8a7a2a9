//! The state of a node and of each of its moves during the search.

use arrayvec::ArrayVec;

use crate::rules::types::{Move, PieceKind};
use crate::search::entry::ShogiTtEntry;
use crate::search::history::PieceTo;

/// The window of a node, in centipawns.
#[derive(Clone, Copy)]
pub struct SearchWindow {
    pub alpha: i32,
    pub beta: i32,
}

impl SearchWindow {
    /// The window as the opponent sees it.
    pub(super) fn turned(self) -> SearchWindow {
        SearchWindow { alpha: -self.beta, beta: -self.alpha }
    }

    /// The null window that asks whether the value exceeds `value`.
    pub(super) fn above(value: i32) -> SearchWindow {
        SearchWindow { alpha: value, beta: value + 1 }
    }
}

/// A move that did not refute its node, for the malus in the histories.
#[derive(Clone, Copy)]
pub(super) struct TriedMove {
    pub(super) mv: Move,
    pub(super) piece_to: PieceTo,
    pub(super) captured: Option<PieceKind>,
    pub(super) tactical: bool,
}

/// The moves of a node that get a malus if another one is better.
pub(super) type TriedMoves = ArrayVec<TriedMove, 48>;

/// A move in the loop over the moves of a node.
#[derive(Clone, Copy)]
pub(super) struct MoveCandidate {
    pub(super) mv: Move,
    pub(super) piece_to: PieceTo,
    pub(super) captured: Option<PieceKind>,
    pub(super) tactical: bool,
    pub(super) checks: bool,
    pub(super) history: i32,
    pub(super) number: i32,
}

/// The properties of a node that are fixed before its moves are tried.
#[derive(Clone, Copy)]
pub(super) struct NodeInfo {
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) pv: bool,
    pub(super) cut: bool,
    pub(super) in_check: bool,
    pub(super) improving: bool,
    pub(super) eval: i32,
    pub(super) entry: Option<ShogiTtEntry>,
    pub(super) tt_move: Move,
    pub(super) was_pv: bool,
}
