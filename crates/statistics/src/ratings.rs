//! Ratings of many players from the games between them.
//!
//! The model is that of Bradley and Terry with an advantage of the first move: player `i` scores
//! `1 / (1 + 10^((r_j - r_i - a) / 400))` on average when moving first against `j`; a draw is half a point. The most
//! likely ratings are found under the prior of BayesElo (R. Coulom): two virtual draws of every player against those
//! it met, so that a player without a loss has a finite rating. Errors come from the curvature of the likelihood,
//! times the dispersion of the units: draws and pairs of one opening make it less than that of independent games
//! without draws.

use super::normal::Z95;

/// Elo per unit of log odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Virtual draws of every player.
const PRIOR_DRAWS: f64 = 2.0;
/// Weight, in games, of a prior on the ratings that keeps players without a common opponent comparable; negligible
/// beside the games.
const RIDGE: f64 = 1e-6;
/// With fewer units their dispersion is not known and taken as that of games without draws.
const FEW_UNITS: usize = 30;
/// The dispersion is not taken to be smaller.
const LEAST_DISPERSION: f64 = 0.1;
/// Newton's steps at most, and the largest change of a rating in one, in log odds.
const STEPS: usize = 200;
const LARGEST_STEP: f64 = 1.0;

/// A game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The player who moved first.
    pub first: usize,
    /// The other player.
    pub second: usize,
    /// Half points of the first: 0 to 2.
    pub half_points: u8,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// Rating in Elo; the mean of all players is 0.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error: f64,
    /// Games played.
    pub games: u64,
    /// Share of the points, from 0 to 1.
    pub score: f64,
    /// Mean rating of the opponents.
    pub opponents: f64,
}

/// The ratings of all players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ratings {
    /// In the order of their numbers.
    pub players: Vec<Rating>,
    /// Elo that the first move is worth.
    pub advantage: f64,
    /// Half the width of its 95 % interval.
    pub advantage_error: f64,
}

/// Games of one player moving first against another.
#[derive(Clone, Copy, Default)]
struct Meeting {
    games: f64,
    points: f64,
}

/// The games of all players, by the player who moved first and the other one.
struct Meetings {
    players: usize,
    all: Vec<Meeting>,
    /// Games of each player.
    games: Vec<f64>,
}

impl Meetings {
    fn of(players: usize, units: &[Vec<Played>]) -> Meetings {
        let is_sound = |game: &&Played| game.first.max(game.second) < players && game.first != game.second;
        let mut all = vec![Meeting::default(); players * players];
        for game in units.iter().flatten().filter(is_sound) {
            let meeting = &mut all[game.first * players + game.second];
            meeting.games += 1.0;
            meeting.points += f64::from(game.half_points.min(2)) / 2.0;
        }
        let mut meetings = Meetings { players, all, games: Vec::new() };
        meetings.games = (0..players).map(|i| (0..players).map(|j| meetings.both(i, j)).sum()).collect();
        meetings
    }

    fn get(&self, first: usize, second: usize) -> Meeting {
        self.all[first * self.players + second]
    }

    /// Games of two players against each other.
    fn both(&self, i: usize, j: usize) -> f64 {
        self.get(i, j).games + self.get(j, i).games
    }

    /// Virtual draws of two players.
    fn prior(&self, i: usize, j: usize) -> f64 {
        match self.both(i, j) {
            0.0 => 0.0,
            games => PRIOR_DRAWS / 2.0 * (games / self.games[i] + games / self.games[j]),
        }
    }

    /// Points of a player.
    fn points(&self, i: usize) -> f64 {
        let of_pair = |j| {
            let (own, other) = (self.get(i, j), self.get(j, i));
            own.points + other.games - other.points
        };
        (0..self.players).map(of_pair).sum()
    }
}

/// First and second derivatives of the log-likelihood with its prior, the second ones with the opposite sign. The
/// unknowns are the players' ratings and, as the last one, the advantage of the first move, all in log odds.
struct Derivatives {
    slope: Vec<f64>,
    /// Row by row.
    curvature: Vec<f64>,
}

impl Derivatives {
    fn at(values: &[f64], meetings: &Meetings) -> Derivatives {
        let (size, players) = (values.len(), meetings.players);
        let mut derivatives = Derivatives { slope: vec![0.0; size], curvature: vec![0.0; size * size] };
        let sum: f64 = values[..players].iter().sum();
        for (i, value) in values.iter().enumerate() {
            derivatives.curvature[i * size + i] += RIDGE;
            derivatives.slope[i] -= RIDGE * value;
        }
        // The sum of the ratings is 0; the games say nothing about it.
        for i in 0..players {
            derivatives.slope[i] -= sum;
            for j in 0..players {
                derivatives.curvature[i * size + j] += 1.0;
            }
        }
        for i in 0..players {
            for j in 0..players {
                let meeting = meetings.get(i, j);
                if meeting.games > 0.0 {
                    derivatives.add(values, (i, j), 1.0, meeting);
                }
                if i < j && meetings.both(i, j) > 0.0 {
                    let games = meetings.prior(i, j);
                    derivatives.add(values, (i, j), 0.0, Meeting { games, points: games / 2.0 });
                }
            }
        }
        derivatives
    }

