//! Bounds on the length of mates, by board and exact hand.

use crate::rules::hand::Hand;
use kaeshi_core::driver::machine::grown;
use kaeshi_core::random::{drawn_at, mix};

/// More plies than any mate has.
pub(super) const NEVER: i16 = i16::MAX;

/// Bounds on the plies of a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LengthBounds {
    /// No mate within this many plies.
    pub(super) low: i16,
    /// A mate within this many plies; [`NEVER`] if none is known.
    pub(super) high: i16,
    /// Whether the solver of mates by legal moves was asked.
    pub(super) is_judged: bool,
}

impl LengthBounds {
    /// The bounds of an unknown position.
    pub(super) const UNKNOWN: LengthBounds = LengthBounds { low: -1, high: NEVER, is_judged: false };

    /// Whether there is a mate within `plies` plies, if that is known.
    pub(super) fn answer(self, plies: i16) -> Option<bool> {
        if plies <= self.low {
            Some(false)
        } else if plies >= self.high {
            Some(true)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, Default)]
struct LengthEntry {
    /// 0 for an empty place.
    key: u64,
    low: i16,
    high: i16,
    is_judged: bool,
}

/// A table in which a newer entry replaces an older one at its place. Bounds that are lost are searched again.
pub(super) struct LengthTable {
    entries: Vec<LengthEntry>,
    used: usize,
    most: usize,
    /// Differs for each problem: entries of former ones are not found.
    salt: u64,
}

/// The table begins with this many entries.
const SMALL: usize = 1 << 12;

impl LengthTable {
    /// A table that uses at most `bytes` bytes, and those only as they are needed.
    pub(super) fn with_bytes(bytes: usize) -> LengthTable {
        let most = (bytes / size_of::<LengthEntry>()).max(16);
        LengthTable { entries: vec![LengthEntry::default(); SMALL.min(most)], used: 0, most, salt: 1 }
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.salt = drawn_at(self.salt, 0);
    }

    /// An entry's key: boards and hands that differ have the same one with a chance of 2^-64.
    fn key(&self, (board, hand): (u64, Hand)) -> u64 {
        mix(board ^ mix(self.salt ^ u64::from(hand.0))).max(1)
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    pub(super) fn find(&self, position: (u64, Hand)) -> Option<LengthBounds> {
        let key = self.key(position);
        let entry = self.entries.get(self.place(key)).filter(|entry| entry.key == key)?;
        Some(LengthBounds { low: entry.low, high: entry.high, is_judged: entry.is_judged })
    }

    pub(super) fn store(&mut self, position: (u64, Hand), bounds: LengthBounds) {
        let key = self.key(position);
        if self.used * 2 > self.entries.len() && self.entries.len() < self.most {
            self.grow();
        }
        let LengthBounds { low, high, is_judged } = bounds;
        self.put(LengthEntry { key, low, high, is_judged });
    }

    fn put(&mut self, entry: LengthEntry) {
        let at = self.place(entry.key);
        self.used += usize::from(self.entries[at].key == 0);
        self.entries[at] = entry;
    }

    fn grow(&mut self) {
        let count = (self.entries.len() * 2).min(self.most);
        let reserved = grown(count * size_of::<LengthEntry>(), || {
            let mut larger = Vec::new();
            larger.try_reserve_exact(count).ok().map(|()| larger)
        });
        let Some(mut larger) = reserved else {
            self.most = self.entries.len();
            return;
        };
        larger.resize(count, LengthEntry::default());
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        old.into_iter().filter(|entry| entry.key != 0).for_each(|entry| self.put(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::types::PieceKind;

    #[test]
    fn bounds_belong_to_a_board_a_hand_and_a_problem() {
        let mut table = LengthTable::with_bytes(1 << 20);
        let (none, gold) = (Hand::EMPTY, Hand::EMPTY.with(PieceKind::GOLD));
        let bounds = |low, high| LengthBounds { low, high, is_judged: low < 0 };
        table.store((7, none), bounds(3, 9));
        table.store((7, gold), bounds(-1, 1));
        assert_eq!(table.find((7, none)), Some(bounds(3, 9)));
        assert_eq!(table.find((7, gold)), Some(bounds(-1, 1)));
        assert_eq!(table.find((8, none)), None);
        assert_eq!([3, 5, 9].map(|plies| bounds(3, 9).answer(plies)), [Some(false), None, Some(true)]);
        table.forget();
        assert_eq!(table.find((7, none)), None);
    }

    #[test]
    fn a_table_grows_to_its_limit_and_then_replaces() {
        let mut table = LengthTable::with_bytes(20_000 * size_of::<LengthEntry>());
        for board in 0..100_000 {
            table.store(
                (board, Hand::EMPTY),
                LengthBounds { high: (board % 1000) as i16, ..LengthBounds::UNKNOWN },
            );
            let found = table.find((board, Hand::EMPTY)).unwrap();
            assert_eq!(found.high, (board % 1000) as i16);
        }
        assert_eq!(table.entries.len(), 20_000);
    }
}
