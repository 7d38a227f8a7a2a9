//! Principal variation search: a node, and the loop over its moves.
//!
//! | step | what | where |
//! |---|---|---|
//! | 1 | quiescence search at depth 0 | `quiescence.rs` |
//! | 2 | terminal test: repetition, declaration, the longest game | [`ShogiWorker::terminal`] |
//! | 3 | mate distance pruning | [`ShogiWorker::node`] |
//! | 4 | node count, limits and `stop` | [`SearchControl::tick`] |
//! | 5 | transposition table: cutoff, best move, value | `tt_cutoff` |
//! | 6 | mate in one ply | `quick_mate.rs` |
//! | 7 | static evaluation, corrected | `evaluate_node` |
//! | 8 | razoring | `pruning.rs` |
//! | 9 | reverse futility pruning | `pruning.rs` |
//! | 10 | null move pruning | `pruning.rs` |
//! | 11 | ProbCut | `pruning.rs` |
//! | 12 | internal iterative reduction | [`ShogiWorker::node`] |
//! | 13 | the moves, in order | `picker.rs` |
//! | 14 | shallow pruning of a move: SEE, late moves, history, futility | `pruning.rs` |
//! | 15 | extensions: singular (with multi-cut), checks | `depth.rs` |
//! | 16 | late move reduction and the searches of a move | `try_move`, `depth.rs` |
//! | 17 | best move, alpha, cutoff | `moves` |
//! | 18 | histories | `learning.rs` |
//! | 19 | checkmate: there was no move | [`ShogiWorker::node`] |
//! | 20 | store in the transposition table | [`ShogiWorker::node`] |
//! | 21 | correction history | `history.rs` |
//!
//! All moves but the first are asked only whether they are better (Marsland and Campbell, "Parallel
//! search of strongly ordered game trees", 1982; Reinefeld, "An improvement to the Scout tree-search
//! algorithm", 1983).

use crate::mate::quick_mate::quick_mate_1ply;
use crate::rules::checks::CheckMap;
use crate::rules::entering::{EnteringKingRule, may_declare, try_move};
use crate::rules::repetition::Repetition;
use crate::rules::types::{Move, PieceKind};
use crate::search::depth::MULTICUT;
use crate::search::entry::ShogiTtEntry;
use crate::search::node::{MoveCandidate, NodeInfo, SearchWindow, TriedMove, TriedMoves};
use crate::search::picker::Picker;
use crate::search::value::{INFINITE, MATE, MATE_BOUND, MAX_PLY, SUPERIOR, damped, mated_in};
use crate::search::{ShogiWorker, StackFrame, corrected};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Bound, SearchStopped};

impl ShogiWorker {
    /// The value of a position decided by its rules alone, if it is.
    pub(super) fn terminal(&mut self, ply: usize) -> Option<i32> {
        let draw = self.draw[self.position.side_to_move().index()];
        match self.position.recurrence(ply) {
            Some(Repetition::Draw) => return Some(draw),
            Some(Repetition::Win) => return Some(MATE - ply as i32),
            Some(Repetition::Loss) => return Some(mated_in(ply)),
            Some(Repetition::Superior) => return Some(SUPERIOR - ply as i32),
            Some(Repetition::Inferior) => return Some(ply as i32 - SUPERIOR),
            None => {}
        }
        let rule = self.settings().entering_king;
        if may_declare(&self.position, rule)
            || (rule == EnteringKingRule::Try && try_move(&self.position).is_some())
        {
            return Some(MATE - ply as i32 - 1);
        }
        if self.shared.game.too_many_moves(&self.position) {
            let mated = self.position.in_check() && !self.position.has_legal_move();
            return Some(if mated { mated_in(ply) } else { draw });
        }
        (ply >= MAX_PLY).then(|| self.static_value())
    }

