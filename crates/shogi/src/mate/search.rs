//! Depth-first proof-number search.
//!
//! df-pn (Nagai, 2002) with the threshold controlling algorithm against infinite loops
//! (Kishimoto, 2010), elimination of double counts (Kishimoto, 2010; Nagai), and a look one ply
//! ahead of new leaves that also seeds their numbers (Kaneko and others, 2010). The path may be
//! thousands of plies long, so it lies in [`MateTree`], not on the machine's stack.

use crate::mate::frame::{CLEAN, MateValue};
use crate::mate::hands;
use crate::mate::table::{ANY, INFINITE, ProofNumber};
use crate::mate::{MateSolver, delay, estimate};
use crate::rules::hand::Hand;
use crate::rules::movegen::MoveList;
use crate::rules::types::Move;
use kaeshi_core::game::control::SearchControl;
use kaeshi_core::game::search::SearchStopped;
use kaeshi_core::random::drawn_at;

/// No line is followed farther.
const DEEPEST: usize = 4_000;
/// How much the thresholds of the root grow, as a fraction.
const GROWTH: (ProofNumber, ProofNumber) = (17, 10);
/// Proof numbers on two ways to a node may differ by this much and still count as the same subtree.
const SLACK: ProofNumber = 3 * estimate::UNIT;

/// The next step for the top frame.
enum MateSearchStep {
    /// Its parent looks at it for the first time.
    Enter,
    /// Its search goes on.
    Continue,
    /// Return to its parent.
    Leave,
}

impl MateSolver {
    /// Searches the position of `self.position` for a mate within `len` plies.
    pub(super) fn search(&mut self, len: i16, control: &SearchControl) -> Result<MateValue, SearchStopped> {
        self.tree.clear();
        self.path.clear();
        self.extensions = 0;
        self.searches += 1;
        let path = drawn_at(self.salt, self.searches);
        let plies = self.position.plies_made();
        let or = self.position.side_to_move() == self.attacker;
        let key = self.position.board_key() ^ self.salt;
        let hand = self.position.hand(self.attacker);
        self.expand(key, hand, path, or, len, true, u64::MAX);
        let mut threshold = (1, 1);
        let found = loop {
            let is = self.outcome();
            if is.is_final() || is.pn >= INFINITE || is.dn >= INFINITE {
                break Ok(is);
            }
            threshold = (
                threshold.0.max(is.pn * GROWTH.0 / GROWTH.1 + 1),
                threshold.1.max(is.dn * GROWTH.0 / GROWTH.1 + 1),
            );
            self.tree.top_mut().threshold = threshold;
            if let Err(stopped) = self.run(control) {
                break Err(stopped);
            }
        };
        while self.position.plies_made() > plies {
            self.position.unmake();
        }
        if let Ok(is) = &found {
            self.store(key, hand, path, 0, is, u64::MAX, None);
        }
        found
    }

    /// Searches below the root until its numbers reach its threshold.
    fn run(&mut self, control: &SearchControl) -> Result<(), SearchStopped> {
        let mut step = MateSearchStep::Enter;
        loop {
            if let MateSearchStep::Enter = step {
                control.tick()?;
                self.nodes += 1;
                if self.nodes >= self.node_limit {
                    return Err(SearchStopped);
                }
                self.eliminate_double_count();
                if self.tree.top().old {
                    self.extensions += 1;
                }
            }
            let is = self.outcome();
            let frame = self.tree.top();
            let mut threshold = frame.threshold;
            if self.extensions > 0 {
                threshold = (threshold.0.max(is.pn + 1), threshold.1.max(is.dn + 1));
            }
            let leave = matches!(step, MateSearchStep::Leave)
                || is.is_final()
                || is.pn >= threshold.0.min(INFINITE)
                || is.dn >= threshold.1.min(INFINITE);
            if leave {
                let extensions = frame.extensions;
                self.extensions = self.extensions.min(extensions);
                if self.tree.frames.len() == 1 {
                    return Ok(());
                }
                step = self.ascend(is);
                continue;
            }
            step = self.descend(threshold);
        }
    }

    /// Goes on to the most promising child.
    fn descend(&mut self, threshold: (ProofNumber, ProofNumber)) -> MateSearchStep {
        let child = *self.tree.front_child();
        let frame = self.tree.top();
        let threshold = self.tree.front_threshold(threshold);
        let (path, len, or) = (step_path(frame.path, child.mv), shorter(frame.len), !frame.or);
        self.position.make(child.mv);
        self.expand(child.key, child.hand, path, or, len, child.first, child.sum_mask);
        let extensions = self.extensions;
        if child.first {
            self.extensions = extensions.saturating_sub(1);
        }
        let frame = self.tree.top_mut();
        frame.threshold = threshold;
        // A frame entered with extensions returns as soon as they are used up.
        frame.extensions = self.extensions;
        if child.first {
            let is = self.outcome();
            if is.pn >= threshold.0 || is.dn >= threshold.1 {
                return self.ascend(is);
            }
        }
        MateSearchStep::Enter
    }

