//! Plain AND/OR search with growing depth: slow, and plain enough to be believed.

use crate::rules::checks::CheckMap;
use crate::rules::position::ShogiPosition;

/// The result of a plain search for a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// Mate in this number of plies, and in no fewer.
    Mate(usize),
    /// No mate, however deep one looks.
    NoMate,
    /// No mate within the depth looked at.
    Deeper,
    /// Too many nodes.
    TooMany,
}

/// Looks for a mate within `deepest` plies, visiting at most about `nodes` nodes.
pub(super) fn plain(position: &ShogiPosition, deepest: usize, mut nodes: u64) -> Plain {
    let mut position = position.clone();
    for depth in (1..=deepest).step_by(2) {
        let mut cut = false;
        if attack(&mut position, depth, &mut cut, &mut nodes) {
            return Plain::Mate(depth);
        }
        if nodes == 0 {
            return Plain::TooMany;
        }
        if !cut {
            return Plain::NoMate;
        }
    }
    Plain::Deeper
}

fn attack(position: &mut ShogiPosition, depth: usize, cut: &mut bool, nodes: &mut u64) -> bool {
    let squares = CheckMap::of(position);
    for mv in position.legal_moves() {
        if *nodes == 0 {
            return false;
        }
        if !squares.gives_check(position, mv) {
            continue;
        }
        position.make(mv);
        let mates = defend(position, depth - 1, cut, nodes);
        position.unmake();
        if mates {
            return true;
        }
    }
    false
}

fn defend(position: &mut ShogiPosition, depth: usize, cut: &mut bool, nodes: &mut u64) -> bool {
    *nodes = nodes.saturating_sub(1);
    let moves = position.legal_moves();
    if moves.is_empty() {
        return true;
    }
    if depth == 0 || *nodes == 0 {
        *cut = true;
        return false;
    }
    for mv in moves {
        position.make(mv);
        let mated = attack(position, depth - 1, cut, nodes);
        position.unmake();
        if !mated {
            return false;
        }
    }
    true
}
