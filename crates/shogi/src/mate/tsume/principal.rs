//! The line of a mate whose length is known.

use super::TsumeSolver;
use crate::mate::one_ply::exact_mate_1ply;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;

/// Lines that are compared by the pieces they leave in the attacker's hand.
const LINES: u32 = 64;

/// A line and the pieces that the attacker holds at its end.
struct RatedLine {
    /// The last move first.
    backwards: Vec<Move>,
    left: u32,
}

impl TsumeSolver {
    /// The line of the mate in `plies` plies, which is the shortest one: of the longest defences one that leaves
    /// the attacker fewest pieces in hand, as far as that many lines can be compared.
    pub(super) fn principal(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Vec<Move>, SearchStopped> {
        self.lines_left = LINES;
        let mut line = self.best_line(at, plies, control)?.backwards;
        line.reverse();
        Ok(line)
    }

    fn best_line(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<RatedLine, SearchStopped> {
        let check = self.shortest_check(at, plies, control)?;
        at.make(check);
        let rest = self.best_defence(at, plies - 1, control);
        at.unmake();
        let mut line = rest?;
        line.backwards.push(check);
        Ok(line)
    }

    /// A check that mates in `plies` plies. For `plies` = 1, a check after which no legal move is left is preferred to
    /// one after which only useless interpositions are.
    fn shortest_check(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Move, SearchStopped> {
        if plies == 1
            && let Some(mv) = exact_mate_1ply(at)
        {
            return Ok(mv);
        }
        let mut checks = MoveList::new();
        crate::mate::checks::checks(at, &mut checks);
        for mv in checks {
            at.make(mv);
            let mated = self.mated_within(at, plies - 1, control);
            at.unmake();
            if mated? {
                return Ok(mv);
            }
        }
        Err(SearchStopped)
    }

    /// The moves that count and last the whole `plies` plies.
    pub(super) fn longest_defences(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<Vec<Move>, SearchStopped> {
        let counted = self.counted_defences(at, plies, control)?.ok_or(SearchStopped)?;
        let mut longest = Vec::new();
        for mv in counted {
            if !self.mates_after(at, mv, plies - 2, control)? {
                longest.push(mv);
            }
        }
        Ok(longest)
    }

    fn best_defence(
        &mut self,
        at: &mut ShogiPosition,
        plies: i16,
        control: &SearchControl,
    ) -> Result<RatedLine, SearchStopped> {
        let mut best: Option<RatedLine> = None;
        if plies > 0 {
            for mv in self.longest_defences(at, plies, control)? {
                at.make(mv);
                let rest = self.best_line(at, plies - 1, control);
                at.unmake();
                let mut line = rest?;
                line.backwards.push(mv);
                if best.as_ref().is_none_or(|best| line.left < best.left) {
                    best = Some(line);
                }
                if self.lines_left == 0 || best.as_ref().is_some_and(|best| best.left == 0) {
                    break;
                }
            }
            return best.ok_or(SearchStopped);
        }
        self.lines_left = self.lines_left.saturating_sub(1);
        Ok(RatedLine { backwards: Vec::new(), left: at.hand(self.attacker).total() })
    }
}
