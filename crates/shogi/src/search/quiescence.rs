//! Quiescence: captures and pawn promotions until the position is quiet; in check, all evasions
//! (Beal, "A generalised quiescence search algorithm", 1990).

use crate::mate::quick_mate::quick_mate_1ply;
use crate::rules::checks::CheckMap;
use crate::rules::types::Move;
use crate::search::entry::ShogiTtEntry;
use crate::search::node::SearchWindow;
use crate::search::picker::Picker;
use crate::search::value::{INFINITE, MATE, MATE_BOUND, damped, mated_in};
use crate::search::{ShogiWorker, corrected};
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::{Bound, SearchStopped};

/// Depth under which quiescence stores its nodes.
const STORED_DEPTH: i32 = 0;

impl ShogiWorker {
    /// The value once all is quiet.
    pub(crate) fn quiescence<const PV: bool>(
        &mut self,
        ply: usize,
        window: SearchWindow,
        control: &SearchControl,
    ) -> Result<i32, SearchStopped> {
        let SearchWindow { mut alpha, beta } = window;
        self.debug_assert_node::<PV>(ply, window);
        self.stack[ply].line.clear();
        if let Some(value) = self.terminal(ply) {
            return Ok(value);
        }
        control.tick()?;
        self.seldepth = self.seldepth.max(ply);
        let entry = self.probe_tt();
        if let (Some(entry), false) = (entry, PV) {
            let value = entry.value(ply);
            if entry.bound.settles(value, beta - 1, beta) {
                return Ok(value);
            }
        }

        let in_check = self.position.in_check();
        let tt_move = entry.map_or(Move::NONE, |entry| entry.best);
        // Whether it is legal, the picker sees.
        let wanted = tt_move.is_some() && (in_check || self.is_tactical(tt_move));
        if wanted {
            self.prefetch_tt(tt_move);
        }
        let mut best = -INFINITE;
        let mut raw = 0;
        let mut futile = -INFINITE;
        if !in_check {
            if entry.is_none() && self.sees_mates() && quick_mate_1ply(&mut self.position).is_some() {
                return Ok(MATE - ply as i32 - 1);
            }
            // Asked first: its memory answers while the network is calculated.
            let correction = self.correction();
            raw = match entry {
                Some(entry) if entry.value(ply).abs() < MATE_BOUND => i32::from(entry.eval),
                _ => self.static_value(),
            };
            best = corrected(raw, correction);
            if let Some(entry) = entry {
                let value = entry.value(ply);
                if entry.bound.improves(value, best) && value.abs() < MATE_BOUND {
                    best = value;
                }
            }
            if best >= beta {
                if entry.is_none() {
                    self.store_tt(ShogiTtEntry::new(Move::NONE, best, ply, raw, -1, Bound::Lower, false));
                }
                return Ok(damped(best, beta, 1));
            }
            alpha = alpha.max(best);
            futile = best + self.tune.quiescence_futility;
        }
        self.stack[ply].eval = if in_check { -INFINITE } else { best };

        let base = self.move_stack.height();
        let mut checks = None;
        let last_to = self.position.last_move().to();
        let first = if wanted { tt_move } else { Move::NONE };
        let mut picker = Picker::tactical(self, first, self.tune.quiescence_see);
        let mut best_move = Move::NONE;
        let mut number = 0;
        while let Some(mv) = picker.next(self) {
            number += 1;
            if best > -MATE_BOUND {
                if in_check {
                    // Few evasions are worth a look once one is not mate, captures apart.
                    if number > self.tune.quiescence_evasions && !self.is_tactical(mv) {
                        break;
                    }
                } else if mv.to() != last_to
                    && !checks
                        .get_or_insert_with(|| CheckMap::of(&self.position))
                        .gives_check(&self.position, mv)
                {
                    if number > self.tune.quiescence_moves {
                        continue;
                    }
                    let hope = futile + self.position.gain(mv);
                    if hope <= alpha {
                        best = best.max(hope);
                        continue;
                    }
                }
            }
            self.enter(ply, mv);
            let deeper = SearchWindow { alpha: -beta, beta: -alpha };
            let value = self.quiescence::<PV>(ply + 1, deeper, control).map(|value| -value);
            self.position.unmake();
            let value = value?;
            if value > best {
                best = value;
                if value > alpha {
                    best_move = mv;
                    if PV {
                        self.extend_line(ply, mv);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        debug_assert!(
            self.move_stack.height() >= base,
            "the move stack is lower than at the node's beginning"
        );
        self.move_stack.lower(base);
        if best == -INFINITE {
            return Ok(mated_in(ply));
        }
        if best >= beta {
            best = damped(best, beta, 1);
        }
        let bound = if best >= beta { Bound::Lower } else { Bound::Upper };
        self.store_tt(ShogiTtEntry::new(best_move, best, ply, raw, STORED_DEPTH, bound, false));
        Ok(best)
    }
}
