//! Reports of the tree about its root: the turns with their visits, and positions that represent all simulations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{MctsNode, MctsTree};
use crate::rules::position::SygoPosition;
use crate::rules::turn::SygoTurn;
use kaeshi_core::game::root_report::{RootWork, SearchedTurn};
use kaeshi_core::game::score::Score;

impl MctsTree {
    /// The turns of `position`, most visits first; none if the root is another one.
    pub fn candidates(&self, position: &SygoPosition) -> Vec<SearchedTurn<SygoTurn>> {
        let Ok(root) = self.root(position) else { return Vec::new() };
        let candidate = |edge: &super::MctsEdge| SearchedTurn {
            turn: edge.turn.clone(),
            work: RootWork::Visits(edge.visits.into()),
            prior: Some(thousandths(edge.prior)),
            score: (edge.visits > 0).then(|| Score::Cp((100.0 * edge.points()) as i32)),
        };
        let mut edges: Vec<&super::MctsEdge> = root.edges.iter().collect();
        edges.sort_by(|one, other| other.visits.cmp(&one.visits).then(other.prior.total_cmp(&one.prior)));
        edges.into_iter().map(candidate).collect()
    }

    /// At most about `most` positions below `position`, each with the number of simulations that it stands for.
    /// The most visited nodes are opened first; a node that is not opened stands for all simulations below it.
    pub fn sample(&self, position: &SygoPosition, most: usize) -> Vec<(SygoPosition, u32)> {
        let Ok(root) = self.root(position) else { return vec![(position.clone(), 1)] };
        let mut sample = Vec::new();
        let mut nodes: Vec<(&MctsNode, SygoPosition, u32)> = vec![(root, position.clone(), 1)];
        // Visits, then the order of discovery, so that the same tree gives the same sample.
        let mut open = BinaryHeap::from([(1, Reverse(0))]);
        while let Some((_, Reverse(index))) = open.pop() {
            let (node, here, visits) = &nodes[index];
            let (node, here, visits) = (*node, here.clone(), *visits);
            let visited = || node.edges.iter().filter(|edge| edge.visits > 0);
            if index > 0 && sample.len() + open.len() + visited().count() >= most {
                sample.push((here, visits));
                continue;
            }
            for edge in visited() {
                let mut after = here.clone();
                after.play(&edge.turn);
                match edge.node.as_deref().filter(|_| edge.visits > 1) {
                    Some(below) => {
                        open.push((edge.visits, Reverse(nodes.len())));
                        nodes.push((below, after, edge.visits));
                    }
                    None => sample.push((after, edge.visits)),
                }
            }
            // The simulation that listed the turns of this node judged its own position.
            sample.push((here, 1));
        }
        sample
    }
}

/// Rounded to a thousandth.
pub fn thousandths(share: f32) -> f32 {
    (share * 1000.0).round() / 1000.0
}
