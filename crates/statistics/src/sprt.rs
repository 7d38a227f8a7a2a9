//! The sequential probability ratio test, decided in schedule order.

pub mod settings;

use std::collections::HashSet;

use thiserror::Error;

use super::counts::ResultCounts;
use super::elo::{self, NORMALISED_UNIT, score_of_elo};
use super::likelihood;
use settings::{SprtModel as Model, SprtSettings};

/// Units before which nothing is decided, whatever the settings say.
const FIRST_DECISION: u64 = 8;
/// No decision before this multiple of the units in flight: short games would weigh too much.
const FLIGHTS: u64 = 4;
/// Beyond this a normalised hypothesis may be out of reach of every distribution over the cells.
const FARTHEST_NORMALISED: f64 = 200.0;

/// A test whose settings make sense.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt(SprtSettings);

/// Why a test cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BadSprt {
    /// The hypotheses are not in order.
    #[error("elo0 ({0}) must be below elo1 ({1})")]
    Hypotheses(f64, f64),
    /// A rate is not between 0 and 1, or both add up to 1 or more.
    #[error("alpha ({0}) and beta ({1}) must be above 0 and together below 1")]
    Rates(f64, f64),
    /// The normalised hypotheses are too far from an even match.
    #[error("normalized hypotheses reach from -200 to 200; {0} … {1} is for model=logistic")]
    TooFar(f64, f64),
    /// BayesElo speaks of single games only, and a match decides by pairs.
    #[error("model=bayesian is a model of single games; pairs need normalized or logistic")]
    PairsNeeded,
}

/// The verdict so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// Neither bound is reached.
    Continue,
    /// The weaker hypothesis is accepted.
    AcceptH0,
    /// The stronger hypothesis is accepted.
    AcceptH1,
}

impl Sprt {
    /// A test over pairs, or over single games; refuses settings that make none.
    ///
    /// # Errors
    /// Names the numbers that do not fit.
    pub fn new(settings: SprtSettings, single: bool) -> Result<Sprt, BadSprt> {
        let SprtSettings { elo0, elo1, alpha, beta, model } = settings;
        if !elo0.is_finite() || !elo1.is_finite() || elo0 >= elo1 {
            return Err(BadSprt::Hypotheses(elo0, elo1));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(BadSprt::Rates(alpha, beta));
        }
        if model == Model::Normalized && elo0.abs().max(elo1.abs()) > FARTHEST_NORMALISED {
            return Err(BadSprt::TooFar(elo0, elo1));
        }
        if model == Model::Bayesian && !single {
            return Err(BadSprt::PairsNeeded);
        }
        Ok(Sprt(settings))
    }

    /// The settings.
    pub fn settings(&self) -> &SprtSettings {
        &self.0
    }

    /// Units (pairs, or single games) before which nothing is decided, by the number in flight.
    pub fn decide_from(in_flight: u64) -> u64 {
        FIRST_DECISION.max(FLIGHTS * in_flight)
    }

    /// The log-likelihood ratio below which H0 is accepted.
    pub fn lower(&self) -> f64 {
        (self.0.beta / (1.0 - self.0.alpha)).ln()
    }

    /// The log-likelihood ratio from which H1 is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.0.beta) / self.0.alpha).ln()
    }

    /// Log-likelihood ratio of these counts.
    pub fn ratio(&self, counts: &ResultCounts) -> f64 {
        likelihood::ratio(counts, self.0.model, self.0.elo0, self.0.elo1)
    }

    /// The verdict of these counts, if there are at least `from` units.
    pub fn verdict(&self, counts: &ResultCounts, from: u64) -> SprtVerdict {
        self.judge(counts, self.ratio(counts), from)
    }

    /// The verdict of these counts, whose ratio is known.
    fn judge(&self, counts: &ResultCounts, ratio: f64, from: u64) -> SprtVerdict {
        if counts.units() < FIRST_DECISION.max(from) {
            SprtVerdict::Continue
        } else if counts.is_one_cell() {
            self.sweep(counts)
        } else if ratio >= self.upper() {
            SprtVerdict::AcceptH1
        } else if ratio <= self.lower() {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        }
    }

    /// A ratio over a single cell only measures how empty cells are filled up. A clean sweep is
    /// judged by exact bounds instead: no distribution with a hypothesis' mean sweeps with a higher
    /// probability than that mean to the power of the number of units.
    fn sweep(&self, counts: &ResultCounts) -> SprtVerdict {
        let units = counts.units();
        let (s0, s1) = match self.0.model {
            // The widest deviation makes the hypotheses as forgiving as they can be.
            Model::Normalized => {
                let unit = counts.games_per_unit().sqrt() / NORMALISED_UNIT / 2.0;
                ((0.5 + self.0.elo0 * unit).clamp(0.0, 1.0), (0.5 + self.0.elo1 * unit).clamp(0.0, 1.0))
            }
            Model::Logistic | Model::Bayesian => (score_of_elo(self.0.elo0), score_of_elo(self.0.elo1)),
        };
        let cells = counts.cells();
        if cells[cells.len() - 1] == units && elo::sweep_bound(units, self.0.alpha) >= s0.max(s1) {
            SprtVerdict::AcceptH1
        } else if cells[0] == units && 1.0 - elo::sweep_bound(units, self.0.beta) <= s0.min(s1) {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Continue
        }
    }

    /// Expected number of pairs when one of the hypotheses holds: Wald's approximation for the
    /// normalised model; a planning aid.
    pub fn expected_pairs(&self) -> f64 {
        let drift = (1.0 - self.0.alpha) * self.upper() + self.0.alpha * self.lower();
        let unit = 2f64.sqrt() / NORMALISED_UNIT;
        2.0 * drift / ((self.0.elo1 - self.0.elo0) * unit).powi(2)
    }
}