    /// Hands the top frame's outcome to its parent.
    fn ascend(&mut self, is: MateValue) -> MateSearchStep {
        let sum_mask = self.tree.top().sum_mask;
        self.tree.pop();
        self.path.pop();
        self.position.unmake();
        self.update_front(is, sum_mask);
        if self.extensions == 0 && self.tree.top().extensions > 0 {
            MateSearchStep::Leave
        } else {
            MateSearchStep::Continue
        }
    }

    /// Takes in what became of the first child of the top frame.
    fn update_front(&mut self, is: MateValue, sum_mask: u64) {
        let frame = *self.tree.top();
        let front = self.tree.front(&frame);
        let child = &mut self.tree.children[frame.first_child + front];
        child.is = is;
        child.sum_mask = sum_mask;
        child.first = false;
        let child = *child;
        let path = step_path(frame.path, child.mv);
        let depth = self.path.depth();
        self.store(child.key, child.hand, path, depth, &is, sum_mask, Some((frame.key, frame.hand)));
        self.tree.cap(front);
        let mut waiting = child.next;
        if is.is_final() && is.phi(frame.or) > 0 {
            // A refuted child goes to the end of the order, and the children that waited for it become candidates.
            while waiting != super::frame::NO_CHILD {
                let i = usize::from(waiting);
                waiting = self.tree.child(&frame, i).next;
                self.meet(i, true);
                let is = self.tree.child(&frame, i).is;
                if !is.is_final() || is.phi(frame.or) == 0 {
                    break;
                }
            }
            if child.next != super::frame::NO_CHILD {
                self.tree.sort();
                return;
            }
        }
        self.tree.settle_front();
    }

    /// Builds the frame of the position on the board.
    #[allow(clippy::too_many_arguments)]
    fn expand(&mut self, key: u64, hand: Hand, path: u64, or: bool, len: i16, first: bool, sum_mask: u64) {
        let first_child = self.tree.children.len();
        let mut moves = MoveList::new();
        if or {
            super::checks::checks(&self.position, &mut moves);
        } else {
            self.position.legal_moves_into(&mut moves);
        }
        for &mv in &moves {
            let hand = if or { hands::after(&self.position, mv) } else { hand };
            self.tree.children.push(super::frame::MateChild {
                key: self.position.board_key_after(mv) ^ self.salt,
                sum_mask: u64::MAX,
                is: MateValue { pn: 1, dn: 1, len: 0, hand, repetition_depth: CLEAN, amount: 1 },
                hand,
                order: 0,
                mv,
                next: super::frame::NO_CHILD,
                previous: super::frame::NO_CHILD,
                first: false,
            });
        }
        delay::link(&self.position, or, &mut self.tree.children[first_child..]);
        // The order is found while the memory answers.
        for child in &mut self.tree.children[first_child..] {
            if child.previous == super::frame::NO_CHILD {
                self.table.prefetch(child.key);
            }
            child.order = estimate::order(&self.position, or, child.mv);
        }
        self.tree.push(key, hand, path, or, len, first_child, sum_mask);
        self.path.push(key, hand);
        self.look_up_children(first);
        self.tree.sort();
    }

    /// Asks path and tables about the children of the top frame.
    fn look_up_children(&mut self, first: bool) {
        let frame = *self.tree.top();
        for i in 0..frame.children {
            let child = self.tree.child(&frame, i);
            if child.previous != super::frame::NO_CHILD && self.anyone_open(&frame, child.previous) {
                continue;
            }
            self.meet(i, first);
            let is = self.tree.child(&frame, i).is;
            if is.is_final() && is.phi(frame.or) == 0 && is.repetition_depth == CLEAN {
                break;
            }
        }
    }

    /// Lets child `i` of the top frame take part with what path and tables know of it; with `ahead`, an
    /// evasion that is new to them is looked at one ply ahead.
    fn meet(&mut self, i: usize, ahead: bool) {
        let frame = *self.tree.top();
        let mut child = *self.tree.child(&frame, i);
        (child.is, child.first) = self.look_up(&frame, &mut child, shorter(frame.len));
        self.tree.children[frame.first_child + i] = child;
        if !child.is.is_final() {
            self.tree.cap(i);
        }
        self.tree.enlist(i);
        if !child.is.is_final() && !frame.or && ahead && child.first {
            self.look_ahead(i);
        }
    }

    /// Whether the child `i` or one for which it waits is not decided.
    fn anyone_open(&self, frame: &super::frame::MateFrame, mut i: u16) -> bool {
        while i != super::frame::NO_CHILD {
            let child = self.tree.child(frame, usize::from(i));
            if !child.is.is_final() {
                return true;
            }
            i = child.previous;
        }
        false
    }

