//! History updates (step 18 of a node).

use crate::rules::types::{Move, PieceKind};
use crate::search::ShogiWorker;
use crate::search::history::{CONTINUATION_PLIES, PieceTo};
use crate::search::node::{MoveCandidate, TriedMoves};

impl ShogiWorker {
    /// The history bonus of a cutoff at this depth.
    pub(super) fn bonus(&self, depth: i32) -> i32 {
        let tune = &self.tune;
        (tune.history_bonus * depth - tune.history_bonus_offset).min(tune.history_bonus_limit)
    }

    /// Adds a bonus, or a malus, to the histories of a quiet move of the present position.
    pub(super) fn add_quiet_bonus(&mut self, mv: Move, piece_to: PieceTo, bonus: i32) {
        self.history.add_quiet_bonus(self.position.side_to_move(), mv, bonus);
        for earlier in self.earlier_piece_tos() {
            self.history.add_continuation_bonus(earlier, piece_to, bonus);
        }
    }

    /// A bonus for the best move of a node of this depth, a malus for those `tried` besides it.
    pub(super) fn update_histories(
        &mut self,
        depth: i32,
        best: &MoveCandidate,
        tried: &TriedMoves,
        clearly: bool,
    ) {
        let bonus = self.bonus(depth + i32::from(clearly));
        if best.tactical {
            self.history.add_capture_bonus(best.piece_to, best.captured.unwrap_or(PieceKind::KING), bonus);
        } else {
            self.add_quiet_bonus(best.mv, best.piece_to, bonus);
            for quiet in tried.iter().filter(|tried| !tried.tactical) {
                self.add_quiet_bonus(quiet.mv, quiet.piece_to, -bonus);
            }
        }
        for tactical in tried.iter().filter(|tried| tried.tactical) {
            let captured = tactical.captured.unwrap_or(PieceKind::KING);
            self.history.add_capture_bonus(tactical.piece_to, captured, -bonus);
        }
    }

    /// A bonus for a quiet move at `ply` that was reduced, and is still better than alpha at full depth.
    pub(super) fn add_research_bonus(&mut self, ply: usize, candidate: &MoveCandidate) {
        if !candidate.tactical {
            self.add_continuation_bonuses(ply, candidate.piece_to, self.tune.history_research);
        }
    }

    /// Adds a bonus to the continuation histories of the move at `ply`, which arrived at `piece_to`.
    fn add_continuation_bonuses(&mut self, ply: usize, piece_to: PieceTo, bonus: i32) {
        for back in CONTINUATION_PLIES.into_iter().filter(|&back| back <= ply) {
            self.history.add_continuation_bonus(self.stack[ply - back].piece_to, piece_to, bonus);
        }
    }

    /// A node that failed low gives a bonus to the quiet move that led to it.
    pub(super) fn add_parent_bonus(&mut self, ply: usize, bonus: i32) {
        let bonus = bonus * self.tune.history_parent / 1024;
        let mv = self.position.last_move();
        if mv == Move::NONE || self.position.last_captured().is_some() {
            return;
        }
        self.add_continuation_bonuses(ply - 1, self.stack[ply - 1].piece_to, bonus);
        self.history.add_quiet_bonus(self.position.side_to_move().other(), mv, bonus / 2);
    }
}
