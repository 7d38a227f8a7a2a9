//! Chance in play: random times, and the misjudgements of a weak level.

use std::time::Duration;

use crate::game::level::{Misjudgement, SkillLevel};
use crate::random::{self, SplitMix};

/// The level of a search below full strength, and by how much it misjudges.
type FormerStrength = (Option<u8>, Option<Misjudgement>);

/// The random parts of an engine's play.
pub(super) struct PlayStrength {
    /// For `go rtime`.
    chance: SplitMix,
    /// Per-game seed of the evaluation noise below `SkillLevel` 20.
    noise_seed: u64,
    /// The level and the noise of the values in the memory.
    former: FormerStrength,
}

impl PlayStrength {
    /// With a new seed for each engine.
    pub(super) fn new() -> PlayStrength {
        PlayStrength {
            chance: SplitMix::new(random::seed(0)),
            noise_seed: random::seed(1),
            former: (None, None),
        }
    }

    /// Draws a new seed of the noise.
    pub(super) fn new_game(&mut self) {
        self.noise_seed = self.chance.draw();
    }

    /// The misjudgements of a level in this game.
    pub(super) fn misjudgement(&self, level: &SkillLevel) -> Option<Misjudgement> {
        let SkillLevel { error, lines, overlooked, .. } = *level;
        (error > 0).then_some(Misjudgement { error, seed: self.noise_seed, lines, overlooked })
    }

    /// Records the level of the next search (`None` for full strength) and its noise. Returns whether either differs
    /// from the last search, so that the values in the memory must be cleared.
    pub(super) fn note(&mut self, level: Option<u8>, misjudgement: Option<Misjudgement>) -> bool {
        let strength = (level, misjudgement);
        std::mem::replace(&mut self.former, strength) != strength
    }

    /// A time between `time` and one and a half times that.
    pub(super) fn random_time(&mut self, time: Duration) -> Duration {
        time.mul_f64(1.0 + f64::from(self.chance.below(501)) / 1000.0)
    }
}