    /// The value of the node at `ply`, exact inside the window, a bound outside.
    // Not public: what a public generic function calls is exported, and calls of exported functions go through a table
    // of addresses.
    pub(super) fn node<const PV: bool>(
        &mut self,
        depth: i32,
        ply: usize,
        window: SearchWindow,
        cut: bool,
        control: &SearchControl,
    ) -> Result<i32, SearchStopped> {
        // Step 1. Quiescence search.
        if depth <= 0 && self.tune.forward_pruning {
            return self.quiescence::<PV>(ply, window, control);
        }
        let SearchWindow { mut alpha, mut beta } = window;
        self.debug_assert_node::<PV>(ply, window);
        self.stack[ply].line.clear();
        let root = ply == 0;
        if !root {
            // Step 2. Terminal test.
            if let Some(value) = self.terminal(ply) {
                return Ok(value);
            }
            // Step 3. Mate distance pruning.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(MATE - ply as i32 - 1);
            if alpha >= beta {
                return Ok(alpha);
            }
        }
        // Step 4. Limits.
        control.tick()?;
        self.seldepth = self.seldepth.max(ply);
        if depth <= 0 {
            return Ok(if self.position.has_legal_move() { self.static_value() } else { mated_in(ply) });
        }

        // Step 5. Transposition table.
        let excluded = self.stack[ply].excluded;
        let singular_test = excluded.is_some();
        let entry = if singular_test { None } else { self.probe_tt() };
        if let (Some(entry), false, true) = (entry, PV, self.tune.forward_pruning)
            && let Some(value) = self.tt_cutoff(entry, depth, ply, beta)
        {
            return Ok(value);
        }
        // Step 6. Mate in one ply.
        let in_check = self.position.in_check();
        if entry.is_none()
            && !in_check
            && !singular_test
            && !root
            && self.sees_mates()
            && let Some(mv) = quick_mate_1ply(&mut self.position)
        {
            let value = MATE - ply as i32 - 1;
            self.stack[ply].line.push(mv);
            self.store_tt(ShogiTtEntry::new(mv, value, ply, 0, depth + 6, Bound::Exact, PV));
            return Ok(value);
        }

        // The child that is probably searched next is prefetched while the network is evaluated.
        if let Some(entry) = entry.filter(|entry| entry.best.is_some()) {
            self.prefetch_tt(entry.best);
        }
        if !PV && !in_check {
            self.prefetch_tt_after_pass();
        }
        // Step 7. Static evaluation.
        let node = self.evaluate_node(depth, ply, PV, cut, entry);
        // Steps 8 to 11. Pruning before the moves.
        if !PV
            && !in_check
            && !singular_test
            && self.tune.forward_pruning
            && let Some(value) = self.prune_node(node, SearchWindow { alpha, beta }, control)?
        {
            return Ok(value);
        }
        // Step 12. Internal iterative reduction: without a move from the TT the node is not worth its depth
        // (Schröder, "An alternative to IID", 2020).
        let reduced = self.tune.forward_pruning
            && depth >= self.tune.iir_depth
            && node.tt_move == Move::NONE
            && !root
            && !singular_test;
        let node = NodeInfo { depth: depth - i32::from(reduced), ..node };

        // Steps 13 to 18. The moves.
        let (mut best, best_move) = self.moves::<PV>(node, SearchWindow { alpha, beta }, control)?;
        if best >= beta && best_move == Move::NONE {
            // A multi-cut was not searched to this depth.
            return Ok(best);
        }
        // Step 19. Checkmate.
        if best == -INFINITE {
            return Ok(if singular_test { alpha } else { mated_in(ply) });
        }
        if best >= beta && self.tune.forward_pruning {
            best = damped(best, beta, node.depth);
        }
        if singular_test || (root && !self.whole_root) {
            return Ok(best);
        }
        // Step 20. Store in the transposition table.
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let raw = self.stack[ply].raw;
        self.store_tt(ShogiTtEntry::new(best_move, best, ply, raw, node.depth, bound, node.was_pv));
        // Step 21. Correction history.
        let quiet_best = best_move == Move::NONE || !self.is_tactical(best_move);
        if !in_check
            && quiet_best
            && best.abs() < SUPERIOR - MAX_PLY as i32
            && !(bound == Bound::Lower && best <= self.stack[ply].eval)
            && !(bound == Bound::Upper && best >= self.stack[ply].eval)
        {
            let surplus = best - self.stack[ply].eval;
            let moves = self.last_piece_tos();
            let ShogiWorker { history, position, .. } = self;
            history.correct(position, moves, node.depth, surplus);
        }
        Ok(best)
    }

