//! The legality of turns, and the score.

pub mod board;
pub mod generate;
mod illegal;
pub mod notation;
pub mod points;
pub mod position;
pub mod settled;
pub mod size;
pub mod turn;

use crate::rules::board::{Colour, GroupId, SygoBoard};
use crate::rules::points::{Point, PointSet};
use crate::rules::position::SygoPosition;
use crate::rules::turn::{SygoTurn, TurnKind};

pub use illegal::IllegalSygoTurn;

/// Says why a turn is illegal, if it is.
///
/// # Errors
/// The rule that forbids it, naming the point.
pub fn check(position: &SygoPosition, turn: &SygoTurn) -> Result<(), IllegalSygoTurn> {
    if position.is_over() {
        return Err(IllegalSygoTurn::Over);
    }
    let mut seen = PointSet::EMPTY;
    for point in turn.stones() {
        if !position.board.points().contains(point) {
            return Err(IllegalSygoTurn::OffBoard(point));
        }
        if !position.board.is_vacant(point) {
            return Err(IllegalSygoTurn::Occupied(point));
        }
        if seen.contains(point) {
            return Err(IllegalSygoTurn::Twice(point));
        }
        seen.insert(point);
    }
    if turn.kind() == TurnKind::Balance && !position.has_balance_right() {
        return Err(match position.side {
            Colour::White => IllegalSygoTurn::OnlyBlackBalances,
            Colour::Black => IllegalSygoTurn::BalanceGone,
        });
    }
    check_growth(&position.board, position.side, turn.growth())?;
    let mut board = position.board.clone();
    for &point in turn.growth() {
        board.put_for_good(point, position.side);
    }
    if let Some(point) = turn.placement() {
        if board.touches(point, position.side) {
            return Err(IllegalSygoTurn::NextToOwn { point, alone: turn.growth().is_empty() });
        }
        board.put_for_good(point, position.side);
    }
    match stone_without_liberty(&board, turn.stones()) {
        Some(point) => Err(IllegalSygoTurn::Suicide(point)),
        None => Ok(()),
    }
}

/// Says which of a growth's own conditions (rules 3 and 5.3) is broken, if one is; suicide is judged at the end
/// of the turn. The points are vacant and different.
///
/// # Errors
/// The condition, naming the point.
pub fn check_growth(board: &SygoBoard, side: Colour, growth: &[Point]) -> Result<(), IllegalSygoTurn> {
    let mut grown: Vec<(GroupId, Point)> = Vec::new();
    for &point in growth {
        let homes = board.groups_next_to(point, side);
        if homes.is_empty() {
            return Err(IllegalSygoTurn::NotNext(point));
        }
        for home in homes {
            if let Some((_, other)) = grown.iter().find(|(id, _)| *id == home) {
                return Err(IllegalSygoTurn::SameGroup(*other, point));
            }
            grown.push((home, point));
        }
    }
    if order_exists(board, side, growth) { Ok(()) } else { Err(IllegalSygoTurn::NoOrder) }
}

/// Whether the stones of a growth can be put in some order in which no captor grows after its
/// capture. `board` is that before the turn.
///
/// Stones are taken away from the end: the last one may be any that does not grow a captor of a
/// group captured earlier; taking a liberty of a captured group opens that group. The condition
/// is monotone, so greed is exact.
pub fn order_exists(board: &SygoBoard, side: Colour, growth: &[Point]) -> bool {
    let mut left: PointSet = growth.iter().copied().collect();
    // For every captured group: its liberties, and the stones that cannot come after the capture.
    let mut open: Vec<(PointSet, PointSet)> = Vec::new();
    for (_, group) in board.groups_of(side.other()) {
        if !group.liberties.is_subset(&left) || group.liberties.is_empty() {
            continue;
        }
        let captors = group.stones.neighbours() & *board.stones(side);
        let mut barred = PointSet::EMPTY;
        for point in left.without(&group.liberties).iter() {
            let homes = board.groups_next_to(point, side);
            if homes.iter().any(|&home| board.group(home).stones.meets(&captors)) {
                barred.insert(point);
            }
        }
        if !barred.is_empty() {
            open.push((group.liberties, barred));
        }
    }
    while !open.is_empty() {
        let barred = open.iter().fold(PointSet::EMPTY, |all, (_, barred)| all | *barred);
        let last = left.without(&barred);
        if last.is_empty() {
            return false;
        }
        left = left.without(&last);
        open.retain(|(liberties, _)| !liberties.meets(&last));
    }
    true
}

/// The first of these stones whose group has no liberty.
pub fn stone_without_liberty(board: &SygoBoard, stones: impl Iterator<Item = Point>) -> Option<Point> {
    let mut stones = stones;
    stones.find(|&point| board.group(board.group_at(point)).liberties.is_empty())
}

/// Points of White and of Black: stones, and vacant regions that border on one colour only.
pub fn score(board: &SygoBoard) -> [i32; 2] {
    let [white, black] = territory(board);
    [(Colour::White, white), (Colour::Black, black)]
        .map(|(colour, vacant)| (board.stones(colour).len() + vacant.len()) as i32)
}

/// The vacant points that count for White and for Black: regions that border on one colour only.
pub fn territory(board: &SygoBoard) -> [PointSet; 2] {
    let white = board.stones(Colour::White);
    let black = board.stones(Colour::Black);
    let mut territory = [PointSet::default(); 2];
    let vacant = board.vacant();
    let mut rest = vacant;
    while let Some(seed) = rest.first() {
        let region = PointSet::from_iter([seed]).flood(&vacant);
        rest = rest.without(&region);
        let border = region.neighbours();
        match (border.meets(white), border.meets(black)) {
            (true, false) => territory[0] |= region,
            (false, true) => territory[1] |= region,
            _ => {}
        }
    }
    territory
}

/// White's margin, in points.
pub fn margin(board: &SygoBoard) -> i32 {
    let [white, black] = score(board);
    white - black
}

/// Margin of the side to move, in points.
pub fn margin_of_mover(position: &SygoPosition) -> i32 {
    let margin = margin(&position.board);
    if position.side == Colour::White { margin } else { -margin }
}
