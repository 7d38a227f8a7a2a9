//! Static value of a position: stones by the safety of their groups, nearer points, tempo.

use super::board::{Board, Colour};
use super::points::PointSet;

/// What a stone is worth when its group has so many liberties, in hundredths of a point.
const STONE_BY_LIBERTIES: [i32; 9] = [-60, 10, 50, 70, 80, 86, 90, 94, 97];
/// What a vacant point is worth that is nearer to one side, by the steps to reach it.
const NEARER_POINT: [i32; 6] = [80, 70, 60, 50, 40, 30];
/// A group that can grow, on an empty board; falls with the vacant points.
const GROUP: i32 = 150;

/// The terms of the evaluation, in hundredths of a point from White's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Stones, weighted by the safety of their groups.
    pub stones: i32,
    /// Vacant points, to who reaches them first.
    pub territory: i32,
    /// Number of groups that can still grow.
    pub tempo: i32,
}

impl Terms {
    /// Their sum.
    pub fn total(&self) -> i32 {
        self.stones + self.territory + self.tempo
    }
}

/// Evaluates a board for White.
pub fn terms(board: &Board) -> Terms {
    let mut terms = Terms::default();
    let vacant = board.vacant();
    let mut tempo = 0;
    for (_, group) in board.groups() {
        let sign = if group.colour == Colour::White { 1 } else { -1 };
        let liberties = group.liberties.len();
        terms.stones +=
            sign * i32::from(group.size) * STONE_BY_LIBERTIES[liberties.min(STONE_BY_LIBERTIES.len() - 1)];
        tempo += sign * i32::from(liberties > 2);
    }
    terms.tempo = tempo * GROUP * vacant.len() as i32 / board.points().len() as i32;
    terms.territory = territory(board, vacant);
    terms
}

/// Vacant points by who is nearer, counted in steps over vacant points.
fn territory(board: &Board, vacant: PointSet) -> i32 {
    let mut white = *board.stones(Colour::White);
    let mut black = *board.stones(Colour::Black);
    let mut rest = vacant;
    let mut value = 0;
    for step in 0.. {
        let near_white = white.neighbours() & rest;
        let near_black = black.neighbours() & rest;
        if near_white.is_empty() && near_black.is_empty() {
            break;
        }
        let worth = NEARER_POINT[step.min(NEARER_POINT.len() - 1)];
        value += worth * (near_white.without(&near_black).len() as i32);
        value -= worth * (near_black.without(&near_white).len() as i32);
        white = near_white.without(&near_black);
        black = near_black.without(&near_white);
        rest = rest.without(&(near_white | near_black));
    }
    value
}

/// Value for one side, in hundredths of a point.
pub fn for_side(board: &Board, side: Colour) -> i32 {
    let white = terms(board).total();
    if side == Colour::White { white } else { -white }
}
