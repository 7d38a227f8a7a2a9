//! The nodes on the path of the search, with their children: how their numbers follow.

use std::cmp::Ordering;

use crate::mate::table::{INFINITE, ProofNumber};
use crate::rules::hand::Hand;
use crate::rules::types::Move;

/// Path-independent result.
pub(super) const CLEAN: i16 = i16::MAX;
/// No such child.
pub(super) const NO_CHILD: u16 = u16::MAX;
/// 1 + epsilon trick (Pawlewicz and Lew 2007), epsilon = 1 / this.
const EPSILON_DIV: ProofNumber = 3;
/// Proof numbers beyond this are no longer summed.
const PN_SATURATION: ProofNumber = INFINITE >> 10;

/// The state of knowledge about a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct MateValue {
    pub(super) pn: ProofNumber,
    pub(super) dn: ProofNumber,
    /// Plies within which it mates, or within which it does not.
    pub(super) len: i16,
    /// The proof or disproof hand of a result.
    pub(super) hand: Hand,
    /// The least depth whose repetition a disproof rests on.
    pub(super) repetition_depth: i16,
    /// Nodes spent on it.
    pub(super) amount: u32,
}

impl MateValue {
    pub(super) fn proven(hand: Hand, len: i16, amount: u32) -> MateValue {
        MateValue { pn: 0, dn: INFINITE, len, hand, repetition_depth: CLEAN, amount }
    }

    pub(super) fn disproven(hand: Hand, len: i16, repetition_depth: i16, amount: u32) -> MateValue {
        MateValue { pn: INFINITE, dn: 0, len, hand, repetition_depth, amount }
    }

    pub(super) fn is_final(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }

    /// Least for the side to move when it wins.
    pub(super) fn phi(&self, or: bool) -> ProofNumber {
        if or { self.pn } else { self.dn }
    }

    /// Least for the side to move when it loses.
    pub(super) fn delta(&self, or: bool) -> ProofNumber {
        if or { self.dn } else { self.pn }
    }
}

/// A move, and the state of knowledge about the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MateChild {
    pub(super) key: u64,
    pub(super) sum_mask: u64,
    pub(super) is: MateValue,
    /// The attacker's hand after the move.
    pub(super) hand: Hand,
    pub(super) order: i32,
    pub(super) mv: Move,
    /// The child that waits for this one, and the one for which this one waits.
    pub(super) next: u16,
    pub(super) previous: u16,
    /// Whether the table did not know it.
    pub(super) first: bool,
}

/// A node on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct MateFrame {
    pub(super) key: u64,
    pub(super) hand: Hand,
    pub(super) path: u64,
    /// Whether the attacker is to move.
    pub(super) or: bool,
    /// Plies left.
    pub(super) len: i16,
    /// Whether a child's numbers come from a lesser depth.
    pub(super) old: bool,
    pub(super) first_child: usize,
    pub(super) children: usize,
    /// How many children do not wait.
    pub(super) live: usize,
    /// Children whose delta is added up; of the others the greatest counts.
    pub(super) sum_mask: u64,
    sum_of_rest: ProofNumber,
    max_of_rest: ProofNumber,
    pub(super) threshold: (ProofNumber, ProofNumber),
    pub(super) extensions: u32,
}

/// All nodes on the path, their children, and the order of those.
#[derive(Default)]
pub(super) struct MateTree {
    pub(super) frames: Vec<MateFrame>,
    pub(super) children: Vec<MateChild>,
    order: Vec<u16>,
}

