//! Finished units, and what they say about each two engines.

use serde::Serialize;

use super::{ByColour, Strength};
use crate::tournament::journal::{GameWithMoves, Journal};
use kaeshi_core::game::Side;
use kaeshi_statistics::ResultCounts;
use kaeshi_statistics::sprt::SprtUnit;

/// A finished pair of games, or a single game where those are the unit.
#[derive(Clone, Debug, PartialEq)]
pub struct PairResult {
    /// Its place in the schedule.
    pub order: u64,
    /// The engines, as indices; everything here is seen from the first of them.
    pub engines: [usize; 2],
    /// Half points: 0 to 4 for a pair, 0 to 2 for a single game.
    pub half_points: usize,
    /// Half points of each game.
    pub each: Vec<usize>,
    /// The side that the first engine had in each game.
    pub sides: Vec<Side>,
    /// Number of games: 2, or 1.
    pub games: u64,
    /// Number of the opening.
    pub opening: Option<u64>,
    /// Discs or points by which the first engine was ahead, per game; `None` if a game has none.
    pub margin: Option<f64>,
    /// What identifies each game.
    pub keys: Vec<Option<u64>>,
}

impl PairResult {
    /// As a sequential test sees it.
    pub(super) fn watched(&self) -> SprtUnit {
        SprtUnit { half_points: self.half_points, games: self.keys.clone() }
    }
}

/// The finished units among `games`, in the order of the schedule.
pub(super) fn units(journal: &Journal, games: &[&GameWithMoves]) -> Vec<PairResult> {
    let size = if journal.open.single { 1 } else { 2 };
    games
        .chunk_by(|a, b| a.game.pair == b.game.pair)
        .filter(|chunk| chunk.len() == size)
        .map(|chunk| unit(journal, chunk))
        .collect()
}

fn unit(journal: &Journal, games: &[&GameWithMoves]) -> PairResult {
    let order = games[0].game.pair;
    let engines = journal.pairing(order);
    let name = journal.open.engines.get(engines[0]).map_or("", |engine| engine.name.as_str());
    let sides: Vec<Side> = games.iter().map(|played| played.side_of(name)).collect();
    let each: Vec<usize> =
        games.iter().zip(&sides).map(|(played, &side)| played.game.result.half_points(side)).collect();
    let margins: Option<Vec<f64>> = games
        .iter()
        .map(|played| {
            let margin = f64::from(played.game.margin?);
            Some(if played.side_of(name) == Side::First { margin } else { -margin })
        })
        .collect();
    PairResult {
        order,
        engines,
        half_points: each.iter().sum(),
        sides,
        games: games.len() as u64,
        each,
        opening: games[0].game.opening,
        keys: games.iter().map(|played| played.key).collect(),
        margin: margins.map(|list| list.iter().sum::<f64>() / list.len() as f64),
    }
}

/// Mean margin over units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Margin {
    /// Discs or points per game, from the first engine's side.
    pub mean: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// What two engines did against each other.
#[derive(Clone, Debug, Serialize)]
pub struct PairingSummary {
    /// The engines, as indices; everything here is seen from the first of them.
    pub engines: [usize; 2],
    /// Finished units.
    pub units: u64,
    /// Games won, drawn and lost in them.
    pub wins_draws_losses: [u64; 3],
    /// Strength by units: pairs, or games where those are the unit.
    pub strength: Strength,
    /// Strength by single games, for comparison with other tools.
    pub by_games: Strength,
    /// Mean margin, in games that count discs or points.
    pub margin: Option<Margin>,
    /// Results of the first engine when it moves first (as `first`) and second (as `second`), in points.
    pub points_as: [f64; 2],
    /// The counts behind `strength`.
    #[serde(skip)]
    pub counts: ResultCounts,
}

impl PairingSummary {
    /// One for each two engines that meet, in the order of the schedule.
    pub(super) fn all(journal: &Journal, units: &[PairResult]) -> Vec<PairingSummary> {
        let mut met: Vec<[usize; 2]> = Vec::new();
        for &pairing in &journal.open.pairings {
            if !met.contains(&pairing) {
                met.push(pairing);
            }
        }
        met.into_iter()
            .map(|engines| {
                let own: Vec<&PairResult> = units.iter().filter(|unit| unit.engines == engines).collect();
                PairingSummary::new(journal.open.single, engines, &own)
            })
            .collect()
    }

    fn new(single: bool, engines: [usize; 2], units: &[&PairResult]) -> PairingSummary {
        let mut counts = ResultCounts::empty(single);
        let mut games = ResultCounts::empty(true);
        let mut points_as = [0.0; 2];
        for unit in units {
            counts.add(unit.half_points);
            for (side, &half_points) in unit.sides.iter().zip(&unit.each) {
                games.add(half_points);
                points_as[side.index()] += half_points as f64 / 2.0;
            }
        }
        let cells = games.cells();
        PairingSummary {
            engines,
            units: counts.units(),
            wins_draws_losses: [cells[2], cells[1], cells[0]],
            strength: Strength::from(&counts),
            by_games: Strength::from(&games),
            margin: margin(units),
            points_as,
            counts,
        }
    }

    /// Points of the first engine and of the second.
    pub fn points(&self) -> [f64; 2] {
        let [wins, draws, losses] = self.wins_draws_losses.map(|count| count as f64);
        [wins + draws / 2.0, losses + draws / 2.0]
    }
}

/// Mean and error of the margins; `None` with fewer than two units or where one has none.
fn margin(units: &[&PairResult]) -> Option<Margin> {
    let margins: Vec<f64> = units.iter().filter_map(|unit| unit.margin).collect();
    if margins.len() < 2 || margins.len() < units.len() {
        return None;
    }
    let n = margins.len() as f64;
    let mean = margins.iter().sum::<f64>() / n;
    let variance = margins.iter().map(|margin| (margin - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some(Margin { mean, error: kaeshi_statistics::normal::Z95 * (variance / n).sqrt() })
}

/// Results of one engine by the colour it had.
pub(super) fn by_side(games: &[&GameWithMoves], name: &str) -> [ByColour; 2] {
    let mut table = [ByColour::default(); 2];
    for played in games {
        if played.game.first == name {
            table[0].add(played.game.result);
        } else if played.game.second == name {
            table[1].add(played.game.result);
        }
    }
    table
}