    /// The state of knowledge about a child with `len` plies left, and whether the table has nothing about it.
    fn look_up(
        &mut self,
        frame: &super::frame::MateFrame,
        child: &mut super::frame::MateChild,
        len: i16,
    ) -> (MateValue, bool) {
        use super::table::MateLookup;
        if self.forbidden.contains(&child.key) {
            return (MateValue::disproven(child.hand, len, -1, 1), false);
        }
        if let Some(depth) = self.path.recurs(child.key, child.hand) {
            return (MateValue::disproven(child.hand, len, depth as i16, 1), false);
        }
        // After the attacker's check 0 plies may do, after an evasion it takes 1.
        let least = if frame.or { 0 } else { 1 };
        if len < least {
            return (MateValue::disproven(child.hand, least - 1, CLEAN, 1), false);
        }
        let depth = self.path.depth();
        match self.table.look_up(child.key, child.hand, depth, len) {
            MateLookup::Proven { hand, len, amount } => (MateValue::proven(hand, len, amount), false),
            MateLookup::Disproven { hand, len, amount } => {
                (MateValue::disproven(hand, len, CLEAN, amount), false)
            }
            MateLookup::Open(open) => {
                let mut is = MateValue {
                    pn: open.pn,
                    dn: open.dn,
                    len,
                    hand: child.hand,
                    repetition_depth: CLEAN,
                    amount: open.amount,
                };
                if open.exact {
                    if open.repeated
                        && let Some((repetition_depth, len)) =
                            self.repetitions.find(step_path(frame.path, child.mv), len)
                    {
                        return (MateValue::disproven(child.hand, len, repetition_depth, open.amount), false);
                    }
                    child.sum_mask = open.sum_mask;
                } else {
                    let (pn, dn) = if frame.or {
                        estimate::after_check(&self.position, child.mv)
                    } else {
                        estimate::after_evasion(&self.position, child.mv)
                    };
                    is.pn = is.pn.max(pn);
                    is.dn = is.dn.max(dn);
                }
                if open.old {
                    self.tree.top_mut().old = true;
                }
                (is, !open.exact)
            }
        }
    }

    /// Whether the position after evasion `i` of the top frame is mate in one or has no check.
    fn look_ahead(&mut self, i: usize) {
        use super::one_ply::{OnePly, look};
        let frame = *self.tree.top();
        let child = *self.tree.child(&frame, i);
        self.position.make(child.mv);
        let is = match look(&self.position) {
            OnePly::Checks { flights } => {
                // The freer the king, the farther the mate.
                self.tree.children[frame.first_child + i].is.pn *= 1 + ProofNumber::from(flights);
                None
            }
            OnePly::NoCheck => {
                let hand = hands::disproof(&self.position, hands::off_board(&self.position));
                Some(MateValue::disproven(hand, ANY, CLEAN, 1))
            }
            OnePly::Mate(mv) => {
                self.position.make(mv);
                let hand = hands::proof(&self.position, Hand::EMPTY);
                self.position.unmake();
                Some(MateValue::proven(hands::before(&self.position, mv, hand), 1, 1))
            }
        };
        self.position.unmake();
        if let Some(is) = is {
            let child = &mut self.tree.children[frame.first_child + i];
            child.is = is;
            child.first = false;
            let (key, hand) = (child.key, child.hand);
            self.store(key, hand, 0, 0, &is, 0, None);
        }
    }

    /// Keeps an outcome in the table it belongs to.
    #[allow(clippy::too_many_arguments)]
    fn store(
        &mut self,
        key: u64,
        hand: Hand,
        path: u64,
        depth: usize,
        is: &MateValue,
        sum_mask: u64,
        parent: Option<(u64, Hand)>,
    ) {
        if is.pn == 0 {
            self.table.prove(key, is.hand, is.len, is.amount);
        } else if is.dn == 0 && is.repetition_depth == CLEAN {
            self.table.disprove(key, is.hand, is.len, is.amount);
        } else if is.dn == 0 {
            self.table.repeat(key, hand);
            self.repetitions.store(path, is.repetition_depth, is.len);
        } else if let Some(parent) = parent {
            self.table.estimate((key, hand), depth, (is.pn, is.dn), is.amount, sum_mask, parent);
        }
    }

