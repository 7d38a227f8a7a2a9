//! What the search learns from a node for the order of moves elsewhere.

use crate::shogi::rules::types::{Kind, Move};
use crate::shogi::search::Searcher;
use crate::shogi::search::history::Place;
use crate::shogi::search::tree::{Candidate, Node, Tried};

impl Searcher {
    /// What a success at this depth adds to a history.
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        let tune = &self.tune;
        (tune.history_bonus * depth - tune.history_bonus_offset).min(tune.history_bonus_limit)
    }

    /// Rewards (or punishes) a quiet move of the present position.
    pub(super) fn reward_quiet(&mut self, mv: Move, place: Place, bonus: i32) {
        self.history.reward_quiet(self.position.side_to_move(), mv, bonus);
        for earlier in self.places_before() {
            self.history.reward_continuation(earlier, place, bonus);
        }
    }

    /// Rewards the best move of a node, and punishes those `tried` besides it.
    pub(super) fn learn(&mut self, node: Node, best: &Candidate, tried: &Tried, clearly: bool) {
        let bonus = self.bonus(node.depth + i32::from(clearly));
        if best.tactical {
            self.history.reward_capture(best.place, best.captured.unwrap_or(Kind::KING), bonus);
        } else {
            self.reward_quiet(best.mv, best.place, bonus);
            for &(mv, place, _, _) in tried.iter().filter(|tried| !tried.3) {
                self.reward_quiet(mv, place, -bonus);
            }
        }
        for &(_, place, captured, _) in tried.iter().filter(|tried| tried.3) {
            self.history.reward_capture(place, captured.unwrap_or(Kind::KING), -bonus);
        }
    }

    /// A node without a good move speaks for the quiet move that led to it.
    pub(super) fn reward_parent(&mut self, ply: usize, bonus: i32) {
        let mv = self.position.last_move();
        if mv == Move::NONE || self.position.last_captured().is_some() {
            return;
        }
        let place = self.stack[ply - 1].place;
        for back in [2, 3, 5] {
            if ply >= back {
                self.history.reward_continuation(self.stack[ply - back].place, place, bonus);
            }
        }
        self.history.reward_quiet(self.position.side_to_move().other(), mv, bonus / 2);
    }
}
