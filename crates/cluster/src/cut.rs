//! How a tuning is cut into parts.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use kaeshi_train::tasks::tune::TuneOptions;

/// How the pairs of a tuning fall into parts: no part has pairs of two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Pairs of games in all.
    pub pairs: u64,
    /// Pairs of an iteration.
    pub batch: u64,
    /// Pairs of a part.
    pub size: u64,
}

impl Cut {
    /// That of a tuning into parts of `size` pairs.
    pub fn of(tuning: &TuneOptions, size: u64) -> Cut {
        Cut { pairs: tuning.pairs, batch: tuning.batch, size }
    }

    /// Parts of an iteration.
    pub fn per_iteration(self) -> u64 {
        self.batch.div_ceil(self.size)
    }

    /// Parts in all.
    pub fn parts(self) -> u64 {
        let rest = (self.pairs % self.batch).div_ceil(self.size);
        (self.pairs / self.batch).saturating_mul(self.per_iteration()).saturating_add(rest)
    }

    /// The iteration of a part.
    pub fn iteration(self, part: u64) -> u64 {
        part / self.per_iteration()
    }

    /// The parts of an iteration.
    pub fn of_iteration(self, iteration: u64) -> Range<u64> {
        let from = iteration * self.per_iteration();
        from.min(self.parts())..(from + self.per_iteration()).min(self.parts())
    }

    /// The pairs of a part.
    pub fn pairs_of(self, part: u64) -> Range<u64> {
        let end = ((self.iteration(part) + 1) * self.batch).min(self.pairs);
        let from = self.iteration(part) * self.batch + part % self.per_iteration() * self.size;
        from..(from + self.size).min(end)
    }
}
