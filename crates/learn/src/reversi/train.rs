//! Fits the pattern weights to self-played games: linear regression stage by stage, each weight
//! with its own step (Duchi, Hazan and Singer, "Adagrad", 2011).
//!
//! Every stage is fitted apart from the others, from the games themselves, so that any number of
//! threads finds the same weights and only the samples of as many stages lie in memory.
//!
//! A search evaluates boards of one parity of the empty squares. Its values have a bias that depends on the parity,
//! which learning from them would amplify, so the parity terms are set by the results of the games instead.

use std::sync::Arc;

use rayon::prelude::*;

use crate::reversi::record::{ReversiGameRecord, UNKNOWN, board_after, is_random};
use kaeshi_core::random::SplitMix;
use kaeshi_reversi::evaluate::pattern::{GEOMETRY, INSTANCES, Indices, WEIGHTS};
use kaeshi_reversi::evaluate::weights::{ReversiWeights, STAGES, stage};
use kaeshi_reversi::rules::board::ReversiBoard;
use kaeshi_reversi::search::estimate::estimate;
use kaeshi_reversi::search::table::NO_MOVE;

/// Results count in full only where there are many more of them than this: one is worth little beside the
/// values of searches.
const LEVEL_DOUBT: f64 = 20_000.0;
/// One game in this many only measures the error.
const HELD_OUT: usize = 20;
/// First step of a weight.
const STEP: f32 = 0.25;
/// The usual damping: keeps rare weights near their start values.
pub const DAMPING: f32 = 400.0;
/// A stage also learns from positions of this many plies before and after it.
const NEAR: u32 = 2;
/// Positions that are won by this many discs count for less than those that are not decided yet.
const DECIDED: f32 = 14.0;
/// One position in this many goes into the fit of all stages together, with which each begins.
const COMMON: u32 = 8;

/// A position and the value to be learned.
#[derive(Clone, Copy, Debug)]
struct ReversiSample {
    board: ReversiBoard,
    target: f32,
}

/// How to fit.
#[derive(Clone, Debug)]
pub struct ReversiHyperparameters {
    /// The weights to begin with; zeros if there are none.
    pub start: Option<Arc<ReversiWeights>>,
    /// Initial sum of squared gradients of a weight (Adagrad), in squared discs: the greater, the slower a weight
    /// moves.
    pub damping: f32,
    /// Share of the value found one ply later in the value of a position, 0 to 1: what a deeper
    /// search would have found, by and by (Sutton, "TD(lambda)", 1988).
    pub later: f32,
    /// Passes over the data.
    pub epochs: usize,
    /// Share of the game's result in the target, the rest is the value that the search found.
    pub result: f32,
}

impl ReversiHyperparameters {
    /// The shares on which the targets depend.
    fn shares(&self) -> (f32, f32) {
        (self.later, self.result)
    }
}

/// Error of one stage, on games held out.
#[derive(Clone, Copy, Debug)]
pub struct StageFit {
    /// The stage.
    pub stage: usize,
    /// Positions learned from.
    pub samples: usize,
    /// Root of the mean square error, in discs.
    pub error: f32,
    /// Mean of the values less the results of the games, in discs, with an even and with an odd number of empty
    /// squares: weights learned from the values of searches may be biased.
    pub bias: [f32; 2],
}

/// The weights of one stage while they are learned.
#[derive(Clone, Debug)]
struct Learner {
    /// Each weight, and the squares of the errors that it has seen.
    weights: Vec<[f32; 2]>,
    parity: [[f32; 2]; 2],
}

/// Fits all stages, each beginning with the given weights or else with a fit of all together.
pub fn fit(
    games: &[ReversiGameRecord],
    recipe: &ReversiHyperparameters,
    progress: impl Fn(StageFit) + Sync,
) -> ReversiWeights {
    let start = recipe.start.as_ref().filter(|start| !start.is_by_hand());
    let common = match start {
        Some(_) => None,
        None => Some(common(games, recipe)),
    };
    let stages: Vec<(Vec<f32>, [f32; 2])> = (0..STAGES)
        .into_par_iter()
        .map(|number| {
            let begin = match (start, &common) {
                (Some(start), _) => start.discs(number),
                (None, Some(common)) => common.clone(),
                (None, None) => (vec![0.0; WEIGHTS], [0.0; 2]),
            };
            let (fit, found) = fit_stage(games, recipe, number, begin);
            progress(fit);
            found
        })
        .collect();
    ReversiWeights::from_discs(&stages)
}

