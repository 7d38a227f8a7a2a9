//! Error rates of the sequential test by simulation: many tests of matches whose true difference is one of the
//! hypotheses, decided by the code that decides matches.

use std::ops::Range;

use kaeshi_core::random::{SplitMix, mix};

use super::counts::ResultCounts;
use super::likelihood;
use super::sprt::settings::SprtModel;
use super::sprt::{Sprt, SprtMonitor, SprtVerdict};

/// Matches to be simulated.
#[derive(Clone, Copy, Debug)]
pub struct Simulation {
    /// The test.
    pub sprt: Sprt,
    /// How the units of an even match are distributed: pairs, or single games.
    pub shape: ResultCounts,
    /// Units played at the same time; they finish in any order.
    pub in_flight: usize,
    /// How often a match is interrupted: the games in flight are lost and played again, the finished first games of
    /// unfinished pairs are kept, and the test is built anew from the finished units.
    pub interruptions: u32,
    /// Units after which a match ends undecided.
    pub most: usize,
    /// Decides everything that is drawn.
    pub seed: u64,
}

/// Verdicts of simulated tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulationTally {
    /// Tests that accepted H0.
    pub h0: u64,
    /// Tests that accepted H1.
    pub h1: u64,
    /// Tests without a decision.
    pub undecided: u64,
    /// Units of all of them up to their decisions.
    pub units: u64,
}

impl SimulationTally {
    /// Number of tests.
    pub fn tests(&self) -> u64 {
        self.h0 + self.h1 + self.undecided
    }

    /// The sum of both tallies.
    pub fn with(self, other: SimulationTally) -> SimulationTally {
        SimulationTally {
            h0: self.h0 + other.h0,
            h1: self.h1 + other.h1,
            undecided: self.undecided + other.undecided,
            units: self.units + other.units,
        }
    }
}

impl Simulation {
    /// Probabilities of the cells where this is the difference, in the Elo of the test's model; the distribution
    /// that is nearest to the shape. `None` where there is none.
    pub fn cells(&self, elo: f64) -> Option<Vec<f64>> {
        let model = self.sprt.settings().model;
        match model {
            SprtModel::Logistic | SprtModel::Normalized => likelihood::likeliest(&self.shape, model, elo),
            SprtModel::Bayesian => likelihood::bayesian_cells(&self.shape, elo),
        }
    }

    /// Runs the tests with these numbers where `elo` is the true difference; the same numbers give the same tests.
    /// `None` if no distribution has this difference.
    pub fn run(&self, elo: f64, tests: Range<u64>) -> Option<SimulationTally> {
        let cells = self.cells(elo)?;
        let mut tally = SimulationTally::default();
        for number in tests {
            let (verdict, units) = self.test(&cells, number);
            match verdict {
                SprtVerdict::AcceptH0 => tally.h0 += 1,
                SprtVerdict::AcceptH1 => tally.h1 += 1,
                SprtVerdict::Continue => tally.undecided += 1,
            }
            tally.units += units;
        }
        Some(tally)
    }

    /// One match: its verdict and the units that it took.
    fn test(&self, cells: &[f64], number: u64) -> (SprtVerdict, u64) {
        let mut random = SplitMix::new(mix(mix(self.seed).wrapping_add(number)));
        let single = matches!(self.shape, ResultCounts::Games(_));
        let new = || SprtMonitor::new(self.sprt, single, Sprt::decide_from(self.in_flight as u64));
        let mut watch = new();
        let mut results: Vec<Option<usize>> = Vec::new();
        let mut flying: Vec<UnitInFlight> = Vec::new();
        let horizon = self.sprt.expected_pairs().max(2.0).min(self.most as f64) as u32;
        let mut stops: Vec<usize> =
            (0..self.interruptions).map(|_| random.below(horizon) as usize + 1).collect();
        stops.sort_unstable();
        stops.reverse();
        let mut finished = 0;
        loop {
            while flying.len() < self.in_flight.max(1) && results.len() < self.most {
                flying.push(UnitInFlight::new(results.len(), single, cells, &mut random));
                results.push(None);
            }
            if flying.is_empty() {
                return (SprtVerdict::Continue, self.most as u64);
            }
            let place = random.below(flying.len() as u32) as usize;
            let Some(half_points) = flying[place].finish_game(&mut random) else { continue };
            let index = flying.swap_remove(place).index;
            results[index] = Some(half_points);
            if let Some(decision) = watch.finish(index, half_points) {
                return (decision.verdict, decision.pairs);
            }
            finished += 1;
            if stops.last().is_some_and(|&stop| stop <= finished) {
                stops.pop();
                flying.iter_mut().for_each(|unit| unit.restart(cells, &mut random));
                watch = new();
                for (index, result) in results.iter().enumerate() {
                    if let Some(half_points) = result {
                        watch.finish(index, *half_points);
                    }
                }
            }
        }
    }
}

/// A unit that is being played: a pair of games, or a single one. The results of its games are drawn when it begins,
/// and a drawn game lasts twice as long as others, so the units that an interruption finds are not a fair sample.
struct UnitInFlight {
    index: usize,
    /// Half points of its games.
    games: Vec<usize>,
    /// How many of them are over.
    finished: usize,
}

impl UnitInFlight {
    fn new(index: usize, single: bool, cells: &[f64], random: &mut SplitMix) -> UnitInFlight {
        let half_points = draw(cells, random);
        let games = if single { vec![half_points] } else { games_of_pair(half_points, random).to_vec() };
        UnitInFlight { index, games, finished: 0 }
    }

