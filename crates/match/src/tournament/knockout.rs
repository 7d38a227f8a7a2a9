//! How large the meetings of a knock-out are, and which pairs belong to which.

use serde::{Deserialize, Serialize};

/// The size of the meetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knockout {
    /// Pairs (or single games) of every meeting.
    pub pairs: u64,
    /// Further ones at most, while it is tied.
    pub tiebreaks: u64,
}

impl Knockout {
    /// Pairs whose indices a meeting takes up.
    pub(super) fn width(self) -> u64 {
        self.pairs + self.tiebreaks
    }

    /// The number of its round of pairs that pair `index` belongs to, among `engines` engines: pairs of the same
    /// number in the meetings of one round of the bracket share it.
    pub fn round(self, index: u64, engines: usize) -> u64 {
        let (mut meeting, number) = (index / self.width(), index % self.width());
        let (mut round, mut meetings) = (0, engines.next_power_of_two() as u64 / 2);
        while meeting >= meetings && meetings > 0 {
            meeting -= meetings;
            meetings /= 2;
            round += 1;
        }
        round * self.width() + number
    }

    /// Rounds of pairs at most, among `engines` engines.
    pub fn rounds(self, engines: usize) -> u64 {
        u64::from(engines.next_power_of_two().ilog2()) * self.width()
    }
}
