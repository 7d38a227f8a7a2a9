//! Lines that were tried out beside the game.
//!
//! Lines are numbered: 0 is the game itself, `n` is variation `n - 1` of the record.

use super::{GameRecord, MAX_TURNS, PlyRemarks, RecordFault, RecordPly};

/// Most variations of one record.
const MAX_VARIATIONS: usize = 500;

/// A line that leaves another one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordVariation {
    /// The line that it leaves: an earlier one.
    pub of: usize,
    /// How many turns of the game come before it; at least as many as before the line that it leaves.
    pub after: usize,
    /// Its own turns.
    pub plies: Vec<RecordPly>,
}

impl GameRecord {
    /// The turns of a line, from where it leaves the other one.
    pub fn line(&self, line: usize) -> &[RecordPly] {
        match line.checked_sub(1) {
            None => &self.plies,
            Some(index) => self.variations.get(index).map_or(&[], |variation| &variation.plies),
        }
    }

    fn line_mut(&mut self, line: usize) -> Option<&mut Vec<RecordPly>> {
        match line.checked_sub(1) {
            None => Some(&mut self.plies),
            Some(index) => self.variations.get_mut(index).map(|variation| &mut variation.plies),
        }
    }

    /// How many turns come before a line.
    pub fn after(&self, line: usize) -> usize {
        let variation = line.checked_sub(1).and_then(|index| self.variations.get(index));
        variation.map_or(0, |variation| variation.after)
    }

    /// The turns that come before a line, from the start.
    pub fn before(&self, line: usize) -> Vec<&RecordPly> {
        let Some(variation) = line.checked_sub(1).and_then(|index| self.variations.get(index)) else {
            return Vec::new();
        };
        // Lines leave earlier ones only, so this ends.
        let mut owners = vec![(variation.of, variation.after)];
        while let Some(&(of, _)) = owners.last()
            && of > 0
        {
            owners.push((self.variations.get(of - 1).map_or(0, |next| next.of), self.after(of)));
        }
        let mut turns: Vec<&RecordPly> = Vec::new();
        for (of, after) in owners.into_iter().rev() {
            turns.extend(self.line(of).iter().take(after.saturating_sub(turns.len())));
        }
        turns
    }

    /// The variations that leave a line, the latest first: the order of KIF.
    pub fn branches(&self, of: usize) -> Vec<usize> {
        let mut lines: Vec<usize> = (1..=self.variations.len())
            .filter(|&line| self.variations.get(line - 1).is_some_and(|v| v.of == of))
            .collect();
        lines.sort_by_key(|&line| std::cmp::Reverse(self.after(line)));
        lines
    }

    /// All variations, each behind the line that it leaves, so that every one of them leaves the line written
    /// before it or what that one has left in common with it.
    pub fn nested(&self) -> Vec<usize> {
        let mut waiting: Vec<usize> = self.branches(0).into_iter().rev().collect();
        let mut lines = Vec::new();
        while let Some(line) = waiting.pop() {
            lines.push(line);
            waiting.extend(self.branches(line).into_iter().rev());
        }
        lines
    }

    /// Begins a line; returns its number.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn begin(&mut self, of: usize, after: usize, at: usize) -> Result<usize, RecordFault> {
        if self.variations.len() >= MAX_VARIATIONS {
            return Err(RecordFault::new(at, format!("more than {MAX_VARIATIONS} variations")));
        }
        self.variations.push(RecordVariation { of, after, plies: Vec::new() });
        Ok(self.variations.len())
    }

    /// Adds a turn to a line, unless there are too many already.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn push_to(&mut self, line: usize, ply: RecordPly) -> Result<(), RecordFault> {
        let full = self.after(line) + self.line(line).len() >= MAX_TURNS;
        match self.line_mut(line).filter(|_| !full) {
            Some(plies) => plies.push(ply),
            None => return Err(RecordFault::new(ply.line, format!("more than {MAX_TURNS} turns"))),
        }
        Ok(())
    }

    /// The remarks that a comment on the last turn of a line is added to; `None` before the first turn.
    pub(super) fn last_remarks_of(&mut self, line: usize) -> Option<&mut PlyRemarks> {
        self.line_mut(line)?.last_mut().map(RecordPly::remarks_mut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordFormat;
    use kaeshi_engine::games::GameName;

    fn plies(turns: &str) -> Vec<RecordPly> {
        turns.split(' ').map(RecordPly::new).collect()
    }

    #[test]
    fn a_variation_follows_the_turns_of_the_lines_that_it_leaves() {
        let mut record = GameRecord::new(GameName::Shogi, RecordFormat::Line, 1, "startpos");
        record.plies = plies("a b c d");
        for (of, after, turns) in [(0, 1, "B C D E"), (1, 3, "X Y"), (0, 3, "Z"), (2, 4, "W")] {
            record.variations.push(RecordVariation { of, after, plies: plies(turns) });
        }
        let before = |line| record.before(line).iter().map(|ply| ply.turn.as_str()).collect::<String>();
        assert_eq!([0, 1, 2, 3, 4].map(before), ["", "a", "aBC", "abc", "aBCX"]);
        assert_eq!((record.branches(0), record.branches(1)), (vec![3, 1], vec![2]));
        assert_eq!(record.nested(), [3, 1, 2, 4]);
    }

    #[test]
    fn there_are_not_endlessly_many() {
        let mut record = GameRecord::new(GameName::Shogi, RecordFormat::Line, 1, "startpos");
        let begun = (0..=MAX_VARIATIONS).take_while(|_| record.begin(0, 0, 7).is_ok()).count();
        assert_eq!(begun, MAX_VARIATIONS);
    }
}
