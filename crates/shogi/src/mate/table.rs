//! The solver's transposition table: results and estimates of positions that do not depend on the path.
//!
//! Entries of one board lie in one run of slots, so that entries of greater and lesser hands are
//! found with the exact one. Nothing is ever inferred from an entry that is missing.

use bytemuck::{Pod, Zeroable};

use crate::rules::hand::Hand;
use kaeshi_core::driver::machine::{grown, halved};
use kaeshi_core::driver::pages::{prefer_large, prefetch_at};

/// Proof and disproof numbers.
pub(super) type ProofNumber = u64;
/// Proven or disproven.
pub(super) const INFINITE: ProofNumber = 1 << 60;
/// Plies without a limit.
pub(super) const ANY: i16 = 16_000;

const NEVER: i16 = i16::MAX;
/// Results survive garbage collection longer than estimates.
const RESULT_BONUS: u32 = 1_000;
const SAMPLES: usize = 20_000;

/// One board with one hand of the attacker.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct MateTtEntry {
    key: u64,
    pn: ProofNumber,
    dn: ProofNumber,
    parent_key: u64,
    sum_mask: u64,
    hand: u32,
    parent_hand: u32,
    amount: u32,
    /// A mate takes at most this many plies.
    proven: i16,
    /// No mate within this many plies.
    disproven: i16,
    /// The least depth at which it was met.
    depth: u16,
    used: u8,
    has_parent: u8,
    /// Once disproven by a repetition, on some path.
    repeated: u8,
    rest: [u8; 3],
}

/// An entry fills a cache line, and in words.
const WORDS: usize = 8;
const _: () = assert!(size_of::<MateTtEntry>() == 8 * WORDS);

/// The table's knowledge about a position.
#[derive(Clone, Copy, Debug)]
pub(super) enum MateLookup {
    /// The attacker mates within `len` plies, with any hand that covers `hand`.
    Proven { hand: Hand, len: i16, amount: u32 },
    /// No mate within `len` plies, with any hand that `hand` covers.
    Disproven { hand: Hand, len: i16, amount: u32 },
    /// Bounds and estimates.
    Open(OpenEstimate),
}

/// Estimates of an open position.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenEstimate {
    pub(super) pn: ProofNumber,
    pub(super) dn: ProofNumber,
    pub(super) amount: u32,
    pub(super) sum_mask: u64,
    /// Whether this very hand was met.
    pub(super) exact: bool,
    /// Whether a number comes from an entry that was met at a lesser depth.
    pub(super) old: bool,
    /// Whether this very hand was once disproven by a repetition.
    pub(super) repeated: bool,
}

/// The table.
pub(super) struct MateTable {
    /// Zeroed words: the system provides those at once, aligned entries it would not.
    memory: Box<[u64]>,
    first: usize,
    count: usize,
    used: usize,
    /// Entries that the table may grow to.
    most: usize,
}

/// The table begins with at most this many entries: 1 MiB.
const SMALL: usize = 1 << 14;
/// How many times larger it is after each growth.
const GROWTH: usize = 4;

/// Zeroed memory for `count` entries, and the word at which the first of them begins; `None` if
/// the system grants none.
fn allocate(count: usize) -> Option<(Box<[u64]>, usize)> {
    let mut memory = bytemuck::try_zeroed_slice_box::<u64>((count + 1) * WORDS).ok()?;
    prefer_large(&mut memory);
    let first = memory.as_ptr().align_offset(size_of::<MateTtEntry>()).min(WORDS);
    Some((memory, first))
}

impl MateTable {
    /// A table that grows as far as the system grants, but never uses more than `bytes` bytes: room
    /// is left for the former one, which is held beside it while it grows.
    ///
    /// It starts small because entries lie at random places: in a large table nearly every entry would bring another
    /// page of memory into use.
    pub(super) fn with_bytes(bytes: usize) -> MateTable {
        let room = (bytes / size_of::<MateTtEntry>()).clamp(16, u32::MAX as usize);
        MateTable::growing_to(if room > SMALL { room / (GROWTH + 1) * GROWTH } else { room })
    }

