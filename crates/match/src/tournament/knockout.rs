//! How large the meetings of a knock-out are, and which pairs belong to which.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// Most pairs, and most tiebreaks, of a meeting.
const MOST_OF_MEETING: u64 = 10_000;

/// The size of the meetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knockout {
    /// Pairs (or single games) of every meeting.
    #[serde(deserialize_with = "pairs_of_meeting")]
    pub pairs: u64,
    /// Further ones at most, while it is tied.
    #[serde(deserialize_with = "tiebreaks_of_meeting")]
    pub tiebreaks: u64,
}

fn pairs_of_meeting<'de, D: Deserializer<'de>>(read: D) -> Result<u64, D::Error> {
    Knockout::new(u64::deserialize(read)?, 0).map(|size| size.pairs).map_err(D::Error::custom)
}

fn tiebreaks_of_meeting<'de, D: Deserializer<'de>>(read: D) -> Result<u64, D::Error> {
    Knockout::new(1, u64::deserialize(read)?).map(|size| size.tiebreaks).map_err(D::Error::custom)
}

impl Knockout {
    /// Meetings of this size.
    ///
    /// # Errors
    /// No pair, or too many pairs or tiebreaks.
    pub fn new(pairs: u64, tiebreaks: u64) -> Result<Knockout, String> {
        if !(1..=MOST_OF_MEETING).contains(&pairs) || tiebreaks > MOST_OF_MEETING {
            return Err(format!(
                "a meeting of a knock-out has 1 to {MOST_OF_MEETING} pairs and at most {MOST_OF_MEETING} tiebreaks"
            ));
        }
        Ok(Knockout { pairs, tiebreaks })
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_states_no_meeting_without_pairs_or_without_end() {
        let read = |pairs: u64, tiebreaks: u64| {
            serde_json::from_value::<Knockout>(serde_json::json!({ "pairs": pairs, "tiebreaks": tiebreaks }))
        };
        assert_eq!(read(2, 0).unwrap(), Knockout { pairs: 2, tiebreaks: 0 });
        assert_eq!(read(10_000, 10_000).unwrap().width(), 20_000);
        for (pairs, tiebreaks) in [(0, 0), (0, 2), (10_001, 2), (4_000_000_000, 2), (2, u64::MAX)] {
            assert!(read(pairs, tiebreaks).unwrap_err().to_string().contains("1 to 10000 pairs"));
        }
    }
}
