//! Playing weaker for people: few plies are searched, and positions are misjudged.
//!
//! Each position is misjudged by an amount of its own, the same whenever it is met. So a plan built
//! on a misjudgement is followed through, as people do; a move drawn by lot would look like none of
//! theirs.

use std::hash::{BuildHasher, RandomState};

/// The strength to play at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skill {
    level: u8,
    seed: u64,
}

impl Skill {
    /// Full strength.
    pub(super) const FULL: u8 = 20;
    /// Weaker players overlook mates that a look at the king would show.
    const SEES_MATES: u8 = 6;
    /// Deepest iteration by level, from 1 on.
    const DEPTHS: [u16; 19] = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10, 12];

    /// Largest misjudgement by level, in centipawns: less by the same factor each time.
    const ERRORS: [i32; 19] =
        [450, 367, 299, 244, 199, 162, 132, 107, 88, 71, 58, 47, 39, 31, 26, 21, 17, 14, 11];

    /// Plays at `level`, 1 to 20, with misjudgements not met before.
    pub(super) fn new(level: u8) -> Skill {
        Skill { level: level.clamp(1, Skill::FULL), seed: RandomState::new().hash_one(level) }
    }

    /// The same strength with other misjudgements, for another game.
    pub(super) fn renewed(self) -> Skill {
        Skill::new(self.level)
    }

    /// The deepest iteration, if there is one.
    pub(super) fn depth(self) -> Option<u16> {
        Skill::DEPTHS.get(usize::from(self.level) - 1).copied()
    }

    /// Whether nothing is held back.
    pub(super) fn is_full(self) -> bool {
        self.level == Skill::FULL
    }

    /// Whether mates in one are looked for beyond the searched plies.
    pub(super) fn sees_mates(self) -> bool {
        self.level >= Skill::SEES_MATES
    }

    /// By how much the position of this key is misjudged, in centipawns.
    pub(super) fn error(self, key: u64) -> i32 {
        if self.is_full() {
            return 0;
        }
        let mixed = (key ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // The difference of two even draws: small errors are likelier than large ones.
        let draw = |shift: u32| (mixed >> shift & 0x3ff) as i32;
        (draw(54) - draw(44)) * Skill::ERRORS[usize::from(self.level) - 1] / 1024
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_search_deeper_and_err_less() {
        let worst = |skill: Skill| (0..2_000u64).map(|key| skill.error(key).abs()).max();
        let levels: Vec<Skill> = (1..=Skill::FULL).map(Skill::new).collect();
        for pair in levels.windows(2) {
            assert!(pair[0].depth().unwrap() <= pair[1].depth().unwrap_or(u16::MAX));
            assert!(worst(pair[0]) > worst(pair[1]), "{pair:?}");
        }
        assert_eq!((worst(levels[19]), levels[19].depth()), (Some(0), None));
    }

    #[test]
    fn a_position_is_misjudged_alike_within_a_game_only() {
        let skill = Skill::new(3);
        assert_eq!(skill.error(77), skill.error(77));
        let other = skill.renewed();
        assert!((0..50).any(|key| skill.error(key) != other.error(key)));
    }
}