    /// Adds games of player `i` against `j`; `advantage` is 1 if `i` moved first in them, and 0 in virtual games.
    fn add(&mut self, values: &[f64], (i, j): (usize, usize), advantage: f64, meeting: Meeting) {
        let (size, Meeting { games, points }) = (values.len(), meeting);
        let last = size - 1;
        let expected = logistic(values[i] - values[j] + advantage * values[last]);
        let (rest, weight) = (points - games * expected, games * expected * (1.0 - expected));
        let signs = [(i, 1.0), (j, -1.0), (last, advantage)];
        for (a, sign) in signs {
            self.slope[a] += sign * rest;
            for (b, other) in signs {
                self.curvature[a * size + b] += sign * other * weight;
            }
        }
    }
}

/// The most likely values of the unknowns, and the inverse of the curvature there, by Newton's method.
fn most_likely(meetings: &Meetings) -> (Vec<f64>, Vec<f64>) {
    let size = meetings.players + 1;
    let mut values = vec![0.0; size];
    let mut inverse = vec![0.0; size * size];
    for _ in 0..STEPS {
        let Derivatives { slope, curvature } = Derivatives::at(&values, meetings);
        inverse = invert(curvature, size);
        let step: Vec<f64> =
            (0..size).map(|i| (0..size).map(|j| inverse[i * size + j] * slope[j]).sum()).collect();
        let longest = step.iter().fold(0.0, |most: f64, change| most.max(change.abs()));
        let scale = if longest > LARGEST_STEP { LARGEST_STEP / longest } else { 1.0 };
        values.iter_mut().zip(&step).for_each(|(value, change)| *value += scale * change);
        if longest < 1e-10 {
            break;
        }
    }
    (values, inverse)
}