/// One fit for all stages together.
fn common(games: &[ReversiGameRecord], recipe: &ReversiHyperparameters) -> (Vec<f32>, [f32; 2]) {
    let mut random = SplitMix::new(1);
    let mut samples = Vec::new();
    for game in learned(games) {
        visit(game, &found_values(game), recipe.shares(), |board, target, _| {
            if random.below(COMMON) == 0 {
                samples.push(ReversiSample { board, target });
            }
        });
    }
    shuffle(&mut samples, &mut random);
    let mut learner = Learner::new(&(vec![0.0; WEIGHTS], [0.0; 2]), recipe.damping);
    for _ in 0..recipe.epochs.min(2) {
        learner.learn(&samples);
    }
    learner.found()
}

fn fit_stage(
    games: &[ReversiGameRecord],
    recipe: &ReversiHyperparameters,
    number: usize,
    begin: (Vec<f32>, [f32; 2]),
) -> (StageFit, (Vec<f32>, [f32; 2])) {
    let near = |empties: u32| (empties.saturating_sub(NEAR)..=empties + NEAR).any(|e| stage(e) == number);
    let mut samples = Vec::new();
    for game in learned(games) {
        visit(game, &found_values(game), recipe.shares(), |board, target, _| {
            if near(board.empties()) {
                samples.push(ReversiSample { board, target });
            }
        });
    }
    shuffle(&mut samples, &mut SplitMix::new(number as u64));
    let mut learner = Learner::new(&begin, recipe.damping);
    for _ in 0..recipe.epochs {
        learner.learn(&samples);
    }
    learner.level(lean(&learner, learned(games), recipe, number, LEVEL_DOUBT));
    let (mut squares, mut count) = (0.0, 0);
    for game in held_out(games) {
        visit(game, &found_values(game), recipe.shares(), |board, target, _| {
            if stage(board.empties()) == number {
                squares += f64::from(target - learner.predict(board).0).powi(2);
                count += 1;
            }
        });
    }
    let fit = StageFit {
        stage: number,
        samples: samples.len(),
        error: (squares / count.max(1) as f64).sqrt() as f32,
        bias: lean(&learner, held_out(games), recipe, number, 0.0),
    };
    (fit, learner.found())
}

/// Mean of the values less the results of the games, in discs, with an even and with an odd number of empty
/// squares; as if `doubt` more had shown none.
fn lean<'a>(
    learner: &Learner,
    games: impl Iterator<Item = &'a ReversiGameRecord>,
    recipe: &ReversiHyperparameters,
    number: usize,
    doubt: f64,
) -> [f32; 2] {
    let (mut sums, mut counts) = ([0.0; 2], [0usize; 2]);
    for game in games {
        visit(game, &found_values(game), recipe.shares(), |board, _, result| {
            if let Some(result) = result.filter(|_| stage(board.empties()) == number) {
                let which = (board.empties() & 1) as usize;
                sums[which] += f64::from(learner.predict(board).0 - result);
                counts[which] += 1;
            }
        });
    }
    std::array::from_fn(|which| (sums[which] / (counts[which] as f64 + doubt).max(1.0)) as f32)
}

pub(super) fn learned(games: &[ReversiGameRecord]) -> impl Iterator<Item = &ReversiGameRecord> {
    games.iter().enumerate().filter(|(number, _)| number % HELD_OUT != 0).map(|(_, game)| game)
}

pub(super) fn held_out(games: &[ReversiGameRecord]) -> impl Iterator<Item = &ReversiGameRecord> {
    games.iter().step_by(HELD_OUT)
}

/// How much a position counts whose target this is.
pub(super) fn share(target: f32) -> f32 {
    1.0 / (1.0 + (target / DECIDED).powi(2)).sqrt()
}

fn shuffle(samples: &mut [ReversiSample], random: &mut SplitMix) {
    for i in (1..samples.len()).rev() {
        samples.swap(i, random.below(i as u32 + 1) as usize);
    }
}

/// Shows the positions of one game at which a value is known, their targets, and the result for the side to move where
/// the moves after the position were chosen, not drawn by lot. `values` are those of its plies; `later` and `share` are
/// the shares of the value one ply later and of the result in the target.
pub(super) fn visit(
    game: &ReversiGameRecord,
    values: &[f32],
    (later, share): (f32, f32),
    mut take: impl FnMut(ReversiBoard, f32, Option<f32>),
) {
    let (mut board, mut black) = (ReversiBoard::START, true);
    let drawn = game.last_random();
    for (ply, (&(square, value), smooth)) in game.plies.iter().zip(smoothed(game, values, later)).enumerate()
    {
        if value != UNKNOWN {
            let result = (ply >= drawn).then(|| f32::from(if black { game.result } else { -game.result }));
            let target = result.map_or(smooth, |result| share * result + (1.0 - share) * smooth);
            take(board, target, result);
        }
        board = board_after(board, square);
        black = !black;
    }
}

