//! All legal turns of a position, one by one, and counting them.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use crate::rules;
use crate::rules::board::{Colour, GroupId, SygoBoard};
use crate::rules::points::Point;
use crate::rules::position::SygoPosition;
use crate::rules::turn::{SygoTurn, TurnKind};

/// A vacant point at which the mover can grow.
struct GrowthPoint {
    point: Point,
    /// The home groups next to it, as places in the list of home groups.
    homes: ArrayVec<usize, 4>,
}

/// The turn just played on the board, as the visitor of the walk gets it.
pub struct TurnStones<'a> {
    /// Growth stones in no particular order.
    pub growth: &'a [Point],
    /// The placed stone.
    pub placement: Option<Point>,
}

impl TurnStones<'_> {
    /// The turn as a value.
    pub fn turn(&self) -> SygoTurn {
        SygoTurn::new(self.growth.iter().copied(), self.placement)
    }

    fn kind(&self) -> TurnKind {
        TurnKind::of(self.growth, self.placement)
    }
}

/// Plays every legal turn of `position` in a fixed order - pass, placements, growths - and shows
/// it to `visit`, with the position after it; a break ends the walk.
pub fn walk(
    position: &mut SygoPosition,
    visit: &mut dyn FnMut(&mut SygoPosition, &TurnStones) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if position.is_over() {
        return ControlFlow::Continue(());
    }
    show(position, &TurnStones { growth: &[], placement: None }, visit)?;
    placements(position, &[], visit)?;
    let before = position.board.clone();
    let homes: Vec<GroupId> = before.groups_of(position.side).map(|(id, _)| id).collect();
    let options = options(&before, position.side, &homes);
    let mut walk =
        GrowthWalk { before, options, growth: Vec::new(), grown: vec![false; homes.len()], captures: 0 };
    walk.from(position, 0, visit)
}

/// All legal turns, or the first `limit` of them; and whether these are all.
pub fn turns(position: &SygoPosition, limit: usize) -> (Vec<SygoTurn>, bool) {
    let mut found = Vec::new();
    let mut position = position.clone();
    let end = walk(&mut position, &mut |_, stones| {
        if found.len() == limit {
            return ControlFlow::Break(());
        }
        found.push(stones.turn());
        ControlFlow::Continue(())
    });
    (found, end.is_continue())
}

/// Number of turn sequences of exactly `depth` turns.
pub fn perft(position: &mut SygoPosition, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut count = 0;
    let _ = walk(position, &mut |after, _| {
        count += if depth == 1 { 1 } else { perft(after, depth - 1) };
        ControlFlow::Continue(())
    });
    count
}

/// The growth points, those of the first home group first.
fn options(board: &SygoBoard, side: Colour, homes: &[GroupId]) -> Vec<Vec<GrowthPoint>> {
    let mut options: Vec<Vec<GrowthPoint>> = homes.iter().map(|_| Vec::new()).collect();
    let near = board.stones(side).neighbours() & board.vacant();
    for point in near.iter() {
        let mut next_to: ArrayVec<usize, 4> = board
            .groups_next_to(point, side)
            .iter()
            .filter_map(|id| homes.iter().position(|home| home == id))
            .collect();
        next_to.sort_unstable();
        options[next_to[0]].push(GrowthPoint { point, homes: next_to });
    }
    options
}

/// Completes the turn on the board, shows it and opens it again.
fn show(
    position: &mut SygoPosition,
    stones: &TurnStones,
    visit: &mut dyn FnMut(&mut SygoPosition, &TurnStones) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (side, grown, passes, number) = (position.side, position.grown, position.passes, position.number);
    position.finish(stones.kind());
    let flow = visit(position, stones);
    (position.side, position.grown, position.passes, position.number) = (side, grown, passes, number);
    flow
}

/// Shows every legal turn of this growth, already on the board, with a placement.
fn placements(
    position: &mut SygoPosition,
    growth: &[Point],
    visit: &mut dyn FnMut(&mut SygoPosition, &TurnStones) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let side = position.side;
    let near = position.board.stones(side).neighbours();
    for point in position.board.vacant().without(&near).iter() {
        position.board.put(point, side);
        let stones = growth.iter().copied().chain([point]);
        let mut flow = ControlFlow::Continue(());
        if rules::stone_without_liberty(&position.board, stones).is_none() {
            flow = show(position, &TurnStones { growth, placement: Some(point) }, visit);
        }
        position.board.take_back();
        flow?;
    }
    ControlFlow::Continue(())
}

/// The walk over all growths: group by group, each stone chosen at the first of its groups.
struct GrowthWalk {
    before: SygoBoard,
    options: Vec<Vec<GrowthPoint>>,
    growth: Vec<Point>,
    grown: Vec<bool>,
    captures: u32,
}

impl GrowthWalk {
    /// Decides for home group `home` and all later ones.
    fn from(
        &mut self,
        position: &mut SygoPosition,
        home: usize,
        visit: &mut dyn FnMut(&mut SygoPosition, &TurnStones) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if home == self.options.len() {
            return self.complete(position, visit);
        }
        self.from(position, home + 1, visit)?;
        if self.grown[home] {
            return ControlFlow::Continue(());
        }
        for option in 0..self.options[home].len() {
            let GrowthPoint { point, homes } = &self.options[home][option];
            let (point, homes) = (*point, homes.clone());
            if homes.iter().any(|&home| self.grown[home]) {
                continue;
            }
            homes.iter().for_each(|&home| self.grown[home] = true);
            self.growth.push(point);
            let captured = position.board.put(point, position.side);
            self.captures += u32::from(captured);
            let flow = self.from(position, home + 1, visit);
            self.captures -= u32::from(captured);
            position.board.take_back();
            self.growth.pop();
            homes.iter().for_each(|&home| self.grown[home] = false);
            flow?;
        }
        ControlFlow::Continue(())
    }

    fn complete(
        &mut self,
        position: &mut SygoPosition,
        visit: &mut dyn FnMut(&mut SygoPosition, &TurnStones) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.growth.is_empty() {
            return ControlFlow::Continue(());
        }
        if self.captures > 0 && !rules::order_exists(&self.before, position.side, &self.growth) {
            return ControlFlow::Continue(());
        }
        if rules::stone_without_liberty(&position.board, self.growth.iter().copied()).is_none() {
            let stones = TurnStones { growth: &self.growth, placement: None };
            show(position, &stones, visit)?;
        }
        if position.has_balance_right() {
            placements(position, &self.growth, visit)?;
        }
        ControlFlow::Continue(())
    }
}
