//! How deep a move is searched: extensions (step 15 of a node) and late move reductions (step 16).

use crate::rules::types::Move;
use crate::search::ShogiWorker;
use crate::search::node::{MoveCandidate, NodeInfo, SearchWindow};
use crate::search::value::MATE_BOUND;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Bound, SearchStopped};

/// Instead of an extension: give the node up.
pub(super) const MULTICUT: i32 = i32::MIN;

impl ShogiWorker {
    /// Plies to add for this move; [`MULTICUT`] if the node can be given up instead. Checks that lose
    /// nothing are extended as in Stockfish 10.
    #[inline(always)]
    pub(super) fn extension(
        &mut self,
        node: NodeInfo,
        candidate: &MoveCandidate,
        beta: i32,
        control: &SearchControl,
    ) -> Result<i32, SearchStopped> {
        let NodeInfo { depth, ply, .. } = node;
        if ply == 0 || ply >= 2 * self.iteration_depth || !self.tune.forward_pruning {
            return Ok(0);
        }
        if let Some(entry) = node.entry
            && candidate.mv == node.tt_move
            && depth >= self.tune.singular_depth
            && entry.bound != Bound::Upper
            && entry.depth() >= depth - self.tune.singular_entry
            && entry.value(ply).abs() < MATE_BOUND
            && self.stack[ply].excluded == Move::NONE
        {
            return self.singular(node, entry.value(ply), candidate, beta, control);
        }
        Ok(i32::from(candidate.checks && self.position.see_ge(candidate.mv, 0)))
    }

    /// Singular extension: the TT move is far better than all others at half the depth
    /// (Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    /// searching", 1990), which are searched without it at the same node, as in Stockfish. The same
    /// search detects a multi-cut (Björnsson and Marsland, "Multi-cut alpha-beta pruning in game-tree
    /// search", 2001).
    fn singular(
        &mut self,
        node: NodeInfo,
        known: i32,
        candidate: &MoveCandidate,
        beta: i32,
        control: &SearchControl,
    ) -> Result<i32, SearchStopped> {
        let NodeInfo { depth, ply, .. } = node;
        let bar = known - self.tune.singular_margin * depth / 16;
        self.stack[ply].excluded = candidate.mv;
        let value = self.node::<false>(
            (depth - 1) / 2,
            ply,
            SearchWindow { alpha: bar - 1, beta: bar },
            node.cut,
            control,
        );
        self.stack[ply].excluded = Move::NONE;
        // The search without the move overwrote it.
        self.stack[ply].tt_tactical = candidate.tactical;
        let value = value?;
        Ok(if value < bar {
            let double = !node.pv && !candidate.tactical && value < bar - self.tune.double_margin;
            1 + i32::from(double)
        } else if value >= beta && value < MATE_BOUND {
            // Several moves refute this node.
            self.stack[ply].multicut = value;
            MULTICUT
        } else if known >= beta {
            -2
        } else {
            -i32::from(node.cut)
        })
    }

    /// Late move reduction in 1024ths of a ply: by the logarithms of depth and number, and by
    /// histories, as in Stockfish.
    #[inline(always)]
    pub(super) fn reduction(&self, node: NodeInfo, candidate: &MoveCandidate) -> i32 {
        let tune = &self.tune;
        let row = node.depth.clamp(1, 63) as usize;
        let column = candidate.number.clamp(1, 63) as usize;
        let mut plies = tune.lmr_base + self.reductions[row][column];
        if node.cut {
            plies += tune.lmr_cut;
        }
        if !node.improving {
            plies += tune.lmr_worsening + self.reductions[row][column] * tune.lmr_worsening_share / 1024;
        }
        if node.was_pv {
            plies -= tune.lmr_pv;
        }
        if candidate.checks {
            plies -= tune.lmr_check;
        }
        if candidate.tactical {
            return (plies / 2 - candidate.history / tune.lmr_capture_history).max(0);
        }
        if node.tt_move.is_some() && self.stack[node.ply].tt_tactical {
            plies += tune.lmr_capture;
        }
        plies - candidate.history * 1024 / (4 * tune.lmr_history)
    }
}
