//! The lines of an iteration, in order, and with those of the iteration before.

use std::cmp::Ordering;

use crate::game::GameRules;
use crate::game::score::Score;
use crate::game::search::{Bound, PvLine};

/// The lines of an iteration.
pub struct IterationLines<G: GameRules> {
    /// Each is the best of all turns but those before it.
    pub lines: Vec<PvLine<G>>,
    /// The line that was being searched when the search was stopped.
    pub partial: Option<PvLine<G>>,
    /// Whether every line that was wanted is there, or no turn is left.
    pub complete: bool,
}

impl<G: GameRules> Default for IterationLines<G> {
    fn default() -> IterationLines<G> {
        IterationLines { lines: Vec::new(), partial: None, complete: false }
    }
}

impl<G: GameRules> IterationLines<G> {
    /// Best first.
    pub fn sorted(self) -> Vec<PvLine<G>> {
        let mut lines: Vec<PvLine<G>> = self.lines.into_iter().chain(self.partial).collect();
        lines.sort_by(|a, b| order(b.score, a.score));
        lines
    }

    /// With the lines of the iteration before in place of those that are missing, best first. The turns that
    /// are left are worth no more than a complete line, which was preferred to them.
    pub fn merged(mut self, former: &[PvLine<G>]) -> Vec<PvLine<G>> {
        let ceiling = self.lines.iter().map(|line| line.score).min_by(|a, b| order(*a, *b));
        for old in former {
            let count = self.lines.len() + usize::from(self.partial.is_some());
            let mut known = self.lines.iter().chain(&self.partial);
            if count < former.len() && known.all(|new| new.turns.first() != old.turns.first()) {
                let mut line = old.clone();
                if let Some(ceiling) = ceiling.filter(|ceiling| *ceiling < line.score) {
                    (line.score, line.bound) = (ceiling, Bound::Upper);
                }
                self.lines.push(line);
            }
        }
        self.sorted()
    }
}

/// Values that do not compare are as good as equal.
pub fn order(a: Score, b: Score) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}