    /// Lets the running game go on; the half points of the unit when its last game is over.
    fn finish_game(&mut self, random: &mut SplitMix) -> Option<usize> {
        if self.games[self.finished] == 1 && random.below(2) == 0 {
            return None;
        }
        self.finished += 1;
        (self.finished == self.games.len()).then(|| self.games.iter().sum())
    }

    /// Plays the running game and what follows anew. A first game that is over keeps its result, and the second is
    /// drawn from the results that pairs with such a first game have.
    fn restart(&mut self, cells: &[f64], random: &mut SplitMix) {
        let kept = self.games[..self.finished].to_vec();
        loop {
            let again = UnitInFlight::new(self.index, self.games.len() == 1, cells, random);
            if again.games.starts_with(&kept) {
                self.games = again.games;
                return;
            }
        }
    }
}

/// The half points of the two games of a pair. Half of the even pairs are two draws.
fn games_of_pair(half_points: usize, random: &mut SplitMix) -> [usize; 2] {
    let [one, other] = match half_points {
        0 => [0, 0],
        1 => [0, 1],
        2 if random.below(2) == 0 => [1, 1],
        2 => [0, 2],
        3 => [1, 2],
        _ => [2, 2],
    };
    if random.below(2) == 0 { [one, other] } else { [other, one] }
}

/// A cell by its probability.
fn draw(cells: &[f64], random: &mut SplitMix) -> usize {
    let mut rest = (random.draw() >> 11) as f64 / (1u64 << 53) as f64;
    for (cell, probability) in cells.iter().enumerate() {
        rest -= probability;
        if rest < 0.0 {
            return cell;
        }
    }
    cells.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::settings::SprtSettings;

    const PAIRS: ResultCounts = ResultCounts::Pairs([60, 220, 440, 220, 60]);
    const GAMES: ResultCounts = ResultCounts::Games([300, 400, 300]);

    fn simulation(model: SprtModel, elo1: f64, shape: ResultCounts) -> Simulation {
        let settings = SprtSettings { elo0: 0.0, elo1, alpha: 0.05, beta: 0.05, model };
        let sprt = Sprt::new(settings, matches!(shape, ResultCounts::Games(_))).unwrap();
        Simulation { sprt, shape, in_flight: 4, interruptions: 0, most: 1_000_000, seed: 1 }
    }

    /// Wide bounds decide within tens of pairs, which a test has the time for; `kaeshi match simulate` does
    /// the same with any bounds. 400 tests leave the rates a standard error of 1.1 %.
    #[test]
    fn each_model_keeps_its_error_rates() {
        for (model, elo1, shape) in [
            (SprtModel::Normalized, 60.0, PAIRS),
            (SprtModel::Logistic, 40.0, PAIRS),
            (SprtModel::Normalized, 80.0, GAMES),
            (SprtModel::Logistic, 60.0, GAMES),
            (SprtModel::Bayesian, 80.0, GAMES),
        ] {
            for interruptions in [0, 1] {
                let simulation = Simulation { interruptions, ..simulation(model, elo1, shape) };
                let [at0, at1] = [0.0, elo1].map(|elo| simulation.run(elo, 0..400).unwrap());
                let context = format!("{model:?} {shape:?} {interruptions}: {at0:?} {at1:?}");
                assert_eq!((at0.undecided, at1.undecided), (0, 0), "{context}");
                assert!(at0.h1 <= 34 && at1.h0 <= 34, "{context}");
                assert!(at0.h1 >= 4 && at1.h0 >= 4, "{context}");
            }
        }
    }

    #[test]
    fn the_true_difference_is_what_is_asked_for() {
        for (model, shape) in [(SprtModel::Logistic, PAIRS), (SprtModel::Bayesian, GAMES)] {
            let cells = simulation(model, 5.0, shape).cells(5.0).unwrap();
            assert!((cells.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{cells:?}");
            let last = (cells.len() - 1) as f64;
            let mean: f64 = cells.iter().enumerate().map(|(i, p)| p * i as f64 / last).sum();
            assert!((0.503..0.508).contains(&mean), "{mean}");
        }
    }

    /// Of pairs that are interrupted after their first game, the first game stays, and the results of all pairs keep
    /// their distribution.
    #[test]
    fn an_unfinished_pair_keeps_its_first_game() {
        let cells = [0.06, 0.22, 0.44, 0.22, 0.06];
        let mut random = SplitMix::new(3);
        let mut counts = [0; 5];
        for index in 0..20_000 {
            let mut unit = UnitInFlight::new(index, false, &cells, &mut random);
            while unit.finished == 0 {
                assert_eq!(unit.finish_game(&mut random), None);
            }
            let first = unit.games[0];
            unit.restart(&cells, &mut random);
            assert_eq!((unit.games[0], unit.finished), (first, 1));
            let half_points = loop {
                if let Some(half_points) = unit.finish_game(&mut random) {
                    break half_points;
                }
            };
            counts[half_points] += 1;
        }
        for (count, expected) in counts.into_iter().zip(cells) {
            assert!((f64::from(count) / 20_000.0 - expected).abs() < 0.012, "{counts:?}");
        }
    }

    #[test]
    fn an_undecided_match_ends_and_the_same_seed_gives_the_same_tests() {
        let short = Simulation { most: 20, ..simulation(SprtModel::Normalized, 5.0, PAIRS) };
        let tally = short.run(0.0, 0..3).unwrap();
        assert_eq!((tally.tests(), tally.undecided, tally.units), (3, 3, 60));
        let simulation = Simulation { in_flight: 16, ..simulation(SprtModel::Logistic, 40.0, PAIRS) };
        let parts = simulation.run(0.0, 0..10).unwrap().with(simulation.run(0.0, 10..20).unwrap());
        assert_eq!(simulation.run(0.0, 0..20), Some(parts));
    }
}
