//! Fits the pattern weights to self-played games: linear regression stage by stage, each weight
//! with a step of its own (Duchi, Hazan and Singer, "Adagrad", 2011).

use crate::reversi::board::Board;
use crate::reversi::pattern::{GEOMETRY, INSTANCES, Indices, WEIGHTS};
use crate::reversi::record::{Record, UNKNOWN};
use crate::reversi::table::NO_MOVE;
use crate::reversi::weights::{STAGES, Weights, stage};

/// One game in so many only measures the error.
const HELD_OUT: usize = 20;
/// First step of a weight.
const STEP: f32 = 0.25;
/// What a weight that was never seen counts as seen: keeps rare ones near their neighbour stage.
const DAMPING: f32 = 400.0;

/// A position and the value to be learned.
#[derive(Clone, Copy, Debug)]
struct Sample {
    board: Board,
    target: f32,
    held_out: bool,
}

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
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

/// Fits all stages, the last first, each beginning with the weights of the one after it.
pub fn fit(games: &[Record], recipe: Recipe, mut progress: impl FnMut(Fit)) -> Weights {
    let mut by_empties: Vec<Vec<Sample>> = vec![Vec::new(); 61];
    for (number, game) in games.iter().enumerate() {
        collect(game, number % HELD_OUT == 0, recipe.result, &mut by_empties);
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
        fit_stage(&mut samples, recipe.epochs, &mut weights, &mut parity, number as u64);
        let square = |s: &Sample| (s.target - predict(&weights, &parity, s.board).0).powi(2);
        let error = (held_out.iter().map(square).sum::<f32>() / held_out.len().max(1) as f32).sqrt();
        progress(Fit { stage: number, samples: samples.len(), error });
        stages[number] = (weights.clone(), parity);
    }
    Weights::from_discs(&stages)
}

/// The positions of one game at which a value is known.
fn collect(game: &Record, held_out: bool, share: f32, by_empties: &mut [Vec<Sample>]) {
    let (mut board, mut black) = (Board::START, true);
    for &(square, value) in &game.plies {
        if value != UNKNOWN {
            let result = f32::from(if black { game.result } else { -game.result });
            let target = share * result + (1.0 - share) * f32::from(value);
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

fn fit_stage(samples: &mut [Sample], epochs: usize, weights: &mut [f32], parity: &mut [f32; 2], seed: u64) {
    let mut squares = vec![DAMPING; weights.len()];
    let mut parity_squares = [DAMPING; 2];
    let mut seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..epochs {
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
    use crate::reversi::board::squares;

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
        let weights = fit(&games, Recipe { epochs: 10, result: 0.0 }, |fit| errors.push(fit));
        assert!(!weights.is_by_hand());
        let late = errors.iter().find(|fit| fit.stage == 12).expect("every stage is told");
        assert!(late.error < 4.0, "{late:?}");
    }
}
