//! The values that the last two iterations found at a root; reports have only estimates derived from them.

use crate::search::estimate::WIPEOUT;
use kaeshi_core::game::search::IterationStage;

/// The value that an iteration found for one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IterationValue {
    /// The iteration.
    pub stage: IterationStage,
    /// The first square of the line, or [`NO_MOVE`](crate::search::table::NO_MOVE) for a pass.
    pub first: u8,
    /// Discs for the side to move.
    pub value: i32,
    /// The value found one ply less deep, if that is known.
    pub before: Option<f32>,
    /// The reported estimate, in hundredths of a disc.
    pub shown: i32,
}

/// The values of the last two iterations at one root.
#[derive(Debug, Default)]
pub struct IterationValues {
    /// Key of the root's board.
    root: u64,
    values: Vec<IterationValue>,
}

impl IterationValues {
    /// Forgets the values of another root.
    pub fn begin(&mut self, root: u64) {
        if self.root != root {
            *self = IterationValues { root, values: Vec::new() };
        }
    }

    /// Forgets the values that an earlier search found in this iteration, which begins again.
    pub fn begin_iteration(&mut self, stage: IterationStage) {
        self.values.retain(|kept| kept.stage != stage);
    }

    /// Keeps a value, and those of its iteration and of the one before.
    pub fn add(&mut self, value: IterationValue) {
        if let Some(last) = self.values.last().map(|last| last.stage)
            && last != value.stage
        {
            self.values.retain(|kept| kept.stage == last);
        }
        self.values.push(value);
    }

    /// The surplus in discs of the best line's value one ply less deep than in the iteration `stage`, if that is known.
    pub fn difference(&self, stage: IterationStage) -> Option<f32> {
        let best = self.values.iter().find(|value| value.stage == stage)?;
        if best.value.abs() == WIPEOUT {
            // A wipe-out is exact, and its difference would shift the estimates of the other lines.
            return None;
        }
        Some(best.before? - best.value as f32)
    }

    /// The latest value of a line that begins with `first` and was shown as `shown`; none where the line was found by
    /// another search.
    pub fn of_line(&self, first: u8, shown: i32) -> Option<IterationValue> {
        self.values.iter().rev().copied().find(|value| value.first == first && value.shown == shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::table::NO_MOVE;

    fn found(depth: u16, first: u8, value: i32) -> IterationValue {
        let stage = IterationStage::depth(depth);
        IterationValue { stage, first, value, before: Some(1.5), shown: 100 * value + 30 }
    }

    #[test]
    fn two_iterations_are_kept_with_all_their_lines() {
        let mut values = IterationValues::default();
        values.begin(7);
        for value in [found(1, 19, 2), found(2, 19, 0), found(2, NO_MOVE, -3), found(3, 26, 4)] {
            values.add(value);
        }
        assert_eq!(values.of_line(19, 230), None, "two iterations before");
        assert_eq!(values.of_line(19, 30), Some(found(2, 19, 0)));
        assert_eq!(values.of_line(NO_MOVE, -270), Some(found(2, NO_MOVE, -3)));
        assert_eq!(values.of_line(26, 430), Some(found(3, 26, 4)));
        assert_eq!(values.of_line(26, 30), None, "another score");
        let differences = [1, 2, 3].map(|depth| values.difference(IterationStage::depth(depth)));
        assert_eq!(differences, [None, Some(1.5), Some(-2.5)], "that of the best line");
        values.begin_iteration(IterationStage::depth(3));
        assert_eq!(values.difference(IterationStage::depth(3)), None, "the iteration begins again");
        values.add(found(3, 37, 5));
        assert_eq!(values.difference(IterationStage::depth(3)), Some(-3.5));
        assert_eq!(values.of_line(19, 30), Some(found(2, 19, 0)));
        values.begin(7);
        assert!(values.of_line(37, 530).is_some());
        values.begin(8);
        assert_eq!(values.of_line(37, 530), None);
    }
}
