//! The article's cache of analysed positions.
//!
//! Before a position is searched it is looked up. Found with at least the depth asked for, its value is
//! the result; found with less, the value only orders the turns. After a search the result is written.
//! The key is the exact description of the position ([`GameRules::identity`](crate::game::GameRules::identity)).
//!
//! With the cache, a search has the value of plain minimax to the same depth while the cache is empty at
//! its start and no position occurs at two distances from the root. Where positions recur at other
//! distances, or an earlier search went deeper, a value may be that of a deeper search: the article
//! wants it so, and it is the better one.

use std::collections::HashMap;

use crate::game::search::Bound;

/// Positions that a cache keeps before it is emptied, so that memory stays bounded.
const LIMIT: usize = 2_000_000;

/// The stored result of a position.
#[derive(Clone, Copy, Debug)]
pub struct CacheEntry {
    /// How deep it was searched, in plies.
    pub depth: u16,
    /// Value for the side to move.
    pub value: i32,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
    /// Place of the best turn in the order of `GameRules::turns`: it is tried first next time.
    pub best: usize,
}

impl CacheEntry {
    /// The value, if it answers a search to `depth` with this window: the depth is at least that, and the
    /// value is exact or decides the window.
    pub fn answer(&self, depth: u16, alpha: i32, beta: i32) -> Option<i32> {
        let settled = self.bound.settles(self.value, alpha, beta);
        (self.depth >= depth && settled).then_some(self.value)
    }
}

/// Analysed positions by their exact description.
#[derive(Debug, Default)]
pub struct Cache(HashMap<Box<[u8]>, CacheEntry>);

impl Cache {
    pub fn get(&self, key: &[u8]) -> Option<&CacheEntry> {
        self.0.get(key)
    }

    pub fn insert(&mut self, key: Box<[u8]>, entry: CacheEntry) {
        if self.0.len() >= LIMIT {
            self.0.clear();
        }
        self.0.insert(key, entry);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_the_depth_and_a_value_that_decides_are_an_answer() {
        let entry = |bound| CacheEntry { depth: 4, value: 50, bound, best: 0 };
        let exact = entry(Bound::Exact);
        assert_eq!([3, 4, 5].map(|depth| exact.answer(depth, 0, 100)), [Some(50), Some(50), None]);
        let windows = [(0, 40), (0, 50), (0, 60), (50, 60), (60, 70)];
        let answers = |bound| windows.map(|(alpha, beta)| entry(bound).answer(3, alpha, beta).is_some());
        assert_eq!(answers(Bound::Lower), [true, true, false, false, false]);
        assert_eq!(answers(Bound::Upper), [false, false, false, true, true]);
    }
}