/// A finished pair, or a single game where those are the unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SprtUnit {
    /// Half points of the first-named engine.
    pub half_points: usize,
    /// An identity of each of its games, by which repeated games are found; `None` for a game that cannot be a
    /// repetition.
    pub games: Vec<Option<u64>>,
}

impl SprtUnit {
    /// Whether a game of it was seen before; all of them are known afterwards.
    pub fn repeats(&self, seen: &mut HashSet<u64>) -> bool {
        let mut repeats = false;
        for &game in self.games.iter().flatten() {
            repeats |= !seen.insert(game);
        }
        repeats
    }
}

/// The decision of a stopped test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtDecision {
    /// The accepted hypothesis.
    pub verdict: SprtVerdict,
    /// Number of pairs (or single games), counted along the schedule, that decided.
    pub pairs: u64,
    /// The ratio they gave.
    pub ratio: f64,
}

/// Follows a match: pairs finish in any order and count in the order of the schedule, so that short
/// games are not counted first and a resumed match decides as an uninterrupted one.
#[derive(Clone, Debug)]
pub struct SprtMonitor {
    sprt: Sprt,
    from: u64,
    finished: Vec<Option<SprtUnit>>,
    seen: HashSet<u64>,
    repeated: u64,
    prefix: usize,
    counts: ResultCounts,
    ratios: Vec<f64>,
    decision: Option<SprtDecision>,
}

impl SprtMonitor {
    /// A watch over pairs, or over single games, that decides nothing before `from` of them; see
    /// [`Sprt::decide_from`].
    pub fn new(sprt: Sprt, single: bool, from: u64) -> SprtMonitor {
        SprtMonitor {
            sprt,
            from,
            finished: Vec::new(),
            seen: HashSet::new(),
            repeated: 0,
            prefix: 0,
            counts: ResultCounts::empty(single),
            ratios: Vec::new(),
            decision: None,
        }
    }

    /// [`SprtMonitor::finish_unit`] for a pair that repeats nothing.
    ///
    /// # Panics
    /// If a pair (4) or a single game (2) cannot have that many half points.
    pub fn finish(&mut self, index: usize, half_points: usize) -> Option<SprtDecision> {
        self.finish_unit(index, SprtUnit { half_points, games: Vec::new() })
    }

    /// Pair number `index` of the schedule is finished; returns the decision when there is one. The
    /// first report of a pair counts. A pair of which a game was played before, earlier in the
    /// schedule, is no new observation and does not count.
    ///
    /// # Panics
    /// If a pair (4) or a single game (2) cannot have that many half points.
    pub fn finish_unit(&mut self, index: usize, unit: SprtUnit) -> Option<SprtDecision> {
        if self.finished.len() <= index {
            self.finished.resize(index + 1, None);
        }
        self.finished[index].get_or_insert(unit);
        while let Some(Some(next)) = self.finished.get(self.prefix) {
            self.prefix += 1;
            if next.repeats(&mut self.seen) {
                self.repeated += 1;
                continue;
            }
            self.counts.add(next.half_points);
            let ratio = self.sprt.ratio(&self.counts);
            self.ratios.push(ratio);
            if self.decision.is_none() {
                let verdict = self.sprt.judge(&self.counts, ratio, self.from);
                if verdict != SprtVerdict::Continue {
                    self.decision = Some(SprtDecision { verdict, pairs: self.prefix as u64, ratio });
                }
            }
        }
        self.decision
    }

    /// The test that is watched.
    pub fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// The first crossing of a bound, if there was one.
    pub fn decision(&self) -> Option<SprtDecision> {
        self.decision
    }

    /// Pairs of the finished prefix that repeat an earlier game and are not counted.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Counts of the longest finished prefix of the schedule.
    pub fn counts(&self) -> &ResultCounts {
        &self.counts
    }

    /// The ratio after each pair of that prefix; what lies behind the decision was still in flight.
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }
}

#[cfg(test)]
mod tests;
