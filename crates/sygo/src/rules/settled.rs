//! Vacant points on which no stone gains anything any more, on a board of any size; the solver has the
//! same in [`crate::solve::settled`], which explains why.

use super::board::{Colour, StoneGroup, SygoBoard};
use super::points::PointSet;

/// The vacant points of settled regions without a stone of the other colour.
pub fn idle(board: &SygoBoard) -> PointSet {
    let vacant = board.vacant();
    idle_of(board, vacant, Colour::White) | idle_of(board, vacant, Colour::Black)
}

fn idle_of(board: &SygoBoard, vacant: PointSet, side: Colour) -> PointSet {
    let enemy = *board.stones(side.other());
    let mut eyes = vacant.without(&(vacant | enemy).neighbours());
    if eyes.len() < 2 {
        return PointSet::EMPTY;
    }
    let mut groups: Vec<&StoneGroup> = board.groups_of(side).map(|(_, group)| group).collect();
    let alive = loop {
        groups.retain(|group| (group.liberties & eyes).len() >= 2);
        let alive = groups.iter().fold(PointSet::EMPTY, |all, group| all | group.stones);
        let kept = eyes.without(&board.points().without(&alive).neighbours());
        if kept == eyes {
            break alive;
        }
        eyes = kept;
        if eyes.len() < 2 {
            return PointSet::EMPTY;
        }
    };
    let beside = alive.neighbours();
    let outside = board.points().without(&alive);
    let mut idle = eyes;
    let mut rest = vacant.without(&eyes);
    while let Some(point) = rest.first() {
        let region = PointSet::from_iter([point]).flood(&outside);
        rest = rest.without(&region);
        let inside = region & vacant;
        if !region.meets(&enemy) && inside.is_subset(&beside) {
            idle |= inside;
        }
    }
    idle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::position::SygoPosition;
    use crate::search::playout::PlayoutScratch;
    use crate::solve::common_fate::CommonFate;
    use crate::solve::graph::{Graph, each};
    use crate::solve::settled::settled;

    #[test]
    fn the_solver_finds_the_same_points() {
        let mut playout = PlayoutScratch::new(4);
        let mut found = 0;
        for game in 0..200 {
            let mut position = SygoPosition::new(3 + game % 17);
            while !position.is_over() {
                if let Some((graph, node)) = CommonFate::new(&position) {
                    let bits = settled(&graph, node.own, node.enemy).idle
                        | settled(&graph, node.enemy, node.own).idle;
                    let same: PointSet = each(bits).map(|bit| graph.point(bit)).collect();
                    assert!(idle(&position.board) == same);
                    found += same.len();
                }
                playout.turn(&mut position);
            }
        }
        assert!(found > 1_000, "{found}");
    }
}
