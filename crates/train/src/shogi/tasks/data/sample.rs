//! A random sample of records, in memory.

use kaeshi_core::random::SplitMix;

/// Records of which each one shown is kept with the same chance (Vitter, "Random sampling with a reservoir", 1985,
/// algorithm R).
pub(super) struct RecordSample {
    most: usize,
    random: SplitMix,
    shown: u64,
    kept: Vec<Vec<u8>>,
}

impl RecordSample {
    /// An empty sample of at most `most` records, whose order is drawn by `seed`.
    pub(super) fn new(most: usize, seed: u64) -> RecordSample {
        RecordSample { most, random: SplitMix::new(seed), shown: 0, kept: Vec::new() }
    }

    /// Shows a record.
    pub(super) fn offer(&mut self, record: &[u8]) {
        self.shown += 1;
        if self.kept.len() < self.most {
            self.kept.push(record.to_vec());
            return;
        }
        let place = (u128::from(self.random.draw()) * u128::from(self.shown)) >> 64;
        if let Some(kept) = self.kept.get_mut(place as usize) {
            kept.copy_from_slice(record);
        }
    }

    /// The records that are kept.
    pub(super) fn records(&self) -> &[Vec<u8>] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_kept_with_the_same_chance() {
        let mut kept = [0_u32; 40];
        for seed in 0..4_000 {
            let mut sample = RecordSample::new(10, seed);
            (0..40).for_each(|record| sample.offer(&[record]));
            assert_eq!(sample.records().len(), 10);
            sample.records().iter().for_each(|record| kept[usize::from(record[0])] += 1);
        }
        // 1,000 are expected, with a deviation of 27.
        assert!(kept.iter().all(|&times| (850..1_150).contains(&times)), "{kept:?}");
    }
}