    /// An empty table that grows to at most `most` entries.
    fn growing_to(most: usize) -> MateTable {
        let mut count = most;
        while count > SMALL {
            count = count.div_ceil(GROWTH);
        }
        let ((memory, first), count) = halved(count, size_of::<MateTtEntry>(), allocate);
        MateTable { memory, first, count, used: 0, most }
    }

    /// Goes on in a larger table, if there may be one.
    #[cold]
    fn grow(&mut self) -> bool {
        if self.count >= self.most {
            return false;
        }
        let count = (self.count * GROWTH).min(self.most);
        let Some((memory, first)) = grown(count * size_of::<MateTtEntry>(), || allocate(count)) else {
            self.most = self.count;
            return false;
        };
        let mut old = MateTable { memory, first, count, used: self.used, most: self.most };
        std::mem::swap(self, &mut old);
        for &entry in old.entries().iter().filter(|entry| entry.used != 0) {
            let at = self.free_slot(entry.key);
            self.entries_mut()[at] = entry;
        }
        true
    }

    fn free_slot(&self, key: u64) -> usize {
        let entries = self.entries();
        let mut at = self.start(key);
        while entries[at].used != 0 {
            at = if at + 1 == entries.len() { 0 } else { at + 1 };
        }
        at
    }

    #[inline(always)]
    fn entries(&self) -> &[MateTtEntry] {
        bytemuck::cast_slice(&self.memory[self.first..self.first + self.count * WORDS])
    }

    #[inline(always)]
    fn entries_mut(&mut self) -> &mut [MateTtEntry] {
        bytemuck::cast_slice_mut(&mut self.memory[self.first..self.first + self.count * WORDS])
    }

    pub(super) fn clear(&mut self) {
        if self.used > 0 {
            *self = MateTable::growing_to(self.most);
        }
    }

    /// Entries in use, in permille.
    pub(super) fn permille(&self) -> usize {
        self.used * 1000 / self.most
    }

    #[inline(always)]
    fn start(&self, key: u64) -> usize {
        (((key & 0xffff_ffff) * self.count as u64) >> 32) as usize
    }

    /// Asks the processor to bring the entries of `key` near.
    #[inline(always)]
    pub(super) fn prefetch(&self, key: u64) {
        prefetch_at(self.memory.as_ptr().wrapping_add(self.first + self.start(key) * WORDS));
    }

    /// The table's knowledge about a mate within `len` plies at this depth of the search.
    pub(super) fn look_up(&mut self, key: u64, hand: Hand, depth: usize, len: i16) -> MateLookup {
        let depth = depth.min(usize::from(u16::MAX)) as u16;
        let mut open = OpenEstimate {
            pn: 1,
            dn: 1,
            amount: 1,
            sum_mask: u64::MAX,
            exact: false,
            old: false,
            repeated: false,
        };
        let mut at = self.start(key);
        let entries = self.entries_mut();
        loop {
            let entry = &mut entries[at];
            if entry.used == 0 {
                return MateLookup::Open(open);
            }
            if entry.key == key {
                let there = Hand(entry.hand);
                let (greater, lesser) = (there.covers(hand), hand.covers(there));
                if lesser && entry.proven <= len {
                    return MateLookup::Proven { hand: there, len: entry.proven, amount: entry.amount };
                }
                if greater && entry.disproven >= len {
                    return MateLookup::Disproven { hand: there, len: entry.disproven, amount: entry.amount };
                }
                if greater && lesser {
                    entry.depth = entry.depth.min(depth);
                    open.exact = true;
                    open.sum_mask = entry.sum_mask;
                    open.repeated = entry.repeated != 0;
                    open.amount = open.amount.max(entry.amount);
                }
                if entry.depth <= depth || (greater && lesser) {
                    let mut used = false;
                    if greater && entry.pn > open.pn {
                        open.pn = entry.pn;
                        used = true;
                    }
                    if lesser && entry.dn > open.dn {
                        open.dn = entry.dn;
                        used = true;
                    }
                    open.old |= used && entry.depth < depth;
                }
            }
            at = if at + 1 == entries.len() { 0 } else { at + 1 };
        }
    }

    /// Plies of the shortest mate known, if any.
    pub(super) fn proven_len(&self, key: u64, hand: Hand) -> Option<i16> {
        let mut best = NEVER;
        self.for_each(key, |entry| {
            if hand.covers(Hand(entry.hand)) {
                best = best.min(entry.proven);
            }
        });
        (best < NEVER).then_some(best)
    }

