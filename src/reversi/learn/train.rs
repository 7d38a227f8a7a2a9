//! Fits the pattern weights to self-played games: linear regression stage by stage, each weight
//! with a step of its own (Duchi, Hazan and Singer, "Adagrad", 2011).

use std::sync::Arc;

use crate::reversi::evaluate::pattern::{GEOMETRY, INSTANCES, Indices, WEIGHTS};
use crate::reversi::evaluate::weights::{STAGES, Weights, stage};
use crate::reversi::learn::record::{Record, UNKNOWN};
use crate::reversi::rules::board::Board;
use crate::reversi::search::table::NO_MOVE;

/// One game in so many only measures the error.
const HELD_OUT: usize = 20;
/// First step of a weight.
const STEP: f32 = 0.25;
/// The usual damping: keeps rare weights near those of their neighbour stage.
pub const DAMPING: f32 = 400.0;

/// A position and the value to be learned.
#[derive(Clone, Copy, Debug)]
struct Sample {
    board: Board,
    target: f32,
    held_out: bool,
}

/// How to fit.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// What to begin with; nothing known if there is none.
    pub start: Option<Arc<Weights>>,
    /// How slowly a weight moves: what it counts as seen before, in squared discs of error.
    pub damping: f32,
    /// Share of the value found one ply later in the value of a position, 0 to 1: what a deeper
    /// search would have found, by and by (Sutton, "TD(lambda)", 1988).
    pub later: f32,
    /// Passes over the data.
    pub epochs: usize,
    /// Share of the game's result in the target, the rest is the value that the search found.
    pub result: f32,
}

/// Error of one stage.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// The stage.
    pub stage: usize,
    /// Positions learned from.
    pub samples: usize,
    /// Root of the mean square error on games held out, in discs.
    pub error: f32,
}

/// Fits all stages, the last first, each beginning with the given weights or else with those of the
/// stage after it.
pub fn fit(games: &[Record], recipe: &Recipe, mut progress: impl FnMut(Fit)) -> Weights {
    let mut by_empties: Vec<Vec<Sample>> = vec![Vec::new(); 61];
    for (number, game) in games.iter().enumerate() {
        collect(game, number % HELD_OUT == 0, recipe, &mut by_empties);
    }
    let mut stages = vec![(Vec::new(), [0.0; 2]); STAGES];
    let mut weights = vec![0.0; WEIGHTS];
    let mut parity = [0.0; 2];
    for number in (0..STAGES).rev() {
        let inside = |empties: usize| stage(empties as u32) == number;
        let near = |empties: usize| (1..=60).any(|e| inside(e) && e.abs_diff(empties) <= 1);
        let mut samples: Vec<Sample> = Vec::new();
        let mut held_out = Vec::new();
        for (empties, all) in by_empties.iter().enumerate() {
            samples.extend(all.iter().filter(|s| near(empties) && !s.held_out));
            held_out.extend(all.iter().filter(|s| inside(empties) && s.held_out));
        }
        if let Some(start) = &recipe.start
            && !start.is_by_hand()
        {
            (weights, parity) = start.discs(number);
        }
        fit_stage(&mut samples, recipe, &mut weights, &mut parity, number as u64);
        let square = |s: &Sample| (s.target - predict(&weights, &parity, s.board).0).powi(2);
        let error = (held_out.iter().map(square).sum::<f32>() / held_out.len().max(1) as f32).sqrt();
        progress(Fit { stage: number, samples: samples.len(), error });
        stages[number] = (weights.clone(), parity);
    }
    Weights::from_discs(&stages)
}

/// The positions of one game at which a value is known.
fn collect(game: &Record, held_out: bool, recipe: &Recipe, by_empties: &mut [Vec<Sample>]) {
    let (mut board, mut black) = (Board::START, true);
    for (&(square, value), smooth) in game.plies.iter().zip(smoothed(game, recipe.later)) {
        if value != UNKNOWN {
            let result = f32::from(if black { game.result } else { -game.result });
            let target = recipe.result * result + (1.0 - recipe.result) * smooth;
            by_empties[board.empties() as usize].push(Sample { board, target, held_out });
        }
        board = if square == NO_MOVE {
            board.passed()
        } else {
            let square = usize::from(square & 63);
            board.after(square, board.flips(square))
        };
        black = !black;
    }
}