/// The value found at each ply, in discs for its side to move; 0 where there is none.
fn found_values(game: &ReversiGameRecord) -> Vec<f32> {
    game.plies.iter().map(|&(_, value)| if value == UNKNOWN { 0.0 } else { f32::from(value) }).collect()
}

/// The final margins to be expected by these values; the values themselves where it is not known how they were found.
pub(super) fn expected_values(game: &ReversiGameRecord) -> Vec<f32> {
    let mut values = found_values(game);
    let Some(search) = game.search else { return values };
    let mut empties = ReversiBoard::START.empties();
    for (value, &(square, found)) in values.iter_mut().zip(&game.plies) {
        if found != UNKNOWN && empties > search.exact {
            *value = estimate(i32::from(found), empties, search.depth) as f32 / 100.0;
        }
        if square != NO_MOVE {
            empties = empties.saturating_sub(1);
        }
    }
    values
}

/// The value of each ply for its side to move, mixed with those of the plies after it up to the next
/// one drawn by lot, whose loss is not that of the position; 0 where nothing is known.
fn smoothed(game: &ReversiGameRecord, found: &[f32], later: f32) -> Vec<f32> {
    let odd = game.plies.len() % 2 == 1;
    // The result as the side sees it that would be to move after the last ply.
    let mut next = Some(f32::from(if odd { -game.result } else { game.result }));
    let mut values = vec![0.0; game.plies.len()];
    for ((smooth, &ply), &value) in values.iter_mut().zip(&game.plies).zip(found).rev() {
        next = match (ply.1, next) {
            _ if is_random(ply) => None,
            (UNKNOWN, next) => next.map(|next| -next),
            (_, None) => Some(value),
            (_, Some(next)) => Some((1.0 - later) * value - later * next),
        };
        *smooth = next.unwrap_or(0.0);
    }
    values
}

impl Learner {
    fn new((weights, parity): &(Vec<f32>, [f32; 2]), damping: f32) -> Learner {
        let weights = weights.iter().map(|&weight| [weight, damping]).collect();
        Learner { weights, parity: parity.map(|weight| [weight, damping]) }
    }

    fn found(&self) -> (Vec<f32>, [f32; 2]) {
        (self.weights.iter().map(|weight| weight[0]).collect(), self.parity.map(|weight| weight[0]))
    }

    /// The value of a board, and which weights make it.
    fn predict(&self, board: ReversiBoard) -> (f32, [u32; INSTANCES]) {
        let indices = Indices::new(board);
        let mut used = [0; INSTANCES];
        let mut sum = self.parity[(board.empties() & 1) as usize][0];
        for (instance, used) in used.iter_mut().enumerate() {
            *used = GEOMETRY.canonical[GEOMETRY.offset[instance] + indices.get(instance)];
            sum += self.weights[*used as usize][0];
        }
        (sum, used)
    }

    /// Subtracts the bias of the values by parity.
    fn level(&mut self, lean: [f32; 2]) {
        for (weight, lean) in self.parity.iter_mut().zip(lean) {
            weight[0] -= lean;
        }
    }

