//! Data of a search about its root beside the lines: the work spent on each turn, and the evaluation's estimates for
//! turns and points.

use serde::{Deserialize, Serialize};

use crate::game::score::Score;

/// Which parts of a [`RootReport`] are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootReportRequest {
    /// [`RootReport::candidates`].
    pub candidates: bool,
    /// [`RootReport::policy`].
    pub policy: bool,
    /// [`RootReport::ownership`].
    pub ownership: bool,
}

impl RootReportRequest {
    /// Whether nothing is wanted.
    pub fn is_empty(self) -> bool {
        self == RootReportRequest::default()
    }
}

/// The report of one root; `T` is a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct RootReport<T = String> {
    /// The turns that were searched, those with the most work first.
    pub candidates: Vec<SearchedTurn<T>>,
    /// The prior of each kind of turn and of each point, if the game has a policy.
    pub policy: Option<RootPolicy>,
    /// The expected owner of each point at the end, from -1 to 1 for the side to move, rows from the top; empty
    /// if the game has none.
    pub ownership: Vec<f32>,
}

// Derived, it would ask for a default turn.
impl<T> Default for RootReport<T> {
    fn default() -> RootReport<T> {
        RootReport { candidates: Vec::new(), policy: None, ownership: Vec::new() }
    }
}

/// A turn at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedTurn<T = String> {
    /// The turn.
    pub turn: T,
    /// How the search spent its work on it.
    pub work: RootWork,
    /// Prior probability; the priors of all candidates sum to 1. Alpha-beta searches have none.
    pub prior: Option<f32>,
    /// Mean value of its simulations for the side to move. Alpha-beta searches know values of their lines only.
    pub score: Option<Score>,
}

/// The unit in which a search counts its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootWork {
    /// Simulations of a tree search.
    Visits(u64),
    /// Nodes of an alpha-beta search, in its first thread.
    Nodes(u64),
}

/// Prior probabilities, from 0 to 1, in a game with turns of several stones. Points come row by row from the top; -1
/// marks an impossible point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RootPolicy {
    /// The turn is a growth.
    pub grow: f32,
    /// The turn is a pass.
    pub pass: f32,
    /// Of each point: the turn places a stone there.
    pub placements: Vec<f32>,
    /// Of each point: a group beside it grows there if the turn is a growth; the mean over several groups.
    pub growths: Vec<f32>,
}

/// The nodes below each turn of the root of an alpha-beta search.
#[derive(Clone, Debug)]
pub struct RootNodes<T> {
    /// Hash of the root.
    root: Option<u64>,
    turns: Vec<(T, u64)>,
}

impl<T> Default for RootNodes<T> {
    fn default() -> RootNodes<T> {
        RootNodes { root: None, turns: Vec::new() }
    }
}

impl<T: PartialEq + Copy> RootNodes<T> {
    /// Begins to count at the root with this hash, and clears the counts of another root.
    pub fn begin(&mut self, root: u64) {
        if self.root != Some(root) {
            self.clear();
            self.root = Some(root);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.root = None;
        self.turns.clear();
    }

    /// Counts nodes below a turn.
    pub fn add(&mut self, turn: T, nodes: u64) {
        match self.turns.iter_mut().find(|(known, _)| *known == turn) {
            Some((_, sum)) => *sum += nodes,
            None => self.turns.push((turn, nodes)),
        }
    }

    /// The turns of the root with this hash, most nodes first.
    pub fn candidates(&self, root: u64) -> Vec<SearchedTurn<T>> {
        let mut turns: Vec<(T, u64)> = if self.root == Some(root) { self.turns.clone() } else { Vec::new() };
        turns.sort_by_key(|(_, nodes)| std::cmp::Reverse(*nodes));
        let candidate =
            |(turn, nodes)| SearchedTurn { turn, work: RootWork::Nodes(nodes), prior: None, score: None };
        turns.into_iter().map(candidate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_summed_by_turn_and_forgotten_with_their_root() {
        let mut nodes = RootNodes::default();
        nodes.begin(7);
        for (turn, count) in [('a', 1), ('b', 5), ('a', 2)] {
            nodes.add(turn, count);
        }
        nodes.begin(7);
        let found: Vec<_> =
            nodes.candidates(7).into_iter().map(|candidate| (candidate.turn, candidate.work)).collect();
        assert_eq!(found, [('b', RootWork::Nodes(5)), ('a', RootWork::Nodes(3))]);
        assert!(nodes.candidates(8).is_empty());
        nodes.begin(8);
        assert!(nodes.candidates(8).is_empty() && nodes.candidates(7).is_empty());
    }
}
