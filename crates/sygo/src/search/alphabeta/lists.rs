//! The turns of inner nodes, kept from iteration to iteration: making a list costs a hundred evaluations.

use std::collections::HashMap;
use std::sync::Arc;

use crate::evaluate::SygoWeights;
use crate::rules::position::SygoPosition;
use crate::rules::turn::{SygoTurn, TurnKind};
use crate::search::propose::{ProposedTurn, propose};

/// Lists kept at most; about 3 KB each on a large board.
const LISTS: usize = 1 << 14;
/// How much wider a list is made than asked for: each iteration asks for one turn more.
const RESERVE: usize = 3;

/// Proposed turns by the key of their position.
#[derive(Default)]
pub struct Lists(HashMap<u64, List>);

#[derive(Clone)]
pub struct List {
    /// Turns of a kind at most.
    width: usize,
    turns: Arc<[ProposedTurn]>,
}

impl Lists {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether there is a list of this width already.
    pub fn has(&self, key: u64, width: usize) -> bool {
        self.0.get(&key).is_some_and(|list| list.width >= width)
    }

    /// The list of the position with this key, `width` growths and as many placements or more.
    pub fn get(&mut self, weights: &SygoWeights, position: &SygoPosition, key: u64, width: usize) -> List {
        if let Some(list) = self.0.get(&key).filter(|list| list.width >= width) {
            return list.clone();
        }
        if self.0.len() >= LISTS {
            self.0.clear();
        }
        let wider = width + RESERVE;
        let list = List { width: wider, turns: propose(weights, position, wider, wider).into() };
        self.0.insert(key, list.clone());
        list
    }
}

impl List {
    /// The best `width` growths, the best `width` placements and all other turns, best first, after the turn that
    /// `is_first` picks.
    pub fn ordered(&self, width: usize, is_first: impl Fn(&SygoTurn) -> bool) -> Vec<&SygoTurn> {
        let (mut growths, mut placements) = (0, 0);
        let mut turns: Vec<&SygoTurn> = Vec::with_capacity(2 * width + 4);
        for (_, turn) in &*self.turns {
            let wanted = match turn.kind() {
                TurnKind::Growth => {
                    growths += 1;
                    growths <= width
                }
                TurnKind::Placement => {
                    placements += 1;
                    placements <= width
                }
                TurnKind::Balance | TurnKind::Pass => true,
            };
            if is_first(turn) {
                turns.insert(0, turn);
            } else if wanted {
                turns.push(turn);
            }
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::notation::parse_position;

    #[test]
    fn a_kept_list_serves_as_a_narrower_one() {
        let position = parse_position("7/1w3b1/7/3w3/7/1b3w1/7 w g 0 9").expect("position");
        let weights = SygoWeights::embedded();
        let mut lists = Lists::default();
        for width in [2, 4, 5] {
            let list = lists.get(&weights, &position, position.key(), width);
            let narrow: Vec<SygoTurn> =
                propose(&weights, &position, width, width).into_iter().map(|j| j.1).collect();
            assert_eq!(list.ordered(width, |_| false), narrow.iter().collect::<Vec<_>>());
            assert!(lists.has(position.key(), width));
        }
        assert_eq!(lists.0.len(), 1);
        let list = lists.get(&weights, &position, position.key(), 2);
        let last = list.ordered(2, |_| false).pop().expect("a turn").clone();
        assert_eq!(list.ordered(2, |turn| *turn == last)[0], &last);
    }
}