    /// The board and hand from which this position was last reached, with its numbers.
    pub(super) fn parent(&self, key: u64, hand: Hand) -> Option<(u64, Hand, ProofNumber, ProofNumber)> {
        let (mut pn, mut dn) = (1, 1);
        let mut parent = None;
        self.for_each(key, |entry| {
            let there = Hand(entry.hand);
            let from =
                (entry.has_parent != 0).then(|| (entry.parent_key, shifted(entry.parent_hand, there, hand)));
            if there.covers(hand) && entry.pn > pn {
                pn = entry.pn;
                if from.is_some() && (parent.is_none() || pn > dn) {
                    parent = from;
                }
            }
            if hand.covers(there) && entry.dn > dn {
                dn = entry.dn;
                if from.is_some() && (parent.is_none() || dn > pn) {
                    parent = from;
                }
            }
        });
        parent.map(|(key, hand)| (key, hand, pn, dn))
    }

    fn for_each(&self, key: u64, mut act: impl FnMut(&MateTtEntry)) {
        let entries = self.entries();
        let mut at = self.start(key);
        while entries[at].used != 0 {
            if entries[at].key == key {
                act(&entries[at]);
            }
            at = if at + 1 == entries.len() { 0 } else { at + 1 };
        }
    }

    /// The entry of this very hand; made if there is none.
    fn entry(&mut self, key: u64, hand: Hand) -> &mut MateTtEntry {
        let fill = if self.count < self.most { self.count / 2 } else { self.count / 4 * 3 };
        if self.used >= fill && !self.grow() {
            self.collect_garbage();
        }
        let mut at = self.start(key);
        let mut new = false;
        let entries = self.entries_mut();
        loop {
            let entry = &entries[at];
            if entry.used == 0 {
                entries[at] = MateTtEntry {
                    key,
                    pn: 1,
                    dn: 1,
                    sum_mask: u64::MAX,
                    hand: hand.0,
                    amount: 1,
                    proven: NEVER,
                    disproven: -1,
                    depth: u16::MAX,
                    used: 1,
                    ..MateTtEntry::zeroed()
                };
                new = true;
                break;
            }
            if entry.hand == hand.0 && entry.key == key {
                break;
            }
            at = if at + 1 == entries.len() { 0 } else { at + 1 };
        }
        self.used += usize::from(new);
        &mut self.entries_mut()[at]
    }

    /// Notes a mate within `len` plies with any hand that covers `hand`.
    pub(super) fn prove(&mut self, key: u64, hand: Hand, len: i16, amount: u32) {
        let entry = self.entry(key, hand);
        entry.proven = entry.proven.min(len);
        entry.amount = entry.amount.max(amount.saturating_add(RESULT_BONUS));
    }

    /// Notes that there is no mate within `len` plies with any hand that `hand` covers.
    pub(super) fn disprove(&mut self, key: u64, hand: Hand, len: i16, amount: u32) {
        let entry = self.entry(key, hand);
        entry.disproven = entry.disproven.max(len);
        entry.amount = entry.amount.max(amount.saturating_add(RESULT_BONUS));
    }

    /// Notes that some path led to a disproof by repetition. The stored proof numbers held for that path and are reset.
    pub(super) fn repeat(&mut self, key: u64, hand: Hand) {
        let entry = self.entry(key, hand);
        entry.repeated = 1;
        (entry.pn, entry.dn) = (1, 1);
    }

    /// Notes numbers and the way here.
    pub(super) fn estimate(
        &mut self,
        (key, hand): (u64, Hand),
        depth: usize,
        (pn, dn): (ProofNumber, ProofNumber),
        amount: u32,
        sum_mask: u64,
        parent: (u64, Hand),
    ) {
        let entry = self.entry(key, hand);
        entry.depth = entry.depth.min(depth.min(usize::from(u16::MAX)) as u16);
        (entry.pn, entry.dn) = (pn, dn);
        entry.amount = entry.amount.max(amount);
        entry.sum_mask = sum_mask;
        (entry.parent_key, entry.parent_hand) = (parent.0, parent.1.0);
        entry.has_parent = 1;
    }

