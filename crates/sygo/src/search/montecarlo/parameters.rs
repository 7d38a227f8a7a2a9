//! Every number of the Monte-Carlo search that can be tuned, in one table.

use serde::{Deserialize, Serialize};

use crate::network::Temperatures;
use kaeshi_core::tunable::Tunable;

/// The parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MctsParameters {
    /// Growths and as many placements of a node at most; twice as many at the root.
    pub(super) width: u32,
    /// Play-outs of a simulation; `docs/evidence/sygo.md` has the matches of fewer and more.
    pub(super) playouts: u32,
    /// Weight of the bonus for promising turns with few visits (exploration constant of PUCT).
    pub(super) exploration: f64,
    /// Factor of that weight at the root.
    pub(super) root_exploration: f64,
    /// A turn this many points worse than the best one has 1/e of its prior.
    pub(super) temperature: f64,
    /// Share of all priors that every turn has the same part of, however bad it looks.
    pub(super) uniform: f64,
    /// Visits that the static value counts as.
    pub(super) guess_visits: f64,
    /// Part of what the best turn seems to gain that is taken off the static values: values after
    /// turns of different sides do not compare.
    pub(super) excess: f64,
    /// The turn of the greatest value is played among those with at least this part of the most visits.
    pub(super) tried: f64,
    /// Share of the minimax.
    pub(super) minimax: f64,
    /// Share of winning in the worth of a margin; the rest is the margin itself.
    pub(super) winning: f64,
    /// Margin, as a share of the board, that is almost certainly a win.
    pub(super) ahead: f64,
    /// Part of the worth of a position that the network says; the rest is that of the play-outs.
    pub(super) judged: f64,
    /// Part of the priors that the network says; the rest is that of the static values.
    pub(super) policy: f64,
    /// Part of the level of a node's static values that the network's margin says; the rest says the best of them.
    pub(super) level: f64,
    /// Part that counts of the differences between static values where the network is asked.
    pub(super) spread: f64,
    /// Growing, passing and each placement share the priors by this temperature.
    pub(super) kinds: f64,
    /// Growths share their part of the priors by this temperature.
    pub(super) growths: f64,
    /// Growths and placements that the network adds.
    pub(super) added: u32,
    /// Play-outs: with this many groups for each row a placement is almost never made first.
    pub(super) groups: f64,
    /// Play-outs: the chance of a placement even then.
    pub(super) placing: f64,
    /// Play-outs: a group may be left with one liberty if it captures this part of its stones.
    pub(super) risk: f64,
}

impl Default for MctsParameters {
    fn default() -> MctsParameters {
        MctsParameters {
            width: 12,
            playouts: 2,
            exploration: 0.42,
            root_exploration: 1.2,
            temperature: 8.0,
            uniform: 0.005,
            guess_visits: 0.3,
            excess: 0.49,
            tried: 0.39,
            minimax: 0.16,
            winning: 0.43,
            ahead: 0.49,
            judged: 0.71,
            policy: 1.0,
            level: 0.43,
            spread: 0.39,
            kinds: 1.4,
            growths: 1.88,
            added: 10,
            groups: 0.38,
            placing: 0.008,
            risk: 1.03,
        }
    }
}

impl Tunable for MctsParameters {
    // Neither `width` nor `playouts`: they cost time, and the games that tune have equal simulations.
    const TUNABLE: &'static [(&'static str, f64)] = &[
        ("exploration", 0.12),
        ("uniform", 0.004),
        ("guess_visits", 0.15),
        ("excess", 0.15),
        ("tried", 0.1),
        ("minimax", 0.1),
        ("winning", 0.12),
        ("ahead", 0.06),
        ("kinds", 0.2),
        ("growths", 0.4),
        ("root_exploration", 0.15),
        ("judged", 0.12),
        ("level", 0.15),
        ("spread", 0.12),
        ("groups", 0.15),
        ("placing", 0.004),
        ("risk", 0.15),
    ];
    const SHARES: &'static [&'static str] =
        &["uniform", "tried", "minimax", "winning", "judged", "level", "policy", "placing"];
}

impl MctsParameters {
    /// The parameters of a search by play-outs alone.
    #[must_use]
    pub fn without_static_values(self) -> MctsParameters {
        // Without any weight the mean of a turn that was not tried would be 0 / 0.
        MctsParameters { judged: 0.0, policy: 0.0, uniform: 1.0, minimax: 0.0, guess_visits: 0.001, ..self }
    }

    /// How the network's likelihoods become priors.
    pub(super) fn temperatures(&self) -> Temperatures {
        Temperatures { kinds: self.kinds as f32, growths: self.growths as f32 }
    }

    /// Whether the network is of any use.
    pub(super) fn asks_network(&self) -> bool {
        self.judged > 0.0 || self.policy > 0.0
    }

    /// The worth of a margin to a player on a board of `area` points, from -1 to 1.
    pub fn worth(&self, margin: f32, area: f32) -> f32 {
        let winning = self.winning as f32;
        winning * (margin / (self.ahead as f32 * area)).tanh()
            + (1.0 - winning) * (margin / area).clamp(-1.0, 1.0)
    }
}
