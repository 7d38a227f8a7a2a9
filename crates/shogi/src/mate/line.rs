//! The line that is reported, and its verification.

use crate::mate::MateSolver;
use crate::mate::hands;
use crate::mate::one_ply::exact_mate_1ply;
use crate::rules::movegen::MoveList;
use crate::rules::position::ShogiPosition;
use crate::rules::types::Move;
use kaeshi_core::game::Side;
use kaeshi_core::game::control::SearchControl;

impl MateSolver {
    /// The line of a proven mate within `len` plies: quickest known mate against longest defence.
    ///
    /// Proofs that the table has lost are searched again. `None` if the limits do not allow that, or if the
    /// verification fails.
    pub(super) fn line(
        &mut self,
        root: &ShogiPosition,
        len: i16,
        control: &SearchControl,
    ) -> Option<Vec<Move>> {
        let mut at = root.clone();
        let mut line = Vec::new();
        let mut left = len;
        loop {
            let (mv, rest) = self.attack(&at, left, control)?;
            at.make(mv);
            line.push(mv);
            if rest == 0 && !at.has_legal_move() {
                break;
            }
            let (mv, rest) = self.defence(&mut at, rest, control)?;
            at.make(mv);
            line.push(mv);
            left = rest;
        }
        is_mate(root, &line).then_some(line)
    }

    /// A check after which the mate is known to take fewer than `len` plies, and how many.
    fn attack(&mut self, at: &ShogiPosition, len: i16, control: &SearchControl) -> Option<(Move, i16)> {
        if let Some(mv) = exact_mate_1ply(at) {
            return Some((mv, 0));
        }
        if let Some(known) = self.known_attack(at, len) {
            return Some(known);
        }
        self.position = at.clone();
        let is = self.search(len, control).ok()?;
        if is.pn != 0 {
            return None;
        }
        self.known_attack(at, len)
    }

    fn known_attack(&self, at: &ShogiPosition, len: i16) -> Option<(Move, i16)> {
        let mut list = MoveList::new();
        super::checks::checks(at, &mut list);
        list.into_iter()
            .filter(|&mv| !self.forbidden.contains(&(at.board_key_after(mv) ^ self.salt)))
            .filter_map(|mv| {
                let known =
                    self.table.proven_len(at.board_key_after(mv) ^ self.salt, hands::after(at, mv))?;
                Some((mv, known))
            })
            .filter(|&(_, known)| known < len)
            .min_by_key(|&(_, known)| known)
    }

    /// The legal move against which the mate takes longest, and how many plies that are.
    ///
    /// All legal moves must be known to be mated in fewer than `len` plies, or it is proven now.
    fn defence(&mut self, at: &mut ShogiPosition, len: i16, control: &SearchControl) -> Option<(Move, i16)> {
        let mut longest: Option<(Move, i16)> = None;
        let attacker = at.side_to_move().other();
        for mv in at.legal_moves() {
            at.make(mv);
            let known = self.defended(at, attacker, len, control);
            at.unmake();
            let known = known?;
            if longest.is_none_or(|(_, plies)| known > plies) {
                longest = Some((mv, known));
            }
        }
        longest
    }

    /// In how many plies, fewer than `len`, the attacker mates after an evasion.
    fn defended(
        &mut self,
        after: &ShogiPosition,
        attacker: Side,
        len: i16,
        control: &SearchControl,
    ) -> Option<i16> {
        let key = after.board_key() ^ self.salt;
        if self.forbidden.contains(&key) {
            return None;
        }
        if exact_mate_1ply(after).is_some() {
            return Some(1);
        }
        let known = self.table.proven_len(key, after.hand(attacker)).filter(|&known| known < len);
        if known.is_some() {
            return known;
        }
        self.position = after.clone();
        let is = self.search(len - 1, control).ok()?;
        (is.pn == 0).then_some(is.len)
    }
}

/// Whether `line` is legal from `root`, checks with every second move, and ends in mate.
pub(super) fn is_mate(root: &ShogiPosition, line: &[Move]) -> bool {
    after_checks(root, line).is_some_and(|end| !end.has_legal_move())
}

/// The position after `line` if it is legal from `root`, has an odd length, checks with every second move, and comes
/// to no position for the fourth time.
pub(super) fn after_checks(root: &ShogiPosition, line: &[Move]) -> Option<ShogiPosition> {
    let mut at = root.clone();
    for (ply, &mv) in line.iter().enumerate() {
        if !at.is_legal(mv) {
            return None;
        }
        at.make(mv);
        if (ply % 2 == 0 && !at.in_check()) || at.fourth_repetition().is_some() {
            return None;
        }
    }
    (line.len() % 2 == 1).then_some(at)
}
