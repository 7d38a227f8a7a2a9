//! Forward pruning: of nodes before their moves (steps 8 to 11 of a node), and of single moves (step 14).

use crate::rules::types::Move;
use crate::search::ShogiWorker;
use crate::search::entry::ShogiTtEntry;
use crate::search::history::PieceTo;
use crate::search::node::{MoveCandidate, NodeInfo, SearchWindow};
use crate::search::picker::Picker;
use crate::search::value::{MATE_BOUND, SUPERIOR};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Bound, SearchStopped};

impl ShogiWorker {
    /// Steps 8 to 11: the value of a node that needs no search of all its moves.
    #[inline(always)]
    pub(super) fn prune_node(
        &mut self,
        node: NodeInfo,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<Option<i32>, SearchStopped> {
        if let Some(value) = self.razor(node, window, control)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.reverse_futility(node, window) {
            return Ok(Some(value));
        }
        if let Some(value) = self.null_move(node, window, control)? {
            return Ok(Some(value));
        }
        self.probcut(node, window, control)
    }

    /// Step 8, razoring: so far below alpha that only captures could help (Birmingham and Kent, "Tree-searching
    /// and tree-pruning techniques", 1977; judged by quiescence, as in Stockfish).
    fn razor(
        &mut self,
        node: NodeInfo,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<Option<i32>, SearchStopped> {
        let tune = &self.tune;
        if node.depth > tune.razor_depth || node.eval + tune.razor_margin * node.depth > window.alpha {
            return Ok(None);
        }
        let value = self.quiescence::<false>(node.ply, SearchWindow::above(window.alpha), control)?;
        Ok((value <= window.alpha).then_some(value))
    }

    /// Step 9, reverse futility pruning: so far above beta that no quiet reply costs it all, as in Stockfish.
    fn reverse_futility(&self, node: NodeInfo, window: SearchWindow) -> Option<i32> {
        let tune = &self.tune;
        let margin = tune.rfp_margin * (node.depth - i32::from(node.improving));
        let holds = node.depth <= tune.rfp_depth
            && !node.was_pv
            && node.eval - margin >= window.beta
            && node.eval < MATE_BOUND
            && window.beta > -MATE_BOUND;
        holds.then(|| (2 * window.beta + node.eval) / 3)
    }

    /// Step 10, null move pruning: if passing is good enough, a move is, too (Goetsch and Campbell, "Experiments with
    /// the null-move heuristic", 1990; Donninger, "Null move and deep search", 1993). Zugzwang is all
    /// but absent in shogi.
    fn null_move(
        &mut self,
        node: NodeInfo,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<Option<i32>, SearchStopped> {
        let tune = &self.tune;
        let SearchWindow { beta, .. } = window;
        if node.depth < tune.nmp_depth
            || node.eval < beta
            || self.position.last_move() == Move::NONE
            || beta < -MATE_BOUND
        {
            return Ok(None);
        }
        let reduction = tune.nmp_reduction
            + node.depth / tune.nmp_depth_step
            + ((node.eval - beta) / tune.nmp_value_step).min(tune.nmp_value_most);
        self.stack[node.ply].piece_to = PieceTo::NONE;
        self.position.make_pass();
        let value = self.node::<false>(
            node.depth - reduction,
            node.ply + 1,
            SearchWindow { alpha: -beta, beta: 1 - beta },
            false,
            control,
        );
        self.position.unmake_pass();
        let value = -value?;
        Ok((value >= beta).then_some(if value >= MATE_BOUND { beta } else { value }))
    }

    /// Step 11, ProbCut: a capture that is far better than beta at low depth will do at full depth (Buro,
    /// "ProbCut", 1995; captures only, as in Stockfish).
    fn probcut(
        &mut self,
        node: NodeInfo,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<Option<i32>, SearchStopped> {
        let target = window.beta + self.tune.probcut_margin;
        let reduced = node.depth - self.tune.probcut_reduction;
        let refuted =
            node.entry.is_some_and(|entry| entry.depth() > reduced && entry.value(node.ply) < target);
        if node.depth < self.tune.probcut_depth || window.beta.abs() >= SUPERIOR - 1_000 || refuted {
            return Ok(None);
        }
        let tactical = node.tt_move.is_some() && self.is_tactical(node.tt_move);
        let first = if tactical { node.tt_move } else { Move::NONE };
        let base = self.move_stack.height();
        let mut picker = Picker::tactical(self, first, target - node.eval);
        while let Some(mv) = picker.next(self) {
            self.enter(node.ply, mv);
            let ask = SearchWindow { alpha: -target, beta: 1 - target };
            let mut value = self.quiescence::<false>(node.ply + 1, ask, control).map(|v| -v);
            if value.is_ok_and(|value| value >= target) {
                value = self.node::<false>(reduced, node.ply + 1, ask, !node.cut, control).map(|v| -v);
            }
            self.position.unmake();
            let value = value?;
            if value >= target {
                self.move_stack.lower(base);
                let raw = self.stack[node.ply].raw;
                self.store_tt(ShogiTtEntry::new(
                    mv,
                    value,
                    node.ply,
                    raw,
                    reduced + 1,
                    Bound::Lower,
                    node.was_pv,
                ));
                return Ok(Some(value));
            }
        }
        self.move_stack.lower(base);
        Ok(None)
    }

    /// Step 14, shallow pruning: whether `candidate` is skipped. Futility is that of Heinz ("Extended futility
    /// pruning", 1998), the bounds on number, history and exchange are as in Stockfish.
    #[inline(always)]
    pub(super) fn skip_move(
        &self,
        node: NodeInfo,
        candidate: &MoveCandidate,
        picker: &mut Picker,
        alpha: i32,
    ) -> bool {
        let tune = &self.tune;
        let depth = node.depth;
        let left = (depth - self.reduction(node, candidate) / 1024).max(0);
        if candidate.tactical || candidate.checks {
            let slack = if candidate.tactical { candidate.history / tune.see_history } else { 0 };
            return depth <= tune.see_capture_depth
                && !self.position.see_ge(candidate.mv, -tune.see_capture * depth - slack.max(0));
        }
        let late = (tune.lmp_base + depth * depth * tune.lmp_factor / 4) / (2 - i32::from(node.improving));
        if candidate.number > late {
            picker.skip_quiets();
            return true;
        }
        if left <= tune.history_depth && candidate.history < -tune.history_margin * (left + 1) {
            return true;
        }
        if !node.in_check
            && left <= tune.futility_depth
            && node.eval
                + tune.futility_base
                + tune.futility_margin * left
                + candidate.history / tune.futility_history
                <= alpha
        {
            return true;
        }
        left <= tune.see_quiet_depth && !self.position.see_ge(candidate.mv, -tune.see_quiet * left * left)
    }
}
