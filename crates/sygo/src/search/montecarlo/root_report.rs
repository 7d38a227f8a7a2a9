//! The network's report about a root: probabilities of kinds of turns and of points, and the owner of each point.

use super::MonteCarlo;
use super::tree::thousandths;
use crate::network::Policy;
use crate::rules::board::{Colour, SygoBoard};
use crate::rules::points::Point;
use crate::rules::position::SygoPosition;
use crate::rules::territory;
use kaeshi_core::game::root_report::RootPolicy;

/// A point where something cannot be played.
const NOWHERE: f32 = -1.0;

/// The points of a board, rows from the top.
fn points(board: &SygoBoard) -> impl Iterator<Item = Point> + use<> {
    let size = board.size();
    (0..size.rows()).rev().flat_map(move |row| (0..size.columns()).map(move |column| Point::new(column, row)))
}

/// The owners of the points of a game that is over: 1 for `side`, -1 for the other one, 0 for neither.
pub fn final_owners(board: &SygoBoard, side: Colour) -> Vec<f32> {
    let territory = territory(board);
    let owner = |point: Point| {
        let vacant = || {
            let of = |colour: Colour| territory[colour as usize].contains(point).then_some(colour);
            of(Colour::White).or_else(|| of(Colour::Black))
        };
        match board.stone(point).or_else(vacant) {
            None => 0.0,
            Some(colour) if colour == side => 1.0,
            Some(_) => -1.0,
        }
    };
    points(board).map(owner).collect()
}

impl MonteCarlo {
    /// The network's policy at a position that is not over.
    pub fn root_policy(&mut self, position: &SygoPosition) -> RootPolicy {
        self.judge.run(&self.network, position);
        let (board, outputs) = (&position.board, &self.judge.outputs);
        let policy = Policy::new(outputs, position);
        let placed: Vec<(Point, f32)> = policy.placement_likelihoods().collect();
        let placements = points(board).map(|point| {
            let likelihood = placed.iter().find(|(other, _)| *other == point);
            likelihood.map_or(NOWHERE, |(_, logarithm)| thousandths(logarithm.exp()))
        });
        // In a growth each group chooses one of its points, or none.
        let totals: Vec<(u16, f32)> = board
            .groups_of(position.side)
            .map(|(id, group)| {
                let own = policy.choices.iter().filter(|choice| choice.homes.meets(&group.stones));
                (id, 1.0 + own.map(|choice| choice.output.exp()).sum::<f32>())
            })
            .collect();
        let growths = points(board).map(|point| {
            let Some(choice) = policy.choices.iter().find(|choice| choice.point == point) else {
                return NOWHERE;
            };
            let homes = board.groups_next_to(point, position.side);
            let totals = totals.iter().filter(|(id, _)| homes.contains(id));
            let shares: f32 = totals.map(|(_, total)| choice.output.exp() / total).sum();
            thousandths(shares / choice.groups)
        });
        RootPolicy {
            placements: placements.collect(),
            growths: growths.collect(),
            grow: thousandths(policy.grow.exp()),
            pass: thousandths(policy.pass.exp()),
        }
    }

    /// The owner of each point that the network expects, for `side`: the mean over positions by their weights.
    pub fn ownership(&mut self, sample: &[(SygoPosition, u32)], side: Colour) -> Vec<f32> {
        let total: f32 = sample.iter().map(|(_, weight)| *weight as f32).sum();
        let mut mean = Vec::new();
        for (position, weight) in sample {
            let owners = if position.is_over() {
                final_owners(&position.board, side)
            } else {
                self.judge.run(&self.network, position);
                let outputs = &self.judge.outputs;
                let sign = if position.side == side { 1.0 } else { -1.0 };
                let cells = points(&position.board).map(|point| outputs.grid.cell(point));
                cells.map(|cell| sign * outputs.points[cell][2].tanh()).collect()
            };
            mean.resize(owners.len(), 0.0);
            for (mean, owner) in mean.iter_mut().zip(owners) {
                *mean += owner * *weight as f32 / total;
            }
        }
        mean.into_iter().map(thousandths).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::QuantizedSygoNetwork;
    use crate::rules::notation::parse_position;
    use crate::search::montecarlo::MctsParameters;

    fn searcher() -> MonteCarlo {
        MonteCarlo::new(0, MctsParameters::default(), QuantizedSygoNetwork::embedded())
    }

    #[test]
    fn a_policy_is_a_distribution_over_what_can_be_played() {
        let position = parse_position("5/1w3/5/3b1/5 w g 0 5").expect("a position");
        let policy = searcher().root_policy(&position);
        let sum: f32 = policy.placements.iter().filter(|&&share| share >= 0.0).sum();
        assert!((sum + policy.grow + policy.pass - 1.0).abs() < 0.02, "{policy:?}");
        // b4 is the stone; its four neighbours can grow, and nothing else.
        let growing: Vec<usize> = (0..25).filter(|&index| policy.growths[index] >= 0.0).collect();
        assert_eq!(growing, [1, 5, 7, 11]);
        assert!(growing.iter().map(|&index| policy.growths[index]).sum::<f32>() <= 1.01);
        let closed: Vec<usize> = (0..25).filter(|&index| policy.placements[index] < 0.0).collect();
        assert_eq!(closed, [1, 5, 6, 7, 11, 18]);
    }

    #[test]
    fn ownership_is_of_the_side_asked_for_and_sure_where_the_game_is_over() {
        let over = parse_position("1w1/www/bb1 w g 2 9").expect("a position");
        for (side, sign) in [(Colour::White, 1.0), (Colour::Black, -1.0)] {
            let owners: Vec<f32> =
                [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 0.0].map(|owner| owner * sign).into();
            assert_eq!(searcher().ownership(&[(over.clone(), 1)], side), owners);
        }
        let settled = parse_position("bbbbbbb/b1bbb1b/bbbbbbb/bbbbbbb/bbbbbbb/b1bbb1b/bbbbbbb b g 1 40");
        let settled = [(settled.expect("a position"), 3)];
        let owners = searcher().ownership(&settled, Colour::Black);
        assert_eq!(owners.len(), 49);
        assert!(owners.iter().sum::<f32>() > 40.0, "{owners:?}");
        let white: Vec<f32> = owners.iter().map(|owner| -owner).collect();
        assert_eq!(searcher().ownership(&settled, Colour::White), white);
    }
}