    /// The value from the TT, if it answers the question.
    #[inline(always)]
    fn tt_cutoff(&mut self, entry: ShogiTtEntry, depth: i32, ply: usize, beta: i32) -> Option<i32> {
        let value = entry.value(ply);
        if entry.depth() < depth || !entry.bound.settles(value, beta - 1, beta) {
            return None;
        }
        if value >= beta
            && entry.best.is_some()
            && self.position.is_legal(entry.best)
            && !self.is_tactical(entry.best)
        {
            let piece_to = self.position.piece_to(entry.best);
            self.add_quiet_bonus(entry.best, piece_to, self.bonus(depth));
        }
        Some(value)
    }

    /// Static value, whether things improve, and what the TT adds.
    #[inline(always)]
    fn evaluate_node(
        &mut self,
        depth: i32,
        ply: usize,
        pv: bool,
        cut: bool,
        entry: Option<ShogiTtEntry>,
    ) -> NodeInfo {
        let in_check = self.position.in_check();
        let excluded = self.stack[ply].excluded.is_some();
        let mut eval = -INFINITE;
        if in_check {
            self.stack[ply].raw = 0;
            self.stack[ply].eval = -INFINITE;
        } else if excluded {
            eval = self.stack[ply].eval;
        } else {
            // Asked first: its memory answers while the network is calculated.
            let correction = self.correction();
            let raw = match entry {
                Some(entry) if entry.value(ply).abs() < MATE_BOUND => i32::from(entry.eval),
                _ => self.static_value(),
            };
            eval = corrected(raw, correction);
            self.stack[ply].raw = raw;
            self.stack[ply].eval = eval;
            if let Some(entry) = entry {
                let value = entry.value(ply);
                if entry.bound.improves(value, eval) && value.abs() < MATE_BOUND {
                    eval = value;
                }
            }
        }
        let earlier = |back: usize| if ply >= back { self.stack[ply - back].eval } else { -INFINITE };
        let compared = if earlier(2) != -INFINITE { earlier(2) } else { earlier(4) };
        let improving = !in_check && self.stack[ply].eval > compared;
        let mut tt_move = entry.map_or(Move::NONE, |entry| entry.best);
        if ply == 0 {
            tt_move = self.root_hint().unwrap_or(tt_move);
        }
        self.stack[ply].tt_tactical = tt_move.is_some() && self.is_tactical(tt_move);
        let was_pv = pv || entry.is_some_and(|entry| entry.pv);
        NodeInfo { depth, ply, pv, cut, in_check, improving, eval, entry, tt_move, was_pv }
    }