/// Rates `players` by their games. Each unit holds the games of one pair, or one game. Games of a player against
/// itself, or of one that is not there, do not count.
pub fn rate(players: usize, units: &[Vec<Played>]) -> Ratings {
    let meetings = Meetings::of(players, units);
    let (values, inverse) = most_likely(&meetings);
    let dispersion = dispersion(units, &values, players);
    let size = players + 1;
    // Fixing the sum of the ratings adds the same amount to all variances.
    let of_sum = 1.0 / (players.max(1) * players.max(1)) as f64;
    let error =
        |i: usize, less: f64| Z95 * ELO * (dispersion * (inverse[i * size + i] - less).max(0.0)).sqrt();
    let rating = |i: usize| {
        let games = meetings.games[i];
        let opponents: f64 = (0..players).map(|j| meetings.both(i, j) * values[j]).sum();
        let share = |sum: f64| if games > 0.0 { sum / games } else { 0.0 };
        Rating {
            elo: ELO * values[i],
            error: error(i, of_sum),
            games: games as u64,
            score: share(meetings.points(i)),
            opponents: ELO * share(opponents),
        }
    };
    Ratings {
        players: (0..players).map(rating).collect(),
        advantage: ELO * values[players],
        advantage_error: error(players, 0.0),
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Variance of the units' points in that of independent games without draws.
fn dispersion(units: &[Vec<Played>], at: &[f64], players: usize) -> f64 {
    if units.len() < FEW_UNITS {
        return 1.0;
    }
    let (mut found, mut expected) = (0.0, 0.0);
    for unit in units {
        let mut rest = 0.0;
        for game in unit.iter().filter(|game| game.first.max(game.second) < players) {
            let share = logistic(at[game.first] - at[game.second] + at[players]);
            // The two players of a unit change places.
            let sign = if game.first < game.second { 1.0 } else { -1.0 };
            rest += sign * (f64::from(game.half_points.min(2)) / 2.0 - share);
            expected += share * (1.0 - share);
        }
        found += rest * rest;
    }
    if expected > 0.0 { (found / expected).max(LEAST_DISPERSION) } else { 1.0 }
}

/// Inverse of a symmetric, positive definite matrix, by Gauss and Jordan.
fn invert(mut matrix: Vec<f64>, size: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; size * size];
    for i in 0..size {
        inverse[i * size + i] = 1.0;
    }
    for column in 0..size {
        let pivot = matrix[column * size + column];
        for k in 0..size {
            matrix[column * size + k] /= pivot;
            inverse[column * size + k] /= pivot;
        }
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row * size + column];
            if factor == 0.0 {
                continue;
            }
            for k in 0..size {
                matrix[row * size + k] -= factor * matrix[column * size + k];
                inverse[row * size + k] -= factor * inverse[column * size + k];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResultCounts;
    use kaeshi_core::random::SplitMix;

    fn game(first: usize, second: usize, half_points: u8) -> Played {
        Played { first, second, half_points }
    }

    /// Pairs of all against all, drawn at random by the model.
    fn tournament(elos: &[f64], advantage: f64, pairs: usize, seed: u64) -> Vec<Vec<Played>> {
        let mut random = SplitMix::new(seed);
        let mut units = Vec::new();
        for i in 0..elos.len() {
            for j in i + 1..elos.len() {
                for _ in 0..pairs {
                    let mut one = |a: usize, b: usize| {
                        let expected = logistic((elos[a] - elos[b] + advantage) / ELO);
                        let won = (random.below(1 << 30) as f64) < expected * f64::from(1 << 30);
                        game(a, b, if won { 2 } else { 0 })
                    };
                    units.push(vec![one(i, j), one(j, i)]);
                }
            }
        }
        units
    }

    #[test]
    fn ratings_are_those_of_the_model_within_their_errors() {
        let elos = [150.0, 40.0, -20.0, -170.0];
        let found = rate(4, &tournament(&elos, 30.0, 1_000, 1));
        for (rating, elo) in found.players.iter().zip(elos) {
            assert!((rating.elo - elo).abs() < 1.5 * rating.error, "{rating:?} {elo}");
            assert!((5.0..12.0).contains(&rating.error), "{rating:?}");
            assert_eq!(rating.games, 6_000);
        }
        assert!((found.advantage - 30.0).abs() < 1.5 * found.advantage_error, "{}", found.advantage);
        assert!(found.players.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
        assert!(found.players[0].opponents < -40.0 && found.players[3].opponents > 40.0);
    }

    /// Nineteen of twenty intervals hold the truth.
    #[test]
    fn the_errors_are_those_of_repeated_tournaments() {
        let elos = [60.0, 0.0, -60.0];
        let (mut inside, mut all) = (0, 0);
        for seed in 0..200 {
            let found = rate(3, &tournament(&elos, 0.0, 60, seed));
            for (rating, elo) in found.players.iter().zip(elos) {
                all += 1;
                inside += usize::from((rating.elo - elo).abs() <= rating.error);
            }
        }
        let share = f64::from(inside as u32) / f64::from(all as u32);
        assert!((0.92..0.98).contains(&share), "{share}");
    }

    #[test]
    fn two_players_have_the_difference_of_their_score() {
        let won = |n: u32, winner: u8| if n.is_multiple_of(4) { 2 - winner } else { winner };
        let units: Vec<Vec<Played>> =
            (0..500).map(|n| vec![game(0, 1, won(n, 2)), game(1, 0, won(n, 0))]).collect();
        let found = rate(2, &units);
        let elo = ResultCounts::games(750, 0, 250).elo().unwrap().value;
        let difference = found.players[0].elo - found.players[1].elo;
        assert!((difference - elo).abs() < 2.0, "{difference} {elo}");
    }

    #[test]
    fn draws_and_pairs_make_the_errors_smaller() {
        let drawn: Vec<Vec<Played>> =
            (0..400).map(|n| vec![game(0, 1, if n % 10 == 0 { 2 } else { 1 }), game(1, 0, 1)]).collect();
        let decided: Vec<Vec<Played>> = (0..400)
            .map(|n| vec![game(0, 1, (n % 2 * 2) as u8), game(1, 0, (n / 2 % 2 * 2) as u8)])
            .collect();
        assert!(rate(2, &drawn).players[0].error < 0.6 * rate(2, &decided).players[0].error);
    }

    #[test]
    fn a_clean_score_and_strangers_have_finite_ratings() {
        let sweep = rate(2, &[vec![game(0, 1, 2), game(1, 0, 0)], vec![game(0, 1, 2), game(1, 0, 0)]]);
        assert!((50.0..400.0).contains(&sweep.players[0].elo) && sweep.players[0].error.is_finite());
        let apart =
            rate(4, &[vec![game(0, 1, 2)], vec![game(2, 3, 2)], vec![game(9, 3, 2)], vec![game(1, 1, 2)]]);
        assert!(apart.players.iter().all(|rating| rating.elo.is_finite() && rating.error.is_finite()));
        assert!(apart.players[0].error > 1_000.0);
        assert_eq!(rate(0, &[]).players, []);
        assert_eq!(rate(1, &[]).players[0].games, 0);
    }
}