impl MateTree {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.children.clear();
        self.order.clear();
    }

    pub(super) fn top(&self) -> &MateFrame {
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn top_mut(&mut self) -> &mut MateFrame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Opens a frame for a node whose children lie at the end of the list.
    #[expect(clippy::too_many_arguments, reason = "a frame is all that its node knows")]
    pub(super) fn push(
        &mut self,
        key: u64,
        hand: Hand,
        path: u64,
        or: bool,
        len: i16,
        first_child: usize,
        sum_mask: u64,
    ) {
        let children = self.children.len() - first_child;
        self.order.resize(self.children.len(), 0);
        self.frames.push(MateFrame {
            key,
            hand,
            path,
            or,
            len,
            old: false,
            first_child,
            children,
            live: 0,
            sum_mask,
            sum_of_rest: 0,
            max_of_rest: 0,
            threshold: (0, 0),
            extensions: 0,
        });
    }

    pub(super) fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.children.truncate(frame.first_child);
            self.order.truncate(frame.first_child);
        }
    }

    pub(super) fn child(&self, frame: &MateFrame, i: usize) -> &MateChild {
        &self.children[frame.first_child + i]
    }

    /// Number of the most promising child.
    pub(super) fn front(&self, frame: &MateFrame) -> usize {
        usize::from(self.order[frame.first_child])
    }

    /// The most promising child of the top frame.
    pub(super) fn front_child(&self) -> &MateChild {
        let frame = self.top();
        self.child(frame, self.front(frame))
    }

    /// The children of `frame` that do not wait, best first.
    pub(super) fn live(&self, frame: &MateFrame) -> impl Iterator<Item = usize> + '_ {
        self.order[frame.first_child..frame.first_child + frame.live].iter().map(|&i| usize::from(i))
    }

    /// Lets child `i` of the top frame take part, at the end of the order.
    pub(super) fn enlist(&mut self, i: usize) {
        let frame = self.top_mut();
        let at = frame.first_child + frame.live;
        frame.live += 1;
        self.order[at] = i as u16;
    }

    /// Marks child `i` of the top frame as one whose number is not added up.
    pub(super) fn take_greatest(&mut self, i: usize) {
        if i < 64 {
            self.top_mut().sum_mask &= !(1 << i);
        }
    }

    /// Calls [`MateTree::take_greatest`] if the number of child `i` has reached [`PN_SATURATION`].
    pub(super) fn cap(&mut self, i: usize) {
        let frame = self.top();
        let is = self.child(frame, i).is;
        if !is.is_final() && is.delta(frame.or) >= PN_SATURATION {
            self.take_greatest(i);
        }
    }

    fn compare(&self, frame: &MateFrame, a: u16, b: u16) -> Ordering {
        let or = frame.or;
        let (left, right) = (self.child(frame, usize::from(a)), self.child(frame, usize::from(b)));
        let (x, y) = (&left.is, &right.is);
        let mut order = x.phi(or).cmp(&y.phi(or)).then(x.delta(or).cmp(&y.delta(or)));
        if order.is_eq() && x.pn == 0 {
            order = if or { x.len.cmp(&y.len) } else { y.len.cmp(&x.len) };
        }
        if order.is_eq() && x.dn == 0 {
            order = if or {
                x.repetition_depth.cmp(&y.repetition_depth)
            } else {
                y.repetition_depth.cmp(&x.repetition_depth)
            };
        }
        order.then(x.amount.cmp(&y.amount)).then(left.order.cmp(&right.order)).then(a.cmp(&b))
    }

    /// Sorts the live children of the top frame.
    pub(super) fn sort(&mut self) {
        let frame = *self.top();
        let (from, to) = (frame.first_child, frame.first_child + frame.live);
        let mut order = std::mem::take(&mut self.order);
        order[from..to].sort_unstable_by(|&a, &b| self.compare(&frame, a, b));
        self.order = order;
        self.add_up();
    }

    /// Moves the first live child of the top frame to its place.
    pub(super) fn settle_front(&mut self) {
        let frame = *self.top();
        let (from, to) = (frame.first_child, frame.first_child + frame.live);
        let moving = self.order[from];
        let mut at = from;
        while at + 1 < to && self.compare(&frame, self.order[at + 1], moving).is_lt() {
            self.order[at] = self.order[at + 1];
            at += 1;
        }
        self.order[at] = moving;
        self.add_up();
    }

    fn sums(frame: &MateFrame, i: usize) -> bool {
        i < 64 && frame.sum_mask >> i & 1 != 0
    }

    /// Adds up the children of the top frame but the first.
    fn add_up(&mut self) {
        let last = self.frames.len() - 1;
        self.add_up_at(last);
    }

    fn add_up_at(&mut self, at: usize) {
        let frame = self.frames[at];
        let (mut sum, mut max) = (0, 0);
        for i in self.live(&frame).skip(1) {
            let delta = self.child(&frame, i).is.delta(frame.or);
            if MateTree::sums(&frame, i) {
                sum = (sum + delta).min(INFINITE);
            } else {
                max = delta.max(max);
            }
        }
        let frame = &mut self.frames[at];
        (frame.sum_of_rest, frame.max_of_rest) = (sum, max);
    }

    /// Children that wait weigh a little, or their node would look better than it is.
    fn burden(frame: &MateFrame) -> ProofNumber {
        let waiting = frame.children - frame.live;
        if waiting > 0 { (waiting as ProofNumber / 8).max(1) } else { 0 }
    }

    /// The phi and delta of `frame`.
    pub(super) fn numbers(&self, frame: &MateFrame) -> (ProofNumber, ProofNumber) {
        if frame.live == 0 {
            return (INFINITE, 0);
        }
        let front = self.front(frame);
        let is = self.child(frame, front).is;
        let (mut sum, mut max) = (frame.sum_of_rest, frame.max_of_rest);
        if MateTree::sums(frame, front) {
            sum += is.delta(frame.or);
        } else {
            max = max.max(is.delta(frame.or));
        }
        (is.phi(frame.or), (sum + max + MateTree::burden(frame)).min(INFINITE))
    }

    /// Thresholds (pn, dn) for the most promising child of the top frame: until it looks clearly
    /// worse than the second (the 1+ε trick of Pawlewicz and Lew, 2007), or else two children of about
    /// the same number would be left for each other at every step.
    pub(super) fn front_threshold(
        &self,
        (thpn, thdn): (ProofNumber, ProofNumber),
    ) -> (ProofNumber, ProofNumber) {
        let frame = self.top();
        let (thphi, thdelta) = if frame.or { (thpn, thdn) } else { (thdn, thpn) };
        let second = self.live(frame).nth(1).map_or(INFINITE, |i| self.child(frame, i).is.phi(frame.or));
        let mut rest = frame.sum_of_rest + MateTree::burden(frame);
        if MateTree::sums(frame, self.front(frame)) {
            rest += frame.max_of_rest;
        }
        let phi = thphi.min(second + second / EPSILON_DIV + 1);
        let delta = thdelta.saturating_sub(rest);
        if frame.or { (phi, delta) } else { (delta, phi) }
    }

    /// At the node `branch` of the path two ways part that join again below: the first child and
    /// the one at `other`. Counts the greater of them, not both. Says whether this frame was it.
    pub(super) fn join(&mut self, at: usize, branch: (u64, Hand), other: (u64, Hand)) -> bool {
        let frame = self.frames[at];
        if (frame.key, frame.hand) != branch {
            return false;
        }
        let front = self.front(&frame);
        let twin = self.live(&frame).skip(1).find(|&i| {
            let child = self.child(&frame, i);
            (child.key, child.hand) == other
        });
        for i in [Some(front), twin].into_iter().flatten().filter(|&i| i < 64) {
            self.frames[at].sum_mask &= !(1 << i);
        }
        self.add_up_at(at);
        true
    }
}
