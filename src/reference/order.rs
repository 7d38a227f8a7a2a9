//! The article's move ordering, which alpha-beta lives from.
//!
//! Turns are tried by the static value of the position they lead to; captures and checks come forward;
//! where the cache knows the position that a turn leads to, its value counts instead, however shallow.
//! The article does not say by how much captures and checks come forward: the figure is ours.

use super::{Method, Reference};
use crate::game::Game;

/// By how much captures and checks come forward, in centipawns.
const FORWARD: i32 = 150;

impl<G: Game> Reference<G> {
    /// The turns of a position with their places in the order of [`Game::turns`], as they are tried in a
    /// search to `depth`. Minimax tries all of them anyway, in any order.
    ///
    /// In the last ply a static value costs as much as the search of the turn, so there only captures and
    /// checks come forward.
    pub(super) fn tried(
        &self,
        position: &G::Position,
        turns: Vec<G::Turn>,
        depth: u16,
    ) -> Vec<(usize, G::Turn)> {
        if !self.ordered || self.method == Method::Minimax {
            return turns.into_iter().enumerate().collect();
        }
        let forward = self.shared.game.captures_and_checks(position, &turns);
        let mut turns: Vec<(usize, G::Turn)> = turns.into_iter().enumerate().collect();
        turns.sort_by_cached_key(|(index, turn)| {
            let bonus = if forward.get(*index) == Some(&true) { FORWARD } else { 0 };
            let value = if depth > 1 { self.known_or_static(position, turn) } else { 0 };
            std::cmp::Reverse(value + bonus)
        });
        turns
    }

    /// Value of `turn` for the side that plays it: the cache's for the position that follows, otherwise the
    /// static one.
    fn known_or_static(&self, position: &G::Position, turn: &G::Turn) -> i32 {
        let game = &self.shared.game;
        let mut next = position.clone();
        game.play(&mut next, turn);
        let known = self.cache.as_ref().and_then(|cache| cache.get(&game.identity(&next)));
        -known.map_or_else(|| game.evaluate(&next), |entry| entry.value)
    }
}
