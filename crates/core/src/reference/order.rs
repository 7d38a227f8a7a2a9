//! The article's move ordering, on which the speed of alpha-beta depends.
//!
//! Turns are tried by the static value of the position they lead to; captures and checks come forward;
//! turns whose value the cache knows, however shallow, come before all others. The article does not say by
//! how much captures and checks come forward: the figure is ours.
//!
//! After alpha-beta the cache knows most turns only by an upper limit, which is near the best value of that
//! search whatever the turn is worth. Such a limit does not order; with it, a middle-game position of shogi
//! took 15 per cent more nodes at depth 4.

use std::cmp::Reverse;

use super::{Method, Reference};
use crate::game::GameSearch;
use crate::game::search::Bound;

/// Bonus of captures and checks in the order, in centipawns.
const FORWARD: i32 = 150;

impl<G: GameSearch> Reference<G> {
    /// The turns of a position with their places in the order of
    /// [`GameRules::turns`](crate::game::GameRules::turns), as they are tried in a search to `depth`. Minimax tries all
    /// of them anyway, in any order.
    ///
    /// In the last ply a static value costs as much as the search of the turn, so there only captures and
    /// checks come forward.
    pub fn tried(&self, position: &G::Position, turns: Vec<G::Turn>, depth: u16) -> Vec<(usize, G::Turn)> {
        if !self.ordered || self.method == Method::Minimax {
            return turns.into_iter().enumerate().collect();
        }
        let forward = self.shared.game.captures_and_checks(position, &turns);
        let mut turns: Vec<(usize, G::Turn)> = turns.into_iter().enumerate().collect();
        turns.sort_by_cached_key(|(index, turn)| {
            let forward = if forward.get(*index) == Some(&true) { FORWARD } else { 0 };
            Reverse(if depth > 1 { self.promise(position, turn, forward) } else { (false, forward) })
        });
        turns
    }

    /// Whether the cache knows the value of `turn`, or that it is at least that, and the value for the side that
    /// plays it; otherwise the static value and `forward`.
    fn promise(&self, position: &G::Position, turn: &G::Turn, forward: i32) -> (bool, i32) {
        let game = &self.shared.game;
        let mut next = position.clone();
        game.play(&mut next, turn);
        let known = self.cache.as_ref().and_then(|cache| cache.get(&game.identity(&next)));
        match known {
            // A lower bound for the opponent is an upper one for the turn.
            Some(entry) if entry.bound != Bound::Lower => (true, -entry.value),
            _ => (false, forward - game.evaluate(&next)),
        }
    }
}