/// The value of each ply for its side to move, mixed with those of the plies after it.
fn smoothed(game: &Record, later: f32) -> Vec<f32> {
    let odd = game.plies.len() % 2 == 1;
    // The result as the side sees it that would be to move after the last ply.
    let mut next = f32::from(if odd { -game.result } else { game.result });
    let mut values = vec![0.0; game.plies.len()];
    for (smooth, &(_, value)) in values.iter_mut().zip(&game.plies).rev() {
        let own = if value == UNKNOWN { -next } else { f32::from(value) };
        next = (1.0 - later) * own - later * next;
        *smooth = next;
    }
    values
}

/// The value of a board, and which weights make it.
fn predict(weights: &[f32], parity: &[f32; 2], board: Board) -> (f32, [u32; INSTANCES]) {
    let indices = Indices::new(board);
    let mut used = [0; INSTANCES];
    let mut sum = parity[(board.empties() & 1) as usize];
    for (instance, used) in used.iter_mut().enumerate() {
        *used = GEOMETRY.canonical[GEOMETRY.offset[instance] + indices.get(instance)];
        sum += weights[*used as usize];
    }
    (sum, used)
}

fn fit_stage(samples: &mut [Sample], recipe: &Recipe, weights: &mut [f32], parity: &mut [f32; 2], seed: u64) {
    let mut squares = vec![recipe.damping; weights.len()];
    let mut parity_squares = [recipe.damping; 2];
    let mut seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..recipe.epochs {
        for i in (1..samples.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            samples.swap(i, (((seed >> 32) * (i as u64 + 1)) >> 32) as usize);
        }
        for sample in &*samples {
            let (value, used) = predict(weights, parity, sample.board);
            let error = sample.target - value;
            for &index in &used {
                let square = &mut squares[index as usize];
                *square += error * error;
                weights[index as usize] += STEP * error / square.sqrt();
            }
            let which = (sample.board.empties() & 1) as usize;
            parity_squares[which] += error * error;
            parity[which] += STEP * error / parity_squares[which].sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reversi::rules::board::squares;

    #[test]
    fn values_are_mixed_with_later_ones_of_the_same_side() {
        let game = Record { random: 1, result: 8, plies: vec![(1, UNKNOWN), (2, -2), (3, 6)] };
        assert_eq!(smoothed(&game, 0.0), [2.0, -2.0, 6.0]);
        // Three plies: after the last one White would be to move, with 8 discs less.
        assert_eq!(smoothed(&game, 0.5), [4.5, -4.5, 7.0]);
    }

    #[test]
    fn a_fit_learns_what_the_games_say() {
        // Games of fixed moves; the value is twice the difference of discs on the border.
        let mut games = Vec::new();
        let mut seed = 11u64;
        for _ in 0..500 {
            let (mut board, mut plies) = (Board::START, Vec::new());
            while !board.is_over() {
                let moves = board.moves();
                if moves == 0 {
                    plies.push((NO_MOVE, UNKNOWN));
                    board = board.passed();
                    continue;
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let square =
                    squares(moves).nth((seed >> 33) as usize % moves.count_ones() as usize).unwrap_or(0);
                let edge = |set: u64| (set & 0xff81_8181_8181_81ff).count_ones() as i8;
                plies.push((square as u8, 2 * (edge(board.me) - edge(board.opponent))));
                board = board.after(square, board.flips(square));
            }
            games.push(Record { random: 0, result: 0, plies });
        }
        let mut errors = Vec::new();
        let recipe = Recipe { start: None, damping: DAMPING, later: 0.0, epochs: 10, result: 0.0 };
        let weights = fit(&games, &recipe, |fit| errors.push(fit));
        assert!(!weights.is_by_hand());
        let again = Recipe { start: Some(Arc::new(weights)), damping: 1e9, epochs: 1, ..recipe };
        let mut unmoved = Vec::new();
        fit(&games, &again, |fit| unmoved.push(fit));
        for (before, after) in errors.iter().zip(&unmoved) {
            assert!((before.error - after.error).abs() < 0.2, "{before:?} {after:?}");
        }
        let late = errors.iter().find(|fit| fit.stage == 12).expect("every stage is told");
        assert!(late.error < 4.0, "{late:?}");
    }
}