    /// One pass.
    fn learn(&mut self, samples: &[ReversiSample]) {
        for sample in samples {
            let (value, used) = self.predict(sample.board);
            let error = (sample.target - value) * share(sample.target);
            let step = |[weight, squares]: &mut [f32; 2]| {
                *squares += error * error;
                *weight += STEP * error / squares.sqrt();
            };
            for &index in &used {
                step(&mut self.weights[index as usize]);
            }
            step(&mut self.parity[(sample.board.empties() & 1) as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;
    use crate::reversi::record::LabelSearch;
    use crate::reversi::record::tests::drawn_game;
    use kaeshi_reversi::rules::board::squares;

    #[test]
    fn values_are_mixed_with_later_ones_of_the_same_side() {
        let game = ReversiGameRecord {
            search: None,
            random: 1,
            result: 8,
            plies: vec![(1, UNKNOWN), (2, -2), (3, 6)],
        };
        assert_eq!(smoothed(&game, &found_values(&game), 0.0), [0.0, -2.0, 6.0]);
        // Three plies: after the last one White would be to move, with 8 discs less.
        assert_eq!(smoothed(&game, &found_values(&game), 0.5), [0.0, -4.5, 7.0]);
        let passing = ReversiGameRecord {
            search: None,
            random: 0,
            result: 8,
            plies: vec![(2, -2), (NO_MOVE, UNKNOWN), (3, -4)],
        };
        assert_eq!(smoothed(&passing, &found_values(&passing), 0.5), [0.0, -2.0, 2.0]);
    }

    #[test]
    fn values_of_searches_become_estimates_before_the_exact_end() {
        let plies = vec![(19, 3), (NO_MOVE, UNKNOWN), (18, -5), (26, UNKNOWN), (20, 7)];
        let game = |exact| {
            let search = Some(LabelSearch { depth: 6, exact });
            ReversiGameRecord { search, random: 0, result: 0, plies: plies.clone() }
        };
        let hundredths = [estimate(3, 60, 6), 0, estimate(-5, 59, 6), 0, estimate(7, 57, 6)];
        assert_eq!(expected_values(&game(14)), hundredths.map(|value| value as f32 / 100.0));
        assert_eq!(expected_values(&game(58))[2..], [hundredths[2] as f32 / 100.0, 0.0, 7.0]);
        let unknown = ReversiGameRecord { search: None, ..game(14) };
        assert_eq!(expected_values(&unknown), [3.0, 0.0, -5.0, 0.0, 7.0]);
    }

    #[test]
    fn what_a_ply_drawn_by_lot_loses_is_not_learned() {
        let game = ReversiGameRecord {
            search: None,
            random: 0,
            result: 20,
            plies: vec![(2, 4), (9, UNKNOWN), (3, 20), (4, -20)],
        };
        assert_eq!(smoothed(&game, &found_values(&game), 0.5), [4.0, 0.0, 20.0, -20.0]);
        let recipe =
            ReversiHyperparameters { start: None, damping: DAMPING, later: 0.5, epochs: 1, result: 0.5 };
        let mut heard = Vec::new();
        visit(&game, &found_values(&game), recipe.shares(), |_, target, result| heard.push((target, result)));
        assert_eq!(heard[0], (4.0, None));
        assert_eq!(heard[1..], [(20.0, Some(20.0)), (-20.0, Some(-20.0))]);
    }

    #[test]
    fn what_values_lean_is_taken_back_by_the_results() {
        // Values say that neither side is ahead, but Black, who moves where the number is even, wins all games.
        let mut seed = 17u64;
        let games: Vec<ReversiGameRecord> = (0..2_000)
            .map(|_| {
                let (mut board, mut plies) = (ReversiBoard::START, Vec::new());
                while board.moves() != 0 && plies.len() < 30 {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let moves = board.moves();
                    let which = (seed >> 33) as usize % moves.count_ones() as usize;
                    let square = squares(moves).nth(which).expect("there are enough");
                    plies.push((square as u8, 0));
                    board = board.after(square, board.flips(square));
                }
                ReversiGameRecord { search: None, random: 0, result: 10, plies }
            })
            .collect();
        let recipe =
            ReversiHyperparameters { start: None, damping: DAMPING, later: 0.0, epochs: 2, result: 0.0 };
        let (weights, _) = fitted(&games, &recipe);
        let (_, parity) = weights.discs(8);
        // 1,900 games for each of the numbers 36, 35 and 34, against 20,000 results that say nothing.
        let part = |results: f32| 10.0 * results / (results + 20_000.0);
        assert!((parity[0] - part(3_800.0)).abs() < 0.1 && (parity[1] + part(1_900.0)).abs() < 0.1);
    }

    /// The weights, and the error of each stage.
    fn fitted(
        games: &[ReversiGameRecord],
        recipe: &ReversiHyperparameters,
    ) -> (ReversiWeights, Vec<StageFit>) {
        let errors = Mutex::new(Vec::new());
        let weights = fit(games, recipe, |fit| errors.lock().push(fit));
        let mut errors = errors.into_inner();
        errors.sort_unstable_by_key(|fit| fit.stage);
        (weights, errors)
    }

    #[test]
    fn a_fit_learns_what_the_games_say() {
        // Games of fixed moves; the value is twice the difference of discs on the border.
        let mut seed = 11u64;
        let mut draw = |moves: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % moves as usize
        };
        let edge = |set: u64| (set & 0xff81_8181_8181_81ff).count_ones() as i8;
        let value = |board: ReversiBoard| 2 * (edge(board.me) - edge(board.opponent));
        let games: Vec<_> = (0..500).map(|_| drawn_game(&mut draw, value)).collect();
        let recipe =
            ReversiHyperparameters { start: None, damping: DAMPING, later: 0.0, epochs: 10, result: 0.0 };
        let (weights, errors) = fitted(&games, &recipe);
        assert!(!weights.is_by_hand());
        let again =
            ReversiHyperparameters { start: Some(Arc::new(weights)), damping: 1e9, epochs: 1, ..recipe };
        let (_, unmoved) = fitted(&games, &again);
        for (before, after) in errors.iter().zip(&unmoved) {
            assert!((before.error - after.error).abs() < 0.2, "{before:?} {after:?}");
        }
        let late = errors.iter().find(|fit| fit.stage == 12).expect("every stage has its error");
        assert!(late.error < 4.0, "{late:?}");
    }
}