    /// Tries the moves; the best value and move, or `-INFINITE` if there is no move to try. A
    /// multi-cut has no move.
    fn moves<const PV: bool>(
        &mut self,
        node: NodeInfo,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<(i32, Move), SearchStopped> {
        let NodeInfo { depth, ply, .. } = node;
        // The moves behind one that raises alpha see a smaller depth.
        let mut node = node;
        let SearchWindow { mut alpha, beta } = window;
        let root = ply == 0;
        let us = self.position.side_to_move();
        let excluded = self.stack[ply].excluded;
        let before = self.earlier_piece_tos();
        let checks = CheckMap::of(&self.position);
        self.stack[ply].checks = checks;
        let base = self.move_stack.height();
        let mut picker = Picker::new(
            self,
            node.tt_move,
            depth,
            !self.tune.forward_pruning || self.all_moves || (root && self.root_non_promotions),
        );
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut raised = None;
        let mut number = 0;
        let mut tried = TriedMoves::new();

        // Step 13. The moves, in order.
        while let Some(mv) = picker.next(self) {
            if mv == excluded || (root && !self.root_allows(mv)) {
                continue;
            }
            number += 1;
            // Even if the move is then skipped: the memory needs the time until it is made to answer.
            self.prefetch_tt(mv);
            let piece_to = self.position.piece_to(mv);
            let victim = self.position.piece_on(mv.to());
            let captured = victim.some().map(|piece| piece.kind());
            let tactical = self.is_tactical(mv);
            let gives_check = checks.gives_check(&self.position, mv);
            let history = if tactical {
                self.history.capture(piece_to, captured.unwrap_or(PieceKind::KING))
            } else {
                self.history.quiets(us, before).of(mv, piece_to)
            };
            let candidate =
                MoveCandidate { mv, piece_to, captured, tactical, checks: gives_check, history, number };

            // Step 14. Shallow pruning.
            if !root
                && self.tune.forward_pruning
                && best > -MATE_BOUND
                && self.skip_move(node, &candidate, &mut picker, alpha)
            {
                continue;
            }
            // Step 15. Extensions.
            let extension = self.extension(node, &candidate, beta, control)?;
            if extension == MULTICUT {
                self.move_stack.lower(base);
                return Ok((self.stack[ply].multicut, Move::NONE));
            }

            // Step 16. Late move reduction and search.
            let nodes_before = control.nodes();
            let deeper = node.depth - 1 + extension;
            self.enter_as(ply, mv, piece_to);
            let value =
                self.try_move::<PV>(node, candidate, deeper, SearchWindow { alpha, beta }, best, control);
            self.position.unmake();
            let value = value?;
            if root {
                self.note_effort(mv, control.nodes() - nodes_before);
            }

            // Step 17. Best move, alpha, cutoff.
            if value > best {
                best = value;
                if value > alpha {
                    best_move = mv;
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if root {
                        self.note_root(value);
                    }
                    raised = Some(candidate);
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                    // Few moves raise alpha again, as in Stockfish.
                    if self.tune.forward_pruning && (3..14).contains(&depth) && value.abs() < MATE_BOUND {
                        node.depth = depth - self.tune.raised_reduction;
                    }
                }
            }
            // Moves beyond the capacity get no malus.
            let _ = tried.try_push(TriedMove { mv, piece_to, captured, tactical });
        }
        debug_assert!(
            self.move_stack.height() >= base,
            "the move stack is lower than at the node's beginning"
        );
        debug_assert!(best < beta || best_move.is_some(), "{best} without a move");
        self.move_stack.lower(base);
        // Step 18. Histories.
        if let Some(candidate) = raised {
            tried.retain(|tried| tried.mv != candidate.mv);
            self.update_histories(depth, &candidate, &tried, best > beta + self.tune.history_clear);
        } else if number > 0 && !root && excluded == Move::NONE {
            self.add_parent_bonus(ply, self.bonus(depth));
        }
        Ok((best, best_move))
    }

    /// Searches a made move: reduced and with a null window first, fully if it surprises; deeper or
    /// less deep by how much it does, as in Stockfish.
    #[inline(always)]
    fn try_move<const PV: bool>(
        &mut self,
        node: NodeInfo,
        candidate: MoveCandidate,
        mut deeper: i32,
        window: SearchWindow,
        best: i32,
        control: &SearchControl,
    ) -> Result<i32, SearchStopped> {
        let NodeInfo { depth, ply, .. } = node;
        let ask = SearchWindow { alpha: -window.alpha - 1, beta: -window.alpha };
        let mut value = -INFINITE;
        let mut full = !PV || candidate.number > 1;
        let mut was_reduced = false;
        if depth >= self.tune.lmr_depth
            && self.tune.forward_pruning
            && candidate.number > 1 + i32::from(PV)
            && !(candidate.tactical && !node.cut && candidate.number < self.tune.lmr_tactical)
        {
            let reduced = (deeper - self.reduction(node, &candidate) / 1024).clamp(1.min(deeper), deeper);
            value = -self.node::<false>(reduced, ply + 1, ask, true, control)?;
            full = value > window.alpha && reduced < deeper;
            if full {
                let tune = &self.tune;
                deeper += i32::from(value > best + tune.deeper_margin && ply < 2 * self.iteration_depth);
                deeper -= i32::from(value < best + tune.shallower_margin);
                full = reduced < deeper;
                was_reduced = full;
            }
        }
        if full {
            value = -self.node::<false>(deeper, ply + 1, ask, !node.cut, control)?;
            if was_reduced && value > window.alpha {
                self.add_research_bonus(ply, &candidate);
            }
        }
        if PV && (candidate.number == 1 || value > window.alpha) {
            value = -self.node::<true>(deeper, ply + 1, window.turned(), false, control)?;
        }
        Ok(value)
    }

    /// The line at `ply` is `mv` and the line below.
    pub(crate) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.stack.split_at_mut(ply + 1);
        let (StackFrame { line, .. }, below) = (&mut upper[ply], &lower[0].line);
        line.clear();
        line.push(mv);
        line.extend_from_slice(below);
    }
}