    /// The state of knowledge about the top frame's node that follows from its children.
    fn outcome(&self) -> MateValue {
        let frame = self.tree.top();
        let (phi, delta) = self.tree.numbers(frame);
        if phi == 0 {
            return self.won(frame);
        }
        if delta == 0 {
            return self.lost(frame);
        }
        let (pn, dn) = if frame.or { (phi, delta) } else { (delta, phi) };
        let front = self.tree.front_child();
        let amount = front.is.amount.saturating_add(frame.children as u32);
        let depth = self.path.depth() - 1;
        if depth >= DEEPEST {
            return MateValue::disproven(frame.hand, frame.len, -1, 1);
        }
        MateValue { pn, dn, len: frame.len, hand: frame.hand, repetition_depth: CLEAN, amount }
    }

    /// The side to move has a winning move.
    fn won(&self, frame: &super::frame::MateFrame) -> MateValue {
        let child = self.tree.front_child();
        let is = &child.is;
        let amount = is.amount.saturating_add(frame.children as u32);
        if frame.or {
            return MateValue::proven(
                hands::before(&self.position, child.mv, is.hand),
                longer(is.len),
                amount,
            );
        }
        let depth = self.path.depth() as i16 - 1;
        if is.repetition_depth < depth {
            return MateValue::disproven(frame.hand, longer(is.len), is.repetition_depth, amount);
        }
        // Repetitions at or below this node do not depend on the path to it, so the result holds for every path with
        // this very hand.
        let hand = hands::disproof_by(&self.position, child.mv, is.hand);
        MateValue::disproven(hand, longer(is.len), CLEAN, amount)
    }

    /// All moves of the side to move lose.
    fn lost(&self, frame: &super::frame::MateFrame) -> MateValue {
        let mut amount = frame.children as u32;
        let children = &self.tree.children[frame.first_child..frame.first_child + frame.children];
        if !frame.or {
            let mut hand = Hand::EMPTY;
            let mut len = -1;
            for child in children {
                hand = hands::union(hand, child.is.hand);
                len = child.is.len.max(len);
                amount = amount.max(child.is.amount);
            }
            return MateValue::proven(
                hands::proof(&self.position, hand),
                longer(len),
                amount.saturating_add(1),
            );
        }
        let mut hand = hands::off_board(&self.position);
        let mut len = ANY;
        let mut repetition_depth = CLEAN;
        for child in children {
            hand = hands::intersection(hand, hands::before(&self.position, child.mv, child.is.hand));
            len = child.is.len.min(len);
            repetition_depth = child.is.repetition_depth.min(repetition_depth);
            amount = amount.max(child.is.amount);
        }
        let amount = amount.saturating_add(1);
        let depth = self.path.depth() as i16 - 1;
        if repetition_depth < depth {
            return MateValue::disproven(frame.hand, longer(len), repetition_depth, amount);
        }
        MateValue::disproven(hands::disproof(&self.position, hand), longer(len), CLEAN, amount)
    }

    /// Finds out whether the first child of the top frame is also reached another way from a node
    /// of the path, and if so counts the greater way there, not both.
    fn eliminate_double_count(&mut self) {
        let frame = *self.tree.top();
        if frame.live == 0 {
            return;
        }
        let child = self.tree.front_child();
        if child.first || child.is.is_final() {
            return;
        }
        let mut node = (child.key, child.hand);
        let (mut last_pn, mut last_dn) = (INFINITE, INFINITE);
        let (mut pn_counts, mut dn_counts) = (true, true);
        let mut or = frame.or;
        for step in 0..self.path.depth() {
            let Some((key, hand, pn, dn)) = self.table.parent(node.0, node.1) else { return };
            let parent = (key, hand);
            if step == 0 && parent == (frame.key, frame.hand) {
                return;
            }
            dn_counts &= dn <= last_dn.saturating_add(SLACK);
            pn_counts &= pn <= last_pn.saturating_add(SLACK);
            if !pn_counts && !dn_counts {
                return;
            }
            if self.path.has(key, hand) {
                if if or { dn_counts } else { pn_counts } {
                    self.join(parent, node, or);
                }
                return;
            }
            (node, last_pn, last_dn, or) = (parent, pn, dn, !or);
        }
    }

    fn join(&mut self, branch: (u64, Hand), other: (u64, Hand), or: bool) {
        for at in (0..self.tree.frames.len() - 1).rev() {
            if self.tree.join(at, branch, other) {
                return;
            }
            let frame = &self.tree.frames[at];
            if frame.or == or {
                let front = self.tree.front(frame);
                let own = self.tree.child(frame, front).is.delta(or);
                if self.tree.numbers(frame).1.saturating_sub(own) > SLACK {
                    return;
                }
            }
        }
    }
}

/// Plies left after one more.
fn shorter(len: i16) -> i16 {
    if len >= ANY { ANY } else { len - 1 }
}

/// Plies with one more before.
fn longer(len: i16) -> i16 {
    if len >= ANY { ANY } else { len + 1 }
}

/// The key of the path after one more move.
fn step_path(path: u64, mv: Move) -> u64 {
    drawn_at(path, u64::from(mv.bits()))
}
