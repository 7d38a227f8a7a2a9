//! Levels of play against people: short searches, and misjudged positions.
//!
//! Each position or turn is misjudged by an amount that depends on its key and the game's seed, so it stays the same
//! throughout a game. A weak player thus follows a plan that rests on a misjudgement, as people do, and does not play
//! turns at random.

use crate::random::mix;

/// One level of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillLevel {
    /// The last iteration, if that is limited.
    pub depth: Option<u16>,
    /// Nodes, if they are limited.
    pub nodes: Option<u64>,
    /// The largest misjudgement, in hundredths of the game's unit.
    pub error: i32,
    /// Among how many of the best turns it chooses, where the driver misjudges turns; more than one takes more
    /// time.
    pub lines: usize,
    /// Percentage of the stones of a turn of several stones that are overlooked.
    pub overlooked: u8,
}

/// The misjudgements of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misjudgement {
    /// The largest, in hundredths of the game's unit.
    pub error: i32,
    /// Selects the misjudgements; different in each game.
    pub seed: u64,
    /// See [`SkillLevel::lines`].
    pub lines: usize,
    /// See [`SkillLevel::overlooked`].
    pub overlooked: u8,
}

impl Misjudgement {
    /// The misjudgement of the position with this key, in hundredths of the game's unit: the difference of two uniform
    /// draws, so small errors are more likely than large ones.
    pub fn of(self, key: u64) -> i32 {
        let bits = mix(key ^ self.seed);
        let draw = |shift: u32| (bits >> shift & 0x3ff) as i32;
        (draw(54) - draw(44)) * self.error / 1024
    }

    /// Whether the part of a turn with this key is overlooked.
    pub fn overlooks(self, key: u64) -> bool {
        mix(key ^ self.seed) >> 32 & 0x3ff < u64::from(self.overlooked) * 1024 / 100
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_misjudged_alike_within_a_game_only() {
        let one = Misjudgement { error: 300, seed: 1, lines: 1, overlooked: 30 };
        let other = Misjudgement { seed: 2, ..one };
        assert_eq!(one.of(77), one.of(77));
        assert!((0..50).any(|key| one.of(key) != other.of(key)));
        assert!((0..2_000).all(|key| one.of(key).abs() < 300));
        let overlooked = (0..2_000).filter(|&key| one.overlooks(key)).count();
        assert!((500..700).contains(&overlooked), "{overlooked}");
        assert!((0..2_000).any(|key| one.of(key) > 200) && (0..2_000).any(|key| one.of(key) < -200));
    }
}