    /// Drops the half of the entries on which least was spent.
    #[cold]
    fn collect_garbage(&mut self) {
        let step = (self.count / SAMPLES).max(1);
        let sampled = self.entries().iter().step_by(step).filter(|entry| entry.used != 0);
        let mut amounts: Vec<u32> = sampled.map(|entry| entry.amount).collect();
        if amounts.is_empty() {
            amounts.push(u32::MAX);
        }
        let middle = amounts.len() / 2;
        let threshold = *amounts.select_nth_unstable(middle).1;
        for entry in self.entries_mut() {
            if entry.amount <= threshold {
                entry.used = 0;
            }
        }
        // Close the gaps, or what lies behind them would never be found again. Where a run wraps
        // around the end, a second round moves what the first one could not.
        for _ in 0..2 {
            for at in 0..self.count {
                let entry = self.entries()[at];
                if entry.used == 0 {
                    continue;
                }
                let mut to = self.start(entry.key);
                let entries = self.entries_mut();
                entries[at].used = 0;
                while entries[to].used != 0 {
                    to = if to + 1 == entries.len() { 0 } else { to + 1 };
                }
                entries[to] = entry;
            }
        }
        self.used = self.entries().iter().filter(|entry| entry.used != 0).count();
    }
}

/// `hand` plus what `to` has more, less what it has less, than `from`.
fn shifted(hand: u32, from: Hand, to: Hand) -> Hand {
    use crate::rules::types::PieceKind;
    if from == to {
        return Hand(hand);
    }
    let mut shifted = Hand::EMPTY;
    for kind in PieceKind::DROPPABLE {
        let count = (Hand(hand).count(kind) + to.count(kind)).saturating_sub(from.count(kind));
        let unit = Hand::EMPTY.with(kind).0;
        shifted.0 += count.min(PieceKind::IN_SET[kind.index()]) * unit;
    }
    shifted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::types::PieceKind;

    #[test]
    fn results_hold_for_greater_and_lesser_hands() {
        let mut table = MateTable::with_bytes(1 << 16);
        let gold = Hand::EMPTY.with(PieceKind::GOLD);
        let two = gold.with(PieceKind::PAWN);
        table.prove(7, gold, 5, 1);
        assert!(matches!(table.look_up(7, two, 0, ANY), MateLookup::Proven { len: 5, .. }));
        assert!(matches!(table.look_up(7, two, 0, 3), MateLookup::Open(_)));
        assert!(matches!(table.look_up(7, Hand::EMPTY, 0, ANY), MateLookup::Open(_)));
        assert!(matches!(table.look_up(8, two, 0, ANY), MateLookup::Open(_)));
        table.disprove(9, two, ANY, 1);
        assert!(matches!(table.look_up(9, gold, 0, ANY), MateLookup::Disproven { .. }));
        assert!(matches!(table.look_up(9, two.with(PieceKind::PAWN), 0, ANY), MateLookup::Open(_)));
    }

    #[test]
    fn growth_loses_nothing() {
        let mut table = MateTable::with_bytes(64 << 20);
        let key = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for i in 0..100_000 {
            table.prove(key(i), Hand::EMPTY, (i % 1000) as i16, 1);
        }
        assert!(table.count > 100_000 && table.count < table.most, "{} of {}", table.count, table.most);
        for i in 0..100_000 {
            assert_eq!(table.proven_len(key(i), Hand::EMPTY), Some((i % 1000) as i16));
        }
        assert_eq!(table.permille(), 100_000 * 1000 / table.most);
    }

    #[test]
    fn garbage_collection_loses_entries_but_changes_none() {
        let mut table = MateTable::with_bytes(64 * 64);
        let mut random = 1u64;
        for round in 0..20_000u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = random >> 20;
            table.prove(key, Hand::EMPTY, (key % 1000) as i16, (round % 50) as u32);
            assert!(table.permille() <= 900);
            if let Some(len) = table.proven_len(random >> 25, Hand::EMPTY) {
                assert_eq!(len, ((random >> 25) % 1000) as i16);
            }
            assert_eq!(table.proven_len(key, Hand::EMPTY), Some((key % 1000) as i16));
        }
    }
}
